/* Where the history is, and how much of it is kept, by the configuration. */
#pragma once

#include "daemon/config/config.h"

#define ST_HISTORY_PATH_BYTES 1024
#define ST_HISTORY_WHY_BYTES  256 /* a sentence */

struct st_history_settings {
    char path[ST_HISTORY_PATH_BYTES]; /* "": off */
    char why[ST_HISTORY_WHY_BYTES];   /* why it is off */
    bool usual;                       /* the path is that of the state folder */
    bool missing;                     /* off, because there is no state folder */
    int64_t keep_days, max_bytes, traces_bytes;
};

/** Makes the user's state folder if the history belongs there. Threads: any. */
struct st_history_settings st_history_settings_read(const struct st_config *config);
