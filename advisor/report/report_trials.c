/* What was tried on this machine (report --measure), for the formats of a report. */
#include "advisor/report/report_trials.h"

#include "advisor/facts/json.h"

const struct st_trial *st_finding_trial(const struct st_report *report, const struct st_finding *finding,
                                        size_t *at)
{
    while (report->trials != NULL && *at < report->trials->n) {
        const struct st_trial *trial = &report->trials->rows[(*at)++];
        if (st_trial_is_for(trial, finding->rule->id))
            return trial;
    }
    return NULL;
}

static json_t *difference_json(const struct st_figure *figure)
{
    const struct st_estimate *difference = &figure->difference;
    if (!difference->known)
        return json_null();
    return json_pack("{s:f, s:[f,f], s:f}", "difference", difference->value / 1000, "ci99",
                     difference->low / 1000, difference->high / 1000, "p_corrected", figure->p_corrected);
}

static json_t *us_json(bool known, double ns)
{
    return known ? json_real(ns / 1000) : json_null();
}

static json_t *arm_json(const struct st_trial *trial, size_t i)
{
    const struct st_trial_arm *arm = &trial->arms[i];
    const struct st_figure *median = &trial->figures[ST_FIGURE_MEDIAN], *p99 = &trial->figures[ST_FIGURE_P99];
    return json_pack("{s:s, s:I, s:o, s:o, s:I}", "name", arm->name, "n", (json_int_t)arm->n, "median_us",
                     us_json(median->known[i], median->value[i]), "p99_us",
                     us_json(p99->known[i], p99->value[i]), "skipped_periods", (json_int_t)arm->skipped_n);
}

static json_t *trial_json(const struct st_trial *trial)
{
    char text[ST_TRIAL_TEXT_BYTES];
    json_t *rules = json_array();
    for (size_t i = 0; i < ST_TRIAL_RULES_MAX && trial->rules[i] != NULL; i++)
        (void)json_array_append_new(rules, json_string(trial->rules[i]));
    const bool tried = trial->not_tried[0] == '\0';
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "id", trial->id, "title",
                     trial->title, "outcome", st_trial_outcome_name(st_trial_outcome(trial)), "text",
                     st_trial_text(trial, text, sizeof(text)), "rules", rules, "not_tried",
                     st_json_text(tried ? NULL : trial->not_tried), "a", arm_json(trial, 0), "b",
                     arm_json(trial, 1), "pairs", (json_int_t)trial->pairs_n, "median_us",
                     difference_json(&trial->figures[ST_FIGURE_MEDIAN]), "p99_us",
                     difference_json(&trial->figures[ST_FIGURE_P99]), "p999_us",
                     difference_json(&trial->figures[ST_FIGURE_P999]));
}

json_t *st_finding_measured_json(const struct st_report *report, const struct st_finding *finding)
{
    size_t at = 0;
    const struct st_trial *trial = st_finding_trial(report, finding, &at);
    if (trial == NULL)
        return json_null();
    const struct st_trial *gain = st_trials_gain(report->trials, finding->rule->id);
    json_t *trials = json_array();
    for (; trial != NULL; trial = st_finding_trial(report, finding, &at))
        (void)json_array_append_new(trials, trial_json(trial));
    return json_pack("{s:o, s:o}", "gain_us", gain != NULL ? json_real(st_trial_gain_us(gain)) : json_null(),
                     "trials", trials);
}

json_t *st_report_trials_json(const struct st_report *report)
{
    const struct st_trials *trials = report->trials;
    char heading[ST_TRIAL_TEXT_BYTES];
    if (trials == NULL)
        return json_null();
    json_t *rows = json_array();
    for (size_t i = 0; i < trials->n; i++)
        (void)json_array_append_new(rows, trial_json(&trials->rows[i]));
    return json_pack("{s:s, s:I, s:I, s:I, s:s, s:b, s:o}", "heading",
                     st_trials_heading(trials, heading, sizeof(heading)), "period_ns",
                     (json_int_t)trials->period_ns, "duration_ns", (json_int_t)trials->duration_ns, "seed",
                     (json_int_t)trials->seed, "circumstances", trials->circumstances, "interrupted",
                     (int)trials->interrupted, "rows", rows);
}
