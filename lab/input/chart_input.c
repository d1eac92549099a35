/* Reads the data of charts: recordings, JSON, text. */
#include "core/text/json.h"
#include "lab/chart/chart.h"
#include "lab/chart/conditions.h"
#include "lab/input/document.h"
#include "lab/input/json_input.h"
#include "lab/input/series_input.h"
#include "platform/posix/posix.h"
#include "platform/program/options.h"

#define LATENESS "lateness (woke - due)"
/* values of unknown meaning, which can be drawn together with any quantity */
#define VALUE "value"

/* The name of a file without its folders, for the text of the picture. */
static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0              ? "standard input"
           : slash != NULL && slash[1] != '\0' ? slash + 1
                                               : path;
}

/* The end of a path, as many bytes as fit into st_chart_set.file. */
static const char *end_of(const char *path)
{
    const size_t bytes = strlen(path), room = sizeof(((struct st_chart_set *)0)->file) - 1;
    return bytes > room ? path + bytes - room : path;
}

/* --- JSON: quartiles of each result, series --- */

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

static void figures(const json_t *result, const json_t *distribution, struct st_chart_set *set)
{
    struct st_box *box = &set->box;
    int64_t n = 0, outliers;
    if (!get_ns(result, "n", &n))
        (void)get_ns(distribution, "n", &n);
    set->n = n > 0 ? (uint64_t)n : 0;
    if (!get_ns(distribution, "min", &box->min_ns) || !get_ns(distribution, "max", &box->max_ns))
        return;
    box->median_known = get_ns(distribution, "median", &box->median_ns) &&
                        box->min_ns <= box->median_ns && box->median_ns <= box->max_ns;
    box->known = box->median_known && get_ns(distribution, "q1", &box->q1_ns) &&
                 get_ns(distribution, "q3", &box->q3_ns) && box->min_ns <= box->q1_ns &&
                 box->q1_ns <= box->median_ns && box->median_ns <= box->q3_ns &&
                 box->q3_ns <= box->max_ns;
    if (!box->median_known)
        box->median_ns = box->min_ns;
    box->mean_known = get_ns(distribution, "mean", &box->mean_ns) && !box->known &&
                      box->min_ns <= box->mean_ns && box->mean_ns <= box->max_ns;
    if (box->known)
        st_box_of_figures(box);
    if ((get_ns(result, "outliers", &outliers) || get_ns(distribution, "outliers", &outliers)) &&
        outliers >= 0) {
        box->outliers_known = true;
        box->outliers_n = (uint64_t)outliers;
    }
    /* a document without the key q1 never has quartiles: its results are not drawn as boxes */
    if (json_object_get(distribution, "q1") != NULL && box->min_ns <= box->max_ns)
        box->n = set->n;
}

/* Adds the single values of a result, which samples_ns has in the order of measurement. */
static int add_values(const json_t *result, struct st_chart_set *set)
{
    const json_t *samples = json_object_get(result, "samples_ns");
    int r = 0;
    for (size_t i = 0; i < json_array_size(samples) && r == 0; i++)
        r = st_series_add(&set->series, i, json_integer_value(json_array_get(samples, i)));
    return r;
}

static int add_result(const struct st_document *kind, const char *name, const char *figures_key,
                      const json_t *result, struct st_chart_data *data)
{
    const json_t *distribution = json_object_get(result, figures_key);
    char label[96];
    if (!json_is_object(distribution))
        return 0; /* this result was not measured */
    st_document_label(kind, result, label, sizeof(label));
    struct st_chart_set *set = st_chart_add(data, label[0] != '\0' ? label : name);
    if (set == NULL)
        return -ENOMEM;
    /* results with the key kind->drawn share one axis, so they have no groups */
    if (figures_key == kind->figures)
        st_document_group(kind, result, set->group, sizeof(set->group));
    st_document_panel(kind, result, set->panel, sizeof(set->panel));
    if (kind->x != NULL)
        set->x_ns = json_integer_value(json_object_get(result, kind->x));
    figures(result, distribution, set);
    return add_values(result, set);
}

static bool same_group(const struct st_document *kind, const json_t *document, size_t a, size_t b)
{
    char first[160], second[160];
    st_document_group(kind, st_document_result(kind, document, a), first, sizeof(first));
    st_document_group(kind, st_document_result(kind, document, b), second, sizeof(second));
    return strcmp(first, second) == 0;
}

static bool is_first_of_group(const struct st_document *kind, const json_t *document, size_t i)
{
    size_t k = 0;
    while (!same_group(kind, document, k, i))
        k++;
    return k == i;
}

static int add_results(const struct st_document *kind, const char *name, const json_t *document,
                       struct st_chart_data *data)
{
    const size_t from = data->n, n = st_document_results_n(kind, document);
    const char *key = kind->figures;
    ST_PRINT(data->quantity, "%s", kind->quantity);
    for (size_t i = 0; i < n && kind->drawn != NULL && key == kind->figures; i++) {
        if (json_is_object(json_object_get(st_document_result(kind, document, i), kind->drawn))) {
            key = kind->drawn;
            ST_PRINT(data->quantity, "%s", kind->drawn_quantity);
        }
    }
    for (size_t i = 0; i < n; i++) { /* results of the same group become neighbours */
        if (!is_first_of_group(kind, document, i))
            continue;
        for (size_t k = i; k < n; k++) {
            if (same_group(kind, document, i, k) &&
                add_result(kind, name, key, st_document_result(kind, document, k), data) != 0)
                return st_failure("%s has more than %d results", name, ST_CHART_SETS_MAX);
        }
    }
    if (data->n == from)
        return st_failure("%s has no numbers that can be drawn", name);
    return ST_EXIT_DONE;
}

static int add_series(const char *name, const char *label, const json_t *document,
                      struct st_chart_data *data)
{
    struct st_series_input result = {0};
    int status = st_series_input_json(name, document, &result);
    ST_PRINT(data->quantity, "%s", result.plain ? VALUE : LATENESS);
    if (status == ST_EXIT_DONE) {
        const int r = st_chart_add_series(data, label, &result.series, !result.untimed);
        if (r != 0)
            status = st_failure("%s: %s", name, strerror(-r));
    }
    if (result.left_out_n > 0)
        ST_PRINT(data->note, "The last %llu samples are not drawn.",
                 (unsigned long long)result.left_out_n);
    st_series_input_finish(&result);
    return status;
}

static int add_all_series(const struct st_document *kind, const char *name, const json_t *document,
                          struct st_chart_data *data)
{
    char label[96];
    int status = ST_EXIT_DONE;
    for (size_t i = 0; i < st_document_results_n(kind, document) && status == ST_EXIT_DONE; i++) {
        const json_t *series = st_document_result(kind, document, i);
        st_document_label(kind, series, label, sizeof(label));
        status = add_series(name, kind->list != NULL ? label : name, series, data);
    }
    return status;
}

int st_chart_json(const char *name, const json_t *document, struct st_chart_data *data)
{
    const char *schema = st_json_text(document, "schema");
    if (schema == NULL)
        return st_failure("%s is JSON, but sleeptune did not write it", name);
    const struct st_document *kind = st_document_of(document);
    const json_t *conditions = json_object_get(document, "conditions");
    if (conditions == NULL && kind != NULL)
        conditions = json_object_get(st_document_result(kind, document, 0), "conditions");
    st_chart_conditions(data, st_conditions_text(conditions, ST_ROOM(sizeof(data->conditions))));
    const char *version = strchr(schema, '/');
    if (version != NULL && strcmp(version, "/1") != 0)
        return st_failure("%s was written by a newer sleeptune: '%.40s'", name, schema);
    if (kind != NULL)
        return (strcmp(kind->name, "series") == 0 ? add_all_series : add_results)(kind, name,
                                                                                  document, data);
    return st_failure("%s: sleeptune cannot draw documents of type '%.40s'", name, schema);
}

/* --- files --- */

static int read_json(const char *name, FILE *stream, struct st_chart_data *data)
{
    json_error_t error;
    json_t *document = st_json_input_read(stream, &error);
    st_posix_input_close(stream);
    if (document == NULL)
        return st_failure("%s: line %d: %s", name, error.line, error.text);
    const int status = st_chart_json(short_name(name), document, data);
    json_decref(document);
    return status;
}

/* Reads a recording or text, and adds its series as a set. */
static int read_series(const char *path, const struct st_series_options *options,
                       struct st_chart_data *data)
{
    struct st_series_input *result = calloc(1, sizeof(*result));
    if (result == NULL)
        return st_failure("out of memory");
    int status = st_series_input_read(path, options, result);
    if (status == ST_EXIT_DONE) {
        const int r =
            st_chart_add_series(data, short_name(path), &result->series, !result->untimed);
        ST_PRINT(data->quantity, "%s", result->plain ? VALUE : LATENESS);
        if (!result->untimed)
            ST_PRINT(data->note, "%s", result->note);
        if (result->conditions != NULL)
            st_chart_conditions(
                data, st_conditions_lines(result->conditions, ST_ROOM(sizeof(data->conditions))));
        if (r != 0)
            status = st_failure("%s: %s", path, strerror(-r));
    }
    st_series_input_finish(result);
    free(result);
    return status;
}

static int read_file(const char *path, const struct st_series_options *options,
                     struct st_chart_data *data)
{
    size_t cell;
    FILE *stream = st_series_input_open(path, &cell);
    if (stream == NULL)
        return st_failure("cannot read %s: %s", path, st_posix_input_error(errno));
    const int first = getc(stream);
    ungetc(first, stream);
    if (first == '{' && cell == 0)
        return read_json(path, stream, data);
    st_posix_input_close(stream);
    return read_series(path, options, data);
}

int st_chart_read(const char *path, const struct st_series_options *options,
                  struct st_chart_data *data)
{
    char quantity[sizeof(data->quantity)];
    const size_t before = data->n;
    ST_PRINT(quantity, "%s", data->quantity);
    int status = read_file(path, options, data);
    if (before > 0 && strcmp(quantity, VALUE) == 0)
        ST_PRINT(quantity, "%s", data->quantity);
    if (before > 0 && strcmp(data->quantity, VALUE) == 0)
        ST_PRINT(data->quantity, "%s", quantity);
    if (status == ST_EXIT_DONE && before > 0 && strcmp(quantity, data->quantity) != 0)
        status = st_failure("%s has %s and %s has %s: one picture cannot show both",
                            data->set[0]->file, quantity, short_name(path), data->quantity);
    const char *name = short_name(path);
    ST_EACH_OF (other, data->set, before) {
        if (strcmp((*other)->file, name) == 0)
            name = end_of(path); /* distinguishes before/run.strec from after/run.strec */
    }
    for (size_t i = before; i < data->n; i++) {
        struct st_chart_set *set = data->set[i];
        if (strcmp(set->label, short_name(path)) == 0)
            ST_PRINT(set->label, "%s", name);
        ST_PRINT(set->file, "%s", name);
    }
    return status;
}
