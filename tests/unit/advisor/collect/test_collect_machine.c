/* Collectors of sound devices, interrupts, processes and configuration, on a scripted tree. */
#include "advisor/collect/collect.h"
#include "advisor/report/report.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

#define USB   "/sys/bus/usb/devices/"
#define CPUS  "/sys/devices/system/cpu/"
#define PCI   "/sys/bus/pci/devices/0000:00:1f.3/"
#define SUB   "/proc/asound/card0/pcm0p/sub0/"
#define UNITS "/etc/systemd/system/"
#define HOME                                                                                                 \
    "/home/"                                                                                                 \
    "ann/"
#define TAIL(rt) " 0 0 0 0 0 0 0 0 20 0 2 0 26 0 0 18 0 0 0 0 0 0 0 21 0 0 0 0 17 3 " rt " 0 0 0\n"

static int setup(void **state)
{
    *state = st_fake_new(ST_OS_LINUX, 0);
    return *state != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    st_fake_free(*state);
    return 0;
}

static void file(struct st_platform *p, const char *path, const char *text)
{
    assert_int_equal(st_fake_set_file(p, path, text, 0), 0);
}

static struct st_facts *collect(struct st_platform *p)
{
    struct st_facts *facts;
    assert_int_equal(st_collect(p, false, &facts), 0);
    return facts;
}

static void check(const struct st_facts *facts, const char *key, const char *expected)
{
    const struct st_fact *fact = st_facts_find(facts, key);
    if (fact == NULL || fact->state != ST_FACT_OK)
        fail_msg("%s is %s", key, fact == NULL ? "not there" : st_fact_state_names[fact->state]);
    else
        assert_string_equal(fact->text, expected);
}

static void an_open_stream_has_its_sizes_and_owner(void **state)
{
    struct st_platform *p = *state;
    file(p, SUB "hw_params",
         "access: MMAP_INTERLEAVED\nrate: 48000 (48000/1)\nperiod_size: 512\nbuffer_size: x\n");
    file(p, SUB "status",
         "state: RUNNING\nowner_pid   : 3700\ntrigger_time: 1101.147470817\n"
         "tstamp      : 1104.422995946\nhw_ptr      : 157296\n");
    file(p, "/proc/3700/comm", "pipewire\n");
    file(p, "/proc/asound/card0/pcm1c/sub0/hw_params", "closed\n");
    struct st_facts *facts = collect(p);
    check(facts, "linux.alsa.card0.pcm0p.sub0.rate_hz", "48000");
    check(facts, "linux.alsa.card0.pcm0p.sub0.period_frames", "512");
    check(facts, "linux.alsa.card0.pcm0p.sub0.owner", "pipewire");
    check(facts, "linux.alsa.card0.pcm0p.sub0.moved_hz", "48029");
    assert_int_equal(st_facts_find(facts, "linux.alsa.card0.pcm0p.sub0.buffer_frames")->state,
                     ST_FACT_MALFORMED);
    assert_null(st_facts_find(facts, "linux.alsa.card0.pcm1c.sub0.buffer_frames"));
    st_facts_free(facts);
}

/* A card of 48 kHz whose position moves in steps; each seventh look at it takes 9 ms, in each 25th it starts
 * again after an xrun. */
static struct {
    int (*read_tree)(struct st_machine *machine, const char *path, char *buf, size_t buf_bytes,
                     size_t *ret_len);
    int64_t step_frames, looks_n, started_ns;
    bool has_xruns, runs;
} card;

static int read_moving(struct st_machine *machine, const char *path, char *buf, size_t buf_bytes,
                       size_t *ret_len)
{
    struct st_platform *p = ST_PLATFORM_OF(machine, machine);
    if (strcmp(path, SUB "status") != 0)
        return card.read_tree(machine, path, buf, buf_bytes, ret_len);
    const bool xrun = card.has_xruns && card.looks_n % 25 == 5;
    st_fake_advance(p, card.looks_n++ % 7 == 3 ? 9000000 : 20000);
    card.started_ns = xrun ? p->clock.now_ns(&p->clock) : card.started_ns;
    const int64_t steps_n = (p->clock.now_ns(&p->clock) - card.started_ns) * 48 / 1000000 / card.step_frames;
    *ret_len =
        (size_t)snprintf(buf, buf_bytes, "state: %s\nowner_pid: 3700\ntrigger_time: 0.0\nhw_ptr: %lld\n",
                         xrun || !card.runs ? "XRUN" : "RUNNING", (long long)(steps_n * card.step_frames));
    st_fake_advance(p, 20000);
    return 0;
}

static int64_t steps_of(struct st_platform *p)
{
    struct st_facts *facts;
    int64_t frames = -1;
    assert_int_equal(st_collect(p, true, &facts), 0);
    (void)!st_facts_int(facts, "linux.alsa.card0.pcm0p.sub0.step_frames", &frames);
    st_facts_free(facts);
    return frames;
}

static void steps_of_the_position_are_measured(void **state)
{
    static const int64_t steps[] = {1, 192, 480};
    struct st_platform *p = *state;
    file(p, SUB "hw_params", "rate: 48000 (48000/1)\n");
    file(p, SUB "status", "");
    file(p, "/proc/3700/comm", "pipewire\n");
    card.read_tree = p->machine.read_text;
    p->machine.read_text = read_moving;
    card.runs = true;
    for (size_t i = 0; i < 2 * ST_ARRAY_LEN(steps); i++) {
        card.step_frames = steps[i / 2];
        card.has_xruns = i % 2 != 0;
        const int64_t frames = steps_of(p);
        if (frames < card.step_frames - 60 ||
            frames > card.step_frames) /* 1 ms between two looks: 48 frames */
            fail_msg("steps of %lld: %lld", (long long)card.step_frames, (long long)frames);
    }
    card.runs = false;
    assert_int_equal(steps_of(p), -1);
    card.runs = true;
    file(p, "/proc/3700/comm", "aplay\n");
    assert_int_equal(steps_of(p), -1);
}

static void only_usb_devices_that_play_are_facts(void **state)
{
    struct st_platform *p = *state;
    file(p, USB "1-2:1.0/bInterfaceClass", "01\n");
    file(p, USB "1-2:1.1/bInterfaceClass", "01\n");
    file(p, USB "1-2/power/control", "auto\n");
    file(p, USB "1-2/idVendor", "1235\n");
    file(p, USB "1-3:1.0/bInterfaceClass", "03\n");
    file(p, USB "1-3/power/control", "auto\n");
    file(p, USB "1-4.1.2:1.0/bInterfaceClass", "01\n");
    file(p, USB "1-5:1.0/bInterfaceClass", "0e\n");
    file(p, USB "1-5/product", "Webcam C310\n");
    struct st_facts *facts = collect(p);
    check(facts, "linux.usb_audio.1-2.control", "auto");
    check(facts, "linux.usb_audio.1-2.hubs_n", "0");
    check(facts, "linux.usb_audio.1-4.1.2.hubs_n", "2");
    check(facts, "linux.usb_camera.1-5.product", "Webcam C310");
    check(facts, "linux.usb_audio.1-2.vendor_id", "1235");
    assert_null(st_facts_find(facts, "linux.usb_audio.1-3.control"));
    st_facts_free(facts);
}

static void lines_that_carry_sound_are_facts(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/interrupts",
         "     CPU0\n 9:  1  IO-APIC  9-edge  acpi\n 16:  1  IO-APIC  16-edge  i801_smbus, snd_hda_intel\n");
    file(p, "/proc/irq/16/effective_affinity_list", "3\n");
    struct st_facts *facts = collect(p);
    check(facts, "linux.irq.16.actions", "i801_smbus, snd_hda_intel");
    check(facts, "linux.irq.16.cpus", "3");
    assert_null(st_facts_find(facts, "linux.irq.9.actions"));
    st_facts_free(facts);
}

static void an_interrupt_names_its_device(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/interrupts",
         "           CPU0       CPU1\n"
         "  16:         10          0  IR-IO-APIC   16-fasteoi   i801_smbus, snd_hda_intel:card0\n"
         " 130:          0          7  IR-PCI-MSI 327680-edge      xhci_hcd\n"
         " 131:          0          7  IR-PCI-MSI 327681-edge      \n"
         " NMI:          1          1   Non-maskable interrupts\n ERR:          0\n"
         " 55:      3 GICv3  77 Level     dwc3\n"
         " 25:          0      12345  PCI-MSIX-0000:00:05.0   1-edge      usb-event\n 56: 1");
    struct st_facts *facts = collect(p);
    check(facts, "linux.irq.16.actions", "i801_smbus, snd_hda_intel:card0");
    assert_null(st_facts_find(facts, "linux.irq.16.pci"));
    check(facts, "linux.irq.130.actions", "xhci_hcd");
    check(facts, "linux.irq.130.pci", "0000:00:14.0");
    check(facts, "linux.irq.55.actions", "dwc3");
    check(facts, "linux.irq.25.pci", "0000:00:05.0");
    assert_null(st_facts_find(facts, "linux.irq.131.actions"));
    check(facts, "linux.irq.readable", "1");
    st_facts_free(facts);
    file(p, "/proc/interrupts", "no heading\n1: 2  snd\nCPU");
    facts = collect(p);
    assert_int_equal(st_facts_find(facts, "linux.irq.readable")->state, ST_FACT_MALFORMED);
    st_facts_free(facts);
}

static void cards_say_where_they_are(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/asound/cards",
         " 0 [NVidia         ]: HDA-Intel - HDA NVidia\n"
         "                      HDA NVidia at 0xfc080000 irq 97\n"
         " 2 [Device         ]: USB-Audio - USB PnP Sound Device\n"
         "                      C-Media USB PnP Sound Device at usb-0000:02:00.0-9.1.1, full s\nno card\n");
    struct st_facts *facts = collect(p);
    check(facts, "linux.card.0.driver", "HDA-Intel");
    check(facts, "linux.card.0.name", "HDA NVidia");
    check(facts, "linux.card.0.irq", "97");
    check(facts, "linux.card.2.name", "USB PnP Sound Device");
    check(facts, "linux.card.2.controller", "0000:02:00.0");
    check(facts, "linux.cards_n", "2");
    st_facts_free(facts);
    file(p, "/proc/asound/cards", "--- no soundcards ---\n");
    facts = collect(p);
    check(facts, "linux.cards_n", "0");
    st_facts_free(facts);
}

static void compressed_swap_is_counted_apart(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/swaps",
         "Filename\tType\tSize\tUsed\tPriority\n/dev/zram0 partition 8 0 100\n"
         "/swap\\040file file 1 0 -2\n/dev/dm-1 partition 1 0 -3\n");
    struct st_facts *facts = collect(p);
    check(facts, "linux.swap.zram_n", "1");
    check(facts, "linux.swap.other_n", "2");
    check(facts, "linux.swap.zram_first", "1");
    st_facts_free(facts);
    file(p, "/proc/swaps", "Filename Type Size\n");
    facts = collect(p);
    check(facts, "linux.swap.zram_n", "0");
    check(facts, "linux.swap.zram_first", "0");
    st_facts_free(facts);
    file(p, "/proc/swaps", "");
    facts = collect(p);
    assert_int_equal(st_facts_find(facts, "linux.swap.zram_n")->state, ST_FACT_MALFORMED);
    st_facts_free(facts);
}

static void limits_that_set_the_soft_limit_count(void **state)
{
    struct st_platform *p = *state;
    file(p, "/etc/security/limits.conf",
         "@audio - rtprio 95 # why\n#@audio - rtprio 19\n* hard memlock 1\n  ann\tsoft memlock "
         "unlimited#\n@x - rtprio\n@y - rtprio # 3\n");
    struct st_facts *facts = collect(p);
    check(facts, "linux.limits.@audio.rtprio", "95");
    check(facts, "linux.limits.ann.memlock", "unlimited");
    assert_null(st_facts_find(facts, "linux.limits.*.memlock"));
    assert_null(st_facts_find(facts, "linux.limits.@x.rtprio"));
    assert_null(st_facts_find(facts, "linux.limits.@y.rtprio"));
    st_facts_free(facts);
}

static void each_cpu_counts_its_throttling(void **state)
{
    struct st_platform *p = *state;
    file(p, CPUS "cpu0/thermal_throttle/package_throttle_total_time_ms", "50751\n");
    file(p, CPUS "cpu13/thermal_throttle/core_throttle_count", "2081\n");
    file(p, CPUS "cpufreq/policy0/bios_limit", "2600000\n");
    file(p, CPUS "cpufreq/policy0/scaling_available_frequencies", "2800000 2600000 \n");
    file(p, "/proc/cpuinfo", "model name\t: AMD Ryzen 7 4800H with Radeon Graphics\nflags\t: fpu\n");
    struct st_facts *facts = collect(p);
    check(facts, "linux.heat.cpu0.package_ms", "50751");
    check(facts, "linux.heat.cpu13.core_n", "2081");
    assert_null(st_facts_find(facts, "linux.heat.cpufreq.core_n"));
    check(facts, "linux.cpufreq.policy0.firmware_max_khz", "2600000");
    check(facts, "linux.cpufreq.policy0.available_khz", "2800000 2600000");
    check(facts, "linux.cpu.model", "AMD Ryzen 7 4800H with Radeon Graphics");
    st_facts_free(facts);
}

static void real_time_threads_and_daemons_are_found(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/50/stat", "50 (irq/16-snd_hda_) S 2 0 0 0 -1 2129984" TAIL("50 1"));
    file(p, "/proc/700/stat", "700 (pipewire) S 1 7 7 0 -1 4194304" TAIL("0 0"));
    file(p, "/proc/700/task/700/stat", "700 (pipewire) S 1 7 7 0 -1 4194304" TAIL("0 0"));
    file(p, "/proc/700/task/701/stat", "701 (data-loop.0) S 1 7 7 0 -1 4194304" TAIL("88 1"));
    file(p, "/proc/700/status", "Name:\tpipewire\nUid:\t1000\t1000\t1000\t1000\n");
    file(p, "/proc/702/stat", "702 (jackd) Z 1 7 7 0 -1 4194304" TAIL("0 0")); /* it has ended */
    file(p, "/proc/self/stat", "1 (x) S" TAIL("0 0"));
    struct st_facts *facts = collect(p);
    check(facts, "linux.processes_n", "2");
    check(facts, "linux.daemon_user.pipewire", "1000");
    assert_null(st_facts_find(facts, "linux.daemon.jackd"));
    check(facts, "linux.threads.complete", "1");
    check(facts, "linux.irq_thread.50.name", "irq/16-snd_hda_");
    check(facts, "linux.irq_thread.50.priority", "50");
    check(facts, "linux.daemon.pipewire", "700");
    check(facts, "linux.rt_thread.701.process", "pipewire");
    check(facts, "linux.rt_thread.701.priority", "88");
    assert_null(st_facts_find(facts, "linux.rt_thread.700.priority"));
    st_facts_free(facts);
}

static void what_stands_below_etc_is_read(void **state)
{
    struct st_platform *p = *state;
    file(p, "/etc/security/limits.d/25-pw.conf",
         "@studio - rtprio 95\n@studio - memlock unlimited\n@x$(y) - rtprio 95\n");
    file(p, "/etc/group", "audio:x:29:\nstudio:x:30:ann,bob\nwheel:x:31:ann\nbroken\n");
    struct st_facts *facts = collect(p);
    check(facts, "linux.limits.@studio.rtprio", "95");
    check(facts, "linux.limits.@studio.memlock", "unlimited");
    check(facts, "linux.group.audio", "");
    check(facts, "linux.group.studio", "ann,bob");
    assert_null(st_facts_find(facts, "linux.group.wheel"));
    st_facts_free(facts);
}

static void only_units_that_play_are_facts(void **state)
{
    struct st_platform *p = *state;
    file(p, UNITS "jack.service",
         "[Service]\nUser=ann\nExecStart=-/usr/bin/chrt -f 70 /usr/bin/jackd -d alsa\n");
    file(p, UNITS "jack.service.d/limits.conf", "[Service]\nLimitRTPRIO=95\n");
    file(p, UNITS "web.service", "[Service]\nExecStart=/usr/bin/httpd\nLimitRTPRIO=1\n");
    struct st_facts *facts = collect(p);
    check(facts, "linux.unit.jack.program", "jackd");
    check(facts, "linux.unit.jack.user", "ann");
    check(facts, "linux.unit.jack.rtprio", "95");
    assert_null(st_facts_find(facts, "linux.unit.web.rtprio"));
    st_facts_free(facts);
}

static void the_users_configuration_wins(void **state)
{
    struct st_platform *p = *state;
    file(p, "/usr/share/pipewire/pipewire.conf", "context.properties = { default.clock.rate = 44100 }\n");
    file(p, "/etc/pipewire/pipewire.conf",
         "context.properties = { default.clock.quantum = 512\n"
         "vm.overrides = { default.clock.min-quantum = 1024 } }\n");
    file(p, HOME ".config/pipewire/pipewire.conf.d/a.conf",
         "context.properties = { default.clock.quantum = 64 }\n");
    file(p, "/etc/pulse/daemon.conf", "realtime-scheduling = no\ndefault-fragments = many\n");
    file(p, "/etc/pulse/default.pa", "# load-module x tsched=1\nload-module module-udev-detect tsched=0\n");
    struct st_facts *facts = collect(p);
    check(facts, "linux.pipewire.quantum", "64");
    check(facts, "linux.pipewire.vm_min_quantum", "1024");
    assert_null(st_facts_find(facts, "linux.pipewire.rate_hz"));
    check(facts, "linux.pulse.realtime-scheduling", "no");
    check(facts, "linux.pulse.tsched", "0");
    assert_int_equal(st_facts_find(facts, "linux.pulse.default-fragments")->state, ST_FACT_MALFORMED);
    st_facts_free(facts);
}

static void configuration_that_cannot_be_read_is_not_absent(void **state)
{
    static const struct {
        const char *path;
        const char *key;
    } rows[] = {
        {"/etc/security/limits.conf", "linux.limits.any.rtprio"},
        {"/etc/pipewire/pipewire.conf", "linux.pipewire.quantum"},
        {"/etc/pulse/daemon.conf", "linux.pulse.realtime-scheduling"},
    };
    struct st_platform *p = *state;
    ST_EACH (row, rows)
        assert_int_equal(st_fake_set_file(p, row->path, NULL, -EACCES), 0);
    struct st_facts *facts = collect(p);
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        const struct st_fact *fact = st_facts_find(facts, rows[i].key);
        if (fact == NULL || fact->state != ST_FACT_UNREADABLE || fact->error != EACCES)
            fail_msg("%s is not unreadable", rows[i].key);
    }
    st_facts_free(facts);
}

static void of_two_homes_none_is_taken(void **state)
{
    struct st_platform *p = *state;
    static const char text[] = "context.properties = { default.clock.quantum = 64 }\n";
    file(p, HOME ".config/pipewire/pipewire.conf.d/a.conf", text);
    file(p,
         "/home/"
         "bob/.config/pipewire/pipewire.conf.d/a.conf",
         text);
    struct st_facts *facts = collect(p);
    assert_null(st_facts_find(facts, "linux.pipewire.quantum"));
    st_facts_free(facts);
}

static enum st_status judged(const struct st_report *report, const char *id)
{
    for (size_t i = 0; i < report->findings_n; i++) {
        if (strcmp(report->findings[i].rule->id, id) == 0)
            return report->findings[i].status;
    }
    fail_msg("no finding %s", id);
    return ST_STATUS_UNKNOWN;
}

static void a_captured_studio_is_judged(void **state)
{
    static const struct {
        const char *id;
        enum st_status status;
    } rows[] = {
        {"linux-alsa-buffer", ST_STATUS_OK},
        {"linux-irq-priorities", ST_STATUS_ADVICE},
        {"linux-priority-order", ST_STATUS_ADVICE},
        {"linux-usb-autosuspend", ST_STATUS_ADVICE},
        {"linux-hda-power-save", ST_STATUS_ADVICE},
        {"linux-jack-soft-mode", ST_STATUS_UNKNOWN}, /* no process was captured */
        {"linux-server-priority", ST_STATUS_OK},
        {"linux-pipewire-quantum", ST_STATUS_OK},
        {"linux-irq-sharing", ST_STATUS_OK},
        {"linux-threaded-irqs", ST_STATUS_OK},
        {"linux-swap", ST_STATUS_OK},
        {"linux-memlock", ST_STATUS_OK},
        {"linux-huge-pages", ST_STATUS_OK},
        {"linux-audio-group", ST_STATUS_OK},
        {"linux-rt-permission", ST_STATUS_OK},      /* by the limit of the shell */
        {"linux-power-daemons", ST_STATUS_UNKNOWN}, /* no cpufreq */
    };
    struct st_facts *facts;
    struct st_report report;
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/linux-studio", &facts), 0);
    assert_int_equal(st_report_make(facts, 128, 48000, &report), 0);
    ST_EACH (row, rows) {
        if (judged(&report, row->id) != row->status)
            fail_msg("%s is %s", row->id, st_finding_statuses[judged(&report, row->id)].name);
    }
    st_report_finish(&report);
    st_facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_open_stream_has_its_sizes_and_owner),
        TEST(steps_of_the_position_are_measured),
        TEST(only_usb_devices_that_play_are_facts),
        TEST(lines_that_carry_sound_are_facts),
        TEST(an_interrupt_names_its_device),
        TEST(cards_say_where_they_are),
        TEST(compressed_swap_is_counted_apart),
        TEST(limits_that_set_the_soft_limit_count),
        TEST(each_cpu_counts_its_throttling),
        TEST(real_time_threads_and_daemons_are_found),
        TEST(what_stands_below_etc_is_read),
        TEST(only_units_that_play_are_facts),
        TEST(the_users_configuration_wins),
        TEST(configuration_that_cannot_be_read_is_not_absent),
        TEST(of_two_homes_none_is_taken),
        cmocka_unit_test(a_captured_studio_is_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
