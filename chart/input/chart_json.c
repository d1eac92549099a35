/* What sleeptune's JSON documents have for charts: quartiles and quantiles of each result, series. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "chart/circumstances.h"
#include "chart/input/documents.h"
#include "chart/input/series_input.h"
#include "platform/program/options.h"

static const struct {
    const char *key;
    double p;
} marks[] = {{"q1", 0.25}, {"median", 0.5}, {"q3", 0.75}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}};

static bool get_ns(const json_t *object, const char *key, int64_t *ret)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        return false;
    const double real = json_number_value(value);
    if (!(real > -9e18 && real < 9e18))
        return false;
    *ret = json_is_integer(value) ? json_integer_value(value) : (int64_t)real;
    return true;
}

/* --- results --- */

static void figures(const json_t *result, const json_t *distribution, struct st_chart_set *set)
{
    struct st_box *box = &set->box;
    int64_t n = 0, outliers;
    if (!get_ns(result, "n", &n))
        (void)get_ns(distribution, "n", &n);
    set->n = n > 0 ? (uint64_t)n : 0;
    for (size_t i = 0; i < ST_ARRAY_LEN(marks); i++) {
        struct st_chart_mark *mark = &set->mark[set->marks_n];
        if (get_ns(distribution, marks[i].key, &mark->value_ns)) {
            mark->p = marks[i].p;
            set->marks_n++;
        }
    }
    set->max_known = get_ns(distribution, "max", &set->max_ns) &&
                     (set->marks_n == 0 || set->max_ns >= set->mark[set->marks_n - 1].value_ns);
    if (!get_ns(distribution, "min", &box->min_ns) || !get_ns(distribution, "max", &box->max_ns))
        return;
    box->median_known = get_ns(distribution, "median", &box->median_ns) && box->min_ns <= box->median_ns &&
                        box->median_ns <= box->max_ns;
    box->known = box->median_known && get_ns(distribution, "q1", &box->q1_ns) &&
                 get_ns(distribution, "q3", &box->q3_ns) && box->min_ns <= box->q1_ns &&
                 box->q1_ns <= box->median_ns && box->median_ns <= box->q3_ns && box->q3_ns <= box->max_ns;
    if (!box->median_known)
        box->median_ns = box->min_ns;
    if (box->known)
        st_box_of_figures(box);
    if (get_ns(result, "outliers", &outliers) && outliers >= 0) {
        box->outliers_known = true;
        box->outliers_n = (uint64_t)outliers;
    }
    /* a document that never writes quartiles has none to show */
    if (json_object_get(distribution, "q1") != NULL && box->min_ns <= box->max_ns)
        box->n = set->n;
}

/* samples_ns: each value in the order in which it was measured; figures and distribution are without the
 * first `warm_up` of them. */
static int add_values(const json_t *result, struct st_chart_set *set)
{
    const json_t *samples = json_object_get(result, "samples_ns");
    const size_t n = json_array_size(samples);
    int64_t warm_up_n = 0;
    (void)get_ns(result, "warm_up", &warm_up_n);
    if (n == 0 || warm_up_n < 0 || (uint64_t)warm_up_n >= n)
        return 0;
    set->columns = malloc(sizeof(*set->columns));
    if (set->columns == NULL || st_hist_init(&set->hist, 3) != 0)
        return -ENOMEM;
    st_columns_init(set->columns);
    for (size_t i = 0; i < n; i++) {
        const json_int_t value = json_integer_value(json_array_get(samples, i));
        st_columns_add(set->columns, i, value, false);
        if (i >= (size_t)warm_up_n)
            st_hist_add(&set->hist, value);
    }
    return 0;
}

static int add_result(const struct st_document *kind, const char *name, const json_t *result,
                      struct st_chart_data *data)
{
    const json_t *distribution = json_object_get(result, kind->figures);
    char label[96];
    if (!json_is_object(distribution))
        return 0; /* what could not be measured */
    st_document_label(kind, result, label, sizeof(label));
    struct st_chart_set *set = st_chart_add(data, label[0] != '\0' ? label : name);
    if (set == NULL)
        return -ENOMEM;
    st_document_group(kind, result, set->group, sizeof(set->group));
    figures(result, distribution, set);
    return add_values(result, set);
}

static int add_results(const char *command, const struct st_document *kind, const char *name,
                       const json_t *document, struct st_chart_data *data)
{
    const size_t from = data->n, n = st_document_results_n(kind, document);
    snprintf(data->quantity, sizeof(data->quantity), "%s", kind->quantity);
    for (size_t i = 0; i < n; i++) {
        if (add_result(kind, name, st_document_result(kind, document, i), data) != 0)
            return st_failure(command, "%s: more than %d results", name, ST_CHART_SETS_MAX);
    }
    if (data->n == from)
        return st_failure(command, "%s has no results with figures", name);
    return ST_EXIT_DONE;
}

/* --- documents --- */

static int add_series(const char *command, const char *name, const json_t *document,
                      struct st_chart_data *data)
{
    struct st_series_input result = {0};
    int status = st_series_input_json(command, name, document, &result);
    snprintf(data->quantity, sizeof(data->quantity), "lateness (woke - due)");
    if (status == ST_EXIT_DONE) {
        const int r = st_chart_add_series(data, name, &result.series);
        if (r != 0)
            status = st_failure(command, "%s: %s", name, strerror(-r));
    }
    if (result.left_out_n > 0)
        snprintf(data->note, sizeof(data->note), "The last %llu samples are left out.",
                 (unsigned long long)result.left_out_n);
    st_series_input_finish(&result);
    return status;
}

int st_chart_json(const char *command, const char *name, const json_t *document, struct st_chart_data *data)
{
    char where[sizeof(data->circumstances)];
    const char *schema = json_string_value(json_object_get(document, "schema"));
    if (schema == NULL)
        return st_failure(command, "%s is JSON, but none of sleeptune", name);
    const json_t *first = json_array_get(json_object_get(document, "loops"), 0);
    const json_t *circumstances = json_object_get(first != NULL ? first : document, "circumstances");
    st_chart_circumstances(data, st_circumstances_text(circumstances, where, sizeof(where)));
    const char *version = strchr(schema, '/');
    if (version != NULL && strcmp(version, "/1") != 0)
        return st_failure(command, "%s was written by a newer sleeptune: '%.40s'", name, schema);
    if (strcmp(schema, ST_SERIES_SCHEMA) == 0)
        return add_series(command, name, document, data);
    const struct st_document *kind = st_document_of(document);
    if (kind != NULL)
        return add_results(command, kind, name, document, data);
    return st_failure(command, "%s: nothing to draw in a document of '%.40s'", name, schema);
}
