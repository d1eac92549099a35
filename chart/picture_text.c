/* Pictures as text in a terminal. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chart/picture.h"
#include "core/ns.h"
#include "core/text/text.h"
#include "platform/program/locale.h"
#include "platform/program/options.h"

#include "platform/program/terminal.h"

#define WORD_ROOM     6 /* what a line loses at a word that does not fit */
#define WIDTH_MAX     100
#define LABEL_COLUMNS 30 /* at most */
#define LABEL_LEAST   11
#define LOGARITHMIC   "(logarithmic)"
#define BOX_COLUMNS   20 /* with less room for a box its label gets a line of its own */
#define BOX_LEAST     10 /* with less room than this its figures get a line, too */
#define BINS          16
#define ROWS          8 /* of a line chart */

/** Characters for drawing: eight heights, the parts of a box, and a bar. */
struct glyphs {
    const char *level[9]; /* [0]: nothing */
    const char *whisker, *box, *median, *low, *high, *bar;
};

static const struct glyphs unicode = {
    {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "─", "█", "┃", "├", "┤", "█",
};
static const struct glyphs ascii = {
    {" ", ".", ".", ":", ":", "-", "=", "+", "#"}, "-", "=", "|", "[", "]", "#",
};

struct page {
    FILE *out;
    int width;
    int label; /* columns of labels */
    const struct glyphs *glyphs;
    const struct st_picture *picture;
};

/* A label of page->label columns. */
static void label(const struct page *page, const char *text)
{
    char line[200];
    snprintf(line, sizeof(line), "%s", text);
    st_text_pad(page->out, st_text_clip(line, page->label), page->label + 1);
}

/* Prints wrapped text; words longer than a line are broken. */
static void ST_PRINTF(2, 3) say(const struct page *page, const char *format, ...)
{
    char text[ST_CHART_NAME_BYTES + 200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    st_text_wrap_broken(page->out, text, 0, page->width);
}

/* The ends of an axis of times under a drawing of `columns`; a logarithmic one may have 0 on its edge. */
static void foot(const struct page *page, const struct st_axis *axis, bool from_0, int columns)
{
    char low[32], high[32];
    const bool beside = page->label >= (int)strlen(LOGARITHMIC);
    st_ns_format(from_0 ? 0 : (int64_t)axis->low, low, sizeof(low));
    st_ns_format((int64_t)axis->high, high, sizeof(high));
    const int middle = columns - st_text_columns(low) - st_text_columns(high);
    label(page, axis->log && beside ? LOGARITHMIC : "");
    fprintf(page->out, "%s%*s%s%s\n", low, middle > 1 ? middle : 1, "", high,
            axis->log && !beside && columns + 7 <= page->width ? " (log)" : "");
}

/* --- boxes --- */

static int column_at(const struct st_axis *axis, int64_t value_ns, int columns)
{
    return (int)(st_axis_at(axis, (double)value_ns) * (columns - 1) + 0.5);
}

static void box_line(const struct page *page, const struct st_axis *axis, const struct st_box *box,
                     int columns)
{
    const struct glyphs *g = page->glyphs;
    const int low = column_at(axis, box->known ? box->low_ns : box->min_ns, columns);
    const int high = column_at(axis, box->known ? box->high_ns : box->max_ns, columns);
    const int q1 = box->known ? column_at(axis, box->q1_ns, columns) : columns;
    const int q3 = box->known ? column_at(axis, box->q3_ns, columns) : -1;
    const bool equal = box->min_ns == box->max_ns;
    const int median = box->median_known || equal ? column_at(axis, box->median_ns, columns) : -1;
    for (int i = 0; i < columns; i++) {
        const char *c = i == median           ? g->median
                        : i >= q1 && i <= q3  ? g->box
                        : i == low            ? g->low
                        : i == high           ? g->high
                        : i > low && i < high ? g->whisker
                                              : " ";
        fputs(c, page->out);
    }
}

/* The texts beside a box: median, or the value if all are equal, and n. */
static void box_figures(const struct st_box *box, char median[32], char n[40])
{
    snprintf(median, 32, "(few)");
    if (box->median_known || box->min_ns == box->max_ns)
        st_ns_format(box->median_ns, median, 32);
    snprintf(n, 40, "n = %llu%s", (unsigned long long)box->n, box->known && !box->outliers_known ? " *" : "");
}

/* Width of the column of medians, and of the columns of medians and n. */
static void measure_figures(const struct st_chart_data *data, int *ret_median, int *ret_all)
{
    char median[32], n[40];
    int most = 0, most_n = 0;
    for (size_t i = 0; i < data->n; i++) {
        box_figures(&data->set[i]->box, median, n);
        const int columns = st_text_columns(median), columns_n = st_text_columns(n);
        most = columns > most ? columns : most;
        most_n = columns_n > most_n ? columns_n : most_n;
    }
    *ret_median = most;
    *ret_all = 1 + most + 2 + most_n;
}

static void print_boxes(const struct page *wide)
{
    const struct st_chart_data *data = wide->picture->data;
    struct page page = *wide;
    int medians, figures;
    bool cut, any_cut = false;
    measure_figures(data, &medians, &figures);
    const bool beside = page.width - page.label - 1 - figures >= BOX_COLUMNS;
    page.label = beside ? page.label : 0;
    const bool narrow = !beside && page.width - 1 - figures < BOX_LEAST;
    const int columns = page.width - page.label - 1 - (narrow ? 0 : figures);
    for (size_t first = 0, n; first < data->n; first += n) {
        for (n = 1; first + n < data->n && strcmp(data->set[first + n]->group, data->set[first]->group) == 0;)
            n++;
        const struct st_axis axis = st_picture_box_axis(data->set + first, n, &cut);
        any_cut |= cut;
        if (first > 0)
            fputc('\n', page.out);
        if (data->set[first]->group[0] != '\0')
            say(&page, "%s", data->set[first]->group);
        for (size_t i = first; i < first + n; i++) {
            const struct st_box *box = &data->set[i]->box;
            char median[32], box_n[40];
            box_figures(box, median, box_n);
            if (narrow)
                say(&page, "%s: %s, %s", data->set[i]->label, median, box_n);
            else if (!beside)
                say(&page, "%s", data->set[i]->label);
            label(&page, beside ? data->set[i]->label : "");
            box_line(&page, &axis, box, columns);
            if (!narrow) {
                fputc(' ', page.out);
                st_text_pad(page.out, median, medians + 2);
                fputs(box_n, page.out);
            }
            fputc('\n', page.out);
        }
        foot(&page, &axis, cut, columns);
    }
    if (any_cut)
        say(&page, "A logarithmic axis has no 0: values of 0 or less are drawn on its left edge.");
}

/* --- over time --- */

/* Merges columns of data into columns of text. */
static size_t squeeze(const struct st_columns *from, struct st_column *to, size_t to_n)
{
    const size_t used = from->n < to_n ? from->n : to_n;
    memset(to, 0, to_n * sizeof(*to));
    for (size_t i = 0; i < from->n; i++)
        st_columns_merge(&to[i * used / from->n], &from->column[i]);
    return used;
}

/* The value at a part of an axis: 0 is its low end, 1 its high one. */
static double axis_value(const struct st_axis *axis, double part)
{
    return axis->log ? axis->low * pow(axis->high / axis->low, part)
                     : axis->low + (axis->high - axis->low) * part;
}

/* The label of a row, counted from below: the value at the upper edge of the highest and of the middle row. */
static void row_label(const struct page *page, const struct st_axis *axis, int row, int rows)
{
    char tick[32] = "";
    if (row == rows - 1 || row == rows / 2 - 1)
        st_ns_format((int64_t)axis_value(axis, (row + 1.0) / rows), tick, sizeof(tick));
    label(page, tick);
}

/* The part of a vertical bar in row `row`, counted from below. */
static const char *part_of_bar(const struct page *page, double at, int row)
{
    const double eighths = (at * ROWS - row) * 8;
    const int level = eighths <= 0 ? 0 : eighths >= 8 ? 8 : (int)ceil(eighths);
    return page->glyphs->level[level];
}

/* The row at the deadline of the set has a line where there is no bar. */
static void series_rows(const struct page *page, const struct st_axis *axis, const struct st_chart_set *set,
                        const struct st_column *columns, size_t n)
{
    const bool on_axis = set->deadline_ns > 0 && (double)set->deadline_ns < axis->high;
    const int deadline_row = on_axis ? (int)(st_axis_at(axis, (double)set->deadline_ns) * ROWS) : -1;
    for (int row = ROWS - 1; row >= 0; row--) {
        if (row == deadline_row)
            label(page, "period");
        else
            row_label(page, axis, row, ROWS);
        for (size_t i = 0; i < n; i++) {
            const char *bar =
                columns[i].n == 0 ? " " : part_of_bar(page, st_axis_at(axis, (double)columns[i].max_ns), row);
            fputs(row == deadline_row && bar[0] == ' ' ? page->glyphs->whisker : bar, page->out);
        }
        fputc('\n', page->out);
    }
}

static void print_series(const struct page *page)
{
    struct st_column columns[WIDTH_MAX];
    const struct st_chart_data *data = page->picture->data;
    char name[ST_CHART_NAME_BYTES];
    bool periods = false, log = false;
    for (size_t i = 0; i < data->n; i++) {
        struct st_chart_set *set = data->set[i];
        const struct st_axis axis =
            st_picture_value_axis(&(struct st_chart_data){.set = data->set + i, .n = 1});
        const size_t n = squeeze(set->columns, columns, (size_t)(page->width - page->label - 1));
        char low[32], from[16], end[48];
        if (i > 0)
            fputc('\n', page->out);
        if (data->n > 1)
            say(page, "%s", st_chart_name(data, set, name));
        log |= axis.log;
        periods |= set->timed;
        series_rows(page, &axis, set, columns, n);
        label(page, st_ns_format((int64_t)axis.low, low, sizeof(low)));
        for (size_t k = 0; k < n; k++)
            fputs(columns[k].missed_n > 0 ? "!" : page->glyphs->whisker, page->out);
        const double span = (double)set->columns->n * (double)set->columns->periods;
        snprintf(from, sizeof(from), "0");
        snprintf(end, sizeof(end), "%.4g %s", span * st_chart_value_x(set), st_chart_x_unit(set));
        if (st_picture_has_clock(data)) {
            const int64_t step_ns = st_period_ns(&set->period),
                          from_ns = data->from_wall_ns + (int64_t)set->columns->first * step_ns;
            st_picture_clock(from_ns, false, from, sizeof(from));
            st_picture_clock(from_ns + (int64_t)span * step_ns, false, end, sizeof(end));
        }
        fputc('\n', page->out);
        label(page, "");
        fprintf(page->out, "%s%*s\n", from, (int)n - st_text_columns(from), end);
    }
    char period[32];
    if (st_picture_deadline(data) > 0)
        say(page, "Period: %s.", st_ns_format(st_picture_deadline(data), period, sizeof(period)));
    say(page, "Bars%s: greatest value of each column%s.", log ? " (logarithmic)" : "",
        periods ? "; '!' at the bottom: missed periods" : "");
}

/* --- histogram, quantiles --- */

static void bar(const struct page *page, double share, int columns)
{
    const int n = (int)(share * columns + 0.5);
    for (int i = 0; i < n; i++)
        fputs(page->glyphs->bar, page->out);
}

static void print_hist(const struct page *page)
{
    const struct st_chart_data *data = page->picture->data;
    const struct st_axis axis = st_picture_value_axis(data);
    const int columns = page->width - 14 - 12;
    char name[ST_CHART_NAME_BYTES];
    for (size_t i = 0; i < data->n; i++) {
        uint64_t bins[BINS], most = 1;
        const size_t bins_n = st_picture_count(&data->set[i]->sample, &axis, BINS, bins);
        if (i > 0)
            fputc('\n', page->out);
        say(page, "%s, %llu values. Each row: lower edge of its range, number of values, bar (logarithmic)",
            st_chart_name(data, data->set[i], name), (unsigned long long)data->set[i]->n);
        for (size_t k = 0; k < bins_n; k++)
            most = bins[k] > most ? bins[k] : most;
        for (size_t k = 0; k < bins_n; k++) {
            char from[32];
            const double value = axis_value(&axis, (double)k / (double)bins_n);
            st_text_pad(page->out, st_ns_format((int64_t)value, from, sizeof(from)), 13);
            fprintf(page->out, "%11llu ", (unsigned long long)bins[k]);
            bar(page, bins[k] > 0 ? log1p((double)bins[k]) / log1p((double)most) : 0, columns);
            fputc('\n', page->out);
        }
    }
}

static void quantile_row(const struct page *page, const char *name, const struct st_axis *axis,
                         int64_t value_ns)
{
    char text[32];
    st_text_pad(page->out, name, 10);
    st_text_pad(page->out, st_ns_format(value_ns, text, sizeof(text)), 12);
    bar(page, st_axis_at(axis, (double)value_ns), page->width - 24);
    fputc('\n', page->out);
}

static void print_quantiles(const struct page *page)
{
    static const struct {
        const char *name;
        double p;
    } rows[] = {{"50 %", 0.5},     {"75 %", 0.75},      {"90 %", 0.9},        {"99 %", 0.99},
                {"99.9 %", 0.999}, {"99.99 %", 0.9999}, {"99.999 %", 0.99999}};
    const struct st_chart_data *data = page->picture->data;
    const struct st_axis axis = st_picture_value_axis(data);
    char name[ST_CHART_NAME_BYTES];
    for (size_t i = 0; i < data->n; i++) {
        const struct st_chart_set *set = data->set[i];
        int64_t greatest;
        if (i > 0)
            fputc('\n', page->out);
        say(page, "%s, n = %llu%s", st_chart_name(data, set, name), (unsigned long long)set->n,
            axis.log ? " (bars are logarithmic)" : "");
        for (size_t k = 0; k < ST_ARRAY_LEN(rows); k++) {
            int64_t value;
            if (st_picture_quantile_of(set, rows[k].p, &value))
                quantile_row(page, rows[k].name, &axis, value);
        }
        if (st_picture_greatest(set, &greatest))
            quantile_row(page, "greatest", &axis, greatest);
    }
}

static int label_columns(const struct st_picture *picture)
{
    int most = (int)strlen(LOGARITHMIC);
    if (picture->id != ST_CHART_BOX)
        return LABEL_LEAST;
    for (size_t i = 0; i < picture->data->n; i++) {
        const int columns = st_text_columns(picture->data->set[i]->label);
        most = columns > most ? columns : most;
    }
    return most < LABEL_COLUMNS ? most : LABEL_COLUMNS;
}

/* At most two lines of test conditions. */
static void put_conditions(const struct page *page)
{
    char text[sizeof(page->picture->conditions)];
    const char *conditions = page->picture->conditions;
    const int room = ST_PICTURE_CONDITIONS * (page->width - WORD_ROOM);
    if (conditions[0] == '\0')
        return;
    snprintf(text, sizeof(text), "%s", conditions);
    if (st_text_columns(text) > room) {
        st_text_clip(text, room - 2);
        char *space = strrchr(text, ' ');
        if (space != NULL)
            *space = '\0';
        st_text_append(text, sizeof(text), " …");
    }
    st_text_wrap_broken(page->out, text, 0, page->width);
}

/* Prints lines, cut at the width of the terminal. */
static void put_clipped(FILE *out, char *text, int width)
{
    for (char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        *end = '\0';
        fprintf(out, "%s\n", st_text_clip(text, width));
    }
}

static int print_page(FILE *out, const struct st_picture *picture)
{
    static void (*const prints[ST_CHART_KINDS])(const struct page *) = {
        [ST_CHART_BOX] = print_boxes,
        [ST_CHART_SERIES] = print_series,
        [ST_CHART_HIST] = print_hist,
        [ST_CHART_QUANTILE] = print_quantiles,
    };
    char title[200], *text = NULL;
    size_t bytes;
    const int terminal = st_terminal_width(STDOUT_FILENO);
    struct page page = {.out = open_memstream(&text, &bytes),
                        .width = terminal < WIDTH_MAX ? terminal : WIDTH_MAX,
                        .label = label_columns(picture),
                        .glyphs = st_locale_utf8() ? &unicode : &ascii,
                        .picture = picture};
    if (page.out == NULL)
        return -ENOMEM;
    st_picture_title(picture, title, sizeof(title));
    say(&page, "%s", title);
    fputc('\n', page.out);
    prints[picture->id](&page);
    fputc('\n', page.out);
    st_text_wrap_broken(page.out, picture->caption, 0, page.width);
    put_conditions(&page);
    const int r = fclose(page.out) == 0 ? 0 : -ENOMEM;
    if (r == 0)
        put_clipped(out, text, page.width);
    free(text);
    return r;
}

int st_picture_print(const char *command, const struct st_picture *picture)
{
    struct st_locale_stream stream;
    const int printed = print_page(st_locale_begin(&stream, stdout), picture);
    const int ended = st_locale_end(&stream), r = printed != 0 ? printed : ended;
    return r == 0 ? ST_EXIT_DONE : st_failure(command, "%s", strerror(-r));
}
