/* What `compare` found: sleeptune-compare/1. */
#include "lab/compare/compare.h"
#include "lab/compare/verdict.h"

static void append(json_t *array, json_t *value)
{
    (void)json_array_append_new(array, value); /* out of memory leaves it out; json_dumpf says so */
}

static json_t *file_json(const struct st_compare_file *file)
{
    const struct st_blocks *b = &file->blocks;
    json_t *period = file->untimed ? json_null()
                                   : json_pack("{s:I, s:I}", "num", (json_int_t)file->period.num, "den",
                                               (json_int_t)file->period.den);
    json_t *periods = file->untimed ? json_null() : json_integer((json_int_t)b->trials_n);
    json_t *missed = file->untimed ? json_null() : json_integer((json_int_t)b->missed_n);
    return json_pack("{s:s, s:s, s:o, s:I, s:o, s:o, s:s}", "path", file->path, "source", file->source,
                     "period_ns", period, "n", (json_int_t)b->n, "periods", periods, "missed", missed, "note",
                     file->note);
}

static json_t *number(bool known, double value)
{
    return known && isfinite(value) ? json_real(value) : json_null();
}

static json_t *figure_json(const struct st_figure *f, enum st_figure_id id, size_t tests_n)
{
    const struct st_estimate *e = &f->difference;
    json_t *difference =
        e->known ? json_pack("{s:f, s:[f, f]}", "value", e->value, "ci95", e->low, e->high) : json_null();
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:b, s:o, s:o, s:b, s:s, s:o}", "figure", st_figure_names[id],
                     "unit", id == ST_FIGURE_MISSED ? "share" : "ns", "a", number(f->known[0], f->value[0]),
                     "b", number(f->known[1], f->value[1]), "difference", difference, "narrow",
                     (int)f->narrow, "p", number(e->known, f->p_value), "p_corrected",
                     number(e->known, f->p_corrected), "shown", (int)st_verdict_shows(f), "verdict",
                     st_verdict_name(f->verdict), "detectable",
                     number(e->known, st_verdict_detectable(f, tests_n)));
}

static json_t *differ_json(const struct st_compare_result *result)
{
    json_t *array = json_array();
    ST_EACH_OF (condition, result->differ, result->differ_n)
        append(array, json_pack("{s:s, s:s, s:s}", "key", condition->key, "a", condition->before, "b",
                                condition->now));
    return array;
}

static json_t *comparison_json(const struct st_compare_result *result)
{
    const double *drift_ns = result->figures[ST_FIGURE_MEDIAN].drift;
    json_t *figures = json_array();
    ST_EACH_FIGURE (id)
        append(figures, figure_json(&result->figures[id], id, result->tests_n));
    return json_pack("{s:i, s:i, s:s, s:[I, I], s:o, s:o, s:[o, o]}", "a", 0, "b", 1, "label", "", "n",
                     (json_int_t)result->files[0].blocks.n, (json_int_t)result->files[1].blocks.n, "differs",
                     differ_json(result), "figures", figures, "drift_ns", number(true, drift_ns[0]),
                     number(true, drift_ns[1]));
}

static json_t *document(json_t *a, json_t *b, json_t *comparisons, size_t left_out_n, size_t tests_n,
                        size_t shown_n)
{
    return json_pack("{s:s, s:[o, o], s:o, s:I, s:{s:s, s:I, s:f}, s:b}", "schema", ST_COMPARE_SCHEMA,
                     "files", a, b, "comparisons", comparisons, "left_out", (json_int_t)left_out_n,
                     "correction", "method", "holm", "tests", (json_int_t)tests_n, "level", ST_VERDICT_LEVEL,
                     "shown", (int)(shown_n > 0));
}

json_t *st_compare_json(const struct st_compare_result *result)
{
    return document(file_json(&result->files[0]), file_json(&result->files[1]),
                    json_pack("[o]", comparison_json(result)), 0, result->tests_n, result->shown_n);
}

json_t *st_compare_results_json(const struct st_compare_results *results)
{
    json_t *comparisons = json_array(), *files[2];
    for (int i = 0; i < 2; i++)
        files[i] = json_pack("{s:s, s:s, s:n, s:n, s:n, s:n, s:s}", "path", results->paths[i], "source",
                             "results", "period_ns", "n", "periods", "missed", "note", "");
    ST_EACH_OF (row, results->rows, results->n) {
        const struct st_figure *median = &row->figures[ST_FIGURE_MEDIAN];
        append(comparisons,
               json_pack("{s:i, s:i, s:s, s:[I, I], s:[], s:[o], s:[o, o]}", "a", 0, "b", 1, "label",
                         row->name, "n", (json_int_t)row->n[0], (json_int_t)row->n[1], "differs", "figures",
                         figure_json(median, ST_FIGURE_MEDIAN, results->tests_n), "drift_ns",
                         number(true, median->drift[0]), number(true, median->drift[1])));
    }
    return document(files[0], files[1], comparisons, results->alone_n, results->tests_n, results->shown_n);
}
