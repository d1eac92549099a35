/* The table of programs that lost sound or play: the same for status, check and history. */
#pragma once

#include <jansson.h>

#include "story/dropout_table.h"

/** Makes the table: a row for each program and reason, largest loss first. The sources that the
 * answer is about, or that are watched, come first. @param live add columns for the load of playing
 * programs. @return an item of screen.sections[] of sleeptune-status/1, whose rows have cells.
 * NULL: out of memory. */
json_t *st_dropout_rows(const struct st_dropout_source *sources, size_t n, bool live);
