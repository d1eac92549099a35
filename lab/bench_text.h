/* What the benches print alike. */
#ifndef ST_LAB_BENCH_TEXT_H
#define ST_LAB_BENCH_TEXT_H

#include <stdio.h>

#include "platform/platform.h"

/** One line of what a result must be read with: kernel, CPU, hypervisor, clocksource, governor ... */
void st_bench_text_conditions(struct st_platform *p, FILE *out, int width);

/** How long something takes, roughly: "66 s", "12 min", "6.0 h". @return buf. */
const char *st_bench_text_rough(int64_t ns, char *buf, size_t buf_bytes);

#endif
