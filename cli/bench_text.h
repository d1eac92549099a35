/* What the benches print alike. */
#ifndef ST_CLI_BENCH_TEXT_H
#define ST_CLI_BENCH_TEXT_H

#include <stdio.h>

#include "platform/platform.h"

/** One line of what a result must be read with: kernel, CPU, hypervisor, clocksource, governor ... */
void st_bench_circumstances(struct st_platform *p, FILE *out, int width);

#endif
