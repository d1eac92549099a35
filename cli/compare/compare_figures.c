/* Results of documents of bench and measure: figures, and values where they have them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chart/input/document.h"
#include "cli/command.h"
#include "cli/compare/compare.h"
#include "core/text.h"

#define BENCH_FAMILY "sleeptune-bench-"

/** A figure and its interval, which is [low, high] or null. */
static void take_figure(const json_t *value, const json_t *interval, enum st_figure_id id,
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

/* samples_ns without its warm-up, as the figures are. @return 0, -EBADMSG, -ENOMEM. */
static int take_values(const json_t *result, struct st_compare_row *row)
{
    const json_t *samples = json_object_get(result, "samples_ns");
    uint64_t warm_up_n = 0;
    const size_t n = json_array_size(samples);
    (void)count(result, "warm_up", &warm_up_n);
    if (warm_up_n >= n)
        return 0;
    row->values_ns = calloc(n - warm_up_n, sizeof(*row->values_ns));
    if (row->values_ns == NULL)
        return -ENOMEM;
    for (size_t i = warm_up_n; i < n; i++) {
        const json_t *value = json_array_get(samples, i);
        if (!json_is_integer(value))
            return -EBADMSG;
        row->values_ns[row->values_n++] = json_integer_value(value);
    }
    return 0;
}

static bool take_result(const struct st_document *kind, const json_t *result, struct st_compare_row *row)
{
    static const char *const names[] = {"median", "p99", "p999"};
    const json_t *figures = json_object_get(result, kind->figures);
    char group[ST_COMPARE_LABEL], key[24];
    st_document_label(kind, result, row->label, sizeof(row->label));
    st_document_group(kind, result, group, sizeof(group));
    st_text_append(row->label, sizeof(row->label), "%s%s", group[0] != '\0' ? ", " : "", group);
    if (!json_is_object(figures) || (!count(result, "n", &row->n) && !count(figures, "n", &row->n)))
        return false;
    if (take_values(result, row) != 0)
        return false;
    for (size_t id = 0; id < ST_ARRAY_LEN(names); id++) {
        snprintf(key, sizeof(key), kind->intervals_beside ? "%s_ci95_ns" : "%s_ci95", names[id]);
        take_figure(json_object_get(figures, names[id]),
                    json_object_get(kind->intervals_beside ? result : figures, key), (enum st_figure_id)id,
                    row);
    }
    uint64_t missed_n, periods_n;
    if (!count(result, "misses", &missed_n) || !count(result, "elapsed_periods", &periods_n))
        return true; /* the one says nothing without the other */
    row->missed_n = missed_n;
    row->periods_n = periods_n;
    return missed_n <= periods_n;
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

/* Ways of waiting in turn, `measure --punctual`: they are no one distribution, each is a row. NULL: none. */
static const json_t *arms_of(const json_t *result)
{
    const json_t *arms = json_object_get(json_object_get(result, "punctual"), "arms");
    return json_is_array(arms) ? arms : NULL;
}

static bool take_arm(const struct st_document *kind, const json_t *result, const json_t *arm,
                     struct st_compare_row *row)
{
    char cpu[ST_COMPARE_LABEL];
    const char *name = json_string_value(json_object_get(arm, "name"));
    if (name == NULL || !take_result(kind, arm, row))
        return false;
    st_document_label(kind, result, cpu, sizeof(cpu));
    row->label[0] = '\0';
    st_text_append(row->label, sizeof(row->label), "%.200s%s%s", cpu, cpu[0] != '\0' ? ", " : "", name);
    return true;
}

static size_t rows_of(const struct st_document *kind, const json_t *document)
{
    size_t n = 0;
    for (size_t i = 0; i < st_document_results_n(kind, document); i++) {
        const json_t *arms = arms_of(st_document_result(kind, document, i));
        n += arms != NULL ? json_array_size(arms) : 1;
    }
    return n;
}

int st_compare_read_figures(const char *command, const json_t *document, struct st_compare_file *ret)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    const struct st_document *kind = st_document_of(document);
    if (kind == NULL)
        return st_failure(command,
                          "%s is JSON, but not of sleeptune-lab or 'measure' of this version ('%.40s')",
                          ret->path, schema != NULL ? schema : "");
    const size_t rows_n = rows_of(kind, document);
    ret->kind = kind;
    ret->source = strncmp(kind->schema, BENCH_FAMILY, strlen(BENCH_FAMILY)) == 0 ? "bench" : "measure";
    ret->rows = calloc(rows_n + 1, sizeof(*ret->rows));
    if (ret->rows == NULL)
        return st_failure(command, "out of memory");
    bool good = rows_n > 0 && take_period(st_document_result(kind, document, 0), ret);
    for (size_t i = 0; i < st_document_results_n(kind, document) && good; i++) {
        const json_t *result = st_document_result(kind, document, i), *arms = arms_of(result);
        for (size_t k = 0; k < (arms != NULL ? json_array_size(arms) : 1) && good; k++) {
            struct st_compare_row *row = &ret->rows[ret->rows_n++];
            good = arms != NULL ? take_arm(kind, result, json_array_get(arms, k), row)
                                : take_result(kind, result, row);
            for (size_t other = 0; other + 1 < ret->rows_n && good; other++)
                good = strcmp(ret->rows[other].label, row->label) != 0;
            ret->in_order |= row->values_n > 0;
        }
    }
    if (!ret->in_order)
        snprintf(ret->note, sizeof(ret->note),
                 "It has no single values: they are taken as independent, and the intervals are too narrow "
                 "where they are not.");
    return good ? ST_EXIT_DONE
                : st_failure(command, "%s: its results have no figures that can be compared", ret->path);
}

int st_compare_figures_of_values(struct st_compare_file *file)
{
    const struct st_blocks *blocks = &file->blocks;
    struct st_compare_row *row = calloc(1, sizeof(*row));
    int r = row != NULL ? 0 : -ENOMEM;
    for (int id = 0; id < ST_FIGURE_MISSED && r == 0; id++)
        r = st_pairs_quantile_of(blocks, (enum st_figure_id)id, &row->known[id], &row->interval_known[id],
                                 row->value[id]);
    if (r != 0) {
        free(row);
        return r;
    }
    row->n = blocks->n;
    row->missed_n = blocks->missed_n;
    row->periods_n = blocks->trials_n;
    file->rows = row;
    file->rows_n = 1;
    file->kind = st_document_of_measure();
    file->has_values = false;
    st_text_append(file->note, sizeof(file->note),
                   "%sCompared by its figures, values taken as independent, as the other file has no more.",
                   file->note[0] != '\0' ? " " : "");
    return 0;
}
