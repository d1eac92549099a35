/* Recordings as input: why one cannot be read, and its blocks for evidence/. */
#pragma once

#include "evidence/blocks.h"
#include "store/recording/recording.h"

/** Why a recording cannot be read. @param r the error of a function of store/recording/recording.h. */
const char *st_recording_input_error(int r);

/** A whole recording in blocks, without lost cycles. */
struct st_recording_run {
    struct st_recording_meta meta;
    struct st_recording_totals totals;
    enum st_recording_end end;
    char *conditions; /* "key: value" lines */
    struct st_blocks blocks;
};

/** @return 0 or -errno, for st_recording_input_error. Free with st_recording_input_finish, also after a
 * failure. */
ST_NODISCARD int st_recording_input_read(const char *path, struct st_recording_run *ret);
void st_recording_input_finish(struct st_recording_run *run);
