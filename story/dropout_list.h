/* Adds up other programs' dropouts in a history, in the same table as the daemon uses for current
 * ones. */
#pragma once

#include "store/history/history_read.h"

/** Adds to a document the object "dropouts" of sleeptune-history/1 and sleeptune-causes/1, for
 * [since, until). @param since_ns, until_ns INT64_MIN, INT64_MAX: no limit. @return 0, -ENOMEM, or
 * as st_history_read_open. */
ST_NODISCARD int st_dropout_list_add(struct st_history_reader *reader, int64_t since_ns,
                                     int64_t until_ns, json_t *document);
