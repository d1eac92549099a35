/* All facts of one machine as one JSON document. */
#pragma once

#include <jansson.h>

#include "advisor/facts/facts.h"

/** Makes a snapshot document (sleeptune-snapshot/1) of all facts. */
json_t *st_snapshot_json(const struct st_facts *facts); /* NULL: out of memory */
/** Reads a snapshot document. @return NULL; or why it cannot be read, safe to print, valid until
 * st_text_forget(). */
ST_NODISCARD const char *st_snapshot_parse(const char *text, size_t bytes, struct st_facts **ret);

/** One fact: {key, value, state, errno, source}. @return NULL: out of memory. */
json_t *st_snapshot_fact(const struct st_fact *fact);
