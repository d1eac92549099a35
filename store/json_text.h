/* Text of others as JSON. */
#ifndef ST_STORE_JSON_TEXT_H
#define ST_STORE_JSON_TEXT_H

#include <jansson.h>

/** A string; one that is not UTF-8 (a device's name, a text that was cut) has '?' for each byte beyond ASCII.
 * New reference, NULL when out of memory. */
json_t *st_json_text(const char *text);

#endif
