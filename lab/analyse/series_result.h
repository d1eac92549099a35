/* A series with its analysis, in the form in which the commands series, simulate and analyse print
 * it. */
#pragma once

#include <jansson.h>

#include "lab/analyse/series_analysis.h"
#include "lab/bench_command.h"
#include "lab/input/series_input.h"
#include "lab/series/simulate.h"
#include "lab/stats/moments.h"

/** The options that commands with series share, as elements of the array for st_options_read; o: a
 * struct st_series_options, c: a struct st_bench_command. */
#define ST_SERIES_OPTIONS(o, c)                                                                    \
    {"every", .time_ns = &(o)->every_ns, .min = 10 * ST_NS_PER_US, .max = ST_SERIES_EVERY_MAX_NS}, \
        {"frames", .number = &(o)->frames, .min = 1, .max = 1 << 20},                              \
        {"rate", .rate_hz = &(o)->rate_hz, .min = 1000, .max = 768000},                            \
        {"plot", .text = &(c)->plot}, ST_TABLE_OPTIONS(&(c)->out)
#define ST_SERIES_COUNT_USUAL 900 /* samples that a run takes unless the user sets --count */

struct st_series_result {
    char name[200]; /* name of the series if there are several; "": it is the only one */
    struct st_series_input input;
    struct st_sample sample; /* sample and moments are set by st_series_result_analyse */
    struct st_moments moments;
    const struct st_simulation
        *simulation;    /* options of the simulator; NULL: the series is not simulated */
    json_t *conditions; /* test conditions, freed by st_series_result_finish; NULL: unknown */
    struct st_analysis analysis;
};

void st_series_result_finish(struct st_series_result *result);

/** Analyses a series, prints the result and draws it. @param known_hz the kernel's tick rate; 0:
 * unknown.
 * @param samples true: the JSON contains the samples, too. @return an st_exit. */
ST_NODISCARD int st_series_result_show(struct st_bench_command *command,
                                       struct st_series_result *result, int known_hz, bool samples);

/* The steps of st_series_result_show, for commands that show several series: analyse each, then
 * make text or JSON. */
ST_NODISCARD int st_series_result_analyse(struct st_series_result *result, int known_hz);
void st_series_result_text(const struct st_series_result *result, FILE *out, int width);
/** @return NULL: out of memory. */
json_t *st_series_result_json(const struct st_series_result *result, bool samples);
