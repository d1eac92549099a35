/* The thread that writes the history: minutes and events, to a file (store/history/history.h). No
 * other thread waits for it: minutes and events go into lists. While the file cannot be written
 * they stay there, at most ST_HISTORY_WRITER_MINUTES_MAX minutes and ST_HISTORY_WRITER_EVENTS_MAX
 * events; beyond that the oldest minute, or the oldest event of the most frequent kind, is dropped
 * and counted (ST_EVENT_HISTORY_LOST). After an error, writing is tried again every 30 s. An event
 * is in the file after at most ST_HISTORY_WRITER_EVENTS_NS, a minute at once. The same thread reads
 * the file to answer requests. */
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
    /* no history is written: not configured, or `missing` (no folder to write to); `why` says
     * which */
    ST_HISTORY_WRITER_OFF,
    ST_HISTORY_WRITER_OPENING, /* the file was not opened yet */
    ST_HISTORY_WRITER_WRITING,
    ST_HISTORY_WRITER_FAILING, /* the file cannot be written, for the reason in `why`; rows wait in
                                  memory */
};

struct st_history_writer_view {
    enum st_history_writer_state state;
    char path[ST_HISTORY_PATH_BYTES];
    char why[ST_HISTORY_WHY_BYTES]; /* why the state is OFF or FAILING */
    /* state OFF although the history is configured: there is no state folder */
    bool missing;
    /* path to which a damaged file was renamed since the start; "": none was */
    char aside[ST_HISTORY_PATH_BYTES];
    int64_t bytes; /* size of the file in use; INT64_MIN: not known */
    /* a sentence that says since when dropouts are more frequent; "": they are not */
    char changed[400];
    uint64_t minutes_n, events_n; /* rows written to the file since the start */
    uint64_t waiting_minutes_n, waiting_events_n;
    uint64_t lost_minutes_n, lost_events_n; /* rows that were dropped; an event reports them when
                                               the file can be written again */
};

struct st_history_writer;

/** Starts the thread and listens to events. @param config history.*; copied. @return 0, -ENOMEM,
 * -EAGAIN. Threads: main. */
ST_NODISCARD int st_history_writer_start(struct st_platform *platform,
                                         const struct st_config *config, struct st_events *events,
                                         struct st_history_writer **ret);

/** Applies other settings, and tries a failed write again at once. Threads: main. */
void st_history_writer_set(struct st_history_writer *writer, const struct st_config *config);

/** Adds a minute with its histogram of lateness (ST_HISTORY_DIGITS digits), the causes of late
 * wake-ups, and what was watched in it; all is copied. Threads: main. @param minute its members
 * lateness and causes are not used; NULL: the loop did not run. Nothing is added if nothing was
 * watched either. */
void st_history_writer_add(struct st_history_writer *writer, const struct st_history_minute *minute,
                           const struct st_hist *lateness, const struct st_cause_sums *causes,
                           const struct st_history_watched *watched);

/** Ends the thread after it has written the waiting rows once. No thread may add events any more.
 * Requests that were not answered get NULL. NULL is allowed. Threads: main. */
void st_history_writer_stop(struct st_history_writer *writer);

/** Copies the current state of the writer. Threads: any. */
void st_history_writer_look(struct st_history_writer *writer, struct st_history_writer_view *ret);

/** Sets the file with PipeWire's last cycles (xruns/cycle_ring.h), which is copied after a dropout,
 * or when the user reports one. Threads: main. */
void st_history_writer_record(struct st_history_writer *writer, const char *cycles);

/** Does a copy for a dropout still need the kernel's events of the last seconds? If true, call
 * st_history_writer_give_events. Threads: main. */
bool st_history_writer_wants_events(struct st_history_writer *writer);
/** Passes the levels of buffers in the last minute, to be stored in the copy for a dropout. They
 * are copied. Threads: main. */
void st_history_writer_give_levels(struct st_history_writer *writer,
                                   const struct st_cycle_levels *levels);
/** Passes the kernel's events, to be stored in the copy for a dropout. They are copied. @param
 * events NULL: there is no tracer. Threads: any. */
void st_history_writer_give_events(struct st_history_writer *writer,
                                   const struct st_trace_event *events, size_t n);

/** A request for a document from the history: sleeptune-history/1 (by default of the last day),
 * sleeptune-events/1, sleeptune-causes/1, sleeptune-sizes/1, sleeptune-heard/1 or a trace. */
struct st_history_ask {
    enum st_route_body which; /* ST_ROUTE_HISTORY, _EVENTS, _CAUSES, _SIZES, _HEARD or _TRACE */
    struct st_query query;
    /* the request follows a dropout that the user just reported: the answer is then a document even
     * if the history cannot be read */
    bool marked;
    /* causes of the current minute, added to those in the file; without a file they are the whole
     * answer */
    struct st_causes_now now;
    struct st_history_watched
        watched; /* what was watched in the current minute, added to that in the file */
    /* dropouts that are in no stored event yet, added to those in the file; freed after the
     * answer */
    struct st_event *open;
    size_t open_n;
    /** Receives the answer. @param text to be freed; NULL: out of memory. @param http_status 200;
     * 400, 404 or 503: the text is an error. */
    void (*answered)(void *to, char *text, unsigned http_status);
    void *to;
};

/** Sends a request to the writer's thread; `answered` is called once: from this function,
 * st_history_writer_turn or st_history_writer_stop. Waiting rows are written before, if the file
 * can be written. `ask` is copied, and the writer frees ask->open. Threads: main, as for the next
 * functions. */
void st_history_writer_ask(struct st_history_writer *writer, const struct st_history_ask *ask);
void st_history_writer_wait(const struct st_history_writer *writer, struct st_wait *wait);
void st_history_writer_turn(struct st_history_writer *writer, const struct st_wait *wait);

/** Makes the answer from the file as it is now. Threads: the writer's. */
char *st_history_answer(const struct st_history_writer_view *view, struct st_history_ask *ask,
                        unsigned *http_status);

/** A sentence since when dropouts are more frequent (st_change_story_text); "": they are not, or
 * the file cannot be read. Threads: the writer's. */
const char *st_history_answer_changed(const char *path, int64_t now_wall_ns);
