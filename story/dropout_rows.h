/* The table of programs: one layout for status, check and history. */
#pragma once

#include <jansson.h>

#include "story/dropout_source.h"

/** Who lost sound, and who plays: a row for each program and reason, who lost most first, those of a source
 * that is asked about or watched before others. live: with columns for what programs compute that play.
 * @return as screen.sections[] of sleeptune-status/1, with rows that have cells. NULL: out of memory. */
json_t *st_dropout_rows(const struct st_dropout_source *sources, size_t n, bool live);
