/* JSON: small functions beside jansson's, and text that is safe to show on a terminal. */
#pragma once

#include <jansson.h>

#include "core/text/text.h"
#include "core/text/text_buffer.h"

/** Adds members to an object. `members` has a word for each one, a key and a letter for its type:
 * "time_ns:i client:e". The values follow, one for each letter:
 *   i  int64_t or uint64_t, never a shorter type
 *   n  as i; null for INT64_MIN, which stands for unknown
 *   p  as i; null for 0 or less, which stand for unknown
 *   u  int, or a shorter type
 *   d  double; null if infinite, or NAN
 *   b  bool
 *   t  text of ours; null for NULL
 *   s  text of others, which is made safe (core/text/safe.h)
 *   e  as s; null for ""
 *   o  JSON, whose reference it takes; null for NULL
 * A key without a letter is null, and has no value. Out of memory omits members, or they become
 * null. @return object. */
json_t *st_json_add(json_t *object, const char *members, ...);

/** A new object with these members. */
#define st_json_object(...) st_json_add(json_object(), __VA_ARGS__)

/** Appends a value to an array; takes its reference. If the value or the array is NULL (out of
 * memory), the array is freed and becomes NULL, so that json_pack() with it fails. */
static inline void st_json_append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) == 0)
        return;
    json_decref(*array);
    *array = NULL;
}

static inline json_t *st_json_integer_or_null(bool known, json_int_t value)
{
    return known ? json_integer(value) : json_null();
}

/** Text of a negative errno value; null for 0. */
static inline json_t *st_json_error(int error)
{
    return error != 0 ? json_string(strerror(-error)) : json_null();
}

/** A real number; null if it is not known, or infinite, which JSON cannot express. */
static inline json_t *st_json_real_or_null(bool known, double value)
{
    json_t *number = known ? json_real(value) : NULL;
    return number != NULL ? number : json_null();
}

/** A member of an object; NULL or 0 if there is no member of this type. */
static inline const char *st_json_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static inline int64_t st_json_integer(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/** An integer; INT64_MIN if there is none. */
static inline int64_t st_json_known_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : INT64_MIN;
}

/** A text made safe (core/text/safe.h), so that the document can be printed on a terminal as it is.
 * New reference; NULL: out of memory. */
json_t *st_json_safe_string(const char *text);

/** As st_json_safe_string; null for "". */
static inline json_t *st_json_text_or_null(const char *text)
{
    return text[0] != '\0' ? st_json_safe_string(text) : json_null();
}

/** A member that is a text; "" if there is none. Borrowed. */
static inline const char *st_json_text_of(const json_t *object, const char *key)
{
    return st_text_or(st_json_text(object, key), "");
}

/** Walks over the list that is member `key` of an object; without such a list there are no
 * values. */
struct st_json_walk {
    const json_t *list;
    size_t next;
    json_t *value; /* the current value; NULL while the walk is between two values */
};
static inline bool st_json_walk_on(struct st_json_walk *walk)
{
    walk->value = walk->value == NULL ? json_array_get(walk->list, walk->next++) : NULL;
    return walk->value != NULL;
}
#define ST_JSON_EACH(one, object, key)                                                             \
    for (struct st_json_walk one##_walk = {json_object_get((object), (key)), 0, NULL};             \
         st_json_walk_on(&one##_walk);)                                                            \
        for (json_t *one = one##_walk.value; one != NULL; one = one##_walk.value = NULL)

/** As st_json_text_of, as one safe line (core/text/safe.h); lives as long as texts of st_text(). */
const char *st_json_safe_text(const json_t *object, const char *key);

/** Appends JSON text to a buffer, as json_dump_callback_t. @param ctx a struct st_text_buffer.
 * @return 0; -1: out of memory. */
int st_json_write(const char *text, size_t bytes, void *ctx);

/** Parses a text that st_json_write collected, and frees the text. @return 0, -ENOMEM. */
int st_json_written(char *text, json_t **ret);

/** Flags for documents that people may read: indented, and 0.1 instead of 0.10000000000000001. */
#define ST_JSON_PRETTY (JSON_INDENT(2) | JSON_REAL_PRECISION(12))

/** As json_dumps with ST_JSON_PRETTY, with \u escapes also for characters that JSON allows but that
 * are not safe text (core/text/safe.h): DEL, C1 control characters, bidirectional marks. The
 * document's value stays the same. @return NULL: out of memory, or no document. Free with
 * free(). */
char *st_json_dump(const json_t *document);

/** Converts a document to text, which the caller frees, and releases the document. @param document
 * NULL: out of memory. @return NULL: out of memory. */
char *st_json_into_text(json_t *document, size_t flags);
