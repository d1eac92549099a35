/* All figures of status and metrics at one moment. */
#pragma once

#include "daemon/audio/audio.h"
#include "daemon/history/history_writer.h"
#include "daemon/loop/hog.h"
#include "daemon/loop/watchdog.h"
#include "daemon/observe/observe.h"

#define ST_VIEW_TEXT_BYTES 512

struct st_view {
    int64_t now_wall_ns, started_wall_ns, uptime_ns;
    long pid;
    bool ended; /* the last document of a daemon that ends */
    bool rests; /* the loop rests while nothing plays; `loop` is then the previous loop, or NULL */
    const struct st_result *loop; /* NULL: not known yet */
    uint64_t loop_starts;
    struct {
        int64_t ns; /* delay of the loop's next cycle if it has not run for seconds (daemon/loop/overdue.h);
                       else 0 */
        struct st_hog hog; /* the thread that runs instead */
    } overdue;
    struct st_audio_view audio;
    struct st_watchdog_view watchdog;
    struct st_observe_view observe;
    struct st_history_writer_view history;
    struct st_history_minute minute; /* the last minute; measured_ns 0: none yet */
    int64_t minute_dropouts_n;       /* of other programs in `minute`; INT64_MIN: nothing was watched */
    json_t *events;                  /* borrowed */
    const char *pipewire_restart;    /* a command, if this user has such services; else NULL */
    bool right_set_up;               /* 'sleeptune apply' gave this user the right to real-time priority */
    char rtkit[ST_VIEW_TEXT_BYTES];  /* "": not asked */
    char notify[ST_VIEW_TEXT_BYTES]; /* st_notify_state; "": not available on this system */
    struct {
        char file[ST_VIEW_TEXT_BYTES]; /* "": defaults, no file */
        int64_t read_wall_ns;
        char error[ST_VIEW_TEXT_BYTES]; /* first message of the last reload, if it failed */
    } config;
    struct {
        char http[ST_VIEW_TEXT_BYTES];   /* why TCP could not be opened */
        char socket[ST_VIEW_TEXT_BYTES]; /* why mode or group of the socket could not be set at reload */
        char trace[ST_VIEW_TEXT_BYTES];  /* why a configured tracer is missing */
    } failed;
};

/** "starting", "running", "idle" (the loop rests), "degraded" (by more than missing rights), "failed" or
 * "ended". */
const char *st_view_state(const struct st_view *view);

/** "has not run for 12 s: hog/4711 with real-time priority 80 keeps CPU 0 busy": for a loop with
 * overdue.ns > 0. */
const char *st_view_overdue_text(const struct st_view *view);

/** "off", "opening", "writing", "failing". */
const char *st_view_history_state(const struct st_view *view);

/** Document sleeptune-status/1. New reference, NULL when out of memory. */
json_t *st_view_json(const struct st_view *view);

/** Upper bounds of the histogram of lateness in metrics and on screens. The first bucket includes early
 * wake-ups. */
#define ST_VIEW_BOUNDS_N 19
extern const int64_t st_view_bounds_ns[ST_VIEW_BOUNDS_N];

/** Prometheus text format, to be freed; NULL: out of memory. @param named include series that name
 * programs. */
char *st_view_metrics(const struct st_view *view, bool named);

#define ST_VIEW_DEGRADED_MAX 18

/** Names of what can be degraded ("loop", "memory" ...), ends with NULL. */
extern const char *const st_degraded_parts[];

struct st_degraded {
    const char *what; /* of st_degraded_parts */
    char why[ST_VIEW_TEXT_BYTES];
    bool counts; /* the reason counts seconds and has separate events */
    bool rights; /* the system grants sleeptuned fewer rights than requested, as most desktops do: shown as a
                    detail */
};

/** Lists what differs from the configuration. @return number of entries. */
size_t st_view_degraded(const struct st_view *view, struct st_degraded ret[ST_VIEW_DEGRADED_MAX]);
