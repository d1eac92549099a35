/* The documents of a history, as sleeptuned and `sleeptune history` give them. */
#pragma once

#include "store/history/history_read.h"

enum st_history_document {
    ST_HISTORY_OF_STEPS,
    ST_HISTORY_OF_EVENTS,
    ST_HISTORY_OF_CAUSES,
    ST_HISTORY_OF_HEARD,
    ST_HISTORY_OF_SIZES
};

#define ST_HISTORY_USUAL_SPAN_NS (86400 * ST_NS_PER_S)

/** INT64_MIN: not given; of the steps the last day up to now, of the others all. */
struct st_history_asked {
    enum st_history_document document;
    int64_t since_ns, until_ns; /* by the wall clock */
    int64_t step_ns;            /* of the steps */
    int64_t limit;              /* of the events: the last ones; not given: 500 */
    const char *kind;           /* of the events; "": all */
};

/** Reads one as text, which the caller frees. @param sums, span of a minute that is not in the file, for the
 * causes; NULL: none. @return 0; -ERANGE: it begins after its end; -E2BIG; -ENOMEM; or as
 * st_history_read_open. Threads: any, one per reader. */
ST_NODISCARD int st_history_document_text(struct st_history_reader *reader,
                                          const struct st_history_asked *asked,
                                          const struct st_cause_sums *sums, const struct st_cause_span *span,
                                          char **ret);

/** Text for the error r (< 0) of that. */
const char *st_history_document_error(const struct st_history_reader *reader, int r);
