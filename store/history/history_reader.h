/* The inside of struct st_history_reader, for history_read*.c. */
#ifndef ST_STORE_HISTORY_HISTORY_READER_H
#define ST_STORE_HISTORY_HISTORY_READER_H

#include "store/history/history_private.h"
#include "store/history/history_read.h"

struct st_history_reader {
    sqlite3 *db;
    int64_t version;
    struct st_sql_time time;
    struct st_history_sum sum;
};

/** The level whose rows make up steps of this length. */
int64_t st_history_reader_level(const struct st_history_reader *reader, int64_t step_ns);

#endif
