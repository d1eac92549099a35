/* The recording of `sleeptune measure` (--record). */
#pragma once

#include "measure/session.h"

/** All 0 but the path at first. */
struct st_measure_file {
    const char *path;
    struct st_recording *recording; /* NULL: nothing is recorded */
    struct st_sink sink;
    int error;     /* the first one; negative errno */
    bool reported; /* while it ran */
};

/** Opens the file, which becomes the sink of config. It is not moved then. @return 0, or an exit status after
 * a message. */
ST_NODISCARD int st_measure_file_open(struct st_session_config *config, struct st_measure_file *file);

/** Ends the recording, if there is one. @param result  NULL: nothing was measured. @return 0, or an exit
 * status after a message (disk full: what was written stays readable). */
int st_measure_file_close(struct st_measure_file *file, const struct st_result *result);
