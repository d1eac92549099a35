/* What `listen` says: one screen, or JSON. */
#pragma once

#include <jansson.h>

#include "cli/measure/listen_live.h"
#include "ears/hearing.h"

struct st_listen_view {
    const struct st_hearing_result *result;
    const struct st_listen_live *live; /* NULL: a file */
    const char *file;                  /* foreign text, if live is NULL */
    bool is_cut;                       /* the file */
    struct st_listen_wish wish;        /* what was asked for; all 0: a file */
    uint32_t rate_hz, channels;
    bool latency_known;
    int64_t latency_frames;
    char kernel[128];        /* "Linux 6.1.0"; of a run */
    double rate_ppm;         /* of the device against CLOCK_MONOTONIC; NAN: unknown */
    const json_t *records;   /* "events" of sleeptune-events/1 of that time; NULL: no daemon answered */
    int64_t records_from_ns; /* older records were not asked for; 0: there are none */
    int64_t wall_ns;         /* to be added to CLOCK_MONOTONIC for their times */
};

/** @return an st_exit, DONE: nothing was lost; FINDINGS; BOOKS: invalid, or the device has gone. */
int st_listen_text_status(const struct st_listen_view *view);
/** @param width columns. */
void st_listen_text_screen(const struct st_listen_view *view, FILE *out, int width);
/** sleeptune-listen/1. New reference; NULL: out of memory. */
json_t *st_listen_text_json(const struct st_listen_view *view);
