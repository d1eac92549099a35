/* The documents that can be read from a history, for sleeptuned and `sleeptune history`. */
#pragma once

#include "store/history/history_read.h"

enum st_history_document {
    ST_HISTORY_OF_STEPS,
    ST_HISTORY_OF_EVENTS,
    ST_HISTORY_OF_CAUSES,
    ST_HISTORY_OF_HEARD,
    ST_HISTORY_OF_SIZES
};

/** What is asked for. INT64_MIN: not given; then the steps cover the last day, and other documents
 * all time.
 */
struct st_history_asked {
    enum st_history_document document;
    int64_t since_ns, until_ns; /* by the wall clock */
    int64_t step_ns;            /* only for steps */
    int64_t limit;              /* only for events: most events, the latest ones; not given: 500 */
    const char *kind;           /* only for events: their name; "": all events */
};

/** Reads a document as text, which the caller frees. @param sums, span for causes: those of a
 * minute that is not in the file yet; NULL: none. @return 0; -ERANGE: since is after until; -E2BIG;
 * -ENOMEM; or as st_history_read_open. Threads: any, one for each reader. */
ST_NODISCARD int st_history_document_text(struct st_history_reader *reader,
                                          const struct st_history_asked *asked,
                                          const struct st_cause_sums *sums,
                                          const struct st_cause_span *span, char **ret);

/** Text for the error r (< 0) of st_history_document_text. */
const char *st_history_document_error(const struct st_history_reader *reader, int r);
