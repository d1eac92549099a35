/* Takes each late wake-up and simulated xrun of the loop to the tracer, which names a culprit, or without a
 * tracer straight to the sums of causes. */
#ifndef ST_DAEMON_CAUSES_LATE_H
#define ST_DAEMON_CAUSES_LATE_H

#include <pthread.h>

#include "daemon/causes/tracer.h"
#include "measure/session.h"

struct st_late_wakes {
    struct st_causes *causes;
    pthread_mutex_t mutex;
    struct st_tracer *tracer; /* NULL: none */
};

/** @param causes  must live longer. @return 0 or a negative errno value. */
ST_NODISCARD int st_late_init(struct st_late_wakes *late, struct st_causes *causes);
void st_late_finish(struct st_late_wakes *late);

/** To be given to a session; its functions run in the drain thread. */
struct st_sink st_late_sink(struct st_late_wakes *late);

/** From now on the tracer is asked; NULL: none, because of `why`. Threads: main. */
void st_late_trace_by(struct st_late_wakes *late, struct st_tracer *tracer, const char *why);

#endif
