/* Test conditions of a measurement on one line: "kernel 6.1, policy fifo". */
#pragma once

#include <jansson.h>

#include "core/base.h"

/** Writes the conditions in a JSON object, whose values are text or whole numbers, as one line.
 * @return buf. */
char *st_conditions_text(const json_t *conditions, char *buf, size_t buf_bytes);
/** Writes conditions given as "key: value" lines as one line. @return buf. */
char *st_conditions_lines(const char *lines, char *buf, size_t buf_bytes);
