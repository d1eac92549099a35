#include "lab/table.h"

#include "core/text/json.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "lab/input/document.h"
#include "platform/program/options.h"
#include "platform/program/output.h"

#define COLUMNS_MAX 96
#define PATH_BYTES  64

/** A column of a table: the path of a figure in a result, such as "delay_ns.median". */
struct column {
    char path[PATH_BYTES];
    int part; /* end of an interval to print: 0 low, 1 high; -1: the figure is no interval */
};

struct table {
    const struct st_document *kind;
    const json_t *document;
    struct column column[COLUMNS_MAX];
    size_t n;
    double unit_ns; /* unit of times in Markdown, ns */
    const char *unit;
};

int st_table_take_format(void *ctx, const char *text)
{
    struct st_table_format *format = ctx;
    const bool csv = st_text_is(text, "csv"), markdown = st_text_is(text, "markdown"),
               json = st_text_is(text, "json");
    if (!csv && !markdown && !json && !st_text_is(text, "text"))
        return st_failure_usage("--format: '%s' is not text, json, csv or markdown", text);
    format->document = csv || markdown || json;
    format->csv = csv;
    format->markdown = markdown;
    return 0;
}

static const struct unit {
    double ns;
    const char *name, *ascii;
} units[] = {{1e9, "s", "s"}, {1e6, "ms", "ms"}, {1e3, "µs", "us"}, {1, "ns", "ns"}};

int st_table_take_unit(void *ctx, const char *text)
{
    struct st_table_format *format = ctx;
    ST_EACH (unit, units) {
        if (strcmp(text, unit->name) == 0 || strcmp(text, unit->ascii) == 0) {
            format->unit_ns = unit->ns;
            return 0;
        }
    }
    return st_failure_usage("--time-unit: '%s' is not ns, us, ms or s", text);
}

static const json_t *cell_of(const json_t *result, const struct column *column)
{
    const char *dot = strchr(column->path, '.');
    const char *key =
        st_text("%.*s", (int)(dot != NULL ? dot - column->path : PATH_BYTES - 1), column->path);
    const json_t *value = json_object_get(result, key);
    if (dot != NULL)
        value = json_object_get(value, dot + 1);
    return column->part >= 0 ? json_array_get(value, (size_t)column->part) : value;
}

static void add(struct table *t, const char *path, int part)
{
    ST_EACH_OF (column, t->column, t->n) {
        if (strcmp(column->path, path) == 0 && column->part == part)
            return;
    }
    if (t->n == COLUMNS_MAX || strlen(path) >= PATH_BYTES)
        return;
    struct column *column = &t->column[t->n++];
    ST_PRINT(column->path, "%s", path);
    column->part = part;
}

/* Adds a column for each figure of a result: also for members of objects and both ends of
 * intervals, but not for lists of single values. */
static void add_all(struct table *t, const json_t *object, const char *within)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        const char *path = st_text("%s%s%s", within, within[0] != '\0' ? "." : "", key);
        const size_t bytes = strlen(key);
        const bool interval = strstr(key, "ci95") != NULL || strstr(key, "interval") != NULL;
        if (json_is_object(value) && within[0] == '\0') {
            add_all(t, value, key);
        } else if (interval) {
            add(t, path, 0);
            add(t, path, 1);
        } else if (!json_is_array(value) && !json_is_object(value) && bytes > 0) {
            add(t, path, -1);
        }
    }
}

static const json_t *result_at(const struct table *t, size_t i)
{
    return st_document_result(t->kind, t->document, i);
}

static bool is_used(const struct table *t, const struct column *column)
{
    for (size_t i = 0; i < st_document_results_n(t->kind, t->document); i++) {
        const json_t *value = cell_of(result_at(t, i), column);
        if (value != NULL && !json_is_null(value) && !json_is_object(value))
            return true;
    }
    return false;
}

/* Removes the columns in which no result has a figure. */
static void drop_unused(struct table *t)
{
    size_t used = 0;
    ST_EACH_OF (column, t->column, t->n) {
        if (is_used(t, column))
            t->column[used++] = *column;
    }
    t->n = used;
}

/* --- CSV: RFC 4180 --- */

static void csv_text(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++)
        fprintf(out, "%s%c", *text == '"' ? "\"" : "", *text);
    fputc('"', out);
}

static void csv_cell(FILE *out, const json_t *value)
{
    if (json_is_string(value))
        csv_text(out, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.9g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "1" : "0", out);
}

static void print_csv(struct table *t, FILE *out)
{
    const size_t n = st_document_results_n(t->kind, t->document);
    for (size_t i = 0; i < n; i++)
        add_all(t, result_at(t, i), "");
    drop_unused(t);
    for (size_t c = 0; c < t->n; c++)
        fprintf(out, "%s%s%s", c > 0 ? "," : "", t->column[c].path,
                t->column[c].part == 0   ? ".low"
                : t->column[c].part == 1 ? ".high"
                                         : "");
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < t->n; c++) {
            fputc(c > 0 ? ',' : '\n', out);
            csv_cell(out, cell_of(result_at(t, i), &t->column[c]));
        }
    }
    fputc('\n', out);
}

/* Prints the single values of each result in a column of its own below its name, in the order in
 * which they were measured. */
static void print_samples(struct table *t, FILE *out)
{
    char label[300], group[160];
    size_t rows_n = 0;
    for (size_t row = 0; row <= rows_n; row++) {
        const char *between = "";
        for (size_t i = 0; i < st_document_results_n(t->kind, t->document); i++) {
            const json_t *samples = json_object_get(result_at(t, i), "samples_ns");
            const size_t n = json_array_size(samples);
            if (n == 0)
                continue;
            fputs(between, out);
            between = ",";
            rows_n = n > rows_n ? n : rows_n;
            if (row > 0) {
                csv_cell(out, json_array_get(samples, row - 1));
                continue;
            }
            st_document_label(t->kind, result_at(t, i), label, sizeof(label));
            st_document_group(t->kind, result_at(t, i), group, sizeof(group));
            ST_APPEND(label, "%s%s", group[0] != '\0' ? ", " : "", group);
            csv_text(out, label[0] != '\0' ? label : t->kind->figures);
        }
        fputc('\n', out);
    }
}

/* --- Markdown: one unit for all times --- */

static bool is_time(const char *path)
{
    const size_t bytes = strcspn(path, ".");
    return (bytes == 2 && st_text_begins(path, "ns")) || strstr(path, "_ns") != NULL;
}

/* Chooses the unit of all times: the one that the user gave, else the largest in which the smallest
 * mean is at least 1. */
static void choose_unit(struct table *t)
{
    struct column mean = {.part = -1};
    double least_ns = (double)INFINITY;
    ST_PRINT(mean.path, "%s.mean", t->kind->figures);
    for (size_t i = 0; i < st_document_results_n(t->kind, t->document); i++) {
        const double ns = json_number_value(cell_of(result_at(t, i), &mean));
        least_ns = ns > 0 ? fmin(least_ns, ns) : least_ns;
    }
    size_t i = 0;
    while (i + 1 < ST_ARRAY_LEN(units) &&
           (t->unit_ns > 0 ? units[i].ns > t->unit_ns
                           : !(least_ns >= units[i].ns && isfinite(least_ns))))
        i++;
    t->unit_ns = units[i].ns;
    t->unit = units[i].name;
}

/* Prints the heading of a column: "delay_ns.median" becomes "median [µs]". */
static void heading(const struct table *t, const struct column *column, FILE *out)
{
    const char *dot = strchr(column->path, '.'), *name = dot != NULL ? dot + 1 : column->path;
    const char *cut = strstr(name, "_ns"), *rest = cut != NULL ? cut + 3 : "";
    char *text =
        st_text("%.*s%s", (int)(cut != NULL ? (size_t)(cut - name) : strlen(name)), name, rest);
    fprintf(out, "| %s%s", st_text_swap(text, '_', ' '),
            column->part == 0   ? " low"
            : column->part == 1 ? " high"
                                : "");
    if (is_time(column->path))
        fprintf(out, " [%s]", t->unit);
    fputc(' ', out);
}

static int decimals_of(double x, int digits)
{
    const int before = fabs(x) > 0 ? (int)floor(log10(fabs(x))) + 1 : digits;
    return before >= digits ? 0 : before > digits - 9 ? digits - before : 9;
}

/* Prints a number with at least four digits ("1184", "83.30", "0.05120"), and with enough to show
 * two digits of its spread: "1002.37" if the standard deviation is 0.24. */
static void number(FILE *out, double x, double spread)
{
    const int usual = decimals_of(x, 4), wanted = spread > 0 ? decimals_of(spread, 2) : 0;
    fprintf(out, "%.*f", wanted > usual ? wanted : usual, x);
}

/* Standard deviation of a result, ns; 0: unknown. */
static double spread_of(const struct table *t, const json_t *result)
{
    struct column sd = {.part = -1};
    ST_PRINT(sd.path, "%s.sd", t->kind->figures);
    return json_number_value(cell_of(result, &sd));
}

static void markdown_cell(const struct table *t, const struct column *column, const json_t *result,
                          FILE *out)
{
    const json_t *value = cell_of(result, column);
    const bool of_figures = st_text_begins(column->path, t->kind->figures);
    fputs("| ", out);
    if (json_is_string(value)) {
        for (const char *c = json_string_value(value); *c != '\0'; c++)
            fprintf(out, "%s%c", *c == '|' ? "\\" : "", *c == '\n' ? ' ' : *c);
    } else if (json_is_number(value)) {
        if (is_time(column->path) && t->unit_ns > 1)
            number(out, json_number_value(value) / t->unit_ns,
                   of_figures ? spread_of(t, result) / t->unit_ns : 0);
        else if (json_is_integer(value))
            fprintf(out, "%lld", (long long)json_integer_value(value));
        else
            number(out, json_number_value(value), 0);
    } else {
        fputc('-', out);
    }
    fputc(' ', out);
}

static void add_markdown(struct table *t)
{
    static const char *const figures[] = {"mean", "sd", "min", "q1", "median", "q3", "max"};
    static const char *const others[] = {"overshoot_percent", "difference_ns",
                                         "difference_ci95_ns"};
    char path[PATH_BYTES];
    for (size_t i = 0; i < ST_DOCUMENT_LABELS && t->kind->label[i] != NULL; i++)
        add(t, t->kind->label[i], -1);
    for (size_t i = 0; i < ST_DOCUMENT_GROUPS && t->kind->group[i] != NULL; i++)
        add(t, t->kind->group[i], -1);
    add(t, "n", -1);
    ST_EACH (figure, figures) {
        ST_PRINT(path, "%s.%s", t->kind->figures, *figure);
        add(t, path, -1);
        if (strcmp(*figure, "median") == 0) {
            add(t, "median_ci95_ns", 0);
            add(t, "median_ci95_ns", 1);
        }
    }
    ST_EACH (other, others) {
        const bool pair = strstr(*other, "ci95") != NULL;
        add(t, *other, pair ? 0 : -1);
        if (pair)
            add(t, *other, 1);
    }
}

static void print_markdown(struct table *t, FILE *out)
{
    add_markdown(t);
    drop_unused(t);
    choose_unit(t);
    ST_EACH_OF (column, t->column, t->n)
        heading(t, column, out);
    fputs("|\n", out);
    for (size_t c = 0; c < t->n; c++)
        fputs(c == 0 ? "|:---" : "|---:", out);
    fputs("|\n", out);
    for (size_t i = 0; i < st_document_results_n(t->kind, t->document); i++) {
        ST_EACH_OF (column, t->column, t->n)
            markdown_cell(t, column, result_at(t, i), out);
        fputs("|\n", out);
    }
}

/* Prints results of the command wake as Markdown if they were measured with several slices (lengths
 * of the sleep): a line for each slice, a column for each mechanism and kind. The figures are
 * means, as in tables that others have published. @return false: there is only one slice, or the
 * results are of another command. */
static bool print_slices(struct table *t, FILE *out)
{
    const size_t n = st_document_results_n(t->kind, t->document);
    const json_t *head[COLUMNS_MAX];
    size_t head_n = 0, slices_n = 0;
    int64_t slice_ns = -1, least_n = INT64_MAX, most_n = 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *slice = json_object_get(result_at(t, i), "slice_ns");
        if (!json_is_integer(slice))
            return false;
        slices_n += i == 0 || json_integer_value(slice) != slice_ns;
        slice_ns = json_integer_value(slice);
        const int64_t rounds_n = st_json_integer(result_at(t, i), "n");
        least_n = ST_MIN(least_n, rounds_n);
        most_n = ST_MAX(most_n, rounds_n);
        if (slices_n == 1 && head_n < COLUMNS_MAX)
            head[head_n++] = result_at(t, i);
    }
    if (slices_n < 2 || n != slices_n * head_n)
        return false;
    choose_unit(t);
    fprintf(out, "| slice |");
    ST_EACH_OF (name, head, head_n) {
        char label[96], group[160];
        st_document_label(t->kind, *name, label, sizeof(label));
        const char *kind = st_json_text(*name, "kind"),
                   *placement = st_json_text(*name, "placement");
        ST_PRINT(group, "%s, %s", kind != NULL ? kind : "", placement != NULL ? placement : "");
        fputc(' ', out);
        st_safe_print(out, label, strlen(label));
        fputs(", ", out);
        st_safe_print(out, group, strlen(group));
        fprintf(out, ", mean [%s] |", t->unit);
    }
    fputs("\n|---:|", out);
    for (size_t c = 0; c < head_n; c++)
        fputs("---:|", out);
    for (size_t i = 0; i < n; i++) {
        struct column mean = {.part = -1};
        ST_PRINT(mean.path, "%s.mean", t->kind->figures);
        if (i % head_n == 0)
            fprintf(out, "\n| %g ms ", (double)st_json_integer(result_at(t, i), "slice_ns") / 1e6);
        markdown_cell(t, &mean, result_at(t, i), out);
        fputs(i % head_n + 1 == head_n ? "|" : "", out);
    }
    fprintf(out, "\n\nn = %s%jd of each.\n", least_n < most_n ? st_text("%jd to ", least_n) : "",
            most_n);
    return true;
}

int st_table_output(const struct st_table_format *format, json_t *document)
{
    if (!format->csv && !format->markdown)
        return st_output_json(document);
    struct table t = {.unit_ns = format->unit_ns,
                      .document = document,
                      .kind = document != NULL ? st_document_of(document) : NULL};
    if (t.kind == NULL) {
        const bool none = document != NULL;
        json_decref(document);
        return st_failure(none ? "this JSON has no results of sleeptune" : "out of memory");
    }
    if (format->markdown && print_slices(&t, stdout)) {
        json_decref(document);
        return ST_EXIT_DONE;
    }
    (format->samples ? print_samples : format->csv ? print_csv : print_markdown)(&t, stdout);
    json_decref(document);
    return ST_EXIT_DONE;
}
