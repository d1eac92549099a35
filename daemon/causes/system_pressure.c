/* Samples of the surroundings. */
#include "daemon/causes/system_pressure.h"

/* A counter's growth; one that went back is a new one. */
static int64_t grown(int64_t now, int64_t before)
{
    return now == INT64_MIN || before == INT64_MIN || now < before ? INT64_MIN : now - before;
}

static int64_t permille(int64_t now_us, int64_t before_us, int64_t span_ns)
{
    const int64_t us = grown(now_us, before_us);
    if (us == INT64_MIN || span_ns < 1000000)
        return INT64_MIN;
    const double share = 1e6 * (double)us / (double)span_ns;
    return share < 1000 ? (int64_t)(share + 0.5) : 1000;
}

void st_system_pressure_sample(struct st_system_pressure *pressure, struct st_platform *platform, int cpu)
{
    struct st_pressure sample;
    const struct st_pressure *last = &pressure->last;
    const int64_t at_ns = platform->now_ns(platform), span_ns = at_ns - pressure->at_ns;
    st_pressure_read(platform, cpu, &sample);
    struct st_event_circumstances now = ST_EVENT_CIRCUMSTANCES_UNKNOWN;
    now.cpu_khz = sample.cpu_khz;
    now.temperature_mc = sample.temperature_mc;
    if (pressure->sampled) {
        now.pressure_cpu_permille =
            permille(sample.pressure_us[ST_PRESSURE_CPU], last->pressure_us[ST_PRESSURE_CPU], span_ns);
        now.pressure_io_permille =
            permille(sample.pressure_us[ST_PRESSURE_IO], last->pressure_us[ST_PRESSURE_IO], span_ns);
        now.pressure_memory_permille =
            permille(sample.pressure_us[ST_PRESSURE_MEMORY], last->pressure_us[ST_PRESSURE_MEMORY], span_ns);
        now.throttles_n = grown(sample.throttles_n, last->throttles_n);
    }
    pressure->last = sample;
    pressure->at_ns = at_ns;
    pressure->sampled = true;
    pressure->now = now;
}
