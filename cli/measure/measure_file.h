/* The recording of `sleeptune measure` (--record). */
#pragma once

#include "measure/session.h"

/** The file that --record writes. All 0 except the path at first. */
struct st_measure_file {
    const char *path;
    struct st_recording *recording; /* NULL: nothing is recorded */
    struct st_sink sink;
    int error;     /* the first error; negative errno */
    bool reported; /* the error was reported during the run */
};

/** Opens the file and makes it the sink of `config`, which from then on points into *file, so that
 * *file must not move. @return 0, or an exit status after a message. */
ST_NODISCARD int st_measure_file_open(struct st_session_config *config,
                                      struct st_measure_file *file);

/** Ends the recording, if any. @param result NULL: nothing was measured. @return 0, or an exit
 * status after a message (disk full: the written part stays readable). */
int st_measure_file_close(struct st_measure_file *file, const struct st_result *result);
