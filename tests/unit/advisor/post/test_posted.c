/* Posted texts: recognised, read, and not believed beyond what they tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <dirent.h>

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
    check_int("linux.rtkit.demoted_n", 3); /* lines */
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
    assert_int_equal(add_file("raspberrypi-linux-611.txt"), 0); /* "Class=audio" */
    check_int("linux.usb_audio.1-1.3.speed_mbit", 12);
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
    /* a card that follows another one's clock is no program */
    assert_int_equal(add("R 64 1024 48000 62.3us 44.2us 0.00 0.00 0 S24LE 2 48000 alsa_output.usb-Arctis-00\n"
                         "R 73 0 0 12.3us 4.2us 0.00 0.00 30367 S24LE 1 48000  + alsa_input.usb-Dock-00\n"),
                     0);
    check_said("alsa_input.usb-Dock-00 follows the cycle of another device and lost sound: ERR 30367");
    teardown(NULL);
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
    static char text[65536];
    DIR *folder = opendir(ST_POSTED_DIR);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *name = entry->d_name;
        if (!st_text_ends(name, ".txt") || add_file(name) == -ENODATA)
            continue;
        struct st_report whole, cut;
        struct st_facts *all;
        assert_non_null(facts);
        assert_int_equal(st_report_make(facts, 128, 48000, &whole), 0);
        all = facts;
        facts = NULL;
        FILE *file = fopen(ST_TEXT(4096, ST_POSTED_DIR "/%s", name), "r");
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
                    fail_msg("%s: %s is a problem after %zu bytes alone", name, id, n);
            }
            st_report_finish(&cut);
            teardown(NULL);
        }
        st_report_finish(&whole);
        st_facts_free(all);
    }
    closedir(folder);
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

static void what_failed_is_not_what_ran_dry(void **state)
{
    (void)state;
    assert_int_equal(add_file("arctis-sound-manager-100.txt"), 0);
    check_said("front:5p went away 4 times");
    check_said("hw:0c ran dry");
    check_said("hw:0c could not be started");
    teardown(NULL);
    assert_int_equal(add_file("haven-5346.txt"), 0);
    check_said("a52:3p could not be started 5 times");
    teardown(NULL);
    assert_int_equal(add_file("home-assistant-177174.txt"), 0);
    check_said("The USB device at 3-2 did not answer 4 times");
    teardown(NULL);
    assert_int_equal(add_file("jack2-734.txt"), 0);
    check_said("The card does not take periods of 1024 frames for capture, so JACK did not start");
}

static void lines_of_logs_are_understood(void **state)
{
    (void)state;
    static const struct {
        const char *file, *said;
    } rows[] = {
        {"qubes-issues-10616.txt", "VLC media player (LibVLC 3.0.23) was not in time: ERR 16"},
        {"qubes-issues-10616-log.txt", "VLC media player (LibVLC 3.0.23)-60 lost sound"},
        {"void-packages-28728.txt",
         "rtkit itself could not take real-time priority (Function not implemented)"},
        {"vcvrack-114.txt", "A program filled its sound device too late 2 times"},
        {"sdrplusplus-1790.txt", "A program filled its sound device too late"},
        {"audio-async-loopback-2.txt", "Audio Async Loopback gave PulseAudio its sound too late"},
        {"sof-3492.txt", "card0.pcm0p.sub0 runs with periods of 1200 frames (25.00 ms) and a buffer of 4800"},
        {"calf-134.txt", "JACK runs without real-time priority"},
        {"arctis-sound-manager-238.txt", "had no free buffer"},
        {"lmms-5065.txt", "lmms has real-time priority 50"},
        {"raspberrypi-linux-6376.txt", "The USB device at 1-1.4.4 answered with error -110 2 times in 5 s"},
        {"easyeffects-1631.txt", "allows PipeWire cycles from 16 frames on"}, /* elsewhere, not in a guest */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(add_file(rows[i].file), 0);
        check_said(rows[i].said);
        teardown(NULL);
    }
    assert_int_equal(add("alsa-pcm 0x9a1988: snd_pcm_avail after recover: Broken pipe\n"), 0);
    check_said("A card ran dry");
}

static void what_stands_beside_an_answer_is_none(void **state)
{
    (void)state;
    assert_int_equal(add_file("jovian-nixos-15.txt"), 0);
    check_text("linux.cpufreq.policy0.governor", "powersave");
    teardown(NULL);
    assert_int_equal(
        add("$ cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor\npowersave\n\nThanks!\n"), 0);
    check_absent("linux.cpufreq.policy1.governor");
    teardown(NULL);
    assert_int_equal(add_file("raspberrypi-linux-6376.txt"), 0); /* cat FILE && uname -a */
    check_text("linux.kernel.release", "6.6.47+rpt-rpi-v8");
    teardown(NULL);
    assert_int_equal(add_file("cliamp-221.txt"), 0); /* the command's name before its line */
    check_text("linux.kernel.release", "7.0.3-arch1-2");
    check_text(ST_KEY_PIPEWIRE_VERSION, "1.6.4");
    teardown(NULL);
    assert_int_equal(add_file("aes67-linux-daemon-53.txt"), 0);
    assert_int_equal(status_of("linux-rt-permission"), ST_STATUS_PROBLEM);
}

static void the_journal_of_a_second_computer_is_not_read(void **state)
{
    (void)state;
    assert_int_equal(
        add("Nov 28 10:00:00 alpha pipewire[1]: spa.alsa: hw:0: snd_pcm_avail after recover: Broken pipe\n"
            "Nov 28 10:00:01 alpha wireplumber[7]: spa.alsa: hw:0: XRun! rate:48000\n"
            "2026-11-28T10:00:02+0100 beta pipewire[2]: spa.alsa: hw:9: XRun! rate:48000\n"),
        0);
    check_said("a second one from line 3 on");
    check_said("hw:0 ran dry 2 times");
    ST_FACTS_EACH (said, facts, ST_KEYS_SYSTEM_SEEN, "")
        assert_null(strstr(said->text, "hw:9"));
}

#define DUMP                                                                                                 \
    "[\n  {\n    \"id\": 0,\n    \"type\": \"PipeWire:Interface:Core\",\n    \"info\": {\n"                  \
    "      \"version\": \"1.0.5\"\n    }\n  },\n  {\n    \"id\": 44,\n"                                      \
    "    \"type\": \"PipeWire:Interface:Node\",\n    \"info\": {\n      \"state\": \"running\",\n"           \
    "      \"props\": {\n        \"node.name\": \"REAPER\",\n        \"node.latency\": \"64/48000\"\n      " \
    "}\n"                                                                                                    \
    "    }\n  }\n]\n"

static void a_whole_dump_is_what_a_running_server_answers(void **state)
{
    (void)state;
    assert_int_equal(add("$ pw-dump\n" DUMP "$ uname -r\n6.1.0-37-amd64\n"), 0);
    check_text(ST_KEY_PIPEWIRE_VERSION, "1.0.5");
    check_text(ST_KEYS_PIPEWIRE_NODE "44.latency", "64/48000");
    check_int(ST_KEY_DAEMON_PIPEWIRE, 1);
    check_text(ST_KEY_KERNEL_RELEASE, "6.1.0-37-amd64");
    teardown(NULL);
    assert_int_equal(add(DUMP), 0);
    check_text(ST_KEYS_PIPEWIRE_NODE "44.name", "REAPER");
    teardown(NULL);
    assert_int_equal(st_posted_add(DUMP "$ uname -r\n6.1.0-37-amd64\n", 150, "posted.txt", &facts), -ENODATA);
}

static void services_that_run_are_servers(void **state)
{
    (void)state;
    assert_int_equal(
        add("$ systemctl --user status pipewire\n\xe2\x97\x8f pipewire.service - PipeWire Multimedia "
            "Service\n"
            "     Loaded: loaded (/usr/lib/systemd/user/pipewire.service; enabled; preset: enabled)\n"
            "     Active: active (running) since Mon 2025-06-10 10:00:38 CEST; 2h ago\n"),
        0);
    check_int(ST_KEY_DAEMON_PIPEWIRE, 1);
}

/* Of the text without the indentation of its table. */
static void sndstat_of_a_post_has_its_block(void **state)
{
    (void)state;
    struct st_wish wish;
    assert_int_equal(add_file("freebsd-focusrite.txt"), 0);
    assert_int_equal(st_buffer_choose(facts, 0, 0, &wish), 0);
    assert_int_equal(wish.frames, 192);
}

static void lines_that_grep_left_speak_for_themselves(void **state)
{
    (void)state;
    assert_int_equal(add("$ grep HZ /boot/config-6.8.0-45-generic\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n"
                         "# CONFIG_HIGH_RES_TIMERS is not set\n"
                         "$ cat /proc/interrupts | grep snd\n"
                         " 145:   0   0   0   8812  IR-PCI-MSI 514048-edge      snd_hda_intel:card1\n"),
                     0);
    check_text("linux.config.HZ", "250");
    check_text("linux.config.HIGH_RES_TIMERS", "n");
    check_absent("linux.config.PREEMPT"); /* it is not shown */
    assert_int_equal(status_of("linux-irq-sharing"), ST_STATUS_OK);
}

/* Of Universal_Robots_ROS_Driver's pull request 615, jack2's 499, drm-kmod's 296, raspberrypi/linux' 4314. */
static void rights_and_warnings_are_said(void **state)
{
    (void)state;
    assert_int_equal(add("$ id -Gn\nann adm audio realtime\n"
                         "$ cat /etc/security/limits.d/99-realtime-privileges.conf\n"
                         "@realtime - rtprio 98\n@realtime - memlock unlimited\n\n"
                         "cat /etc/security/limits.conf | tail -n 2\n@audio\t\t -\t rtpio\t\t 95\n"),
                     0);
    check_text(ST_KEY_USER_GROUPS, "ann adm audio realtime");
    check_said("The group realtime has the right to real-time priority (rtprio 98)");
    teardown(NULL);
    assert_int_equal(add("hdac0: Command 0x20220011 timeout on address 2\n"), 0);
    check_said("hdac0 did not answer");
    teardown(NULL);
    assert_int_equal(add("[  266.174889] WARNING: CPU: 0 PID: 561 at drivers/usb/dwc2/hcd.c:2683 "
                         "dwc2_assign_and_init_hc+0x8a8/0x954 [dwc2]\n"),
                     0);
    check_said("(drivers/usb/dwc2/hcd.c:2683)");
    teardown(NULL);
    assert_int_equal(add("% vmstat -i\ninterrupt                          total       rate\n"
                         "irq16: hdac0 ehci0               1290332      10321\n"),
                     0);
    check_said("hdac0 shares interrupt 16 with ehci0");
    teardown(NULL);
    /* yabridge, src/plugin/bridges/common.h */
    assert_int_equal(
        add("realtime:      'yes-ish, see below'\n\n   RLIMIT_RTTIME is set to 200000 us. This can "
            "happen when\n"),
        0);
    check_said("RLIMIT_RTTIME is 200000 us: the kernel kills the program when");
}

/* What each text shows; "!": no sentence has it. */
static void posts_say_what_they_show(void **state)
{
    (void)state;
    static const struct {
        const char *name, *said;
    } rows[] = {
        {"cardinal-375.txt", "JACK did not wait for Cardinal, which was not finished in time 2 times"},
        {"t2linux-kernel-28.txt", "No row of this text has errors (ERR 0)"},
        {"jack2-307.txt", "JACK's card ran dry 3 times"},
        {"jack2-307.txt", "!ms"}, /* the log has less than 0 ms */
        {"jack2-297.txt", "JACK did not wait for mod-host"},
        {"jack2-297.txt", "ran dry, for up to 0.194 ms"},
        {"liketohear-6.txt", "JACK did not wait for MHA"},
        {"sof-test-582.txt", "The USB interface at 1-2.4 did not take its rate 2 times"},
        {"sof-test-582.txt", "The USB controller complained 2 times"},
        {"alsa-lib-201.txt", "The USB device at 1-1.2 answered with error -32 4 times"},
        {"alsa-lib-201.txt", "which is no dropout"},
        {"shairport-sync-167.txt", "card1.pcm0p.sub0 runs with periods of 6000 frames"},
        {"xdg-desktop-portal-2110.txt", "rtkit is not installed"},
        {"omarchy-speaker-calibrator-25.txt", "omarchy-speaker-tuning.service was ended by a signal"},
        {"jack2-129.txt", "JACK asked for real-time priority (FIFO at priority 10) and has no right to it"},
        {"sonic-pi-2024.txt", "A program asked for real-time priority and has no right to it"},
        {"proton-4662.txt", "rtkit refused requests of user 1000: too many concurrent threads"},
        {"linux-firewire-dkms-27.txt", "The kernel saw pcmC0D0p run dry"},
        {"linux-wallpaperengine-250.txt", "and 1 more did not finish in time for PipeWire's cycle 4 times"},
        {"machinekit-792.txt", "a thread of priority 2 woke up to 0.034 ms late"},
        {"birdnet-pi-858.txt", "The computer got too little voltage 4 times"},
        {"nixpkgs-176800.txt", "rtkit-daemon failed (exit-code)"},
        {"raspberrypi-linux-5959.txt", "The USB device at 1-1.4.4 went away while it was in use"},
        {"trueos-core-300.txt", "hdac0 did not answer 6 times"},
        {"pop-linux-78.txt", "The codec of the HDA card did not answer 5 times"},
        {"sof-2828.txt", "The firmware of the sound chip (SOF, a DSP) did not answer"},
        {"pop-2436-ps.txt", "pipewire has real-time priority 20"},
        {"jack2-961.txt", "128 frames (1.3 ms) at 96000 Hz with 2 periods"},
        {"easyeffects-3535.txt", "The cycle of a Bluetooth device was not done in time"},
        {"easyeffects-5043.txt", "A configuration in this text asks PipeWire for 1024 frames"},
        {"norns-1596.txt", "may not lock its memory (107350048 bytes)"},
        {"raspberrypi-linux-5959.txt", "!valid clock"}, /* it is gone */
        {"snowdesktop-63.txt", "!no refusal"},
        {"xdg-desktop-portal-355.txt", "could not take real-time priority (Operation not permitted)"},
        {"xdg-desktop-portal-355.txt", "!did not start"},
        {"jack1-63.txt", "The card hw:0 could not be opened"},
        {"audio-44.txt", "A loopback of PulseAudio ran dry"},
        {"bookworm-feedback-288.txt", "The USB device at 1-1.4.4 answered with error -110 2 times"},
        {"raspberrypi-linux-150.txt", "A USB device did not answer the sound driver"},
        {"displaylink-debian-104.txt", "A USB bus had no room left"},
        {"displaylink-debian-104.txt", "!firmware"},
        {"carambola-12.txt", "A USB bus had no room left"},
        {"squeezelite-122.txt", "A hub switched a USB port off 2 times"},
        {"pop-linux-307.txt", "The USB controller died (xhci_hcd)"},
        {"alsa-utils-102.txt", "gave PulseAudio an impossible position"},
        {"goxlr-utility-260.txt", "GoXLR Utility took its recording from PipeWire too late"},
        {"linux-firewire-dkms-60.txt", "JACK's card did not run 2 times"},
        {"sof-linux-1442.txt", "A program asked for real-time priority and has no right to it"},
        {"seeed-voicecard-118.txt", "A program took its recording too late"},
        {"mic-38.txt", "A program took its recording too late"},
        {"bluez-713.txt", "A Bluetooth link failed"},
        {"linux-surface-438.txt", "The codec of the HDA card did not answer"},
        {"sof-5168.txt", "The firmware of the sound chip (SOF, a DSP) did not answer or failed"},
        {"nixpkgs-157755.txt", "could not start the device at 5-2.6:1.0 (error -22)"},
        {"galliumos-416.txt", "The firmware of the sound chip"},
        {"raspberrypi-linux-91.txt", "USB sound was not as far as its driver expected 2 times"},
        {"mpd-1024.txt", "A program asked for real-time priority and has no right to it"},
        {"pipewire-debian-53.txt", "The kernel had no memory for a card's buffer 2 times"},
        {"ubuntu-choppy-recording.txt", "JACK did not wait for ZynAddSubFX"},
        {"ubuntu-maverick-freezing.txt", "memory ran out: the kernel killed knotify4"},
        {"ubuntu-maverick-freezing.txt", "The card's driver gave PulseAudio an impossible position"},
        {"ubuntu-jack-30-seconds.txt", "JACK woke up too late for its cycle 2 times, for up to 18.6 ms"},
        {"nixpkgs-104553.txt", "may not lock its memory (32832 bytes)"},
    };
    ST_EACH (row, rows) {
        assert_int_equal(add_file(row->name), 0);
        if (row->said[0] != '!')
            check_said(row->said);
        ST_FACTS_EACH (said, facts, ST_KEYS_SYSTEM_SEEN, "") {
            if (row->said[0] == '!' && strstr(said->text, row->said + 1) != NULL)
                fail_msg("%s: %s", row->name, said->text);
        }
        teardown(NULL);
    }
    assert_int_equal(add_file("shairport-sync-167.txt"), 0);
    check_text(ST_KEY_KERNEL_RELEASE, "3.18.7+");
    teardown(NULL);
    assert_int_equal(add_file("xdg-desktop-portal-2110.txt"), 0);
    assert_int_equal(status_of("linux-rt-time"), ST_STATUS_PROBLEM);
    teardown(NULL);
    assert_int_equal(add_file("jack2-129.txt"), 0);
    assert_int_equal(facts->os, ST_OS_FREEBSD);
    assert_int_equal(status_of("freebsd-rt-permission"), ST_STATUS_PROBLEM);
    teardown(NULL);
    assert_int_equal(add_file("sonic-pi-2024.txt"), 0);
    assert_int_equal(status_of("linux-rt-permission"), ST_STATUS_PROBLEM);
    teardown(NULL);
    assert_int_equal(add_file("mpd-1024.txt"), 0);
    assert_int_equal(status_of("linux-rt-permission"), ST_STATUS_PROBLEM);
    teardown(NULL);
    /* a command as a heading */
    assert_int_equal(add("cat /proc/sys/vm/swappiness:\n10\n"), 0);
    check_int(ST_KEY_SYSCTL_VM_SWAPPINESS, 10);
    teardown(NULL);
    assert_int_equal(add_file("void-packages-50756.txt"), 0);
    assert_int_equal(status_of("linux-server-priority"), ST_STATUS_PROBLEM);
    teardown(NULL);
    assert_int_equal(add_file("jack2-499.txt"), 0);
    check_int(ST_KEY_RT_RTPRIO_LIMIT, 98);
    check_text(ST_KEY_USER_GROUPS, "root realtime audio wheel carlo");
    teardown(NULL);
    assert_int_equal(add_file("jack2-567.txt"), 0);
    check_text("linux.cpufreq.policy0.governor", "powersave");
    check_int(ST_KEY_SYSCTL_VM_SWAPPINESS, 10);
    teardown(NULL);
    /* a version is no server that runs */
    assert_int_equal(add("$ jackd -V\njackdmp version 1.9.16\n$ uname -r\n6.1.0\n"), 0);
    assert_null(st_facts_find(facts, ST_KEY_DAEMON_JACKD));
    teardown(NULL);
    /* a shell's limit of 0 is what every desktop with rtkit has */
    assert_int_equal(add_file("easyeffects-3108.txt"), 0);
    assert_int_equal(status_of("linux-rt-permission"), ST_STATUS_ADVICE);
}

/* Lines of the kernel become the facts that its live log has. A container's limit is none of the computer's.
 */
static void lines_of_the_kernel_are_judged(void **state)
{
    (void)state;
    assert_int_equal(add("[ 10.1] Out of memory: Killed process 4242 (firefox) total-vm:1kB, UID:1000\n"
                         "[ 11.1] Out of memory: Killed process 4243 (firefox) total-vm:1kB, UID:1000\n"),
                     0);
    check_int(ST_KEY_KERNEL_LOG_MEMORY_N, 2);
    assert_int_equal(status_of("linux-memory-out"), ST_STATUS_ADVICE);
    teardown(NULL);
    assert_int_equal(add("[ 10.1] Memory cgroup out of memory: Killed process 4242 (java) total-vm:1kB\n"),
                     0);
    assert_int_equal(status_of("linux-memory-out"), ST_STATUS_UNKNOWN);
    teardown(NULL);
    assert_int_equal(add("Nov 28 10:00:00 host kernel: RT Watchdog Timeout (hard): easyeffects[4242]\n"), 0);
    assert_int_equal(status_of("linux-rt-time"), ST_STATUS_PROBLEM);
}

/* Without heading and class: the command says which column is which. */
static void the_command_of_ps_has_its_columns(void **state)
{
    (void)state;
    assert_int_equal(add("$ ps -eLo rtprio,psr,cmd | grep pipewire\n    - 0 /usr/bin/pipewire\n"
                         "   95 0 /usr/bin/pipewire\n    - 14 grep --color=auto pipewire\n"),
                     0);
    check_said("pipewire has real-time priority 95");
    check_int(ST_KEY_DAEMON_PIPEWIRE, 1);
    teardown(NULL);
    assert_int_equal(add("- 0 /usr/bin/pipewire\n95 0 /usr/bin/pipewire\n"), -EBADMSG);
}

/* A unit's line ends nothing and begins no list that goes on for ever; "[" alone is no dump. */
static void lines_of_no_kind_are_not_understood(void **state)
{
    (void)state;
    assert_int_equal(add("Jul 22 08:53:39 fedora systemd[1571]: Started pipewire.service - PipeWire.\n"
                         "$ uname -r\n6.1.0\n\n[\nmore prose\nand more\n"),
                     0);
    check_text(ST_KEY_SYSTEM_INPUT_OTHERS, "5-7");
    teardown(NULL);
    assert_int_equal(add("\xe2\x97\x8f pipewire.service - PipeWire Multimedia Service\n"
                         "     Active: active (running) since Mon 2025-06-10 10:00:38 CEST; 2h ago\n"
                         "     CGroup: /user.slice\n\nit crackles since then\n"),
                     0);
    check_int(ST_KEY_DAEMON_PIPEWIRE, 1);
    check_text(ST_KEY_SYSTEM_INPUT_OTHERS, "5");
}

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
        INPUT(what_failed_is_not_what_ran_dry),
        INPUT(lines_of_logs_are_understood),
        INPUT(what_stands_beside_an_answer_is_none),
        INPUT(the_journal_of_a_second_computer_is_not_read),
        INPUT(a_whole_dump_is_what_a_running_server_answers),
        INPUT(services_that_run_are_servers),
        INPUT(sndstat_of_a_post_has_its_block),
        INPUT(lines_that_grep_left_speak_for_themselves),
        INPUT(rights_and_warnings_are_said),
        INPUT(posts_say_what_they_show),
        INPUT(the_command_of_ps_has_its_columns),
        INPUT(lines_of_the_kernel_are_judged),
        INPUT(lines_of_no_kind_are_not_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
