/* A series with its analysis: text and sleeptune-series/1. */
#include "lab/analyse/series_result.h"

#include "core/ns.h"
#include "core/stats/stats.h"
#include "core/text/text.h"
#include "lab/chart/conditions.h"
#include "lab/stats/sample.h"
#include "platform/program/options.h"

#define LABEL_COLUMNS 10

void st_series_result_finish(struct st_series_result *result)
{
    st_series_input_finish(&result->input);
    st_sample_finish(&result->sample);
    json_decref(result->conditions);
    result->conditions = NULL;
}

/* --- JSON --- */

static json_t *integers(const int *values, size_t n)
{
    json_t *array = json_array();
    ST_EACH_OF (value, values, n)
        (void)json_array_append_new(array, json_integer(*value));
    return array;
}

static json_t *sawtooth(const struct st_ticks *l)
{
    if (!l->found || !l->steady || l->slope_modulo)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:o, s:I, s:f}", "slope_ns_per_s", l->slope_ns_per_s,
                     "slope_sd_ns_per_s", l->slope_sd_ns_per_s, "ppm", l->slope_ns_per_s / 1e3, "period_s",
                     l->tooth_s > 0 ? json_real(l->tooth_s) : json_null(), "jumps", (json_int_t)l->jumps_n,
                     "residual_sd_ns", l->residual_sd_ns);
}

static json_t *settling(const struct st_rest *s)
{
    if (!s->found)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f, s:o}", "rest_ns", s->rest_ns, "start_ns", s->start_ns, "within_s",
                     s->within_s, "residual_sd_ns", s->residual_sd_ns, "tick_hz",
                     s->hz > 0 ? json_integer(s->hz) : json_null());
}

static json_t *wake_interval(const struct st_interval *i)
{
    if (!i->found)
        return json_null();
    const int hz[] = {i->hz, 2 * i->hz};
    return json_pack("{s:f, s:f, s:o}", "interval_ns", i->interval_ns, "spread_ns", i->spread_ns, "tick_hz",
                     integers(hz, i->hz > 0 ? 2 : 0));
}

static json_t *beat(const struct st_periodic *b)
{
    if (!b->found)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:o, s:i, s:o, s:o}", "repeats_s", b->repeats_s,
                     "cycles_per_period", b->cycles_per_period, "amplitude_ns", b->amplitude_ns,
                     "amplitude_sd_ns", b->amplitude_sd_ns, "p_value", b->p_value, "tick_hz",
                     integers(b->names_hz, b->names_n), "other_rates", b->others_n, "high_ns",
                     b->high_share > 0 ? json_real(b->high_ns) : json_null(), "high_s",
                     b->high_share > 0 ? json_real(b->high_share * b->repeats_s) : json_null());
}

static json_t *whole_ticks(const struct st_whole_ticks *w)
{
    if (!w->found)
        return json_null();
    return json_pack("{s:i, s:b, s:I}", "hz", w->hz, "levels", (int)w->levels, "jumps",
                     (json_int_t)w->jumps_n);
}

static json_t *late_ones(const struct st_late_ones *l)
{
    const bool any = l->n > 0;
    json_t *regular = !l->regular
                          ? json_null()
                          : json_pack("{s:f, s:f, s:I, s:I}", "repeats_s", l->every_s, "late_ns", l->late_ns,
                                      "seen", (json_int_t)l->seen_n, "expected", (json_int_t)l->slots_n);
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:b, s:o}", "n", (json_int_t)l->n, "limit_ns",
                     (json_int_t)l->limit_ns, "p5_ns", any ? json_integer(l->low_ns) : json_null(), "p95_ns",
                     any ? json_integer(l->high_ns) : json_null(), "max_ns",
                     any ? json_integer(l->max_ns) : json_null(), "group", (int)l->group, "regular", regular);
}

static json_t *trend(const struct st_changes *c)
{
    if (!c->trend_found)
        return json_null();
    return json_pack("{s:f, s:f, s:f}", "slope_ns_per_s", c->slope_ns_per_s, "ppm", c->slope_ns_per_s / 1e3,
                     "p_value", c->trend_p_value);
}

static json_t *steps(const struct st_changes *c)
{
    json_t *array = json_array();
    ST_EACH_OF (step, c->steps, c->steps_n)
        (void)json_array_append_new(
            array, json_pack("{s:I, s:f, s:f, s:f, s:o}", "period", (json_int_t)step->index, "at_s",
                             step->at_s, "size_ns", step->size_ns, "p_value", step->p_value, "tick_hz",
                             step->tick_hz > 0 ? json_integer(step->tick_hz) : json_null()));
    return array;
}

static json_t *analysis_json(const struct st_analysis *a)
{
    const struct st_ticks *l = &a->ticks;
    json_t *sentences = json_array();
    ST_EACH_OF (sentence, a->sentence, a->sentences_n)
        (void)json_array_append_new(sentences, json_string(*sentence));
    json_t *tick_hz = l->found && l->hz > 0 ? json_integer(l->hz) : json_null();
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, "
        "s:o}",
        "tick_hz", tick_hz, "tick_ns",
        l->found && !l->mixed && !l->slope_modulo ? json_real(l->tick_ns) : json_null(), "tick_drift_ppm",
        l->drift_known ? json_real(l->drift_ppm) : json_null(), "tick_drift_sd_ppm",
        l->drift_known ? json_real(l->drift_sd_ppm) : json_null(), "tick_drift_unseen_ppm",
        l->drift_known ? json_real(l->unseen_ppm) : json_null(), "tick_drift_modulo_ppm",
        l->found && l->slope_modulo ? json_real(l->modulo_ppm) : json_null(), "tick_steady",
        l->found ? json_boolean(l->steady) : json_null(), "extra_ticks",
        l->found && l->extra_ticks >= 0 ? json_integer(l->extra_ticks) : json_null(), "sawtooth", sawtooth(l),
        "settling", settling(&a->rest), "wake_interval", wake_interval(&a->interval), "beat",
        beat(&a->periodic), "whole_ticks", whole_ticks(&a->whole_ticks), "outliers",
        a->late_known ? late_ones(&a->late_ones) : json_null(), "trend", trend(&a->changes), "steps",
        steps(&a->changes), "cannot_tell_hz", integers(a->blind_hz, a->blind_n), "cannot_tell_below_hz",
        a->coarse_hz > 0 ? json_integer(a->coarse_hz) : json_null(), "times_known",
        (int)(!a->untimed && !a->counted), "sentences", sentences);
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

/* Of values that have this quantile: 10 lie beyond it. */
static uint64_t least_n(double p)
{
    return st_stats_quantile_min_n(fmax(p, 1 - p));
}

static json_t *figures_json(const struct st_series_result *result)
{
    const struct st_moments *moments = &result->input.all.moments;
    json_t *o =
        json_pack("{s:I, s:f, s:o}", "min", (json_int_t)result->input.all.hist.min_ns, "mean", moments->mean,
                  "sd", moments->n >= 2 ? json_real(st_moments_sd(moments)) : json_null());
    ST_EACH (quantile, quantiles) {
        const bool known = result->input.all.n >= least_n(quantile->p);
        (void)json_object_set_new(o, quantile->key,
                                  known ? json_integer(st_sample_quantile(&result->sample, quantile->p))
                                        : json_null());
    }
    (void)json_object_set_new(o, "max", json_integer(result->input.all.hist.max_ns));
    return o;
}

static double seconds_of(const struct st_series_result *result)
{
    return (double)result->input.periods_n * st_period_seconds(&result->input.all.head.period);
}

static json_t *misses_json(const struct st_series_result *result)
{
    const struct st_series_input *input = &result->input;
    const double seconds = seconds_of(result);
    if (!input->misses_known)
        return json_null();
    return json_pack("{s:I, s:I, s:f, s:I, s:f}", "n", (json_int_t)input->misses_n, "periods",
                     (json_int_t)input->periods_n, "per_hour_max95",
                     st_miss_events_per_hour_max95(input->misses_n, seconds), "events",
                     (json_int_t)input->miss_events.n, "events_per_hour_max95",
                     st_miss_events_per_hour_max95(input->miss_events.n, seconds));
}

/* Which part of the samples was looked at. */
static json_t *looked_at_json(const struct st_analysis *a)
{
    return json_pack("{s:I, s:I}", "ticks_first_n", (json_int_t)a->head_n, "steps_level_n",
                     (json_int_t)a->level_n);
}

static void add_samples(json_t *document, const struct st_series *series)
{
    const bool gaps = st_series_span(series) != series->n;
    json_t *samples = json_array(), *periods = gaps ? json_array() : json_null();
    for (size_t i = 0; i < series->n; i++) {
        (void)json_array_append_new(samples, json_integer(series->lateness_ns[i]));
        if (gaps)
            (void)json_array_append_new(periods,
                                        json_integer((json_int_t)(series->index[i] - series->index[0])));
    }
    (void)json_object_set_new(document, "samples_ns", samples);
    (void)json_object_set_new(document, "periods", periods);
}

json_t *st_series_result_json(const struct st_series_result *result, bool samples)
{
    const struct st_long_series *all = &result->input.all;
    const struct st_period *period = &all->head.period;
    json_t *o = json_pack("{s:s, s:s, s:{s:I, s:I}, s:I, s:I, s:I, s:b, s:o, s:O?, s:o, s:o, s:o, s:o}",
                          "schema", ST_SERIES_SCHEMA, "source", result->input.source, "period_ns", "num",
                          (json_int_t)period->num, "den", (json_int_t)period->den, "n", (json_int_t)all->n,
                          "skipped_periods", (json_int_t)(st_long_series_span(all) - all->n), "left_out",
                          (json_int_t)result->input.left_out_n, "interrupted", (int)result->input.interrupted,
                          "simulation", simulation_json(result->simulation), "conditions", result->conditions,
                          "lateness_ns", figures_json(result), "misses", misses_json(result), "looked_at",
                          looked_at_json(&result->analysis), "analysis", analysis_json(&result->analysis));
    if (o != NULL && result->name[0] != '\0')
        (void)json_object_set_new(o, "name", json_string(result->name));
    if (o != NULL && samples)
        add_samples(o, &all->head);
    return o;
}

/* --- text --- */

static int64_t whole_ns(double ns)
{
    return fabs(ns) < 9e18 ? llrint(ns) : INT64_MAX; /* recordings may hold anything */
}

/* "key value", behind a comma unless it is the first one. */
static void add_figure(char *line, size_t bytes, const char *label, int64_t ns)
{
    st_text_join(line, bytes, ", ", "%s %s", label, ST_NS_EXACT(ns));
}

static void print_figures(const struct st_series_result *result, FILE *out, int width)
{
    const struct st_long_series *all = &result->input.all;
    char line[300] = "";
    add_figure(line, sizeof(line), "min", all->hist.min_ns);
    ST_EACH (quantile, quantiles) {
        if (all->n >= least_n(quantile->p))
            add_figure(line, sizeof(line), quantile->label, st_sample_quantile(&result->sample, quantile->p));
    }
    add_figure(line, sizeof(line), "max", all->hist.max_ns);
    add_figure(line, sizeof(line), "mean", whole_ns(all->moments.mean));
    if (all->n >= 2)
        add_figure(line, sizeof(line), "standard deviation", whole_ns(st_moments_sd(&all->moments)));
    st_text_field(out, result->input.plain ? "value" : "lateness", line, LABEL_COLUMNS, width);
    if (!result->input.misses_known)
        return;
    ST_PRINT(line, "%" PRIu64 " of %" PRIu64 " periods%s", result->input.misses_n, result->input.periods_n,
             st_miss_events_text(result->input.miss_events.n, result->input.misses_n, seconds_of(result),
                                 ST_ROOM(200)));
    st_text_field(out, "missed", line, LABEL_COLUMNS, width);
}

static void print_outliers(const struct st_analysis *a, FILE *out, int width)
{
    const struct st_late_ones *l = &a->late_ones;
    char line[300];
    if (!a->late_known)
        return;
    const char *limit = ST_NS_EXACT(l->limit_ns);
    if (l->n == 0)
        ST_PRINT(line, "none later than %s (q3 + 3 interquartile ranges)", limit);
    else if (l->n == 1)
        ST_PRINT(line, "1 of %" PRIu64 " is later than %s (q3 + 3 interquartile ranges): %s", a->head_n,
                 limit, ST_NS_EXACT(l->max_ns));
    else
        ST_PRINT(line,
                 "%" PRIu64 " of %" PRIu64
                 " are later than %s (q3 + 3 interquartile ranges): 90 %% of these %s to %s, latest %s",
                 l->n, a->head_n, limit, ST_NS_EXACT(l->low_ns), ST_NS_EXACT(l->high_ns),
                 ST_NS_EXACT(l->max_ns));
    st_text_field(out, "outliers", line, LABEL_COLUMNS, width);
}

/* What was looked for in a part of the samples only. */
static void print_looked_at(const struct st_series_result *result, FILE *out, int width)
{
    const struct st_analysis *a = &result->analysis;
    char line[300];
    if (a->level_n == 0 && a->head_n == a->samples_n)
        return;
    ST_PRINT(line,
             "the figures include all samples; sleeptune searched only the first %" PRIu64
             " samples for ticks and periodic patterns",
             a->head_n);
    if (a->level_n > 0)
        ST_APPEND(line,
                  ", and all samples (as medians of blocks of %" PRIu64 ") "
                  "for a trend and steps",
                  a->level_n);
    st_text_field(out, "looked at", line, LABEL_COLUMNS, width);
}

void st_series_result_text(const struct st_series_result *result, FILE *out, int width)
{
    const struct st_long_series *all = &result->input.all;
    const struct st_analysis *a = &result->analysis;
    const uint64_t missing_n = st_long_series_span(all) - all->n;
    char where[4096];
    const char *line =
        result->input.untimed
            ? ST_TEXT(400,
                      "%" PRIu64
                      " values, in the order of the file; --every TIME says how far apart they are",
                      all->n)
            : ST_TEXT(400, "%" PRIu64 " sample%s, one every %s for %s; %s missing%s", all->n,
                      all->n == 1 ? "" : "s", ST_NS(st_period_ns(&all->head.period)),
                      ST_NS((int64_t)(a->span_s * 1e9)),
                      a->untimed ? "an unknown number" : ST_TEXT(24, "%" PRIu64, missing_n),
                      result->input.interrupted ? "; ended early" : "");
    st_text_field(out, "series", line, LABEL_COLUMNS, width);
    if (result->input.note[0] != '\0')
        st_text_field(out, "note", result->input.note, LABEL_COLUMNS, width);
    print_figures(result, out, width);
    print_outliers(a, out, width);
    print_looked_at(result, out, width);
    if (a->findings_n == 0 && a->late_known)
        st_text_field(out, "found",
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
    int r = result->input.series.n > 0 ? st_long_series_of(&result->input.series, &result->input.all) : 0;
    if (r == 0)
        r = st_long_series_sample(&result->input.all, &result->sample);
    if (r == 0)
        r = st_series_analysis_of_long(&result->input.all, known_hz, result->input.untimed,
                                       &result->analysis);
    if (r == 0 && result->correction_known)
        st_series_analysis_compare(&result->analysis, result->correction_ppm);
    if (r == -ENODATA)
        return st_failure("no samples");
    return r == 0 ? ST_EXIT_DONE : st_failure("cannot analyse: %s", strerror(-r));
}

int st_series_result_show(struct st_bench_command *command, struct st_series_result *result, int known_hz,
                          bool samples)
{
    int width;
    const int status = st_series_result_analyse(result, known_hz);
    if (status != ST_EXIT_DONE)
        return status;
    FILE *out = st_bench_command_begin(command, &width);
    if (out != NULL)
        st_series_result_text(result, out, width);
    return st_bench_command_end(command, st_series_result_json(result, samples), (size_t)result->input.all.n);
}
