/* Why a client was not ready: figures as they were seen with PipeWire 0.3.65 at 1024 frames,
 * rounded. */
#include "tests/unit/unit.h"
#include "xruns/helpers/dropout_judge.h"

#define US   INT64_C(1000)
#define MS   INT64_C(1000000)
#define FROM (INT64_C(28043) * 1000 * MS) /* the cycle began */

static struct st_dropout_figures at(int64_t signal_ns, int64_t awake_ns, int64_t end_ns)
{
    return (struct st_dropout_figures){.cycle_ns = FROM,
                                       .signal_ns = FROM + signal_ns,
                                       .awake_ns = awake_ns != 0 ? FROM + awake_ns : 0,
                                       .end_ns = FROM + end_ns,
                                       .deadline_ns = FROM + 21333 * US,
                                       .usual_signal_ns = 10 * US};
}

static struct st_dropout_figures measured(struct st_dropout_figures figures, int64_t cpu_ns,
                                          int64_t queue_ns)
{
    figures.measured = true;
    figures.cpu_ns = cpu_ns;
    figures.queue_ns = queue_ns;
    return figures;
}

static void expect(struct st_dropout_figures figures, enum st_dropout_reason reason)
{
    assert_string_equal(st_dropout_reason_name(st_dropout_judge(&figures)),
                        st_dropout_reason_name(reason));
}

static void one_that_computes_past_the_deadline_is_too_slow(void **state)
{
    expect(measured(at(10 * US, 40 * US, 34 * MS), 33900 * US, 60 * US), ST_DROPOUT_TOO_SLOW);
    expect(measured(at(10 * US, 40 * US, 21400 * US), 21350 * US, 5 * US), ST_DROPOUT_TOO_SLOW);
    /* not finished yet */
    expect(measured(at(10 * US, 40 * US, 321 * MS), 320 * MS, 0), ST_DROPOUT_TOO_SLOW);
}

static void one_that_waits_for_threads_of_its_own_computes(void **state)
{
    struct st_dropout_figures figures = measured(at(10 * US, 40 * US, 34 * MS), MS, 10 * US);
    figures.others_ns = 32 * MS;
    expect(figures, ST_DROPOUT_TOO_SLOW);
    assert_int_equal(st_dropout_judge_computed_ns(&figures), 33 * MS);
    figures.others_ns = 3 * MS; /* they had nothing to do with it */
    expect(figures, ST_DROPOUT_BLOCKED);
    figures.measured = false;
    assert_int_equal(st_dropout_judge_computed_ns(&figures), 0);
}

static void one_that_sleeps_in_its_cycle_does_not_compute(void **state)
{
    expect(measured(at(10 * US, 40 * US, 34 * MS), 50 * US, 10 * US), ST_DROPOUT_BLOCKED);
    /* not finished yet, and not known when it woke up */
    expect(measured(at(10 * US, 0, 321 * MS), 50 * US, 10 * US), ST_DROPOUT_BLOCKED);
    expect(measured(at(10 * US, 320 * MS, 321 * MS), 50 * US, 10 * US), ST_DROPOUT_BLOCKED);
}

static void one_whose_pages_are_read_from_disk_was_swapped_out(void **state)
{
    struct st_dropout_figures swapped = measured(at(10 * US, 40 * US, 34 * MS), 2200 * US, 60 * US);
    swapped.faults_n = 12;
    expect(swapped, ST_DROPOUT_SWAPPED_OUT);
    swapped.cpu_ns = 33 * MS; /* some pages, but it computed all the time */
    swapped.usual_ns = 3 * MS;
    expect(swapped, ST_DROPOUT_TOO_SLOW);
    swapped.faults_n = 40; /* the CPU time is that of making room for pages */
    expect(swapped, ST_DROPOUT_SWAPPED_OUT);
    swapped.usual_ns = 30 * MS; /* as without them */
    expect(swapped, ST_DROPOUT_TOO_SLOW);
    swapped.faults_n = UINT64_MAX;
    expect(swapped, ST_DROPOUT_TOO_SLOW);
    swapped.cpu_ns = 2200 * US;
    swapped.queue_ns = 31 * MS;
    expect(swapped, ST_DROPOUT_CPU_TAKEN);
}

/* As seen with PipeWire 1.4.2 beside 20 programs that compute: the Sampler reads pages of a file in
 * each 15th cycle, and waits for a CPU after each one. Faults of half a second ago took no CPU time
 * in a cycle in which it got none. */
static void one_that_waits_for_a_cpu_after_each_page_was_swapped_out(void **state)
{
    static const struct {
        int64_t took_us, late_us, cpu_us, usual_us, queue_us, wait_us;
        uint64_t faults_n;
        enum st_dropout_reason reason;
    } seen[] = {{41039, 19668, 9371, 4733, 41039, 39, 307, ST_DROPOUT_SWAPPED_OUT},
                {37387, 14870, 5982, 2876, 34809, 35, 68, ST_DROPOUT_SWAPPED_OUT},
                {24862, 337, 13393, 3342, 24862, 10035, 259, ST_DROPOUT_SWAPPED_OUT},
                {38091, 13349, 1565, 5124, 38091, 1113, 307, ST_DROPOUT_CPU_TAKEN},
                {91001, 69668, 0, 2784, 91001, 158, 19, ST_DROPOUT_CPU_TAKEN},
                {36065, 12376, 12434, 2936, 36065, 8708, 0, ST_DROPOUT_CPU_TAKEN}};
    ST_EACH (one, seen) {
        struct st_dropout_figures figures =
            measured(at(10 * US, 10 * US + one->wait_us * US, 10 * US + one->took_us * US),
                     one->cpu_us * US, one->queue_us * US);
        figures.deadline_ns = figures.end_ns - one->late_us * US;
        figures.usual_ns = one->usual_us * US;
        figures.faults_n = one->faults_n;
        expect(figures, one->reason);
    }
}

static void one_without_a_cpu_lost_it_to_somebody(void **state)
{
    struct st_dropout_figures taken = measured(at(10 * US, 30 * MS, 33 * MS), 2200 * US, 30 * MS);
    expect(taken, ST_DROPOUT_CPU_TAKEN); /* before it woke up */
    taken.taken_by_itself = true;
    expect(taken, ST_DROPOUT_CPU_TAKEN_BY_ITSELF);
    expect(measured(at(10 * US, 40 * US, 34 * MS), 2200 * US, 32 * MS),
           ST_DROPOUT_CPU_TAKEN); /* while it computed */
    expect(measured(at(10 * US, 40 * US, 22 * MS), 18 * MS, 3900 * US),
           ST_DROPOUT_CPU_TAKEN); /* just enough */
}

/* What it computed and how long it waited are each enough: what is known better is the reason. */
static void of_two_reasons_the_surer_is_told(void **state)
{
    struct st_dropout_figures figures = measured(at(10 * US, 40 * US, 44 * MS), 23 * MS, 23 * MS);
    expect(figures, ST_DROPOUT_TOO_SLOW);
    figures.cpu_error_ns = 2 * MS;
    expect(figures, ST_DROPOUT_CPU_TAKEN);
    figures.queue_ns = 20 * MS;
    expect(figures, ST_DROPOUT_TOO_SLOW);
}

static void too_short_a_wait_for_the_cpu_is_not_the_reason(void **state)
{
    expect(measured(at(10 * US, 40 * US, 34 * MS), 30 * MS, 4 * MS), ST_DROPOUT_TOO_SLOW);
    expect(measured(at(10 * US, 5 * MS, 34 * MS), 15 * MS, 9 * MS),
           ST_DROPOUT_UNKNOWN); /* each of several too short */
}

static void one_that_is_woken_late_and_was_not_queued(void **state)
{
    expect(measured(at(10 * US, 20 * MS, 22 * MS), 2 * MS, 10 * US), ST_DROPOUT_WOKEN_LATE);
    expect(measured(at(10 * US, 8 * MS, 24 * MS), 16 * MS, 10 * US), ST_DROPOUT_WOKEN_LATE);
    expect(at(10 * US, 20 * MS, 22 * MS), ST_DROPOUT_WOKEN_LATE);
}

static void without_the_figures_of_its_thread_it_is_unknown(void **state)
{
    expect(at(10 * US, 40 * US, 34 * MS), ST_DROPOUT_UNKNOWN);
    expect(at(10 * US, 0, 300 * MS), ST_DROPOUT_UNKNOWN);
    expect(at(0, 0, 0), ST_DROPOUT_UNKNOWN);
    expect((struct st_dropout_figures){0}, ST_DROPOUT_UNKNOWN);
}

static void one_that_was_stopped(void **state)
{
    struct st_dropout_figures figures = measured(at(10 * US, 45 * MS, 47 * MS), 2 * MS, 10 * US);
    figures.stopped = true;
    expect(figures, ST_DROPOUT_STOPPED);
    figures.of_server = true;
    expect(figures, ST_DROPOUT_WAITED_FOR_OTHER);
    figures.signal_ns = 0; /* not signalled in the cycle */
    expect(figures, ST_DROPOUT_WAITED_FOR_OTHER);
    figures.of_server = false;
    expect(figures, ST_DROPOUT_STOPPED);
}

static void one_whose_inputs_came_late_waited_for_another(void **state)
{
    struct st_dropout_figures late = at(18 * MS, 18040 * US, 23 * MS);
    late.waited = true;
    expect(measured(late, 5 * MS, 10 * US), ST_DROPOUT_WAITED_FOR_OTHER);
    expect(late, ST_DROPOUT_WAITED_FOR_OTHER);
    late.waited = false; /* by whom is not known, or by the server */
    expect(late, ST_DROPOUT_UNKNOWN);
    expect(measured(late, 5 * MS, 10 * US), ST_DROPOUT_UNKNOWN);
    /* it would not have been ready with its inputs in time either */
    late = at(MS, 1040 * US, 34 * MS);
    late.waited = true;
    expect(measured(late, 32960 * US, 10 * US), ST_DROPOUT_TOO_SLOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_computes_past_the_deadline_is_too_slow),
        cmocka_unit_test(one_that_waits_for_threads_of_its_own_computes),
        cmocka_unit_test(one_that_sleeps_in_its_cycle_does_not_compute),
        cmocka_unit_test(one_whose_pages_are_read_from_disk_was_swapped_out),
        cmocka_unit_test(one_that_waits_for_a_cpu_after_each_page_was_swapped_out),
        cmocka_unit_test(one_without_a_cpu_lost_it_to_somebody),
        cmocka_unit_test(of_two_reasons_the_surer_is_told),
        cmocka_unit_test(too_short_a_wait_for_the_cpu_is_not_the_reason),
        cmocka_unit_test(one_that_is_woken_late_and_was_not_queued),
        cmocka_unit_test(without_the_figures_of_its_thread_it_is_unknown),
        cmocka_unit_test(one_that_was_stopped),
        cmocka_unit_test(one_whose_inputs_came_late_waited_for_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
