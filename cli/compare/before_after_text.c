/* What came of comparing two runs, in words, and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/change/change_output.h"
#include "cli/command.h"
#include "cli/compare/before_after.h"
#include "cli/show/figure_text.h"
#include "core/ns.h"
#include "core/text/text.h"
#include "evidence/verdict.h"
#include "platform/program/locale.h"

#define COLUMN     16
#define LABEL      10
#define TEXT_BYTES 500

static const char *const phrases[ST_FIGURES] = {[ST_FIGURE_MEDIAN] = "the median lateness",
                                                [ST_FIGURE_P99] = "p99 of lateness",
                                                [ST_FIGURE_P999] = "p99.9 of lateness",
                                                [ST_FIGURE_MISSED] = "the share of missed periods"};

/* --- text --- */

/* "the median lateness is 8.2 µs less (95 %: 7.6 µs .. 8.9 µs)", for the figures with that verdict. @return whether
 * there is one. */
static bool list(const struct st_before_after *done, enum st_verdict verdict, char *buf, size_t buf_bytes)
{
    char size[ST_FIGURE_TEXT_BYTES], low[ST_FIGURE_TEXT_BYTES], high[ST_FIGURE_TEXT_BYTES];
    buf[0] = '\0';
    for (int i = 0; i < ST_FIGURES; i++) {
        const enum st_figure_id id = (enum st_figure_id)i;
        const struct st_figure *figure = &done->found.figures[id];
        const struct st_estimate *e = &figure->difference;
        const bool more = e->value > 0;
        if (figure->verdict != verdict)
            continue;
        st_text_append(buf, buf_bytes, "%s%s is %s %s (95 %%: %s .. %s)", buf[0] != '\0' ? ", " : "",
                       phrases[id], st_figure_text_value(id, fabs(e->value), size), more ? "more" : "less",
                       st_figure_text_value(id, more ? e->low : -e->high, low),
                       st_figure_text_value(id, more ? e->high : -e->low, high));
        if (verdict == ST_VERDICT_DRIFTING)
            st_text_append(buf, buf_bytes, ", but within one run it changes by %s",
                           st_figure_text_value(id, figure->drifts, size));
    }
    return buf[0] != '\0';
}

/* How large a difference would have been shown; "": none. */
static void detectable(const struct st_before_after *done, char *buf, size_t buf_bytes)
{
    char size[ST_FIGURE_TEXT_BYTES];
    buf[0] = '\0';
    for (int i = 0; i < ST_FIGURES; i++) {
        const enum st_figure_id id = (enum st_figure_id)i;
        const struct st_figure *figure = &done->found.figures[id];
        const double least =
            figure->difference.known ? st_verdict_detectable(figure, done->tests_n) : (double)NAN;
        if (isfinite(least))
            st_text_append(buf, buf_bytes, "%s%s in %s", buf[0] != '\0' ? " or " : "",
                           st_figure_text_value(id, least, size), phrases[id]);
    }
}

/* One sentence, from the verdicts alone. */
static const char *sentence(const struct st_before_after *done, char *buf, size_t buf_bytes)
{
    char better[TEXT_BYTES], worse[TEXT_BYTES];
    const bool better_shown = list(done, ST_VERDICT_BETTER, better, sizeof(better));
    const bool worse_shown = list(done, ST_VERDICT_WORSE, worse, sizeof(worse));
    if (better_shown && worse_shown) {
        snprintf(buf, buf_bytes, "Partly better, partly worse than before: %s; %s.", better, worse);
    } else if (better_shown || worse_shown) {
        snprintf(buf, buf_bytes, "%s than before: %s.", better_shown ? "Better" : "Worse",
                 better_shown ? better : worse);
    } else if (list(done, ST_VERDICT_DRIFTING, better, sizeof(better))) {
        snprintf(buf, buf_bytes, "Cannot tell: %s.", better);
    } else {
        detectable(done, better, sizeof(better));
        if (better[0] == '\0')
            snprintf(buf, buf_bytes, "No difference shown: too few cycles to show one.");
        else
            snprintf(
                buf, buf_bytes,
                "No difference shown. A true difference of %s would have been found in 4 of 5 such comparisons.",
                better);
    }
    return buf;
}

static void row(FILE *out, const char *label, const char *before, const char *now, const char *difference)
{
    st_text_pad(out, label, LABEL);
    st_text_pad(out, before, COLUMN);
    if (difference[0] != '\0')
        st_text_pad(out, now, COLUMN);
    fprintf(out, "%s\n", difference[0] != '\0' ? difference : now);
}

static const char *difference_text(const struct st_before_after *done, enum st_figure_id id, char *buf,
                                   size_t buf_bytes)
{
    char value[ST_FIGURE_TEXT_BYTES], low[ST_FIGURE_TEXT_BYTES], high[ST_FIGURE_TEXT_BYTES];
    const struct st_estimate *e = &done->found.figures[id].difference;
    if (!e->known)
        snprintf(buf, buf_bytes, "unknown: too few cycles");
    else
        snprintf(buf, buf_bytes, "%s (%s .. %s)", st_figure_text_value(id, e->value, value),
                 st_figure_text_value(id, e->low, low), st_figure_text_value(id, e->high, high));
    return buf;
}

static void table(const struct st_before_after *done)
{
    const struct st_before_after_run *runs[2] = {&done->before, &done->now};
    char cells[2][48], difference[128];
    struct st_locale_stream stream;
    FILE *out = st_locale_begin(&stream, stdout);
    row(out, "", "before", "now", "difference, 95 % interval");
    for (int i = 0; i < ST_FIGURES; i++) {
        const enum st_figure_id id = (enum st_figure_id)i;
        const struct st_figure *figure = &done->found.figures[id];
        for (int k = 0; k < 2; k++) {
            if (id == ST_FIGURE_MISSED)
                snprintf(cells[k], sizeof(cells[k]), "%" PRIu64 " of %" PRIu64, runs[k]->blocks.missed_n,
                         runs[k]->periods_n);
            else if (figure->known[k])
                st_figure_text_value(id, figure->value[k], cells[k]);
            else
                snprintf(cells[k], sizeof(cells[k]), "-");
        }
        row(out, st_figure_names[id], cells[0], cells[1],
            difference_text(done, id, difference, sizeof(difference)));
    }
    for (int k = 0; k < 2; k++)
        snprintf(cells[k], sizeof(cells[k]), "%" PRIu64, runs[k]->blocks.n);
    row(out, "cycles", cells[0], cells[1], "");
    if (st_locale_end(&stream) != 0)
        (void)st_failure(NULL, "out of memory: the table cannot be shown");
}

/* How much a figure changes within a run, without any change: the larger one of both. NAN: not known. */
static double drift_of(const struct st_figure *figure)
{
    return fmax(figure->drift[0], figure->drift[1]);
}

/* What the machine does by itself. */
static void print_drift(const struct st_before_after *done)
{
    char text[TEXT_BYTES], size[ST_FIGURE_TEXT_BYTES];
    text[0] = '\0';
    for (int i = 0; i < ST_FIGURES; i++) {
        const enum st_figure_id id = (enum st_figure_id)i;
        const double drift = drift_of(&done->found.figures[id]);
        if (isfinite(drift))
            st_text_append(text, sizeof(text), "%s%s by %s", text[0] != '\0' ? ", " : "", st_figure_names[id],
                           st_figure_text_value(id, drift, size));
    }
    if (text[0] == '\0')
        return;
    st_text_append(text, sizeof(text),
                   " within one run. Where that is more than chance, only a larger difference is shown");
    st_change_output_text(0, "drift:", text);
}

static const char *when(const struct st_before_after_run *run, char *buf, size_t buf_bytes)
{
    const time_t seconds = (time_t)(run->started_wall_ns / ST_NS_PER_S);
    struct tm tm;
    if (run->started_wall_ns <= 0 || gmtime_r(&seconds, &tm) == NULL ||
        strftime(buf, buf_bytes, "%Y-%m-%d %H:%M UTC", &tm) == 0)
        snprintf(buf, buf_bytes, "at an unknown time");
    return buf;
}

/* Of the run with fewer of them. */
static size_t blocks_n(const struct st_before_after *done)
{
    const size_t before = done->before.blocks.len, now = done->now.blocks.len;
    return before < now ? before : now;
}

static int64_t duration_ns(const struct st_before_after_run *run)
{
    return st_period_due_ns(&run->period, 0, run->periods_n);
}

void st_before_after_print(const struct st_before_after *done)
{
    char text[3 * TEXT_BYTES], times[2][24], dates[2][40], cpu[32] = "any CPU";
    const struct st_before_after_run *runs[2] = {&done->before, &done->now};
    if (!done->compared) {
        st_change_output_text(0, "proof:", done->why);
        return;
    }
    st_change_output_text(0, "proof:", sentence(done, text, sizeof(text)));
    table(done);
    print_drift(done);
    for (int i = 0; i < 2; i++) {
        st_ns_format(duration_ns(runs[i]), times[i], sizeof(times[i]));
        when(runs[i], dates[i], sizeof(dates[i]));
    }
    if (done->cpu >= 0)
        snprintf(cpu, sizeof(cpu), "CPU %d", done->cpu);
    snprintf(
        text, sizeof(text),
        "%" PRIu32 " frames at %" PRIu32
        " Hz, %s %d, %s; before: %s, %s%s; now: %s, %s%s; wake-up lateness, intervals from %zu blocks. Each is one run: the difference includes everything else that changed",
        done->frames, done->rate_hz, st_platform_policy_name(done->policy), done->priority, cpu, dates[0],
        times[0], runs[0]->interrupted ? " (ended early)" : "", dates[1], times[1],
        runs[1]->interrupted ? " (ended early)" : "", blocks_n(done));
    st_change_output_text(0, "runs:", text);
    for (size_t i = 0; i < done->changes_n; i++) {
        const struct st_test_condition_pair *change = &done->changes[i];
        char label[96];
        snprintf(label, sizeof(label), "differs: %s:", change->key);
        snprintf(text, sizeof(text), "%.500s -> %.500s",
                 change->before[0] != '\0' ? change->before : "unknown",
                 change->now[0] != '\0' ? change->now : "unknown");
        st_change_output_text(0, label, text);
    }
}

/* --- JSON --- */

static json_t *figure_json(const struct st_figure *figure)
{
    const struct st_estimate *e = &figure->difference;
    const double drift = drift_of(figure);
    return e->known ? json_pack("{s:f, s:f, s:f, s:f, s:b, s:f, s:s}", "value", e->value, "low", e->low,
                                "high", e->high, "drift", isfinite(drift) ? drift : 0, "shown",
                                (int)st_verdict_shows(figure), "p_corrected", figure->p_corrected, "verdict",
                                st_verdict_name(figure->verdict))
                    : json_null();
}

static json_t *quantile_json(const struct st_figure *figure, int k)
{
    return figure->known[k] ? json_integer((json_int_t)figure->value[k]) : json_null();
}

static json_t *run_json(const struct st_before_after *done, const struct st_before_after_run *run, int k)
{
    const struct st_figure *figures = done->found.figures;
    const bool dated = run->started_wall_ns > 0;
    return json_pack(
        "{s:o, s:I, s:b, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "started_wall_ns",
        dated ? json_integer(run->started_wall_ns) : json_null(), "duration_ns", (json_int_t)duration_ns(run),
        "interrupted", run->interrupted, "cycles", (json_int_t)run->blocks.n, "periods",
        (json_int_t)run->periods_n, "misses", (json_int_t)run->blocks.missed_n, "records_lost",
        (json_int_t)run->lost_n, "median_ns", quantile_json(&figures[ST_FIGURE_MEDIAN], k), "p99_ns",
        quantile_json(&figures[ST_FIGURE_P99], k), "p999_ns", quantile_json(&figures[ST_FIGURE_P999], k));
}

json_t *st_before_after_json(const struct st_before_after *done)
{
    char text[3 * TEXT_BYTES];
    const struct st_figure *figures = done->found.figures;
    if (!done->compared)
        return json_pack("{s:b, s:s}", "compared", 0, "sentence", done->why);
    json_t *changes = json_array();
    for (size_t i = 0; i < done->changes_n; i++) {
        const struct st_test_condition_pair *change = &done->changes[i];
        (void)json_array_append_new(changes, json_pack("{s:s, s:s, s:s}", "key", change->key, "before",
                                                       change->before, "now", change->now));
    }
    return json_pack("{s:b, s:s, s:i, s:i, s:s, s:i, s:o, s:i, s:o, s:o, s:{s:o, s:o, s:o, s:o}, s:o}",
                     "compared", 1, "sentence", sentence(done, text, sizeof(text)), "frames",
                     (int)done->frames, "rate_hz", (int)done->rate_hz, "policy",
                     st_platform_policy_name(done->policy), "priority", done->priority, "cpu",
                     done->cpu >= 0 ? json_integer(done->cpu) : json_null(), "blocks", (int)blocks_n(done),
                     "before", run_json(done, &done->before, 0), "now", run_json(done, &done->now, 1),
                     "difference", "median_ns", figure_json(&figures[ST_FIGURE_MEDIAN]), "p99_ns",
                     figure_json(&figures[ST_FIGURE_P99]), "p999_ns", figure_json(&figures[ST_FIGURE_P999]),
                     "misses_per_period", figure_json(&figures[ST_FIGURE_MISSED]), "differs", changes);
}
