/* Test conditions of a measurement on one line: "kernel 6.1, policy fifo". */
#pragma once

#include <jansson.h>

#include "core/base.h"

/** Of a JSON object with text and whole numbers. @return buf. */
char *st_conditions_text(const json_t *conditions, char *buf, size_t buf_bytes);
/** Of "key: value" lines. @return buf. */
char *st_conditions_lines(const char *lines, char *buf, size_t buf_bytes);
