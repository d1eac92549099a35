/* Circumstances as JSON documents have them. */
#ifndef ST_MEASURE_CIRCUMSTANCE_JSON_H
#define ST_MEASURE_CIRCUMSTANCE_JSON_H

#include <jansson.h>

#include "platform/platform.h"

/** Puts one circumstance into an object: a whole number as a number, anything else as text. Is an
 * st_circumstance_fn. */
void st_circumstance_json(void *object, const char *key, const char *value);

/** The machine's circumstances. */
json_t *st_circumstances_json(struct st_platform *p);

#endif
