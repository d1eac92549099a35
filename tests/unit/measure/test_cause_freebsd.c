/* What a late wake-up is put down to on a kernel that does not count the time on the run queue.
 * Figures of real kernels: FreeBSD 13.2 in an emulated machine
 * (../shared/fixtures/freebsd-run-2/13.2, and freebsd-13.2/ps-threads.txt). */
#include "core/tick.h"
#include "tests/unit/measure_fixture.h"
#include "tests/unit/unit.h"

#define VALID (ST_COUNTER_CPU | ST_COUNTER_SWITCHES | ST_COUNTER_FAULTS | ST_COUNTER_CPU_NUMBER)

static struct st_cause_machine machine;
static struct st_cause_record record;
static struct st_cause_baseline base;
static struct st_cause_context context;
static struct st_pauses looked, pauses;

/* ps-threads.txt: "11 100029 ... intr/irq22: hdac0"; vmstat-i.txt: 112 a second. The capture has no
 * run times. */
static const struct st_interrupt hdac0 = {.tid = 100029, .name = "irq22: hdac0", .cpu = 1};

/* status.json: the latest of the wake-ups, with what was counted of it: nothing. */
static int as_captured(void **state)
{
    machine = (struct st_cause_machine){.virtualised = 1};
    record = (struct st_cause_record){
        .at_ns = 17164836739, .lateness_ns = 6763993, .counters = {.valid = VALID, .cpu = 1}};
    base = (struct st_cause_baseline){
        .at_ns = record.at_ns - 24249090, .cycle = 100, .counters = {.valid = VALID, .cpu = 1}};
    looked.quota_ns = looked.continued_ns = INT64_MIN;
    looked.at_ns = base.at_ns;
    looked.interrupts_n = 1;
    looked.interrupts[0] = hdac0;
    context = (struct st_cause_context){
        .cycle = 106, .most_cpu_and_wait_ns_per_cycle = -1, .looked = &looked, .pauses = &pauses};
    pauses = looked;
    pauses.at_ns = base.at_ns + 250 * ST_NS_PER_MS;
    return 0;
}

static struct st_cause_event judge(void)
{
    return st_cause_judge(&record, &base, &context, &machine);
}

static int64_t stretch_ns(int64_t percent, int64_t hz)
{
    struct st_tick_late late;
    assert_int_equal(st_tick_late(percent, hz, 8e6 / 3, &late), 0);
    return (int64_t)late.max_ns;
}

static void where_nothing_grew_the_cause_stays_unknown(void **state)
{
    machine.stretch_ns = stretch_ns(5, 100); /* 166.7 us of 6.764 ms */
    const struct st_cause_event event = judge();
    assert_int_equal(event.cause, ST_CAUSE_UNKNOWN);
    assert_true(event.explained_ns == INT64_MIN);
    assert_string_equal(event.culprit, "");
}

/* alloweddeviation-icount-hz1000.txt: at 50 % an independent loop was late by up to 2220.9 us, at
 * 20 % by 672.7. */
static void sleep_that_the_kernel_made_longer_is_explained_by_its_formula(void **state)
{
    machine.stretch_ns = stretch_ns(50, 1000);
    assert_int_equal(machine.stretch_ns, 2333333);
    record.lateness_ns = 2220900;
    struct st_cause_event event = judge();
    assert_int_equal(event.cause, ST_CAUSE_STRETCHED);
    assert_int_equal(event.explained_ns, 2220900);
    machine.stretch_ns = stretch_ns(20, 1000);
    record.lateness_ns = 672700;
    event = judge();
    assert_int_equal(event.cause, ST_CAUSE_STRETCHED);
    assert_int_equal(event.explained_ns, 666666);
    record.lateness_ns = 1400000; /* more than twice of it is something else */
    assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
}

static void interrupt_is_named_if_it_ran_on_that_cpu_for_half_the_lateness(void **state)
{
    context.most_interrupt_share = 0;
    pauses.interrupts[0].run_ns = 4 * ST_NS_PER_MS;
    const struct st_cause_event event = judge();
    assert_int_equal(event.cause, ST_CAUSE_KERNEL);
    assert_int_equal(event.explained_ns, 4 * ST_NS_PER_MS);
    assert_string_equal(event.culprit, "irq22: hdac0");
    pauses.interrupts[0].run_ns = 3 * ST_NS_PER_MS; /* less than half of 6.764 ms */
    assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
    pauses.interrupts[0].run_ns = 4 * ST_NS_PER_MS;
    pauses.interrupts[0].cpu = 0; /* it ran elsewhere */
    assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
}

/* freebsd-run-3.md: a program at a better real-time priority kept the CPU for 8 ms; ru_nivcsw did
 * not count it */
static void real_time_thread_of_another_program_is_named(void **state)
{
    context.most_interrupt_share = 0;
    pauses.interrupts[1] = looked.interrupts[1] =
        (struct st_interrupt){.tid = 100093, .is_program = true, .name = "hog", .cpu = 1};
    pauses.interrupts_n = looked.interrupts_n = 2;
    pauses.interrupts[0].run_ns = 20 * ST_NS_PER_US;
    pauses.interrupts[1].run_ns = 8 * ST_NS_PER_MS;
    const struct st_cause_event event = judge();
    assert_int_equal(event.cause, ST_CAUSE_RUN_QUEUE);
    assert_int_equal(event.explained_ns, record.lateness_ns);
    assert_string_equal(event.culprit, "hog");
    looked.interrupts_n = 1; /* its run time before is not known, */
    assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
    pauses.interrupts[1].began_ns =
        looked.at_ns + ST_NS_PER_MS; /* but that it began after the look */
    assert_string_equal(judge().culprit, "hog");
    context.named_ns = 5 * ST_NS_PER_MS; /* another wake-up was late by that */
    assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
}

static void usual_time_of_interrupts_is_taken_off(void **state)
{
    pauses.interrupts[0].run_ns = 20 * ST_NS_PER_MS;
    context.most_interrupt_share = 0.07; /* 17.5 ms in 250 */
    assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
    context.most_interrupt_share = 0.06;
    assert_int_equal(judge().explained_ns, 5 * ST_NS_PER_MS);
    context.most_interrupt_share = -1; /* no look without a late wake-up so far */
    assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
}

static void switch_that_the_thread_did_not_ask_for_is_another_thread(void **state)
{
    record.counters.switches_involuntary_n = 1;
    const struct st_cause_event event = judge();
    assert_int_equal(event.cause, ST_CAUSE_RUN_QUEUE);
    assert_true(event.explained_ns == INT64_MIN); /* how long it had to wait was not counted */
    context.together_n = 2;                       /* one switch for two late wake-ups */
    assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
    context.together_n = 1;
    context.most_switches_per_cycle =
        0.5; /* 3 of 6 cycles: a thread that is switched all the time */
    record.counters.switches_involuntary_n = 3;
    assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
    record.counters.switches_involuntary_n = 4;
    assert_int_equal(judge().cause, ST_CAUSE_RUN_QUEUE);
}

static void page_from_disk_is_named_where_nothing_else_is(void **state)
{
    record.counters.faults_major_n = 1;
    assert_int_equal(judge().cause, ST_CAUSE_PAGE_FAULT);
    record.counters.switches_involuntary_n = 1;
    assert_int_equal(judge().cause, ST_CAUSE_RUN_QUEUE);
}

static void stop_is_seen_as_on_linux(void **state)
{
    pauses.continued_ns = record.at_ns - ST_NS_PER_MS;
    assert_int_equal(judge().cause, ST_CAUSE_STOPPED);
}

/* --- readings: sysctls of one CPU --- */

/* States and counters of a PC Engines APU2 (pcengines/apu2-documentation: "C1/1/0 C2/2/400", "382
 * 6500", "1000/924 800/760 600/571"), throttle_log as coretemp(4) has it. */
static const struct reading_case {
    const char *name, *before, *after;
    enum st_cause cause;
    int64_t explained_ns;
} readings[] = {
    {"cx_usage_counters", "382 6500", "382 6501", ST_CAUSE_IDLE_EXIT, 400000},
    {"cx_usage_counters", "382 6500", "391 6500", ST_CAUSE_UNKNOWN,
     INT64_MIN}, /* C1 needs no time */
    {"cx_usage_counters", "382 6500", "2 1", ST_CAUSE_UNKNOWN,
     INT64_MIN}, /* cx_lowest was set: they begin anew */
    {"cx_usage_counters", "382 6500", "many", ST_CAUSE_UNKNOWN, INT64_MIN},
    {"coretemp.throttle_log", "0", "1", ST_CAUSE_HEAT, INT64_MIN},
    {"coretemp.throttle_log", "1", "1", ST_CAUSE_UNKNOWN, INT64_MIN}, /* it stays 1 */
    {"temperature", "30.0C", "99.0C", ST_CAUSE_UNKNOWN, INT64_MIN},
};

static void put(struct st_platform *fake, const char *name, const char *text)
{
    char sysctl[64];
    ST_PRINT(sysctl, "dev.cpu.1.%s", name);
    assert_int_equal(st_fake_set_sysctl(fake, sysctl, text, 0), 0);
}

static void reading_that_grew_names_its_cause(void **state)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(readings); i++) {
        struct st_platform *fake = st_fake_new(ST_OS_FREEBSD, 5 * ST_NS_PER_S);
        struct st_readings now = {0};
        as_captured(state);
        put(fake, "cx_supported", "C1/1/0 C2/2/400");
        put(fake, readings[i].name, readings[i].before);
        st_readings_read(fake, 1, false, INT64_MIN, &now);
        base.readings = now;
        put(fake, readings[i].name, readings[i].after);
        st_fake_advance(fake, 250 * ST_NS_PER_MS);
        st_readings_read(fake, 1, false, INT64_MIN, &now);
        context.readings = &now;
        record.lateness_ns = 700000;
        const struct st_cause_event event = judge();
        if (event.cause != readings[i].cause || event.explained_ns != readings[i].explained_ns)
            fail_msg("%zu: cause %d", i, (int)event.cause);
        record.lateness_ns = 900000; /* more than twice the exit of C2 */
        if (readings[i].cause == ST_CAUSE_IDLE_EXIT)
            assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
        st_fake_free(fake);
    }
}

static void callback_at_a_low_clock_is_slow_clock(void **state)
{
    struct st_platform *fake = st_fake_new(ST_OS_FREEBSD, 5 * ST_NS_PER_S);
    struct st_readings now = {0};
    struct st_cause_event event = {.cause = ST_CAUSE_OWN_WORK, .lateness_ns = 500000};
    assert_int_equal(st_fake_set_sysctl(fake, "dev.cpu.0.freq", "600", 0), 0);
    assert_int_equal(
        st_fake_set_sysctl(fake, "dev.cpu.0.freq_levels", "1000/924 800/760 600/571", 0), 0);
    st_readings_read(fake, 1, false, INT64_MIN, &now);
    assert_int_equal(now.clock_khz, 600000);
    assert_int_equal(now.clock_highest_khz, 1000000);
    st_cause_judge_work(&now, &now, 2000000, &event);
    assert_int_equal(event.cause, ST_CAUSE_SLOW_CLOCK);
    st_fake_free(fake);
}

/* acpi_resync_clock(): resuming sets the wall clock; see platform_freebsd.c. */
static void wall_clock_that_moved_ahead_is_a_suspend(void **state)
{
    record.counters.valid |= ST_COUNTER_SUSPENDED;
    base.counters.valid |= ST_COUNTER_SUSPENDED;
    record.counters.suspended_ns = 30 * ST_NS_PER_S;
    assert_int_equal(judge().cause, ST_CAUSE_SUSPEND);
    record.counters.suspended_ns = ST_NS_PER_S; /* as ntpd steps a clock */
    assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
    record.counters.suspended_ns = -30 * ST_NS_PER_S;
    assert_int_equal(judge().cause, ST_CAUSE_UNKNOWN);
}

/* --- through the loop and its drain: a look each 10 cycles, late in the middle of some --- */

static struct {
    struct bench bench;
    struct st_pauses pauses;
    int64_t quiet_ns,
        late_ns; /* what the thread runs for between two looks; longer if the loop is late there */
    int (*sleep)(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING;
} run;
static int64_t script_ns[100];

static void look(void)
{
    const uint64_t cycle = atomic_load(&run.bench.loop.cycles_seen);
    struct st_platform *platform = run.bench.fake;
    run.pauses.at_ns = platform->now_ns(platform);
    run.pauses.interrupts[0].run_ns += run.quiet_ns + (script_ns[cycle - 5] > 0 ? run.late_ns : 0);
    st_fake_set_pauses(run.bench.fake, &run.pauses);
    st_drain_step(&run.bench.drain);
}

static int sleep_and_look(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING
{
    const uint64_t cycle = atomic_load(&run.bench.loop.cycles_seen);
    if (cycle > 0 && cycle % 10 == 0) {
        look();
        st_drain_baseline(&run.bench.drain);
    }
    return run.sleep(platform, due_ns);
}

/* 100 cycles, those at first, first + step ... late. */
static void run_late(struct st_interrupt thread, size_t first, size_t step, int64_t lateness_ns)
{
    struct bench *b = &run.bench;
    bench_init(b, 4096, 100 + 10 * (uint64_t)(lateness_ns / 1333333));
    const struct st_thread_counters counters = {.valid = VALID, .cpu = 1};
    st_fake_set_counters(b->fake, &counters);
    run.pauses = looked;
    run.pauses.interrupts[0] = thread;
    run.sleep = b->fake->sleep_until_ns;
    b->fake->sleep_until_ns = sleep_and_look;
    b->loop.cause_above_ns = 600000;
    b->loop.counters = &b->counters;
    memset(script_ns, 0, sizeof(script_ns));
    for (size_t i = first; i < ST_ARRAY_LEN(script_ns); i += step)
        script_ns[i] = lateness_ns;
    bench_script(b, script_ns, ST_ARRAY_LEN(script_ns), 0);
    assert_int_equal(st_loop_run(&b->loop), 0);
    st_drain_step(&b->drain);
    st_drain_finish(&b->drain);
}

static void interrupt_is_found_between_two_drains(void **state)
{
    run.quiet_ns = 100000;
    run.late_ns = 700000;
    run_late(hdac0, 35, 100, 750000);
    assert_int_equal(run.bench.result.causes[ST_CAUSE_KERNEL].n, 1);
    assert_string_equal(run.bench.latest.culprit, "irq22: hdac0");
    assert_int_equal(run.bench.latest.explained_ns, 700000);
    bench_finish(&run.bench);
}

/* o10/b-hog-015s.txt: a program that ran for 4 ms of each 150 ms since before the start. At
 * 8b8d5cff: "52 x unknown: the time spent waiting for a CPU could not be read". */
static void program_that_is_busy_in_each_look_is_named_from_the_second_on(void **state)
{
    const struct st_interrupt hog = {.tid = 100093, .is_program = true, .name = "hog", .cpu = 1};
    run.quiet_ns = 20000;
    run.late_ns = 4 * ST_NS_PER_MS;
    run_late(hog, 5, 10, 2620000);
    assert_int_equal(run.bench.result.causes[ST_CAUSE_RUN_QUEUE].n, 7);
    assert_int_equal(run.bench.result.causes[ST_CAUSE_UNKNOWN].n,
                     3); /* behind the last one there is no look */
    bench_finish(&run.bench);
    run.quiet_ns =
        4 * ST_NS_PER_MS; /* an interrupt that runs for longer than the loop is late is usual */
    run.late_ns = 0;
    run_late(hdac0, 5, 10, 800000);
    assert_int_equal(run.bench.result.causes[ST_CAUSE_KERNEL].n, 0);
    bench_finish(&run.bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(where_nothing_grew_the_cause_stays_unknown, as_captured),
        cmocka_unit_test_setup(sleep_that_the_kernel_made_longer_is_explained_by_its_formula,
                               as_captured),
        cmocka_unit_test_setup(interrupt_is_named_if_it_ran_on_that_cpu_for_half_the_lateness,
                               as_captured),
        cmocka_unit_test_setup(real_time_thread_of_another_program_is_named, as_captured),
        cmocka_unit_test_setup(usual_time_of_interrupts_is_taken_off, as_captured),
        cmocka_unit_test_setup(switch_that_the_thread_did_not_ask_for_is_another_thread,
                               as_captured),
        cmocka_unit_test_setup(page_from_disk_is_named_where_nothing_else_is, as_captured),
        cmocka_unit_test_setup(stop_is_seen_as_on_linux, as_captured),
        cmocka_unit_test_setup(reading_that_grew_names_its_cause, as_captured),
        cmocka_unit_test_setup(callback_at_a_low_clock_is_slow_clock, as_captured),
        cmocka_unit_test_setup(wall_clock_that_moved_ahead_is_a_suspend, as_captured),
        cmocka_unit_test_setup(interrupt_is_found_between_two_drains, as_captured),
        cmocka_unit_test_setup(program_that_is_busy_in_each_look_is_named_from_the_second_on,
                               as_captured),
    };
    return cmocka_run_group_tests_name("cause_freebsd", tests, NULL, NULL);
}
