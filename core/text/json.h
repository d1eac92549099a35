/* JSON: small helpers beside jansson, and text that a terminal may show. */
#pragma once

#include <jansson.h>

#include "core/text/text_buffer.h"

static inline json_t *st_json_unsigned(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static inline json_t *st_json_boolean(bool value)
{
    return json_boolean(value);
}

/** null for NULL */
static inline json_t *st_json_string_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static inline json_t *st_json_itself(json_t *value)
{
    return value;
}

/** The value as JSON, by its type: a bool (a comparison is none: it is an int), a number, a text (null for
 * NULL), or JSON itself. */
#define ST_JSON(value)                                                                                       \
    _Generic((value), bool                                                                                   \
             : st_json_boolean, double                                                                       \
             : json_real, char *                                                                             \
             : st_json_string_or_null, const char *                                                          \
             : st_json_string_or_null, json_t *                                                              \
             : st_json_itself, unsigned                                                                      \
             : st_json_unsigned, unsigned long                                                               \
             : st_json_unsigned, unsigned long long                                                          \
             : st_json_unsigned, default                                                                     \
             : json_integer)(value)

/** Takes over a value. NULL, of the value or the array, is out of memory: the array is then NULL, and
 * json_pack() of it, too. */
static inline void st_json_append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) == 0)
        return;
    json_decref(*array);
    *array = NULL;
}

/** Takes over a value that is JSON. NULL (out of memory) leaves the key out. */
#define st_json_set(object, key, value) json_object_set_new((object), (key), ST_JSON(value))

static inline json_t *st_json_integer_or_null(bool known, json_int_t value)
{
    return known ? json_integer(value) : json_null();
}

/** What a negative errno value means; null for 0. */
static inline json_t *st_json_error(int error)
{
    return error != 0 ? json_string(strerror(-error)) : json_null();
}

/** null for INT64_MIN: unknown, or not there */
static inline json_t *st_json_known(int64_t value)
{
    return value != INT64_MIN ? json_integer(value) : json_null();
}

/** null also for an infinite value, which JSON cannot express. */
static inline json_t *st_json_real_or_null(bool known, double value)
{
    json_t *number = known ? json_real(value) : NULL;
    return number != NULL ? number : json_null();
}

/** Members of a document: NULL, 0 or false where there is none of that type. */
static inline const char *st_json_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static inline int64_t st_json_integer(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/** A string, made safe (core/text/safe.h), so that a program can print the document on a terminal unescaped.
 * New reference, NULL when out of memory. */
json_t *st_json_safe_string(const char *text);

/** The same, null for "". */
static inline json_t *st_json_text_or_null(const char *text)
{
    return text[0] != '\0' ? st_json_safe_string(text) : json_null();
}

/** A member that is a text; "" if there is none. Borrowed. */
static inline const char *st_json_text_of(const json_t *object, const char *key)
{
    const char *text = st_json_text(object, key);
    return text != NULL ? text : "";
}

/** Each value of a list, the member `key` of an object; none if there is no such list. */
struct st_json_walk {
    const json_t *list;
    size_t next;
    json_t *value; /* NULL: the one before is done with */
};
static inline bool st_json_walk_on(struct st_json_walk *walk)
{
    walk->value = walk->value == NULL ? json_array_get(walk->list, walk->next++) : NULL;
    return walk->value != NULL;
}
#define ST_JSON_EACH(one, object, key)                                                                       \
    for (struct st_json_walk one##_walk = {json_object_get((object), (key)), 0, NULL};                       \
         st_json_walk_on(&one##_walk);)                                                                      \
        for (json_t *one = one##_walk.value; one != NULL; one = one##_walk.value = NULL)

/** The same as one safe line (core/text/safe.h), which lives as those of st_text() do. */
const char *st_json_safe_text(const json_t *object, const char *key);

/** A json_dump_callback_t; ctx: a struct st_text_buffer. @return 0, -1 when out of memory. */
int st_json_write(const char *text, size_t bytes, void *ctx);

/** Parses a text that st_json_write made, and frees it. @return 0, -ENOMEM. */
int st_json_written(char *text, json_t **ret);

/** Of a document that people may read: 0.1, not 0.10000000000000001. */
#define ST_JSON_PRETTY (JSON_INDENT(2) | JSON_REAL_PRECISION(12))

/** As json_dumps, but also with \u escapes for characters that JSON allows and that are not safe text
 * (core/text/safe.h): DEL, C1 control characters, bidirectional marks. The document stays the same. @param
 * ret_bytes its length (may be NULL). @return NULL: out of memory, or no document. Free it with free. */
char *st_json_dump(const json_t *document, size_t flags, size_t *ret_bytes);

/** A document as text, which the caller frees; the document is given back. @param document NULL: out of
 * memory. @return NULL: out of memory. */
char *st_json_into_text(json_t *document, size_t flags);
