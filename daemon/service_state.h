/* struct st_service, for service.c, service_parts.c and service_view.c. Main thread only, without a
 * lock. */
#pragma once

#include <stdatomic.h>

#include "daemon/causes/kernel_log.h"
#include "daemon/causes/tracer.h"
#include "daemon/http/http.h"
#include "daemon/http/socket.h"
#include "daemon/loop/clockwatch.h"
#include "daemon/loop/overdue.h"
#include "daemon/notify.h"
#include "daemon/service.h"

/* The timing test: its settings and state. */
struct st_service_loop {
    struct st_witness witness; /* period and priority of the loop */
    struct st_overdue overdue;
    /* the loop did not end when it was asked to, so its threads and memory stay */
    bool hangs;
    char rtkit[ST_VIEW_TEXT_BYTES]; /* result of asking rtkit, written by the loop's thread before
                                       it sets has_rtkit */
    atomic_bool has_rtkit;
    bool tracer_tried;
    struct st_history_minute counts; /* the loop's counts at the end of the last minute */
};

/* Does a program play, so that the loop must run? */
struct st_service_music {
    struct st_playing playing;
    bool plays; /* a program played at the last tick; only set while the loop runs */
    bool calm;  /* the loop rests and each source reports when something plays: ticks can be 15 s
                   apart */
    int64_t decided_ns;     /* when it was last decided whether the loop rests, CLOCK_MONOTONIC */
    int64_t other_since_ns; /* since when the music's buffer size differs from the loop's,
                               CLOCK_MONOTONIC; 0: it does not differ */
    /* figures of the last loop, shown while the loop rests because nothing plays; rate_hz 0:
     * none */
    struct st_result rested;
};

/* The HTTP servers. */
struct st_service_web {
    struct st_socket socket;
    struct st_http *http, *tcp, *page; /* page is NULL until a client asks for its address */
    char page_url[ST_HTTP_URL_BYTES];
};

struct st_service {
    struct st_platform *platform;
    struct st_config config;
    const char *config_path; /* NULL: no configuration file was found yet */
    struct st_events events;
    struct st_history_writer
        *history; /* is stopped last, since all other parts add events that it stores */
    struct st_causes *causes;
    struct st_tracer_way tracer_way;
    int64_t marked_ns[10]; /* when the user last reported dropouts, CLOCK_MONOTONIC; 0: unused */
    size_t next_mark;      /* index of the oldest time in marked_ns */
    struct st_kernel_log kernel_log;
    struct st_clockwatch clockwatch;
    struct st_service_web web;
    struct st_service_music music;

    struct st_session *session; /* NULL while no loop runs */
    struct st_audio *audio;     /* NULL while no stream runs */
    struct st_watchdog *watchdog;
    struct st_service_loop loop;
    uint64_t closed_stream_dropouts_n;

    struct st_observe *observe;
    char cycles[ST_SOCKET_PATH_BYTES +
                8];           /* path of the file with PipeWire's last cycles; "": none */
    int64_t observed_wall_ns; /* end of the last minute in the history that counts other programs;
                                 0: no minute yet */
    struct st_notify *notify; /* NULL: no notifications in this build */
    struct st_view
        view; /* holds texts and times only; st_service_view_look copies it and fills in the rest */
    int64_t started_ns;
    uint64_t tick;
    /* why parts were degraded when that was last looked at */
    char degraded[ST_VIEW_DEGRADED_MAX][ST_VIEW_TEXT_BYTES];
    size_t degraded_n;
};
