/* Programs that stand still longer than their buffer lasts: looks at their CPU time. */
#include "tests/unit/unit.h"
#include "xruns/helpers/client_buffer.h"

#define MS     INT64_C(1000000)
#define LOOK   (40 * MS)
#define BUFFER (37 * MS)
#define BEGIN  (INT64_C(28043) * 1000 * MS)

/* A program that runs each 10 ms but from `stop` to `go`, and does `standing` then, looked at each
 * 40 ms up to `end`; all in ms after the begin. */
struct scene {
    struct st_client_buffer buffer;
    struct st_client_buffer_loss losses[8];
    int n, asked_n;
};

static void play(struct scene *scene, int64_t from, int64_t to, int64_t stop, int64_t go,
                 enum st_standing standing)
{
    for (int64_t at = from; at < to; at += LOOK / MS) {
        const int64_t ran = at < stop ? at : at < go ? stop : at - (go - stop);
        if (st_client_buffer_look(&scene->buffer, BEGIN + at * MS, 7 + ran / 10)) {
            scene->asked_n++;
            st_client_buffer_stands(&scene->buffer, standing);
        }
        if (scene->n < 8)
            scene->n += st_client_buffer_loss(&scene->buffer, &scene->losses[scene->n]);
    }
}

static void a_stop_longer_than_the_buffer_is_a_dropout(void **state)
{
    struct scene scene = {.buffer = {.buffer_ns = BUFFER}};
    play(&scene, 0, 4000, 2000, 2500, ST_STANDING_IS_STOPPED);
    assert_int_equal(scene.n, 1);
    assert_int_equal(scene.losses[0].reason, ST_DROPOUT_STOPPED);
    assert_in_range(scene.losses[0].lost_ns, 500 * MS - BUFFER - LOOK, 500 * MS - BUFFER + LOOK);
    assert_int_equal(scene.asked_n, 1); /* it is known then */
}

static void each_stop_of_the_buffer_and_150_ms_is_found(void **state)
{
    for (int64_t begin = 0; begin < LOOK / MS; begin++) {
        struct scene scene = {.buffer = {.buffer_ns = BUFFER}};
        play(&scene, 0, 4000, 2000 + begin, 2000 + begin + BUFFER / MS + 150,
             ST_STANDING_IS_STOPPED);
        assert_int_equal(scene.n, 1);
        assert_in_range(scene.losses[0].lost_ns, 150 * MS - LOOK, 150 * MS + LOOK);
    }
}

static void a_stop_shorter_than_the_buffer_is_none(void **state)
{
    for (int64_t begin = 0; begin < LOOK / MS; begin++) {
        struct scene scene = {.buffer = {.buffer_ns = 300 * MS}};
        play(&scene, 0, 4000, 2000 + begin, 2290 + begin, ST_STANDING_IS_STOPPED);
        assert_int_equal(scene.n, 0);
    }
}

/* A player that asked for 8 ms, on a server that takes 21.3 ms at once (paplay --latency-msec=2 on
 * PipeWire 1.4.2): it runs once in a cycle, and is stopped from `stop` to `go`, in ms. Looked at
 * each 20 ms.
 * @return what it lost; *ret is the truth: a cycle's sound that is not there when the server takes
 * it. */
#define PERIOD (1024 * 1000 * MS / 48000)
static int64_t lost_of_cycles(int64_t stop, int64_t go, enum st_standing standing, int64_t *ret)
{
    struct st_client_buffer buffer = {.buffer_ns = 8 * MS, .period_ns = PERIOD};
    struct st_client_buffer_loss loss;
    int64_t lost_ns = 0, ran_n = 0, written_ns = -1;
    *ret = 0;
    for (int64_t at = 0, cycle = 0; at < 4000; at++) {
        if (at * MS >= cycle * PERIOD) {
            *ret +=
                written_ns < (cycle - 1) * PERIOD ? PERIOD : 0; /* nothing since the cycle before */
            cycle++;
        }
        if ((at < stop || at >= go) && written_ns < (cycle - 1) * PERIOD) {
            written_ns = at * MS;
            ran_n++;
        }
        if (at % 20 == 0 && st_client_buffer_look(&buffer, BEGIN + at * MS, ran_n))
            st_client_buffer_stands(&buffer, standing);
        if (at % 20 == 0 && st_client_buffer_loss(&buffer, &loss))
            lost_ns += loss.lost_ns;
    }
    return lost_ns;
}

static void one_that_stands_still_while_its_buffer_lasts_has_lost_nothing(void **state)
{
    int64_t truth_ns, all_ns = 0, all_true_ns = 0;
    for (int64_t go = 2000; go < 2020; go++) { /* it waits for a CPU whenever it is asked */
        assert_int_equal(lost_of_cycles(2000, go, ST_STANDING_NO_CPU, &truth_ns), 0);
        assert_int_equal(truth_ns, 0);
    }
    for (int64_t stop = 2000; stop < 2200; stop++) {
        const int64_t lost_ns = lost_of_cycles(stop, stop + 120, ST_STANDING_NO_CPU, &truth_ns);
        assert_in_range(lost_ns, truth_ns - 3 * PERIOD / 2, truth_ns + 3 * PERIOD / 2);
        all_ns += lost_ns;
        all_true_ns += truth_ns;
    }
    assert_in_range(all_ns, all_true_ns - all_true_ns / 20, all_true_ns + all_true_ns / 20);
}

static void reasons_are_what_it_did(void **state)
{
    static const struct {
        enum st_standing standing;
        int n;
        enum st_dropout_reason reason;
    } cases[] = {{ST_STANDING_NO_CPU, 1, ST_DROPOUT_CPU_TAKEN},
                 {ST_STANDING_DISK, 1, ST_DROPOUT_BLOCKED},
                 {ST_STANDING_ASLEEP, 0, ST_DROPOUT_UNKNOWN}, /* it may have had nothing to play */
                 {ST_STANDING_UNKNOWN, 0, ST_DROPOUT_UNKNOWN}};
    ST_EACH (one, cases) {
        struct scene scene = {.buffer = {.buffer_ns = BUFFER}};
        play(&scene, 0, 4000, 2000, 2500, one->standing);
        assert_int_equal(scene.n, one->n);
        assert_int_equal(scene.losses[0].reason, one->reason);
    }
}

static void one_that_only_sleeps_is_asked_ever_more_rarely(void **state)
{
    struct scene scene = {.buffer = {.buffer_ns = BUFFER}};
    play(&scene, 0, 602000, 2000, 600000, ST_STANDING_ASLEEP);
    assert_in_range(scene.asked_n, 10, 16);
    assert_int_equal(scene.n, 0);
}

static void a_stream_that_begins_or_ends_makes_none(void **state)
{
    struct scene begins = {.buffer = {.buffer_ns = BUFFER}}, ends = begins;
    play(&begins, 0, 4000, 500, 900, ST_STANDING_IS_STOPPED);
    assert_int_equal(begins.n, 0);
    play(&ends, 0, 2600, 2000, 10000, ST_STANDING_IS_STOPPED);
    assert_int_equal(ends.n, 0);
}

/* A server that changes its buffer size pauses its streams. */
static void a_short_pause_is_no_new_beginning(void **state)
{
    for (int64_t pause = 400; pause <= 600; pause += 200) {
        struct scene scene = {.buffer = {.buffer_ns = BUFFER}};
        play(&scene, 0, 4000, 9000, 9000, ST_STANDING_UNKNOWN);
        st_client_buffer_begin(&scene.buffer, BEGIN + (3960 + pause) * MS);
        scene.buffer.buffer_ns = BUFFER;
        play(&scene, 3960 + pause, 8000, 5000, 5500, ST_STANDING_IS_STOPPED);
        assert_int_equal(scene.n, pause == 400);
    }
}

static void a_buffer_that_is_not_known_makes_none(void **state)
{
    struct scene scene = {.n = 0};
    play(&scene, 0, 4000, 2000, 2500, ST_STANDING_IS_STOPPED);
    assert_int_equal(scene.n + scene.asked_n, 0);
}

/* Less than 20 ms of sound between two make them one. */
static void two_with_next_to_no_sound_between_are_one(void **state)
{
    struct st_client_buffer buffer = {.buffer_ns = BUFFER};
    struct st_client_buffer_loss loss;
    static const struct {
        int64_t at, cpu; /* ms; any unit */
    } looks[] = {{0, 1},    {1500, 2}, {1520, 2}, {1600, 2}, {1800, 2}, {1810, 3},
                 {1820, 3}, {2000, 3}, {2010, 4}, {2020, 5}, {2035, 6}};
    int n = 0;
    ST_EACH (look, looks) {
        if (st_client_buffer_look(&buffer, BEGIN + look->at * MS, look->cpu))
            st_client_buffer_stands(&buffer, ST_STANDING_NO_CPU);
        n += st_client_buffer_loss(&buffer, &loss);
    }
    assert_int_equal(n, 1);
    assert_in_range(loss.lost_ns, 300 * MS, 1300 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_longer_than_the_buffer_is_a_dropout),
        cmocka_unit_test(each_stop_of_the_buffer_and_150_ms_is_found),
        cmocka_unit_test(a_stop_shorter_than_the_buffer_is_none),
        cmocka_unit_test(one_that_stands_still_while_its_buffer_lasts_has_lost_nothing),
        cmocka_unit_test(reasons_are_what_it_did),
        cmocka_unit_test(one_that_only_sleeps_is_asked_ever_more_rarely),
        cmocka_unit_test(a_stream_that_begins_or_ends_makes_none),
        cmocka_unit_test(a_short_pause_is_no_new_beginning),
        cmocka_unit_test(a_buffer_that_is_not_known_makes_none),
        cmocka_unit_test(two_with_next_to_no_sound_between_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
