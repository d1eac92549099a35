/* CPU time of a late cycle, and who had the CPU: windows as they were seen in a guest with PipeWire
 * 0.3.65, one CPU and a client that computes 10 % of each period and 150 % of each 20th,
 * rounded. */
#include "tests/unit/unit.h"
#include "xruns/helpers/thread_window.h"

#define US   INT64_C(1000)
#define MS   INT64_C(1000000)
#define FROM (INT64_C(28043) * 1000 * MS) /* its inputs were ready */

/* At 1024 frames; usually it needs 2.19 ms. */
static struct st_dropout_figures late_cycle(int64_t end_us)
{
    return (struct st_dropout_figures){.cycle_ns = FROM,
                                       .signal_ns = FROM,
                                       .awake_ns = FROM + 1130 * US,
                                       .end_ns = FROM + end_us * US,
                                       .deadline_ns = FROM + 21350 * US,
                                       .usual_ns = 2190 * US};
}

static void expect(int64_t from_us, int64_t end_us, int64_t to_us, int64_t ran_us, bool clear)
{
    struct st_dropout_figures figures = late_cycle(end_us);
    const struct st_thread_window window = {.from_ns = FROM + from_us * US,
                                            .to_ns = FROM + to_us * US,
                                            .ran_ns = ran_us * US,
                                            .process_ns = ran_us * US,
                                            .used = 0.16,
                                            .process_used = 0.16,
                                            .tick_ns = 4 * MS};
    st_thread_window_take(&window, &figures);
    assert_in_range(figures.cpu_ns, 31950 * US, 32150 * US); /* 32.0 by its own clock */
    assert_in_range(figures.cpu_error_ns, clear ? 0 : 2 * MS, clear ? 850 * US : 3100 * US);
    assert_int_equal(figures.others_ns, 0);
}

static void what_other_cycles_needed_is_taken_off(void **state)
{
    expect(-20220, 34420, 63500, 38610, false); /* one was computed just then */
    expect(-14970, 36850, 49260, 36420, true);
    expect(-4640, 34660, 39580, 34230, true);
    expect(-17270, 40070, 47170, 36420, false);
    expect(-17960, 62150, 83520, 36420, false); /* two of them came while it ran, and were one */
    expect(-14970, 62150, 83520, 36420, true);
    expect(-14970, 68140, 76210, 34240, true);
    expect(-1350, 88370, 102660, 34240, true);
}

/* As seen on Debian 13 with PipeWire 1.4.2: a JACK client that computes 20 % of each period,
 * and 27.7 ms in each 20th cycle, sleeps from its end up to the second cycle after that. */
static void a_client_that_sleeps_through_the_next_cycle_has_nothing_taken_off_for_it(void **state)
{
    const struct {
        int64_t wait_us, end_us, from_us, to_us, ran_us, usual_us;
    } seen[] = {{48, 28387, -16098, 45580, 30574, 4171},
                {265, 28558, -16519, 45691, 30679, 4388},
                {59, 28679, -19462, 61591, 34665, 4179}};
    ST_EACH (one, seen) {
        struct st_dropout_figures figures = {.cycle_ns = FROM,
                                             .signal_ns = FROM,
                                             .awake_ns = FROM + one->wait_us * US,
                                             .end_ns = FROM + one->end_us * US,
                                             .deadline_ns = FROM + 21333 * US,
                                             .usual_ns = one->usual_us * US,
                                             .skips_next = true};
        const struct st_thread_window window = {.from_ns = FROM + one->from_us * US,
                                                .to_ns = FROM + one->to_us * US,
                                                .ran_ns = one->ran_us * US,
                                                .process_ns = one->ran_us * US,
                                                .used = 0.25,
                                                .process_used = 0.25,
                                                .tick_ns = 4 * MS};
        st_thread_window_take(&window, &figures);
        assert_in_range(figures.cpu_ns, 27300 * US, 28200 * US);
    }
}

/* Which of its threads computes is not known yet: the one that is sampled sleeps. */
static void other_threads_of_its_process_have_other_cycles_too(void **state)
{
    struct st_dropout_figures figures = late_cycle(36850);
    struct st_thread_window window = {.from_ns = FROM - 14970 * US,
                                      .to_ns = FROM + 49260 * US,
                                      .process_ns = 36420 * US,
                                      .process_used = 0.16,
                                      .tick_ns = 4 * MS};
    st_thread_window_take(&window, &figures);
    assert_int_equal(figures.cpu_ns, 0);
    assert_in_range(figures.others_ns, 31950 * US, 32150 * US);
    assert_in_range(figures.cpu_error_ns, 500 * US, 600 * US);
    /* within one tick it may not be charged */
    figures = late_cycle(36850);
    window.to_ns = figures.end_ns + 3 * MS;
    st_thread_window_take(&window, &figures);
    assert_in_range(figures.cpu_error_ns, 6 * MS, 7 * MS);
}

/* A client that computes 130 % in each 20th cycle, beside four programs that compute, as all do at
 * nice -20: the observer got no CPU for 2.3 s. It took 68 ms, 27.7 of them by its own clock. */
static void a_window_with_many_cycles_tells_little(void **state)
{
    struct st_dropout_figures figures = {.cycle_ns = FROM,
                                         .signal_ns = FROM,
                                         .awake_ns = FROM + 37 * US,
                                         .end_ns = FROM + 68294 * US,
                                         .deadline_ns = FROM + 21333 * US,
                                         .usual_ns = 1071 * US};
    const struct st_thread_window window = {.from_ns = FROM - 900 * MS,
                                            .to_ns = FROM + 1430 * MS,
                                            .ran_ns = 250 * MS,
                                            .process_ns = 250 * MS,
                                            .used = 0.107,
                                            .process_used = 0.107,
                                            .tick_ns = 4 * MS};
    st_thread_window_take(&window, &figures);
    assert_true(figures.cpu_ns - figures.cpu_error_ns < 27700 * US);
    /* samples 80 ms apart, as of many threads; another thread of the same program draws all the
     * time */
    figures = (struct st_dropout_figures){.cycle_ns = FROM,
                                          .signal_ns = FROM,
                                          .awake_ns = FROM + 37 * US,
                                          .end_ns = FROM + 31200 * US,
                                          .deadline_ns = FROM + 21333 * US,
                                          .usual_ns = 1071 * US};
    const struct st_thread_window busy = {.from_ns = FROM - 50 * MS,
                                          .to_ns = FROM + 110 * MS,
                                          .ran_ns = 37 * MS,
                                          .process_ns = 130 * MS,
                                          .used = 0.06,
                                          .process_used = 0.66,
                                          .tick_ns = 4 * MS};
    st_thread_window_take(&busy, &figures);
    assert_true(figures.cpu_ns - figures.cpu_error_ns >= 21333 * US);
}

static void without_a_period_nothing_is_taken_off(void **state)
{
    struct st_dropout_figures figures = late_cycle(34000);
    const struct st_thread_window window = {
        .from_ns = FROM - MS, .to_ns = FROM + 90 * MS, .ran_ns = 33 * MS};
    figures.deadline_ns = figures.cycle_ns;
    st_thread_window_take(&window, &figures);
    assert_int_equal(figures.cpu_ns, 33 * MS);
    assert_int_equal(figures.others_ns, 0);
}

static const struct st_thread_rival normal = {.cpu = 0}, real_time = {.cpu = 0, .rt_priority = 20};

static void expect_culprit(const struct st_thread_rival *rivals, size_t n,
                           const struct st_thread_rival *own, size_t culprit)
{
    assert_int_equal(st_thread_window_culprit(rivals, n, own, 10 * MS), culprit);
}

static void who_ran_for_most_of_the_wait_is_the_culprit(void **state)
{
    struct st_thread_rival rivals[] = {{.name = "make", .ran_ns = 4 * MS, .more_ns = 4 * MS},
                                       {.name = "ffmpeg", .ran_ns = 6 * MS, .more_ns = 6 * MS},
                                       {.name = "idle"}};
    expect_culprit(rivals, 3, &normal, 1);
    rivals[1].ran_ns = 4 * MS; /* less than half of it, each */
    expect_culprit(rivals, 3, &normal, 3);
    rivals[1].name = "make"; /* of one name they are one */
    rivals[1].more_ns = 5 * MS;
    expect_culprit(rivals, 3, &normal, 1);
    expect_culprit(rivals, 0, &normal, 0);
}

static void a_lower_priority_takes_the_cpu_from_no_one(void **state)
{
    struct st_thread_rival rivals[] = {
        {.name = "ffmpeg", .ran_ns = 9 * MS, .more_ns = 9 * MS},
        {.name = "hog", .ran_ns = 6 * MS, .more_ns = 6 * MS, .rt_priority = 20}};
    expect_culprit(rivals, 1, &real_time, 1);
    expect_culprit(rivals, 2, &real_time, 1);
    rivals[0].rt_priority = 95; /* a higher one rather than who ran longer */
    rivals[0].more_ns = MS;
    expect_culprit(rivals, 2, &real_time, 0);
    rivals[0].cpu = 1; /* then one on the same CPU */
    expect_culprit(rivals, 2, &real_time, 1);
}

static void what_players_usually_do_takes_the_cpu_from_no_one(void **state)
{
    struct st_thread_rival rivals[] = {
        {.name = "synth", .ran_ns = 9 * MS, .more_ns = MS, .plays = true},
        {.name = "ffmpeg", .ran_ns = 6 * MS, .more_ns = MS}};
    expect_culprit(rivals, 1, &normal, 1);
    expect_culprit(rivals, 2, &normal, 1);
    rivals[0].more_ns = 8 * MS;
    expect_culprit(rivals, 2, &normal, 0);
}

/* Two of PipeWire's server for PulseAudio wake up as often. */
int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_other_cycles_needed_is_taken_off),
        cmocka_unit_test(a_client_that_sleeps_through_the_next_cycle_has_nothing_taken_off_for_it),
        cmocka_unit_test(other_threads_of_its_process_have_other_cycles_too),
        cmocka_unit_test(a_window_with_many_cycles_tells_little),
        cmocka_unit_test(without_a_period_nothing_is_taken_off),
        cmocka_unit_test(who_ran_for_most_of_the_wait_is_the_culprit),
        cmocka_unit_test(a_lower_priority_takes_the_cpu_from_no_one),
        cmocka_unit_test(what_players_usually_do_takes_the_cpu_from_no_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
