/* Ways of waiting in turn on one loop, plain first: how punctual each is, and what it costs. */
#pragma once

#include <jansson.h>

#include "core/period.h"
#include "lab/punctual/arms.h"
#include "platform/platform.h"

struct st_bench_punctual_config {
    struct st_period period;
    uint64_t periods;                    /* counted ones */
    const struct st_arm_choice *choices; /* st_arms_parse */
    size_t arms_n;
    /** Asked after each turn. @return false: end early. */
    bool (*go_on)(void *ctx, int64_t elapsed_ns);
    void *ctx;
};

struct st_bench_punctual {
    struct st_bench_punctual_config config;
    struct st_arm *arms;
    struct st_arm_result *results;
    uint64_t cycles, skipped_periods, elapsed_periods; /* counted ones */
};

/** Runs the loop in the calling thread, which has its policy: two turns of each way to warm up, then what
 * counts. Nothing is allocated while it runs. @return 0, -ENOMEM, or what the sleep said. Free with
 * st_bench_punctual_finish, also after a failure. */
ST_NODISCARD int st_bench_punctual_measure(struct st_platform *p,
                                           const struct st_bench_punctual_config *config,
                                           struct st_bench_punctual *ret);
void st_bench_punctual_finish(struct st_bench_punctual *bench);

/** A row for each way of waiting; 80 columns. */
void st_bench_punctual_print(const struct st_bench_punctual *bench, FILE *out, int width);

/** Adds the results to a document. */
void st_bench_punctual_json(const struct st_bench_punctual *bench, json_t *document);
