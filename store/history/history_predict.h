/* Late wake-ups in the minutes of a history, for evidence/predict. */
#pragma once

#include "evidence/predict.h"
#include "store/history/history_read.h"

/** The minutes that were read, by the wall clock. */
struct st_history_predict {
    int64_t since_ns, until_ns;
    int64_t other_ns; /* time with other settings than the newest minute, or with several: left out */
};

/** Reads all minutes that have the settings of the newest minute: kernel, governor, priority, buffer size and
 * so on; not the minutes in which sleeptuned was stopped, as far as their causes are kept. Wake-ups that are
 * late by less than a quarter of the period are left out, so sizes with a shorter slack are refused. @param
 * ret_run ready for st_predict_row; finish it with st_predict_finish, also after an error. @return 0,
 * -ENODATA (no minute, or its buffer size is unknown), or as st_history_read_open. Threads: that of the
 * reader. */
ST_NODISCARD int st_history_predict(struct st_history_reader *reader, struct st_predict_run *ret_run,
                                    struct st_history_predict *ret);
