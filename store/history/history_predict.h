/* Reads the late wake-ups in the minutes of a history, from which evidence/predict.h predicts
 * dropouts per hour at other buffer sizes. */
#pragma once

#include "evidence/predict.h"
#include "store/history/history_read.h"

/** What was read, by the wall clock. */
struct st_history_predict {
    int64_t since_ns, until_ns;
    int64_t other_ns; /* time that was left out, because the settings were not those of the newest
                         minute */
};

/** Reads all minutes with the settings of the newest one: kernel, governor, priority, buffer size
 * and so on. Leaves out minutes in which sleeptuned itself was stopped, if the file still has their
 * causes. Wake-ups that are late by less than a quarter of the period are left out, too, so a
 * buffer size with less slack cannot be predicted. @param ret_run ready for st_predict_row; finish
 * it with st_predict_finish, also after an error. @return 0, -ENODATA (no minute, or its buffer
 * size is unknown), or as st_history_read_open. Threads: that of the reader. */
ST_NODISCARD int st_history_predict(struct st_history_reader *reader,
                                    struct st_predict_run *ret_run, struct st_history_predict *ret);
