/* Documents of the history as text. */
#include "cli/show/history_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/json_field.h"
#include "core/base.h"
#include "core/cause_kind.h"
#include "core/ns.h"
#include "core/stats/stats.h"
#include "core/text/text.h"
#include "core/when.h"
#include "measure/result.h"
#include "platform/program/locale.h"

#define LABEL_COLUMNS  12
#define WIDTH_MIN      80
#define CELLS_MAX      60 /* of the sparkline */
#define LEVELS         8
#define HOUR_NS        (3600 * ST_NS_PER_S)
#define DAY_NS         (24 * HOUR_NS)
#define CAUSE_COLUMNS  24
#define NAME_MIN       17
#define NAME_MAX       32
#define FIGURE_COLUMNS 39 /* of the four columns after the name */

/* "2026-11-20 15:04" */
static const char *minute_of(int64_t wall_ns, char *buf, size_t buf_bytes)
{
    st_when_text(wall_ns, buf, buf_bytes);
    if (strlen(buf) > 3)
        buf[strlen(buf) - 3] = '\0';
    return buf;
}

/* "2 d 3 h", "23 h 2 min", "59 s" */
static const char *length(int64_t ns, char *buf, size_t buf_bytes)
{
    const int64_t minutes = (ns + 30 * ST_NS_PER_S) / (60 * ST_NS_PER_S);
    if (ns < 120 * ST_NS_PER_S)
        snprintf(buf, buf_bytes, "%" PRId64 " s", (ns + ST_NS_PER_S / 2) / ST_NS_PER_S);
    else if (minutes < 60)
        snprintf(buf, buf_bytes, "%" PRId64 " min", minutes);
    else if (minutes < 48 * 60)
        snprintf(buf, buf_bytes, "%" PRId64 " h %" PRId64 " min", minutes / 60, minutes % 60);
    else
        snprintf(buf, buf_bytes, "%" PRId64 " d %" PRId64 " h", minutes / 1440, minutes / 60 % 24);
    return buf;
}

/* --- sums --- */

struct sums {
    int64_t measured_ns, cycles, misses, skipped, simulated, own, observed, starved;
    bool watched;                           /* a source of xruns was watched, at least some of the time */
    int64_t max_ns, max_from_ns, max_to_ns; /* of the row with the greatest lateness */
};

static struct sums sum_up(const json_t *document)
{
    struct sums sums = {.max_ns = INT64_MIN};
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const json_t *xruns = json_object_get(row, "xruns");
        const json_t *observed = json_object_get(xruns, "observed");
        const json_t *max = json_object_get(json_object_get(row, "lateness"), "max_ns");
        sums.measured_ns += st_json_field(row, "measured_ns");
        sums.cycles += st_json_field(row, "cycles");
        sums.misses += st_json_field(row, "misses");
        sums.skipped += st_json_field(row, "skipped_periods");
        sums.simulated += st_json_field(xruns, "simulated");
        sums.own += st_json_field(xruns, "own");
        sums.observed += json_integer_value(observed);
        sums.starved += st_json_field(row, "starved_clients");
        sums.watched = sums.watched || json_is_integer(observed);
        if (json_is_integer(max) && json_integer_value(max) > sums.max_ns) {
            sums.max_ns = json_integer_value(max);
            sums.max_from_ns = st_json_field(row, "from_ns");
            sums.max_to_ns = st_json_field(row, "to_ns");
        }
    }
    return sums;
}

bool st_history_text_measured(const json_t *document)
{
    return sum_up(document).measured_ns > 0;
}

/* " (12.3%)"; "" for no time at all. A clock that was set back causes this, and also more than 100 %. */
static const char *share(int64_t measured_ns, int64_t of_ns, char *buf, size_t buf_bytes)
{
    const double percent = of_ns > 0 ? 100 * (double)measured_ns / (double)of_ns : 0;
    if (of_ns <= 0)
        buf[0] = '\0';
    else if (percent < 0.01)
        snprintf(buf, buf_bytes, " (<0.01%%)");
    else if (percent < 99.95)
        snprintf(buf, buf_bytes, " (%.3g%%)", percent);
    else
        snprintf(buf, buf_bytes, " (%.0f%%)", percent);
    return buf;
}

static void put_sums(FILE *out, const json_t *document, const struct sums *sums, int columns)
{
    char text[256], from[32], to[32], measured[32], of[32], percent[32], lateness[32];
    const int64_t since_ns = st_json_field(document, "since_ns"),
                  until_ns = st_json_field(document, "until_ns");
    minute_of(since_ns, from, sizeof(from));
    minute_of(until_ns, to, sizeof(to));
    if (sums->measured_ns <= 0) {
        snprintf(text, sizeof(text), "No whole minute was measured from %s to %s.", from, to);
        st_text_wrap(out, text, 0, columns);
        return;
    }
    snprintf(text, sizeof(text), "%s to %s: measured for %s of %s%s, %" PRId64 " cycles.", from, to,
             length(sums->measured_ns, measured, sizeof(measured)),
             length(until_ns - since_ns, of, sizeof(of)),
             share(sums->measured_ns, until_ns - since_ns, percent, sizeof(percent)), sums->cycles);
    st_text_wrap(out, text, 0, columns);
    const int64_t periods = sums->cycles + sums->skipped;
    const double rate = periods > 0 ? st_stats_rate_max95((uint64_t)sums->misses, (uint64_t)periods) : 0;
    const double bound = rate * (double)periods * (double)HOUR_NS / (double)sums->measured_ns;
    if (periods > 0)
        snprintf(text, sizeof(text),
                 "%" PRId64 " of %" PRId64 " periods (95%% confidence: at most %s per hour)", sums->misses,
                 periods, st_result_bound_text(bound, from, sizeof(from)));
    else
        snprintf(text, sizeof(text), "no period was counted");
    st_text_field(out, "missed", text, LABEL_COLUMNS, columns);
    int n =
        snprintf(text, sizeof(text), "%" PRId64 " simulated, %" PRId64 " own", sums->simulated, sums->own);
    if (sums->watched)
        snprintf(text + n, sizeof(text) - (size_t)n,
                 ", %" PRId64 " of other programs, whose clients were late %" PRId64 " time%s",
                 sums->observed, sums->starved, sums->starved == 1 ? "" : "s");
    else
        snprintf(text + n, sizeof(text) - (size_t)n, "; other programs were not watched");
    st_text_field(out, "dropouts", text, LABEL_COLUMNS, columns);
    if (sums->max_ns != INT64_MIN) {
        snprintf(text, sizeof(text), "wake-up %s late, between %s and %s",
                 st_ns_format(sums->max_ns, lateness, sizeof(lateness)),
                 minute_of(sums->max_from_ns, from, sizeof(from)),
                 minute_of(sums->max_to_ns, to, sizeof(to)));
        st_text_field(out, "worst", text, LABEL_COLUMNS, columns);
    }
}

/* --- sparkline --- */

/* The greatest lateness in each of n equal parts of the time; INT64_MIN: not measured. @return n. */
static size_t fill_cells(const json_t *document, int64_t cells[CELLS_MAX])
{
    const int64_t since_ns = st_json_field(document, "since_ns"),
                  until_ns = st_json_field(document, "until_ns");
    const int64_t step_ns = st_json_field(document, "step_ns");
    const int64_t span_ns = until_ns - since_ns;
    if (step_ns <= 0 || span_ns <= 0)
        return 0;
    const int64_t steps = (span_ns + step_ns - 1) / step_ns;
    const size_t n = steps < CELLS_MAX ? (size_t)steps : CELLS_MAX;
    for (size_t i = 0; i < n; i++)
        cells[i] = INT64_MIN;
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const json_t *max = json_object_get(json_object_get(row, "lateness"), "max_ns");
        if (!json_is_integer(max))
            continue;
        const double middle = (double)(st_json_field(row, "from_ns") - since_ns) / 2 +
                              (double)(st_json_field(row, "to_ns") - since_ns) / 2;
        const double half = (double)(st_json_field(row, "to_ns") - st_json_field(row, "from_ns")) / 2;
        for (size_t cell = 0; cell < n; cell++) {
            const double at = ((double)cell + 0.5) * (double)span_ns / (double)n;
            const bool nearest = (size_t)fmax(0, middle / (double)span_ns * (double)n) == cell;
            if ((nearest || fabs(at - middle) < half) && json_integer_value(max) > cells[cell])
                cells[cell] = json_integer_value(max);
        }
    }
    return n;
}

static void draw_sparkline(FILE *out, const json_t *document, int columns)
{
    static const char *const unicode[LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[LEVELS] = {".", ":", "-", "=", "+", "*", "%", "#"};
    int64_t cells[CELLS_MAX], low_ns = INT64_MAX, high_ns = INT64_MIN;
    char low[32], high[32];
    const size_t n = fill_cells(document, cells);
    for (size_t i = 0; i < n; i++) {
        if (cells[i] == INT64_MIN)
            continue;
        low_ns = cells[i] < low_ns ? cells[i] : low_ns;
        high_ns = cells[i] > high_ns ? cells[i] : high_ns;
    }
    if (n < 2 || high_ns == INT64_MIN)
        return;
    st_text_pad(out, "over time", LABEL_COLUMNS);
    const double range = log(fmax((double)high_ns, 1)) - log(fmax((double)low_ns, 1));
    for (size_t i = 0; i < n; i++) {
        const double above = cells[i] == INT64_MIN || range <= 0
                                 ? 0
                                 : (log(fmax((double)cells[i], 1)) - log(fmax((double)low_ns, 1))) / range;
        const int level = (int)fmin(LEVELS - 1, above * LEVELS);
        fputs(cells[i] == INT64_MIN ? " " : st_locale_utf8() ? unicode[level] : ascii[level], out);
    }
    char text[128];
    if (low_ns == high_ns)
        snprintf(text, sizeof(text), "worst wake-up, %s; blank: not measured",
                 st_ns_format(low_ns, low, sizeof(low)));
    else
        snprintf(text, sizeof(text), "worst wake-up, %s to %s, logarithmic; blank: not measured",
                 st_ns_format(low_ns, low, sizeof(low)), st_ns_format(high_ns, high, sizeof(high)));
    fprintf(out, "\n%*s", LABEL_COLUMNS, "");
    st_text_wrap(out, text, LABEL_COLUMNS, columns - LABEL_COLUMNS);
}

/* --- rows --- */

static void right(FILE *out, const char *text, int columns)
{
    const int have = st_text_columns(text);
    fprintf(out, "%*s%s", have < columns ? columns - have : 1, "", text);
}

static void put_ns(FILE *out, const json_t *value)
{
    char text[32];
    right(out, json_is_integer(value) ? st_ns_format(json_integer_value(value), text, sizeof(text)) : "-",
          10);
}

static void put_row(FILE *out, const json_t *row)
{
    char text[96], to[32];
    const int64_t from_ns = st_json_field(row, "from_ns"), to_ns = st_json_field(row, "to_ns");
    const int64_t measured_ns = st_json_field(row, "measured_ns");
    const json_t *xruns = json_object_get(row, "xruns"), *lateness = json_object_get(row, "lateness");
    fputs(minute_of(from_ns, text, sizeof(text)), out);
    if (json_is_null(json_object_get(row, "cycles"))) {
        fprintf(out, "  no data until %s\n", minute_of(to_ns, to, sizeof(to)));
        return;
    }
    if (to_ns > from_ns)
        snprintf(text, sizeof(text), "%.0f%%",
                 floor(100 * (1e-4 + (double)measured_ns / (double)(to_ns - from_ns))));
    else
        snprintf(text, sizeof(text), "-");
    right(out, text, 5);
    snprintf(text, sizeof(text), "%" PRId64, st_json_field(row, "cycles"));
    right(out, text, 11);
    snprintf(text, sizeof(text), "%" PRId64, st_json_field(row, "misses"));
    right(out, text, 7);
    const json_t *observed = json_object_get(xruns, "observed");
    int n = snprintf(text, sizeof(text), "%" PRId64 "/%" PRId64 "/", st_json_field(xruns, "simulated"),
                     st_json_field(xruns, "own"));
    if (json_is_integer(observed))
        snprintf(text + n, sizeof(text) - (size_t)n, "%" PRId64, (int64_t)json_integer_value(observed));
    else
        snprintf(text + n, sizeof(text) - (size_t)n, "-");
    right(out, text, 9);
    put_ns(out, json_object_get(lateness, "p50_ns"));
    put_ns(out, json_object_get(lateness, "p99_ns"));
    put_ns(out, json_object_get(lateness, "max_ns"));
    fputc('\n', out);
}

static void put_circumstances(FILE *out, const json_t *document, int columns)
{
    size_t i;
    const json_t *one;
    const json_t *all = json_object_get(document, "circumstances");
    json_array_foreach(all, i, one)
    {
        char text[400], kernel[96], policy[32], governor[40], cpu[32] = "any CPU";
        if (st_json_field(one, "cpu") >= 0)
            snprintf(cpu, sizeof(cpu), "CPU %" PRId64, st_json_field(one, "cpu"));
        st_json_field_safe(json_object_get(one, "kernel"), kernel, sizeof(kernel));
        st_json_field_safe(json_object_get(one, "policy"), policy, sizeof(policy));
        st_json_field_safe(json_object_get(one, "governor"), governor, sizeof(governor));
        snprintf(text, sizeof(text),
                 "%" PRId64 " frames at %" PRId64 " Hz, %" PRId64 " periods; %s %" PRId64
                 ", %s; load %g %%; kernel %s; governor %s",
                 st_json_field(one, "frames"), st_json_field(one, "rate_hz"), st_json_field(one, "periods"),
                 policy[0] != '\0' ? policy : "?", st_json_field(one, "priority"), cpu,
                 json_number_value(json_object_get(one, "load_percent")), kernel[0] != '\0' ? kernel : "?",
                 governor[0] != '\0' ? governor : "unknown");
        st_text_field(out, i > 0 ? "and" : "measured as", text, LABEL_COLUMNS, columns);
    }
}

void st_history_text_steps(FILE *out, const json_t *document, int columns)
{
    const struct sums sums = sum_up(document);
    const int width = columns < WIDTH_MIN ? WIDTH_MIN : columns;
    put_sums(out, document, &sums, width);
    if (sums.measured_ns <= 0)
        return;
    draw_sparkline(out, document, width);
    fprintf(out, "\n%-16s%5s%11s%7s%9s%10s%10s%10s\n", "from", "ran", "cycles", "missed", "xruns", "p50",
            "p99", "max");
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(document, "rows"), i, row) put_row(out, row);
    fputc('\n', out);
    st_text_field(out, "ran", "share of the step in which the loop ran", LABEL_COLUMNS, width);
    st_text_field(out, "xruns", "simulated/own/of other programs; -: not watched", LABEL_COLUMNS, width);
    st_text_field(out, "p50, p99", "of lateness (woke - due), within 0.4 %; -: too few cycles", LABEL_COLUMNS,
                  width);
    put_circumstances(out, document, width);
}

/* --- events --- */

void st_history_text_event(FILE *out, const json_t *event, int columns)
{
    char when[32], part[256], line[1024];
    static const struct {
        const char *key, *before;
    } more[] = {{"device", "; device "}, {"client", "; client "}, {"certainty", "; "}, {"culprit", "; by "}};
    int n = snprintf(line, sizeof(line),
                     "%s  %s: ", st_when_text(st_json_field(event, "time_ns"), when, sizeof(when)),
                     st_json_field_safe(json_object_get(event, "event"), part, sizeof(part)));
    n += snprintf(line + n, sizeof(line) - (size_t)n, "%s",
                  st_json_field_safe(json_object_get(event, "text"), part, sizeof(part)));
    for (size_t i = 0; i < ST_ARRAY_LEN(more); i++) {
        st_json_field_safe(json_object_get(event, more[i].key), part, 96);
        if (part[0] != '\0' && strstr(line, part) == NULL) /* texts of xruns name them already */
            n += snprintf(line + n, sizeof(line) - (size_t)n, "%s%s", more[i].before, part);
    }
    st_text_wrap(out, line, 4, columns);
}

/* --- causes: the sentence, then a row for each cause and culprit --- */

/* A name that does not fit ends in an ellipsis, because a process id that is cut would be another id. */
static void put_name(FILE *out, char *text, int columns)
{
    const bool fits = st_text_columns(text) < columns;
    fputs(st_text_clip(text, fits ? columns : columns - 2), out);
    st_text_pad(out, fits ? "" : "…", fits ? columns - st_text_columns(text) : 2);
}

/* A row of the document, or those of several threads of one program. */
struct shown {
    char cause[128], culprit[128];
    size_t program_len; /* of the culprit; 0: no thread */
    int64_t threads_n, count, total_ns, worst_ns;
    double explained_ns;
    bool figures;
};

static struct shown *of_same_program(struct shown *rows, size_t n, const struct shown *row)
{
    for (size_t i = 0; i < n && row->program_len > 0; i++) {
        if (strcmp(rows[i].cause, row->cause) == 0 && rows[i].program_len == row->program_len &&
            memcmp(rows[i].culprit, row->culprit, row->program_len) == 0)
            return &rows[i];
    }
    return NULL;
}

static int longest_first(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;
    return (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
}

/* @return the number; rows has room for all rows of the document. */
static size_t gather(const json_t *document_rows, struct shown *rows)
{
    size_t n = 0, i;
    const json_t *from;
    json_array_foreach(document_rows, i, from)
    {
        const json_t *explained = json_object_get(from, "explained");
        struct shown row = {.threads_n = 1,
                            .count = st_json_field(from, "count"),
                            .total_ns = st_json_field(from, "total_ns"),
                            .worst_ns = st_json_field(from, "worst_ns"),
                            .figures = json_is_number(explained)};
        if (row.count <= 0) /* it has only xruns */
            continue;
        row.explained_ns = json_number_value(explained) * (double)row.total_ns;
        st_json_field_safe(json_object_get(from, "cause"), row.cause, sizeof(row.cause));
        st_json_field_safe(json_object_get(from, "culprit"), row.culprit, sizeof(row.culprit));
        row.program_len = st_cause_kind_program_len(row.culprit);
        struct shown *to = of_same_program(rows, n, &row);
        if (to == NULL) {
            rows[n++] = row;
            continue;
        }
        to->threads_n++;
        to->count = st_ns_add(to->count, row.count);
        to->total_ns = st_ns_add(to->total_ns, row.total_ns);
        to->worst_ns = row.worst_ns > to->worst_ns ? row.worst_ns : to->worst_ns;
        to->explained_ns += row.explained_ns;
        to->figures = to->figures || row.figures;
    }
    qsort(rows, n, sizeof(*rows), longest_first);
    return n;
}

static void show_row(FILE *out, struct shown *row, int name_columns)
{
    char text[160], share[16] = "-";
    st_text_pad(out, row->cause, CAUSE_COLUMNS);
    if (row->threads_n > 1)
        snprintf(text, sizeof(text), "%.*s (%" PRId64 ")", (int)row->program_len, row->culprit,
                 row->threads_n);
    else
        snprintf(text, sizeof(text), "%s", row->culprit[0] != '\0' ? row->culprit : "-");
    put_name(out, text, name_columns);
    snprintf(text, sizeof(text), "%" PRId64, row->count);
    right(out, text, 7);
    right(out, st_ns_format(row->total_ns, text, sizeof(text)), 11);
    right(out, st_ns_format(row->worst_ns, text, sizeof(text)), 11);
    if (row->figures && row->total_ns > 0)
        snprintf(share, sizeof(share), "%.0f %%", 100 * row->explained_ns / (double)row->total_ns);
    right(out, share, 10);
    fputc('\n', out);
}

static void show_rows(FILE *out, const json_t *document_rows, int columns)
{
    const int rest = columns - CAUSE_COLUMNS - FIGURE_COLUMNS;
    const int name_columns = rest < NAME_MIN ? NAME_MIN : rest > NAME_MAX ? NAME_MAX : rest;
    struct shown *rows = calloc(json_array_size(document_rows), sizeof(*rows));
    if (rows == NULL)
        return;
    fprintf(out, "\n%-*s%-*s%7s%11s%11s%10s\n", CAUSE_COLUMNS, "cause", name_columns, "culprit", "count",
            "total", "worst", "explained");
    const size_t n = gather(document_rows, rows);
    for (size_t i = 0; i < n; i++)
        show_row(out, &rows[i], name_columns);
    free(rows);
}

void st_history_text_causes(FILE *out, const json_t *document, int columns)
{
    char text[512], from[32], to[32];
    const json_t *rows = json_object_get(document, "rows"), *tracer = json_object_get(document, "tracer");
    st_text_wrap(out, st_json_field_safe(json_object_get(document, "verdict"), text, sizeof(text)), 0,
                 columns);
    if (json_array_size(rows) > 0)
        show_rows(out, rows, columns);
    fputc('\n', out);
    if (st_json_field(document, "wakes") > 0) {
        snprintf(text, sizeof(text), "%s to %s",
                 st_when_text(st_json_field(document, "from_ns"), from, sizeof(from)),
                 st_when_text(st_json_field(document, "to_ns"), to, sizeof(to)));
        st_text_field(out, "from", text, 10, columns);
        snprintf(text, sizeof(text), "%" PRId64 " simulated, %" PRId64 " of them without a known cause",
                 st_json_field(document, "simulated_xruns"),
                 st_json_field(document, "simulated_xruns_unknown"));
        st_text_field(out, "dropouts", text, 10, columns);
    }
    if (json_array_size(rows) > 0)
        st_text_field(
            out, "explained",
            "share of the total that a counter accounts for (wait for a CPU, stop, throttling; otherwise, with "
            "a tracer, the time for which the culprit had the CPU); -: no counter, found by ruling out the "
            "other causes",
            10, columns);
    char why[200];
    if (json_is_string(tracer)) {
        snprintf(text, sizeof(text), "unknown without a tracer: %s",
                 st_json_field_safe(tracer, why, sizeof(why)));
        st_text_field(out, "culprit", text, 10, columns);
    }
}
