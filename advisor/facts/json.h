/* Parts that snapshot and report share. Internal to advisor/. A NULL result: out of memory. */
#ifndef ST_ADVISOR_FACTS_JSON_H
#define ST_ADVISOR_FACTS_JSON_H

#include "advisor/facts/facts.h"

const char *st_os_name(enum st_os os); /* "linux", "freebsd" */

json_t *st_json_text(const char *text);           /* null for NULL */
json_t *st_json_time(int64_t time_ns);            /* ISO 8601, UTC, milliseconds; null for 0 */
json_t *st_fact_json(const struct st_fact *fact); /* {key, value, state, errno, raw, source, time} */

#endif
