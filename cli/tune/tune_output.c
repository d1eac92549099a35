#include "cli/tune/tune_output.h"

#include <unistd.h>

#include "advisor/rules/buffer.h"
#include "core/text/json.h"

#define INDENT 4 /* columns of indentation of further lines of a setting */

static double period_us(const struct st_tune_output *output)
{
    return (double)output->wish->period_ns / ST_NS_PER_US;
}

static const struct st_tuning_row *row_of(const struct st_tune_output *output, size_t i)
{
    return output->tuning != NULL ? &output->tuning->rows[i] : NULL;
}

bool st_tune_output_is_worth(const struct st_tune_output *output, size_t i)
{
    const struct st_candidate *candidate = &output->candidates->rows[i];
    const struct st_tuning_row *row = row_of(output, i);
    return row != NULL && row->outcome == ST_TUNING_HELPS && candidate->refused == NULL &&
           st_rule_can_apply(candidate->finding);
}

/* --- the plan --- */

static const char *why_not(const struct st_tune_output *output, size_t i)
{
    const struct st_tuning_row *row = row_of(output, i);
    const char *before = output->candidates->rows[i].not_tried;
    return before[0] != '\0' || row == NULL ? before : row->why;
}

/* @return the prefix of a command that is to run as root, or (`root` false) as this process does;
 * "": it needs none, as in a root shell. */
static const char *sudo_word(bool root)
{
    const bool wanted = (root && geteuid() != 0) || getenv("SUDO_USER") != NULL;
    return wanted ? st_os_rows[st_platform_native()->os].sudo : "";
}

void st_tune_output_plan(const struct st_tune_output *output, FILE *out)
{
    const struct st_candidates *candidates = output->candidates;
    const struct st_tuning *plan = output->plan;
    const int width = output->width;
    const uint32_t frames = output->wish->frames;
    const char *size = st_buffer_options(output->wish);
    const char *heading = "Not tried:\n", *later = "";
    if (plan->open_n == 0)
        st_text_say(out, width,
                    "Nothing to try with %u frames: none of the settings that 'sleeptune report' "
                    "found can be switched on and off here%s.",
                    frames, candidates->needs_root ? " without root" : "");
    else
        st_text_say(out, width, "%zu setting%s to try with %u frames (%s); this takes %s at most.",
                    plan->open_n, ST_PLURAL(plan->open_n), frames,
                    st_ns_short(output->wish->period_ns), st_ns_short(output->budget_ns));
    ST_EACH_OF (row, candidates->rows, candidates->n) {
        if (row->not_tried[0] == '\0')
            st_text_wrap(out,
                         st_text("  %s: %s (%s is %s; tried with %s%s)", row->finding->rule->id,
                                 row->finding->summary, row->setting, row->now, row->trial,
                                 st_text_with("; not kept: costs ", row->refused)),
                         INDENT, width);
    }
    if (plan->sure_n < plan->open_n)
        st_text_say(
            out, width,
            "In this time tune can prove only for %zu of them that late wake-ups get 3 times "
            "rarer; it chooses those after a few trials. To prove it for all: --budget %um",
            plan->sure_n, ST_TUNE_MINUTES(plan->blocks_all));
    ST_EACH_OF (row, candidates->rows, candidates->n) {
        if (row->not_tried[0] == '\0')
            continue;
        fputs(heading, out);
        heading = "";
        st_text_wrap(out, st_text("  %s: %s", row->finding->rule->id, row->not_tried), INDENT,
                     width);
    }
    ST_EACH_OF (finding, candidates->later, candidates->later_n)
        later = st_text_joined(later, ", ", (*finding)->rule->id);
    if (later[0] != '\0')
        st_text_say(out, width,
                    "Settings that tune cannot switch on and off ('sleeptune report --details' "
                    "lists them): %s",
                    later);
    if (plan->open_n > 0)
        st_text_say(out, width,
                    "At the end each setting is set back, unless you keep it (--ask, --keep). "
                    "Files are not touched.");
    if (plan->open_n > 0 && !output->dry_run)
        return;
    if (candidates->needs_root)
        fprintf(out, "Next, as root: %ssleeptune tune%s\n", sudo_word(true), size);
    else if (plan->open_n == 0)
        fprintf(out, "Next: sleeptune check%s\n", size);
    else
        /* sudo only if this process is root: another user might have other settings to try */
        fprintf(out, "Next: %ssleeptune tune --ask%s\n", sudo_word(false), size);
}

/* --- the result --- */

static const char *outcome_text(const struct st_tune_output *output, size_t i)
{
    const struct st_tuning_row *row = &output->tuning->rows[i];
    const struct st_candidate *candidate = &output->candidates->rows[i];
    const char *id = candidate->finding->rule->id, *why = why_not(output, i);
    if (row->outcome != ST_TUNING_HELPS &&
        (row->evidence.pairs_n == 0 || row->outcome == ST_TUNING_NOT_TRIED))
        return why;
    if (row->outcome != ST_TUNING_HELPS)
        return st_text_joined(
            st_text("%ju late wake-ups with this setting, %ju without it (tried %u time%s each)",
                    row->mean[1].late_n, row->mean[0].late_n, row->dropouts.pairs_n,
                    ST_PLURAL(row->dropouts.pairs_n)),
            ": ", why);
    const char *text = st_text("%.1f times fewer late wake-ups (95 %%: %.1f .. %.1f)",
                               row->fold.value, row->fold.low, row->fold.high);
    if (candidate->refused != NULL)
        return st_text("%s; not kept: costs %s", text, candidate->refused);
    if (!st_rule_can_apply(candidate->finding))
        return st_text("%s; change it by hand: 'sleeptune report %s' shows how", text, id);
    return text;
}

static const char *answer_text(const struct st_tune_output *output)
{
    const struct st_tuning *t = output->tuning;
    const double seconds = ST_TUNING_SAME_BLOCKS * 4.0;
    const uint32_t frames = output->wish->frames;
    size_t helps_n = 0;
    ST_EACH_OF (row, t->rows, t->n)
        helps_n += row->outcome == ST_TUNING_HELPS;
    if (t->end == ST_TUNING_NOTHING)
        return st_text("Nothing to improve with %u frames: no wake-up was late by more than %.0f "
                       "µs in %.0f s.",
                       frames, period_us(output) / output->candidates->late_share, seconds);
    if (t->end == ST_TUNING_RARE)
        return st_text("Too few late wake-ups to compare settings: %ju in %.0f s with %u frames.",
                       t->late_n, seconds, frames);
    if (t->end == ST_TUNING_STOPPED)
        return st_text("Ended early: %s.", t->why);
    if (helps_n == 0)
        return st_text("In this time no setting was found that helps with %u frames.", frames);
    return st_text("%zu of %zu settings help%s with %u frames.", helps_n, t->n,
                   helps_n == 1 ? "s" : "", frames);
}

/* Finds the undecided setting with the most evidence that it helps. @return its row; t->n: there is
 * no such setting. */
static size_t most_promising(const struct st_tuning *t)
{
    size_t best = t->n;
    double best_e = 1;
    for (size_t i = 0; i < t->n; i++) {
        const double e = st_tuning_e(&t->rows[i].evidence, ST_TUNING_FEWER);
        if (t->rows[i].outcome != ST_TUNING_UNDECIDED || e <= best_e)
            continue;
        best = i;
        best_e = e;
    }
    return best;
}

static const char *next_text(const struct st_tune_output *output)
{
    const struct st_tuning *t = output->tuning;
    const char *size = st_buffer_options(output->wish);
    const size_t best = most_promising(t);
    const char *ids = "";
    if (t->end == ST_TUNING_RARE)
        return st_text("try again while it clicks, or with a smaller buffer: --frames %u",
                       ST_MAX(output->wish->frames / 2, 1));
    for (size_t i = 0; i < t->n; i++) {
        if (st_tune_output_is_worth(output, i))
            ids = st_text("%s %s", ids, output->candidates->rows[i].finding->rule->id);
    }
    if (ids[0] != '\0')
        return st_text("%ssleeptune apply%s%s", sudo_word(true), ids, size);
    if (best < t->n)
        return st_text("give this setting more time: %ssleeptune tune --budget %jdm --only %s%s",
                       sudo_word(false),
                       ST_MIN(3 * output->budget_ns, ST_NS_PER_DAY) / ST_NS_PER_MINUTE,
                       output->candidates->rows[best].finding->rule->id, size);
    if (output->candidates->needs_root)
        return st_text("%ssleeptune tune%s", sudo_word(true), size);
    return st_text("sleeptune report%s", size);
}

void st_tune_output_result(const struct st_tune_output *output, FILE *out)
{
    st_text_wrap(out, answer_text(output), 0, output->width);
    for (size_t i = 0; i < output->candidates->n; i++) {
        const char *outcome = st_text_joined(
            st_tuning_outcome_name(output->tuning->rows[i].outcome), "; ", outcome_text(output, i));
        st_text_wrap(out,
                     st_text("  %s: %s", output->candidates->rows[i].finding->rule->id, outcome),
                     INDENT, output->width);
    }
    fputs("All settings are as they were before.\n", out);
    if (!output->offered)
        st_tune_output_next(output, out);
}

void st_tune_output_next(const struct st_tune_output *output, FILE *out)
{
    st_text_wrap(out, st_text("Next: %s", next_text(output)), INDENT, output->width);
}

/* --- JSON --- */

static json_t *arm_json(const struct st_tuning_row *row, size_t arm)
{
    const struct st_tuning_block *mean = &row->mean[arm];
    return st_json_object("blocks:u late:i dropouts:i", row->dropouts.pairs_n, mean->late_n,
                          mean->events_n + mean->others_n);
}

static void add_result(json_t *object, const struct st_tune_output *output, size_t i)
{
    const struct st_tuning_row *row = &output->tuning->rows[i];
    json_t *fold = NULL;
    if (row->outcome == ST_TUNING_HELPS)
        fold =
            st_json_object("value:d low:d high:d", row->fold.value, row->fold.low, row->fold.high);
    st_json_add(object, "outcome:t pairs:u e_value:d fold:o without:o with:o",
                st_tuning_outcome_name(row->outcome), row->dropouts.pairs_n,
                st_tuning_e(&row->evidence, ST_TUNING_FEWER), fold, arm_json(row, 0),
                arm_json(row, 1));
}

static json_t *candidate_json(const struct st_tune_output *output, size_t i)
{
    const struct st_candidate *row = &output->candidates->rows[i];
    json_t *object =
        st_json_object("id:t setting:s now:s trial:s cost_us:o why:e refused:t",
                       row->finding->rule->id, row->setting, row->now, row->trial,
                       st_json_real_or_null(row->finding->effect_known, row->finding->effect_us),
                       why_not(output, i), row->refused);
    if (output->tuning != NULL)
        add_result(object, output, i);
    return object;
}

json_t *st_tune_output_json(const struct st_tune_output *output)
{
    static const char *const ends[] = {[ST_TUNING_DONE] = "done",
                                       [ST_TUNING_NOTHING] = "nothing-to-improve",
                                       [ST_TUNING_RARE] = "too-few",
                                       [ST_TUNING_STOPPED] = "stopped"};
    const struct st_candidates *candidates = output->candidates;
    const struct st_tuning *t = output->tuning;
    json_t *rows = json_array(), *later = json_array();
    for (size_t i = 0; i < candidates->n; i++)
        json_array_append_new(rows, candidate_json(output, i));
    ST_EACH_OF (finding, candidates->later, candidates->later_n)
        json_array_append_new(later, json_string((*finding)->rule->id));
    json_t *document = st_json_object(
        "schema:t frames:u rate_hz:u budget_s:d sure:i candidates:o before_after_only:o",
        "sleeptune-tune/1", output->wish->frames, output->wish->rate_hz,
        st_ns_seconds(output->budget_ns), (int64_t)output->plan->sure_n, rows, later);
    if (t == NULL)
        return document;
    return st_json_add(document, "end:t why:e real_time:b blocks:u", ends[t->end], t->why,
                       output->real_time, t->blocks_n);
}
