/* Circumstances of a measurement on one line: "kernel 6.1, policy fifo". */
#ifndef ST_CHART_CIRCUMSTANCES_H
#define ST_CHART_CIRCUMSTANCES_H

#include <jansson.h>

#include "core/base.h"

/** A value as a person reads it: a request of the default latency is none. */
const char *st_circumstances_shown(const char *key, const char *value);

/** Of a JSON object with text and whole numbers. @return buf. */
char *st_circumstances_text(const json_t *circumstances, char *buf, size_t buf_bytes);
/** Of "key: value" lines. @return buf. */
char *st_circumstances_lines(const char *lines, char *buf, size_t buf_bytes);

#endif
