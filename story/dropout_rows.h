/* The table of programs: one layout for status, check and history. */
#pragma once

#include <jansson.h>

#include "story/dropout_source.h"

/** Programs that lost sound or play: a row for each program and reason, largest loss first; sources that
 * are asked about or watched come first. @param live add columns for the load of playing programs.
 * @return as screen.sections[] of sleeptune-status/1, with rows that have cells. NULL: out of memory. */
json_t *st_dropout_rows(const struct st_dropout_source *sources, size_t n, bool live);
