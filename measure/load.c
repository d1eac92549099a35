/* A synthetic DSP load. */
#include "measure/load.h"

#include <string.h>

#include "core/ns.h"

static void one_round(struct st_load *load) ST_NONBLOCKING
{
    /* low-pass biquad (direct form II transposed), stable: the values stay in the range of the input */
    const float b0 = 0.067455f, b1 = 0.134911f, b2 = 0.067455f, a1 = -1.142980f, a2 = 0.412802f;
    float z1 = load->state[0], z2 = load->state[1];
    for (int i = 0; i < ST_LOAD_SAMPLES; i++) {
        const float in = load->samples[i];
        const float out = b0 * in + z1;
        z1 = b1 * in - a1 * out + z2;
        z2 = b2 * in - a2 * out;
        load->samples[i] = 0.5f * in + 0.5f * out;
    }
    load->state[0] = z1;
    load->state[1] = z2;
    load->samples[0] = 1.0f; /* keeps it from decaying into denormals */
}

void st_load_run(void *ctx)
{
    struct st_load *load = ctx;
    for (uint64_t i = 0; i < load->rounds; i++)
        one_round(load);
}

void st_load_calibrate(struct st_load *load, struct st_platform *platform, const struct st_period *period,
                       double load_percent)
{
    enum { BATCHES = 20, ROUNDS = 1000 };
    memset(load, 0, sizeof(*load));
    int64_t best_ns = INT64_MAX;
    for (int i = 0; i < BATCHES; i++) {
        load->rounds = ROUNDS;
        const int64_t start_ns = platform->now_ns(platform);
        st_load_run(load);
        const int64_t ns = platform->now_ns(platform) - start_ns;
        if (ns < best_ns)
            best_ns = ns;
    }
    const double per_round_ns = best_ns > 0 ? (double)best_ns / (double)ROUNDS : 1.0;
    const double want_ns = st_period_seconds(period) * (double)ST_NS_PER_S * load_percent / 100.0;
    load->rounds = (uint64_t)(want_ns / per_round_ns) + 1;
}
