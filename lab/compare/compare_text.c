/* Prints what `compare` found as text. */
#include <unistd.h>

#include "core/ns.h"
#include "core/stats/stats.h"
#include "core/text/text.h"
#include "lab/compare/compare.h"
#include "lab/compare/difference_text.h"
#include "lab/compare/verdict.h"
#include "platform/program/output.h"
#include "platform/program/terminal.h"

#define LABEL_COLUMNS 9

/* Prints a paragraph with a label, unless its text is empty. */
static void put(FILE *out, const char *label, const char *text, int width)
{
    if (text[0] != '\0')
        st_text_field(out, label, text, LABEL_COLUMNS, width);
}

static void print_file(FILE *out, const struct st_compare_file *file, const char *name, int width)
{
    char text[900];
    const char *all;
    const char *every;
    const struct st_series *series = &file->input.series;
    const uint64_t span = st_series_span(series), skipped_n = span - series->n;
    ST_PRINT(text, "%.300s: %s", file->path, file->input.source);
    ST_APPEND(text, ", %zu value%s", series->n, series->n == 1 ? "" : "s");
    if (file->input.untimed)
        ST_APPEND(text, " in the order of the file");
    else
        ST_APPEND(text, ", one every %s, %s in all",
                  (every = st_ns_text(st_period_ns(&series->period))),
                  (all = st_ns_text(st_period_due_ns(&series->period, 0, span))));
    if (file->input.interrupted)
        ST_APPEND(text, ", ended early");
    if (!file->input.untimed && skipped_n > 0)
        ST_APPEND(text, ", %ju periods skipped", skipped_n);
    ST_APPEND(text, ".%s%s", file->input.note[0] != '\0' ? " " : "", file->input.note);
    put(out, name, text, width);
}

static double period_ns(const struct st_compare_file *file)
{
    return (double)file->input.series.period.num / (double)file->input.series.period.den;
}

/* A sentence about the periods of the files if they differ, with as many digits as distinguish
 * them.
 * @return buf; "" if they do not differ. */
static const char *periods_text(const struct st_compare_file *files, char *buf, size_t buf_bytes)
{
    char texts[2][40] = {"", ""};
    buf[0] = '\0';
    if (files[0].input.untimed || files[1].input.untimed ||
        period_ns(&files[0]) == period_ns(&files[1]))
        return buf;
    for (int decimals = 0; decimals <= 6 && strcmp(texts[0], texts[1]) == 0; decimals++) {
        for (int i = 0; i < 2; i++)
            ST_PRINT(texts[i], "%.*f µs", decimals, period_ns(&files[i]) / 1e3);
    }
    snprintf(buf, buf_bytes, "period: %s in A, %s in B.", texts[0], texts[1]);
    return buf;
}

static void print_differ(FILE *out, const struct st_compare_result *result, int width)
{
    char text[ST_DIFFERENCE_TEXT_BYTES];
    const char *label = "differ";
    if (periods_text(result->files, text, sizeof(text))[0] != '\0') {
        put(out, label, text, width);
        label = "";
    }
    for (size_t i = 0; i < result->differ_n; i++, label = "")
        put(out, label, st_test_conditions_text(&result->differ[i], text, sizeof(text)), width);
    if (label[0] == '\0')
        return;
    put(out, label,
        result->files[0].input.conditions != NULL && result->files[1].input.conditions != NULL
            ? "nothing that both files record about their test conditions."
            : "unknown: a file does not record its test conditions.",
        width);
}

/* Names the figures that are unknown, and how many values they need. */
static void print_unknown(FILE *out, const struct st_compare_result *result, int width)
{
    const uint64_t a_n = result->files[0].input.series.n, b_n = result->files[1].input.series.n;
    const uint64_t n = a_n < b_n ? a_n : b_n;
    char text[200];
    ST_EACH_FIGURE (id) {
        const uint64_t least_n = st_stats_quantile_min_n(st_figure_quantiles[id]);
        if (result->figures[id].difference.known || n >= least_n)
            continue;
        ST_PRINT(text, "%s: only %ju value%s; at least %ju are needed.", st_figure_names[id], n,
                 n == 1 ? "" : "s", least_n);
        put(out, "", text, width);
    }
}

static void print_figures(FILE *out, const struct st_compare_result *result, int width)
{
    char text[ST_DIFFERENCE_TEXT_BYTES];
    fputc('\n', out);
    st_difference_text_table(out, result->figures, "A", "B");
    print_unknown(out, result, width);
    put(out, "drift", st_difference_text_drift(result->figures, text), width);
    put(out, "doubt", st_difference_text_doubts(result->figures, text), width);
}

static void print_notes(FILE *out, const struct st_compare_result *result, int width)
{
    fputc('\n', out);
    const char *text = st_text(
        "%s%s"
        "Each file is one run: anything else that changed between them counts, too. To see how "
        "much that is, run A again after B.",
        result->tests_n > 1
            ? st_text("p is corrected for the %zu figures compared (Holm). ", result->tests_n)
            : "",
        result->tests_n > 0
            ? st_text("* marks a difference that is shown (p <= %.2f, and more than the drift). ",
                      ST_VERDICT_LEVEL)
            : "");
    put(out, "note", text, width);
}

int st_compare_print(const struct st_compare_result *result, int status)
{
    struct st_locale_stream stream;
    char text[ST_DIFFERENCE_TEXT_BYTES];
    const int terminal = st_terminal_width(STDOUT_FILENO), width = terminal < 100 ? terminal : 100;
    FILE *out = st_locale_begin(&stream, stdout);
    st_text_wrap(out, st_difference_text_sentence(result->figures, result->tests_n, "A", text), 0,
                 width);
    fputc('\n', out);
    print_file(out, &result->files[0], "A", width);
    print_file(out, &result->files[1], "B", width);
    print_differ(out, result, width);
    print_figures(out, result, width);
    print_notes(out, result, width);
    return st_output_text(&stream, status);
}
