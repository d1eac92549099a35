/* Which streams were starved, by what their queues held at each look. */
#include "tests/unit/unit.h"
#include "xruns/helpers/pulse_streams.h"

enum { CORKED = -1, GONE = -2 };

/* One stream through looks at its queue, in microseconds. @return how often it was starved. */
static int starved(const int *looks, size_t looks_n)
{
    struct st_pulse_streams streams = {0};
    int n = 0;
    for (size_t i = 0; i < looks_n; i++) {
        st_pulse_streams_look_begin(&streams);
        if (looks[i] != GONE)
            n += st_pulse_streams_look(&streams, 7, looks[i] == CORKED,
                                       looks[i] > 0 ? (uint64_t)looks[i] : 0, 0, 0, 250000 * i) > 0;
        st_pulse_streams_look_end(&streams);
        assert_int_equal(streams.playing, looks[i] >= 0);
        assert_int_equal(streams.streams_n, looks[i] != GONE);
    }
    return n;
}

#define STARVED(...)                                                                               \
    starved((const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static void a_stream_that_plays_is_not_starved(void **state)
{
    assert_int_equal(STARVED(70000, 70000, 1001, 70000), 0);
}

static void empty_and_filled_again_is_once_however_long(void **state)
{
    assert_int_equal(STARVED(70000, 0, 70000), 1);
    assert_int_equal(STARVED(70000, 0, 0, 0, 0, 0, 70000), 1);
    assert_int_equal(STARVED(70000, 0, 70000, 0, 70000, 70000), 2);
    assert_int_equal(STARVED(70000, 180, 180, 70180), 1); /* what the resampler holds back */
}

static void it_is_known_how_long_it_was_empty(void **state)
{
    struct st_pulse_streams streams = {0};
    static const uint64_t queued_us[] = {70000, 0, 0, 0, 70000, 70000, 0, 70000};
    static const uint64_t lost_us[] = {0, 0, 0, 0, 750000, 0, 0, 250000};
    assert_null(st_pulse_streams_find(&streams, 7));
    for (size_t i = 0; i < ST_ARRAY_LEN(queued_us); i++) {
        st_pulse_streams_look_begin(&streams);
        if (i == 2)
            st_pulse_streams_find(&streams, 7)->stopped = true;
        assert_int_equal(st_pulse_streams_look(&streams, 7, false, queued_us[i], 0, 0, 250000 * i),
                         lost_us[i]);
        if (lost_us[i] > 0)
            assert_int_equal(st_pulse_streams_find(&streams, 7)->reason,
                             i == 4 ? ST_DROPOUT_STOPPED : ST_DROPOUT_UNKNOWN);
        st_pulse_streams_look_end(&streams);
    }
}

/* Empty at once after a loss: what was known of that one is not that of the next one. */
static void a_program_that_goes_on_is_not_stopped(void **state)
{
    struct st_pulse_streams streams = {0};
    for (uint64_t i = 0; i < 5; i++) {
        st_pulse_streams_look_begin(&streams);
        assert_int_equal(
            st_pulse_streams_look(&streams, 7, false, i % 2 == 0 ? 70000 : 0, 0, 0, 250000 * i) > 0,
            i == 2 || i == 4);
        struct st_stream *stream = st_pulse_streams_find(&streams, 7);
        if (i == 1)
            stream->stopped = true;
        assert_int_equal(stream->stopped, i == 1);
        assert_int_equal(stream->reason,
                         i == 2 || i == 3 ? ST_DROPOUT_STOPPED : ST_DROPOUT_UNKNOWN);
        st_pulse_streams_look_end(&streams);
    }
}

/* One that plays up to 1 s and is filled again `empty_n` looks later, which are 250 ms apart.
 * @return how long it was empty. */
static uint64_t lost_us(struct st_pulse_streams *streams, uint64_t empty_n, bool stopped)
{
    uint64_t lost_us = 0;
    for (uint64_t i = 0; i <= 4 + empty_n + 1; i++) {
        const uint64_t now_us = 250000 * i;
        st_pulse_streams_look_begin(streams);
        lost_us = st_pulse_streams_look(streams, 7, false, i > 4 && i <= 4 + empty_n ? 0 : 70000, 0,
                                        0, now_us);
        struct st_stream *stream = st_pulse_streams_find(streams, 7);
        /* asked for until it is known, or too long ago */
        assert_int_equal(st_pulse_streams_is_asked(stream, now_us),
                         i > 4 && i <= 4 + ST_MIN(empty_n, stopped ? 1 : 21));
        if (i == 5)
            stream->stopped = stopped;
        st_pulse_streams_look_end(streams);
    }
    return lost_us;
}

static void a_silent_pause_is_no_loss(void **state)
{
    assert_int_equal(lost_us(&(struct st_pulse_streams){0}, 20, false), 5000000);
    assert_int_equal(lost_us(&(struct st_pulse_streams){0}, 21, false), 0);
    assert_int_equal(lost_us(&(struct st_pulse_streams){0}, 2400, false), 0);
    assert_int_equal(lost_us(&(struct st_pulse_streams){0}, 2400, true), 600000000);
}

/* Empty from 1.25 s, filled again at 1.25 s and 250 ms for each look at which it is empty. */
static void who_waited_for_the_server_was_empty_since_it_was_silent(void **state)
{
    static const struct {
        uint64_t silent_us, answered_us, empty_n;
        enum st_dropout_reason reason;
    } cases[] = {
        {0, 0, 2, ST_DROPOUT_UNKNOWN},
        {1000001, 1500000, 2, ST_DROPOUT_WAITED_FOR_OTHER},
        {200000, 800000, 2, ST_DROPOUT_WAITED_FOR_OTHER}, /* seen empty later */
        {200000, 700000, 2, ST_DROPOUT_UNKNOWN},
        {1000001, 7000000, 24, ST_DROPOUT_WAITED_FOR_OTHER}, /* and that is 6 s */
        {1260000, 1760000, 4, ST_DROPOUT_UNKNOWN},           /* it was empty before */
    };
    ST_EACH (one, cases) {
        struct st_pulse_streams streams = {.silent_us = one->silent_us,
                                           .answered_us = one->answered_us};
        assert_int_equal(lost_us(&streams, one->empty_n, false), 250000 * one->empty_n);
        assert_int_equal(st_pulse_streams_find(&streams, 7)->reason, one->reason);
    }
    /* a server that was silent in a pause did not make it */
    struct st_pulse_streams streams = {.silent_us = 598000000, .answered_us = 598500000};
    assert_int_equal(lost_us(&streams, 2400, false), 0);
    streams = (struct st_pulse_streams){.silent_us = 1000001, .answered_us = 1600000};
    assert_int_equal(lost_us(&streams, 2400, false), 0);
}

/* It holds 60 ms in its queue and 20 ms in the sink; the server does not answer for as long as
 * that, then for 1 s. */
static void a_server_that_is_silent_for_longer_than_it_holds_loses_sound(void **state)
{
    struct st_pulse_streams streams = {0};
    static const uint64_t silent_us[] = {0, 80000, 0, 1000000, 0, 0},
                          queued_us[] = {60, 60, 60, 0, 0, 60}, lost_us[] = {0, 0, 0, 920000, 0, 0};
    for (size_t i = 0; i < ST_ARRAY_LEN(silent_us); i++) {
        st_pulse_streams_look_begin(&streams);
        assert_int_equal(st_pulse_streams_look(&streams, 7, false, 1000 * queued_us[i], 20000,
                                               silent_us[i], 1000000 * i),
                         lost_us[i]);
        assert_int_equal(st_pulse_streams_find(&streams, 7)->reason,
                         i == 3 || i == 4 ? ST_DROPOUT_WAITED_FOR_OTHER : ST_DROPOUT_UNKNOWN);
        st_pulse_streams_look_end(&streams);
    }
}

static void a_stream_that_begins_is_empty(void **state)
{
    assert_int_equal(STARVED(0, 0, 70000, 70000), 0);
}

static void a_stream_that_ends_has_played_all(void **state)
{
    assert_int_equal(STARVED(70000, 0, 0, GONE), 0);
    assert_int_equal(STARVED(70000, 0, GONE, 70000), 0);
}

static void a_pause_is_no_starvation(void **state)
{
    assert_int_equal(STARVED(70000, CORKED, 0, 70000), 0);
    assert_int_equal(STARVED(70000, 0, CORKED, 70000), 0);
}

static void streams_are_told_apart(void **state)
{
    struct st_pulse_streams streams = {0};
    for (int i = 0; i < 4; i++) {
        st_pulse_streams_look_begin(&streams);
        assert_false(st_pulse_streams_look(&streams, 1, false, 5000, 0, 0, 0));
        assert_int_equal(
            st_pulse_streams_look(&streams, 2, false, i % 2 == 0 ? 5000 : 0, 0, 0, 0) > 0, i == 2);
        st_pulse_streams_look_end(&streams);
    }
}

/* buffer_usec + sink_usec on a null sink of PulseAudio 16.1: pacat --latency-msec=200 alone, beside
 * one with 20, and that one */
static void the_longest_that_it_holds_is_about_what_it_asked_for(void **state)
{
    static const uint64_t alone_us[] = {160667, 162014, 190075},
                          beside_us[] = {121660, 116559, 105807},
                          short_us[] = {14237, 16452, 14421, 15732, 17465,
                                        17794, 19436, 15070, 15508};
    struct st_pulse_streams streams = {0};
    for (int i = 0; i < 40; i++) {
        const uint64_t long_us = i < 16 ? alone_us[i % 3] : beside_us[i % 3];
        st_pulse_streams_look_begin(&streams);
        (void)st_pulse_streams_look(&streams, 7, false, short_us[i % 9] / 2,
                                    short_us[i % 9] - short_us[i % 9] / 2, 0, 0);
        (void)st_pulse_streams_look(&streams, 8, false, long_us, 0, 0, 0);
        assert_int_equal(st_pulse_streams_asked_ms(st_pulse_streams_find(&streams, 7)),
                         i < 15 ? 0 : 19);
        assert_int_equal(st_pulse_streams_asked_ms(st_pulse_streams_find(&streams, 8)), i < 15 ? 0
                                                                                        : i < 31
                                                                                            ? 190
                                                                                            : 122);
        st_pulse_streams_look_end(&streams);
    }
}

static void more_streams_than_there_is_room_for_are_not_watched(void **state)
{
    struct st_pulse_streams streams = {0};
    for (int i = 0; i < 3; i++) {
        st_pulse_streams_look_begin(&streams);
        for (uint32_t index = 0; index < ST_PULSE_STREAMS_MAX + 10; index++)
            assert_int_equal(
                st_pulse_streams_look(&streams, index, false, i == 1 ? 0 : 5000, 0, 0, 0) > 0,
                i == 2 && index < ST_PULSE_STREAMS_MAX);
        st_pulse_streams_look_end(&streams);
        assert_int_equal(streams.streams_n, ST_PULSE_STREAMS_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_that_plays_is_not_starved),
        cmocka_unit_test(empty_and_filled_again_is_once_however_long),
        cmocka_unit_test(it_is_known_how_long_it_was_empty),
        cmocka_unit_test(a_program_that_goes_on_is_not_stopped),
        cmocka_unit_test(a_silent_pause_is_no_loss),
        cmocka_unit_test(who_waited_for_the_server_was_empty_since_it_was_silent),
        cmocka_unit_test(a_server_that_is_silent_for_longer_than_it_holds_loses_sound),
        cmocka_unit_test(a_stream_that_begins_is_empty),
        cmocka_unit_test(a_stream_that_ends_has_played_all),
        cmocka_unit_test(a_pause_is_no_starvation),
        cmocka_unit_test(streams_are_told_apart),
        cmocka_unit_test(the_longest_that_it_holds_is_about_what_it_asked_for),
        cmocka_unit_test(more_streams_than_there_is_room_for_are_not_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
