/* One run of `listen`, live or of a file: what came back is heard, what was forced is set apart,
 * and each loss is joined with what was recorded of that moment. One thread. */
#pragma once

#include "cli/measure/listen_live.h"
#include "cli/show/daemon_client.h"
#include "cli/show/listen_text.h"
#include "ears/hearing.h"

#define ST_LISTEN_LEAST_NS (10 * INT64_C(1000000000)) /* the forced glitches take 6.5 s */

/* When a frame was recorded. A packet may be late and is never early: of some, the least late one counts. */
struct st_listen_time {
    uint64_t recorded; /* frames since the first one */
    int64_t time_ns;   /* since then; 0 of both: none yet */
    int64_t late_ns;   /* by a clock at its nominal rate */
};

/** Large: from calloc. */
struct st_listen_run {
    struct st_listen_view view; /* complete once the run has ended */
    struct st_hearing hearing;
    struct st_hearing_result result;
    struct st_listen_live live;
    struct st_daemon_answer records, status;
    uint64_t next_frame, first_recorded;
    int64_t
        ahead; /* frames of the signal that had been played, less those recorded, when it was heard first */
    int64_t first_ns;
    struct st_listen_time first, last, soon; /* of the first whole second, the last one, and the next */
    int64_t least_ns, most_ns;               /* by how much a second was later than the one before */
};

/** Says on standard error what is going to be heard and recorded, plays, records, and asks the daemon, if one
 * answers, what it recorded. Signals are the caller's (st_stop_catch). @return an st_exit: DONE with
 * run->view, or a failure after its message. Either way st_listen_run_finish. */
int st_listen_run_live(const struct st_listen_wish *wish, struct st_listen_run *run);

/** Of a recording, whose frames run->hearing has taken. */
void st_listen_run_end(struct st_listen_run *run, const struct st_glitch *forced, size_t forced_n);

/** DONE: nothing was lost; FINDINGS; BOOKS: invalid, or the device has gone. */
int st_listen_run_status(const struct st_listen_run *run);

void st_listen_run_finish(struct st_listen_run *run);
