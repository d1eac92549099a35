/* What a machine was under at a moment: pressure, clock, heat. Through the seam's read_text, list and
 * read_sysctl alone, so that the native rows and the fake answer alike. */
#ifndef ST_PLATFORM_PRESSURE_H
#define ST_PLATFORM_PRESSURE_H

#include "platform/platform.h"

enum st_pressure_kind { ST_PRESSURE_CPU, ST_PRESSURE_IO, ST_PRESSURE_MEMORY, ST_PRESSURES };

/** INT64_MIN: not known here. */
struct st_pressure {
    int64_t pressure_us[ST_PRESSURES]; /* in which some task waited for it, since boot (Linux) */
    int64_t cpu_khz;                   /* of the CPU that was asked for */
    int64_t throttles_n;               /* of its core, since boot: it became too hot (Linux, Intel) */
    int64_t temperature_mc;            /* the hottest sensor; thousandths of a degree Celsius */
};

/** @param cpu  -1: CPU 0 stands for all. Some 50 us. Threads: any. */
void st_pressure_read(struct st_platform *p, int cpu, struct st_pressure *ret);

#endif
