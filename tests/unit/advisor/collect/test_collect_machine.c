/* Collectors of sound devices, interrupts, processes and configuration, on a scripted tree. */
#include "advisor/report/report.h"
#include "tests/unit/collect_fixture.h"
#include "tests/unit/shown_facts.h"

#define USB      "/sys/bus/usb/devices/"
#define CPUS     "/sys/devices/system/cpu/"
#define PCI      "/sys/bus/pci/devices/0000:00:1f.3/"
#define SUB      "/proc/asound/card0/pcm0p/sub0/"
#define UNITS    "/etc/systemd/system/"
#define HOME     "/home/Ann/"
#define TAIL(rt) " 0 0 0 0 0 0 0 0 20 0 2 0 26 0 0 18 0 0 0 0 0 0 0 21 0 0 0 0 17 3 " rt " 0 0 0\n"

static void look(void)
{
    struct st_facts *facts = collect(false);
    show_facts(facts);
    show("--");
    st_facts_free(facts);
}

static void an_open_stream_has_its_sizes_and_owner(void **state)
{
    file(SUB "hw_params",
         "access: MMAP_INTERLEAVED\nrate: 48000 (48000/1)\nperiod_size: 512\nbuffer_size: x\n");
    file(SUB "status", "state: RUNNING\nowner_pid   : 3700\ntrigger_time: 1101.147470817\n"
                       "tstamp      : 1104.147995946\nhw_ptr      : 144087\n");
    file("/proc/3700/comm", "pipewire\n");
    file("/proc/asound/card0/pcm1c/sub0/hw_params", "closed\n");
    look();
}

/* A card of 48 kHz whose position moves in steps; each seventh look at it takes 9 ms, in each 25th
 * it starts again after an xrun. */
static struct {
    int (*read_tree)(struct st_platform *machine, const char *path, char *buf, size_t buf_bytes,
                     size_t *ret_len);
    int64_t step_frames, looks_n, started_ns;
    bool has_xruns, runs;
} card;

static int read_moving(struct st_platform *machine, const char *path, char *buf, size_t buf_bytes,
                       size_t *ret_len)
{
    if (strcmp(path, SUB "status") != 0)
        return card.read_tree(machine, path, buf, buf_bytes, ret_len);
    const bool xrun = card.has_xruns && card.looks_n % 25 == 5;
    st_fake_advance(p, card.looks_n++ % 7 == 3 ? 9000000 : 20000);
    card.started_ns = xrun ? st_platform_now_ns(p) : card.started_ns;
    const int64_t steps_n =
        (st_platform_now_ns(p) - card.started_ns) * 48 / 1000000 / card.step_frames;
    *ret_len = (size_t)snprintf(
        buf, buf_bytes, "state: %s\nowner_pid: 3700\ntrigger_time: 0.0\nhw_ptr: %lld\n",
        xrun || !card.runs ? "XRUN" : "RUNNING", (long long)(steps_n * card.step_frames));
    st_fake_advance(p, 20000);
    return 0;
}

static int64_t steps_of(void)
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
    file(SUB "hw_params", "rate: 48000 (48000/1)\n");
    file(SUB "status", "");
    file("/proc/3700/comm", "pipewire\n");
    card.read_tree = p->read_text;
    p->read_text = read_moving;
    card.runs = true;
    for (size_t i = 0; i < 2 * ST_ARRAY_LEN(steps); i++) {
        card.step_frames = steps[i / 2];
        card.has_xruns = i % 2 != 0;
        const int64_t frames = steps_of();
        if (frames < card.step_frames - 60 ||
            frames > card.step_frames) /* 1 ms between two looks: 48 frames */
            fail_msg("steps of %lld: %lld", (long long)card.step_frames, (long long)frames);
    }
    card.runs = false;
    assert_int_equal(steps_of(), -1);
    card.runs = true;
    file("/proc/3700/comm", "aplay\n");
    assert_int_equal(steps_of(), -1);
}

static void only_usb_devices_that_play_are_facts(void **state)
{
    file(USB "1-2:1.0/bInterfaceClass", "01\n");
    file(USB "1-2:1.1/bInterfaceClass", "01\n");
    file(USB "1-2/power/control", "auto\n");
    file(USB "1-2/idVendor", "1235\n");
    file(USB "1-3:1.0/bInterfaceClass", "03\n");
    file(USB "1-3/power/control", "auto\n");
    file(USB "1-4.1.2:1.0/bInterfaceClass", "01\n");
    file(USB "1-5:1.0/bInterfaceClass", "0e\n");
    file(USB "1-5/product", "Webcam C310\n");
    look();
}

static void lines_that_carry_sound_are_facts(void **state)
{
    file("/proc/interrupts", "     CPU0\n 9:  1  IO-APIC  9-edge  acpi\n 16:  1  IO-APIC  16-edge  "
                             "i801_smbus, snd_hda_intel\n");
    file("/proc/irq/16/effective_affinity_list", "3\n");
    look();
}

static void an_interrupt_names_its_device(void **state)
{
    file("/proc/interrupts",
         "           CPU0       CPU1\n"
         "  16:         10          0  IR-IO-APIC   16-fasteoi   i801_smbus, snd_hda_intel:card0\n"
         " 130:          0          7  IR-PCI-MSI 327680-edge      xhci_hcd\n"
         " 131:          0          7  IR-PCI-MSI 327681-edge      \n"
         " NMI:          1          1   Non-maskable interrupts\n ERR:          0\n"
         " 55:      3 GICv3  77 Level     dwc3\n"
         " 25:          0      12345  PCI-MSIX-0000:00:05.0   1-edge      usb-event\n 56: 1");
    look();
    file("/proc/interrupts", "no heading\n1: 2  snd\nCPU");
    look();
}

static void cards_say_where_they_are(void **state)
{
    file("/proc/asound/cards", " 0 [NVidia         ]: HDA-Intel - HDA NVidia\n"
                               "                      HDA NVidia at 0xfc080000 irq 97\n"
                               " 2 [Device         ]: USB-Audio - USB PnP Sound Device\n"
                               "                      C-Media USB PnP Sound Device at "
                               "usb-0000:02:00.0-9.1.1, full s\nno card\n");
    look();
    file("/proc/asound/cards", "--- no soundcards ---\n");
    look();
}

static void compressed_swap_is_counted_apart(void **state)
{
    file("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/zram0 partition 8 0 100\n"
                        "/swap\\040file file 1 0 -2\n/dev/dm-1 partition 1 1 -3\n");
    look();
    file("/proc/swaps", "Filename Type Size\n");
    look();
    file("/proc/swaps", "");
    look();
}

static void limits_that_set_the_soft_limit_count(void **state)
{
    file("/etc/security/limits.conf",
         "@audio - rtprio 95 # why\n#@audio - rtprio 19\n* hard memlock 1\n  ann\tsoft memlock "
         "unlimited#\n@x - rtprio\n@y - rtprio # 3\n");
    look();
}

static void each_cpu_counts_its_throttling(void **state)
{
    file(CPUS "cpu0/thermal_throttle/package_throttle_total_time_ms", "50751\n");
    file(CPUS "cpu13/thermal_throttle/core_throttle_count", "2081\n");
    file(CPUS "cpufreq/policy0/bios_limit", "2600000\n");
    file(CPUS "cpufreq/policy0/scaling_available_frequencies", "2800000 2600000 \n");
    file("/proc/cpuinfo", "model name\t: AMD Ryzen 7 4800H with Radeon Graphics\nflags\t: fpu\n");
    file("/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
    look();
}

static void real_time_threads_and_daemons_are_found(void **state)
{
    file("/proc/50/stat", "50 (irq/16-snd_hda_) S 2 0 0 0 -1 2129984" TAIL("50 1"));
    file("/proc/700/stat", "700 (pipewire) S 1 7 7 0 -1 4194304" TAIL("0 0"));
    file("/proc/700/task/700/stat", "700 (pipewire) S 1 7 7 0 -1 4194304" TAIL("0 0"));
    file("/proc/700/task/701/stat", "701 (data-loop.0) S 1 7 7 0 -1 4194304" TAIL("88 1"));
    file("/proc/700/status", "Name:\tpipewire\nUid:\t1000\t1000\t1000\t1000\n");
    file("/proc/702/stat", "702 (jackd) Z 1 7 7 0 -1 4194304" TAIL("0 0")); /* it has ended */
    file("/proc/self/stat", "1 (x) S" TAIL("0 0"));
    look();
}

static void what_stands_below_etc_is_read(void **state)
{
    file("/etc/security/limits.d/25-pw.conf",
         "@studio - rtprio 95\n@studio - memlock unlimited\n@x$(y) - rtprio 95\n");
    file("/etc/group", "audio:x:29:\nstudio:x:30:ann,bob\nwheel:x:31:ann\nbroken\n");
    look();
}

static void only_units_that_play_are_facts(void **state)
{
    file(UNITS "jack.service",
         "[Service]\nUser=ann\nExecStart=-/usr/bin/chrt -f 70 /usr/bin/jackd -d alsa\n"
         "AmbientCapabilities=CAP_SYS_NICE\nCapabilityBoundingSet=CAP_SYS_NICE\n"
         "CapabilityBoundingSet=CAP_IPC_LOCK\n");
    file(UNITS "jack.service.d/limits.conf", "[Service]\nLimitRTPRIO=95\n");
    file(UNITS "web.service", "[Service]\nExecStart=/usr/bin/httpd\nLimitRTPRIO=1\n");
    look();
}

static void the_users_configuration_wins(void **state)
{
    file("/usr/share/pipewire/pipewire.conf",
         "context.properties = { default.clock.rate = 44100 }\n");
    file("/etc/pipewire/pipewire.conf", "context.properties = { default.clock.quantum = 512\n"
                                        "vm.overrides = { default.clock.min-quantum = 1024 } }\n");
    file(HOME ".config/pipewire/pipewire.conf.d/a.conf",
         "context.properties = { default.clock.quantum = 64 }\n");
    file("/etc/pulse/daemon.conf", "realtime-scheduling = no\ndefault-fragments = many\n");
    file("/etc/pulse/default.pa",
         "# load-module x tsched=1\nload-module module-udev-detect tsched=0\n");
    look();
}

static void configuration_that_cannot_be_read_is_not_absent(void **state)
{
    static const char *const paths[] = {"/etc/security/limits.conf", "/etc/pipewire/pipewire.conf",
                                        "/etc/pulse/daemon.conf"};
    ST_EACH (path, paths)
        assert_int_equal(st_fake_set_file(p, *path, NULL, -EACCES), 0);
    look();
}

static void of_two_homes_none_is_taken(void **state)
{
    static const char text[] = "context.properties = { default.clock.quantum = 64 }\n";
    file(HOME ".config/pipewire/pipewire.conf.d/a.conf", text);
    file("/home/Bob/.config/pipewire/pipewire.conf.d/a.conf", text);
    look();
}

static void a_captured_studio_is_judged(void **state)
{
    struct st_facts *facts;
    struct st_report report;
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/linux-studio", &facts), 0);
    show_facts(facts);
    assert_int_equal(st_report_make(facts, 128, 48000, &report), 0);
    ST_EACH_OF (finding, report.findings, report.findings_n)
        show("%s: %s", finding->rule->id, st_finding_statuses[finding->status].name);
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
    return shown_run(tests);
}
