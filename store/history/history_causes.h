/* Why wake-ups were late, in a history: sums by cause and culprit of minutes, of hours where they are older.
 */
#ifndef ST_STORE_HISTORY_HISTORY_CAUSES_H
#define ST_STORE_HISTORY_HISTORY_CAUSES_H

#include "store/history/cause_sums.h"
#include "store/history/history.h"
#include "store/history/history_read.h"

/** The sums of a minute; st_history_add_minute calls it. Errors as st_history_open. */
ST_NODISCARD int st_history_add_causes(struct st_history *history, const struct st_history_minute *minute);

/** Minutes of older days become hours, what is older than all_from_ns is removed; st_history_retain calls it.
 */
ST_NODISCARD int st_history_retain_causes(struct st_history *history, int64_t now_wall_ns,
                                          int64_t all_from_ns);

/**
 * Document sleeptune-causes/1. @param since_ns, until_ns INT64_MIN: no limit.
 * @return 0; -ENODATA: the file is of a version that had no causes; or as st_history_reader_open.
 */
ST_NODISCARD int st_history_read_causes(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                                        json_t **ret);

#endif
