/* What `compare` found, as text. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/compare/compare.h"
#include "cli/show/figure_text.h"
#include "core/ns.h"
#include "core/stats/stats.h"
#include "core/text/text.h"
#include "evidence/verdict.h"
#include "platform/program/locale.h"
#include "platform/program/terminal.h"

#define LABEL_COLUMNS 9
#define MORE_MAX      1000 /* times as much data */
#define PERIODS_SAME  1e-9 /* written in other words */
#define PERIODS_ALIKE 1e-3 /* one is missed where the other is */

static void print_file(FILE *out, const struct st_compare_file *file, size_t i, int width)
{
    char label[8], text[900], every[ST_FIGURE_TEXT_BYTES], all[ST_FIGURE_TEXT_BYTES];
    snprintf(text, sizeof(text), "%.300s: %s", file->path, file->source);
    if (file->has_values)
        st_text_append(text, sizeof(text), ", %" PRIu64 " values", file->blocks.n);
    else if (file->rows_n > 1)
        st_text_append(text, sizeof(text), ", %zu results", file->rows_n);
    else
        st_text_append(text, sizeof(text), ", %" PRIu64 " values", file->rows[0].n);
    if (file->period_known)
        st_text_append(text, sizeof(text), ", a period of %s",
                       st_ns_format(st_period_ns(&file->period), every, sizeof(every)));
    if (file->period_known && file->has_values)
        st_text_append(
            text, sizeof(text), ", %" PRIu64 " of %" PRIu64 " missed in %s", file->blocks.missed_n,
            file->blocks.trials_n,
            st_ns_format(st_period_due_ns(&file->period, 0, file->blocks.trials_n), all, sizeof(all)));
    st_text_append(text, sizeof(text), ".%s%s", file->note[0] != '\0' ? " " : "", file->note);
    st_text_field(out, st_compare_letter(i, label, sizeof(label)), text, LABEL_COLUMNS, width);
}

static double period_ns(const struct st_compare_file *file)
{
    return (double)file->period.num / (double)file->period.den;
}

/* How far the periods are apart, as a share of the longer one. */
static double period_apart(const struct st_compare_file *a, const struct st_compare_file *b)
{
    return a->period_known && b->period_known
               ? fabs(period_ns(a) - period_ns(b)) / fmax(period_ns(a), period_ns(b))
               : 0;
}

/* With as many digits as it takes to tell two. */
static void periods_text(const struct st_compare_file *const files[2], char texts[2][ST_FIGURE_TEXT_BYTES])
{
    for (int i = 0; i < 2; i++)
        st_ns_format(st_period_ns(&files[i]->period), texts[i], ST_FIGURE_TEXT_BYTES);
    for (int decimals = 0; decimals <= 6 && strcmp(texts[0], texts[1]) == 0; decimals++) {
        for (int i = 0; i < 2; i++)
            snprintf(texts[i], ST_FIGURE_TEXT_BYTES, "%.*f \xc2\xb5s", decimals, period_ns(files[i]) / 1e3);
    }
}

static void print_differ(FILE *out, const struct st_compare_result *result, size_t i, int width)
{
    const struct st_compare_file *a = &result->files[0], *b = &result->files[i];
    char text[1200], letter[8], label[16], times[2][ST_FIGURE_TEXT_BYTES];
    snprintf(label, sizeof(label), "%s differs", st_compare_letter(i, letter, sizeof(letter)));
    const char *shown = label;
    if (period_apart(a, b) > PERIODS_SAME) {
        periods_text((const struct st_compare_file *const[]){a, b}, times);
        snprintf(text, sizeof(text), "period: %s in A, %s in %s.%s", times[0], times[1], letter,
                 period_apart(a, b) > PERIODS_ALIKE ? " The shares of missed periods are for different "
                                                      "periods."
                                                    : "");
        st_text_field(out, shown, text, LABEL_COLUMNS + 2, width);
        shown = "";
    }
    for (size_t k = 0; k < result->differ_n[i]; k++) {
        const struct st_test_condition_pair *one = &result->differ[i][k];
        snprintf(text, sizeof(text), "%s: %.500s -> %.500s", one->key,
                 one->before[0] != '\0' ? one->before : "unknown",
                 one->now[0] != '\0' ? one->now : "unknown");
        st_text_field(out, shown, text, LABEL_COLUMNS + 2, width);
        shown = "";
    }
    if (shown[0] != '\0')
        st_text_field(out, shown,
                      a->conditions[0] != '\0' && b->conditions[0] != '\0'
                          ? "in no test condition that both files record."
                          : "unknown: a file does not record its test conditions.",
                      LABEL_COLUMNS + 2, width);
}

static void print_row(FILE *out, const struct st_compare_pair *pair, enum st_figure_id id)
{
    const struct st_figure *f = &pair->found.figures[id];
    char text[2][ST_FIGURE_TEXT_BYTES], interval[2 * ST_FIGURE_TEXT_BYTES + 8];
    st_text_pad(out, st_figure_names[id], LABEL_COLUMNS);
    for (size_t side = 0; side < 2; side++)
        st_text_pad(out, f->known[side] ? st_figure_text_value(id, f->value[side], text[0]) : "-", 12);
    if (!f->difference.known) {
        fputs(f->known[0] && f->known[1] ? "no interval known\n" : "-\n", out);
        return;
    }
    st_text_pad(out, st_figure_text_signed(id, f->difference.value, text[0]), 12);
    snprintf(interval, sizeof(interval), "%s .. %s", st_figure_text_signed(id, f->difference.low, text[0]),
             st_figure_text_signed(id, f->difference.high, text[1]));
    st_text_pad(out, interval, 26);
    if (f->p_corrected < 0.0001)
        fprintf(out, "<0.0001%s\n", st_verdict_shows(f) ? " *" : "");
    else
        fprintf(out, "%.4f%s\n", f->p_corrected, st_verdict_shows(f) ? " *" : "");
}

/* What is not known, and how much more would make it known. */
static void print_unknown(FILE *out, const struct st_compare_pair *pair, enum st_figure_id id, int width)
{
    const struct st_figure *f = &pair->found.figures[id];
    const double p = st_figure_quantile(id);
    char text[200];
    const uint64_t least_n = p > 0 ? st_stats_quantile_min_n(p) : 0;
    const uint64_t n = pair->n[0] < pair->n[1] ? pair->n[0] : pair->n[1];
    if (f->difference.known || n >= least_n || id == ST_FIGURE_MISSED)
        return;
    snprintf(text, sizeof(text), "%s: %" PRIu64 " value%s; at least %" PRIu64 " are needed.",
             st_figure_names[id], n, n == 1 ? "" : "s", least_n);
    st_text_field(out, "", text, LABEL_COLUMNS, width);
}

/* Rounded to three digits, to be written without an exponent. */
static double three_digits(double value)
{
    const double step = value >= 1000 ? pow(10, floor(log10(value)) - 2) : 1;
    return round(value / step) * step;
}

static void print_effect(FILE *out, const struct st_compare_pair *pair, const char *letter, int width)
{
    const struct st_estimate *s = &pair->found.superiority;
    const double *n = pair->found.independent_n;
    char text[400];
    if (!s->known)
        return;
    snprintf(text, sizeof(text),
             "Of all pairs of a value of %s and a value of A, the first is later in %.1f %% (95 %% "
             "interval: %.1f .. %.1f %%; 50 %% means no difference), Cliff's delta %+.3f.",
             letter, 100 * s->value, 100 * s->low, 100 * s->high, 2 * s->value - 1);
    st_text_field(out, "effect", text, LABEL_COLUMNS, width);
    const bool in_order[2] = {pair->a->in_order, pair->b->in_order};
    if (pair->found.neighbours_depend && (in_order[0] || in_order[1])) {
        snprintf(text, sizeof(text), "Consecutive values depend on each other. For the median, ");
        for (size_t side = 0, said_n = 0; side < 2; side++) {
            if (!in_order[side])
                continue;
            st_text_append(text, sizeof(text),
                           said_n == 0 ? "%s counts as about %.0f independent values" : ", %s as %.0f",
                           side == 0 ? "A" : letter, three_digits(n[side]));
            said_n++;
        }
        st_text_append(text, sizeof(text), ".");
        st_text_field(out, "", text, LABEL_COLUMNS, width);
    }
    const double bursts = pair->found.figures[ST_FIGURE_MISSED].counts.scatter;
    if (bursts > 1) {
        snprintf(text, sizeof(text),
                 "Missed periods come in bursts: they count as fewer independent ones, %.3g %% of their "
                 "number.",
                 100 / bursts);
        st_text_field(out, "", text, LABEL_COLUMNS, width);
    }
}

/* Which intervals are not to be relied upon. */
static void print_narrow(FILE *out, const struct st_compare_pair *pair, int width)
{
    char text[400] = "";
    size_t n = 0;
    for (int id = 0; id < ST_FIGURES; id++) {
        if (pair->found.figures[id].narrow)
            st_text_append(text, sizeof(text), "%s%s", n++ > 0 ? ", " : "", st_figure_names[id]);
    }
    st_text_append(text, sizeof(text),
                   ": few independent groups of values decide %s, so %s may be too narrow. Measure longer.",
                   n == 1 ? "it" : "them", n == 1 ? "its interval" : "their intervals");
    if (n > 0)
        st_text_field(out, "", text, LABEL_COLUMNS, width);
}

/* What a run does without any change. */
static void print_drift(FILE *out, const struct st_compare_pair *pair, const char *letter, int width)
{
    const double *drift = pair->found.figures[ST_FIGURE_MEDIAN].drift;
    char text[300], value[2][ST_FIGURE_TEXT_BYTES];
    if (!pair->a->in_order || !pair->b->in_order || !isfinite(drift[0]) || !isfinite(drift[1]))
        return;
    snprintf(text, sizeof(text), "Within A the median changes by up to %s, within %s by %s.",
             st_figure_text_value(ST_FIGURE_MEDIAN, drift[0], value[0]), letter,
             st_figure_text_value(ST_FIGURE_MEDIAN, drift[1], value[1]));
    st_text_field(out, "drift", text, LABEL_COLUMNS, width);
}

/* A difference that is more than chance. @return whether it is. */
static bool difference_text(const struct st_figure *f, enum st_figure_id id, const char *letter, char *buf,
                            size_t buf_bytes)
{
    char size[ST_FIGURE_TEXT_BYTES], level[ST_FIGURE_TEXT_BYTES], share[40] = "";
    const double more = f->difference.value;
    const bool drifting = f->verdict == ST_VERDICT_DRIFTING;
    if (!drifting && !st_verdict_shows(f))
        return false;
    const char *said = drifting ? "cannot tell" : "a difference is shown";
    if (id == ST_FIGURE_MISSED) {
        snprintf(buf, buf_bytes, "missed: %s: %s missed %s of its periods, A %s.", said, letter,
                 st_figure_text_value(id, f->value[1], size), st_figure_text_value(id, f->value[0], level));
    } else {
        if (f->value[0] > 0)
            snprintf(share, sizeof(share), " (%.3g %% of A's)", fabs(more) / f->value[0] * 100);
        snprintf(buf, buf_bytes, "%s: %s: %s is %s%s %s than A.", st_figure_names[id], said, letter,
                 st_figure_text_value(id, fabs(more), size), share, more > 0 ? "later" : "less late");
    }
    if (drifting)
        st_text_append(buf, buf_bytes, " Within one run it changes by %s.",
                       st_figure_text_value(id, f->drifts, size));
    return true;
}

/* No difference: how large one would have been shown, or how much data shows the one that matters. */
static void none_text(const struct st_compare_result *result, const struct st_compare_pair *pair,
                      enum st_figure_id id, char *buf, size_t buf_bytes)
{
    const struct st_figure *f = &pair->found.figures[id];
    const double wanted = st_compare_wanted(result, pair, id);
    const double factor = wanted > 0 && f->error > 0 ? st_verdict_more_data(f, result->tests_n, wanted) : 0;
    const double detectable = f->error > 0 ? st_verdict_detectable(f, result->tests_n) : (double)NAN;
    char size[ST_FIGURE_TEXT_BYTES];
    snprintf(buf, buf_bytes, "%s: no difference shown.", st_figure_names[id]);
    if (f->drifts > 0 && f->drifts >= (factor > 0 ? wanted : 0)) {
        st_text_append(buf, buf_bytes,
                       " Within one run it changes by %s. A smaller difference cannot be shown, however long "
                       "the runs are.",
                       st_figure_text_value(id, f->drifts, size));
        return;
    }
    st_figure_text_value(id, factor > 0 ? wanted : detectable, size);
    if (factor > MORE_MAX)
        st_text_append(
            buf, buf_bytes,
            " To show a difference of %s, both runs need more than %d times as much data, which is not "
            "practical.",
            size, MORE_MAX);
    else if (factor > 1)
        st_text_append(buf, buf_bytes, " To show a difference of %s, both runs need %.*f times as much data.",
                       size, factor < 10 ? 1 : 0, factor);
    else if (factor > 0)
        st_text_append(buf, buf_bytes,
                       " A true difference of %s would have been found in at least 4 of 5 such comparisons.",
                       size);
    else if (isfinite(detectable))
        st_text_append(buf, buf_bytes,
                       " A true difference of %s%s would have been found in 4 of 5 such comparisons.", size,
                       id == ST_FIGURE_MISSED ? " more" : "");
}

/* The answer in one line: which figures differ. */
static void print_answer(FILE *out, const struct st_compare_result *result,
                         const struct st_compare_pair *pair, int width)
{
    char text[400], letter[8], shown[200] = "";
    bool drifting = false, none = false;
    st_compare_letter((size_t)(pair->b - result->files), letter, sizeof(letter));
    for (int id = 0; id < ST_FIGURES; id++) {
        const struct st_figure *f = &pair->found.figures[id];
        drifting = drifting || f->verdict == ST_VERDICT_DRIFTING;
        none = none || f->verdict == ST_VERDICT_NONE;
        if (st_verdict_shows(f))
            st_text_append(shown, sizeof(shown), "%s%s", shown[0] != '\0' ? ", " : "", st_figure_names[id]);
    }
    if (pair->found.same)
        snprintf(text, sizeof(text), "%s is a copy of A.", letter);
    else if (shown[0] != '\0')
        snprintf(text, sizeof(text), "%s differs from A: %s.", letter, shown);
    else if (drifting)
        snprintf(text, sizeof(text),
                 "Cannot tell whether %s differs from A: within one run the values change too much.", letter);
    else if (none)
        snprintf(text, sizeof(text),
                 "No difference shown between A and %s. To be surer, measure longer, and repeat A after the "
                 "other runs.",
                 letter);
    else
        snprintf(text, sizeof(text), "Cannot tell whether %s differs from A: too few values.", letter);
    if (pair->label[0] != '\0')
        st_text_append(text, sizeof(text), " (%s)", pair->label);
    st_text_wrap(out, text, 0, width);
}

static void print_verdict(FILE *out, const struct st_compare_result *result,
                          const struct st_compare_pair *pair, const char *letter, int width)
{
    char text[400];
    const char *label = "verdict";
    if (pair->found.same) {
        snprintf(text, sizeof(text),
                 "%s has the values of A, in the same order: it is a copy, or the same file.", letter);
        st_text_field(out, label, text, LABEL_COLUMNS, width);
        return;
    }
    for (int id = 0; id < ST_FIGURES; id++) {
        if (!difference_text(&pair->found.figures[id], (enum st_figure_id)id, letter, text, sizeof(text)))
            continue;
        st_text_field(out, label, text, LABEL_COLUMNS, width);
        label = "";
    }
    for (int id = 0; id < ST_FIGURES; id++) {
        if (pair->found.figures[id].verdict != ST_VERDICT_NONE)
            continue;
        none_text(result, pair, (enum st_figure_id)id, text, sizeof(text));
        st_text_field(out, label, text, LABEL_COLUMNS, width);
        label = "";
    }
    if (label[0] != '\0')
        st_text_field(out, label, "Cannot tell: too few values to compare.", LABEL_COLUMNS, width);
}

static void print_pair(FILE *out, const struct st_compare_result *result, const struct st_compare_pair *pair,
                       int width)
{
    char letter[8], head[40];
    st_compare_letter((size_t)(pair->b - result->files), letter, sizeof(letter));
    fputc('\n', out);
    if (pair->label[0] != '\0')
        st_text_wrap(out, pair->label, 0, width);
    st_text_pad(out, "", LABEL_COLUMNS);
    st_text_pad(out, "A", 12);
    st_text_pad(out, letter, 12);
    snprintf(head, sizeof(head), "%s - A", letter);
    st_text_pad(out, head, 12);
    st_text_pad(out, "95 % interval", 26);
    fputs("p\n", out);
    for (int id = 0; id < ST_FIGURES; id++) {
        const struct st_figure *f = &pair->found.figures[id];
        const bool periods = id != ST_FIGURE_MISSED || pair->a->has_values;
        if (f->known[0] || f->known[1] || (pair->by_values && periods))
            print_row(out, pair, (enum st_figure_id)id);
    }
    for (int id = 0; id < ST_FIGURES && pair->by_values; id++)
        print_unknown(out, pair, (enum st_figure_id)id, width);
    if (!pair->by_values)
        st_text_field(
            out, "",
            "The JSON has no single values: only counts, and figures with an interval, are compared.",
            LABEL_COLUMNS, width);
    print_effect(out, pair, letter, width);
    print_narrow(out, pair, width);
    print_drift(out, pair, letter, width);
    print_verdict(out, result, pair, letter, width);
}

static void print_notes(FILE *out, const struct st_compare_result *result, int width)
{
    char text[500] = "";
    fputc('\n', out);
    if (result->left_out_n > 0) {
        snprintf(text, sizeof(text), "%zu results exist in one file only. They are left out.",
                 result->left_out_n);
        st_text_field(out, "left out", text, LABEL_COLUMNS, width);
    }
    text[0] = '\0';
    if (result->tests_n > 0)
        snprintf(text, sizeof(text),
                 "p is corrected for the %zu figure%s compared (Holm); * marks a difference that "
                 "is shown (p <= %.2f, and more than the drift). Each interval is for one figure alone. ",
                 result->tests_n, result->tests_n == 1 ? "" : "s", ST_VERDICT_LEVEL);
    st_text_append(
        text, sizeof(text),
        "Each file is one run: the difference includes everything else that changed between the runs. To "
        "see how much that is, run A again after B.");
    st_text_field(out, "note", text, LABEL_COLUMNS, width);
}

int st_compare_print(const struct st_compare_result *result)
{
    struct st_locale_stream stream;
    const int terminal = st_terminal_width(STDOUT_FILENO), width = terminal < 100 ? terminal : 100;
    FILE *out = st_locale_begin(&stream, stdout);
    for (size_t i = 0; i < result->pairs_n; i++)
        print_answer(out, result, &result->pairs[i], width);
    fputc('\n', out);
    for (size_t i = 0; i < result->files_n; i++)
        print_file(out, &result->files[i], i, width);
    for (size_t i = 1; i < result->files_n; i++)
        print_differ(out, result, i, width);
    for (size_t i = 0; i < result->pairs_n; i++)
        print_pair(out, result, &result->pairs[i], width);
    print_notes(out, result, width);
    const int r = st_locale_end(&stream);
    errno = 0;
    return r != 0 ? r : fflush(stdout) != 0 ? -errno : 0;
}
