/* Noise that wake-ups have, for tests: repeatable from a seed. */
#pragma once

#include "core/stats/random.h"
#include "lab/stats/estimate.h"
#include "lab/stats/series.h"

enum noise {
    NOISE_NORMAL,
    NOISE_UNIFORM,
    NOISE_PARETO,
    NOISE_CAUCHY,
    NOISE_LOGNORMAL,
    NOISE_TWO_MODES,
    NOISE_TELEGRAPH,
    NOISE_COUNT
};

/* Does the interval of a difference leave 0 out? */
static inline bool estimate_shows(const struct st_estimate *estimate)
{
    return estimate->known && (estimate->low > 0 || estimate->high < 0);
}

static inline double noise_normal(struct st_random *random)
{
    return sqrt(-2 * log(1 - st_random_unit(random))) * cos(2 * M_PI * st_random_unit(random));
}

static inline double noise_exponential(struct st_random *random)
{
    return -log(1 - st_random_unit(random));
}

/* ns. mode: of the telegraph, which stays in a mode for 12 or 30 samples on average. */
static inline double noise_value(enum noise noise, struct st_random *random, bool *mode)
{
    switch (noise) {
    case NOISE_NORMAL:
        return 15e3 + 5e3 * noise_normal(random);
    case NOISE_UNIFORM:
        return 10e3 + 20e3 * st_random_unit(random);
    case NOISE_PARETO:
        return 5e3 + 3e3 * exp(noise_exponential(random) / 1.5);
    case NOISE_CAUCHY:
        return 15e3 + 5e3 * tan(M_PI * (st_random_unit(random) - 0.5));
    case NOISE_LOGNORMAL:
        return 10e3 * exp(0.8 * noise_normal(random));
    case NOISE_TWO_MODES:
        *mode = st_random_unit(random) < 0.3;
        break;
    case NOISE_TELEGRAPH:
        if (st_random_unit(random) < (*mode ? 1.0 / 12 : 1.0 / 30))
            *mode = !*mode;
        break;
    case NOISE_COUNT:
        break;
    }
    /* with and without an interrupt to the idle CPU, and now and then something that keeps it
     * busy */
    const double late = st_random_unit(random) < 0.005 ? 2e5 * noise_exponential(random) : 0;
    return (*mode ? 3e3 : 12.5e3) * exp(0.08 * noise_normal(random)) + late;
}

/* n samples of noise and a sine. Free with st_series_finish. */
static inline int noise_series(enum noise noise, uint64_t seed, const struct st_period *period,
                               size_t n, double amplitude_ns, double sine_hz, struct st_series *ret)
{
    struct st_random random = {.state = seed * 1000003 + (uint64_t)noise};
    const double phase = 2 * M_PI * st_random_unit(&random);
    bool mode = false;
    st_series_init(ret, period);
    for (size_t i = 0; i < n; i++) {
        const double cycles = fmod(sine_hz * st_period_seconds(period) * (double)i, 1);
        const double x =
            noise_value(noise, &random, &mode) + amplitude_ns * sin(2 * M_PI * cycles + phase);
        const int r = st_series_add(ret, i, llrint(x));
        if (r != 0)
            return r;
    }
    return 0;
}
