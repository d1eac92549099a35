/* What struct st_service holds, for service.c, service_parts.c and service_view.c. All of it is of the main
 * thread, without a lock. */
#pragma once

#include <stdatomic.h>

#include "daemon/causes/causes.h"
#include "daemon/causes/events.h"
#include "daemon/causes/kernel_log.h"
#include "daemon/causes/tracer.h"
#include "daemon/history/history_writer.h"
#include "daemon/http/http.h"
#include "daemon/http/socket.h"
#include "daemon/loop/clockwatch.h"
#include "daemon/loop/overdue.h"
#include "daemon/loop/witness.h"
#include "daemon/notify.h"
#include "daemon/service.h"
#include "daemon/status/live.h"
#include "daemon/status/view.h"

/* What the test loop runs with, and what is known of it. */
struct st_service_loop {
    struct st_witness witness; /* its period and priority */
    struct st_overdue overdue;
    bool hangs;                     /* it did not end when it was asked to */
    char rtkit[ST_VIEW_TEXT_BYTES]; /* its thread's, before it sets has_rtkit */
    atomic_bool has_rtkit;
    bool tracer_tried;
    struct st_history_minute counts; /* as of the end of the last minute */
};

/* Whether something plays, so that the loop has to run. */
struct st_service_music {
    struct st_playing playing;
    bool plays;              /* at the last tick of a loop that ran */
    bool calm;               /* the loop rests, and the sources tell when something plays */
    int64_t decided_ns;      /* when it was last decided whether the loop rests */
    int64_t other_since_ns;  /* the music has another size than the loop since then; 0: the same */
    struct st_result rested; /* the loop before this rest; rate_hz 0: none */
};

/* Where requests come from. */
struct st_service_web {
    struct st_socket socket;
    struct st_http *http, *tcp, *page; /* page: from when its address was asked for */
    char page_url[ST_HTTP_URL_BYTES];
};

struct st_service {
    struct st_platform *platform;
    struct st_config config;
    const char *config_path; /* NULL: no file so far */
    struct st_events events;
    struct st_history_writer *history; /* as long as events are added */
    struct st_causes *causes;
    struct st_tracer_way tracer_way;
    struct st_live live;
    int64_t marked_ns[10]; /* when the last marks came, CLOCK_MONOTONIC; 0: free */
    size_t next_mark;      /* the oldest one */
    struct st_kernel_log kernel_log;
    struct st_clockwatch clockwatch;
    struct st_service_web web;
    struct st_service_music music;

    struct st_session *session; /* NULL between two runs */
    struct st_audio *audio;     /* likewise */
    struct st_watchdog *watchdog;
    struct st_service_loop loop;
    uint64_t closed_stream_dropouts_n;

    struct st_observe *observe;
    char cycles[ST_SOCKET_PATH_BYTES + 8]; /* the file of the helper programs; "": none */
    int64_t observed_wall_ns; /* end of the last minute that the history has of other programs; 0: none */
    struct st_notify *notify; /* NULL: none */
    struct st_view view;      /* its texts and times; st_service_view_look fills the rest */
    int64_t started_ns;
    uint64_t tick;
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX]; /* as logged last */
    size_t degraded_n;
};
