/* What `sleeptune-lab compare` reads, what it finds, and how it shows that. */
#pragma once

#include <jansson.h>

#include "core/period.h"
#include "lab/compare/pairs.h"
#include "lab/compare/test_conditions.h"
#include "lab/input/series_input.h"

/** One file: a run. */
struct st_compare_file {
    const char *path;
    struct st_series_input input;
};

struct st_compare_result {
    struct st_compare_file files[2];
    struct st_figure figures[ST_FIGURES];
    struct st_test_condition_pair *differ;
    size_t differ_n;
    size_t tests_n, shown_n;
};

/** Compares the second file with the first, and judges all figures together. @return an st_exit, after a
 * message: out of memory. Free with st_compare_finish. */
ST_NODISCARD int st_compare_make(struct st_compare_result *result);
/** Frees the files, too. */
void st_compare_finish(struct st_compare_result *result);

#define ST_COMPARE_RESULTS_MAX 256

/** Two documents of the same kind, whose results have single values, of two machines for example. */
struct st_compare_results {
    char *const *paths;
    struct st_compare_row {
        char name[200];
        uint64_t n[2];                        /* values */
        struct st_figure figures[ST_FIGURES]; /* only the median is judged */
    } * rows;                                 /* results that both have */
    size_t n, alone_n;                        /* alone: results of A that are not compared */
    size_t tests_n, shown_n;
};

/** @return 0, -ENOMEM. Free with st_compare_results_finish, also after an error. Threads: any. */
ST_NODISCARD int st_compare_results_make(char *const paths[2], const json_t *a, const json_t *b,
                                         struct st_compare_results *ret);
void st_compare_results_finish(struct st_compare_results *results);
/** The median of each row, and its difference. */
void st_compare_results_text(const struct st_compare_results *results, FILE *out);
/** @return 0 or -errno of standard output. */
ST_NODISCARD int st_compare_print(const struct st_compare_result *result);
