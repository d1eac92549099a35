/* Samples of the surroundings. */
#include "daemon/causes/system_pressure.h"

#include "platform/proc.h"

#define UNKNOWN    INT64_MIN
#define PATH_BYTES 128

static int64_t pressure_us(struct st_machine *machine, const char *of)
{
    char path[PATH_BYTES], text[512];
    size_t len;
    uint64_t us;
    ST_PRINT(path, "/proc/pressure/%s", of);
    if (machine->read_text(machine, path, text, sizeof(text), &len) != 0 ||
        st_proc_pressure_us(text, "some", &us) != 0 || us > INT64_MAX)
        return UNKNOWN;
    return (int64_t)us;
}

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
    static const char *const of[] = {"cpu", "io", "memory"};
    struct st_event_pressure now = ST_EVENT_PRESSURE_UNKNOWN;
    int64_t *const to[] = {&now.pressure_cpu_permille, &now.pressure_io_permille,
                           &now.pressure_memory_permille};
    bool guest = false;
    cpu = ST_MAX(cpu, 0);
    (void)platform->machine.virtualised(&platform->machine, &guest);
    pressure->before = pressure->last;
    st_readings_read(platform, cpu, guest, INT64_MIN, &pressure->last);
    const int64_t span_ns = pressure->last.at_ns - pressure->before.at_ns;
    for (size_t i = 0; i < ST_ARRAY_LEN(of); i++) {
        const int64_t us = pressure_us(&platform->machine, of[i]);
        if (pressure->sampled)
            *to[i] = permille(us, pressure->pressure_us[i], span_ns);
        pressure->pressure_us[i] = us;
    }
    if (pressure->sampled)
        now.throttles_n =
            grown(pressure->last.counts[ST_READING_HEAT_N], pressure->before.counts[ST_READING_HEAT_N]);
    now.cpu_khz = pressure->last.clock_khz;
    now.temperature_mc = st_readings_temperature_mc(&platform->machine, cpu);
    pressure->sampled = true;
    pressure->now = now;
}
