/* JSON: small helpers beside jansson, and text that a terminal may show. */
#ifndef ST_CORE_TEXT_JSON_H
#define ST_CORE_TEXT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/text/text_buffer.h"

#define ST_JSON(n) json_integer((json_int_t)(n))

/** Takes over the value. NULL (out of memory) leaves the key out. */
static inline void st_json_set(json_t *object, const char *key, json_t *value)
{
    (void)json_object_set_new(object, key, value);
}

static inline json_t *st_json_integer_or_null(bool known, json_int_t value)
{
    return known ? json_integer(value) : json_null();
}

/** null for INT64_MIN: unknown, or not there */
static inline json_t *st_json_known(int64_t value)
{
    return value != INT64_MIN ? json_integer(value) : json_null();
}

/** null for NULL */
static inline json_t *st_json_string_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

/** null also for an infinite value, which JSON cannot express. */
static inline json_t *st_json_real_or_null(bool known, double value)
{
    json_t *number = known ? json_real(value) : NULL;
    return number != NULL ? number : json_null();
}

/** A string, made safe (core/text/safe.h), so that a program can print the document on a terminal unescaped.
 * New reference, NULL when out of memory. */
json_t *st_json_safe_string(const char *text);

/** The same, null for "". */
static inline json_t *st_json_text_or_null(const char *text)
{
    return text[0] != '\0' ? st_json_safe_string(text) : json_null();
}

/** A json_dump_callback_t; ctx: a struct st_text_buffer. @return 0, -1 when out of memory. */
int st_json_write(const char *text, size_t bytes, void *ctx);

/** Parses a text that st_json_write made, and frees it. @return 0, -ENOMEM. */
int st_json_written(char *text, json_t **ret);

/** As json_dumps, but also with \u escapes for characters that JSON allows and that are not safe text
 * (core/text/safe.h): DEL, C1 control characters, bidirectional marks. The document stays the same. @param
 * ret_bytes its length (may be NULL). @return NULL: out of memory, or no document. Free it with free. */
char *st_json_dump(const json_t *document, size_t flags, size_t *ret_bytes);

#endif
