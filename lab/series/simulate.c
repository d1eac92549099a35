#include "lab/series/simulate.h"

#include "core/ns.h"
#include "core/stats/random.h"

#define COUNT_MAX UINT64_C(100000000)

/* The clock ticks of the simulated kernel; all times are on the wall clock. */
struct ticker {
    double edge_ns; /* time of the latest tick */
    double tick_ns; /* present length of a tick */
    double free_ns; /* length of a tick without steering */
    double hz;
    double gain;
    double steered_ns; /* ns by which the loop shortens each second (its integral part), which
                          compensates the drift */
    double second_ns;  /* time of the next full second */
};

/* Adjusts the length of a tick, once a second: the proportional and the integral part of a control
 * loop that is nearly critically damped. */
static void steer(struct ticker *t)
{
    double error_ns = t->edge_ns - t->second_ns - ST_SIMULATE_PLL_TARGET_NS;
    error_ns = remainder(error_ns, t->tick_ns);
    t->steered_ns += t->gain * t->gain / 4 * error_ns;
    t->tick_ns = t->free_ns - (t->gain * error_ns + t->steered_ns) / t->hz;
    t->second_ns += (double)ST_NS_PER_S;
}

static void advance(struct ticker *t, int64_t ticks)
{
    if (t->gain <= 0) {
        t->edge_ns += (double)ticks * t->tick_ns;
        return;
    }
    while (ticks > 0) {
        const double left = ceil((t->second_ns - t->edge_ns) / t->tick_ns);
        const int64_t step = left < 1 ? 1 : left < (double)ticks ? (int64_t)left : ticks;
        t->edge_ns += (double)step * t->tick_ns;
        ticks -= step;
        if (t->edge_ns >= t->second_ns)
            steer(t);
    }
}

/* Sleeps until due_ns on the simulated kernel. A sleep that ends too early is continued, as
 * nanosleep(2) does in the kernel. @return the time of the wake-up. */
static double sleep_ns(struct ticker *t, const struct st_simulation *s, double now_ns,
                       double due_ns)
{
    if (s->rounding == ST_ROUNDING_NONE)
        return due_ns;
    do {
        advance(t, st_simulate_tvtohz((int64_t)((due_ns - now_ns) / 1e3), s->hz, s->rounding));
        now_ns = t->edge_ns;
    } while (now_ns < due_ns);
    return now_ns;
}

/* A normally distributed random number. Source: Box and Muller 1958. */
static double normal(struct st_random *random)
{
    const double u = 1 - st_random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * st_random_unit(random));
}

static bool in_range(const struct st_simulation *s)
{
    /* beyond 2^53 ns, 104 days, a double is no longer exact to the ns */
    return s->count >= 1 && s->count <= COUNT_MAX && s->hz >= 1 && s->hz <= 1000000 &&
           fabs(s->drift_ppm) <= 10000 && s->pll_gain >= 0 && s->pll_gain <= 1 &&
           s->noise_ns >= 0 && s->noise_ns <= 3600 * ST_NS_PER_S && s->period.num >= 1 &&
           s->period.den >= 1 && st_period_seconds(&s->period) * (double)s->count < 0x1p53 / 1e9;
}

int st_simulate(const struct st_simulation *s, struct st_series *ret)
{
    if (!in_range(s))
        return -ERANGE;
    struct st_random random = {.state = s->seed};
    struct ticker ticker = {
        .hz = (double)s->hz, .gain = s->pll_gain, .second_ns = (double)ST_NS_PER_S};
    ticker.free_ns = ticker.tick_ns = 1e9 / (double)s->hz * (1 + s->drift_ppm * 1e-6);
    ticker.edge_ns = st_random_unit(&random) * ticker.tick_ns;
    struct st_series series;
    st_series_init(&series, &s->period);
    double now_ns = s->rounding == ST_ROUNDING_NONE ? 0 : ticker.edge_ns; /* a tick has just woken
                                                                             the program */
    uint64_t due = 0;
    while (series.n < s->count) {
        due = st_period_index_at(&s->period, 0, (int64_t)now_ns) + 1;
        const double due_ns = (double)st_period_due_ns(&s->period, 0, due);
        now_ns = sleep_ns(&ticker, s, now_ns, due_ns);
        double lateness_ns = now_ns - due_ns;
        if (s->noise_ns > 0)
            lateness_ns += normal(&random) * (double)s->noise_ns;
        const int r = st_series_add(&series, due - 1, llrint(lateness_ns));
        if (r != 0) {
            st_series_finish(&series);
            return r;
        }
    }
    *ret = series;
    return 0;
}

#define US_PER_S INT64_C(1000000)
#define US_MAX   (INT64_C(1) << 53)

static const char *const names[] = {
    [ST_ROUNDING_NONE] = "none",
    [ST_ROUNDING_TVTOHZ] = "tvtohz",
    [ST_ROUNDING_TVTOHZ_FIXED] = "tvtohz-fixed",
};

const char *st_simulate_rounding_name(enum st_rounding rounding)
{
    return names[rounding];
}

int st_simulate_rounding_parse(const char *name, enum st_rounding *ret)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(names); i++) {
        if (strcmp(names[i], name) == 0) {
            *ret = (enum st_rounding)i;
            return 0;
        }
    }
    return -EINVAL;
}

int64_t st_simulate_tvtohz(int64_t us, int64_t hz, enum st_rounding rounding)
{
    if (us < 0 || us > US_MAX || hz < 1 || hz > US_PER_S || rounding == ST_ROUNDING_NONE)
        return -ERANGE;
    const int64_t tick_us = US_PER_S / hz;
    const int64_t ticks = (us + tick_us - 1) / tick_us + (rounding == ST_ROUNDING_TVTOHZ ? 1 : 0);
    return ticks > 0 ? ticks : 1;
}

double st_simulate_timer_ppm(int64_t timer_hz, int64_t hz, int64_t *ret_counts)
{
    *ret_counts = llrint((double)timer_hz / (double)hz);
    return ((double)*ret_counts * (double)hz / (double)timer_hz - 1) * 1e6;
}
