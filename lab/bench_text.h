/* What the benches print alike. */
#pragma once

#include <jansson.h>

#include "platform/platform.h"

/** One line of what a result must be read with: kernel, CPU, hypervisor, clocksource, governor ... */
void st_bench_text_conditions(struct st_platform *machine, FILE *out, int width);

/** The test conditions for a document. */
json_t *st_bench_text_conditions_json(struct st_platform *machine);

/** How long something takes, roughly: "66 s", "12 min", "6.0 h". @return buf. */
const char *st_bench_text_rough(int64_t ns, char *buf, size_t buf_bytes);

/** Three digits or so: what fits a column. @return buf. */
const char *st_bench_text_digits(double value, char *buf, size_t buf_bytes);
/** The same of microseconds. */
const char *st_bench_text_us(double ns, char *buf, size_t buf_bytes);

/** A row without figures: "name   not measured: WHY (ERROR)". error: < 0; 0: none. */
void st_bench_text_missing(FILE *out, const char *name, const char *why, int error, int columns, int width);
