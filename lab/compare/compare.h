/* What `sleeptune-lab compare` reads and finds, and how it prints the result. */
#pragma once

#include <jansson.h>

#include "core/period.h"
#include "lab/compare/pairs.h"
#include "lab/compare/test_conditions.h"
#include "lab/input/series_input.h"

/** One of the two files, which holds one run. */
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

/** Compares the second file with the first, and judges all figures together. @return an st_exit,
 * after a message: out of memory. Free with st_compare_finish. */
ST_NODISCARD int st_compare_make(struct st_compare_result *result);
/** Frees the result, and the data of both files. */
void st_compare_finish(struct st_compare_result *result);

/** The comparison of two documents of the same kind (for example from two machines), result by
 * result. Their results must have single values. */
struct st_compare_results {
    struct st_compare_row {
        char name[200];
        struct st_figure figures[ST_FIGURES]; /* only the median is judged */
    } * rows;                                 /* results that both documents have */
    size_t n, alone_n; /* alone_n: results of A that B lacks, or that have no single
                          values */
    size_t tests_n, shown_n;
};

/** Compares the results of two documents. @return 0, -ENOMEM. Free with st_compare_results_finish,
 * also after an error. Threads: any. */
ST_NODISCARD int st_compare_results_make(const json_t *a, const json_t *b,
                                         struct st_compare_results *ret);
void st_compare_results_finish(struct st_compare_results *results);
/** Prints the median of each row in both documents, and the difference. */
void st_compare_results_text(const struct st_compare_results *results, FILE *out);
/** Prints the comparison. @return `status`, or a failure after a message: out of memory. */
ST_NODISCARD int st_compare_print(const struct st_compare_result *result, int status);
