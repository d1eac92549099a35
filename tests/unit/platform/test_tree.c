

#include "platform/tree.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

static struct st_platform *p;

static int linux_fake(void **state)
{
    p = st_fake_new(ST_OS_LINUX, 0);
    return p == NULL;
}

static int freebsd_fake(void **state)
{
    p = st_fake_new(ST_OS_FREEBSD, 0);
    return p == NULL;
}

static int finish(void **state)
{
    st_fake_free(p);
    return 0;
}

static void put(const char *path, const char *text)
{
    assert_int_equal(st_fake_set_file(p, path, text, 0), 0);
}

struct said {
    char text[4096];
};

static void note(void *ctx, const char *key, const char *value)
{
    struct said *said = ctx;
    const size_t have = strlen(said->text);
    snprintf(said->text + have, sizeof(said->text) - have, "%s=%s\n", key, value);
}

/* All conditions, a line each, in one string that begins with a newline. */
static const char *say(int cpu, struct said *said)
{
    ST_PRINT(said->text, "\n");
    p->conditions(p, cpu, note, said);
    return said->text;
}

static void assert_says(const char *line)
{
    struct said said;
    char wanted[256];
    ST_PRINT(wanted, "\n%s\n", line);
    if (strstr(say(-1, &said), wanted) == NULL)
        fail_msg("\"%s\" is not in:%s", line, said.text);
}

static void assert_says_nothing_of(const char *key)
{
    struct said said;
    char unwanted[64];
    ST_PRINT(unwanted, "\n%s=", key);
    assert_lacks(say(-1, &said), unwanted);
}

static void of_an_empty_tree_only_the_os_is_known(void **state)
{
    struct said said;
    assert_string_equal(say(-1, &said), "\nos=Linux\n");
}

static void unreadable_files_are_left_out(void **state)
{
    struct said said;
    assert_int_equal(st_fake_fail_at(p, "read_text", 0, -EACCES), 0);
    assert_string_equal(say(-1, &said), "\nos=Linux\n");
}

static void kernel_and_cpu_are_said(void **state)
{
    put("/proc/sys/kernel/osrelease", "6.1.0-rt\n");
    put("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n");
    put("/proc/cpuinfo", "processor : 0\nmodel name : Some CPU\nflags : fpu\n");
    put("/sys/devices/system/cpu/online", "0-3,6\n");
    put("/sys/devices/system/cpu/isolated", "\n");
    put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    assert_says("kernel_release=6.1.0-rt");
    assert_says("kernel_version=#1 SMP PREEMPT_DYNAMIC Debian");
    assert_says("cpu_model=Some CPU");
    assert_says("cpus_online=5");
    assert_says("cpus_isolated=none");
    assert_says("clocksource=tsc");
    assert_says("hypervisor=none");
    assert_says_nothing_of("governor");
    assert_says_nothing_of("hz");
}

static void preemption_model_is_said_as_far_as_it_is_known(void **state)
{
    assert_says_nothing_of("preemption");
    put("/proc/sys/kernel/version", "#1 SMP Debian");
    assert_says("preemption=none or voluntary");
    put("/proc/sys/kernel/version", "#1 SMP PREEMPT Debian");
    assert_says("preemption=PREEMPT");
    put("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian");
    assert_says("preemption=PREEMPT_DYNAMIC");
    put("/proc/cmdline", "root=/dev/sda preempt=voluntary quiet\n");
    assert_says("preemption=PREEMPT_DYNAMIC, voluntary");
    put("/sys/kernel/debug/sched/preempt", "none voluntary (full)\n");
    assert_says("preemption=PREEMPT_DYNAMIC, full");
    put("/sys/kernel/realtime", "1\n");
    assert_says("preemption=PREEMPT_RT");
}

static void governor_is_the_cpus_own_or_all_distinct_ones(void **state)
{
    struct said said;
    put("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
    put("/sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n");
    put("/sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "powersave\n");
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
    assert_says("governor=powersave performance");
    assert_has(say(1, &said), "\ngovernor=performance\n");
    assert_lacks(say(7, &said), "governor");
}

static void hz_comes_from_the_running_kernels_configuration(void **state)
{
    put("/proc/sys/kernel/osrelease", "6.1.0-9-amd64\n");
    put("/boot/config-6.1.0-9-amd64", "CONFIG_HZ_250=y\nCONFIG_HZ=250\n");
    assert_says("hz=250");
    put("/proc/sys/kernel/osrelease", "6.1.0-10-amd64\n");
    assert_says_nothing_of("hz");
    put("/proc/sys/kernel/osrelease", "../etc/passwd\n");
    assert_says_nothing_of("hz");
}

static void hypervisor_is_named_by_firmware(void **state)
{
    bool virtualised = false;
    assert_int_equal(st_tree_virtualised(p, &virtualised), -ENODATA);
    put("/proc/cpuinfo", "flags\t\t: fpu hypervisor\n");
    assert_int_equal(st_tree_virtualised(p, &virtualised), 0);
    assert_true(virtualised);
    assert_says("hypervisor=unnamed");
    put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    assert_says("hypervisor=qemu");
    put("/sys/hypervisor/type", "xen\n");
    assert_says("hypervisor=xen");
}

static void a_machine_without_the_flag_is_not_virtual(void **state)
{
    bool virtualised = true;
    put("/proc/cpuinfo", "flags\t\t: fpu\n");
    put("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n"); /* a metal instance */
    assert_int_equal(st_tree_virtualised(p, &virtualised), 0);
    assert_false(virtualised);
}

static void without_cpu_flags_only_a_vendor_of_guests_counts(void **state)
{
    bool virtualised = false;
    put("/proc/cpuinfo", "CPU implementer : 0x41\n");
    put("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
    assert_int_equal(st_tree_virtualised(p, &virtualised), -ENODATA);
    put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    assert_int_equal(st_tree_virtualised(p, &virtualised), 0);
    assert_true(virtualised);
}

static void a_line_is_trimmed_and_an_empty_one_is_no_data(void **state)
{
    put("/a", " \t value with blanks");
    put("/b", "x \r\nsecond\n");
    put("/c", " \n");
    assert_string_equal(st_tree_first_line(p, "/a"), "value with blanks");
    assert_string_equal(st_tree_first_line(p, "/b"), "x");
    assert_null(st_tree_first_line(p, "/c"));
    assert_null(st_tree_first_line(p, "/d"));
}

static void freebsd_is_described_by_its_sysctls(void **state)
{
    bool virtualised;
    struct said said;
    assert_string_equal(say(-1, &said), "\n");
    assert_int_equal(st_tree_virtualised(p, &virtualised), -ENODATA);
    static const char *const rows[][2] = {
        {"kern.ostype", "FreeBSD"},
        {"kern.osrelease", "15.1-RELEASE-p1"},
        {"kern.version", "FreeBSD 15.1-RELEASE-p1 GENERIC\n"},
        {"kern.hz", "1000"},
        {"kern.vm_guest", "none"},
        {"kern.timecounter.hardware", "TSC-low"},
        {"kern.timecounter.alloweddeviation", "5"},
        {"dev.cpu.0.freq", "2600"},
    };
    ST_EACH (row, rows)
        assert_int_equal(st_fake_set_sysctl(p, (*row)[0], (*row)[1], 0), 0);
    assert_string_equal(say(1, &said),
                        "\nos=FreeBSD\nkernel_release=15.1-RELEASE-p1\n"
                        "kernel_version=FreeBSD 15.1-RELEASE-p1 GENERIC\nhz=1000\n"
                        "hypervisor=none\nclocksource=TSC-low\nalloweddeviation_pct=5\n"
                        "cpu_mhz=2600\n");
    assert_int_equal(st_tree_virtualised(p, &virtualised), 0);
    assert_false(virtualised);
    assert_int_equal(st_fake_set_sysctl(p, "kern.vm_guest", "kvm", 0), 0);
    assert_int_equal(st_tree_virtualised(p, &virtualised), 0);
    assert_true(virtualised);
}

#define LINUX_TEST(f)   cmocka_unit_test_setup_teardown(f, linux_fake, finish)
#define FREEBSD_TEST(f) cmocka_unit_test_setup_teardown(f, freebsd_fake, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINUX_TEST(of_an_empty_tree_only_the_os_is_known),
        LINUX_TEST(unreadable_files_are_left_out),
        LINUX_TEST(kernel_and_cpu_are_said),
        LINUX_TEST(preemption_model_is_said_as_far_as_it_is_known),
        LINUX_TEST(governor_is_the_cpus_own_or_all_distinct_ones),
        LINUX_TEST(hz_comes_from_the_running_kernels_configuration),
        LINUX_TEST(hypervisor_is_named_by_firmware),
        LINUX_TEST(a_machine_without_the_flag_is_not_virtual),
        LINUX_TEST(without_cpu_flags_only_a_vendor_of_guests_counts),
        LINUX_TEST(a_line_is_trimmed_and_an_empty_one_is_no_data),
        FREEBSD_TEST(freebsd_is_described_by_its_sysctls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
