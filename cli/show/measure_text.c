/* Results of `sleeptune measure` as text. */
#include "cli/show/measure_text.h"

#include <unistd.h>

#include "core/ns.h"
#include "measure/stress.h"
#include "platform/program/locale.h"
#include "platform/program/terminal.h"

#define LABEL_COLUMNS 10
#define CELL_COLUMNS  34

static const struct {
    const char *label;
    double p;
} quantiles[] = {{"median", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}};

/* @return a quantile as text, or how long to measure until it is known. */
static const char *quantile_cell(const struct st_result *result, const struct st_hist *hist,
                                 double p)
{
    const struct st_quantile q = st_stats_quantile(hist, p);
    const double needed_s = (double)st_stats_quantile_min_n(p) * st_period_seconds(&result->period);
    const char *needed = st_ns_text((int64_t)(needed_s * (double)ST_NS_PER_S));
    if (!q.known)
        return st_text("- (measure for %s)", needed);
    return st_text("%s [%s .. %s]", st_ns_text(q.value_ns), st_ns_text(q.low_ns),
                   st_ns_text(q.high_ns));
}

static void row(FILE *out, const char *label, const char *a, const char *b)
{
    st_text_pad(out, label, LABEL_COLUMNS);
    st_text_pad(out, a, CELL_COLUMNS);
    fprintf(out, "%s\n", b);
}

static void table(const struct st_result *result, FILE *out)
{
    row(out, "", "lateness of wake-ups", "until the work was done");
    row(out, "n", st_text("%ju cycles", result->lateness.total_n),
        st_text("%ju periods, skipped ones too", result->response.total_n));
    row(out, "min", st_ns_text(result->lateness.min_ns), st_ns_text(result->response.min_ns));
    ST_EACH (quantile, quantiles)
        row(out, quantile->label, quantile_cell(result, &result->lateness, quantile->p),
            quantile_cell(result, &result->response, quantile->p));
    row(out, "max", st_ns_text(result->lateness.max_ns), st_ns_text(result->response.max_ns));
}

static void causes(const struct st_result *result, const struct st_text_sheet *sheet)
{
    st_text_row(sheet, "late", "wake-ups later than %s: %ju, %ju of them with a known cause",
                st_ns_text(result->cause_above_ns), result->cause_late_n,
                result->cause_explained_n);
    for (enum st_cause c = 0; c < ST_CAUSE_COUNT; c++) {
        const struct st_cause_row *r = &result->causes[c];
        if (r->n == 0)
            continue;
        const char *share = "";
        if (r->explained_ns > 0)
            share =
                st_text(", %.0f %% explained", 100 * (double)r->explained_ns / (double)r->total_ns);
        st_text_row(sheet, "", "%ju time%s %s: %s in all, worst %s%s", r->n, ST_PLURAL(r->n),
                    st_cause_kind_text(c), st_ns_text(r->total_ns), st_ns_text(r->max_ns), share);
    }
}

static void conditions(const struct st_result *result, const struct st_text_sheet *sheet)
{
    static const char *const locks[] = {[ST_LOCK_NONE] = "memory not locked",
                                        [ST_LOCK_ALL] = "memory locked",
                                        [ST_LOCK_ON_FAULT] =
                                            "memory is locked when it is first used"};
    const char *policy = st_platform_policy_name(result->policy), *cpu = "any CPU", *except = "";
    if (result->policy != ST_POLICY_OTHER)
        policy = st_text("%s %d", policy, result->priority);
    if (result->cpu >= 0)
        cpu = st_text("CPU %d", result->cpu);
    if (result->timer_slack_set_ns >= 0)
        except = ", except the timer slack";
    const char *line = st_text("sleeptune changed no setting%s, %s, %s, load %.3g %%, %s", except,
                               policy, cpu, result->load_percent, locks[result->lock]);
    ST_EACH_OF (condition, result->conditions, result->conditions_n)
        line = st_text("%s, %s %s", line, condition->key,
                       st_result_condition_shown(condition->key, condition->value));
    st_text_field(sheet->out, "where", line, sheet->label_columns, sheet->width);
}

/* Prints figures about the loop itself, but only those that make the result doubtful. */
static void doubts(const struct st_result *result, const struct st_text_sheet *sheet)
{
    if (!result->books_balance)
        st_text_row(sheet, "books",
                    "%ju cycles + %ju skipped = %ju periods: THIS SUM IS WRONG, so the result is "
                    "invalid. Run it again.",
                    result->cycles, result->skipped_periods, result->elapsed_periods);
    if (result->records_lost > 0)
        st_text_row(sheet, "lost", "%ju cycles, because sleeptune could not store them in time",
                    result->records_lost);
}

/* Prints the lateness in four figures; `table` prints all of them. */
static void lateness(const struct st_result *result, const struct st_text_sheet *sheet)
{
    ST_EACH (quantile, quantiles)
        st_text_row(sheet, quantile->label, "%s",
                    quantile_cell(result, &result->lateness, quantile->p));
    st_text_row(sheet, "maximum", "%s late", st_ns_text(result->lateness.max_ns));
}

void st_measure_text_print(const struct st_result *result, const char *buffer, bool all, FILE *out,
                           int width)
{
    const struct st_text_sheet sheet = {out, LABEL_COLUMNS, width};
    st_text_wrap(out, st_result_verdict(result), 0, width);
    if (result->degraded[0] != '\0')
        st_text_wrap(out, st_text("Warning: %s.", result->degraded), 0, width);
    if (result->interrupted)
        st_text_wrap(out, "The measurement was ended early.", 0, width);
    if (result->n == 0) /* no cycle was measured: print no table of zeros */
        return;
    fputc('\n', out);
    if (buffer[0] != '\0')
        st_text_row(&sheet, "buffer", "%s", buffer);
    const char *load = st_result_condition(result, "stress");
    enum st_stress_phase phase;
    if (load != NULL && st_stress_find(load, &phase) == 0)
        st_text_row(&sheet, "load", "%s", st_stress_says(phase));
    if (all) {
        table(result, out);
        fputc('\n', out);
    } else {
        lateness(result, &sheet);
    }
    if (all)
        st_text_row(
            &sheet, "missed", "%ju of %ju periods%s", result->misses, result->elapsed_periods,
            st_miss_events_text(result->miss_events.n, result->misses, st_result_seconds(result)));
    if (all || result->cause_late_n > 0)
        causes(result, &sheet);
    if (result->suspends > 0)
        st_text_row(&sheet, "suspended",
                    "the computer was suspended %ju times during the measurement",
                    result->suspends);
    if (all)
        conditions(result, &sheet);
    doubts(result, &sheet);
}

bool st_measure_text_show(ST_UNUSED void *ctx, const struct st_result *so_far, bool first)
{
    char *line = st_text("warming up");
    if (so_far->lateness.total_n > 0)
        line = st_text("%s: %ju of %ju periods missed (at most %s/h), worst wake-up %s late",
                       st_ns_text(so_far->duration_ns), so_far->misses, so_far->elapsed_periods,
                       st_miss_events_rate_text(st_miss_events_per_hour_max95(
                           so_far->miss_events.n, st_result_seconds(so_far))),
                       st_ns_text(so_far->lateness.max_ns));
    fprintf(stderr, "%s%s\033[K", first ? "" : "\r",
            st_text_clip(st_locale_text(line), st_terminal_width(STDERR_FILENO) - 1));
    fflush(stderr);
    return true;
}
