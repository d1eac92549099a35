/* JSON as text that a terminal may show. */
#ifndef ST_CORE_JSON_DUMP_H
#define ST_CORE_JSON_DUMP_H

#include <jansson.h>
#include <stddef.h>

/** As json_dumps, with \u escapes also for what is not safe text (core/safe_text.h) and JSON lets pass: DEL,
 * C1 control characters, bidirectional marks. The document stays the same.
 * @param ret_bytes its length (may be NULL). @return NULL: out of memory, or no document. Free it with free.
 */
char *st_json_dump(const json_t *document, size_t flags, size_t *ret_bytes);

#endif
