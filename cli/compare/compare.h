/* What `sleeptune compare` reads, what it finds, and how it shows that. */
#ifndef ST_CLI_COMPARE_COMPARE_H
#define ST_CLI_COMPARE_COMPARE_H

#include <jansson.h>

#include "chart/input/document.h"
#include "chart/input/series_input.h"
#include "cli/compare/test_conditions.h"
#include "core/period.h"
#include "evidence/pairs.h"

#define ST_COMPARE_SCHEMA "sleeptune-compare/1"
#define ST_COMPARE_LABEL  260

/** One result of a bench. */
struct st_compare_row {
    char label[ST_COMPARE_LABEL]; /* distinguishes the rows of a document; "": the only one */
    int64_t *values_ns;           /* in order */
    size_t values_n;
};

/** One file: a run, or the results of a bench. */
struct st_compare_file {
    const char *path;
    const char *source;             /* "recording", "series" or "bench" */
    struct st_blocks blocks;        /* of a run */
    struct st_period period;        /* of a run */
    const struct st_document *kind; /* of a bench; NULL: a run */
    struct st_compare_row *rows;    /* of a bench */
    size_t rows_n;
    char note[320];   /* remarks for the reader; "" */
    char *conditions; /* "key: value" lines */
};

/** Reads a file of any kind. @param options the period of text that does not say it. @return an st_exit,
 * after a message. Free with st_compare_file_finish, also after a failure. */
ST_NODISCARD int st_compare_read(const char *command, const char *path,
                                 const struct st_series_options *options, struct st_compare_file *ret);
void st_compare_file_finish(struct st_compare_file *file);

/** Rows of a JSON document of the lab. @return an st_exit, after a message. */
ST_NODISCARD int st_compare_read_bench(const char *command, const json_t *document,
                                       struct st_compare_file *ret);

/** Both runs, or one result of a bench in both files. */
struct st_compare_pair {
    const char *label; /* of the rows; "" */
    uint64_t n[2];
    struct st_figure figures[ST_FIGURES];
};

struct st_compare_result {
    struct st_compare_file files[2];
    struct st_compare_pair *pairs;
    size_t pairs_n;
    struct st_test_condition_pair *differ;
    size_t differ_n;
    size_t left_out_n; /* rows that only one file has */
    size_t tests_n, shown_n;
};

/** Compares the second file with the first, and judges all figures together. @return an st_exit, after a message:
 * files that have nothing in common. Free with st_compare_finish. */
ST_NODISCARD int st_compare_make(const char *command, struct st_compare_result *result);
/** Frees the files, too. */
void st_compare_finish(struct st_compare_result *result);

/** @return 0 or -errno of standard output. */
ST_NODISCARD int st_compare_print(const struct st_compare_result *result);
/** sleeptune-compare/1. New reference, NULL when out of memory. */
json_t *st_compare_json(const struct st_compare_result *result);

#endif
