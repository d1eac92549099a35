/* What is said of a recording that cannot be read. */
#ifndef ST_CHART_INPUT_RECORDING_INPUT_H
#define ST_CHART_INPUT_RECORDING_INPUT_H

#include "lib/base.h"

/**
 * Says on stderr why st_recording_open did not open it.
 * @param name of the file, as the user knows it. @param r what st_recording_open returned, < 0.
 * @return ST_EXIT_FAILURE.
 */
ST_NODISCARD int st_recording_refused(const char *command, const char *name, int r);

#endif
