/* The history of the daemon: a normal thread that writes minutes and events to a file
 * (store/history/history.h).
 *
 * No other thread waits for the writer: minutes and events go into lists. While the file cannot be written
 * they stay there, at most ST_HISTORY_WRITER_MINUTES_MAX and ST_HISTORY_WRITER_EVENTS_MAX; beyond that the
 * oldest minute, or the oldest event of the most frequent kind, is dropped and counted
 * (ST_EVENT_HISTORY_LOST). Writing is tried again every half minute. Events reach the file within
 * ST_HISTORY_WRITER_EVENTS_NS, minutes at once. The same thread reads the file to answer questions. */
#pragma once

#include "daemon/causes/causes.h"
#include "daemon/history/history_file.h"
#include "daemon/http/query.h"
#include "daemon/http/route.h"
#include "daemon/wait.h"
#include "story/change_story.h"
#include "xruns/cycle_ring.h"

#define ST_HISTORY_WRITER_MINUTES_MAX 1440
#define ST_HISTORY_WRITER_EVENTS_MAX  2048
#define ST_HISTORY_WRITER_EVENTS_NS   INT64_C(5000000000)
#define ST_HISTORY_WRITER_RETRY_NS    INT64_C(30000000000)

enum st_history_writer_state {
    ST_HISTORY_WRITER_OFF,     /* not configured, or no place to write (missing); `why` says which */
    ST_HISTORY_WRITER_OPENING, /* not opened yet */
    ST_HISTORY_WRITER_WRITING,
    ST_HISTORY_WRITER_FAILING, /* kept in memory; `why` says why */
};

struct st_history_writer_view {
    enum st_history_writer_state state;
    char path[ST_HISTORY_PATH_BYTES];
    char why[ST_HISTORY_WHY_BYTES];    /* for OFF and FAILING */
    bool missing;                      /* OFF although configured: there is no state folder */
    char aside[ST_HISTORY_PATH_BYTES]; /* a file that was set aside since the start; "" */
    int64_t bytes;                     /* size of the file in use; INT64_MIN: not known */
    char changed[400];                 /* since when dropouts are more frequent; "": they are not */
    uint64_t minutes_n, events_n;      /* written since the start */
    uint64_t waiting_minutes_n, waiting_events_n;
    uint64_t lost_minutes_n,
        lost_events_n; /* dropped; reported by an event when the file can be written again */
};

struct st_history_writer;

/** Starts the thread and listens to events. @param config history.*; copied. @return 0, -ENOMEM, -EAGAIN.
 * Threads: main. */
ST_NODISCARD int st_history_writer_start(struct st_platform *platform, const struct st_config *config,
                                         struct st_events *events, struct st_history_writer **ret);

/** Sets other settings; a failed write is tried again at once. Threads: main. */
void st_history_writer_set(struct st_history_writer *writer, const struct st_config *config);

/** Adds a minute with its histogram (ST_HISTORY_DIGITS digits), why wake-ups were late, and what was watched
 * meanwhile; all is copied. Threads: main.
 * @param minute without lateness and causes. NULL: the loop did not run; nothing is added if nothing was
 * watched. */
void st_history_writer_add(struct st_history_writer *writer, const struct st_history_minute *minute,
                           const struct st_hist *lateness, const struct st_cause_sums *causes,
                           const struct st_history_watched *watched);

/** Writes waiting rows once and ends. No thread may add events any more. Unanswered questions are answered
 * with NULL. NULL is allowed. Threads: main. */
void st_history_writer_stop(struct st_history_writer *writer);

/** Threads: any. */
void st_history_writer_look(struct st_history_writer *writer, struct st_history_writer_view *ret);

/** Sets the file with the last cycles (xruns/cycle_ring.h), which is copied after a dropout or mark.
 * Threads: main. */
void st_history_writer_record(struct st_history_writer *writer, const char *cycles);

/** Does the writer want the kernel's events of the last seconds, for a dropout just now? If true, call
 * st_history_writer_give_events. Threads: main. */
bool st_history_writer_wants_events(struct st_history_writer *writer);
/** Gives the levels of buffers up to now, for the same copy. Copied. Threads: main. */
void st_history_writer_give_levels(struct st_history_writer *writer, const struct st_cycle_levels *levels);
/** Gives the kernel's events; copied. @param ctx the writer. @param events NULL: no tracer. Threads: any. */
void st_history_writer_give_events(void *ctx, const struct st_trace_event *events, size_t n);

/** A question, answered by a document sleeptune-history/1 (by default of the last day),
 * sleeptune-events/1, sleeptune-causes/1, sleeptune-sizes/1 or sleeptune-heard/1. */
struct st_history_ask {
    enum st_route_body which; /* ST_ROUTE_HISTORY, _EVENTS, _CAUSES, _SIZES, _HEARD or _TRACE */
    struct st_query query;
    bool marked;              /* the user just set a mark: answered even if the history cannot be read */
    struct st_causes_now now; /* for causes: added to those in the file; without a file the whole answer */
    struct st_history_watched watched; /* of the current minute: added to that in the file */
    struct st_event *open; /* events in no record yet: added to those in the file; freed after the answer */
    size_t open_n;
    /** @param text to be freed; NULL: out of memory. @param http_status 200; 400 or 503: the text is an
     * error. */
    void (*answered)(void *to, char *text, unsigned http_status);
    void *to;
};

/** Asks; `answered` is called once, from this function, st_history_writer_turn or st_history_writer_stop.
 * Waiting rows are written first, if the file can be written. `ask` is copied; its `open` becomes the
 * writer's. Threads: main, as for the next functions. */
void st_history_writer_ask(struct st_history_writer *writer, const struct st_history_ask *ask);
void st_history_writer_wait(const struct st_history_writer *writer, struct st_wait *wait);
void st_history_writer_turn(struct st_history_writer *writer, const struct st_wait *wait);

/** Makes the answer from the file in its current state (history_answer.c). Threads: the writer's. */
char *st_history_answer(const struct st_history_writer_view *view, struct st_history_ask *ask,
                        unsigned *http_status);

/** The sentence of st_change_story_text if dropouts are more frequent now; "" also if the file cannot be
 * read. Threads: the writer's. */
const char *st_history_answer_changed(const char *path, int64_t now_wall_ns);
