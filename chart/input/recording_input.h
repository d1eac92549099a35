/* Recordings as input: into blocks for evidence/, and why one cannot be read. */
#ifndef ST_CHART_INPUT_RECORDING_INPUT_H
#define ST_CHART_INPUT_RECORDING_INPUT_H

#include "evidence/blocks.h"
#include "store/recording/recording.h"

/**
 * Says on stderr why st_recording_open did not open it.
 * @param name of the file, as the user knows it. @param r what st_recording_open returned, < 0.
 * @return ST_EXIT_FAILURE.
 */
ST_NODISCARD int st_recording_input_refused(const char *command, const char *name, int r);

/** Cuts the rest of a recording into blocks. Lost cycles are in none of them. @return 0, -EIO, -ENOMEM. */
ST_NODISCARD int st_recording_input_blocks(struct st_recording_reader *reader, struct st_blocks *ret);

#endif
