/* Charts: their data (chart_data.c, input/) are drawn as SVG (chart_write.c, picture*.c). */
#pragma once

#include <jansson.h>

#include "lab/chart/box.h"
#include "lab/chart/columns.h"
#include "lab/input/series_input.h"
#include "lab/stats/sample.h"
#include "lab/stats/series.h"

enum st_chart_kind {
    ST_CHART_BOX,
    ST_CHART_SERIES,
    ST_CHART_LINE,
    ST_CHART_SLICES,
    ST_CHART_KINDS,
    ST_CHART_ANY = ST_CHART_KINDS /* the first kind that the data allow */
};

#define ST_CHART_SETS_MAX   4096
#define ST_CHART_LINES_MAX  6 /* lines that a reader can distinguish in one picture */
#define ST_CHART_NAME_BYTES 360

/** One distribution, drawn as a box or as a line. Unknown members are 0 or empty. */
struct st_chart_set {
    char file[96];   /* the file it was read from; "": measured by this process */
    char label[200]; /* name of the set; `file` if the file has only one set */
    char group[160]; /* sets of one group share a panel of boxes */
    char panel[160]; /* heading of its panel in a picture of kind slices: the group without the
                        length of the sleep */
    int64_t x_ns;    /* length of the sleep, from the JSON of `sleeptune-lab wake`; 0: from another
                        source */
    uint64_t n;
    struct st_box box;       /* box.n = 0: its figures are unknown, and no box is drawn */
    struct st_series series; /* values in the order of measurement; n = 0: only figures are known */
    struct st_sample sample; /* the values of `series`, sorted */
    struct st_columns
        *columns; /* `series` in columns of pixels, if it is drawn over time; NULL: it is not */
    bool timed;   /* each value has a period; false: the x axis counts values */
};

struct st_chart_data {
    const char *title; /* title that the user gave; NULL: the title of the kind of picture */
    char quantity[64]; /* quantity of the values: "lateness, woke - due" */
    char note[700];
    char conditions[1600];
    bool conditions_differ; /* a later file has other test conditions */
    bool overlay;           /* draw the values over time of all sets in one panel */
    struct st_chart_set **set;
    size_t n;
};

void st_chart_init(struct st_chart_data *data, const char *quantity);
void st_chart_finish(struct st_chart_data *data);

/** A new, empty set. @return NULL when out of memory, or when there are ST_CHART_SETS_MAX sets
 * already. */
struct st_chart_set *st_chart_add(struct st_chart_data *data, const char *label);
/** The label of a set, with its group if the data have several groups. @return buf. */
const char *st_chart_name(const struct st_chart_data *data, const struct st_chart_set *set,
                          char buf[ST_CHART_NAME_BYTES]);
/** Adds the test conditions of a file (text of st_conditions_text). The picture shows those of the
 * first file. */
void st_chart_conditions(struct st_chart_data *data, const char *text);

/** Adds a series as a new set, which takes its samples: *series is empty afterwards. @param timed
 * false: the x axis counts samples. @return 0, -ENOMEM. */
ST_NODISCARD int st_chart_add_series(struct st_chart_data *data, const char *label,
                                     struct st_series *series, bool timed);
/** Distance between two neighbouring values on the x axis, and its unit, which depends on the
 * length of the set: s, min, h or d; for a set without times: 1, and "values". */
double st_chart_value_x(const struct st_chart_set *set);
const char *st_chart_x_unit(const struct st_chart_set *set);

/** Adds the sets of a file: a recording, JSON of sleeptune, or a column of text. @return an
 * st_exit, after a message. */
ST_NODISCARD int st_chart_read(const char *path, const struct st_series_options *options,
                               struct st_chart_data *data);
/** Adds the sets of a JSON document. @return an st_exit, after a message. */
ST_NODISCARD int st_chart_json(const char *name, const json_t *document,
                               struct st_chart_data *data);

struct st_chart_options {
    enum st_chart_kind kind;
    const char *path; /* .svg; NULL or "-": standard output */
    FILE *svg;        /* stream to draw to instead of `path`; it stays open; NULL: `path` is used */
};

/** Checks, before anything is measured, whether a picture can be written to `path`; NULL: no
 * picture. @return 0 or an st_exit, after a message. */
ST_NODISCARD int st_chart_check(const char *option, const char *path);
/** Checks whether a file can be written, without changing it. @return 0, or a failure after a
 * message. */
ST_NODISCARD int st_chart_can_write(const char *path);
/** Draws the picture and writes it. @return an st_exit, after a message. */
ST_NODISCARD int st_chart_write(struct st_chart_data *data, const struct st_chart_options *options);

/* --- the option --plot FILE of commands that measure --- */

/** Takes the value of --kind, the name of a kind of picture. @param ctx enum st_chart_kind. @return
 * 0 or an st_exit, after a message. */
ST_NODISCARD int st_chart_take_kind(void *ctx, const char *text);

/** Draws a document as the file `path`, for --plot; does nothing if path is NULL. Frees the
 * document.
 * @param name name of the set if the document has only one result, without a name. @param status
 * exit status of printing the result; an error is returned instead of the status of the picture.
 * @return an st_exit, after a message. */
ST_NODISCARD int st_chart_option_json(const char *name, const char *path, json_t *document,
                                      int status);
