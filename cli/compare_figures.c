/* Figures of documents that have no single values: bench and measure. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/compare.h"

#define BENCH_FAMILY   "sleeptune-bench-"
#define MEASURE_SCHEMA "sleeptune-measure/1"

/* What tells a row of a bench from the others, in this order. */
static const char *const identity[] = {"call",         "method",   "mechanism",  "mode",     "path",
                                       "placement",    "kind",     "policy",     "priority", "timer_slack_ns",
                                       "requested_ns", "slice_ns", "duration_ns"};
/* Where its figures are. */
static const char *const places[] = {"overshoot_ns", "delay_ns", "ns"};

static void label_of(const json_t *row, char *buf, size_t buf_bytes)
{
    size_t at = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < ST_ARRAY_LEN(identity) && at < buf_bytes; i++) {
        const json_t *value = json_object_get(row, identity[i]);
        const char *gap = at > 0 ? " " : "";
        if (json_is_string(value))
            at += (size_t)snprintf(buf + at, buf_bytes - at, "%s%s", gap, json_string_value(value));
        else if (json_is_integer(value))
            at += (size_t)snprintf(buf + at, buf_bytes - at, "%s%s %lld", gap, identity[i],
                                   (long long)json_integer_value(value));
    }
}

/** A figure and its interval, which is [low, high] or null. */
static void take_figure(const json_t *value, const json_t *interval, enum st_compare_id id,
                        struct st_compare_row *row)
{
    if (!json_is_number(value))
        return;
    row->known[id] = true;
    row->value[id][0] = json_number_value(value);
    const json_t *low = json_array_get(interval, 0), *high = json_array_get(interval, 1);
    if (!json_is_number(low) || !json_is_number(high) || json_number_value(low) > row->value[id][0] ||
        json_number_value(high) < row->value[id][0])
        return;
    row->interval_known[id] = true;
    row->value[id][1] = json_number_value(low);
    row->value[id][2] = json_number_value(high);
}

static bool count(const json_t *object, const char *key, uint64_t *ret)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *ret = (uint64_t)json_integer_value(value);
    return true;
}

static bool take_bench_row(const json_t *from, struct st_compare_row *row)
{
    const json_t *figures = NULL;
    label_of(from, row->label, sizeof(row->label));
    for (size_t i = 0; i < ST_ARRAY_LEN(places) && figures == NULL; i++)
        figures = json_object_get(from, places[i]);
    if (!json_is_object(figures) || !count(from, "n", &row->n))
        return false;
    take_figure(json_object_get(figures, "median"), json_object_get(from, "median_ci95_ns"),
                ST_COMPARE_MEDIAN, row);
    take_figure(json_object_get(figures, "p99"), json_object_get(from, "p99_ci95_ns"), ST_COMPARE_P99, row);
    return true;
}

static bool take_measure(const json_t *document, struct st_compare_row *row)
{
    const json_t *late = json_object_get(document, "lateness_ns");
    if (!json_is_object(late) || !count(late, "n", &row->n) || !count(document, "misses", &row->missed_n) ||
        !count(document, "elapsed_periods", &row->periods_n) || row->missed_n > row->periods_n)
        return false;
    take_figure(json_object_get(late, "median"), json_object_get(late, "median_ci95"), ST_COMPARE_MEDIAN,
                row);
    take_figure(json_object_get(late, "p99"), json_object_get(late, "p99_ci95"), ST_COMPARE_P99, row);
    take_figure(json_object_get(late, "p999"), json_object_get(late, "p999_ci95"), ST_COMPARE_P999, row);
    return true;
}

static bool take_period(const json_t *document, struct st_compare_file *file)
{
    uint64_t num, den;
    const json_t *period = json_object_get(document, "period_ns");
    if (!json_is_object(period))
        return true;
    if (!count(period, "num", &num) || !count(period, "den", &den) ||
        st_period_init_ns(&file->period, num, den) != 0)
        return false;
    file->period_known = true;
    return true;
}

int st_compare_read_figures(const char *command, const json_t *document, struct st_compare_file *ret)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    const json_t *results = json_object_get(document, "results");
    const bool bench = schema != NULL && strncmp(schema, BENCH_FAMILY, strlen(BENCH_FAMILY)) == 0;
    const bool measure = schema != NULL && strcmp(schema, MEASURE_SCHEMA) == 0;
    if (!bench && !measure)
        return st_failure(command,
                          "%s is JSON, but not of 'bench', 'measure' or 'simulate' of this version ('%.40s')",
                          ret->path, schema != NULL ? schema : "");
    snprintf(ret->note, sizeof(ret->note),
             "It has no single values: they are taken as independent, and the intervals are too narrow where "
             "they are "
             "not.");
    const size_t rows_n = bench || json_is_array(results) ? json_array_size(results) : 1;
    ret->source = bench ? "bench" : "measure";
    ret->rows = calloc(rows_n + 1, sizeof(*ret->rows));
    if (ret->rows == NULL)
        return st_failure(command, "out of memory");
    bool good = rows_n > 0 && take_period(document, ret);
    for (size_t i = 0; i < rows_n && good; i++) {
        const json_t *row = json_is_array(results) ? json_array_get(results, i) : document;
        good = bench ? take_bench_row(row, &ret->rows[i]) : take_measure(row, &ret->rows[i]);
        for (size_t k = 0; k < i && good; k++)
            good = strcmp(ret->rows[k].label, ret->rows[i].label) != 0;
        ret->rows_n = i + 1;
    }
    return good ? ST_EXIT_DONE
                : st_failure(command, "%s: its results have no figures that can be compared", ret->path);
}
