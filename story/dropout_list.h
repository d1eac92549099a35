/* Adds up other programs' dropouts in a history, in the same table as the daemon uses for current
 * ones. */
#pragma once

#include "store/history/history_read.h"

/** Reads the object "dropouts" of sleeptune-history/1 and sleeptune-causes/1, for [since, until).
 * @param since_ns, until_ns INT64_MIN, INT64_MAX: no limit. @return new reference; NULL: out of
 * memory. */
json_t *st_dropout_list_read(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns);
