/* Posted texts: recognised, read, and not believed beyond what they tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/post/posted.h"
#include "advisor/report/report.h"
#include "advisor/rules/buffer.h"
#include "core/text/text.h"

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

/* One of the text's sentences has this in it. */
static void check_said(const char *part)
{
    ST_FACTS_EACH (said, facts, ST_KEYS_SYSTEM_SEEN, "") {
        if (strstr(said->text, part) != NULL)
            return;
    }
    fail_msg("not said: %s", part);
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
    check_int("linux.daemon.pipewire", 1);
    assert_null(st_facts_find(facts, "linux.daemon.jackd"));
    assert_null(st_facts_find(facts, "linux.module.i2c_core.power_save"));
    check_text(ST_KEY_SYSTEM_INPUT, "alsa-info");
    assert_string_equal(st_facts_find(facts, "linux.kernel.release")->source,
                        "/proc/sys/kernel/osrelease (posted.txt)");
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
    check_text(ST_KEY_SYSTEM_INPUT, ST_POSTED_ALL ", /dev/sndstat");
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
        "acpi.oem=\"BOCHS \"\nhint.pcm.0.eq=\"1\"\n",
        "one line\nanother\nI have kern.hz: 1000\nmore\nand more\n",
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(texts); i++) {
        if (add(texts[i]) == 0 || facts != NULL)
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
    check_text(ST_KEY_SYSTEM_INPUT, "23 sysctls");
    check_text("freebsd.kern.timecounter.choice", "ACPI-fast(900) i8254(0) TSC-low(1000) dummy(-1000000)");
    check_absent("freebsd.kern.osreldate");
    teardown(NULL);
    assert_int_equal(add_file("hellosystem-217.txt"),
                     0); /* lines of sysctl.conf, and again within a sentence */
    check_text(ST_KEY_SYSTEM_INPUT, "3 sysctls");
    check_int("freebsd.kern.timecounter.alloweddeviation", 0);
}

static void posts_are_read_behind_quotes_and_prompts(void **state)
{
    (void)state;
    assert_int_equal(add_file("julia-38877.txt"), 0);
    check_text(ST_KEY_SYSTEM_INPUT, "11 sysctls");
    check_text("freebsd.kern.timecounter.hardware", "ACPI-fast");
    check_text(ST_KEY_SYSTEM_INPUT_OTHERS, "1");
    teardown(NULL);
    assert_int_equal(add("> > $ sysctl kern.hz\n> > kern.hz: 100\n> root@host:~ # sysctl kern.hz=1000\n"
                         "> kern.hz: 100 -> 1000\n# kern.eventtimer.periodic=1\n- `hw.snd.latency: 2`\n"),
                     0);
    check_int("freebsd.kern.hz", 1000);
    check_int("freebsd.hw.snd.latency", 2);
    check_absent("freebsd.kern.eventtimer.periodic"); /* a comment */
    check_absent(ST_KEY_SYSTEM_INPUT_OTHERS);
}

static void several_commands_in_one_post(void **state)
{
    (void)state;
    assert_int_equal(add_file("hellosystem-324.txt"), 0);
    check_text(ST_KEY_SYSTEM_INPUT, "1 sysctl, /dev/sndstat, uname");
    check_int("freebsd.kern.osreldate", 1300000);
    check_text("freebsd.file.sndstat", "read");
    teardown(NULL);
    assert_int_equal(add_file("raspberrypi-firmware-589.txt"), 0);
    check_text(ST_KEY_SYSTEM_INPUT, "uname, /proc/cmdline");
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

/* --- what helpers get: the same README.md --- */

static void check_source(const char *key, const char *wanted)
{
    const struct st_fact *fact = st_facts_find(facts, key);
    if (fact == NULL)
        fail_msg("no %s", key);
    assert_string_equal(fact->source, wanted);
}

static void pw_top_shows_the_cycle_and_who_asks(void **state)
{
    (void)state;
    struct st_buffer_asked asked;
    assert_int_equal(add_file("mpv-9992.txt"), 0); /* no heading, with a format */
    check_text(ST_KEY_SYSTEM_INPUT, "pw-top");
    check_int("linux.pipewire.running_frames", 256);
    check_int("linux.pipewire.running_rate_hz", 48000);
    check_source("linux.pipewire.running_frames", "posted.txt:5");
    check_text("linux.pipewire.node.205.latency", "960/48000");
    check_said("ERR 5 ");
    st_buffer_asked(facts, &asked);
    assert_string_equal(asked.program, "wenger");
    assert_int_equal(asked.cycle_frames, 256);
    teardown(NULL);
    assert_int_equal(add_file("easyeffects-900.txt"), 0); /* without a state */
    check_int("linux.pipewire.running_frames", 8192);
    check_text("linux.pipewire.node.103.latency", "8192/44100");
    check_said("ERR 10");
    check_absent("linux.pipewire.node.85.latency"); /* 0: it asks for none */
    st_buffer_asked(facts, &asked);
    assert_int_equal(asked.cycle_frames, 8192);
    assert_int_equal(status_of("linux-pipewire-rates"), ST_STATUS_UNKNOWN); /* what is the default? */
    teardown(NULL);
    static const char *const idle[] = {"pop-pipewire-23.txt", "easyeffects-4087.txt"};
    for (size_t i = 0; i < ST_ARRAY_LEN(idle); i++) {
        assert_int_equal(add_file(idle[i]), -ENODATA);
    }
}

static void pw_metadata_shows_settings(void **state)
{
    (void)state;
    assert_int_equal(add_file("pw-metadata.txt"), 0);
    check_int("linux.pipewire.force_quantum", 128);
    check_int("linux.pipewire.min_quantum", 16);
    check_text("linux.pipewire.allowed_rates", "[ 48000 ]");
    check_source("linux.pipewire.force_quantum", "posted.txt:8");
}

static void a_server_without_settings_has_no_cycle(void **state)
{
    (void)state;
    struct st_wish wish;
    assert_int_equal(add_file("inxi.txt"), 0);
    check_text("linux.kernel.release", "6.18.44-fc-v669");
    check_int("linux.daemon.pipewire", 1);
    check_absent("linux.daemon.jackd"); /* off */
    assert_int_equal(st_buffer_choose(facts, 0, 0, &wish), 0);
    assert_false(wish.in_use);
    teardown(NULL);
    assert_int_equal(add_file("packages-7588.txt"), 0);
    check_text("linux.kernel.release", "6.17.8-324.current");
}

#define LISTENED(back, kernel, valid, drift)                                                                 \
    "{\n  \"schema\": \"sleeptune-listen/1\",\n  \"back\": " back ",\n  \"kernel\": \"" kernel               \
    "\",\n  \"valid\": " valid ",\n  \"losses\": [],\n  \"drift_ppm\": " drift                               \
    ",\n  \"rate_ppm\": 12.7,\n}\n"

static void a_run_of_listen_has_the_clocks_of_cards(void **state)
{
    (void)state;
    assert_int_equal(add(LISTENED("\"device\"", "Linux 6.1.0", "true", "-160.4")), 0);
    check_int(ST_KEY_LISTEN_DRIFT_PPM, -160);
    check_int(ST_KEY_LISTEN_RATE_PPM, 13);
    check_text(ST_KEY_SYSTEM_INPUT, "sleeptune listen");
    assert_int_equal(status_of("linux-card-clocks"), ST_STATUS_ADVICE);
    check_absent(ST_KEY_SYSTEM_INPUT_OTHERS);
    teardown(NULL);
    assert_int_equal(add(LISTENED("\"monitor\"", "Linux 6.1.0", "true", "null")), 0);
    check_absent(ST_KEY_LISTEN_DRIFT_PPM);
    assert_int_equal(status_of("linux-card-clocks"), ST_STATUS_OK);
    teardown(NULL);
    assert_int_equal(add(LISTENED("\"device\"", "Linux 6.1.0", "true", "1e300")), 0);
    assert_int_equal(status_of("linux-card-clocks"), ST_STATUS_UNKNOWN);
    teardown(NULL);
    assert_int_equal(add(LISTENED("\"device\"", "Linux 6.1.0", "false", "300")), 0);
    assert_int_equal(status_of("linux-card-clocks"), ST_STATUS_UNKNOWN); /* the signal was not heard */
    check_absent(ST_KEY_LISTEN_DRIFT_PPM);
    assert_int_equal(st_facts_unreadable(facts), 0); /* the text was read */
    teardown(NULL);
    assert_int_equal(add(LISTENED("\"device\"", "Linux 6.1.0", "false", "null")), 0);
    assert_int_equal(status_of("linux-card-clocks"), ST_STATUS_UNKNOWN); /* clocks 0.5 % apart, say */
    teardown(NULL);
    static const char *const apart[] = {LISTENED("\"device\"", "Linux 6.1.0", "false", "-6000.4"),
                                        LISTENED("\"device\"", "Linux 6.1.0", "false", "6000.4")};
    ST_EACH (text, apart) { /* of clocks too far apart: the card that plays is the wrong one */
        assert_int_equal(add(*text), 0);
        check_int(ST_KEY_LISTEN_DRIFT_PPM, text == apart ? -6000 : 6000);
        check_int(ST_KEY_LISTEN_RATE_PPM, 13);
        assert_int_equal(status_of("linux-card-clocks"), ST_STATUS_ADVICE);
        teardown(NULL);
    }
    assert_int_equal(add(LISTENED("\"device\"", "Linux 6.1.0", "true", "30") "\"Hmm\", they said\n"), 0);
    check_text(ST_KEY_SYSTEM_INPUT_OTHERS, "10");
    teardown(NULL);
    assert_int_equal(add(LISTENED("null", "", "true", "300")), -ENODATA); /* of a recorder made elsewhere */
    assert_int_equal(add(LISTENED("\"device\"", "FreeBSD 14.3", "true", "300")), -ENODATA);
}

static void ulimit_shows_the_limits_of_a_shell(void **state)
{
    (void)state;
    assert_int_equal(add_file("ulimit-a.txt"), 0);
    check_int("linux.rt.rtprio_limit", 0);
    check_int("linux.rt.memlock_limit_bytes", 8192 * 1024);
    assert_int_equal(status_of("linux-rt-permission"),
                     ST_STATUS_ADVICE); /* rtkit may be there, or it was root */
    assert_int_equal(status_of("linux-memlock"), ST_STATUS_ADVICE);
    check_absent(ST_KEY_SYSTEM_INPUT_OTHERS);
    teardown(NULL);
    assert_int_equal(add_file("jack2-625.txt"), 0);
    check_int("linux.rt.rtprio_limit", 95);
    check_int("linux.rt.memlock_limit_bytes", -1);
    assert_int_equal(status_of("linux-rt-permission"), ST_STATUS_OK);
}

static void ps_is_believed_as_far_as_it_goes(void **state)
{
    (void)state;
    assert_int_equal(add_file("ps-eLo.txt"), 0);
    check_text("linux.irq_thread.50.name", "irq/24-ACPI:Ged");
    check_int("linux.daemon.pipewire", 25239);
    check_int("linux.threads.complete", 1);
    assert_int_equal(status_of("linux-server-priority"), ST_STATUS_PROBLEM);
    teardown(NULL);
    /* grep may have cut off the thread that counts, which has another name from PipeWire 1.0.1 on */
    assert_int_equal(add_file("ps-grep.txt"), 0);
    check_absent("linux.threads.complete");
    assert_int_equal(status_of("linux-server-priority"), ST_STATUS_UNKNOWN);
    teardown(NULL);
    /* a heading without the class is none */
    assert_int_equal(add("CLS RTPRIO COMMAND\nPID TTY CMD\nFF 88 pipewire\n"), 0);
    check_int("linux.rt_thread.1.priority", 88);
    teardown(NULL);
    /* the columns of `ps -eLo class,rtprio,comm`, its ps(1); 88 is rt.prio of pipewire.conf */
    assert_int_equal(add("FF     88 pipewire\nTS      - firefox\n"), 0);
    assert_int_equal(status_of("linux-server-priority"), ST_STATUS_OK);
    assert_int_equal(status_of("linux-client-priority"), ST_STATUS_UNKNOWN);
    assert_int_equal(status_of("linux-priority-order"), ST_STATUS_UNKNOWN);
    assert_int_equal(status_of("linux-power-daemons"), ST_STATUS_UNKNOWN);
    assert_int_equal(status_of("linux-rt-lost"), ST_STATUS_UNKNOWN);
}

static void journals_say_what_rtkit_did(void **state)
{
    (void)state;
    assert_int_equal(add_file("pop-2436.txt"), 0);
    check_int("linux.rtkit.demoted_n", 1);
    check_said("rtkit took real-time priority away from programs");
    check_absent("linux.daemon.pipewire"); /* which processes those were is not in it */
    assert_int_equal(status_of("linux-rt-lost"), ST_STATUS_PROBLEM);
    assert_int_equal(status_of("linux-server-priority"), ST_STATUS_UNKNOWN);
    teardown(NULL);
    assert_int_equal(add_file("snowdesktop-63.txt"), 0);
    check_said("A server asked for rtkit, which is not installed");
    assert_int_equal(status_of("linux-server-priority"), ST_STATUS_PROBLEM);
    teardown(NULL);
    assert_int_equal(add_file("mythtv-741.txt"), 0); /* nothing happened; the kernel's line is in it */
    check_text(ST_KEY_SYSTEM_INPUT, "uname");
    check_text("linux.kernel.release", "6.2.8-100.fc36.x86_64");
    teardown(NULL);
    /* heftig/rtkit issue 22 */
    assert_int_equal(
        add("Sep 30 08:29:16 myhost rtkit-daemon[2200]: Supervising 4 threads of 4 processes of 2 users.\n"),
        -ENODATA);
}

static void streams_of_alsa_are_read(void **state)
{
    (void)state;
    assert_int_equal(add_file("librespot-528.txt"), 0);
    check_int("linux.alsa.card0.pcm0p.sub0.period_frames", 225);
    check_int("linux.alsa.card0.pcm0p.sub0.rate_hz", 44100);
    teardown(NULL);
    assert_int_equal(add_file("alsa-ucm-conf-313.txt"), 0); /* which card it is is not in it */
    check_int("linux.alsa.card.pcm.sub.buffer_frames", 32000);
    check_int("linux.alsa.card.pcm.sub.moved_hz", 15996);
    teardown(NULL);
    assert_int_equal(add("/proc/asound/card1/pcm0c/sub0/hw_params:rate: 48000 (48000/1)\n"), 0);
    check_int("linux.alsa.card1.pcm0c.sub0.rate_hz", 48000);
}

static void lines_of_interrupts_are_read(void **state)
{
    (void)state;
    assert_int_equal(add_file("madifx-5.txt"), 0);
    check_text("linux.irq.5.actions", "i801_smbus, snd_hdspm");
    assert_int_equal(status_of("linux-irq-sharing"), ST_STATUS_ADVICE);
    teardown(NULL);
    assert_int_equal(add("  5:   0   0    XT-PIC      i801_smbus, snd_hdspm\n"), 0); /* grep snd */
    check_text("linux.irq.5.actions", "i801_smbus, snd_hdspm");
}

static void usb_trees_are_read(void **state)
{
    (void)state;
    assert_int_equal(add_file("linux-fcp-45.txt"), 0);
    check_int("linux.usb_audio.3-3.speed_mbit", 480);
    check_int("linux.usb_audio.3-3.hubs_n", 0);
    teardown(NULL);
    /* at 12 Mbit/s the hub's translators count, which are not in it */
    assert_int_equal(add_file("raspberrypi-linux-5188.txt"), -ENODATA);
}

static void rtcqs_and_dmesg_show_some_settings(void **state)
{
    (void)state;
    assert_int_equal(add_file("rtcqs.txt"), 0);
    check_text("linux.kernel.release", "6.18.44-fc-v669");
    check_text(ST_KEY_USER_NAME, "musician"); /* not root */
    assert_int_equal(status_of("linux-swap"), ST_STATUS_UNKNOWN);
    assert_int_equal(status_of("linux-rt-permission"), ST_STATUS_ADVICE);
    assert_int_equal(status_of("linux-memlock"), ST_STATUS_ADVICE);
    check_absent("linux.cmdline");
    check_absent(
        "linux.cpufreq.policy0.governor"); /* it says "performance" where there is no clock to set, too */
    check_absent(ST_KEY_SYSTEM_INPUT_OTHERS);
    teardown(NULL);
    /* a post, and the forms of rtcqs 0.6.7; the kernel writes "a,b" (kernel/irq/irqdesc.c, actions_show) */
    assert_int_equal(add("rtcqs - version 0.6.7\nIRQs\n====\n"
                         "[ OK ] USB port xhci_hcd with IRQ 125 does not share its IRQ.\n"),
                     -ENODATA); /* not what plays */
    teardown(NULL);
    assert_int_equal(add("rtcqs - version 0.6.7\n"
                         "[ OK ] Soundcard snd_hda_intel:card0 with IRQ 27 does not share its IRQ.\n"),
                     0);
    check_text("linux.irq.27.actions", "snd_hda_intel:card0");
    assert_int_equal(status_of("linux-irq-sharing"), ST_STATUS_OK);
    teardown(NULL);
    assert_int_equal(
        add("rtcqs - version 0.6.7\n"
            "[ OK ] Soundcard i801_smbus,snd_hda_intel:card0 with IRQ 16 does not share its IRQ.\n"),
        0);
    assert_int_equal(status_of("linux-irq-sharing"), ST_STATUS_ADVICE);
    teardown(NULL);
    assert_int_equal(
        add("rtcqs - version 0.6.7\n[ WARNING ] Soundcard snd_hda_intel:card0 with IRQ 16 shares its "
            "IRQ with the following other devices snd_hda_intel:card0, ata_piix\n"),
        0);
    assert_int_equal(status_of("linux-irq-sharing"), ST_STATUS_ADVICE);
    teardown(NULL);
    assert_int_equal(add_file("linuxkit-2459.txt"), 0);
    check_text("linux.cmdline", "earlyprintk=serial console=ttyS0 console=tty0 page_poison=1");
    assert_int_equal(status_of("linux-threaded-irqs"), ST_STATUS_UNKNOWN);
    teardown(NULL);
    /* madgraph5/madgraph4gpu issue 116, its options are shortened; kernel/time/clocksource.c */
    assert_int_equal(add("[    0.000000] Kernel command line: BOOT_IMAGE= ... clocksource=tsc tsc=reliable\n"
                         "[    1.118272] clocksource: Switched to clocksource hpet\n"),
                     0);
    check_absent("linux.cmdline");
    check_text("linux.clocksource.current", "hpet");
}

static void several_formats_in_one_post(void **state)
{
    (void)state;
    assert_int_equal(add_file("mpv-9992.txt"), 0);
    assert_int_equal(add_file("ulimit-a.txt"), 0);
    assert_int_equal(add("\033[31mkernel.sched_rt_runtime_us = -1\033[0m\n"
                         "> update: id:0 key:'clock.rate' value:'44100' type:''\n"),
                     0);
    check_text(ST_KEY_SYSTEM_INPUT, "pw-top, ulimit, 1 sysctl, pw-metadata");
    check_int("linux.pipewire.rate_hz", 44100);
    assert_int_equal(add("kern.hz: 100\n"), -EXDEV);
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

/* --- a text is a machine that shows parts of itself --- */

static void files_are_read_as_on_a_machine(void **state)
{
    (void)state;
    assert_int_equal(add("$ sudo cat /sys/kernel/debug/sched/preempt\nnone (voluntary) full\n"), 0);
    check_text("linux.preempt.debugfs", "none (voluntary) full");
    assert_int_equal(status_of("linux-preemption"), ST_STATUS_ADVICE);
    teardown(NULL);
    assert_int_equal(
        add("me@host:~$ cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor | sort | uniq -c\n"
            "     16 powersave\n"
            "/sys/module/snd_hda_intel/parameters/power_save:1\n"
            "$ cat /etc/security/limits.d/audio.conf\n# @audio - rtprio 95\n@audio - memlock unlimited\n"),
        0);
    check_text("linux.cpufreq.policy0.governor", "powersave");
    check_int("linux.module.snd_hda_intel.power_save", 1);
    check_text("linux.limits.@audio.memlock", "unlimited");
    check_absent("linux.limits.@audio.rtprio"); /* a comment */
}

static void what_is_not_shown_is_not_absent(void **state)
{
    (void)state;
    int64_t number;
    assert_int_equal(add("$ cat /proc/swaps\ncat: /proc/swaps: No such file or directory\n"
                         "$ cat /sys/kernel/realtime\ncat: /sys/kernel/realtime: Permission denied\n"),
                     0);
    assert_int_equal(st_facts_int(facts, "linux.swap.other_n", &number), -ENOENT);
    assert_int_equal(st_facts_int(facts, "linux.realtime", &number), -EACCES);
    assert_int_equal(st_facts_int(facts, "linux.sysctl.vm.swappiness", &number), -ENOMSG);
    assert_int_equal(status_of("linux-huge-pages"), ST_STATUS_UNKNOWN);
}

static void two_kernels_are_not_joined(void **state)
{
    (void)state;
    assert_int_equal(add("My laptop crackles:\n$ uname -r\n6.16.5\n$ cat "
                         "/sys/devices/system/clocksource/clocksource0/current_clocksource\nhpet\n"
                         "The desktop is fine:\n$ uname -r\n6.12.48\n$ cat "
                         "/sys/devices/system/clocksource/clocksource0/current_clocksource\ntsc\n"),
                     0);
    check_said("more than one kernel");
    check_text("linux.kernel.release", "6.16.5");
    check_text("linux.clocksource.current", "hpet");
}

static void the_cards_row_is_the_cycle(void **state)
{
    (void)state;
    struct st_wish wish;
    assert_int_equal(
        add("T   57   1024  48000  75.6us   9.8us  0.01  0.00    0    S32LE 2 48000 alsa_output.usb\n"
            "T  149    441  44100  17.8us   0,6ms  0.00  0,26  113    F32LE 2 44100  = Music Player Daemon\n"
            "t  150      0      0  17.8us   0.6ms  0.00  0.26    0    F32LE 2 48000  + scope\n"),
        0);
    check_int("linux.pipewire.running_frames", 1024);
    check_said("Music Player Daemon was not in time: ERR 113, B/Q 0.26");
    check_said("the device was in time");
    check_absent("linux.pipewire.node.150.latency");
    assert_int_equal(st_buffer_choose(facts, 0, 0, &wish), 0);
    assert_int_equal(wish.frames, 1024);
    assert_int_equal(status_of("linux-pipewire-clients"), ST_STATUS_OK);
}

static void pasting_changes_nothing(void **state)
{
    (void)state;
    static const char wide[] = "\xff\xfe$\0 \0u\0n\0a\0m\0e\0 \0-\0r\0\n\0006\0.\0001\0.\0000\0\n\0";
    assert_int_equal(st_posted_add(wide, sizeof(wide) - 1, "posted.txt", &facts), 0);
    check_text("linux.kernel.release", "6.1.0");
    teardown(NULL);
    assert_int_equal(
        add("&gt; &gt; \033[1m$ cat /proc/cmdline\033[0m\r\n&gt; &gt; quiet&nbsp;threadirqs\r\n"), 0);
    check_text("linux.cmdline", "quiet threadirqs");
}

/* A forum, or who copies, may cut a text anywhere. */
static void a_cut_text_raises_no_new_problem(void **state)
{
    (void)state;
    static const char *const names[] = {"pop-2436.txt",  "rtcqs.txt",   "ulimit-a.txt",
                                        "jack2-625.txt", "ps-grep.txt", "mpv-9992.txt"};
    static char text[65536];
    for (size_t i = 0; i < ST_ARRAY_LEN(names); i++) {
        struct st_report whole, cut;
        struct st_facts *all;
        assert_int_equal(add_file(names[i]), 0);
        assert_int_equal(st_report_make(facts, 128, 48000, &whole), 0);
        all = facts;
        facts = NULL;
        FILE *file = fopen(ST_TEXT(4096, ST_POSTED_DIR "/%s", names[i]), "r");
        assert_non_null(file);
        const size_t bytes = fread(text, 1, sizeof(text) - 1, file);
        fclose(file);
        for (size_t n = 1; n < bytes; n++) {
            if (text[n - 1] != '\n' || st_posted_add(text, n, "posted.txt", &facts) != 0)
                continue;
            assert_int_equal(st_report_make(facts, 128, 48000, &cut), 0);
            for (size_t k = 0; k < cut.findings_n; k++) {
                const char *id = cut.findings[k].rule->id;
                if (cut.findings[k].status == ST_STATUS_PROBLEM &&
                    st_report_find(&whole, id)->status != ST_STATUS_PROBLEM)
                    fail_msg("%s: %s is a problem after %zu bytes alone", names[i], id, n);
            }
            st_report_finish(&cut);
            teardown(NULL);
        }
        st_report_finish(&whole);
        st_facts_free(all);
    }
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
        INPUT(pw_top_shows_the_cycle_and_who_asks),
        INPUT(pw_metadata_shows_settings),
        INPUT(a_server_without_settings_has_no_cycle),
        INPUT(a_run_of_listen_has_the_clocks_of_cards),
        INPUT(ulimit_shows_the_limits_of_a_shell),
        INPUT(ps_is_believed_as_far_as_it_goes),
        INPUT(journals_say_what_rtkit_did),
        INPUT(streams_of_alsa_are_read),
        INPUT(lines_of_interrupts_are_read),
        INPUT(usb_trees_are_read),
        INPUT(rtcqs_and_dmesg_show_some_settings),
        INPUT(several_formats_in_one_post),
        INPUT(versions_that_differ_are_no_version),
        INPUT(files_are_read_as_on_a_machine),
        INPUT(what_is_not_shown_is_not_absent),
        INPUT(two_kernels_are_not_joined),
        INPUT(the_cards_row_is_the_cycle),
        INPUT(pasting_changes_nothing),
        INPUT(a_cut_text_raises_no_new_problem),
        INPUT(the_answer_makes_it_certain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
