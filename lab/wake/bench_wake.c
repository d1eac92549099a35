#include "lab/wake/bench_wake.h"

#include "core/ns.h"

#define BLOCK_ROUNDS ST_BENCH_WAKE_BLOCK_ROUNDS
/* first rounds of a pair of threads, not counted: page faults, first timers */
#define WARM_UP_N 2
#define OPEN_NS   (1 * ST_NS_PER_MS)   /* about how long starting a pair of threads takes */
#define ROUND_NS  (200 * ST_NS_PER_US) /* about how long a round takes in addition to its slice */

const char *st_bench_wake_kind_name(enum st_wake_kind kind)
{
    static const char *const names[] = {
        [ST_WAKE_INTERRUPTED] = "interrupted", [ST_WAKE_TIMED_OUT] = "timed-out"};
    return names[kind];
}

const char *st_bench_wake_placement_name(enum st_wake_placement placement)
{
    static const char *const names[] = {
        [ST_WAKE_SAME_CPU] = "same-cpu", [ST_WAKE_OTHER_CPU] = "other-cpu"};
    return names[placement];
}

static void refuse(struct st_wake_cell *cell, const char *why, int error)
{
    cell->why = why;
    cell->error = error;
}

/* --- cells --- */

static void refuse_impossible(struct st_wake_cell *cell, const struct st_bench_wake_config *c)
{
    if (cell->placement == ST_WAKE_OTHER_CPU && c->other_cpu < 0)
        refuse(cell, "a second CPU is needed", 0);
}

static void init_cell(struct st_wake_cell *cell, const struct st_bench_wake_config *c, size_t i)
{
    cell->method = c->methods[i % c->methods_n];
    i /= c->methods_n;
    cell->placement = c->placements[i % c->placements_n];
    i /= c->placements_n;
    cell->kind = c->kinds[i % c->kinds_n];
    cell->slice_ns = c->slices_ns[i / c->kinds_n];
    refuse_impossible(cell, c);
}

int64_t st_bench_wake_expected_ns(const struct st_bench_wake *bench)
{
    const int64_t rounds = (int64_t)bench->config.rounds;
    const int64_t visits = (rounds + BLOCK_ROUNDS - 1) / BLOCK_ROUNDS;
    int64_t sum_ns = 0;
    ST_EACH_OF (cell, bench->cells, bench->cells_n) {
        const int64_t round_ns = cell->slice_ns + ROUND_NS;
        if (cell->why == NULL)
            sum_ns += (rounds + visits * WARM_UP_N) * round_ns + visits * OPEN_NS;
    }
    return sum_ns;
}

/* Finds the largest number of rounds that the budget allows, by bisection. @return 0, -ERANGE: even
 * 1 round takes too long. */
static int fit_rounds(struct st_bench_wake *bench)
{
    struct st_bench_wake_config *c = &bench->config;
    size_t fit = 0, most = c->rounds;
    if (c->budget_ns == 0)
        return 0;
    while (fit < most) {
        c->rounds = fit + (most - fit + 1) / 2;
        if (st_bench_wake_expected_ns(bench) <= c->budget_ns)
            fit = c->rounds;
        else
            most = c->rounds - 1;
    }
    c->rounds = fit > 0 ? fit : 1;
    return fit > 0 ? 0 : -ERANGE;
}

int st_bench_wake_init(struct st_bench_wake *bench, const struct st_bench_wake_config *config)
{
    const size_t sizes[] = {config->methods_n, config->placements_n, config->kinds_n,
                            config->slices_n};
    size_t n = 1;
    ST_EACH (size, sizes) {
        if (*size == 0 || config->rounds == 0)
            return -EINVAL;
        if (*size > ST_BENCH_WAKE_CELLS_MAX / n)
            return -E2BIG;
        n *= *size;
    }
    *bench = (struct st_bench_wake){.config = *config, .cells_n = n};
    bench->cells = calloc(n, sizeof(*bench->cells));
    if (bench->cells == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        init_cell(&bench->cells[i], config, i);
    const int r = fit_rounds(bench);
    for (size_t i = 0; i < n && r == 0; i++) {
        struct st_wake_cell *cell = &bench->cells[i];
        cell->delay_ns = calloc(bench->config.rounds, sizeof(*cell->delay_ns));
        cell->send_ns = calloc(bench->config.rounds, sizeof(*cell->send_ns));
        if (cell->delay_ns == NULL || cell->send_ns == NULL) {
            st_bench_wake_finish(bench);
            return -ENOMEM;
        }
    }
    return r;
}

void st_bench_wake_finish(struct st_bench_wake *bench)
{
    ST_EACH_OF (cell, bench->cells, bench->cells_n) {
        free(cell->delay_ns);
        free(cell->send_ns);
    }
    free(bench->cells);
    *bench = (struct st_bench_wake){0};
}

/* --- rounds --- */

static bool go_on(struct st_bench_wake *bench)
{
    const struct st_bench_wake_config *c = &bench->config;
    if (!bench->stopped && c->go_on != NULL)
        bench->stopped = !c->go_on(c->ctx, bench);
    return !bench->stopped;
}

static void play(struct st_bench_wake *bench, struct st_wake *w, struct st_wake_cell *cell)
{
    const bool interrupted = cell->kind == ST_WAKE_INTERRUPTED;
    for (size_t i = 0; i < WARM_UP_N + BLOCK_ROUNDS && cell->n < bench->config.rounds; i++) {
        struct st_wake_stamps stamps;
        if (!go_on(bench))
            return;
        const int r = w->lab->wake_round(w, cell->slice_ns, interrupted, &stamps);
        if (r != 0) {
            refuse(cell, r == -ETIMEDOUT ? "the sleeping thread did not wake up" : "a round failed",
                   r);
            return;
        }
        if (i < WARM_UP_N)
            continue;
        cell->delay_ns[cell->n] =
            st_ns_sub(stamps.woke_ns, interrupted ? stamps.signal_ns : stamps.due_ns);
        cell->send_ns[cell->n++] = interrupted ? st_ns_sub(stamps.sent_ns, stamps.signal_ns) : 0;
    }
}

static void visit(struct st_bench_wake *bench, struct st_lab *lab, struct st_wake_cell *cell)
{
    const struct st_bench_wake_config *c = &bench->config;
    const struct st_wake_setting setting = {
        .sender_cpu = c->sender_cpu,
        .sleeper_cpu = cell->placement == ST_WAKE_SAME_CPU ? c->sender_cpu : c->other_cpu};
    struct st_wake w = {.method = cell->method, .platform = lab->platform, .lab = lab};
    const int r = lab->wake_open(&w, &setting);
    if (r != 0) {
        refuse(cell, "the kernel refused the test", r);
        return;
    }
    play(bench, &w, cell);
    lab->wake_close(&w);
}

/* Computes the figures of a cell. @param scratch room for cell->n values. */
static void figure(struct st_wake_cell *cell, int64_t *scratch)
{
    memcpy(scratch, cell->send_ns, cell->n * sizeof(*scratch));
    const struct st_sample send = st_sample_of(scratch, cell->n);
    st_summary_of(&send, &cell->send);
    memcpy(scratch, cell->delay_ns, cell->n * sizeof(*scratch));
    const struct st_sample delay = st_sample_of(scratch, cell->n);
    st_summary_of(&delay, &cell->delay);
}

int st_bench_wake_measure(struct st_bench_wake *bench, struct st_lab *lab)
{
    const size_t rounds = bench->config.rounds;
    struct st_random random = {.state = bench->config.seed};
    size_t *order = calloc(bench->cells_n, sizeof(*order));
    int64_t *scratch = calloc(rounds, sizeof(*scratch));
    int r = order != NULL && scratch != NULL ? 0 : -ENOMEM;
    const int64_t begin_ns = st_lab_now_ns(lab);
    for (size_t i = 0; i < bench->cells_n && r == 0; i++)
        order[i] = i;
    for (size_t done = 0; r == 0 && done < rounds && !bench->stopped; done += BLOCK_ROUNDS) {
        st_sample_shuffle(&random, order, bench->cells_n);
        for (size_t i = 0; i < bench->cells_n && go_on(bench); i++) {
            if (bench->cells[order[i]].why == NULL)
                visit(bench, lab, &bench->cells[order[i]]);
        }
    }
    for (size_t i = 0; i < bench->cells_n && r == 0; i++)
        figure(&bench->cells[i], scratch);
    bench->elapsed_ns = st_lab_now_ns(lab) - begin_ns;
    free(order);
    free(scratch);
    return r;
}

/* The rest of the file computes whether the delay grows with the slice. */

/* Distance between the cells of two neighbouring slices with the same mechanism, placement and
 * kind, in the array of cells. */
static size_t stride(const struct st_bench_wake_config *c)
{
    return c->methods_n * c->placements_n * c->kinds_n;
}

static double block_median(const struct st_wake_cell *cell, size_t block)
{
    int64_t values_ns[ST_BENCH_WAKE_BLOCK_ROUNDS];
    memcpy(values_ns, cell->delay_ns + block * ST_BENCH_WAKE_BLOCK_ROUNDS, sizeof(values_ns));
    const struct st_sample sample = st_sample_of(values_ns, ST_BENCH_WAKE_BLOCK_ROUNDS);
    return (double)st_sample_quantile(&sample, 0.5);
}

/* The growth of the delay from the shortest to the longest slice (range_ns apart) in one block: a
 * least-squares line through the medians of all slices. */
static double growth_in(const struct st_bench_wake *bench, const struct st_wake_cell *first,
                        size_t block, int64_t range_ns)
{
    const struct st_bench_wake_config *c = &bench->config;
    double mean_ns = 0, with_ns = 0, of_ns = 0;
    ST_EACH_OF (slice, c->slices_ns, c->slices_n)
        mean_ns += (double)*slice / (double)c->slices_n;
    for (size_t i = 0; i < c->slices_n; i++) {
        const double off_ns = (double)c->slices_ns[i] - mean_ns;
        with_ns += off_ns * block_median(first + i * stride(c), block);
        of_ns += off_ns * off_ns;
    }
    return with_ns / of_ns * (double)range_ns;
}

int st_bench_wake_growth(const struct st_bench_wake *bench, const struct st_wake_cell *first,
                         struct st_wake_growth *ret)
{
    const struct st_bench_wake_config *c = &bench->config;
    size_t blocks_n = SIZE_MAX;
    *ret = (struct st_wake_growth){.from_ns = c->slices_ns[0], .to_ns = c->slices_ns[0]};
    for (size_t i = 0; i < c->slices_n; i++) {
        const size_t n = first[i * stride(c)].n / ST_BENCH_WAKE_BLOCK_ROUNDS;
        blocks_n = n < blocks_n ? n : blocks_n;
        ret->from_ns = c->slices_ns[i] < ret->from_ns ? c->slices_ns[i] : ret->from_ns;
        ret->to_ns = c->slices_ns[i] > ret->to_ns ? c->slices_ns[i] : ret->to_ns;
    }
    ret->blocks_n = blocks_n;
    if (ret->from_ns == ret->to_ns || blocks_n == 0)
        return 0;
    double *room = calloc(2 * blocks_n, sizeof(*room));
    if (room == NULL)
        return -ENOMEM;
    for (size_t block = 0; block < blocks_n; block++)
        room[blocks_n + block] = growth_in(bench, first, block, ret->to_ns - ret->from_ns);
    const int r = st_estimate_of_pairs(room, room + blocks_n, blocks_n, &ret->by_ns);
    free(room);
    return r;
}
