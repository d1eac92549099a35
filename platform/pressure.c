/* Pressure, clock, heat. */
#include "platform/pressure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/proc.h"
#include "platform/tree.h"

#define UNKNOWN     INT64_MIN
#define PATH_BYTES  128
#define THERMAL_DIR "/sys/class/thermal"
#define HOTTEST_MC  200000 /* a sensor beyond it is broken */

static int64_t number_in(struct st_platform *p, const char *path)
{
    char text[64];
    uint64_t value;
    const char *at = text;
    if (st_tree_first_line(p, path, text, sizeof(text)) != 0 || st_proc_u64(&at, &value) != 0 ||
        *at != '\0' || value > INT64_MAX)
        return UNKNOWN;
    return (int64_t)value;
}

static int64_t pressure_us(struct st_platform *p, const char *of)
{
    char path[PATH_BYTES], text[512];
    size_t len;
    uint64_t us;
    snprintf(path, sizeof(path), "/proc/pressure/%s", of);
    if (p->read_text(p, path, text, sizeof(text), &len) != 0 || st_proc_pressure_us(text, "some", &us) != 0 ||
        us > INT64_MAX)
        return UNKNOWN;
    return (int64_t)us;
}

struct hottest {
    struct st_platform *p;
    int64_t mc;
};

static int on_zone(void *ctx, const char *name)
{
    struct hottest *hottest = ctx;
    char path[PATH_BYTES + 64];
    if (strncmp(name, "thermal_zone", strlen("thermal_zone")) != 0 || strlen(name) > 40)
        return 0;
    snprintf(path, sizeof(path), THERMAL_DIR "/%s/temp", name);
    const int64_t mc = number_in(hottest->p, path);
    if (mc <= HOTTEST_MC && mc > hottest->mc)
        hottest->mc = mc;
    return 0;
}

static void read_linux(struct st_platform *p, int cpu, struct st_pressure *ret)
{
    static const char *const of[ST_PRESSURES] = {"cpu", "io", "memory"};
    char path[PATH_BYTES];
    for (size_t i = 0; i < ST_PRESSURES; i++)
        ret->pressure_us[i] = pressure_us(p, of[i]);
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
    ret->cpu_khz = number_in(p, path);
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count", cpu);
    ret->throttles_n = number_in(p, path);
    struct hottest hottest = {p, UNKNOWN};
    if (p->list(p, THERMAL_DIR, on_zone, &hottest) == 0)
        ret->temperature_mc = hottest.mc;
}

/* "45.0C" of coretemp(4) and amdtemp(4), MHz of cpufreq(4). */
static void read_freebsd(struct st_platform *p, int cpu, struct st_pressure *ret)
{
    char name[PATH_BYTES], text[64];
    size_t len;
    snprintf(name, sizeof(name), "dev.cpu.%d.temperature", cpu);
    if (p->read_sysctl(p, name, text, sizeof(text), &len) == 0) {
        char *end;
        const double celsius = strtod(text, &end);
        if (end != text && strcmp(end, "C") == 0 && fabs(celsius) * 1000 <= HOTTEST_MC)
            ret->temperature_mc = llround(celsius * 1000);
    }
    snprintf(name, sizeof(name), "dev.cpu.%d.freq", cpu);
    if (p->read_sysctl(p, name, text, sizeof(text), &len) == 0) {
        const char *at = text;
        uint64_t mhz;
        if (st_proc_u64(&at, &mhz) == 0 && *at == '\0' && mhz < 1000000)
            ret->cpu_khz = (int64_t)mhz * 1000;
    }
}

void st_pressure_read(struct st_platform *p, int cpu, struct st_pressure *ret)
{
    *ret = (struct st_pressure){{UNKNOWN, UNKNOWN, UNKNOWN}, UNKNOWN, UNKNOWN, UNKNOWN};
    if (p->os == ST_OS_LINUX)
        read_linux(p, cpu >= 0 ? cpu : 0, ret);
    else if (p->os == ST_OS_FREEBSD)
        read_freebsd(p, cpu >= 0 ? cpu : 0, ret);
}
