/* The documents that can be read from a history, for sleeptuned and `sleeptune history`. */
#pragma once

#include "store/history/history_read.h"

/** Reads a document as text, which the caller frees. @param asked numbers that are INT64_MIN were
 * not given: then the steps cover the last day, other documents all time, and the events are the
 * last 500. @param sums, span for causes: those of a minute that is not in the file yet; NULL:
 * none.
 * @return 0; -ERANGE: since is after until; -E2BIG; -ENOMEM; or as st_history_read_open. Threads:
 * any, one for each reader. */
ST_NODISCARD int st_history_document_text(struct st_history_reader *reader,
                                          const struct st_history_asked *asked,
                                          const struct st_cause_sums *sums,
                                          const struct st_cause_span *span, char **ret);

/** Text for the error r (< 0) of st_history_document_text. */
const char *st_history_document_error(const struct st_history_reader *reader, int r);
