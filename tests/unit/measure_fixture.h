/* A loop on the fake platform with its ring, drain and result: what the tests of measure/ start
 * from. */
#pragma once

#include "core/ns.h"
#include "measure/drain.h"
#include "measure/loop.h"
#include "tests/fake/fake.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

struct bench {
    struct st_platform *fake;
    struct st_ring ring;
    struct st_loop loop;
    struct st_drain drain;
    struct st_result result;
    struct st_counters_handle counters;
    struct st_cause_event latest;
};

static inline void bench_late(void *ctx, const struct st_cause_event *event)
{
    struct bench *b = ctx;
    b->latest = *event;
}

/* 64 frames at 48 kHz on an idle fake machine; the loop counts `periods` without warm-up. */
static inline void bench_init(struct bench *b, uint64_t ring_words, uint64_t periods)
{
    memset(b, 0, sizeof(*b));
    b->fake = st_fake_new(ST_OS_LINUX, 5 * ST_NS_PER_S);
    assert_non_null(b->fake);
    assert_int_equal(st_ring_init(&b->ring, ring_words), 0);
    b->loop.platform = b->fake;
    b->loop.ring = &b->ring;
    b->loop.period = period_of(64, 48000);
    b->loop.max_periods = periods;
    b->loop.cause_above_ns = INT64_MAX;
    b->result.period = b->loop.period;
    b->result.frames = 64;
    b->result.rate_hz = 48000;
    assert_int_equal(st_hist_init(&b->result.lateness, 3), 0);
    assert_int_equal(st_hist_init(&b->result.response, 3), 0);
    const struct st_cause_machine machine = {.virtualised = 1, .rt_hole_ns = 50000000};
    st_drain_init(&b->drain, &b->loop, &b->result, NULL, &machine);
    b->drain.sink.late = bench_late;
    b->drain.sink.ctx = b;
}

static inline void bench_script(struct bench *b, const int64_t *late_ns, size_t n,
                                int64_t late_after_ns)
{
    assert_int_equal(st_fake_script_sleeps(b->fake, late_ns, n, late_after_ns), 0);
}

/* Runs the loop to its end, then drains it. */
static inline void bench_run(struct bench *b)
{
    assert_int_equal(st_loop_run(&b->loop), 0);
    st_drain_step(&b->drain);
    st_drain_finish(&b->drain);
}

static inline void bench_finish(struct bench *b)
{
    st_ring_finish(&b->ring);
    st_result_finish(&b->result);
    st_fake_free(b->fake);
}
