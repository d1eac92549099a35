/* Collectors on a scripted tree, on the captures and on this machine. */
#include "advisor/collect/collect.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define POLICY      "/sys/devices/system/cpu/cpufreq/policy0/"

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

static struct st_facts *collect(struct st_platform *p, bool live)
{
    struct st_facts *facts;
    assert_int_equal(st_collect(p, live, &facts), 0);
    return facts;
}

static void check_state(const struct st_facts *facts, const char *key, enum st_fact_state expected)
{
    const struct st_fact *fact = st_facts_find(facts, key);
    if (fact == NULL)
        fail_msg("nobody looked for %s", key);
    else if (fact->state != expected)
        fail_msg("%s is %s, not %s", key, st_fact_state_names[fact->state], st_fact_state_names[expected]);
}

static void check_text(const struct st_facts *facts, const char *key, const char *expected)
{
    check_state(facts, key, ST_FACT_OK);
    assert_string_equal(st_facts_find(facts, key)->text, expected);
}

static void an_empty_machine_has_absent_facts_only(void **state)
{
    struct st_facts *facts = collect(*state, false);
    assert_true(facts->n > 20);
    for (size_t i = 0; i < facts->n; i++)
        check_state(facts, facts->rows[i]->key, ST_FACT_ABSENT);
    check_state(facts, "linux.cpufreq.present", ST_FACT_ABSENT);
    check_state(facts, "linux.cpuidle.driver", ST_FACT_ABSENT);
    check_state(facts, "linux.timer_list.hres_active", ST_FACT_ABSENT);
    st_facts_free(facts);
}

static void the_four_states_come_from_the_reading(void **state)
{
    struct st_platform *p = *state;
    file(p, CLOCKSOURCE, "tsc\n");
    file(p, "/proc/sys/kernel/sched_rt_runtime_us", "plenty\n");
    assert_int_equal(st_fake_set_file(p, "/sys/kernel/debug/sched/preempt", NULL, -EACCES), 0);
    struct st_facts *facts = collect(p, false);
    check_text(facts, "linux.clocksource.current", "tsc");
    assert_string_equal(st_facts_find(facts, "linux.clocksource.current")->source, CLOCKSOURCE);
    check_state(facts, "linux.sysctl.kernel.sched_rt_runtime_us", ST_FACT_MALFORMED);
    check_state(facts, "linux.preempt.debugfs", ST_FACT_UNREADABLE);
    assert_int_equal(st_facts_find(facts, "linux.preempt.debugfs")->error, EACCES);
    check_state(facts, "linux.sysctl.kernel.sched_rt_period_us", ST_FACT_ABSENT);
    assert_int_equal(st_facts_unreadable(facts), 2);
    st_facts_free(facts);
}

static void a_file_that_is_too_long_is_unreadable(void **state)
{
    struct st_platform *p = *state;
    char text[10000];
    memset(text, '1', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    file(p, CLOCKSOURCE, text);
    struct st_facts *facts = collect(p, false);
    check_state(facts, "linux.clocksource.current", ST_FACT_UNREADABLE);
    assert_int_equal(st_facts_find(facts, "linux.clocksource.current")->error, EFBIG);
    st_facts_free(facts);
}

/** Only a live machine can show that. */
static void without_pam_nothing_reads_limits(void **state)
{
    struct st_platform *p = *state;
    struct st_facts *facts = collect(p, false);
    assert_null(st_facts_find(facts, ST_KEY_PAM_MISSING));
    st_facts_free(facts);
    facts = collect(p, true);
    check_text(facts, ST_KEY_PAM_MISSING, "1");
    st_facts_free(facts);
    file(p, "/usr/lib/pam.d/login", "session required pam_limits.so\n");
    facts = collect(p, true);
    assert_null(st_facts_find(facts, ST_KEY_PAM_MISSING));
    st_facts_free(facts);
}

static void expect_bus(struct st_platform *p, bool live, bool is)
{
    struct st_facts *facts = collect(p, live);
    if (is)
        assert_null(st_facts_find(facts, "linux.rtkit.no_bus"));
    else
        check_text(facts, "linux.rtkit.no_bus", "1");
    st_facts_free(facts);
}

/** A live tree without the socket: only a captured one never has sockets. */
static void rtkit_cannot_be_asked_without_a_bus(void **state)
{
    static const char *const sockets[] = {"/run/dbus/system_bus_socket", "/var/run/dbus/system_bus_socket"};
    struct st_platform *p = *state;
    unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
    expect_bus(p, false, true);
    expect_bus(p, true, false);
    ST_EACH (socket, sockets) { /* one is the default of D-Bus, the other of sd-bus */
        assert_int_equal(st_fake_set_file(p, *socket, NULL, -ENXIO), 0); /* open(2) */
        expect_bus(p, true, true);
        assert_int_equal(st_fake_set_file(p, *socket, NULL, -EACCES), 0);
        expect_bus(p, true, true);
        assert_int_equal(st_fake_set_file(p, *socket, NULL, -ENOENT), 0);
        expect_bus(p, true, false);
    }
    assert_int_equal(setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/tmp/bus", 1), 0);
    expect_bus(p, true, true);
    unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
}

static void each_policy_and_idle_state_has_its_facts(void **state)
{
    struct st_platform *p = *state;
    file(p, POLICY "scaling_governor", "powersave\n");
    file(p, POLICY "scaling_driver", "intel_pstate\n");
    file(p, "/sys/devices/system/cpu/cpufreq/policy12/scaling_governor", "performance\n");
    file(p, "/sys/devices/system/cpu/cpufreq/ondemand/up_threshold", "95\n");
    file(p, "/sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "2\n");
    file(p, "/sys/devices/system/cpu/cpu0/cpuidle/state1/disable", "no\n");
    struct st_facts *facts = collect(p, false);
    check_text(facts, "linux.cpufreq.present", "1");
    check_text(facts, "linux.cpufreq.policy0.governor", "powersave");
    check_text(facts, "linux.cpufreq.policy0.driver", "intel_pstate");
    check_state(facts, "linux.cpufreq.policy0.epp", ST_FACT_ABSENT);
    check_text(facts, "linux.cpufreq.policy12.governor", "performance");
    assert_null(st_facts_find(facts, "linux.cpufreq.ondemand.governor"));
    check_text(facts, "linux.cpuidle.cpu0.state1.latency_us", "2");
    check_state(facts, "linux.cpuidle.cpu0.state1.disable", ST_FACT_MALFORMED);
    st_facts_free(facts);
}

static void the_configuration_is_that_of_the_running_release(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/sys/kernel/osrelease", "6.1.0-37-amd64\n");
    file(p, "/boot/config-6.1.0-36-amd64", "CONFIG_HZ=100\n");
    file(p, "/lib/modules/6.1.0-37-amd64/config",
         "CONFIG_HZ=250\nCONFIG_PREEMPT=\n# CONFIG_PREEMPT_RT is not set\n");
    struct st_facts *facts = collect(p, false);
    check_text(facts, "linux.config.HZ", "250");
    check_text(facts, "linux.config.PREEMPT_RT", "n");
    check_state(facts, "linux.config.PREEMPT", ST_FACT_MALFORMED);
    check_state(facts, "linux.config.HIGH_RES_TIMERS", ST_FACT_ABSENT);
    assert_string_equal(st_facts_find(facts, "linux.config.HZ")->source,
                        "/lib/modules/6.1.0-37-amd64/config");
    st_facts_free(facts);
}

static void a_release_with_a_slash_leads_nowhere(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/sys/kernel/osrelease", "../../secret\n");
    file(p, "/boot/config-../../secret", "CONFIG_HZ=250\n");
    struct st_facts *facts = collect(p, false);
    check_state(facts, "linux.config.HZ", ST_FACT_ABSENT);
    st_facts_free(facts);
}

static void an_unreadable_configuration_is_not_absent(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/sys/kernel/osrelease", "6.1\n");
    assert_int_equal(st_fake_set_file(p, "/boot/config-6.1", NULL, -EACCES), 0);
    struct st_facts *facts = collect(p, false);
    check_state(facts, "linux.config.HZ", ST_FACT_UNREADABLE);
    st_facts_free(facts);
}

/* Arch has no file in /boot, but CONFIG_IKCONFIG_PROC */
static void the_kernels_own_configuration_is_unpacked(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/sys/kernel/osrelease", "6.15.4-arch2-1\n");
    file(p, "/proc/config.gz", "\x1f\x8b\x08");
    assert_int_equal(st_fake_set_answer(p, "gzip -dc /proc/config.gz",
                                        "CONFIG_HZ=1000\n# CONFIG_PREEMPT_RT is not set\n", 0),
                     0);
    struct st_facts *facts = collect(p, true);
    check_text(facts, "linux.config.HZ", "1000");
    check_text(facts, "linux.config.PREEMPT_RT", "n");
    assert_string_equal(st_facts_find(facts, "linux.config.HZ")->source, "/proc/config.gz");
    st_facts_free(facts);
    /* of a captured machine it is not unpacked: then it is unknown, not absent */
    facts = collect(p, false);
    check_state(facts, "linux.config.HZ", ST_FACT_UNREADABLE);
    st_facts_free(facts);
    /* what can be read comes first */
    file(p, "/boot/config-6.15.4-arch2-1", "CONFIG_HZ=300\n");
    facts = collect(p, true);
    check_text(facts, "linux.config.HZ", "300");
    st_facts_free(facts);
}

static void a_configuration_says_yes_no_or_nothing(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/sys/kernel/osrelease", "6.1\n");
    file(p, "/boot/config-6.1",
         "# Linux/x86 6.1.140 Kernel Configuration\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n"
         "# CONFIG_PREEMPT_RT is not set\nCONFIG_PREEMPT_DYNAMIC=y\r\n# CONFIG_RT_GROUP_SCHED is set\n"
         "CONFIG_HIGH_RES_TIMERS=m");
    struct st_facts *facts = collect(p, false);
    check_text(facts, "linux.config.HZ", "250");
    check_text(facts, "linux.config.PREEMPT_RT", "n");
    check_text(facts, "linux.config.PREEMPT_DYNAMIC", "y");
    check_text(facts, "linux.config.HIGH_RES_TIMERS", "m");
    check_state(facts, "linux.config.PREEMPT", ST_FACT_ABSENT); /* only longer names begin with it */
    check_state(facts, "linux.config.RT_GROUP_SCHED", ST_FACT_ABSENT);
    st_facts_free(facts);
}

static void timer_list_counts_the_worst_cpu(void **state)
{
    static const struct {
        const char *text, *hres; /* NULL: malformed; "": absent */
        const char *resolution;
    } rows[] = {
        {"Timer List Version: v0.9\n", "", ""},
        {"  .hres_active    : 1\n", "1", ""},
        {"cpu: 0\n  .resolution: 1 nsecs\n  .hres_active    : 1\ncpu: 1\n  .hres_active    : 0\n"
         "  .hres_active    : 1\n",
         "0", "1"},
        {".hres_active : yes\n.resolution: -x nsecs\n", NULL, NULL},
        {".hres_active : 1\n.resolution: ", "1", ""}, /* the file was too long */
    };
    struct st_platform *p = *state;
    ST_EACH (row, rows) {
        const char *const expected[] = {row->hres, row->resolution};
        static const char *const keys[] = {"linux.timer_list.hres_active", "linux.timer_list.resolution_ns"};
        file(p, "/proc/timer_list", row->text);
        struct st_facts *facts = collect(p, false);
        for (size_t i = 0; i < ST_ARRAY_LEN(keys); i++) {
            if (expected[i] == NULL || expected[i][0] == '\0')
                check_state(facts, keys[i], expected[i] == NULL ? ST_FACT_MALFORMED : ST_FACT_ABSENT);
            else
                check_text(facts, keys[i], expected[i]);
        }
        st_facts_free(facts);
    }
}

static void the_cgroup_decides_where_the_limit_is(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/self/cgroup", "4:memory:/m\n2:cpu,cpuacct:/user.slice\n0::/\n");
    file(p, "/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.rt_runtime_us", "0\n");
    struct st_facts *facts = collect(p, false);
    check_text(facts, "linux.cgroup.rt_runtime_us", "0");
    st_facts_free(facts);
    file(p, "/proc/self/cgroup", "0::/user.slice\n");
    facts = collect(p, false);
    check_state(facts, "linux.cgroup.rt_runtime_us", ST_FACT_ABSENT);
    st_facts_free(facts);
    file(p, "/proc/self/cgroup", "garbage\n");
    facts = collect(p, false);
    check_state(facts, "linux.cgroup.rt_runtime_us", ST_FACT_ABSENT);
    st_facts_free(facts);
    file(p, "/proc/self/cgroup", "1:cpu:/../../etc\n");
    facts = collect(p, false);
    check_state(facts, "linux.cgroup.rt_runtime_us", ST_FACT_ABSENT);
    st_facts_free(facts);
}

static void limits_of_a_captured_process_are_read(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/self/limits",
         "Max locked memory         8388608              8388608              bytes     \n"
         "Max realtime priority     unlimited            unlimited            \n");
    struct st_facts *facts = collect(p, false);
    check_text(facts, "linux.rt.memlock_limit_bytes", "8388608");
    check_text(facts, "linux.rt.rtprio_limit", "-1");
    assert_null(st_facts_find(facts, "linux.rt.fifo_errno"));
    st_facts_free(facts);
    file(p, "/proc/self/limits", "Max locked memory         lots\n");
    facts = collect(p, false);
    check_state(facts, "linux.rt.memlock_limit_bytes", ST_FACT_MALFORMED);
    check_state(facts, "linux.rt.rtprio_limit", ST_FACT_ABSENT);
    st_facts_free(facts);
}

static void a_hypervisor_shows_in_the_cpu_flags(void **state)
{
    struct st_platform *p = *state;
    file(p, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc hypervisor\n\n");
    struct st_facts *facts = collect(p, false);
    check_text(facts, "linux.virtual", "1");
    check_state(facts, "system.hypervisor", ST_FACT_OK);
    st_facts_free(facts);
    file(p, "/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 108.00\n\n");
    facts = collect(p, false);
    check_state(facts, "linux.virtual", ST_FACT_ABSENT);
    st_facts_free(facts);
}

static void a_live_machine_is_tried_and_asked(void **state)
{
    struct st_platform *p = *state;
    struct st_facts *facts = collect(p, true);
    check_state(facts, "linux.rt.fifo_errno", ST_FACT_OK);
    check_text(facts, "linux.rt.fifo_priority", "70");
    check_state(facts, "linux.rt.memlock_limit_bytes", ST_FACT_OK);
    check_state(facts, "linux.timer_slack_ns", ST_FACT_OK);
    check_state(facts, "linux.clock_getres_ns", ST_FACT_OK);
    check_state(facts, "user.uid", ST_FACT_OK);
    st_facts_free(facts);
    assert_int_equal(st_fake_fail_at(p, "rt_rights", 0, -EIO), 0);
    facts = collect(p, true);
    check_state(facts, "linux.rt.fifo_errno", ST_FACT_UNREADABLE);
    st_facts_free(facts);
}

static void live_freebsd_reads_its_sysctls(void **state)
{
    struct st_platform *p = st_fake_new(ST_OS_FREEBSD, 0);
    assert_non_null(p);
    assert_int_equal(st_fake_set_sysctl(p, "kern.hz", "1000", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "kern.timecounter.alloweddeviation", "five", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "kern.eventtimer.choice", "LAPIC(600) i8254(100) RTC(0)", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "kern.eventtimer.et.LAPIC.flags", "7", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "kern.eventtimer.et.RTC.flags", NULL, -EPERM), 0);
    struct st_facts *facts = collect(p, true);
    check_text(facts, "freebsd.kern.hz", "1000");
    assert_string_equal(st_facts_find(facts, "freebsd.kern.hz")->source, "sysctl kern.hz");
    check_state(facts, "freebsd.kern.timecounter.alloweddeviation", ST_FACT_MALFORMED);
    check_state(facts, "freebsd.kern.timecounter.nanosleep_precise", ST_FACT_ABSENT);
    check_text(facts, "freebsd.kern.eventtimer.et.LAPIC.flags", "7");
    check_state(facts, "freebsd.kern.eventtimer.et.i8254.flags", ST_FACT_ABSENT);
    check_state(facts, "freebsd.kern.eventtimer.et.RTC.flags", ST_FACT_UNREADABLE);
    assert_null(st_facts_find(facts, "linux.rt.fifo_errno"));
    check_state(facts, "freebsd.rt.fifo_errno", ST_FACT_OK);
    check_state(facts, "freebsd.limits.memorylocked_bytes", ST_FACT_OK);
    st_facts_free(facts);
    st_fake_free(p);
}

static void live_freebsd_reads_each_device_that_is_there(void **state)
{
    struct st_platform *p = st_fake_new(ST_OS_FREEBSD, 0);
    assert_non_null(p);
    assert_int_equal(st_fake_set_sysctl(p, "kern.smp.cpus", "4", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "dev.cpu.3.cx_lowest", "C2", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "dev.pcm.2.%desc", "USB audio", 0), 0);
    assert_int_equal(st_fake_set_sysctl(p, "dev.pcm.2.polling", NULL, -EPERM), 0);
    struct st_facts *facts = collect(p, true);
    check_state(facts, "freebsd.dev.pcm.0.%desc", ST_FACT_ABSENT);
    assert_null(st_facts_find(facts, "freebsd.dev.pcm.1.%desc"));
    check_text(facts, "freebsd.dev.pcm.2.%desc", "USB audio");
    check_state(facts, "freebsd.dev.pcm.2.polling", ST_FACT_UNREADABLE);
    check_text(facts, "freebsd.dev.cpu.3.cx_lowest", "C2");
    st_facts_free(facts);
    st_fake_free(p);
}

/* A large machine has hundreds of states: those of the other CPUs are facts only where they differ. */
static void idle_states_of_other_cpus_are_facts_where_they_differ(void **state)
{
    struct st_platform *p = *state;
    for (int cpu = 0; cpu < 40; cpu++) {
        for (int s = 0; s < 3; s++) {
            char path[96], text[16];
            ST_PRINT(path, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/latency", cpu, s);
            ST_PRINT(text, "%d\n", cpu == 3 && s == 2 ? 900 : 100 * s);
            file(p, path, text);
            ST_PRINT(path, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/disable", cpu, s);
            file(p, path, cpu == 5 && s == 1 ? "1\n" : "0\n");
        }
    }
    assert_int_equal(
        st_fake_set_file(p, "/sys/devices/system/cpu/cpu7/cpuidle/state1/latency", NULL, -EACCES), 0);
    struct st_facts *facts = collect(p, false);
    check_text(facts, "linux.cpuidle.cpus_n", "32");
    check_text(facts, "linux.cpuidle.cpu3.state2.latency_us", "900");
    check_text(facts, "linux.cpuidle.cpu5.state1.disable", "1");
    check_state(facts, "linux.cpuidle.cpu7.state1.latency_us", ST_FACT_UNREADABLE);
    assert_null(st_facts_find(facts, "linux.cpuidle.cpu1.state1.latency_us"));
    assert_null(st_facts_find(facts, "linux.cpuidle.cpu3.state1.latency_us"));
    assert_null(st_facts_find(facts, "linux.cpuidle.cpu39.state1.latency_us"));
    st_facts_free(facts);
}

static void live_freebsd_reads_its_files(void **state)
{
    struct st_platform *p = st_fake_new(ST_OS_FREEBSD, 0);
    assert_non_null(p);
    file(p, "/boot/loader.conf", "mac_priority_load=\"NO\"\nvfs.root.mountfrom=\"ufs:/dev/ada0\"\n");
    file(p, "/boot/loader.conf.d/audio.conf", "mac_priority_load=\"YES\"\n");
    file(p, "/etc/defaults/rc.conf", "powerd_enable=\"NO\"\npowerd_flags=\"\"\n");
    file(p, "/etc/rc.conf", "hostname=secret\npowerd_enable=YES\npowerd_flags=\"$(date)\"\n");
    assert_int_equal(st_fake_set_file(p, "/etc/sysctl.conf", NULL, -EACCES), 0);
    file(p, "/dev/sndstat", "Installed devices:\npcm1: <A> (play) default\n");
    file(p, "/var/run/powerd.pid", "77\n");
    struct st_facts *facts = collect(p, true);
    check_text(facts, "freebsd.loader.mac_priority_load", "YES");
    assert_null(st_facts_find(facts, "freebsd.loader.vfs.root.mountfrom"));
    check_text(facts, "freebsd.rc.powerd_enable", "YES");
    check_state(facts, "freebsd.rc.powerd_flags", ST_FACT_MALFORMED);
    assert_null(st_facts_find(facts, "freebsd.rc.hostname"));
    check_state(facts, "freebsd.file.sysctl_conf", ST_FACT_UNREADABLE);
    check_state(facts, "freebsd.file.sndstat", ST_FACT_OK);
    check_text(facts, "freebsd.powerd.running", "1");
    file(p, "/dev/sndstat", "hello\n");
    st_facts_free(facts);
    facts = collect(p, true);
    check_state(facts, "freebsd.file.sndstat", ST_FACT_MALFORMED);
    st_facts_free(facts);
    st_fake_free(p);
}

/* Before 14.1 the loader reads loader.conf.local ahead of loader.conf.d, and of two lines the later
 * counts. */
static void the_version_of_freebsd_decides_about_loader_conf_local(void **state)
{
    static const struct {
        const char *osreldate, *hz;
    } rows[] = {{"1302001", "4000"}, {"1400097", "4000"}, {"1401000", "100"}, {"1501000", "100"}};
    ST_EACH (row, rows) {
        struct st_platform *p = st_fake_new(ST_OS_FREEBSD, 0);
        assert_non_null(p);
        assert_int_equal(st_fake_set_sysctl(p, "kern.osreldate", row->osreldate, 0), 0);
        file(p, "/boot/loader.conf", "kern.hz=\"1000\"\n");
        file(p, "/boot/loader.conf.d/audio.conf", "kern.hz=\"4000\"\n");
        file(p, "/boot/loader.conf.local", "kern.hz=\"100\"\n");
        struct st_facts *facts = collect(p, true);
        check_text(facts, "freebsd.loader.kern.hz", row->hz);
        st_facts_free(facts);
        st_fake_free(p);
    }
}

static void a_failing_read_never_becomes_a_value(void **state)
{
    struct st_platform *p = *state;
    file(p, CLOCKSOURCE, "tsc\n");
    assert_int_equal(st_fake_fail_at(p, "read_text", 0, -EIO), 0);
    struct st_facts *facts = collect(p, false);
    for (size_t i = 0; i < facts->n; i++)
        assert_true(facts->rows[i]->state != ST_FACT_OK);
    check_state(facts, "linux.clocksource.current", ST_FACT_UNREADABLE);
    st_facts_free(facts);
}

static void a_captured_tree_is_read_from_its_folder(void **state)
{
    struct st_facts *facts;
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/linux-laptop", &facts), 0);
    assert_int_equal(facts->os, ST_OS_LINUX);
    check_text(facts, "linux.kernel.release", "6.1.0-37-amd64");
    check_text(facts, "linux.config.HZ", "250");
    check_text(facts, "linux.cpufreq.policy1.epp", "balance_performance");
    check_text(facts, "linux.cpuidle.cpu0.state4.latency_us", "250");
    check_text(facts, "linux.timer_list.hres_active", "1");
    check_text(facts, "linux.pmqos.cpu_dma_latency_us", "2000000000");
    check_text(facts, "linux.virtual", "0");
    check_state(facts, "system.hypervisor", ST_FACT_ABSENT);
    check_text(facts, "linux.rt.rtprio_limit", "0");
    assert_int_equal(st_facts_unreadable(facts), 0);
    assert_int_equal(facts->time_ns, 0);
    st_facts_free(facts);
}

static void a_freebsd_capture_is_known_by_its_sysctls(void **state)
{
    struct st_facts *facts;
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/freebsd-13.2", &facts), 0);
    assert_int_equal(facts->os, ST_OS_FREEBSD);
    check_text(facts, "freebsd.kern.osreldate", "1302001");
    check_text(facts, "freebsd.kern.timecounter.alloweddeviation", "5");
    check_state(facts, "freebsd.kern.timecounter.nanosleep_precise", ST_FACT_ABSENT);
    check_state(facts, "freebsd.file.sndstat", ST_FACT_OK);
    check_text(facts, "freebsd.sndstat.pcm0.parent", "hdaa0");
    check_state(facts, "freebsd.file.rc_conf", ST_FACT_ABSENT);
    st_facts_free(facts);
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/freebsd-15.1", &facts), 0);
    check_text(facts, "freebsd.kern.timecounter.nanosleep_precise", "1");
    st_facts_free(facts);
}

static void other_folders_are_refused(void **state)
{
    struct st_facts *facts;
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR, &facts), -ENODATA);
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/nothing", &facts), -ENOENT);
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/README.md", &facts), -ENOTDIR);
}

#define WITH_FAKE(name) TEST(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FAKE(an_empty_machine_has_absent_facts_only),
        WITH_FAKE(the_four_states_come_from_the_reading),
        WITH_FAKE(a_file_that_is_too_long_is_unreadable),
        WITH_FAKE(rtkit_cannot_be_asked_without_a_bus),
        WITH_FAKE(without_pam_nothing_reads_limits),
        WITH_FAKE(each_policy_and_idle_state_has_its_facts),
        WITH_FAKE(the_configuration_is_that_of_the_running_release),
        WITH_FAKE(a_release_with_a_slash_leads_nowhere),
        WITH_FAKE(an_unreadable_configuration_is_not_absent),
        WITH_FAKE(the_kernels_own_configuration_is_unpacked),
        WITH_FAKE(a_configuration_says_yes_no_or_nothing),
        WITH_FAKE(timer_list_counts_the_worst_cpu),
        WITH_FAKE(the_cgroup_decides_where_the_limit_is),
        WITH_FAKE(limits_of_a_captured_process_are_read),
        WITH_FAKE(a_hypervisor_shows_in_the_cpu_flags),
        WITH_FAKE(a_live_machine_is_tried_and_asked),
        cmocka_unit_test(live_freebsd_reads_its_sysctls),
        cmocka_unit_test(live_freebsd_reads_each_device_that_is_there),
        cmocka_unit_test(live_freebsd_reads_its_files),
        cmocka_unit_test(the_version_of_freebsd_decides_about_loader_conf_local),
        WITH_FAKE(idle_states_of_other_cpus_are_facts_where_they_differ),
        WITH_FAKE(a_failing_read_never_becomes_a_value),
        cmocka_unit_test(a_captured_tree_is_read_from_its_folder),
        cmocka_unit_test(a_freebsd_capture_is_known_by_its_sysctls),
        cmocka_unit_test(other_folders_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
