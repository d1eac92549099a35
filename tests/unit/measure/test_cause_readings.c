/* Each reading of a machine names its cause, and only that one. The trees are quoted from machines:
 * thermal_throttle and kernel log of a ThinkPad T480 (erpalma/throttled issue 103: "Core
 * temperature above threshold, cpu clock throttled (total events = 2081)", package 2263), power
 * limits of a Xeon E5-2430 (collectd pull request 2397: core_power_limit_count 8), log lines of
 * split and bus locks (a test plan of Intel: "#AC: sl_test/4354 took a split_lock trap", "#DB:
 * sl_test/5137 took a bus_lock trap"), idle states of intel_idle's Kaby Lake table
 * (drivers/idle/intel_idle.c, skl_cstates: C10 890 us), sched_ext's state file
 * (Documentation/scheduler/sched-ext.rst: "enabled"), steal of proc(5), MSR 0x34 (Intel SDM,
 * MSR_SMI_COUNT). */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ns.h"
#include "measure/cause.h"
#include "tests/unit/unit.h"

#define CPU  "/sys/devices/system/cpu/cpu1/"
#define HEAT CPU "thermal_throttle/"
#define RAPL "/sys/class/powercap/intel-rapl:0/"

static char root[] = "/tmp/st_readings_XXXXXX";
static struct st_platform *tree;

static void make(const char *path, const char *text, size_t bytes, off_t at)
{
    char whole[256];
    ST_PRINT(whole, "%s%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(whole, 0700);
        *slash = '/';
    }
    const int fd = open(whole, O_WRONLY | O_CREAT | (at >= 0 ? O_TRUNC : O_APPEND), 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, text, bytes, at >= 0 ? at : lseek(fd, 0, SEEK_END)), bytes);
    close(fd);
}

static void put(const char *path, const char *text)
{
    if (strcmp(path, "/dev/cpu/1/msr") == 0) { /* eight bytes of the register */
        const uint64_t value = strtoull(text, NULL, 10);
        make(path, (const char *)&value, sizeof(value), 0x34);
    } else {
        make(path, text, strlen(text), strcmp(path, "/dev/kmsg") == 0 ? -1 : 0);
    }
}

static const struct scene {
    const char *path, *before, *after;
    enum st_cause cause;
    int64_t explained_ns;
    int64_t lateness_ns; /* 0: 3 ms */
} scenes[] = {
    {"/dev/cpu/1/msr", "1021", "1022", ST_CAUSE_FIRMWARE, INT64_MIN},
    {"/proc/stat", "cpu  1 2 3 4 5 6 7 9 0 0\ncpu0 1 2 3 4 5 6 7 4 0 0\ncpu1 1 2 3 4 5 6 7 5 0 0\n",
     "cpu  1 2 3 4 5 6 7 9 0 0\ncpu0 1 2 3 4 5 6 7 4 0 0\ncpu1 1 2 3 4 5 6 7 6 0 0\n",
     ST_CAUSE_STEAL, 3 * ST_NS_PER_MS},
    {"/dev/kmsg",
     "6,1,1,-;x86/split lock detection: #AC: crashing the kernel on kernel split_locks\n",
     "4,2,2,-;x86/split lock detection: #AC: sl_test/4354 took a split_lock trap at address: "
     "0x401231\n",
     ST_CAUSE_BUS_LOCK, INT64_MIN},
    {"/dev/kmsg", "",
     "4,3,3,-;x86/split lock detection: #DB: sl_test/5137 took a bus_lock trap at address: "
     "0x4011f5\n",
     ST_CAUSE_BUS_LOCK, INT64_MIN},
    {CPU "cpuidle/state1/usage", "700", "701", ST_CAUSE_IDLE_EXIT, 890000, 1333333},
    {HEAT "core_throttle_count", "2081", "2082", ST_CAUSE_HEAT, INT64_MIN},
    {HEAT "package_throttle_count", "2263", "2264", ST_CAUSE_HEAT, INT64_MIN},
    {HEAT "core_throttle_total_time_ms", "153", "155", ST_CAUSE_HEAT, 2 * ST_NS_PER_MS},
    {HEAT "core_power_limit_count", "8", "9", ST_CAUSE_POWER_LIMIT, INT64_MIN},
    {HEAT "package_power_limit_count", "8", "9", ST_CAUSE_POWER_LIMIT, INT64_MIN},
    {RAPL "energy_uj", "1000000", "151000000", ST_CAUSE_POWER_LIMIT, INT64_MIN},
    /* nothing to do with it */
    {"/proc/stat", "cpu1 1 2 3 4 5 6 7 5 0 0\n", "cpu1 9 9 9 9 9 9 9 5 0 0\n",
     ST_CAUSE_HYPERVISOR_OR_INTERRUPT, INT64_MIN},
    {"/dev/kmsg", "",
     "12,4,4,-;x86/split lock detection: #DB: a_user/1 took a bus_lock trap at address: 0x1\n",
     ST_CAUSE_HYPERVISOR_OR_INTERRUPT, INT64_MIN},
    {HEAT "core_throttle_total_time_ms", "153", "154", ST_CAUSE_HYPERVISOR_OR_INTERRUPT,
     INT64_MIN}, /* too short */
    {HEAT "core_throttle_count", "2081", "2081", ST_CAUSE_HYPERVISOR_OR_INTERRUPT, INT64_MIN},
    {CPU "cpuidle/state0/usage", "700", "701", ST_CAUSE_HYPERVISOR_OR_INTERRUPT,
     INT64_MIN}, /* 2 us */
};

static const struct st_cause_machine guest = {1, 50 * ST_NS_PER_MS};

/* All of them are there and do not move; then that of the scene does. */
static void set_scene(const struct scene *scene, struct st_readings *before,
                      struct st_readings *after)
{
    for (size_t i = ST_ARRAY_LEN(scenes); i-- > 0;)
        put(scenes[i].path, scenes[i].before);
    put(CPU "cpuidle/state0/latency", "2\n");
    put(CPU "cpuidle/state1/latency", "890\n");
    put(RAPL "constraint_0_power_limit_uw", "15000000\n");
    put(scene->path, scene->before);
    memset(before, 0, sizeof(*before));
    st_readings_read(tree, 1, true, INT64_MIN, before);
    *after = *before;
    put(scene->path, scene->after);
    st_readings_read(tree, 1, true, INT64_MIN, after);
    st_readings_close(after);
}

static int64_t lateness_ns = 3 * ST_NS_PER_MS;

/* The thread's own counters say nothing but the wait. */
static struct st_cause_event judge(const struct st_readings *before,
                                   const struct st_readings *after, const struct st_recent *usual,
                                   int64_t wait_ns, bool normal)
{
    const struct st_cause_baseline base = {.counters = {.valid = 0x3f, .cpu = 1},
                                           .readings = *before};
    const struct st_pauses pauses = {0};
    const struct st_cause_context context = {.cycle = 100,
                                             .pauses = &pauses,
                                             .readings = after,
                                             .usual_readings = usual,
                                             .normal_thread = normal};
    const struct st_cause_record record = {
        .at_ns = ST_NS_PER_S,
        .lateness_ns = lateness_ns,
        .counters = {.valid = 0x3f, .cpu = 1, .runq_wait_ns = wait_ns}};
    return st_cause_judge(&record, &base, &context, &guest);
}

static void each_reading_names_its_cause(void **state)
{
    struct st_readings before, after;
    for (size_t i = 0; i < ST_ARRAY_LEN(scenes); i++) {
        set_scene(&scenes[i], &before, &after);
        lateness_ns = scenes[i].lateness_ns != 0 ? scenes[i].lateness_ns : 3 * ST_NS_PER_MS;
        const struct st_cause_event event = judge(&before, &after, NULL, 0, false);
        if (event.cause != scenes[i].cause)
            print_message("# scene %zu, %s: %s\n", i, scenes[i].path,
                          st_cause_kind_name(event.cause));
        assert_int_equal(event.cause, scenes[i].cause);
        assert_int_equal(event.explained_ns, scenes[i].explained_ns);
    }
    lateness_ns = 3 * ST_NS_PER_MS;
    set_scene(&scenes[2], &before, &after);
    assert_string_equal(judge(&before, &after, NULL, 0, false).culprit, "sl_test/4354");
}

static void wait_for_the_cpu_comes_before_them(void **state)
{
    struct st_readings before, after;
    set_scene(&scenes[0], &before, &after);
    assert_int_equal(judge(&before, &after, NULL, 2900000, false).cause, ST_CAUSE_RUN_QUEUE);
}

static void what_grows_always_names_nothing(void **state)
{
    struct st_readings before, after;
    struct st_recent usual[ST_READINGS] = {0};
    set_scene(&scenes[0], &before, &after);
    st_recent_add(&usual[ST_READING_SMI], 1.0 / (double)(after.at_ns - before.at_ns));
    assert_int_equal(judge(&before, &after, usual, 0, false).cause,
                     ST_CAUSE_HYPERVISOR_OR_INTERRUPT);
    after.counts[ST_READING_SMI]++;
    assert_int_equal(judge(&before, &after, usual, 0, false).cause, ST_CAUSE_FIRMWARE);
}

static void readings_of_another_cpu_do_not_count(void **state)
{
    struct st_readings before, after;
    set_scene(&scenes[0], &before, &after);
    before.cpu = 0;
    assert_int_equal(judge(&before, &after, NULL, 0, false).cause,
                     ST_CAUSE_HYPERVISOR_OR_INTERRUPT);
    after.cpu = 0;
    assert_int_equal(judge(&before, &after, NULL, 0, false).cause,
                     ST_CAUSE_HYPERVISOR_OR_INTERRUPT);
}

static void sched_ext_decides_about_normal_threads_only(void **state)
{
    struct st_readings before, after;
    put("/sys/kernel/sched_ext/state", "enabled\n");
    set_scene(&scenes[11], &before, &after);
    assert_int_equal(judge(&before, &after, NULL, 2900000, true).cause, ST_CAUSE_SCHED_EXT);
    assert_int_equal(judge(&before, &after, NULL, 2900000, false).cause, ST_CAUSE_RUN_QUEUE);
    put("/sys/kernel/sched_ext/state", "disabled\n");
    set_scene(&scenes[11], &before, &after);
    assert_int_equal(judge(&before, &after, NULL, 2900000, true).cause, ST_CAUSE_RUN_QUEUE);
}

/* A callback of 4 ms in a period of 2.667 ms: it would have been in time at more than 1.5 times the
 * clock. */
static void long_callback_may_be_the_clock(void **state)
{
    struct st_readings before, after;
    const struct st_cause_event work = {
        .cause = ST_CAUSE_OWN_WORK, .lateness_ns = 1333333, .explained_ns = 1333333};
    struct st_cause_event event = work;
    put(CPU "cpufreq/scaling_cur_freq", "800000\n");
    put(CPU "cpufreq/scaling_max_freq", "4200000\n");
    put(CPU "cpufreq/cpuinfo_max_freq", "4200000\n");
    set_scene(&scenes[11], &before, &after);
    st_cause_judge_work(&before, &after, 4 * ST_NS_PER_MS, &event);
    assert_int_equal(event.cause, ST_CAUSE_SLOW_CLOCK);
    /* acpi-cpufreq with boost: only cpuinfo_max_freq is the boost's
     * (drivers/cpufreq/acpi-cpufreq.c: get_max_boost_ratio) */
    put(CPU "cpufreq/scaling_max_freq", "2800000\n");
    put(CPU "cpufreq/bios_limit", "2800000\n");
    put(CPU "cpufreq/scaling_available_frequencies", "2800000 2600000 800000 \n");
    set_scene(&scenes[11], &before, &after);
    event = work;
    st_cause_judge_work(&before, &after, 4 * ST_NS_PER_MS, &event);
    assert_int_equal(event.cause, ST_CAUSE_SLOW_CLOCK);
    put(CPU "cpufreq/scaling_cur_freq", "2800000\n");
    set_scene(&scenes[11], &before, &after);
    event = work;
    st_cause_judge_work(&before, &after, 4 * ST_NS_PER_MS, &event);
    assert_int_equal(event.cause, ST_CAUSE_OWN_WORK);
    put(CPU "cpufreq/scaling_cur_freq", "800000\n");
    put(CPU "cpufreq/bios_limit", "800000\n"); /* a laptop without its own charger */
    set_scene(&scenes[11], &before, &after);
    event = work;
    st_cause_judge_work(&before, &after, 4 * ST_NS_PER_MS, &event);
    assert_int_equal(event.cause, ST_CAUSE_POWER_LIMIT);
    set_scene(&scenes[5], &before, &after);
    event = work;
    st_cause_judge_work(&before, &after, 4 * ST_NS_PER_MS, &event);
    assert_int_equal(event.cause, ST_CAUSE_HEAT);
    put(CPU "cpufreq/scaling_cur_freq", "4100000\n"); /* near the highest: its own work */
    set_scene(&scenes[11], &before, &after);
    event = work;
    st_cause_judge_work(&before, &after, 4 * ST_NS_PER_MS, &event);
    assert_int_equal(event.cause, ST_CAUSE_OWN_WORK);
}

static void whole_machine_was_slower(void **state)
{
    struct st_readings before, after;
    set_scene(&scenes[5], &before, &after);
    assert_int_equal(st_cause_slowed(&before, &after), ST_CAUSE_HEAT);
    set_scene(&scenes[10], &before, &after);
    assert_int_equal(st_cause_slowed(&before, &after), ST_CAUSE_POWER_LIMIT);
    set_scene(&scenes[0], &before, &after); /* one interrupt slows nothing down */
    assert_int_equal(st_cause_slowed(&before, &after), ST_CAUSE_UNKNOWN);
}

static int set_up(void **state)
{
    return mkdtemp(root) != NULL && st_platform_root_new(root, &tree) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[128];
    st_platform_root_free(tree);
    ST_PRINT(command, "rm -r %s", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reading_names_its_cause),
        cmocka_unit_test(wait_for_the_cpu_comes_before_them),
        cmocka_unit_test(what_grows_always_names_nothing),
        cmocka_unit_test(readings_of_another_cpu_do_not_count),
        cmocka_unit_test(sched_ext_decides_about_normal_threads_only),
        cmocka_unit_test(long_callback_may_be_the_clock),
        cmocka_unit_test(whole_machine_was_slower),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
