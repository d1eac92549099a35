/* Callbacks against the model of the device. */
#include "daemon/audio/callbacks.h"

#include <errno.h>
#include <string.h>

#include "core/ns.h"
#include "core/stats/stats.h"

#define RING_WORDS 8192 /* two a callback: a second of 4000 callbacks */
#define TICK_NS    INT64_C(100)
#define RESTART    (-1)
#define WINDOW_NS  (2 * ST_NS_PER_S)
#define FILL_N     4  /* callbacks that fill the buffer of a device that may begin to play seconds later */
#define WARM_UP_N  12 /* the next ones only set the earliest one */
#define ROW_N      ST_CALLBACKS_ROW_N
#define DIGITS     2

int st_callbacks_init(struct st_callbacks *c)
{
    memset(c, 0, sizeof(*c));
    int r = st_ring_init(&c->ring, RING_WORDS);
    if (r < 0)
        return r;
    r = st_hist_init(&c->lateness, DIGITS);
    if (r < 0)
        st_ring_finish(&c->ring);
    return r;
}

void st_callbacks_finish(struct st_callbacks *c)
{
    st_hist_finish(&c->lateness);
    st_ring_finish(&c->ring);
}

static void begin(struct st_callbacks *c)
{
    c->warm_up_left = FILL_N + WARM_UP_N;
    c->at_ns = c->given_frames = c->clock_ns = c->window_from_ns = 0;
    c->window_min_ns = c->before_min_ns = INT64_MAX;
    c->row_n = 0;
}

void st_callbacks_open(struct st_callbacks *c, int64_t rate_hz, int64_t now_ns)
{
    st_callbacks_drain(c); /* of the stream before */
    st_hist_reset(&c->lateness);
    c->base_ns = now_ns;
    c->told_ticks = 0;
    atomic_store(&c->restart, false);
    c->rate_hz = rate_hz;
    c->calls_n = 0;
    c->frames_min = INT64_MAX;
    c->frames_max = 0;
    begin(c);
}

/* --- the sound system's thread --- */

static void put(struct st_callbacks *c, int32_t what, int32_t ticks)
{
    if (!st_ring_has_room(&c->ring, 2)) {
        atomic_fetch_add_explicit(&c->lost_n, 1, memory_order_relaxed);
        return;
    }
    st_ring_put(&c->ring, what);
    st_ring_put(&c->ring, ticks);
    st_ring_publish(&c->ring);
}

void st_callbacks_asked(struct st_callbacks *c, int64_t now_ns, int frames)
{
    const int64_t ticks = (now_ns - c->base_ns) / TICK_NS, step = ticks - c->told_ticks;
    c->told_ticks = ticks;
    if (atomic_exchange_explicit(&c->restart, false, memory_order_relaxed))
        put(c, RESTART, 0);
    put(c, frames, step > INT32_MAX ? INT32_MAX : (int32_t)step); /* 214 s, which is an xrun in any case */
}

void st_callbacks_restarted(struct st_callbacks *c)
{
    atomic_store_explicit(&c->restart, true, memory_order_relaxed);
}

/* --- the thread that looks --- */

/* The latest of the last callbacks. INT64_MAX: they are too few. */
static int64_t latest_of_row(struct st_callbacks *c, int64_t offset_ns)
{
    c->row_ns[c->row_n++ % ROW_N] = offset_ns;
    if (c->row_n < ROW_N)
        return INT64_MAX;
    int64_t latest_ns = INT64_MIN;
    for (int i = 0; i < ROW_N; i++) {
        if (c->row_ns[i] > latest_ns)
            latest_ns = c->row_ns[i];
    }
    return latest_ns;
}

/* What ROW_N callbacks in a row kept in this window or the one before it. One alone does not set it: a
 * backend that refills what is free asks early for the little that is missing, once for each callback that
 * was late, and the buffer is no fuller than usual after that. */
static int64_t earliest(struct st_callbacks *c, int64_t offset_ns)
{
    const int64_t kept_ns = latest_of_row(c, offset_ns);
    if (c->clock_ns - c->window_from_ns >= WINDOW_NS) {
        c->before_min_ns = c->window_min_ns;
        c->window_min_ns = INT64_MAX;
        c->window_from_ns = c->clock_ns;
    }
    if (kept_ns < c->window_min_ns)
        c->window_min_ns = kept_ns;
    return c->window_min_ns < c->before_min_ns ? c->window_min_ns : c->before_min_ns;
}

static void take(struct st_callbacks *c, int64_t frames, int64_t step_ns)
{
    c->calls_n++;
    if (frames < c->frames_min)
        c->frames_min = frames;
    if (frames > c->frames_max)
        c->frames_max = frames;
    c->at_ns += step_ns;
    c->clock_ns += step_ns;
    const int64_t offset_ns = c->at_ns - c->given_frames * ST_NS_PER_S / c->rate_hz;
    const int64_t earliest_ns = c->warm_up_left > WARM_UP_N ? INT64_MAX : earliest(c, offset_ns);
    if (c->warm_up_left > 0)
        c->warm_up_left--;
    else
        st_hist_add(&c->lateness, offset_ns > earliest_ns ? offset_ns - earliest_ns : 0);
    c->given_frames += frames;
    const int64_t whole_s = c->given_frames / c->rate_hz; /* so that nothing overflows in months */
    c->given_frames -= whole_s * c->rate_hz;
    c->at_ns -= whole_s * ST_NS_PER_S;
}

void st_callbacks_drain(struct st_callbacks *c)
{
    int32_t words[256];
    uint64_t n;
    while ((n = st_ring_take(&c->ring, words, ST_ARRAY_LEN(words))) > 0) {
        for (uint64_t i = 0; i + 1 < n; i += 2) {
            if (words[i] == RESTART)
                begin(c);
            else
                take(c, words[i], words[i + 1] * TICK_NS);
        }
    }
    if (atomic_exchange(&c->lost_n, 0) > 0) /* frames are missing in the sum */
        begin(c);
}

static int64_t quantile(const struct st_hist *hist, double p)
{
    const struct st_quantile q = st_stats_quantile(hist, p);
    return q.known ? q.value_ns : INT64_MIN;
}

struct st_callbacks_view st_callbacks_look(const struct st_callbacks *c)
{
    const struct st_hist *hist = &c->lateness;
    return (struct st_callbacks_view){.calls_n = c->calls_n,
                                      .frames_min = c->calls_n > 0 ? c->frames_min : 0,
                                      .frames_max = c->frames_max,
                                      .n = hist->total_n,
                                      .median_ns = quantile(hist, 0.5),
                                      .p99_ns = quantile(hist, 0.99),
                                      .p999_ns = quantile(hist, 0.999),
                                      .max_ns = hist->total_n > 0 ? hist->max_ns : INT64_MIN};
}
