/* A copy of all figures of the daemon at one moment, for the status and the metrics. */
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
    bool ended; /* the daemon ends, and this is its last document */
    /* the timing test rests while nothing plays; `loop` is then the result of the previous loop, or
     * NULL */
    bool rests;
    const struct st_result *loop; /* NULL: no result yet */
    uint64_t loop_starts;
    struct {
        int64_t ns;        /* delay of the loop's next cycle if it has not run for seconds
                              (daemon/loop/overdue.h); else 0 */
        struct st_hog hog; /* the thread that runs instead */
    } overdue;
    struct st_audio_view audio;
    struct st_watchdog_view watchdog;
    struct st_observe_view observe;
    struct st_history_writer_view history;
    struct st_history_minute minute; /* the last minute; measured_ns 0: none yet */
    /* dropouts of other programs in `minute`; INT64_MIN: nothing was watched */
    int64_t minute_dropouts_n;
    json_t *events; /* recent events as JSON; borrowed */
    /* command that restarts PipeWire, if PipeWire is a service of this user; else NULL */
    const char *pipewire_restart;
    bool right_set_up; /* 'sleeptune apply' gave this user the right to real-time priority */
    char rtkit[ST_VIEW_TEXT_BYTES]; /* result of asking rtkit for real-time priority; "": not
                                     * asked */
    /* text of st_notify_state; "": notifications are not available on this system */
    char notify[ST_VIEW_TEXT_BYTES];
    struct {
        /* path of the configuration file; "": no file, so the defaults apply */
        char file[ST_VIEW_TEXT_BYTES];
        int64_t read_wall_ns;
        char error[ST_VIEW_TEXT_BYTES]; /* first error of the last reload; "": it succeeded */
    } config;
    struct {
        char http[ST_VIEW_TEXT_BYTES]; /* why http.listen could not be opened; "": it could */
        /* why mode or group of the socket could not be set at a reload; "": they could */
        char socket[ST_VIEW_TEXT_BYTES];
        /* why the trace does not run although it is configured; "": it runs, or is not
         * configured */
        char trace[ST_VIEW_TEXT_BYTES];
    } failed;
};

/** State of the daemon: "starting", "running", "idle" (the loop rests), "degraded" (by more than
 * missing rights), "failed" or "ended". */
const char *st_view_state(const struct st_view *view);

/** "has not run for 12 s: hog/4711 with real-time priority 80 keeps CPU 0 busy": for a loop with
 * overdue.ns > 0. */
const char *st_view_overdue_text(const struct st_view *view);

/** State of the history: "off", "opening", "writing", "failing". */
const char *st_view_history_state(const struct st_view *view);

/** Document sleeptune-status/1. New reference, NULL when out of memory. */
json_t *st_view_json(const struct st_view *view);

/** Makes the metrics in Prometheus' text format. @param named include series that name programs.
 * @return text to be freed; NULL: out of memory. */
char *st_view_metrics(const struct st_view *view, bool named);

#define ST_VIEW_DEGRADED_MAX (11 + ST_XRUN_SOURCES_MAX)

struct st_degraded {
    const char *what; /* the part: "loop", "memory" ... */
    const char *why;  /* lives as long as the view, and as texts of st_text() */
    /* `why` contains a number of seconds, so it differs each time; separate events report such a
     * part */
    bool counts;
    bool rights; /* the system grants sleeptuned fewer rights than requested, as most desktops do:
                    shown as a detail */
};

/** The parts that do not work as configured. */
struct st_degraded_list {
    struct st_degraded parts[ST_VIEW_DEGRADED_MAX];
    size_t n;
};
struct st_degraded_list st_view_degraded(const struct st_view *view);
