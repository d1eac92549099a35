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
    char kernel[128];      /* "Linux 6.1.0"; of a run */
    double rate_ppm;       /* of the device against CLOCK_MONOTONIC; NAN: unknown */
    const json_t *records; /* "events" of sleeptune-events/1 of that time; NULL: no daemon was asked */
    int64_t wall_ns;       /* to be added to CLOCK_MONOTONIC for their times */
};

/** The event of the sound server or of a helper program that belongs to a loss: at its place or within 200 ms
 * of it. NULL: none. */
const struct st_capture_event *st_listen_text_reason(const struct st_listen_view *view,
                                                     const struct st_loss *loss);

/** What sleeptuned recorded of that moment: a dropout or xrun, from 200 ms before the loss to 1.5 s after it,
 * as they are reported up to a second late. Foreign text; NULL: nothing. */
const char *st_listen_text_record(const struct st_listen_view *view, const struct st_loss *loss);

#define ST_LISTEN_ANSWER_BYTES 400

/** The first line: what was lost in how long, over which way, and how many that can show. */
void st_listen_text_answer(const struct st_listen_view *view, char *buf, size_t bytes);
/** @param width columns. */
void st_listen_text_screen(const struct st_listen_view *view, FILE *out, int width);
/** sleeptune-listen/1. New reference; NULL: out of memory. */
json_t *st_listen_text_json(const struct st_listen_view *view);
