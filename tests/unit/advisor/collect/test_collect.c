/* Collectors on a scripted tree, on the captures and on this machine. */
#include <grp.h>
#include <unistd.h>

#include "tests/unit/collect_fixture.h"
#include "tests/unit/shown_facts.h"

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define POLICY      "/sys/devices/system/cpu/cpufreq/policy0/"

static int setup_freebsd(void **state)
{
    p = st_fake_new(ST_OS_FREEBSD, 0);
    return p != NULL ? 0 : -1;
}

static void look(bool live)
{
    struct st_facts *facts = collect(live);
    show_facts(facts);
    show("--");
    st_facts_free(facts);
}

static void check_state(const struct st_facts *facts, const char *key, enum st_fact_state expected)
{
    const struct st_fact *fact = st_facts_find(facts, key);
    if (fact == NULL)
        fail_msg("nobody looked for %s", key);
    else if (fact->state != expected)
        fail_msg("%s is %s, not %s", key, st_fact_state_names[fact->state],
                 st_fact_state_names[expected]);
}

static void check_text(const struct st_facts *facts, const char *key, const char *expected)
{
    check_state(facts, key, ST_FACT_OK);
    assert_string_equal(st_facts_find(facts, key)->text, expected);
}

static void an_empty_machine_has_absent_facts_only(void **state)
{
    struct st_facts *facts = collect(false);
    ST_EACH_OF (fact, facts->rows, facts->n)
        show("%s: %s", (*fact)->key, st_fact_state_names[(*fact)->state]);
    st_facts_free(facts);
}

static void the_four_states_come_from_the_reading(void **state)
{
    file(CLOCKSOURCE, "tsc\n");
    file("/proc/sys/kernel/sched_rt_runtime_us", "plenty\n");
    assert_int_equal(st_fake_set_file(p, "/sys/kernel/debug/sched/preempt", NULL, -EACCES), 0);
    look(false);
}

static void a_file_that_is_too_long_is_unreadable(void **state)
{
    char text[10000];
    memset(text, '1', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    file(CLOCKSOURCE, text);
    look(false);
}

/** Only a live machine can show that. */
static void without_pam_nothing_reads_limits(void **state)
{
    struct st_facts *facts = collect(false);
    assert_null(st_facts_find(facts, ST_KEY_PAM_MISSING));
    st_facts_free(facts);
    facts = collect(true);
    check_text(facts, ST_KEY_PAM_MISSING, "1");
    st_facts_free(facts);
    file("/usr/lib/pam.d/login", "session required pam_limits.so\n");
    facts = collect(true);
    assert_null(st_facts_find(facts, ST_KEY_PAM_MISSING));
    st_facts_free(facts);
}

static void expect_bus(bool live, bool is)
{
    struct st_facts *facts = collect(live);
    if (is)
        assert_null(st_facts_find(facts, "linux.rtkit.no_bus"));
    else
        check_text(facts, "linux.rtkit.no_bus", "1");
    st_facts_free(facts);
}

/** A live tree without the socket: only a captured one never has sockets. */
static void rtkit_cannot_be_asked_without_a_bus(void **state)
{
    static const char *const sockets[] = {"/run/dbus/system_bus_socket",
                                          "/var/run/dbus/system_bus_socket"};
    expect_bus(false, true);
    expect_bus(true, false);
    ST_EACH (socket, sockets) { /* one is the default of D-Bus, the other of sd-bus */
        assert_int_equal(st_fake_set_file(p, *socket, NULL, -ENXIO), 0); /* open(2) */
        expect_bus(true, true);
        assert_int_equal(st_fake_set_file(p, *socket, NULL, -EACCES), 0);
        expect_bus(true, true);
        assert_int_equal(st_fake_set_file(p, *socket, NULL, -ENOENT), 0);
        expect_bus(true, false);
    }
    assert_int_equal(setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/tmp/bus", 1), 0);
    expect_bus(true, true);
    unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
}

static void each_policy_and_idle_state_has_its_facts(void **state)
{
    file(POLICY "scaling_governor", "powersave\n");
    file(POLICY "scaling_driver", "intel_pstate\n");
    file("/sys/devices/system/cpu/cpufreq/policy12/scaling_governor", "performance\n");
    file("/sys/devices/system/cpu/cpufreq/ondemand/up_threshold", "95\n");
    file("/sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "2\n");
    file("/sys/devices/system/cpu/cpu0/cpuidle/state1/disable", "no\n");
    look(false);
}

static void the_configuration_is_that_of_the_running_release(void **state)
{
    file("/proc/sys/kernel/osrelease", "6.1.0-37-amd64\n");
    file("/boot/config-6.1.0-36-amd64", "CONFIG_HZ=100\n");
    file("/lib/modules/6.1.0-37-amd64/config",
         "CONFIG_HZ=250\nCONFIG_PREEMPT=\n# CONFIG_PREEMPT_RT is not set\n");
    look(false);
}

static void a_release_with_a_slash_leads_nowhere(void **state)
{
    file("/proc/sys/kernel/osrelease", "../../secret\n");
    file("/boot/config-../../secret", "CONFIG_HZ=250\n");
    look(false);
}

static void an_unreadable_configuration_is_not_absent(void **state)
{
    file("/proc/sys/kernel/osrelease", "6.1\n");
    assert_int_equal(st_fake_set_file(p, "/boot/config-6.1", NULL, -EACCES), 0);
    look(false);
}

/* Arch has no file in /boot, but CONFIG_IKCONFIG_PROC */
static void the_kernels_own_configuration_is_unpacked(void **state)
{
    file("/proc/sys/kernel/osrelease", "6.15.4-arch2-1\n");
    file("/proc/config.gz", "\x1f\x8b\x08");
    assert_int_equal(st_fake_set_answer(p, "gzip -dc /proc/config.gz",
                                        "CONFIG_HZ=1000\n# CONFIG_PREEMPT_RT is not set\n", 0),
                     0);
    look(true);
    /* of a captured machine it is not unpacked: then it is unknown, not absent */
    look(false);
    /* what can be read comes first */
    file("/boot/config-6.15.4-arch2-1", "CONFIG_HZ=300\n");
    look(true);
}

static void a_configuration_says_yes_no_or_nothing(void **state)
{
    file("/proc/sys/kernel/osrelease", "6.1\n");
    file("/boot/config-6.1",
         "# Linux/x86 6.1.140 Kernel Configuration\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n"
         "# CONFIG_PREEMPT_RT is not set\nCONFIG_PREEMPT_DYNAMIC=y\r\n# CONFIG_RT_GROUP_SCHED is "
         "set\n"
         "CONFIG_HIGH_RES_TIMERS=m");
    look(false); /* only longer names begin with it */
}

static void timer_list_counts_the_worst_cpu(void **state)
{
    static const char *const texts[] = {
        "Timer List Version: v0.9\n",
        "  .hres_active    : 1\n",
        ("cpu: 0\n  .resolution: 1 nsecs\n  .hres_active    : 1\ncpu: 1\n  .hres_active    : 0\n"
         "  .hres_active    : 1\n"),
        ".hres_active : yes\n.resolution: -x nsecs\n",
        ".hres_active : 1\n.resolution: ", /* the file was too long */
    };
    ST_EACH (text, texts) {
        file("/proc/timer_list", *text);
        look(false);
    }
}

static void the_cgroup_decides_where_the_limit_is(void **state)
{
    file("/proc/self/cgroup", "4:memory:/m\n2:cpu,cpuacct:/user.slice\n0::/\n");
    file("/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.rt_runtime_us", "0\n");
    look(false);
    file("/proc/self/cgroup", "0::/user.slice\n");
    look(false);
    file("/proc/self/cgroup", "garbage\n");
    look(false);
    file("/proc/self/cgroup", "1:cpu:/../../etc\n");
    look(false);
}

static void limits_of_a_captured_process_are_read(void **state)
{
    file("/proc/self/limits",
         "Max locked memory         8388608              8388608              bytes     \n"
         "Max realtime priority     unlimited            unlimited            \n");
    look(false);
    file("/proc/self/limits", "Max locked memory         lots\n");
    look(false);
}

static void a_hypervisor_shows_in_the_cpu_flags(void **state)
{
    file("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc hypervisor\n\n");
    look(false);
    file("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 108.00\n\n");
    look(false);
}

static void a_live_machine_is_tried_and_asked(void **state)
{
    struct st_facts *facts = collect(true);
    check_state(facts, "user.uid", ST_FACT_OK);
    st_facts_free(facts);
    look(true);
    assert_int_equal(st_fake_fail_at(p, "rt_rights", 0, -EIO), 0);
    look(true);
    /* hidepid= of the mount of /proc: process 1 is not seen, nor who else is there */
    file("/proc/700/stat", "700 (sh) S 1 7 7 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0 0 0 0 0 0 "
                           "0 0 0 0 0 0 0 0 0 0 0 0 0");
    facts = collect(true);
    check_state(facts, ST_KEY_PROCESSES_N, ST_FACT_UNREADABLE);
    st_facts_free(facts);
    static const gid_t many[2000]; /* more groups than there is room for, where root runs this */
    if (setgroups(ST_ARRAY_LEN(many), many) != 0)
        return;
    facts = collect(true);
    check_state(facts, ST_KEY_USER_GROUPS, ST_FACT_UNREADABLE);
    st_facts_free(facts);
}

static void live_freebsd_reads_its_sysctls(void **state)
{
    assert_int_equal(st_fake_set_sysctl(p, "kern.hz", "1000", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "kern.timecounter.alloweddeviation", "five", 0), 0);
    assert_int_equal(
        st_fake_set_sysctl(p, "kern.eventtimer.choice", "LAPIC(600) i8254(100) RTC(0)", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "kern.eventtimer.et.LAPIC.flags", "7", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "kern.eventtimer.et.RTC.flags", NULL, -EPERM), 0);
    look(true);
}

static void live_freebsd_reads_each_device_that_is_there(void **state)
{
    assert_int_equal(st_fake_set_sysctl(p, "kern.smp.cpus", "4", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "dev.cpu.3.cx_lowest", "C2", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "dev.pcm.2.%desc", "USB audio", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "dev.pcm.2.polling", NULL, -EPERM), 0);
    look(true);
}

/* A large machine has hundreds of states: those of the other CPUs are facts only where they
 * differ. */
static void idle_states_of_other_cpus_are_facts_where_they_differ(void **state)
{
    for (int cpu = 0; cpu < 40; cpu++) {
        for (int s = 0; s < 3; s++) {
            char path[96], text[16];
            ST_PRINT(path, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/latency", cpu, s);
            ST_PRINT(text, "%d\n", cpu == 3 && s == 2 ? 900 : 100 * s);
            file(path, text);
            ST_PRINT(path, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/disable", cpu, s);
            file(path, cpu == 5 && s == 1 ? "1\n" : "0\n");
        }
    }
    assert_int_equal(
        st_fake_set_file(p, "/sys/devices/system/cpu/cpu7/cpuidle/state1/latency", NULL, -EACCES),
        0);
    look(false);
}

static void live_freebsd_reads_its_files(void **state)
{
    file("/boot/loader.conf", "mac_priority_load=\"NO\"\nvfs.root.mountfrom=\"ufs:/dev/ada0\"\n");
    file("/boot/loader.conf.d/audio.conf", "mac_priority_load=\"YES\"\n");
    file("/etc/defaults/rc.conf", "powerd_enable=\"NO\"\npowerd_flags=\"\"\n");
    file("/etc/rc.conf", "hostname=secret\npowerd_enable=YES\npowerd_flags=\"$(date)\"\n");
    assert_int_equal(st_fake_set_file(p, "/etc/sysctl.conf", NULL, -EACCES), 0);
    file("/dev/sndstat", "Installed devices:\npcm1: <A> (play) default\n");
    file("/var/run/powerd.pid", "77\n");
    look(true);
    file("/dev/sndstat", "hello\n");
    look(true);
}

static void a_failing_read_never_becomes_a_value(void **state)
{
    file(CLOCKSOURCE, "tsc\n");
    assert_int_equal(st_fake_fail_at(p, "read_text", 0, -EIO), 0);
    struct st_facts *facts = collect(false);
    for (size_t i = 0; i < facts->n; i++)
        assert_true(facts->rows[i]->state != ST_FACT_OK);
    check_state(facts, "linux.clocksource.current", ST_FACT_UNREADABLE);
    st_facts_free(facts);
}

static void captured_trees_are_read_from_their_folders(void **state)
{
    static const char *const captures[] = {"linux-laptop", "freebsd-13.2", "freebsd-15.1"};
    ST_EACH (name, captures) {
        struct st_facts *facts;
        assert_int_equal(st_collect_dir(st_text(ST_CAPTURES_DIR "/%s", *name), &facts), 0);
        assert_int_equal(facts->time_ns, 0);
        show("of %s", st_os_rows[facts->os].name);
        show_facts(facts);
        st_facts_free(facts);
        shown_is(*name);
    }
}

static void other_folders_are_refused(void **state)
{
    struct st_facts *facts;
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR, &facts), -ENODATA);
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/nothing", &facts), -ENOENT);
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/README.md", &facts), -ENOTDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_machine_has_absent_facts_only),
        TEST(the_four_states_come_from_the_reading),
        TEST(a_file_that_is_too_long_is_unreadable),
        TEST(rtkit_cannot_be_asked_without_a_bus),
        TEST(without_pam_nothing_reads_limits),
        TEST(each_policy_and_idle_state_has_its_facts),
        TEST(the_configuration_is_that_of_the_running_release),
        TEST(a_release_with_a_slash_leads_nowhere),
        TEST(an_unreadable_configuration_is_not_absent),
        TEST(the_kernels_own_configuration_is_unpacked),
        TEST(a_configuration_says_yes_no_or_nothing),
        TEST(timer_list_counts_the_worst_cpu),
        TEST(the_cgroup_decides_where_the_limit_is),
        TEST(limits_of_a_captured_process_are_read),
        TEST(a_hypervisor_shows_in_the_cpu_flags),
        TEST(a_live_machine_is_tried_and_asked),
        cmocka_unit_test_setup_teardown(live_freebsd_reads_its_sysctls, setup_freebsd, teardown),
        cmocka_unit_test_setup_teardown(live_freebsd_reads_each_device_that_is_there, setup_freebsd,
                                        teardown),
        cmocka_unit_test_setup_teardown(live_freebsd_reads_its_files, setup_freebsd, teardown),
        TEST(idle_states_of_other_cpus_are_facts_where_they_differ),
        TEST(a_failing_read_never_becomes_a_value),
        cmocka_unit_test(captured_trees_are_read_from_their_folders),
        cmocka_unit_test(other_folders_are_refused),
    };
    return shown_run(tests);
}
