/* Posted texts: recognised, read, and not believed beyond what they tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/parse/posted.h"
#include "advisor/report/report.h"

static struct st_facts *facts;

static int teardown(void **state)
{
    (void)state;
    st_facts_free(facts);
    facts = NULL;
    return 0;
}

static int add(const char *text)
{
    return st_posted_add(text, strlen(text), "posted.txt", &facts);
}

static void check_text(const char *key, const char *wanted)
{
    const char *text;
    if (st_facts_text(facts, key, &text) != 0)
        fail_msg("no %s", key);
    assert_string_equal(text, wanted);
}

static void check_int(const char *key, int64_t wanted)
{
    int64_t number;
    if (st_facts_int(facts, key, &number) != 0)
        fail_msg("no number %s", key);
    assert_int_equal(number, wanted);
}

static enum st_status status_of(const char *id)
{
    struct st_report report;
    assert_int_equal(st_report_make(facts, 128, 48000, &report), 0);
    enum st_status status = ST_STATUS_OK;
    bool found = false;
    for (size_t i = 0; i < report.findings_n; i++) {
        if (strcmp(report.findings[i].rule->id, id) == 0) {
            status = report.findings[i].status;
            found = true;
        }
    }
    st_report_finish(&report);
    if (!found)
        fail_msg("no finding %s", id);
    return status;
}

#define ALSA_INFO                                                                                            \
    "upload=true&script=true&cardinfo=\n!!################################\n"                                \
    "!!ALSA Information Script v 0.5.3\n!!################################\n\n"                              \
    "!!Kernel Information\n!!------------------\n\nKernel release:    6.1.0-37-amd64\n\n"                    \
    "!!Sound Servers on this system\n!!----------------------------\n\n"                                     \
    "PipeWire:\n      Installed - Yes (/usr/bin/pipewire)\n      Running - Yes\n\n"                          \
    "Jack:\n      Installed - Yes (/usr/bin/jackd)\n      Running - No\n\n"                                  \
    "!!Modprobe options (Sound related)\n!!--------------------------------\n\n"                             \
    "snd-hda-intel: power_save=1 model=auto\n\n"                                                             \
    "!!Loaded sound module options\n!!---------------------------\n\n"                                       \
    "!!Module: snd_hda_intel\n\tpower_save : 10\n\tpower_save_controller : Y\n\n"                            \
    "!!Module: i2c_core\n\tpower_save : 99\n\n"                                                              \
    "!!HDA-Intel Codec information\n!!---------------------------\n\tpower_save : 7\n"

static void alsa_info_tells_kernel_modules_and_servers(void **state)
{
    (void)state;
    assert_int_equal(add(ALSA_INFO), 0);
    assert_int_equal(facts->os, ST_OS_LINUX);
    check_text("linux.kernel.release", "6.1.0-37-amd64");
    check_int("linux.module.snd_hda_intel.power_save", 10);
    check_text("linux.module.snd_hda_intel.power_save_controller", "Y");
    check_int("linux.daemon.pipewire", 1);
    assert_null(st_facts_find(facts, "linux.daemon.jackd"));
    assert_null(st_facts_find(facts, "linux.module.i2c_core.power_save"));
    check_text(ST_POSTED_KEY, "alsa-info");
    assert_string_equal(st_facts_find(facts, "linux.kernel.release")->source, "posted.txt");
}

static void what_a_text_does_not_have_is_unknown(void **state)
{
    (void)state;
    assert_int_equal(add("kernel.osrelease = 6.1.0-37-amd64\nvm.swappiness = 60\n"), 0);
    struct st_report report;
    size_t unknown_n = 0;
    assert_int_equal(st_report_make(facts, 128, 48000, &report), 0);
    for (size_t i = 0; i < report.findings_n; i++) {
        assert_true(report.findings[i].status != ST_STATUS_NOT_APPLICABLE);
        unknown_n += report.findings[i].status == ST_STATUS_UNKNOWN;
    }
    assert_true(unknown_n + 5 > report.findings_n);
    st_report_finish(&report);
    assert_int_equal(status_of("linux-cpu-frequency"), ST_STATUS_UNKNOWN);
}

static void sysctl_of_linux_is_told_from_freebsds(void **state)
{
    (void)state;
    assert_int_equal(add("abi.vsyscall32 = 1\nkernel.osrelease = 6.1.0-37-amd64\n"
                         "kernel.sched_rt_period_us = 1000000\nkernel.sched_rt_runtime_us = -1\n"
                         "kernel.core_pattern =\nnot a sysctl\n"),
                     0);
    assert_int_equal(facts->os, ST_OS_LINUX);
    check_text("linux.kernel.release", "6.1.0-37-amd64");
    check_int("linux.sysctl.kernel.sched_rt_runtime_us", -1);
    check_text("linux.sysctl.kernel.core_pattern", "");
    assert_true(status_of("linux-rt-throttling") == ST_STATUS_ADVICE ||
                status_of("linux-rt-throttling") == ST_STATUS_PROBLEM);
    teardown(NULL);
    assert_int_equal(add("kern.osreldate: 1302001\nkern.hz: 1000\nkern.timecounter.alloweddeviation: 5\n"),
                     0);
    assert_int_equal(facts->os, ST_OS_FREEBSD);
    assert_int_equal(status_of("freebsd-alloweddeviation"), ST_STATUS_ADVICE);
    teardown(NULL);
    assert_int_equal(add("kern.osreldate=1302001\nkern.hz=1000\n"), 0);
    assert_int_equal(facts->os, ST_OS_FREEBSD);
}

static void what_sysctl_a_does_not_have_does_not_exist(void **state)
{
    (void)state;
    assert_int_equal(add("kern.osreldate: 1302001\nkern.hz: 1000\nsecurity.jail.jailed: 0\n"), 0);
    assert_int_equal(status_of("freebsd-nanosleep-precise"), ST_STATUS_NOT_APPLICABLE);
    assert_int_equal(status_of("freebsd-mac-priority"), ST_STATUS_ADVICE);
}

/* The end of a long text is easily lost on its way into a forum. */
static void what_a_cut_sysctl_a_does_not_have_is_not_known(void **state)
{
    (void)state;
    assert_int_equal(add("kern.osreldate: 1302001\nkern.hz: 1000\n"), 0);
    assert_int_equal(status_of("freebsd-nanosleep-precise"), ST_STATUS_UNKNOWN);
    assert_int_equal(status_of("freebsd-mac-priority"), ST_STATUS_UNKNOWN);
}

static void texts_of_one_machine_add_up(void **state)
{
    (void)state;
    assert_int_equal(add("kern.osreldate: 1302001\nkern.hz: 1000\nsecurity.jail.jailed: 0\n"), 0);
    assert_int_equal(add("FreeBSD Audio Driver\nInstalled devices:\n"
                         "pcm0: <Generic (Analog)> on hdaa0 (1p:1v/1r:0v) default\n"),
                     0);
    check_text("freebsd.file.sndstat", "read");
    check_text(ST_POSTED_KEY, ST_POSTED_ALL ", sndstat");
    const size_t n = facts->n;
    assert_int_equal(add(ALSA_INFO), -EXDEV);
    assert_int_equal(facts->n, n);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n\n\n",
        "hello, my sound crackles\nwhat can I do?\n",
        "{\"schema\": \"sleeptune-snapshot/1\"}",
        "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND\nroot 1 0 0 1 1 ? S 1 1 x\n",
        "!!ALSA Information Script v 0.5.3\nnothing else\n",
        "rtcqs - version 0.6.7\n[ OK ] Realtime priorities can be set.\n",
        "Id Refs Address                Size Name\n 1   13 0xffffffff80200000   d50308 kernel\n",
        "acpi.oem=\"BOCHS \"\nhint.pcm.0.eq=\"1\"\n",
        "one line\nanother\nI have kern.hz: 1000\nmore\nand more\n",
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(texts); i++) {
        if (add(texts[i]) != -EBADMSG || facts != NULL)
            fail_msg("taken: %s", texts[i]);
    }
}

/* --- texts as people post them: tests/fixtures/posted/README.md has the sources --- */

static int add_file(const char *name)
{
    static char text[65536];
    char path[4096];
    snprintf(path, sizeof(path), ST_POSTED_DIR "/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t bytes = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[bytes] = '\0';
    return add(text);
}

static void check_absent(const char *key)
{
    if (st_facts_find(facts, key) != NULL)
        fail_msg("%s is there", key);
}

static void posts_are_read_between_prose(void **state)
{
    (void)state;
    assert_int_equal(add_file("golang-go-50947.txt"), 0);
    check_text(ST_POSTED_KEY, "23 sysctls");
    check_text("freebsd.kern.timecounter.choice", "ACPI-fast(900) i8254(0) TSC-low(1000) dummy(-1000000)");
    check_text("freebsd.kern.timecounter.tc.TSC-low.mask", "4294967295"); /* and not the line below it */
    check_absent("freebsd.kern.osreldate");
    teardown(NULL);
    assert_int_equal(add_file("hellosystem-217.txt"),
                     0); /* lines of sysctl.conf, and again within a sentence */
    check_text(ST_POSTED_KEY, "3 sysctls");
    check_int("freebsd.kern.timecounter.alloweddeviation", 0);
}

static void posts_are_read_behind_quotes_and_prompts(void **state)
{
    (void)state;
    assert_int_equal(add_file("julia-38877.txt"), 0);
    check_text(ST_POSTED_KEY, "11 sysctls");
    check_text("freebsd.kern.timecounter.hardware", "ACPI-fast");
    check_text(ST_POSTED_OTHERS, "Hmm:");
    teardown(NULL);
    assert_int_equal(add("> > $ sysctl kern.hz\n> > kern.hz: 100\n> root@host:~ # sysctl kern.hz=1000\n"
                         "> kern.hz: 100 -> 1000\n# kern.eventtimer.periodic=1\n- `hw.snd.latency: 2`\n"),
                     0);
    check_int("freebsd.kern.hz", 1000);
    check_int("freebsd.hw.snd.latency", 2);
    check_absent("freebsd.kern.eventtimer.periodic"); /* a comment */
    check_absent(ST_POSTED_OTHERS);
}

static void several_commands_in_one_post(void **state)
{
    (void)state;
    assert_int_equal(add_file("hellosystem-324.txt"), 0);
    check_text(ST_POSTED_KEY, "1 sysctl, uname, sndstat");
    check_int("freebsd.kern.osreldate", 1300000);
    check_int("freebsd.hw.usb.uaudio.default_channels", 0);
    check_text("freebsd.file.sndstat", "read");
    teardown(NULL);
    assert_int_equal(add_file("raspberrypi-firmware-589.txt"), 0);
    check_text(ST_POSTED_KEY, "uname, /proc/cmdline");
    check_text("linux.kernel.release", "4.4.7-v7+");
    assert_int_equal(status_of("linux-threaded-irqs"), ST_STATUS_OK); /* at 128 frames */
    teardown(NULL);
    /* the first line of dmesg, as a report about IMA on linux-integrity has it */
    assert_int_equal(
        add("[    0.000000] Linux version 4.14.139-rt66 (builder@vipul) (gcc version 6.3.0 20170516 "
            "(Debian 6.3.0-18+deb9u1)) #1 SMP PREEMPT RT Thu Jan 23 11:04:55 UTC 2020\n"),
        0);
    check_text("linux.kernel.release", "4.14.139-rt66");
    check_text("linux.kernel.version", "#1 SMP PREEMPT RT Thu Jan 23 11:04:55 UTC 2020");
    assert_int_equal(status_of("linux-preemption"), ST_STATUS_OK);
    teardown(NULL);
    assert_int_equal(add_file("jack2-625.txt"), 0);
    check_text("linux.kernel.release", "4.15.0-112-generic");
    /* "SMP" without PREEMPT is enough to know it */
    assert_int_equal(status_of("linux-preemption"), ST_STATUS_ADVICE);
}

static void versions_that_differ_are_no_version(void **state)
{
    (void)state;
    assert_int_equal(add("It worked on 12.4-RELEASE, and with 13.2-RELEASE it crackles.\nnow:\n"
                         "13.2-RELEASE-p4\nkern.hz: 100\n"),
                     0);
    check_absent("freebsd.kern.osreldate");
    teardown(NULL);
    assert_int_equal(add("FreeBSD host 14.1-RELEASE FreeBSD 14.1-RELEASE GENERIC amd64\n"), 0);
    check_int("freebsd.kern.osreldate", 1401000);
}

/* --- one fact is missing --- */

static const struct st_finding *finding_of(const struct st_report *report, const char *id)
{
    const struct st_finding *finding = st_report_find(report, id);
    assert_non_null(finding);
    return finding;
}

static void without_a_version_both_answers(void **state)
{
    (void)state;
    struct st_report report;
    assert_int_equal(add("kern.timecounter.alloweddeviation: 5\nkern.sched.preemption: 1\n"
                         "kern.sched.preempt_thresh: 80\n"),
                     0);
    assert_int_equal(st_report_make(facts, 64, 48000, &report), 0);
    const struct st_finding *finding = finding_of(&report, "freebsd-alloweddeviation");
    assert_int_equal(finding->status, ST_STATUS_UNKNOWN);
    assert_int_equal(finding->branches_n, 2);
    assert_string_equal(finding->ask, "sysctl kern.osreldate");
    assert_string_equal(finding->branches[0].when, "on FreeBSD 14 and older");
    assert_int_equal(finding->branches[0].status, ST_STATUS_ADVICE);
    assert_true(finding->branches[0].effect_us > 83.33 && finding->branches[0].effect_us < 83.34);
    assert_string_equal(finding->branches[1].when, "on FreeBSD 15");
    assert_int_equal(finding->branches[1].status, ST_STATUS_OK);
    assert_false(st_rule_can_apply(finding));
    assert_true(st_finding_may_delay_perhaps(finding));
    assert_int_equal(st_report_exit_status(&report, ST_STATUS_PROBLEM), 2);
    /* behind what is certain, before what is only unknown */
    for (size_t i = 0; i < report.findings_n; i++) {
        const struct st_finding *other = &report.findings[i];
        assert_true(other->status != ST_STATUS_UNKNOWN || other->branches_n > 0 || other > finding);
        assert_true(other->status != ST_STATUS_ADVICE || other < finding);
    }
    /* ok on both: certain */
    assert_int_equal(finding_of(&report, "freebsd-preemption")->status, ST_STATUS_OK);
    st_report_finish(&report);
}

static void with_a_version_the_default_counts(void **state)
{
    (void)state;
    struct st_report report;
    assert_int_equal(add("FreeBSD host 13.2-RELEASE FreeBSD 13.2-RELEASE GENERIC amd64\n"), 0);
    assert_int_equal(st_report_make(facts, 64, 48000, &report), 0);
    const struct st_finding *finding = finding_of(&report, "freebsd-alloweddeviation");
    assert_int_equal(finding->branches_n, 2);
    assert_string_equal(finding->branches[0].when, "with alloweddeviation 5, the default");
    st_report_finish(&report);
}

static void two_missing_facts_are_unknown(void **state)
{
    (void)state;
    struct st_report report;
    assert_int_equal(add("kern.timecounter.alloweddeviation: 5\n"), 0);
    assert_int_equal(st_report_make(facts, 1024, 48000, &report), 0); /* kern.hz counts, too */
    assert_int_equal(finding_of(&report, "freebsd-alloweddeviation")->branches_n, 0);
    st_report_finish(&report);
}

static void of_linux_too(void **state)
{
    (void)state;
    static const struct {
        const char *id, *ask;
        enum st_status worst, other;
    } wanted[] = {
        {"linux-swap", "swapon --show", ST_STATUS_ADVICE, ST_STATUS_OK},
        {"linux-rt-throttling", "uname -a", ST_STATUS_ADVICE, ST_STATUS_OK},
    };
    struct st_report report;
    assert_int_equal(add("vm.swappiness=60\nkernel.sched_rt_runtime_us = -1\n"), 0);
    assert_int_equal(st_report_make(facts, 64, 48000, &report), 0);
    for (size_t i = 0; i < ST_ARRAY_LEN(wanted); i++) {
        const struct st_finding *finding = finding_of(&report, wanted[i].id);
        assert_int_equal(finding->branches_n, 2);
        assert_string_equal(finding->ask, wanted[i].ask);
        assert_int_equal(finding->branches[0].status, wanted[i].worst);
        assert_int_equal(finding->branches[1].status, wanted[i].other);
    }
    st_report_finish(&report);
}

/* What a report asks for is read when it is posted below the first text. */
static void the_answer_makes_it_certain(void **state)
{
    (void)state;
    assert_int_equal(
        add("Linux host 6.1.0-37-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.140-1 x86_64 GNU/Linux\n"
            "$ cat /proc/cmdline\nquiet threadirqs\n"
            "$ sudo cat /sys/kernel/debug/sched/preempt\nnone voluntary (full)\n"),
        0);
    check_text("linux.preempt.debugfs", "none voluntary (full)");
    assert_int_equal(status_of("linux-threaded-irqs"), ST_STATUS_OK);
    assert_int_equal(status_of("linux-preemption"), ST_STATUS_OK);
}

#define INPUT(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        INPUT(alsa_info_tells_kernel_modules_and_servers),
        INPUT(what_a_text_does_not_have_is_unknown),
        INPUT(sysctl_of_linux_is_told_from_freebsds),
        INPUT(what_sysctl_a_does_not_have_does_not_exist),
        INPUT(what_a_cut_sysctl_a_does_not_have_is_not_known),
        INPUT(texts_of_one_machine_add_up),
        INPUT(other_texts_are_refused),
        INPUT(posts_are_read_between_prose),
        INPUT(posts_are_read_behind_quotes_and_prompts),
        INPUT(several_commands_in_one_post),
        INPUT(versions_that_differ_are_no_version),
        INPUT(without_a_version_both_answers),
        INPUT(with_a_version_the_default_counts),
        INPUT(two_missing_facts_are_unknown),
        INPUT(of_linux_too),
        INPUT(the_answer_makes_it_certain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
