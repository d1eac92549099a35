/* A device and a program that writes to it, frame by frame as the kernel counts them. */
#include "tests/unit/unit.h"
#include "xruns/alsa.h"

enum { RATE = 48000, BUFFER = 4096, PERIOD = 1024, LOOK = RATE / 4 };

static const struct st_alsa_params never_stops = {
    .buffer_frames = BUFFER, .rate_hz = RATE, .stop_frames = INT64_MAX};
static const struct st_alsa_params stops = {
    .buffer_frames = BUFFER, .rate_hz = RATE, .stop_frames = BUFFER};

static struct st_alsa_room room;
static int64_t device, program, most, since, seen_n, seen_frames, least;
static const struct st_alsa_params *params;

static int setup(void **state)
{
    room = (struct st_alsa_room){0};
    device = most = since = seen_n = seen_frames = 0;
    program = BUFFER;
    least = INT64_MAX;
    params = &never_stops;
    return 0;
}

static void look(void)
{
    const int64_t avail = device + BUFFER - program;
    const struct st_alsa_status now = {.state = ST_ALSA_RUNNING,
                                       .hw_ptr_frames = device,
                                       .appl_ptr_frames = program,
                                       .avail_frames = avail,
                                       .avail_max_frames = most > avail ? most : avail};
    const int64_t lost = st_alsa_room_look(&room, params, &now, &least);
    most = 0;
    seen_n += lost > 0;
    seen_frames += lost;
}

/* The device plays that number of frames. @param writes the program fills its buffer after each
 * period. */
static void play(int64_t frames, bool writes)
{
    for (int64_t i = 0; i < frames; i++) {
        device++;
        const int64_t avail = device + BUFFER - program;
        most = avail > most ? avail : most;
        if (writes && avail >= PERIOD)
            program += avail;
        if (++since % LOOK == 0)
            look();
    }
}

static void each_stop_is_seen_with_its_length(void **state)
{
    int64_t lost = 0;
    play(RATE, true);
    for (int i = 0; i < 60; i++) {
        play(RATE + 1777 * i, true);
        const int64_t stop = RATE / 10 + RATE / 50 * i; /* 100 ms to 1.3 s; the buffer lasts 85 */
        lost += stop - (program - device);
        play(stop, false);
    }
    play(RATE, true);
    assert_int_equal(seen_n, 60);
    assert_in_range(seen_frames, lost - lost / 20, lost + lost / 20);
    assert_int_equal(least, 0);
}

static void one_that_starts_empty_and_stays_behind_is_seen_once_within_a_second(void **state)
{
    program = -2000;
    for (int i = 0; i < 1000; i++) { /* a period at a time, and never more */
        play(PERIOD, false);
        program += PERIOD;
        if (i == RATE / PERIOD)
            assert_int_equal(seen_n, 1);
    }
    assert_int_equal(seen_n, 1);
}

static void where_the_kernel_stops_it_nothing_is_said_twice(void **state)
{
    params = &stops;
    play(RATE, true);
    play(RATE / 2, false);
    play(RATE, true);
    assert_int_equal(seen_n, 0);
}

static void the_least_that_was_left_is_kept(void **state)
{
    play(RATE, true);
    assert_in_range(least, BUFFER - PERIOD - 1, BUFFER - PERIOD);
    play(3000, false);
    play(RATE, true);
    assert_in_range(least, BUFFER - 3000 - PERIOD, BUFFER - 3000);
    assert_int_equal(seen_n, 0);
}

static void who_writes_nothing_has_nothing_to_play(void **state)
{
    play(10 * RATE, false); /* dmix: its programs mix into the buffer themselves */
    assert_int_equal(seen_n, 0);
    assert_true(least == INT64_MAX);
    program = device + BUFFER;
    play(RATE, true);
    play(20 * RATE, false); /* the song is over */
    play(RATE, true);
    assert_int_equal(seen_n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_stop_is_seen_with_its_length, setup),
        cmocka_unit_test_setup(one_that_starts_empty_and_stays_behind_is_seen_once_within_a_second,
                               setup),
        cmocka_unit_test_setup(where_the_kernel_stops_it_nothing_is_said_twice, setup),
        cmocka_unit_test_setup(the_least_that_was_left_is_kept, setup),
        cmocka_unit_test_setup(who_writes_nothing_has_nothing_to_play, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
