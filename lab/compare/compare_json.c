/* What `compare` found: sleeptune-compare/1. */
#include <math.h>

#include "evidence/verdict.h"
#include "lab/compare/compare.h"

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

static json_t *figure_json(const struct st_compare_result *result, const struct st_figure *f,
                           enum st_figure_id id)
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
                     number(e->known, st_verdict_detectable(f, result->tests_n)));
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
    for (int id = 0; id < ST_FIGURES; id++)
        append(figures, figure_json(result, &result->figures[id], (enum st_figure_id)id));
    return json_pack("{s:i, s:i, s:s, s:[I, I], s:o, s:o, s:[o, o]}", "a", 0, "b", 1, "label", "", "n",
                     (json_int_t)result->files[0].blocks.n, (json_int_t)result->files[1].blocks.n, "differs",
                     differ_json(result), "figures", figures, "drift_ns", number(true, drift_ns[0]),
                     number(true, drift_ns[1]));
}

json_t *st_compare_json(const struct st_compare_result *result)
{
    return json_pack("{s:s, s:[o, o], s:[o], s:i, s:{s:s, s:I, s:f}, s:b}", "schema", ST_COMPARE_SCHEMA,
                     "files", file_json(&result->files[0]), file_json(&result->files[1]), "comparisons",
                     comparison_json(result), "left_out", 0, "correction", "method", "holm", "tests",
                     (json_int_t)result->tests_n, "level", ST_VERDICT_LEVEL, "shown",
                     (int)(result->shown_n > 0));
}
