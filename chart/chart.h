/* Charts: what is drawn (chart_data.c, chart_input.c, chart_json.c), as pictures (chart_<kind>.c) and as
 * text. */
#ifndef ST_CHART_CHART_H
#define ST_CHART_CHART_H

#include <jansson.h>

#include "chart/box.h"
#include "chart/columns.h"
#include "chart/input/series_input.h"
#include "core/stats/hist.h"
#include "core/stats/sample.h"
#include "core/stats/series.h"

enum st_chart_kind {
    ST_CHART_BOX,
    ST_CHART_SERIES,
    ST_CHART_HIST,
    ST_CHART_QUANTILE,
    ST_CHART_KINDS,
    ST_CHART_ANY = ST_CHART_KINDS /* the first that the data have figures for */
};

#define ST_CHART_SETS_MAX   4096
#define ST_CHART_LINES_MAX  6 /* lines that can be told apart in one picture */
#define ST_CHART_MARKS_MAX  8
#define ST_CHART_NAME_BYTES 360

struct st_chart_mark {
    double p;
    int64_t value_ns;
};

/** One distribution: a box, a line. What is not known is empty. */
struct st_chart_set {
    char file[96];   /* where it is from; "": measured just now */
    char label[200]; /* what it is; `file` where that has but one */
    char group[160]; /* sets of one group share a panel of boxes */
    uint64_t n;
    struct st_box box;                             /* box.n = 0: no quartiles */
    struct st_chart_mark mark[ST_CHART_MARKS_MAX]; /* single quantiles, ascending */
    size_t marks_n;
    bool max_known; /* of values that are not known one by one; else box has it */
    int64_t max_ns;
    struct st_hist hist;        /* total_n = 0: only figures are known */
    struct st_sample sample;    /* of hist */
    struct st_columns *columns; /* over time; NULL */
    uint64_t missed_n;
    struct st_period period; /* of values over time */
    bool timed;              /* a value a period; else columns count values */
    /* a value each `step` units of time, which is longer than a period can be: 6, "h"; NULL: not so */
    double step;
    const char *step_unit;
};

struct st_chart_data {
    char quantity[64]; /* what the values are: "lateness, woke - due" */
    char note[700];
    char circumstances[1600];
    bool circumstances_differ; /* of a later file */
    struct st_chart_set **set;
    size_t n;
};

void st_chart_init(struct st_chart_data *data, const char *quantity);
void st_chart_finish(struct st_chart_data *data);

/** A new, empty set. @return NULL when out of memory, or when there are too many. */
struct st_chart_set *st_chart_add(struct st_chart_data *data, const char *label);
/** "label", with its group where there are several. @return buf. */
const char *st_chart_name(const struct st_chart_data *data, const struct st_chart_set *set,
                          char buf[ST_CHART_NAME_BYTES]);
/** Sets of one group lie beside each other from now on, groups in the order of their first ones; in a group
 * those of one name, with their files' names where there are several. Once. */
void st_chart_gather(struct st_chart_data *data);
/** Frees set i. */
void st_chart_drop(struct st_chart_data *data, size_t i);
/** Circumstances of a file, as st_circumstances_text has them; the first ones are shown. */
void st_chart_circumstances(struct st_chart_data *data, const char *text);

/** A set of a histogram, which stays the caller's. @return 0, -ENOMEM. */
ST_NODISCARD int st_chart_add_hist(struct st_chart_data *data, const char *label, const struct st_hist *hist);
/** A set of a series, which stays the caller's; periods without a sample are missed. @return 0, -ENOMEM. */
ST_NODISCARD int st_chart_add_series(struct st_chart_data *data, const char *label,
                                     const struct st_series *series);
/** How far one value is from the next on an axis of times, and the unit of that: s, min, h or d by how long
 * it is. */
double st_chart_value_x(const struct st_chart_set *set);
const char *st_chart_x_unit(const struct st_chart_set *set);
/** After the last value: boxes and samples are made of histograms. @return 0, -ENOMEM. */
ST_NODISCARD int st_chart_complete(struct st_chart_data *data);

/** Makes a set ready to take values over time. @return 0, -ENOMEM. */
ST_NODISCARD int st_chart_set_begin(struct st_chart_set *set, const struct st_period *period);
/** One value over time. */
void st_chart_set_value(struct st_chart_set *set, uint64_t index, int64_t value_ns, bool missed);

/** Adds what a file has: a recording, a histogram log, any JSON of sleeptune with figures, a column of text.
 * @return an st_exit, after a message. */
ST_NODISCARD int st_chart_read(const char *command, const char *path, const struct st_series_options *options,
                               struct st_chart_data *data);
/** Adds what a document has. @return an st_exit, after a message. */
ST_NODISCARD int st_chart_json(const char *command, const char *name, const json_t *document,
                               struct st_chart_data *data);

struct st_chart_options {
    enum st_chart_kind kind;
    const char *path; /* .svg; NULL or "-": text on standard output */
    int64_t width_px; /* 0: 800 */
};

/** Is it a path that a picture can be written to? Before anything is measured. @return 0 or an st_exit, after
 * a message. */
ST_NODISCARD int st_chart_check(const char *command, const char *option, const char *path);
/** Draws. @return an st_exit, after a message. */
ST_NODISCARD int st_chart_write(const char *command, struct st_chart_data *data,
                                const struct st_chart_options *options);

/** Draws one kind as SVG to a stream, which stays open. Data may be drawn again. @return an st_exit, after a
 * message. */
ST_NODISCARD int st_chart_svg(const char *command, struct st_chart_data *data, enum st_chart_kind kind,
                              FILE *stream);

/* --- chart_option.c: --plot FILE of other commands --- */

/** Takes the name of a kind of picture. @param ctx enum st_chart_kind. @return 0 or an st_exit, after a
 * message. */
ST_NODISCARD int st_chart_take_kind(const char *command, void *ctx, const char *text);

/** Before anything is measured: can a picture be written to `path`, which may be NULL? @param json the
 * command writes JSON to standard output, where no text can be drawn then. @return 0 or an st_exit, after a
 * message. */
ST_NODISCARD int st_chart_option_check(const char *command, const char *path, bool json);
/** Draws a document, which it frees, where path is not NULL. @param status of what was printed before; it
 * wins.
 * @return an st_exit, after a message. */
ST_NODISCARD int st_chart_option_json(const char *command, const char *path, json_t *document, int status);
/** Draws n series where path is not NULL. @return as st_chart_option_json. */
ST_NODISCARD int st_chart_option_series(const char *command, const char *path, const char *const *labels,
                                        const struct st_series *const *series, size_t n,
                                        const json_t *circumstances, int status);

#endif
