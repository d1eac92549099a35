/* A series of lateness read from a file: a recording, JSON, or text. */
#ifndef ST_CHART_INPUT_SERIES_INPUT_H
#define ST_CHART_INPUT_SERIES_INPUT_H

#include <jansson.h>

#include "chart/input/series_options.h"
#include "core/stats/long_series.h"

#define ST_SERIES_SCHEMA "sleeptune-series/1"

struct st_series_input {
    const char *source;        /* "recording", "text", "json"; of the laboratory: "measured", "simulated" */
    struct st_series series;   /* of text and JSON */
    struct st_long_series all; /* of a recording */
    uint64_t left_out_n;       /* samples behind the last one that there was room for */
    bool misses_known;         /* of a recording: it has what callbacks took, and what was skipped */
    uint64_t misses_n, periods_n; /* deadline misses, skipped periods among them, and of how many */
    char note[200];               /* for people: what was taken for granted; "" */
    bool interrupted;
};

void st_series_input_finish(struct st_series_input *input);

/**
 * Reads a recording, the JSON of `sleeptune-lab series` or `simulate`, or text (chart/input/series_text); recognised
 * by how it begins.
 * @param path "-": standard input. @param options the period for text that has none.
 * @return an st_exit, after a message. Free the result with st_series_input_finish, also after a failure.
 */
ST_NODISCARD int st_series_input_read(const char *command, const char *path,
                                      const struct st_series_options *options, struct st_series_input *ret);

/** The same of a document that is read already. */
ST_NODISCARD int st_series_input_json(const char *command, const char *name, const json_t *document,
                                      struct st_series_input *ret);

#endif
