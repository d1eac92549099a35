/* Small helpers of what this folder writes as JSON. */
#ifndef ST_CORE_JSON_H
#define ST_CORE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#define ST_JSON(n) json_integer((json_int_t)(n))

/** Takes the value; one that could not be made (NULL) leaves the key out. */
static inline void st_json_set(json_t *object, const char *key, json_t *value)
{
    (void)json_object_set_new(object, key, value);
}

static inline json_t *st_json_integer_or_null(bool known, json_int_t value)
{
    return known ? json_integer(value) : json_null();
}

/** null also for what JSON has no number for (infinite). */
static inline json_t *st_json_real_or_null(bool known, double value)
{
    json_t *number = known ? json_real(value) : NULL;
    return number != NULL ? number : json_null();
}

#endif
