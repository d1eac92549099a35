/* Callbacks of the own stream against the model of the device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "core/ns.h"
#include "daemon/audio/callbacks.h"

#define RATE_HZ 48000
#define FRAMES  480
#define STEP_NS (10 * ST_NS_PER_MS) /* 480 frames at 48 kHz */
#define WARM_UP 16

static struct st_callbacks c;
static int64_t now_ns;

static int setup(void **state)
{
    (void)state;
    now_ns = 1000 * ST_NS_PER_S;
    if (st_callbacks_init(&c) != 0)
        return 1;
    st_callbacks_open(&c, RATE_HZ, now_ns);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    st_callbacks_finish(&c);
    return 0;
}

/* A callback so long after the one before it. */
static void ask_after(int64_t ns, int frames)
{
    now_ns += ns;
    st_callbacks_asked(&c, now_ns, frames);
    st_callbacks_drain(&c);
}

static void ask_n(int n)
{
    for (int i = 0; i < n; i++)
        ask_after(STEP_NS, FRAMES);
}

static void punctual_callbacks_are_not_late(void **state)
{
    (void)state;
    ask_n(WARM_UP + 1000);
    const struct st_callbacks_view view = st_callbacks_look(&c);
    assert_int_equal(view.calls_n, WARM_UP + 1000);
    assert_int_equal(view.frames_min, FRAMES);
    assert_int_equal(view.frames_max, FRAMES);
    assert_int_equal(view.n, 1000);
    assert_int_equal(view.median_ns, 0);
    assert_int_equal(view.max_ns, 0);
}

static void one_late_callback_is_late_by_its_delay_and_the_next_is_not(void **state)
{
    (void)state;
    ask_n(WARM_UP + 30);
    ask_after(STEP_NS + 3 * ST_NS_PER_MS, FRAMES + 144); /* asks for what was played meanwhile, too */
    ask_after(STEP_NS, FRAMES);
    ask_n(30);
    const struct st_callbacks_view view = st_callbacks_look(&c);
    assert_int_equal(view.max_ns, 3 * ST_NS_PER_MS);
    assert_int_equal(view.frames_max, FRAMES + 144);
    assert_int_equal(view.median_ns, 0);
}

/* A backend that refills what is free, as the callbacks come on a grid of STEP_NS or later than it. A frame
 * is 20.8 us: late by multiples of 250 us it asks for whole ones. behind: as libsoundio's dummy, it tells
 * what was free before the last period was played. */
struct refilled {
    bool behind;
    int64_t due_ns, played_n, free_n;
};

static void refill(struct refilled *r, int64_t late_ns)
{
    r->due_ns += STEP_NS;
    const int64_t played_n = (r->due_ns + late_ns) * RATE_HZ / ST_NS_PER_S, free_n = played_n - r->played_n;
    ask_after(1000 * ST_NS_PER_S + r->due_ns + late_ns - now_ns, (int)(r->behind ? r->free_n : free_n));
    r->played_n = played_n;
    r->free_n = free_n;
}

static struct refilled refilled_n(bool behind, int n)
{
    struct refilled r = {.behind = behind, .free_n = FRAMES};
    for (int i = 0; i < n; i++)
        refill(&r, 0);
    return r;
}

static void refill_after_late_callbacks_makes_no_other_late(void **state)
{
    static const struct {
        int64_t late_ms[4], max_ms[2];
    } rows[] = {{{2}, {2, 2}},       {{2, 2, 2}, {2, 2}},    {{3, 2, 1}, {3, 3}},
                {{1, 3, 2}, {2, 3}}, {{2, 0, 3, 3}, {3, 3}}, {{9, 4}, {9, 9}}};
    for (size_t i = 0; i < 2 * ST_ARRAY_LEN(rows); i++) {
        const bool behind = i % 2 == 1;
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct refilled r = refilled_n(behind, WARM_UP + 300);
        for (size_t k = 0; k < ST_ARRAY_LEN(rows[0].late_ms); k++)
            refill(&r, rows[i / 2].late_ms[k] * ST_NS_PER_MS);
        for (int k = 0; k < 1000; k++)
            refill(&r, 0);
        const struct st_callbacks_view view = st_callbacks_look(&c);
        assert_int_equal(view.median_ns, 0);
        assert_int_equal(view.p99_ns, 0);
        assert_int_equal(view.max_ns, rows[i / 2].max_ms[behind] * ST_NS_PER_MS);
        assert_in_range(view.frames_min, 1, FRAMES - 1);
    }
}

static void lateness_under_load_is_that_of_the_callbacks(void **state)
{
    for (int behind = 0; behind < 2; behind++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct refilled r = refilled_n(behind, WARM_UP);
        uint32_t seed = 1;
        for (int i = 0; i < 20000; i++) { /* one of 20 is late */
            seed = seed * 1664525 + 1013904223;
            refill(&r, (seed >> 16) % 20 == 0 ? 2 * ST_NS_PER_MS : 0);
        }
        assert_int_equal(st_callbacks_look(&c).median_ns, 0);
        assert_in_range(st_callbacks_look(&c).p99_ns, 1990 * ST_NS_PER_US, 2010 * ST_NS_PER_US);
        assert_int_equal(st_callbacks_look(&c).max_ns, 2 * ST_NS_PER_MS);
    }
}

static void server_with_a_fixed_period_that_catches_up_is_late_until_it_has(void **state)
{
    (void)state;
    ask_n(WARM_UP + 300);
    ask_after(STEP_NS + 25 * ST_NS_PER_MS, FRAMES);
    ask_after(0, FRAMES);
    ask_after(0, FRAMES);
    ask_after(STEP_NS / 2, FRAMES);
    ask_n(999);
    assert_int_equal(st_callbacks_look(&c).max_ns, 25 * ST_NS_PER_MS);
    assert_int_equal(st_callbacks_look(&c).p99_ns, 0);
}

static void clock_that_is_set_forward_is_followed_at_once(void **state)
{
    (void)state;
    ask_n(WARM_UP + 300);
    ask_after(STEP_NS - 4 * ST_NS_PER_MS, FRAMES); /* and all from now on */
    ask_n(ST_CALLBACKS_ROW_N - 1);
    assert_int_equal(st_callbacks_look(&c).max_ns, 0);
    ask_after(STEP_NS + 2 * ST_NS_PER_MS, FRAMES);
    ask_after(STEP_NS - 2 * ST_NS_PER_MS, FRAMES);
    ask_n(300);
    assert_int_equal(st_callbacks_look(&c).max_ns, 2 * ST_NS_PER_MS);
}

static void device_that_lost_time_is_late_for_four_seconds_at_most(void **state)
{
    (void)state;
    ask_n(WARM_UP + 300);
    ask_after(STEP_NS + 100 * ST_NS_PER_MS, FRAMES); /* and does not catch up */
    ask_n(100);
    assert_int_equal(st_callbacks_look(&c).max_ns, 100 * ST_NS_PER_MS);
    ask_n(300);
    for (int i = 0; i < 100; i++) { /* it is on time now: only what is late by itself is */
        ask_after(STEP_NS + 300 * ST_NS_PER_MS, FRAMES + 300 * RATE_HZ / 1000);
        ask_n(9);
    }
    assert_int_equal(st_callbacks_look(&c).max_ns, 300 * ST_NS_PER_MS);
    assert_int_equal(st_callbacks_look(&c).median_ns, 0);
}

static void device_that_begins_to_play_long_after_it_was_filled_is_not_late(void **state)
{
    (void)state;
    ask_after(0, 2 * FRAMES);
    now_ns += 1900 * ST_NS_PER_MS; /* as PulseAudio's null sink */
    ask_n(WARM_UP + 1000);
    assert_in_range(st_callbacks_look(&c).max_ns, 0, 1);
    st_callbacks_restarted(&c);
    for (int i = 0; i < 3; i++) /* in several parts */
        ask_after(0, FRAMES);
    now_ns += 1900 * ST_NS_PER_MS;
    ask_n(WARM_UP + 1000);
    assert_in_range(st_callbacks_look(&c).max_ns, 0, 1);
}

static void sizes_alone_are_not_lateness(void **state)
{
    (void)state;
    ask_n(WARM_UP);
    ask_after(STEP_NS, 720);
    for (int i = 0; i < 50; i++) { /* each comes when what the one before was given has been played */
        ask_after(15 * ST_NS_PER_MS, 240);
        ask_after(5 * ST_NS_PER_MS, 720);
    }
    assert_int_equal(st_callbacks_look(&c).frames_min, 240);
    assert_int_equal(st_callbacks_look(&c).frames_max, 720);
    assert_int_equal(st_callbacks_look(&c).max_ns, 0);
}

static void quantiles_wait_until_n_is_enough(void **state)
{
    (void)state;
    ask_n(WARM_UP);
    assert_int_equal(st_callbacks_look(&c).n, 0);
    assert_true(st_callbacks_look(&c).max_ns == INT64_MIN);
    ask_n(999);
    assert_true(st_callbacks_look(&c).p99_ns == INT64_MIN);
    ask_n(1);
    assert_int_equal(st_callbacks_look(&c).p99_ns, 0);
    assert_true(st_callbacks_look(&c).p999_ns == INT64_MIN);
}

static void device_clock_that_differs_by_100_ppm_is_off_by_less_than_half_a_ms(void **state)
{
    (void)state;
    for (int i = 0; i < 100 * 600; i++) /* ten minutes, in which the clocks part by 60 ms */
        ask_after(STEP_NS + STEP_NS / 10000, FRAMES);
    assert_in_range(st_callbacks_look(&c).max_ns, 0, 400 * ST_NS_PER_US);
    for (int i = 0; i < 100 * 600; i++)
        ask_after(STEP_NS - STEP_NS / 10000, FRAMES);
    assert_in_range(st_callbacks_look(&c).max_ns, 0, 400 * ST_NS_PER_US);
}

static void underrun_begins_the_model_anew(void **state)
{
    (void)state;
    ask_n(WARM_UP + 100);
    st_callbacks_restarted(&c);
    ask_after(500 * ST_NS_PER_MS, FRAMES); /* was lost, and is an own xrun */
    ask_n(WARM_UP + 100);
    const struct st_callbacks_view view = st_callbacks_look(&c);
    assert_int_equal(view.max_ns, 0);
    assert_int_equal(view.calls_n, 2 * WARM_UP + 201);
}

static _Atomic bool telling, enough;

static void *tell_xruns(void *ctx)
{
    (void)ctx;
    while (!atomic_load(&enough)) {
        st_callbacks_restarted(&c);
        atomic_store(&telling, true);
    }
    return NULL;
}

static void xruns_that_another_thread_tells_lose_no_callback(void **state)
{
    (void)state;
    pthread_t thread;
    atomic_store(&telling, false);
    atomic_store(&enough, false);
    assert_int_equal(pthread_create(&thread, NULL, tell_xruns, NULL), 0);
    while (!atomic_load(&telling))
        ;
    for (int i = 0; i < 100000; i++)
        ask_after(STEP_NS, FRAMES);
    atomic_store(&enough, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    const struct st_callbacks_view view = st_callbacks_look(&c);
    assert_int_equal(view.calls_n, 100000);
    assert_int_equal(view.frames_min, FRAMES);
    assert_int_equal(view.frames_max, FRAMES);
}

static void months_do_not_overflow(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) /* steps of 200 s: 55 hours */
        ask_after(200 * ST_NS_PER_S, 200 * RATE_HZ);
    assert_int_equal(st_callbacks_look(&c).max_ns, 0);
}

static void full_ring_loses_callbacks_and_the_model_begins_anew(void **state)
{
    (void)state;
    ask_n(WARM_UP + 100);
    for (int i = 0; i < 10000; i++) { /* nobody looks */
        now_ns += STEP_NS;
        st_callbacks_asked(&c, now_ns, FRAMES);
    }
    st_callbacks_drain(&c);
    ask_n(WARM_UP + 100);
    assert_int_equal(st_callbacks_look(&c).max_ns, 0);
}

static void another_stream_counts_from_zero(void **state)
{
    (void)state;
    ask_n(WARM_UP + 100);
    st_callbacks_open(&c, 44100, now_ns);
    assert_int_equal(st_callbacks_look(&c).calls_n, 0);
    assert_int_equal(st_callbacks_look(&c).n, 0);
    ask_after(STEP_NS, 441);
    assert_int_equal(st_callbacks_look(&c).frames_max, 441);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(punctual_callbacks_are_not_late, setup, teardown),
        cmocka_unit_test_setup_teardown(one_late_callback_is_late_by_its_delay_and_the_next_is_not, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(refill_after_late_callbacks_makes_no_other_late, setup, teardown),
        cmocka_unit_test_setup_teardown(lateness_under_load_is_that_of_the_callbacks, setup, teardown),
        cmocka_unit_test_setup_teardown(server_with_a_fixed_period_that_catches_up_is_late_until_it_has,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(clock_that_is_set_forward_is_followed_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(device_that_lost_time_is_late_for_four_seconds_at_most, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(device_that_begins_to_play_long_after_it_was_filled_is_not_late,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(sizes_alone_are_not_lateness, setup, teardown),
        cmocka_unit_test_setup_teardown(quantiles_wait_until_n_is_enough, setup, teardown),
        cmocka_unit_test_setup_teardown(device_clock_that_differs_by_100_ppm_is_off_by_less_than_half_a_ms,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(underrun_begins_the_model_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(xruns_that_another_thread_tells_lose_no_callback, setup, teardown),
        cmocka_unit_test_setup_teardown(months_do_not_overflow, setup, teardown),
        cmocka_unit_test_setup_teardown(full_ring_loses_callbacks_and_the_model_begins_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(another_stream_counts_from_zero, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
