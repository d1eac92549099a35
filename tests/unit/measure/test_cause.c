/* What a late wake-up is put down to. */
#include "core/ns.h"
#include "measure/cause.h"
#include "tests/unit/unit.h"

#define ALL                                                                                        \
    (ST_COUNTER_CPU | ST_COUNTER_RUNQ_WAIT | ST_COUNTER_SWITCHES | ST_COUNTER_FAULTS |             \
     ST_COUNTER_CPU_NUMBER | ST_COUNTER_SUSPENDED)

static const struct st_cause_machine guest = {1, 50 * ST_NS_PER_MS};
static const struct st_cause_machine metal = {0, 50 * ST_NS_PER_MS};
static const struct st_cause_machine unknown_machine = {-1, 0};

static struct st_pauses pauses;

struct scene {
    struct st_cause_record record;
    struct st_cause_baseline base;
    struct st_cause_context context;
};

/* 3 ms late, 100 cycles after the baseline, nothing counted in between. */
static struct scene scene(void)
{
    struct scene s;
    memset(&s, 0, sizeof(s));
    memset(&pauses, 0, sizeof(pauses));
    s.context.looked = s.context.pauses = &pauses;
    s.record.at_ns = ST_NS_PER_S;
    s.record.lateness_ns = 3 * ST_NS_PER_MS;
    s.record.counters.valid = s.base.counters.valid = ALL;
    s.base.at_ns = ST_NS_PER_S / 2;
    s.context.cycle = 100;
    return s;
}

static enum st_cause judge(const struct scene *s, const struct st_cause_machine *machine)
{
    return st_cause_judge(&s->record, &s->base, &s->context, machine).cause;
}

static void wait_for_the_cpu_is_the_run_queue(void **state)
{
    struct scene s = scene();
    s.record.counters.runq_wait_ns = 2900000;
    assert_int_equal(judge(&s, &guest), ST_CAUSE_RUN_QUEUE);
    const struct st_cause_event e = st_cause_judge(&s.record, &s.base, &s.context, &guest);
    assert_int_equal(e.runq_wait_ns, 2900000);
}

static void usual_wait_of_the_cycles_between_is_taken_off(void **state)
{
    struct scene s = scene();
    s.record.counters.runq_wait_ns = 2000000;
    s.context.usual_wait_ns_per_cycle = 15000; /* 100 cycles: 1.5 ms of it is everyday wait */
    s.context.most_cpu_and_wait_ns_per_cycle = 15000;
    const struct st_cause_event e = st_cause_judge(&s.record, &s.base, &s.context, &guest);
    assert_int_equal(e.runq_wait_ns, 500000);
    assert_int_equal(e.cause, ST_CAUSE_HYPERVISOR_OR_INTERRUPT);
}

static void wait_longer_than_the_lateness_is_clipped(void **state)
{
    struct scene s = scene();
    s.record.counters.runq_wait_ns = 9 * ST_NS_PER_MS;
    const struct st_cause_event e = st_cause_judge(&s.record, &s.base, &s.context, &guest);
    assert_int_equal(e.runq_wait_ns, 3 * ST_NS_PER_MS);
}

static void hole_of_50_ms_is_rt_throttling(void **state)
{
    struct scene s = scene();
    s.record.lateness_ns = 50 * ST_NS_PER_MS;
    s.record.counters.runq_wait_ns = 49900000;
    assert_int_equal(judge(&s, &guest), ST_CAUSE_RT_THROTTLING);
    assert_int_equal(judge(&s, &unknown_machine), ST_CAUSE_RUN_QUEUE); /* no throttling there */
    s.context.normal_thread = true; /* the kernel throttles real-time threads only */
    assert_int_equal(judge(&s, &guest), ST_CAUSE_RUN_QUEUE);
    s.context.normal_thread = false;
    s.record.lateness_ns = s.record.counters.runq_wait_ns = 20 * ST_NS_PER_MS;
    assert_int_equal(judge(&s, &guest), ST_CAUSE_RUN_QUEUE);
}

static void major_fault_is_named_only_when_the_run_queue_does_not_explain_it(void **state)
{
    struct scene s = scene();
    s.record.counters.faults_major_n = 1;
    assert_int_equal(judge(&s, &metal), ST_CAUSE_PAGE_FAULT);
    s.record.counters.runq_wait_ns = 2900000;
    assert_int_equal(judge(&s, &metal), ST_CAUSE_RUN_QUEUE);
}

static void rest_is_the_timer_on_bare_metal_only(void **state)
{
    struct scene s = scene();
    assert_int_equal(judge(&s, &metal), ST_CAUSE_TIMER);
    assert_int_equal(judge(&s, &guest), ST_CAUSE_HYPERVISOR_OR_INTERRUPT);
    assert_int_equal(judge(&s, &unknown_machine), ST_CAUSE_HYPERVISOR_OR_INTERRUPT);
}

static void stop_is_known_by_what_ends_it(void **state)
{
    struct scene s = scene(); /* due at 997 ms, woke at 1000 ms */
    s.record.counters.faults_major_n = 1;
    pauses.continued_ns = 999 * ST_NS_PER_MS;
    const struct st_cause_event e = st_cause_judge(&s.record, &s.base, &s.context, &metal);
    assert_int_equal(e.cause, ST_CAUSE_STOPPED);
    assert_int_equal(e.explained_ns, 2 * ST_NS_PER_MS);
    pauses.continued_ns = 1001 * ST_NS_PER_MS; /* the handler ran after the loop */
    assert_int_equal(judge(&s, &metal), ST_CAUSE_STOPPED);
    pauses.continued_ns = 996 * ST_NS_PER_MS; /* before it was due: nothing to do with it */
    assert_int_equal(judge(&s, &metal), ST_CAUSE_PAGE_FAULT);
    pauses.continued_ns = 1200 * ST_NS_PER_MS; /* a later stop */
    assert_int_equal(judge(&s, &metal), ST_CAUSE_PAGE_FAULT);
    pauses.continued_ns = INT64_MIN;
    assert_int_equal(judge(&s, &metal), ST_CAUSE_PAGE_FAULT);
}

static void quota_is_a_part_of_the_wait_and_never_of_a_real_time_thread(void **state)
{
    struct scene s = scene();
    s.record.counters.runq_wait_ns = 2900000;
    pauses.quota_ns = 2800000;
    s.context.normal_thread = true;
    const struct st_cause_event e = st_cause_judge(&s.record, &s.base, &s.context, &metal);
    assert_int_equal(e.cause, ST_CAUSE_CPU_QUOTA);
    assert_int_equal(e.explained_ns, 2800000);
    s.context.normal_thread = false;
    assert_int_equal(judge(&s, &metal), ST_CAUSE_RUN_QUEUE);
    s.context.normal_thread = true;
    pauses.quota_ns = INT64_MIN; /* no quota is counted here */
    assert_int_equal(judge(&s, &metal), ST_CAUSE_RUN_QUEUE);
    pauses.quota_ns = 2800000;
    s.record.counters.runq_wait_ns = 0; /* others of the cgroup were throttled */
    assert_int_equal(judge(&s, &metal), ST_CAUSE_TIMER);
}

static void what_is_said_by_exclusion_explains_nothing_by_a_figure(void **state)
{
    struct scene s = scene();
    const struct st_cause_event timer = st_cause_judge(&s.record, &s.base, &s.context, &metal);
    assert_int_equal(timer.explained_ns, INT64_MIN);
    s.record.counters.runq_wait_ns = 2900000;
    const struct st_cause_event wait = st_cause_judge(&s.record, &s.base, &s.context, &metal);
    assert_int_equal(wait.explained_ns, 2900000);
}

static void wakes_that_share_a_look_share_what_was_counted_by_their_lateness(void **state)
{
    struct scene s = scene();
    s.context.together_n = 2;
    s.context.together_ns = 4 * ST_NS_PER_MS; /* the other one: 1 ms */
    s.record.counters.runq_wait_ns = 3600000;
    const struct st_cause_event e = st_cause_judge(&s.record, &s.base, &s.context, &metal);
    assert_int_equal(e.runq_wait_ns, 2700000);
    assert_int_equal(e.together_n, 2);
}

/* Of 3 ms the scheduler counted 1 ms as a wait; 1.9 ms went by after its last look at its clock. */
static struct scene charged_scene(void)
{
    struct scene s = scene();
    s.context.most_cpu_and_wait_ns_per_cycle = 8000;
    s.record.counters.runq_wait_ns = 1000000;
    s.record.counters.cpu_ns = 100 * 8000 + 1900000;
    return s;
}

static void wait_that_was_charged_as_cpu_time_is_found_there(void **state)
{
    struct scene s = charged_scene();
    struct st_cause_event e = st_cause_judge(&s.record, &s.base, &s.context, &metal);
    assert_int_equal(e.cause, ST_CAUSE_KERNEL);
    assert_int_equal(e.runq_wait_ns, 1000000);
    assert_int_equal(e.charged_ns, 1900000);
    assert_int_equal(e.explained_ns, 2900000);
    s.record.counters.runq_wait_ns =
        2000000; /* both together are longer than the lateness; the larger part names it */
    e = st_cause_judge(&s.record, &s.base, &s.context, &metal);
    assert_int_equal(e.cause, ST_CAUSE_RUN_QUEUE);
    assert_int_equal(e.charged_ns, 1000000);
    assert_int_equal(e.explained_ns, 3000000);
}

/* 187 cycles behind a look, of 8 us usually, up to 12. */
static void what_each_cycle_took_at_most_is_taken_off(void **state)
{
    struct scene s = scene();
    s.context.cycle = 187;
    s.context.most_cpu_and_wait_ns_per_cycle = 12000;
    s.record.lateness_ns = 750000; /* the timer's */
    for (int64_t cycle_ns = 8000; cycle_ns <= 12000; cycle_ns += 1000) {
        s.record.counters.cpu_ns = 187 * cycle_ns;
        const struct st_cause_event timer = st_cause_judge(&s.record, &s.base, &s.context, &metal);
        assert_int_equal(timer.cause, ST_CAUSE_TIMER);
        assert_int_equal(timer.charged_ns, 0);
    }
    s.record.lateness_ns = 2500000;
    s.record.counters.cpu_ns = 187 * 10000 + 2500000;
    const struct st_cause_event e = st_cause_judge(&s.record, &s.base, &s.context, &metal);
    assert_int_equal(e.cause, ST_CAUSE_KERNEL);
    assert_int_equal(e.explained_ns, 2500000 - 187 * 2000);
    assert_true(e.explained_ns >= 2500000 / 10 * 8);
}

static void what_other_cycles_may_have_waited_is_not_this_ones(void **state)
{
    struct scene s = charged_scene();
    s.context.others_late_ns = 1500000;
    struct st_cause_event e = st_cause_judge(&s.record, &s.base, &s.context, &metal);
    assert_int_equal(e.charged_ns, 400000);
    assert_int_equal(e.cause, ST_CAUSE_TIMER); /* 1.4 of 3 ms */
    s.context.others_late_ns = -1500000; /* they were less late than usual: nothing is added */
    e = st_cause_judge(&s.record, &s.base, &s.context, &metal);
    assert_int_equal(e.charged_ns, 1900000);
}

static void reading_pages_from_disk_takes_cpu_time_of_the_threads_own(void **state)
{
    struct scene s = charged_scene();
    s.record.counters.valid |= ST_COUNTER_FAULTS;
    s.base.counters.valid |= ST_COUNTER_FAULTS;
    s.record.counters.faults_major_n = s.base.counters.faults_major_n + 1;
    const struct st_cause_event e = st_cause_judge(&s.record, &s.base, &s.context, &metal);
    assert_int_equal(e.charged_ns, 0);
    assert_int_equal(e.cause, ST_CAUSE_PAGE_FAULT);
}

static void cpu_time_whose_amount_is_not_known_explains_nothing(void **state)
{
    struct scene s = charged_scene();
    s.context.most_cpu_and_wait_ns_per_cycle = -1;
    assert_int_equal(judge(&s, &metal), ST_CAUSE_TIMER);
    s = charged_scene();
    s.base.counters.valid &= ~(unsigned)ST_COUNTER_CPU;
    assert_int_equal(judge(&s, &metal), ST_CAUSE_TIMER);
    s = charged_scene();
    s.base.cycle = s.context.cycle; /* a look after the late cycle was done */
    assert_int_equal(judge(&s, &metal), ST_CAUSE_TIMER);
}

static void suspend_between_baseline_and_wake_is_named(void **state)
{
    struct scene s = scene();
    s.record.counters.suspended_ns = 5 * ST_NS_PER_S;
    s.record.counters.runq_wait_ns = 2900000;
    assert_int_equal(judge(&s, &metal), ST_CAUSE_SUSPEND);
    s.base.counters.valid &= ~ST_COUNTER_SUSPENDED; /* clock not there */
    assert_int_equal(judge(&s, &metal), ST_CAUSE_RUN_QUEUE);
}

static void without_counters_the_cause_is_unknown_never_guessed(void **state)
{
    struct scene s = scene();
    assert_int_equal(st_cause_judge(&s.record, NULL, &s.context, &metal).cause, ST_CAUSE_UNKNOWN);
    s.base.counters.valid = ALL & ~ST_COUNTER_RUNQ_WAIT;
    assert_int_equal(judge(&s, &metal), ST_CAUSE_UNKNOWN);
}

static void every_cause_has_a_name_and_a_text(void **state)
{
    for (int c = 0; c < ST_CAUSE_COUNT; c++) {
        assert_non_null(st_cause_kind_name((enum st_cause)c));
        assert_non_null(st_cause_kind_text((enum st_cause)c));
        for (int other = 0; other < c; other++)
            assert_string_not_equal(st_cause_kind_name((enum st_cause)c),
                                    st_cause_kind_name((enum st_cause)other));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wait_for_the_cpu_is_the_run_queue),
        cmocka_unit_test(usual_wait_of_the_cycles_between_is_taken_off),
        cmocka_unit_test(wait_longer_than_the_lateness_is_clipped),
        cmocka_unit_test(hole_of_50_ms_is_rt_throttling),
        cmocka_unit_test(major_fault_is_named_only_when_the_run_queue_does_not_explain_it),
        cmocka_unit_test(rest_is_the_timer_on_bare_metal_only),
        cmocka_unit_test(stop_is_known_by_what_ends_it),
        cmocka_unit_test(quota_is_a_part_of_the_wait_and_never_of_a_real_time_thread),
        cmocka_unit_test(what_is_said_by_exclusion_explains_nothing_by_a_figure),
        cmocka_unit_test(wakes_that_share_a_look_share_what_was_counted_by_their_lateness),
        cmocka_unit_test(reading_pages_from_disk_takes_cpu_time_of_the_threads_own),
        cmocka_unit_test(wait_that_was_charged_as_cpu_time_is_found_there),
        cmocka_unit_test(what_each_cycle_took_at_most_is_taken_off),
        cmocka_unit_test(what_other_cycles_may_have_waited_is_not_this_ones),
        cmocka_unit_test(cpu_time_whose_amount_is_not_known_explains_nothing),
        cmocka_unit_test(suspend_between_baseline_and_wake_is_named),
        cmocka_unit_test(without_counters_the_cause_is_unknown_never_guessed),
        cmocka_unit_test(every_cause_has_a_name_and_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
