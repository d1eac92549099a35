/* Texts that all benches print in the same form. */
#pragma once

#include <jansson.h>

#include "platform/platform.h"

/** Prints the test conditions without which a result says little, on one line: kernel, CPU,
 * hypervisor, clocksource, governor ... */
void st_bench_text_conditions(struct st_platform *machine, FILE *out, int width);

/** The test conditions as a JSON object, for a document. */
json_t *st_bench_text_conditions_json(struct st_platform *machine);

/** Writes a duration as rough text: "66 s", "12 min", "6.0 h". @return buf. */
const char *st_bench_text_rough(int64_t ns, char *buf, size_t buf_bytes);

/** A number with about three digits, to fit a column. @return buf. */
const char *st_bench_text_digits(double value, char *buf, size_t buf_bytes);
/** A time in ns as a number of microseconds with about three digits. @return buf. */
const char *st_bench_text_us(double ns, char *buf, size_t buf_bytes);

/** Prints a table row without figures: "name not measured: WHY (ERROR)". @param error < 0; 0: no
 * error is printed. */
void st_bench_text_missing(FILE *out, const char *name, const char *why, int error, int columns,
                           int width);
