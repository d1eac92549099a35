/* Foreign text as JSON. */
#ifndef ST_CORE_JSON_TEXT_H
#define ST_CORE_JSON_TEXT_H

#include <jansson.h>

#include "core/text_buffer.h"

/** A string, made safe (core/safe_text.h): who prints the document on a terminal need not escape it.
 * New reference, NULL when out of memory. */
json_t *st_json_text(const char *text);

/** A json_dump_callback_t; ctx: a struct st_text_buffer. @return 0, -1 when out of memory. */
int st_json_write(const char *text, size_t bytes, void *ctx);

/** Reads what was written, and frees it. @return 0, -ENOMEM. */
int st_json_written(char *text, json_t **ret);

#endif
