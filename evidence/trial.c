#include "evidence/trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/stats/stats.h"
#include "core/text/text_buffer.h"
#include "evidence/verdict.h"

#define NOISY_SHARE  0.2 /* of A's median; a choice of ours */
#define P            0.99
#define BUDGET_MAX_S 3600 /* of report --measure */

const char *st_trial_outcome_name(enum st_trial_outcome outcome)
{
    switch (outcome) {
    case ST_TRIAL_NOT_TRIED:
        return "not-tried";
    case ST_TRIAL_TOO_FEW:
        return "too-few";
    case ST_TRIAL_NOISY:
        return "noisy";
    case ST_TRIAL_NO_EFFECT:
        return "no-effect";
    case ST_TRIAL_EFFECT:
        return "effect";
    }
    return "?";
}

enum st_trial_outcome st_trial_outcome(const struct st_trial *trial)
{
    if (trial->not_tried[0] != '\0')
        return ST_TRIAL_NOT_TRIED;
    const struct st_figure *median = &trial->figures[ST_FIGURE_MEDIAN];
    switch (median->verdict) {
    case ST_VERDICT_TOO_SHORT:
        return ST_TRIAL_TOO_FEW;
    case ST_VERDICT_DRIFTING:
        return ST_TRIAL_NOISY;
    case ST_VERDICT_BETTER:
    case ST_VERDICT_WORSE:
        return ST_TRIAL_EFFECT;
    case ST_VERDICT_NONE:
        break;
    }
    return st_verdict_detectable(median, trial->tests_n) > NOISY_SHARE * fabs(median->value[0])
               ? ST_TRIAL_NOISY
               : ST_TRIAL_NO_EFFECT;
}

void st_trials_judge(struct st_trials *trials)
{
    struct st_figure *figures[ST_TRIALS_MAX * ST_FIGURES];
    size_t n = 0;
    for (size_t i = 0; i < trials->n && i < ST_TRIALS_MAX; i++) {
        for (int id = 0; id < ST_FIGURES; id++)
            figures[n++] = &trials->rows[i].figures[id];
    }
    const size_t tests_n = st_verdict_judge(figures, n);
    for (size_t i = 0; i < trials->n; i++)
        trials->rows[i].tests_n = tests_n;
}

bool st_trial_is_for(const struct st_trial *trial, const char *rule_id)
{
    for (size_t i = 0; i < ST_TRIAL_RULES_MAX && trial->rules[i] != NULL; i++) {
        if (strcmp(trial->rules[i], rule_id) == 0)
            return true;
    }
    return false;
}

double st_trial_gain_us(const struct st_trial *trial)
{
    const struct st_figure *median = &trial->figures[ST_FIGURE_MEDIAN];
    const bool tried = trial->not_tried[0] == '\0';
    return tried && median->verdict == ST_VERDICT_BETTER ? -median->difference.value / 1000 : 0;
}

const struct st_trial *st_trials_gain(const struct st_trials *trials, const char *rule_id)
{
    for (size_t i = 0; trials != NULL && i < trials->n; i++) {
        if (st_trial_is_for(&trials->rows[i], rule_id) && st_trial_gain_us(&trials->rows[i]) > 0)
            return &trials->rows[i];
    }
    return NULL;
}

/** "-49.8 µs (99 %: -50.9 .. -48.7)", with a second digit where the interval is narrow. */
static void add_difference(struct st_text_buffer *text, const struct st_estimate *ns)
{
    const int digits = ns->high - ns->low < 1000 ? 2 : 1;
    st_text_buffer_printf(text, "%+.*f µs (99 %%: %+.*f .. %+.*f)", digits, ns->value / 1000, digits,
                          ns->low / 1000, digits, ns->high / 1000);
}

static void add_outcome(struct st_text_buffer *text, const struct st_trial *trial)
{
    const struct st_figure *median = &trial->figures[ST_FIGURE_MEDIAN];
    const double detectable_us = st_verdict_detectable(median, trial->tests_n) / 1000;
    const enum st_trial_outcome outcome = st_trial_outcome(trial);
    switch (outcome) {
    case ST_TRIAL_NOT_TRIED:
        st_text_buffer_printf(text, "not tried: %s", trial->not_tried);
        break;
    case ST_TRIAL_TOO_FEW:
        st_text_buffer_printf(text, "too few values for an interval. ");
        break;
    case ST_TRIAL_EFFECT:
        st_text_buffer_printf(text, "B wakes %s on the median, ",
                              median->verdict == ST_VERDICT_BETTER ? "earlier" : "later");
        add_difference(text, &median->difference);
        st_text_buffer_printf(text, ". ");
        break;
    case ST_TRIAL_NO_EFFECT:
    case ST_TRIAL_NOISY:
        st_text_buffer_printf(text, outcome == ST_TRIAL_NOISY ? "too noisy to see an effect on the median: "
                                                              : "no effect shown on the median: ");
        add_difference(text, &median->difference);
        if (median->verdict == ST_VERDICT_DRIFTING)
            st_text_buffer_printf(text, "; the difference drifts by %.1f µs. ", median->drifts / 1000);
        else
            st_text_buffer_printf(text, "; an effect of %.*f µs would have been visible. ",
                                  detectable_us < 0.5 ? 2 : 1, detectable_us);
        break;
    }
}

static void add_tail(struct st_text_buffer *text, const struct st_figure *figure, enum st_figure_id id)
{
    if (!figure->known[0] || !figure->known[1])
        return;
    st_text_buffer_printf(text, "; %s %.1f and %.1f µs", st_figure_names[id], figure->value[0] / 1000,
                          figure->value[1] / 1000);
    if (figure->difference.known) {
        st_text_buffer_printf(text, ", %s with B, ",
                              figure->verdict == ST_VERDICT_BETTER  ? "lower"
                              : figure->verdict == ST_VERDICT_WORSE ? "higher"
                                                                    : "no difference shown");
        add_difference(text, &figure->difference);
    }
}

const char *st_trial_text(const struct st_trial *trial, char *buf, size_t buf_bytes)
{
    struct st_text_buffer text = st_text_buffer_on(buf, buf_bytes);
    const struct st_trial_arm *a = &trial->arms[0], *b = &trial->arms[1];
    const struct st_figure *median = &trial->figures[ST_FIGURE_MEDIAN];
    st_text_buffer_printf(&text, "%s: ", trial->title);
    add_outcome(&text, trial);
    if (st_trial_outcome(trial) == ST_TRIAL_NOT_TRIED)
        return buf;
    if (median->known[0] && median->known[1])
        st_text_buffer_printf(&text, "A (%s): median %.1f µs late; B (%s): %.1f µs", a->name,
                              median->value[0] / 1000, b->name, median->value[1] / 1000);
    else
        st_text_buffer_printf(&text, "A: %s; B: %s", a->name, b->name);
    add_tail(&text, &trial->figures[ST_FIGURE_P99], ST_FIGURE_P99);
    add_tail(&text, &trial->figures[ST_FIGURE_P999], ST_FIGURE_P999);
    st_text_buffer_printf(&text, "; n = %" PRIu64 " and %" PRIu64 " in %u pairs", a->n, b->n,
                          (unsigned)trial->pairs_n);
    if (a->skipped_n + b->skipped_n > 0)
        st_text_buffer_printf(&text, "; %" PRIu64 " and %" PRIu64 " periods were skipped", a->skipped_n,
                              b->skipped_n);
    st_text_buffer_printf(&text, ".");
    return buf;
}

/** "All 7 intervals are correct at the same time with at least 93 %": Bonferroni's inequality. */
static void add_together(struct st_text_buffer *text, const struct st_trials *trials)
{
    const size_t n = trials->n > 0 ? trials->rows[0].tests_n : 0;
    if (n > 1)
        st_text_buffer_printf(
            text,
            ". All %zu intervals are correct at the same time with at least %zu %% confidence; a "
            "difference counts if it is significant at 5 %%, corrected for all tests (Holm)",
            n, n < 100 ? 100 - n : 0);
}

/** The time to ask for so that each way gets a p99, in s; 0: all have one, or the time is unknown. */
static int64_t p99_budget_s(const struct st_trials *trials)
{
    double most = 0;
    for (size_t i = 0; i < trials->n && !trials->interrupted; i++) {
        const struct st_trial *trial = &trials->rows[i];
        if (trial->pairs_n == 0 || trial->figures[ST_FIGURE_P99].known[0])
            continue;
        const double cycles_n = (double)trial->arms[0].n / trial->pairs_n;
        most = fmax(most, ceil((double)st_stats_quantile_min_n(P) / cycles_n) / trial->pairs_n);
    }
    return (int64_t)ceil(most * (double)trials->duration_ns / ST_NS_PER_S);
}

static void add_p99_budget(struct st_text_buffer *text, const struct st_trials *trials)
{
    const int64_t s = p99_budget_s(trials);
    if (s > BUDGET_MAX_S)
        st_text_buffer_printf(text, ". No p99: at this period a p99 needs more than an hour");
    else if (s > 0)
        st_text_buffer_printf(text, ". To get a p99 (n >= %" PRIu64 " each), use --measure=%" PRId64 "s",
                              st_stats_quantile_min_n(P), s);
}

const char *st_trials_heading(const struct st_trials *trials, char *buf, size_t buf_bytes)
{
    struct st_text_buffer text = st_text_buffer_on(buf, buf_bytes);
    char took[32];
    st_text_buffer_printf(&text, "%s for %s at a period of %.1f µs, A and B in turn",
                          trials->interrupted ? "Interrupted: tried" : "Tried",
                          st_ns_format(trials->duration_ns, took, sizeof(took)),
                          (double)trials->period_ns / 1000);
    if (trials->conditions[0] != '\0')
        st_text_buffer_printf(&text, "; %s", trials->conditions);
    add_together(&text, trials);
    add_p99_budget(&text, trials);
    st_text_buffer_printf(&text, ".");
    return buf;
}

void st_trials_finish(struct st_trials *trials)
{
    free(trials->rows);
    *trials = (struct st_trials){0};
}
