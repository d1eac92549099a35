/* What `compare` found: sleeptune-compare/1. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "cli/compare/compare.h"
#include "core/text/json.h"
#include "evidence/verdict.h"

static void append(json_t *array, json_t *value)
{
    (void)json_array_append_new(array, value); /* out of memory leaves it out; json_dumpf says so */
}

static json_t *file_json(const struct st_compare_file *file)
{
    json_t *period = file->period_known ? json_pack("{s:I, s:I}", "num", (json_int_t)file->period.num, "den",
                                                    (json_int_t)file->period.den)
                                        : json_null();
    const struct st_blocks *b = &file->blocks;
    const bool counted = file->has_values && b->trials_n > 0;
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:s}", "path", file->path, "source", file->source,
                     "period_ns", period, "n",
                     file->has_values ? json_integer((json_int_t)b->n) : json_null(), "periods",
                     counted ? json_integer((json_int_t)b->trials_n) : json_null(), "missed",
                     counted ? json_integer((json_int_t)b->missed_n) : json_null(), "in_order",
                     (int)file->in_order, "note", file->note);
}

static json_t *number(bool known, double value)
{
    return known && isfinite(value) ? json_real(value) : json_null();
}

static json_t *estimate_json(const struct st_estimate *e)
{
    return json_pack("{s:f, s:[f, f]}", "value", e->value, "ci95", e->low, e->high);
}

static json_t *figure_json(const struct st_compare_result *result, const struct st_compare_pair *pair,
                           enum st_figure_id id)
{
    const struct st_figure *f = &pair->found.figures[id];
    const bool known = f->difference.known;
    const double wanted = st_compare_wanted(result, pair, id);
    const bool judged = known && f->error > 0 && wanted > 0;
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:b, s:o, s:o, s:b, s:s, s:o, s:o, s:o}", "figure",
                     st_figure_names[id], "unit", id == ST_FIGURE_MISSED ? "share" : "ns", "a",
                     number(f->known[0], f->value[0]), "b", number(f->known[1], f->value[1]), "difference",
                     known ? estimate_json(&f->difference) : json_null(), "narrow", (int)f->narrow, "p",
                     number(known, f->p_value), "p_corrected", number(known, f->p_corrected), "shown",
                     (int)st_verdict_shows(f), "verdict", st_verdict_name(f->verdict), "detectable",
                     number(known, st_verdict_detectable(f, result->tests_n)), "wanted",
                     number(wanted > 0, wanted), "more_data",
                     number(judged, judged ? st_verdict_more_data(f, result->tests_n, wanted) : 0));
}

static json_t *differ_json(const struct st_compare_result *result, size_t i)
{
    json_t *array = json_array();
    for (size_t k = 0; k < result->differ_n[i]; k++)
        append(array, json_pack("{s:s, s:s, s:s}", "key", result->differ[i][k].key, "a",
                                result->differ[i][k].before, "b", result->differ[i][k].now));
    return array;
}

static json_t *pair_json(const struct st_compare_result *result, const struct st_compare_pair *pair)
{
    const size_t i = (size_t)(pair->b - result->files);
    const double *drift_ns = pair->found.figures[ST_FIGURE_MEDIAN].drift;
    json_t *figures = json_array();
    for (int id = 0; id < ST_FIGURES; id++)
        append(figures, figure_json(result, pair, (enum st_figure_id)id));
    return json_pack(
        "{s:i, s:i, s:s, s:[I, I], s:b, s:o, s:o, s:o, s:b, s:[o, o], s:[o, o]}", "a", 0, "b", (int)i,
        "label", pair->label, "n", (json_int_t)pair->n[0], (json_int_t)pair->n[1], "same",
        (int)pair->found.same, "differs", differ_json(result, i), "figures", figures, "superiority",
        pair->found.superiority.known ? estimate_json(&pair->found.superiority) : json_null(),
        "neighbours_depend", (int)(pair->found.neighbours_depend && (pair->a->in_order || pair->b->in_order)),
        "independent_n",
        number(pair->a->in_order && pair->found.independent_n[0] > 0, pair->found.independent_n[0]),
        number(pair->b->in_order && pair->found.independent_n[1] > 0, pair->found.independent_n[1]),
        "drift_ns", number(pair->a->in_order, drift_ns[0]), number(pair->b->in_order, drift_ns[1]));
}

int st_compare_print_json(const struct st_compare_result *result)
{
    json_t *files = json_array(), *pairs = json_array();
    for (size_t i = 0; i < result->files_n; i++)
        append(files, file_json(&result->files[i]));
    for (size_t i = 0; i < result->pairs_n; i++)
        append(pairs, pair_json(result, &result->pairs[i]));
    json_t *document = json_pack(
        "{s:s, s:o, s:o, s:I, s:{s:s, s:I, s:f}, s:b}", "schema", ST_COMPARE_SCHEMA, "files", files,
        "comparisons", pairs, "left_out", (json_int_t)result->left_out_n, "correction", "method", "holm",
        "tests", (json_int_t)result->tests_n, "level", ST_VERDICT_LEVEL, "shown", (int)(result->shown_n > 0));
    if (document == NULL)
        return -ENOMEM;
    errno = 0;
    char *text = st_json_dump(document, JSON_INDENT(2) | JSON_REAL_PRECISION(12), NULL);
    json_decref(document);
    if (text == NULL)
        return -ENOMEM;
    const bool written = puts(text) != EOF && fflush(stdout) == 0;
    free(text);
    return written ? 0 : errno != 0 ? -errno : -EIO;
}
