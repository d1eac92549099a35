/* What a dash stands for in the text of `sleeptune-lab sleep`, and what it takes to have a figure there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ns.h"
#include "core/text.h"
#include "lab/bench_text.h"
#include "lab/sleep/bench_sleep_text.h"

#define LINE_BYTES 600
#define BUDGET_MAX (86400 * ST_NS_PER_S) /* what --budget takes */

/* Without a figure although there may be some later: it was not refused. */
static bool lacks_samples(const struct st_bench_sleep *bench, size_t i)
{
    return bench->cells[i].why == NULL && st_bench_sleep_measured(bench, i % bench->config.methods_n);
}

/* --- refused --- */

static bool same_reason(const struct st_sleep_cell *a, const struct st_sleep_cell *b)
{
    return a->setting == b->setting && strcmp(a->why, b->why) == 0 && a->error == b->error;
}

/* Refused before it had a median, of a method that was measured elsewhere. */
static bool is_refused(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures, size_t i)
{
    return bench->cells[i].why != NULL && figures[i].rank == 0 &&
           st_bench_sleep_measured(bench, i % bench->config.methods_n);
}

/* "ppoll (1 of 3 durations)": those refused as `first` is. */
static void refused_line(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                         size_t first, FILE *out, int width)
{
    const struct st_sleep_cell *head = &bench->cells[first];
    char line[LINE_BYTES], setting[120];
    size_t used, n = 0;
    used = (size_t)snprintf(line, sizeof(line), "-: not measured: %s%s%s%s; %s: ", head->why,
                            head->error != 0 ? " (" : "", head->error != 0 ? strerror(-head->error) : "",
                            head->error != 0 ? ")" : "",
                            st_sleep_setting_text(bench, head->setting, setting, sizeof(setting)));
    for (size_t m = 0; m < bench->config.methods_n; m++) {
        size_t refused_n = 0;
        for (size_t d = 0; d < bench->config.durations_n; d++) {
            const size_t i = (size_t)(st_bench_sleep_cell(bench, head->setting, d, m) - bench->cells);
            refused_n += is_refused(bench, figures, i) && same_reason(head, &bench->cells[i]);
        }
        if (refused_n > 0 && used < sizeof(line))
            used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", n++ > 0 ? ", " : "",
                                     bench->config.methods[m]->name);
        if (refused_n > 0 && refused_n < bench->config.durations_n && used < sizeof(line))
            used += (size_t)snprintf(line + used, sizeof(line) - used, " (%zu of %zu durations)", refused_n,
                                     bench->config.durations_n);
    }
    if (used < sizeof(line))
        snprintf(line + used, sizeof(line) - used, ".");
    st_text_wrap(out, line, 0, width);
}

/* Once for each setting and reason. */
static void refused(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures, FILE *out,
                    int width)
{
    for (size_t i = 0; i < bench->cells_n; i++) {
        bool told = false;
        if (!is_refused(bench, figures, i))
            continue;
        for (size_t k = 0; k < i && !told; k++)
            told = is_refused(bench, figures, k) && same_reason(&bench->cells[k], &bench->cells[i]);
        if (!told)
            refused_line(bench, figures, i, out, width);
    }
}

/* --- too few samples --- */

/* The time in which every cell that can be measured has n samples: blocks of full visits, at what a sample of
 * each took. */
static int64_t expected_ns(const struct st_bench_sleep *bench, uint64_t n)
{
    struct st_bench_sleep full = *bench; /* its cells are only read */
    double block_ns = 0, blocks_n = 0;
    full.visit_share = 1;
    for (size_t i = 0; i < bench->cells_n; i++) {
        const struct st_sleep_cell *cell = &bench->cells[i];
        const double visit_n = (double)st_sleep_visit_n(&full, cell->requested_ns);
        if (cell->why != NULL)
            continue;
        blocks_n = fmax(blocks_n, ceil((double)n / visit_n));
        block_ns +=
            visit_n * (cell->n > 0 ? (double)cell->spent_ns / (double)cell->n : (double)cell->requested_ns);
    }
    return (int64_t)(blocks_n * block_ns);
}

/* The samples that the figures take which are not known; brief: of medians only. */
static uint64_t missing_n(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                          bool brief)
{
    uint64_t most_n = 0;
    for (size_t i = 0; i < bench->cells_n; i++) {
        const struct st_summary *s = &figures[i].overshoot;
        const struct st_quantile *const shown[] = {&s->median, &s->q3, &s->p95, &s->p99};
        if (!lacks_samples(bench, i) || (!brief && bench->cells[i].n == 0))
            continue; /* without one it has a line of its own */
        for (size_t k = 0; k < (brief ? 1 : ST_ARRAY_LEN(shown)); k++) {
            const uint64_t takes_n = st_stats_quantile_min_n(shown[k]->p);
            if (!shown[k]->known && takes_n > most_n)
                most_n = takes_n;
        }
    }
    return most_n;
}

void st_bench_sleep_dashes(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                           bool brief, FILE *out, int width)
{
    char line[LINE_BYTES], about[32], budget[40] = "";
    const uint64_t n = missing_n(bench, figures, brief);
    if (brief)
        refused(bench, figures, out, width);
    if (n == 0)
        return;
    const int64_t ns = (int64_t)(1.1 * (double)expected_ns(bench, n)); /* with what is around them */
    if (ns <= BUDGET_MAX)
        snprintf(budget, sizeof(budget), ": --precision 0 --budget %.0fs", ceil((double)ns / 1e9));
    if (brief)
        snprintf(line, sizeof(line), "-: fewer than %u samples, too few for a median.", (unsigned)n);
    else
        snprintf(line, sizeof(line),
                 "A dash: too few samples; a median takes %u, q1 and q3 %u, p95 %u, p99 %u.",
                 (unsigned)st_stats_quantile_min_n(0.5), (unsigned)st_stats_quantile_min_n(0.75),
                 (unsigned)st_stats_quantile_min_n(0.95), (unsigned)st_stats_quantile_min_n(0.99));
    const size_t used = strlen(line);
    snprintf(line + used, sizeof(line) - used, " %u of each take about %s%s.", (unsigned)n,
             st_bench_rough(ns, about, sizeof(about)), budget);
    st_text_wrap(out, line, 0, width);
}
