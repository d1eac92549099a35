/* A series with its analysis, as text and as the document sleeptune-series/1. */
#include "lab/analyse/series_result.h"

#include "core/ns.h"
#include "core/stats/stats.h"
#include "core/text/text.h"
#include "lab/chart/conditions.h"
#include "lab/ns_exact.h"
#include "lab/stats/sample.h"
#include "platform/program/options.h"

#define LABEL_COLUMNS 10

void st_series_result_finish(struct st_series_result *result)
{
    st_series_input_finish(&result->input);
    st_series_free_sample(&result->sample);
    json_decref(result->conditions);
    result->conditions = NULL;
}

/* --- JSON --- */

static json_t *analysis_json(const struct st_analysis *a)
{
    const struct st_ticks *l = &a->ticks;
    json_t *sentences = json_array();
    ST_EACH_OF (sentence, a->sentence, a->sentences_n)
        (void)json_array_append_new(sentences, json_string(*sentence));
    json_t *hz = l->found && l->hz > 0 ? json_integer(l->hz) : json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:i, s:o}", "tick_hz", hz, "tick_drift_ppm",
                     l->drift_known ? json_real(l->drift_ppm) : json_null(), "tick_drift_sd_ppm",
                     l->drift_known ? json_real(l->drift_sd_ppm) : json_null(), "extra_ticks",
                     l->found && l->extra_ticks >= 0 ? json_integer(l->extra_ticks) : json_null(),
                     "times_known", (int)(!a->untimed && !a->counted), "findings",
                     (int)a->findings_n, "sentences", sentences);
}

static json_t *simulation_json(const struct st_simulation *s)
{
    if (s == NULL)
        return json_null();
    return json_pack("{s:I, s:o, s:s, s:f, s:f, s:I, s:I}", "hz", (json_int_t)s->hz, "timer_hz",
                     s->timer_hz > 0 ? json_integer(s->timer_hz) : json_null(), "rounding",
                     st_simulate_rounding_name(s->rounding), "drift_ppm", s->drift_ppm, "pll_gain",
                     s->pll_gain, "noise_ns", (json_int_t)s->noise_ns, "seed", (json_int_t)s->seed);
}

static const struct {
    const char *label, *key;
    double p;
} quantiles[] = {
    {"q1", "q1", 0.25},
    {"median", "median", 0.5},
    {"q3", "q3", 0.75},
    {"p99", "p99", 0.99},
    {"p99.9", "p99_9", 0.999},
    {"p99.99", "p99_99", 0.9999},
    {"p99.999", "p99_999", 0.99999},
};

/* Least number of values for which the p-quantile is printed: 10 values then lie beyond it. */
static uint64_t least_n(double p)
{
    return st_stats_quantile_min_n(fmax(p, 1 - p));
}

static json_t *figures_json(const struct st_series_result *result)
{
    const struct st_moments *moments = &result->moments;
    const struct st_sample *sample = &result->sample;
    json_t *o =
        json_pack("{s:I, s:f, s:o}", "min", (json_int_t)sample->values_ns[0], "mean", moments->mean,
                  "sd", moments->n >= 2 ? json_real(moments->sd) : json_null());
    ST_EACH (quantile, quantiles) {
        const bool known = sample->n >= least_n(quantile->p);
        (void)json_object_set_new(o, quantile->key,
                                  known ? json_integer(st_sample_quantile(sample, quantile->p))
                                        : json_null());
    }
    (void)json_object_set_new(o, "max", json_integer(sample->values_ns[sample->n - 1]));
    return o;
}

static void add_samples(json_t *document, const struct st_series *series)
{
    const bool gaps = st_series_span(series) != series->n;
    json_t *samples = json_array(), *periods = gaps ? json_array() : json_null();
    for (size_t i = 0; i < series->n; i++) {
        (void)json_array_append_new(samples, json_integer(series->lateness_ns[i]));
        if (gaps)
            (void)json_array_append_new(
                periods, json_integer((json_int_t)(series->index[i] - series->index[0])));
    }
    (void)json_object_set_new(document, "samples_ns", samples);
    (void)json_object_set_new(document, "periods", periods);
}

json_t *st_series_result_json(const struct st_series_result *result, bool samples)
{
    const struct st_series *all = &result->input.series;
    const struct st_period *period = &all->period;
    json_t *o = json_pack(
        "{s:s, s:s, s:{s:I, s:I}, s:I, s:I, s:I, s:b, s:o, s:O?, s:o, s:I, s:o}", "schema",
        ST_SERIES_SCHEMA, "source", result->input.source, "period_ns", "num",
        (json_int_t)period->num, "den", (json_int_t)period->den, "n", (json_int_t)all->n,
        "skipped_periods", (json_int_t)(st_series_span(all) - all->n), "left_out",
        (json_int_t)result->input.left_out_n, "interrupted", (int)result->input.interrupted,
        "simulation", simulation_json(result->simulation), "conditions", result->conditions,
        "lateness_ns", figures_json(result), "ticks_first_n", (json_int_t)result->analysis.head_n,
        "analysis", analysis_json(&result->analysis));
    if (o != NULL && result->name[0] != '\0')
        (void)json_object_set_new(o, "name", json_string(result->name));
    if (o != NULL && samples)
        add_samples(o, all);
    return o;
}

/* --- text --- */

static int64_t whole_ns(double ns)
{
    return fabs(ns) < 9e18 ? llrint(ns)
                           : INT64_MAX; /* llrint would overflow: a file may contain any number */
}

/* Appends "label value" to a line, after a comma unless it is the first figure. */
static void add_figure(char *line, size_t bytes, const char *label, int64_t ns)
{
    st_text_join(line, bytes, ", ", "%s %s", label, st_ns_exact(ns));
}

static void print_figures(const struct st_series_result *result, FILE *out, int width)
{
    const struct st_sample *sample = &result->sample;
    char line[300] = "";
    add_figure(line, sizeof(line), "min", sample->values_ns[0]);
    ST_EACH (quantile, quantiles) {
        if (sample->n >= least_n(quantile->p))
            add_figure(line, sizeof(line), quantile->label,
                       st_sample_quantile(sample, quantile->p));
    }
    add_figure(line, sizeof(line), "max", sample->values_ns[sample->n - 1]);
    add_figure(line, sizeof(line), "mean", whole_ns(result->moments.mean));
    if (sample->n >= 2)
        add_figure(line, sizeof(line), "standard deviation", whole_ns(result->moments.sd));
    st_text_field(out, result->input.plain ? "value" : "lateness", line, LABEL_COLUMNS, width);
}

static void print_outliers(const struct st_analysis *a, FILE *out, int width)
{
    const struct st_late_ones *l = &a->late_ones;
    char line[300];
    if (!a->late_known)
        return;
    const char *limit = st_ns_exact(l->limit_ns);
    if (l->n == 0)
        ST_PRINT(line, "none later than %s (q3 + 3 interquartile ranges)", limit);
    else if (l->n == 1)
        ST_PRINT(line, "1 of %ju is later than %s (q3 + 3 interquartile ranges): %s", a->head_n,
                 limit, st_ns_exact(l->max_ns));
    else
        ST_PRINT(line,
                 "%ju of %ju are later than %s (q3 + 3 interquartile ranges): 90 %% of these %s to "
                 "%s, latest %s",
                 l->n, a->head_n, limit, st_ns_exact(l->low_ns), st_ns_exact(l->high_ns),
                 st_ns_exact(l->max_ns));
    st_text_field(out, "outliers", line, LABEL_COLUMNS, width);
}

/* Says what was looked for in the first samples only. */
static void print_looked_at(const struct st_series_result *result, FILE *out, int width)
{
    const struct st_analysis *a = &result->analysis;
    char line[300];
    if (a->head_n == a->samples_n)
        return;
    ST_PRINT(line, "ticks and periodic patterns in the first %ju samples only", a->head_n);
    st_text_field(out, "looked at", line, LABEL_COLUMNS, width);
}

void st_series_result_text(const struct st_series_result *result, FILE *out, int width)
{
    const struct st_series *all = &result->input.series;
    const struct st_analysis *a = &result->analysis;
    const uint64_t missing_n = st_series_span(all) - all->n;
    char where[4096];
    const char *line =
        result->input.untimed
            ? st_text(
                  "%zu values, in the order of the file; --every TIME says how far apart they are",
                  all->n)
            : st_text("%zu sample%s, one every %s for %s; %s missing%s", all->n,
                      all->n == 1 ? "" : "s", st_ns_text(st_period_ns(&all->period)),
                      st_ns_text((int64_t)(a->span_s * 1e9)),
                      a->untimed ? "an unknown number" : st_text("%ju", missing_n),
                      result->input.interrupted ? "; ended early" : "");
    st_text_field(out, "series", line, LABEL_COLUMNS, width);
    if (result->input.note[0] != '\0')
        st_text_field(out, "note", result->input.note, LABEL_COLUMNS, width);
    print_figures(result, out, width);
    print_outliers(a, out, width);
    print_looked_at(result, out, width);
    if (a->findings_n == 0 && a->late_known)
        st_text_field(
            out, "found",
            result->input.untimed
                ? "none of these: a trend, steps, outliers that are regular or a group of their "
                  "own, a pattern that repeats 20 times or more"
                : "none of these: clock ticks, whole ticks, a trend, steps, outliers that are "
                  "regular or a group of their own, a pattern that repeats 20 times or more",
            LABEL_COLUMNS, width);
    for (size_t i = 0; i < a->sentences_n; i++)
        st_text_field(out,
                      i >= a->findings_n ? "limits"
                      : i == 0           ? "found"
                                         : "",
                      a->sentence[i], LABEL_COLUMNS, width);
    if (st_conditions_text(result->conditions, where, sizeof(where))[0] != '\0')
        st_text_field(out, "where", where, LABEL_COLUMNS, width);
}

int st_series_result_analyse(struct st_series_result *result, int known_hz)
{
    const struct st_series *series = &result->input.series;
    int r = st_series_sample(series, &result->sample);
    result->moments = st_moments_of(series->lateness_ns, series->n);
    if (r == 0)
        r = st_series_analysis_of(series, known_hz, result->input.untimed, &result->analysis);
    if (r == -ENODATA)
        return st_failure("no samples");
    return r == 0 ? ST_EXIT_DONE : st_failure("cannot analyse: %s", strerror(-r));
}

int st_series_result_show(struct st_bench_command *command, struct st_series_result *result,
                          int known_hz, bool samples)
{
    int width;
    const int status = st_series_result_analyse(result, known_hz);
    if (status != ST_EXIT_DONE)
        return status;
    FILE *out = st_bench_command_begin(command, &width);
    if (out != NULL)
        st_series_result_text(result, out, width);
    return st_bench_command_end(command, st_series_result_json(result, samples),
                                result->input.series.n);
}
