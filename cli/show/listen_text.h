/* Output of `listen`: one screen, or JSON. */
#pragma once

#include <jansson.h>

#include "cli/measure/listen_live.h"
#include "ears/hearing.h"

struct st_listen_view {
    const struct st_hearing_result *result;
    const struct st_listen_live *live; /* without a way: a file was judged */
    struct st_listen_wish wish;        /* settings that the user asked for; all 0: a file */
    uint32_t rate_hz, channels;
    bool latency_known;
    int64_t latency_frames;
    char kernel[128]; /* "Linux 6.1.0"; of a live run */
    double rate_ppm;  /* clock of the device relative to CLOCK_MONOTONIC; NAN: unknown */
    const json_t
        *records; /* "events" of sleeptune-events/1 during the run; NULL: no daemon answered */
    int64_t records_from_ns; /* time of the oldest record that was read, if the daemon has older
                                ones; 0: it has none */
    int64_t wall_ns;         /* add to CLOCK_MONOTONIC to get the times of records */
};

/** @return an st_exit. DONE: nothing was lost; FINDINGS: losses; BOOKS: the run is invalid, or the
 * device has gone. */
int st_listen_text_status(const struct st_listen_view *view);
/** @param width columns. */
void st_listen_text_screen(const struct st_listen_view *view, FILE *out, int width);
/** sleeptune-listen/1. New reference; NULL: out of memory. */
json_t *st_listen_text_json(const struct st_listen_view *view);
