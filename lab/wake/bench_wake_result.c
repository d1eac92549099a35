/* Results of `sleeptune-lab wake` for people. */
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "lab/bench_text.h"
#include "lab/summary.h"
#include "lab/wake/bench_wake.h"

#define NAME_COLUMNS   17
#define MATRIX_COLUMNS 13 /* width of a median and a mean, such as "  3.77   4.02" */
#define LINE_BYTES     400

void st_bench_wake_list(struct st_lab *lab, FILE *out, int width)
{
    const struct st_wake_method *m;
    for (size_t i = 0; (m = lab->wake_method(lab, i)) != NULL; i++)
        st_text_field(out, m->name, m->summary, NAME_COLUMNS, width);
}

/* Prints a heading such as "One CPU, woken early". @param head first cell of the rows below the
 * heading. */
static void heading(const struct st_wake_cell *head, const char *after, FILE *out)
{
    fprintf(out, "%s CPU%s, %s%s", head->placement == ST_WAKE_SAME_CPU ? "One" : "Two",
            head->placement == ST_WAKE_SAME_CPU ? "" : "s",
            head->kind == ST_WAKE_INTERRUPTED ? "woken early" : "timed out", after);
}

/* Prints a row of a table: the delays of one mechanism at slices (lengths of sleep) from .. to -
 * 1. */
static void matrix_row(const struct st_bench_wake *bench, size_t first, size_t from, size_t to,
                       FILE *out, int width)
{
    const size_t stride = bench->cells_n / bench->config.slices_n;
    const struct st_wake_cell *head = &bench->cells[first];
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        n += head[i * stride].n;
    if (n == 0 && head[from * stride].why != NULL)
        st_bench_text_missing(out, head->method->name, head[from * stride].why,
                              head[from * stride].error, NAME_COLUMNS, width);
    if (n == 0)
        return;
    st_text_pad(out, head->method->name, NAME_COLUMNS);
    for (size_t i = from; i < to; i++) {
        const struct st_summary *delay = &head[i * stride].delay;
        const bool known = delay->median.known;
        fprintf(out, " %6s %5s",
                known ? st_bench_text_us((double)delay->median.value_ns, ST_ROOM(32)) : "-",
                head[i * stride].n > 0 ? st_bench_text_us(delay->mean_ns, ST_ROOM(32)) : "-");
    }
    fputc('\n', out);
}

/* Prints the tables: all kinds and placements, with as many slices as fit on a line. */
static void matrix(const struct st_bench_wake *bench, FILE *out, int width)
{
    const struct st_bench_wake_config *c = &bench->config;
    const size_t room =
        width > NAME_COLUMNS + MATRIX_COLUMNS ? (size_t)(width - NAME_COLUMNS) / MATRIX_COLUMNS : 1;
    char slice[32];
    for (size_t from = 0, to; from < c->slices_n; from = to) {
        to = from + room < c->slices_n ? from + room : c->slices_n;
        st_text_pad(out, "Delay in µs", NAME_COLUMNS);
        for (size_t i = from; i < to; i++) {
            ST_PRINT(slice, "%g ms", (double)c->slices_ns[i] / 1e6);
            fprintf(out, "%*s", MATRIX_COLUMNS, slice);
        }
        fprintf(out, "\n%-*s", NAME_COLUMNS, "");
        for (size_t i = from; i < to; i++)
            fprintf(out, "%*s", MATRIX_COLUMNS, "median  mean");
        fputc('\n', out);
        for (size_t first = 0; first < bench->cells_n / c->slices_n; first++) {
            if (first % c->methods_n == 0)
                heading(&bench->cells[first], "\n", out);
            matrix_row(bench, first, from, to, out, width);
        }
        fputc('\n', out);
    }
}

/* --- sentences --- */

/* Lists the mechanisms whose delay grows with the slice by more than chance: "futex by 1.20 µs
 * (0.50 .. 2.00 µs)"; with shown_ones false, the other mechanisms: "futex (-1.3 .. 0.4 µs)".
 * @return how many. */
static size_t growth_list(const struct st_bench_wake *bench, const struct st_wake_growth *growths,
                          size_t first, bool shown_ones, const char *words, FILE *out)
{
    size_t n = 0;
    for (size_t i = 0; i < bench->config.methods_n; i++) {
        const struct st_estimate *e = &growths[i].by_ns;
        if (!e->known || (e->low > 0) != shown_ones)
            continue;
        fprintf(out, "%s%s", n++ == 0 ? words : ", ", bench->cells[first + i].method->name);
        if (shown_ones)
            fprintf(out, " by %s µs", st_bench_text_us(e->value, ST_ROOM(32)));
        fprintf(out, " (%s .. %s µs)", st_bench_text_us(e->low, ST_ROOM(32)),
                st_bench_text_us(e->high, ST_ROOM(32)));
    }
    return n;
}

static void write_growth(const struct st_bench_wake *bench, const struct st_wake_growth *growths,
                         size_t first, FILE *out)
{
    const struct st_wake_cell *cell = &bench->cells[first];
    size_t unknown_n = 0;
    double most = 0;
    heading(cell, "", out);
    fprintf(out, " after sleeps of %s to %s:", st_ns_text(growths[0].from_ns),
            st_ns_text(growths[0].to_ns));
    for (size_t i = 0; i < bench->config.methods_n; i++) {
        unknown_n += !growths[i].by_ns.known && bench->cells[first + i].n > 0;
        most =
            growths[i].by_ns.known && growths[i].by_ns.high > most ? growths[i].by_ns.high : most;
    }
    const double percent = 100 * most / (double)(growths[0].to_ns - growths[0].from_ns);
    const size_t grown_n =
        growth_list(bench, growths, first, true, " the delay grows with the sleep for ", out);
    const size_t flat_n = growth_list(
        bench, growths, first, false,
        grown_n > 0 ? "; no growth is shown for " : " no growth of the delay is shown for ", out);
    if (grown_n + flat_n > 0)
        fprintf(out,
                "; with 99 %% confidence %s at most %.2g %% of the difference between these sleeps",
                grown_n + flat_n > 1 ? "the growth of each is" : "it is", percent);
    if (unknown_n > 0)
        fprintf(out, "; too few rounds to decide for the other methods (%d are needed)",
                8 * ST_BENCH_WAKE_BLOCK_ROUNDS);
    fputc('.', out);
}

/* Prints whether the delay depends on the slice, in one sentence for all mechanisms that have the
 * same kind and placement.
 * @return false: too few rounds. */
static bool growth_sentence(const struct st_bench_wake *bench, size_t first, FILE *out, int width)
{
    const size_t methods_n = bench->config.methods_n;
    struct st_wake_growth *growths = calloc(methods_n, sizeof(*growths));
    char *line = NULL;
    size_t bytes, measured_n = 0, known_n = 0;
    FILE *text = growths != NULL ? open_memstream(&line, &bytes) : NULL;
    int r = text != NULL ? 0 : -ENOMEM;
    for (size_t i = 0; i < methods_n && r == 0; i++) {
        r = st_bench_wake_growth(bench, &bench->cells[first + i], &growths[i]);
        measured_n += bench->cells[first + i].n > 0;
        known_n += growths[i].by_ns.known;
    }
    if (r == 0 && known_n > 0)
        write_growth(bench, growths, first, text);
    if (text != NULL && fclose(text) == 0 && r == 0 && known_n > 0)
        st_text_wrap(out, line, 0, width);
    free(line);
    free(growths);
    return known_n > 0 || measured_n == 0;
}

static void unreached_sentence(const struct st_bench_wake *bench, FILE *out, int width)
{
    size_t n = 0, here_n = 0; /* here_n: combinations that this system can measure; n: how many of
                                 these have no round */
    ST_EACH_OF (cell, bench->cells, bench->cells_n) {
        here_n += cell->why == NULL;
        n += cell->n == 0 && cell->why == NULL;
    }
    if (n == 0)
        return;
    st_text_say(out, width, "%zu of %zu combinations were not measured: the run ended early.", n,
                here_n);
}

/* Prints how many rounds a median needs, if the table has a dash because a median is unknown. */
static void dash_sentence(const struct st_bench_wake *bench, FILE *out, int width)
{
    bool any = false;
    ST_EACH_OF (cell, bench->cells, bench->cells_n)
        any = any || (cell->n > 0 && !cell->delay.median.known);
    if (!any)
        return;
    st_text_say(out, width,
                "A dash: too few rounds for a median, which needs %u. Set more --rounds or a "
                "longer --budget.",
                (unsigned)st_stats_quantile_min_n(0.5));
}

void st_bench_wake_print(const struct st_bench_wake *bench, struct st_lab *lab, FILE *out,
                         int width)
{
    const struct st_bench_wake_config *c = &bench->config;
    char line[LINE_BYTES];
    size_t least_n = SIZE_MAX, most_n = 0;
    bool decided = true;
    ST_EACH_OF (cell, bench->cells, bench->cells_n) {
        least_n = cell->n > 0 && cell->n < least_n ? cell->n : least_n;
        most_n = cell->n > most_n ? cell->n : most_n;
    }
    matrix(bench, out, width);
    for (size_t first = 0; c->slices_n > 1 && first < bench->cells_n / c->slices_n;
         first += c->methods_n)
        decided &= growth_sentence(bench, first, out, width);
    if (!decided)
        st_text_say(out, width,
                    "There were too few rounds to decide whether the delay grows with the sleep: "
                    "%d are needed.",
                    8 * ST_BENCH_WAKE_BLOCK_ROUNDS);
    unreached_sentence(bench, out, width);
    ST_PRINT(line, "Delay: time from just before the signal (if timed out: from the due time) "
                   "until the wait has returned");
    if (most_n > 0)
        ST_APPEND(line, "; %zu", least_n);
    if (least_n < most_n)
        ST_APPEND(line, " to %zu", most_n);
    st_text_say(out, width, "%s%s", line, most_n > 0 ? " rounds of each." : ".");
    dash_sentence(bench, out, width);
    ST_PRINT(line, "Waking thread on CPU %d", c->sender_cpu);
    if (c->other_cpu >= 0)
        ST_APPEND(line, ", other CPU %d", c->other_cpu);
    ST_APPEND(line, "; random order, seed %llu; %s%s.", (unsigned long long)c->seed,
              st_ns_text(bench->elapsed_ns), bench->stopped ? ", ended early" : "");
    st_text_wrap(out, line, 0, width);
    st_bench_text_conditions(lab->platform, out, width);
}

/* --- the JSON document sleeptune-bench-wake/1 --- */

static json_t *cell_json(const struct st_wake_cell *cell)
{
    json_t *send = NULL;
    if (cell->kind == ST_WAKE_INTERRUPTED)
        send = st_summary_json(&cell->send);
    return st_json_object(
        "mechanism:t placement:t kind:t slice_ns:i n:i delay_ns:o median_ci95_ns:o send_ns:o "
        "samples_ns:o missing:t error:o",
        cell->method->name, st_bench_wake_placement_name(cell->placement),
        st_bench_wake_kind_name(cell->kind), cell->slice_ns, (int64_t)cell->n,
        st_summary_json(&cell->delay), st_summary_interval_json(&cell->delay.median), send,
        st_summary_integers_json(cell->delay_ns, cell->n), cell->why, st_json_error(cell->error));
}

json_t *st_bench_wake_json(const struct st_bench_wake *bench, struct st_lab *lab)
{
    const struct st_bench_wake_config *c = &bench->config;
    json_t *results = json_array();
    ST_EACH_OF (cell, bench->cells, bench->cells_n)
        (void)json_array_append_new(results, cell_json(cell));
    return st_json_object(
        "schema:t seed:t rounds:i sender_cpu:u other_cpu:o elapsed_ns:i interrupted:b results:o "
        "conditions:o",
        "sleeptune-bench-wake/1", st_text("%ju", c->seed), (int64_t)c->rounds, c->sender_cpu,
        st_json_integer_or_null(c->other_cpu >= 0, c->other_cpu), bench->elapsed_ns, bench->stopped,
        results, st_bench_text_conditions_json(lab->platform));
}
