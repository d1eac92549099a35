/* What `sleeptune compare` reads, what it finds, and how it shows that. */
#ifndef ST_CLI_COMPARE_COMPARE_H
#define ST_CLI_COMPARE_COMPARE_H

#include <jansson.h>

#include "chart/chart.h"
#include "chart/input/document.h"
#include "cli/compare/test_conditions.h"
#include "core/period.h"
#include "evidence/pairs.h"

#define ST_COMPARE_SCHEMA "sleeptune-compare/1"
#define ST_COMPARE_LABEL  260

/** A row of a document: its figures, and its values where it has them. */
struct st_compare_row {
    char label[ST_COMPARE_LABEL]; /* distinguishes the rows of a document; "": the only one */
    uint64_t n;
    bool known[ST_FIGURES];          /* the figure */
    bool interval_known[ST_FIGURES]; /* and its interval */
    double value[ST_FIGURES][3];     /* figure, low, high; of misses not used */
    uint64_t missed_n, periods_n;    /* periods_n 0: not known */
    int64_t *values_ns;              /* in order */
    size_t values_n;                 /* 0: it has figures only */
};

/** One file. */
struct st_compare_file {
    const char *path;
    const char *source; /* "recording", "histogram log", "series", "bench" or "measure" */
    bool has_values;    /* blocks; else rows */
    struct st_blocks blocks;
    bool in_order;                  /* values depend on each other, and that is allowed for */
    const struct st_document *kind; /* of rows */
    struct st_compare_row *rows;
    size_t rows_n;
    bool period_known;
    struct st_period period;
    char note[320];   /* remarks for the reader; "" */
    char *conditions; /* "key: value" lines */
};

/** Reads a file of any kind. @param options the period of text that does not say it. @return an st_exit,
 * after a message. Free with st_compare_file_finish, also after a failure. */
ST_NODISCARD int st_compare_read(const char *command, const char *path,
                                 const struct st_series_options *options, struct st_compare_file *ret);
void st_compare_file_finish(struct st_compare_file *file);

/** Rows of a JSON document of the lab or of `measure`. @return an st_exit, after a message. */
ST_NODISCARD int st_compare_read_figures(const char *command, const json_t *document,
                                         struct st_compare_file *ret);

/** Makes values one row of figures, as `measure` would write them. @return 0, -ENOMEM. */
ST_NODISCARD int st_compare_figures_of_values(struct st_compare_file *file);

/** One file, or one row of it, against the same of the first file. */
struct st_compare_pair {
    const struct st_compare_file *a, *b;
    const char *label; /* of the rows; "" */
    uint64_t n[2];
    bool by_values; /* else by the figures of two rows */
    struct st_comparison found;
};

struct st_compare_result {
    struct st_compare_file *files;
    size_t files_n;
    struct st_compare_pair *pairs;
    size_t pairs_n;
    struct st_test_condition_pair **differ; /* of each file but the first against the first: [files_n] */
    size_t *differ_n;
    size_t left_out_n; /* rows that only one file has */
    size_t tests_n, shown_n;
    double wanted_share; /* of A's figure; 0: wanted_ns */
    int64_t wanted_ns;   /* a difference that would matter */
};

/** Files with values beside figures of `measure` are compared by figures, too. @return an st_exit, after a
 * message: files that have no figures in common. */
ST_NODISCARD int st_compare_make_alike(const char *command, struct st_compare_result *result);
/** Compares each file with the first, and judges all figures together. @return 0, -ENOMEM. */
ST_NODISCARD int st_compare_make(struct st_compare_result *result);

/** The difference that would matter for a figure, in its unit; 0: none is known. */
double st_compare_wanted(const struct st_compare_result *result, const struct st_compare_pair *pair,
                         enum st_figure_id id);

/** @return 0 or -errno of standard output. */
ST_NODISCARD int st_compare_print(const struct st_compare_result *result);
ST_NODISCARD int st_compare_print_json(const struct st_compare_result *result);

/** Draws the runs side by side where options->path is not NULL. @return an st_exit, after a message. */
ST_NODISCARD int st_compare_plot(const char *command, const struct st_compare_result *result,
                                 const struct st_series_options *series,
                                 const struct st_chart_options *options);

/** "A", "B", ... of the i-th file; "1" ... behind "Z". @return buf. */
const char *st_compare_letter(size_t i, char *buf, size_t buf_bytes);

#endif
