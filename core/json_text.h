/* Foreign text as JSON. */
#ifndef ST_CORE_JSON_TEXT_H
#define ST_CORE_JSON_TEXT_H

#include <jansson.h>

/** A string, made safe (core/safe_text.h): who prints the document on a terminal need not escape it.
 * New reference, NULL when out of memory. */
json_t *st_json_text(const char *text);

/** A document that is written piece by piece. Zeroed to begin; free text. */
struct st_json_writing {
    char *text; /* ends with a 0 */
    size_t bytes, room;
};

/** A json_dump_callback_t; ctx: a struct st_json_writing. @return 0, -1 when out of memory. */
int st_json_write(const char *text, size_t bytes, void *ctx);

/** Reads what was written, and frees it. @return 0, -ENOMEM. */
int st_json_written(char *text, json_t **ret);

#endif
