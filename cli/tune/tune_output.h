/* Output of `tune`: the plan and the result, both also as JSON. */
#pragma once

#include <jansson.h>

#include "advisor/change/candidate.h"
#include "core/ns.h"

#define ST_TUNE_BLOCK_NS (5 * ST_NS_PER_S)
#define ST_TUNE_MINUTES(blocks)                                                                    \
    ((unsigned)(((blocks)*ST_TUNE_BLOCK_NS / ST_NS_PER_S + 59) / 60)) /* rounded up */

struct st_tune_output {
    const struct st_candidates *candidates;
    const struct st_tuning *plan; /* row i is candidate i */
    const struct st_tuning
        *tuning; /* the rows of `plan` with results; NULL: nothing was measured */
    const struct st_wish *wish;
    int64_t budget_ns;
    bool dry_run;
    bool real_time; /* the loop had real-time priority */
    bool offered;   /* `tune` asks or applies after the result, so the result prints no next step */
    int width;      /* columns of the terminal */
};

/** Prints what would be tried, in which order and for how long, and what would not be tried. */
void st_tune_output_plan(const struct st_tune_output *output, FILE *out);
/** Prints the answer, a line for each setting, and the next step. */
void st_tune_output_result(const struct st_tune_output *output, FILE *out);
void st_tune_output_next(const struct st_tune_output *output, FILE *out);
/** sleeptune-tune/1. New reference; NULL: out of memory. */
json_t *st_tune_output_json(const struct st_tune_output *output);

/** Did the setting help, at a cost that the profile accepts, and can `apply` make it permanent? */
bool st_tune_output_is_worth(const struct st_tune_output *output, size_t i);
