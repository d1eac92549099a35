/* The recordings of `sleeptune measure` (--record), one per loop. */
#pragma once

#include "measure/session.h"

struct st_measure_files;

/** Opens the files, which become the sinks of config; with several CPUs each name gets ".cpuN". NULL names:
 * no file. @return 0, or an exit status after a message. */
ST_NODISCARD int st_measure_files_open(struct st_session_config *config, const char *record,
                                       struct st_measure_files **ret);

/** Ends the recordings; results in the order of the loops. @return 0, or an exit status after a message (disk
 * full: what was written stays readable). */
int st_measure_files_close(struct st_measure_files *files, const struct st_result *results, size_t n);
void st_measure_files_free(struct st_measure_files *files);
