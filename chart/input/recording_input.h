/* Recordings as input: the message if one cannot be read, and its blocks for evidence/. */
#ifndef ST_CHART_INPUT_RECORDING_INPUT_H
#define ST_CHART_INPUT_RECORDING_INPUT_H

#include "evidence/blocks.h"
#include "store/recording/recording.h"

/** Prints to stderr why a recording could not be opened. @param name of the file, for the message. @param r the error of st_recording_open. @return ST_EXIT_FAILURE. */
ST_NODISCARD int st_recording_input_refused(const char *command, const char *name, int r);

/** Divides the rest of a recording into blocks, without lost cycles. @return 0, -EIO, -ENOMEM. */
ST_NODISCARD int st_recording_input_blocks(struct st_recording_reader *reader, struct st_blocks *ret);

#endif
