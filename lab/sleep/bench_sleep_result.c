#include "lab/sleep/bench_sleep_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/tick.h"
#include "lab/rank.h"

/* --- block by block --- */

/* The values from *at on that belong to one block: their median. Moves *at behind them. */
static int64_t block_median(const struct st_sleep_cell *cell, size_t *at, int64_t *scratch)
{
    const uint32_t block = cell->blocks[*at];
    size_t n = 0;
    for (; *at < cell->n && cell->blocks[*at] == block; ++*at)
        scratch[n++] = cell->overshoot_ns[*at];
    const struct st_sample sample = st_sample_of(scratch, n);
    return n % 2 == 1 ? sample.values_ns[n / 2] : (sample.values_ns[n / 2 - 1] + sample.values_ns[n / 2]) / 2;
}

/* Adds the differences B - A of the blocks that both were measured in. scratch: room for a block of each. */
static size_t differences(const struct st_sleep_cell *a, const struct st_sleep_cell *b, int64_t *scratch,
                          int64_t *out)
{
    size_t i = 0, j = 0, n = 0;
    while (i < a->n && j < b->n) {
        if (a->blocks[i] < b->blocks[j]) {
            i++;
        } else if (b->blocks[j] < a->blocks[i]) {
            j++;
        } else {
            const int64_t median_a = block_median(a, &i, scratch);
            out[n++] = block_median(b, &j, scratch) - median_a;
        }
    }
    return n;
}

bool st_bench_sleep_measured(const struct st_bench_sleep *bench, size_t method)
{
    for (size_t i = method; i < bench->cells_n; i += bench->config.methods_n) {
        if (bench->cells[i].n > 0)
            return true;
    }
    return false;
}

static size_t most_samples(const struct st_bench_sleep *bench)
{
    size_t most_n = 0;
    for (size_t i = 0; i < bench->cells_n; i++)
        most_n = bench->cells[i].n > most_n ? bench->cells[i].n : most_n;
    return most_n;
}

int st_sleep_difference(const struct st_sleep_cell *a, const struct st_sleep_cell *b, double confidence,
                        struct st_quantile *ret)
{
    const size_t most_n = a->n > b->n ? a->n : b->n;
    int64_t *room = calloc(2 * (most_n + 1), sizeof(*room));
    if (room == NULL)
        return -ENOMEM;
    *ret = st_median_interval_at(room, differences(a, b, room + most_n + 1, room), confidence);
    free(room);
    return 0;
}

/* --- figures --- */

static int difference(const void *ctx, size_t a, size_t b, double confidence, struct st_quantile *ret)
{
    const struct st_bench_sleep *bench = ctx;
    return st_sleep_difference(&bench->cells[a], &bench->cells[b], confidence, ret);
}

/* Ranks of one setting and duration. order: room for all methods. */
static int rank(const struct st_bench_sleep *bench, size_t first, struct st_sleep_figures *figures,
                struct st_ranked *order)
{
    size_t n = 0;
    for (size_t i = first; i < first + bench->config.methods_n; i++) {
        const struct st_quantile *median = &figures[i].overshoot.median;
        if (median->known)
            order[n++] = (struct st_ranked){.id = i, .median_ns = median->value_ns};
    }
    double confidence;
    const int r = st_rank(order, n, difference, bench, &confidence);
    for (size_t i = 0; i < n && r == 0; i++) {
        struct st_sleep_figures *f = &figures[order[i].id];
        f->rank = order[i].rank;
        f->beaten_by_n = order[i].better_n;
        f->rank_confidence = confidence;
    }
    return r;
}

static void figures_of(const struct st_sleep_cell *cell, const struct st_sample *sample,
                       struct st_sleep_figures *f)
{
    st_summary_of(sample, &f->overshoot);
    f->percent_known = f->overshoot.median.known;
    f->percent = 100.0 * (double)f->overshoot.median.value_ns / (double)cell->requested_ns;
    f->on_time = cell->n > 0 ? (double)cell->on_time_n / (double)cell->n : 0;
    f->cpu_ns = cell->cpu_sleeps_n > 0 ? (double)cell->cpu_ns / (double)cell->cpu_sleeps_n : -1;
}

/* All of one setting and duration. values: each cell's, sorted. */
static int compare_group(const struct st_bench_sleep *bench, size_t first, const struct st_sample *samples,
                         struct st_random *random, struct st_sleep_figures *figures)
{
    const size_t base = first + bench->config.baseline;
    const struct st_summary *b = &figures[base].overshoot;
    for (size_t i = first; i < first + bench->config.methods_n; i++) {
        struct st_sleep_figures *f = &figures[i];
        const int r = st_sd_ratio(&samples[base], &samples[i], random, &f->sd_ratio);
        if (r != 0)
            return r;
        f->range_ratio_known = b->n >= 2 && b->max_ns > b->min_ns && f->overshoot.n >= 2;
        if (f->range_ratio_known)
            f->range_ratio =
                (double)(f->overshoot.max_ns - f->overshoot.min_ns) / (double)(b->max_ns - b->min_ns);
    }
    return 0;
}

static int fill(const struct st_bench_sleep *bench, struct st_sample *samples, struct st_ranked *order,
                struct st_sleep_figures *figures)
{
    struct st_random random = {.state = bench->config.seed};
    for (size_t i = 0; i < bench->cells_n; i++) {
        const struct st_sleep_cell *cell = &bench->cells[i];
        int64_t *copy = calloc(cell->n + 1, sizeof(*copy));
        if (copy == NULL)
            return -ENOMEM;
        if (cell->n > 0)
            memcpy(copy, cell->overshoot_ns, cell->n * sizeof(*copy));
        samples[i] = st_sample_of(copy, cell->n);
        figures_of(cell, &samples[i], &figures[i]);
    }
    for (size_t first = 0; first < bench->cells_n; first += bench->config.methods_n) {
        int r = compare_group(bench, first, samples, &random, figures);
        if (r == 0)
            r = rank(bench, first, figures, order);
        if (r != 0)
            return r;
    }
    return 0;
}

int st_bench_sleep_figures(const struct st_bench_sleep *bench, struct st_sleep_figures **ret)
{
    struct st_sleep_figures *figures = calloc(bench->cells_n, sizeof(*figures));
    struct st_sample *samples = calloc(bench->cells_n, sizeof(*samples));
    struct st_ranked *order = calloc(bench->config.methods_n, sizeof(*order));
    int r = -ENOMEM;
    if (figures != NULL && samples != NULL && order != NULL)
        r = fill(bench, samples, order, figures);
    for (size_t i = 0; samples != NULL && i < bench->cells_n; i++) {
        int64_t *values;
        memcpy(&values, &samples[i].values_ns, sizeof(values)); /* ours; the sample only reads them */
        free(values);
    }
    free(samples);
    free(order);
    if (r == 0)
        *ret = figures;
    else
        free(figures);
    return r;
}

/* --- what the kernel's setting does --- */

static int64_t slack_of(const struct st_bench_sleep *bench, size_t setting)
{
    const int64_t slack_ns = bench->config.settings[setting].slack_ns;
    return slack_ns >= 0 ? slack_ns : bench->slack_found_ns;
}

static struct st_sleep_contrast linux_contrast(const struct st_bench_sleep *bench)
{
    struct st_sleep_contrast c = {0};
    size_t normal_n = 0;
    for (size_t i = 0; i < bench->config.settings_n; i++) {
        if (bench->config.settings[i].policy != ST_POLICY_OTHER)
            continue; /* a real-time thread has no slack */
        if (normal_n == 0 || slack_of(bench, i) < slack_of(bench, c.low))
            c.low = i;
        if (normal_n == 0 || slack_of(bench, i) > slack_of(bench, c.high))
            c.high = i;
        normal_n++;
    }
    if (normal_n < 2)
        return (struct st_sleep_contrast){0};
    c.low_ns = slack_of(bench, c.low);
    c.high_ns = slack_of(bench, c.high);
    c.allowed_ns = c.high_ns - c.low_ns;
    return c;
}

static bool read_number(struct st_platform *p, const char *name, int64_t *ret)
{
    char text[32];
    size_t len;
    return p->read_sysctl(p, name, text, sizeof(text), &len) == 0 &&
           st_number_i64(text, INT64_MIN, INT64_MAX, ret) == 0;
}

static struct st_sleep_contrast freebsd_contrast(const struct st_bench_sleep *bench, struct st_platform *p)
{
    struct st_sleep_contrast c = {0};
    const int64_t *durations_ns = bench->config.durations_ns;
    int64_t percent, hz;
    struct st_tick_late low, high;
    for (size_t i = 0; i < bench->config.durations_n; i++) {
        c.low = durations_ns[i] < durations_ns[c.low] ? i : c.low;
        c.high = durations_ns[i] > durations_ns[c.high] ? i : c.high;
    }
    c.low_ns = durations_ns[c.low];
    c.high_ns = durations_ns[c.high];
    if (!read_number(p, "kern.timecounter.alloweddeviation", &percent) || !read_number(p, "kern.hz", &hz) ||
        st_tick_late(percent, hz, (double)c.low_ns, &low) != 0 ||
        st_tick_late(percent, hz, (double)c.high_ns, &high) != 0)
        return (struct st_sleep_contrast){0};
    c.allowed_ns = (int64_t)(high.slop_ns - low.slop_ns);
    return c;
}

struct st_sleep_contrast st_bench_sleep_contrast(const struct st_bench_sleep *bench, struct st_platform *p)
{
    const struct st_sleep_contrast c =
        p->os == ST_OS_FREEBSD ? freebsd_contrast(bench, p) : linux_contrast(bench);
    return c.allowed_ns > 0 ? c : (struct st_sleep_contrast){0};
}

static int measure_contrast(const struct st_bench_sleep *bench, const struct st_platform *p,
                            const struct st_sleep_contrast *c, size_t method, struct st_quantile *ret)
{
    const size_t durations_n = bench->config.durations_n, most_n = most_samples(bench);
    int64_t *room = calloc((durations_n + 1) * (most_n + 1), sizeof(*room));
    if (room == NULL)
        return -ENOMEM;
    int64_t *scratch = room + durations_n * (most_n + 1);
    size_t n = 0;
    if (p->os == ST_OS_FREEBSD) {
        n = differences(st_bench_sleep_cell(bench, 0, c->low, method),
                        st_bench_sleep_cell(bench, 0, c->high, method), scratch, room);
    } else {
        for (size_t d = 0; d < durations_n; d++)
            n += differences(st_bench_sleep_cell(bench, c->low, d, method),
                             st_bench_sleep_cell(bench, c->high, d, method), scratch, room + n);
    }
    *ret = st_median_interval(room, n);
    free(room);
    return 0;
}

static enum st_stretch_seen judge(const struct st_quantile *difference, int64_t allowed_ns)
{
    if (!difference->interval_known)
        return ST_STRETCH_UNCLEAR;
    if (difference->low_ns > allowed_ns / 2)
        return ST_STRETCH_SEEN;
    return difference->high_ns < allowed_ns / 2 ? ST_STRETCH_NOT_SEEN : ST_STRETCH_UNCLEAR;
}

int st_bench_sleep_stretch(const struct st_bench_sleep *bench, struct st_platform *p, size_t method,
                           enum st_stretch_seen *ret_seen, struct st_quantile *ret)
{
    const struct st_sleep_contrast c = st_bench_sleep_contrast(bench, p);
    *ret = (struct st_quantile){.p = 0.5};
    *ret_seen = ST_STRETCH_UNTRIED;
    if (c.allowed_ns == 0 || !st_bench_sleep_measured(bench, method))
        return 0;
    const int r = measure_contrast(bench, p, &c, method, ret);
    if (r == 0)
        *ret_seen = judge(ret, c.allowed_ns);
    return r;
}
