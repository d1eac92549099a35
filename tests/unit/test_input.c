/* Posted texts: recognised, read, and not believed beyond what they tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
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
        "one line\nanother\nkern.hz: 1000\nmore\nand more\n",
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(texts); i++) {
        if (add(texts[i]) != -EBADMSG || facts != NULL)
            fail_msg("taken: %s", texts[i]);
    }
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
