/* Cards as PipeWire keeps them in step (spa/plugins/alsa/alsa-pcm.c: update_time, alsa_write_sync;
 * spa/utils/dll.h): the model says when it inserts or skips sound. */
#include "tests/unit/unit.h"
#include "xruns/helpers/second_card.h"

#define RATE 48000
/* frames in it, which the card's clock has, and the server's limit has not */
#define RESAMPLER 32

/* What of a run is counted. */
static int64_t resyncs_n,
    resync_frames; /* of the model; one after the other without a good cycle between is one */
static int64_t seen_n, seen_frames;

static struct st_second_card card;

static struct {
    double ppm, level, z1, z2, z3; /* z: of the loop that finds the rate */
    double bw_hz;                  /* of it: it becomes slower when errors are small */
    int64_t quantum, position;
    bool was_resync, is_missing; /* its report */
    uint32_t random;
} model;

static int setup(void **state)
{
    resyncs_n = resync_frames = seen_n = seen_frames = 0;
    card = (struct st_second_card){0};
    model.ppm = model.z1 = model.z2 = model.z3 = 0;
    model.was_resync = false;
    model.bw_hz = 0.128;
    model.quantum = 1024;
    model.level = 1024;
    model.position = 0;
    model.random = 1;
    return 0;
}

/* 0 .. 1 */
static double noise(void)
{
    model.random = model.random * 1664525 + 1013904223;
    return (double)(model.random >> 8) / (double)(1 << 24);
}

/* One cycle, which begins late_frames after it should. */
static void cycle(double late_frames)
{
    const double quantum = (double)model.quantum, limit = fmin(quantum, fmax(256, quantum / 2));
    const double w = 2 * 3.14159265358979323846 * model.bw_hz * quantum / RATE,
                 w0 = 1 - exp(-20 * w);
    const int64_t delay = llround(model.level - late_frames);
    const double error = (double)delay - quantum;
    const bool resync = fabs(error) > limit;
    model.z1 += w0 * (w * 1.5 / quantum * fmax(-limit, fmin(limit, error)) - model.z1);
    model.z2 += w0 * (model.z1 - model.z2);
    model.z3 += w / 1.5 * model.z2;
    const double rate = 1 - (model.z2 + model.z3);
    const struct st_second_card_clock clock = {.rate_hz = RATE,
                                               .position = model.position,
                                               .duration = model.quantum,
                                               .delay = delay + RESAMPLER,
                                               .rate_diff = rate};
    const int64_t lost = model.is_missing ? 0 : st_second_card_take(&card, 7, &clock);
    model.is_missing = false;
    seen_n += lost > 0;
    seen_frames += lost;
    model.position += model.quantum;
    if (resync) {
        model.level -= error;
        model.z1 = model.z2 = model.z3 = 0;
        resyncs_n += !model.was_resync;
        resync_frames += llround(fabs(error));
    }
    model.was_resync = resync;
    model.level += quantum * (resync ? 1 : rate) - quantum * (1 + model.ppm / 1e6);
}

/* A report that the model does not make. */
static int64_t lost_by(int64_t delay, double rate)
{
    const struct st_second_card_clock clock = {.rate_hz = RATE,
                                               .position = model.position += model.quantum,
                                               .duration = model.quantum,
                                               .delay = delay,
                                               .rate_diff = rate};
    return st_second_card_take(&card, 7, &clock);
}

static void run(double seconds)
{
    for (int64_t i = llround(seconds * RATE) / model.quantum; i > 0; i--)
        cycle(20 * noise());
}

static void a_steady_drift_is_known_and_is_no_resync(void **state)
{
    static const double ppms[] = {-180, -37, 12, 250};
    static const int64_t quanta[] = {64, 256, 1024};
    for (size_t i = 0; i < ST_ARRAY_LEN(ppms) * ST_ARRAY_LEN(quanta); i++) {
        setup(NULL);
        model.ppm = ppms[i % ST_ARRAY_LEN(ppms)];
        model.quantum = quanta[i / ST_ARRAY_LEN(ppms)];
        model.level = (double)model.quantum;
        run(60);
        (void)st_second_card_drift_ppb(&card);
        run(10);
        assert_int_equal(resyncs_n, 0);
        assert_int_equal(seen_n, 0);
        const double ppb = (double)st_second_card_drift_ppb(&card);
        if (fabs(ppb / 1000 - model.ppm) > 3 + fabs(model.ppm) / 50)
            fail_msg("%g ppm is said to be %g", model.ppm, ppb / 1000);
    }
}

static void each_resync_is_seen_with_its_length(void **state)
{
    static const double ppms[] = {
        40, 12000}; /* more than 1 %: a card that is far off is watched, too */
    ST_EACH (ppm, ppms) {
        setup(NULL);
        model.ppm = *ppm;
        run(20);
        for (int i = 0; i < 60; i++) {
            cycle(i % 3 == 0
                      ? 700
                      : 20); /* a cycle that begins late, and the next one, which is early for it */
            model.level += i % 3 == 1 ? 800 : 0; /* the card stood still */
            model.level -= i % 3 == 2 ? 900 : 0;
            run(5 + 3 * noise());
        }
        assert_int_equal(resyncs_n, 60);
        assert_int_equal(seen_n, 60);
        assert_true(llabs(seen_frames - resync_frames) < resync_frames / 20);
    }
}

static void a_resync_whose_report_is_missing_is_seen(void **state)
{
    static const double ppms[] = {0, -60, 200};
    ST_EACH (ppm, ppms) {
        setup(NULL);
        model.ppm = *ppm;
        run(20);
        for (int j = 0; j < 60; j++) {
            model.is_missing = true;
            model.level += j % 3 == 0 ? 0 : j % 3 == 1 ? 800 : -900;
            cycle(20);
            run(1 + 3 * noise());
        }
        assert_int_equal(resyncs_n, 40);
        assert_int_equal(seen_n, 40);
    }
}

/* It comes to the limit by some frames in each cycle. */
static void a_resync_at_the_limit_is_seen(void **state)
{
    static const double ppms[] = {-15000, 30000, 60000};
    static const int64_t quanta[] = {256, 1024, 2048};
    for (size_t i = 0; i < ST_ARRAY_LEN(ppms) * ST_ARRAY_LEN(quanta); i++) {
        setup(NULL);
        model.quantum = quanta[i / ST_ARRAY_LEN(ppms)];
        model.level = (double)model.quantum;
        run(10);
        model.ppm = ppms[i % ST_ARRAY_LEN(ppms)];
        run(60);
        model.ppm = 0;
        run(10);
        if (resyncs_n != seen_n)
            fail_msg("%g ppm, %d frames: %d of %d", ppms[i % ST_ARRAY_LEN(ppms)],
                     (int)model.quantum, (int)seen_n, (int)resyncs_n);
    }
}

static void what_is_less_than_a_resync_is_none(void **state)
{
    run(5);
    for (int i = 0; i < 200; i++) {
        cycle(400);
        run(0.3);
    }
    assert_int_equal(resyncs_n, 0);
    assert_int_equal(seen_n, 0);
}

static void a_beginning_a_change_and_a_pause_are_none(void **state)
{
    for (int i = 0; i < 50; i++) {
        model.quantum = i % 2 == 0 ? 256 : 1024; /* as its programs want it */
        model.level = (double)model.quantum + (i % 3 == 0 ? 4000 : 0);
        run(0.5);
        resyncs_n = 0;
        run(3);
        model.position += i % 5 == 0 ? 10 * RATE : 0; /* it was in no cycle, or is another stream */
        model.level += i % 5 == 0 ? 3000 : 0;
    }
    assert_int_equal(seen_n, 0);
}

static void a_delay_that_stays_is_none(void **state)
{
    static const double rates[] = {
        1, 1.00004}; /* cards whose streams are linked; no loop has begun anew */
    ST_EACH (rate, rates) {
        setup(NULL);
        run(5);
        for (int i = 0; i <= 200; i++)
            assert_int_equal(lost_by(i < 200 ? 3000 : model.quantum + RESAMPLER, *rate), 0);
    }
}

static void what_cannot_be_is_left_out(void **state)
{
    const struct st_second_card_clock bad[] = {
        {.rate_hz = 0, .position = 1, .duration = 1024, .delay = 1024, .rate_diff = 1},
        {.rate_hz = RATE, .position = 1, .duration = 1024, .delay = -5, .rate_diff = 1},
        {.rate_hz = RATE, .position = 1, .duration = 1024, .delay = INT64_MAX, .rate_diff = 1},
        {.rate_hz = RATE, .position = INT64_MIN, .duration = 1024, .delay = 1024, .rate_diff = 1}};
    run(10);
    ST_EACH (text, bad)
        assert_int_equal(st_second_card_take(&card, 7, text), 0);
    cycle(0);
    model.level += 900;
    run(1);
    assert_int_equal(seen_n, 1);
}

static void a_drift_is_known_before_the_server_has_learned_it(void **state)
{
    for (int ppm = -150; ppm <= 150; ppm += 50) {
        setup(NULL);
        run(2);
        model.ppm = ppm;
        model.bw_hz = 0.002;
        run(28);
        if (fabs((double)st_second_card_drift_ppb(&card) / 1000 - ppm) > 15)
            fail_msg("%d ppm are said to be %g", ppm,
                     (double)st_second_card_drift_ppb(&card) / 1000);
    }
}

static void the_first_report_does_not_spoil_the_first_drift(void **state)
{
    static const int64_t delays[] = {0, 3000};
    ST_EACH (delay, delays) {
        setup(NULL);
        assert_int_equal(lost_by(*delay, 1), 0);
        model.position += model.quantum;
        model.ppm = 100;
        run(11);
        if (fabs((double)st_second_card_drift_ppb(&card) / 1000 - 100) > 15)
            fail_msg("100 ppm are said to be %g", (double)st_second_card_drift_ppb(&card) / 1000);
    }
}

static void a_rate_that_no_crystal_has_is_no_drift(void **state)
{
    static const double rates[] = {(double)NAN, 30, 0, -1, (double)INFINITY};
    model.ppm = 100;
    run(40);
    ST_EACH (rate, rates)
        assert_int_equal(lost_by(model.quantum, *rate), 0);
    assert_in_range(st_second_card_drift_ppb(&card), 90000, 110000);
}

static void a_card_without_a_delay_has_a_drift(void **state)
{
    for (int i = 0; i < 40 * RATE / 1024; i++)
        assert_int_equal(lost_by(0, 1.0001), 0);
    assert_in_range(st_second_card_drift_ppb(&card), 90000, 110000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_steady_drift_is_known_and_is_no_resync, setup),
        cmocka_unit_test_setup(each_resync_is_seen_with_its_length, setup),
        cmocka_unit_test_setup(a_resync_whose_report_is_missing_is_seen, setup),
        cmocka_unit_test_setup(a_resync_at_the_limit_is_seen, setup),
        cmocka_unit_test_setup(what_is_less_than_a_resync_is_none, setup),
        cmocka_unit_test_setup(a_beginning_a_change_and_a_pause_are_none, setup),
        cmocka_unit_test_setup(a_delay_that_stays_is_none, setup),
        cmocka_unit_test_setup(what_cannot_be_is_left_out, setup),
        cmocka_unit_test_setup(a_drift_is_known_before_the_server_has_learned_it, setup),
        cmocka_unit_test_setup(the_first_report_does_not_spoil_the_first_drift, setup),
        cmocka_unit_test_setup(a_rate_that_no_crystal_has_is_no_drift, setup),
        cmocka_unit_test_setup(a_card_without_a_delay_has_a_drift, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
