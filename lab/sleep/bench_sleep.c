#include "lab/sleep/bench_sleep.h"

#include "core/ns.h"
#include "core/stats/random.h"
#include "lab/punctual/arms.h"
#include "lab/summary.h"

#define VISIT_NS          (50 * ST_NS_PER_MS)
#define VISIT_MAX_N       10
#define WARM_UP_NS        (100 * ST_NS_PER_US) /* one sleep before those that count: first faults */
#define INTERRUPTED_MAX_N 5                    /* visits without one sample */
#define NARROW_MIN_N      100                  /* in ST_BENCH_SLEEP_BLOCKS blocks, which ranks use */
#define NARROW_NS         500                  /* half an interval that need not be narrower */

size_t st_bench_sleep_visit_n(const struct st_bench_sleep *bench, int64_t requested_ns)
{
    const int64_t fit_n = VISIT_NS / requested_ns;
    const int64_t full_n = fit_n < 1 ? 1 : fit_n > VISIT_MAX_N ? VISIT_MAX_N : fit_n;
    const size_t n = (size_t)((double)full_n * bench->visit_share);
    return n < 1 ? 1 : n;
}

struct st_sleep_cell *st_bench_sleep_cell(const struct st_bench_sleep *bench, size_t setting, size_t duration,
                                          size_t method)
{
    const struct st_bench_sleep_config *c = &bench->config;
    return &bench->cells[(setting * c->durations_n + duration) * c->methods_n + method];
}

static bool wanted(const struct st_sleep_cell *cell)
{
    return cell->why == NULL && !cell->narrow;
}

static int64_t visit_ns(const struct st_bench_sleep *bench, const struct st_sleep_cell *cell)
{
    if (cell->visits_n > 0)
        return cell->spent_ns / (int64_t)cell->visits_n;
    return (int64_t)st_bench_sleep_visit_n(bench, cell->requested_ns) * cell->requested_ns;
}

int64_t st_bench_sleep_block_ns(const struct st_bench_sleep *bench)
{
    int64_t sum_ns = 0;
    ST_EACH_OF (cell, bench->cells, bench->cells_n)
        sum_ns += wanted(cell) ? visit_ns(bench, cell) : 0;
    return sum_ns;
}

static void refuse(struct st_sleep_cell *cell, const char *why, int error)
{
    cell->why = why;
    cell->error = error;
}

static void init_cell(struct st_sleep_cell *cell, const struct st_bench_sleep_config *config, size_t i)
{
    const size_t methods_n = config->methods_n, durations_n = config->durations_n;
    cell->method = config->methods[i % methods_n];
    cell->requested_ns = config->durations_ns[i / methods_n % durations_n];
    cell->setting = i / methods_n / durations_n;
}

int st_bench_sleep_init(struct st_bench_sleep *bench, struct st_threads *threads,
                        const struct st_bench_sleep_config *config)
{
    const size_t n = config->methods_n * config->durations_n * config->settings_n;
    if (n == 0 || config->baseline >= config->methods_n)
        return -EINVAL;
    if (config->methods_n > ST_BENCH_SLEEP_CELLS_MAX || config->durations_n > ST_BENCH_SLEEP_CELLS_MAX ||
        config->settings_n > ST_BENCH_SLEEP_CELLS_MAX || n > ST_BENCH_SLEEP_CELLS_MAX)
        return -E2BIG;
    ST_EACH_OF (duration, config->durations_ns, config->durations_n) {
        if (*duration <= 0)
            return -EINVAL;
    }
    *bench = (struct st_bench_sleep){.config = *config, .cells_n = n, .slack_found_ns = -1, .visit_share = 1};
    bench->cells = calloc(n, sizeof(*bench->cells));
    if (bench->cells == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        init_cell(&bench->cells[i], config, i);
    int64_t slack_ns;
    if (threads->timer_slack_ns(threads, &slack_ns) == 0)
        bench->slack_found_ns = slack_ns;
    (void)threads->get_policy(threads, &bench->policy_found, &bench->priority_found); /* else: other */
    const int64_t full_ns = st_bench_sleep_block_ns(bench) * ST_BENCH_SLEEP_BLOCKS;
    const int64_t overhead_ns = full_ns / 10;
    if (bench->config.budget_ns == 0)
        bench->config.budget_ns = full_ns + overhead_ns;
    else if (full_ns + overhead_ns > bench->config.budget_ns)
        bench->visit_share = (double)bench->config.budget_ns / (double)(full_ns + overhead_ns);
    return 0;
}

void st_bench_sleep_finish(struct st_bench_sleep *bench)
{
    ST_EACH_OF (cell, bench->cells, bench->cells_n) {
        free(cell->overshoot_ns);
        free(cell->blocks);
    }
    free(bench->cells);
    *bench = (struct st_bench_sleep){0};
}

/* --- one visit --- */

static int make_room(struct st_sleep_cell *cell, size_t n)
{
    if (cell->n + n <= cell->room_n)
        return 0;
    const size_t room_n = 2 * cell->room_n + n;
    int64_t *values = realloc(cell->overshoot_ns, room_n * sizeof(*values));
    if (values == NULL)
        return -ENOMEM;
    cell->overshoot_ns = values;
    uint32_t *blocks = realloc(cell->blocks, room_n * sizeof(*blocks));
    if (blocks == NULL)
        return -ENOMEM;
    cell->blocks = blocks;
    memset(values + cell->n, 0, (room_n - cell->n) * sizeof(*values)); /* the pages are there */
    memset(blocks + cell->n, 0, (room_n - cell->n) * sizeof(*blocks));
    cell->room_n = room_n;
    return 0;
}

/* What reading the counter twice costs by itself: the least of some. */
static int64_t cpu_read_cost_ns(struct st_threads *threads)
{
    int64_t least_ns = INT64_MAX;
    for (int i = 0; i < 16; i++) {
        const int64_t before_ns = threads->thread_cpu_ns(threads);
        const int64_t cost_ns = threads->thread_cpu_ns(threads) - before_ns;
        least_ns = cost_ns < least_ns ? cost_ns : least_ns;
    }
    return least_ns > 0 ? least_ns : 0;
}

/* @return 0, or a reason in the cell. */
static int enter_setting(const struct st_bench_sleep *bench, struct st_threads *threads,
                         struct st_sleep_cell *cell)
{
    const struct st_sleep_setting *setting = &bench->config.settings[cell->setting];
    /* slack first: of a real-time thread it cannot be set */
    const int64_t slack_ns = setting->slack_ns >= 0 ? setting->slack_ns : bench->slack_found_ns;
    int r = threads->set_policy(threads, ST_POLICY_OTHER, 0);
    if (r != 0)
        refuse(cell, "the policy cannot be changed", r);
    if (r == 0 && slack_ns >= 1) {
        r = threads->set_timer_slack_ns(threads, slack_ns);
        if (r != 0)
            refuse(cell, "the timer slack cannot be set", r);
    }
    if (r == 0 && setting->policy != ST_POLICY_OTHER) {
        r = threads->set_policy(threads, setting->policy, setting->priority);
        if (r != 0)
            refuse(cell, "no right to a real-time policy", r);
    }
    return r;
}

static void leave_setting(const struct st_bench_sleep *bench, struct st_threads *threads)
{
    (void)threads->set_policy(threads, ST_POLICY_OTHER, 0);
    if (bench->slack_found_ns >= 1)
        (void)threads->set_timer_slack_ns(threads, bench->slack_found_ns);
    if (bench->policy_found != ST_POLICY_OTHER)
        (void)threads->set_policy(threads, bench->policy_found, bench->priority_found);
}

static bool on_time(const struct st_sleep *s, int64_t woke_ns)
{
    const int64_t late_ns = st_ns_sub(woke_ns, s->due_ns);
    return late_ns >= -ST_ON_TIME_NS && late_ns <= ST_ON_TIME_NS;
}

/* Sleeps; what comes back late is a sample, what a signal ends is none. */
static void sleep_times(struct st_bench_sleep *bench, struct st_clock *clock, struct st_sleep_cell *cell,
                        struct st_sleep *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int64_t start_ns = st_clock_now_ns(clock);
        const int r = st_sleep_once(s, start_ns, cell->requested_ns);
        const int64_t woke_ns = st_clock_now_ns(clock);
        if (r == -EINTR) {
            cell->interrupted_n++;
            return;
        }
        if (r != 0) {
            refuse(cell, "the sleep failed", r);
            return;
        }
        cell->on_time_n += on_time(s, woke_ns);
        cell->overshoot_ns[cell->n] = st_ns_sub(woke_ns, s->due_ns);
        cell->blocks[cell->n++] = bench->blocks_n;
    }
}

static int visit(struct st_bench_sleep *bench, struct st_platform *p, struct st_sleep_cell *cell,
                 int64_t read_cost_ns)
{
    const size_t n = st_bench_sleep_visit_n(bench, cell->requested_ns);
    struct st_sleep s;
    if (make_room(cell, n) != 0)
        return -ENOMEM;
    const int64_t begin_ns = st_clock_now_ns(&p->clock);
    const size_t before_n = cell->n;
    int r = enter_setting(bench, &p->threads, cell);
    if (r == 0) {
        r = st_sleep_open(&s, p, cell->method);
        if (r != 0)
            refuse(cell, "the kernel refused this call", r);
    }
    if (r == 0) {
        const int warmed = st_sleep_once(&s, st_clock_now_ns(&p->clock), WARM_UP_NS);
        if (warmed != 0 && warmed != -EINTR)
            refuse(cell, "the sleep failed", warmed);
        const int64_t cpu_before_ns = p->threads.thread_cpu_ns(&p->threads);
        if (cell->why == NULL)
            sleep_times(bench, &p->clock, cell, &s, n);
        const int64_t cpu_after_ns = p->threads.thread_cpu_ns(&p->threads);
        if (cpu_before_ns >= 0 && cpu_after_ns >= cpu_before_ns + read_cost_ns && cell->n == before_n + n) {
            cell->cpu_ns += cpu_after_ns - cpu_before_ns - read_cost_ns;
            cell->cpu_sleeps_n += n;
        }
        st_sleep_close(&s);
    }
    leave_setting(bench, &p->threads);
    cell->spent_ns += st_clock_now_ns(&p->clock) - begin_ns;
    cell->visits_n++;
    if (cell->n == 0 && cell->why == NULL && cell->visits_n == INTERRUPTED_MAX_N)
        refuse(cell, "each sleep was ended early by a signal", -EINTR);
    return 0;
}

/* --- blocks --- */

/* Is the interval of the cell's median narrow enough? scratch: room for its values. */
static bool is_narrow(const struct st_sleep_cell *cell, double precision, int64_t *scratch)
{
    if (cell->n < NARROW_MIN_N || cell->visits_n < ST_BENCH_SLEEP_BLOCKS || !(precision > 0))
        return false;
    struct st_summary summary;
    memcpy(scratch, cell->overshoot_ns, cell->n * sizeof(*scratch));
    const struct st_sample sample = st_sample_of(scratch, cell->n);
    st_summary_of(&sample, &summary);
    const struct st_quantile *m = &summary.median;
    if (!m->interval_known)
        return false;
    const double half_ns = (double)(m->high_ns - m->low_ns) / 2;
    return half_ns <= NARROW_NS || half_ns <= precision * (double)m->value_ns;
}

/* One block. @return 1: it went through, 0: the time is used up or nothing is left, -ENOMEM. */
static int run_block(struct st_bench_sleep *bench, struct st_platform *p, size_t *order, int64_t end_ns,
                     int64_t read_cost_ns)
{
    bool visited = false;
    ST_EACH_OF (place, order, bench->cells_n) {
        struct st_sleep_cell *cell = &bench->cells[*place];
        if (!wanted(cell) || st_clock_now_ns(&p->clock) + visit_ns(bench, cell) > end_ns)
            continue;
        if (bench->config.go_on != NULL && !bench->config.go_on(bench->config.ctx, bench)) {
            bench->stopped = true;
            return 0;
        }
        const int r = visit(bench, p, cell, read_cost_ns);
        if (r != 0)
            return r;
        visited = true;
    }
    return visited;
}

static int mark_narrow(struct st_bench_sleep *bench)
{
    size_t most_n = 1;
    ST_EACH_OF (cell, bench->cells, bench->cells_n)
        most_n = cell->n > most_n ? cell->n : most_n;
    int64_t *scratch = calloc(most_n, sizeof(*scratch));
    if (scratch == NULL)
        return -ENOMEM;
    ST_EACH_OF (cell, bench->cells, bench->cells_n) {
        if (wanted(cell))
            cell->narrow = is_narrow(cell, bench->config.precision, scratch);
    }
    free(scratch);
    return 0;
}

int st_bench_sleep_measure(struct st_bench_sleep *bench, struct st_platform *p)
{
    struct st_random random = {.state = bench->config.seed};
    size_t *order = calloc(bench->cells_n, sizeof(*order));
    if (order == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < bench->cells_n; i++)
        order[i] = i;
    const int64_t read_cost_ns = cpu_read_cost_ns(&p->threads);
    const int64_t begin_ns = st_clock_now_ns(&p->clock);
    const int64_t end_ns = st_ns_add(begin_ns, bench->config.budget_ns);
    int r;
    do {
        st_random_shuffle(&random, order, bench->cells_n);
        r = run_block(bench, p, order, end_ns, read_cost_ns);
        bench->blocks_n++;
        bench->elapsed_ns = st_clock_now_ns(&p->clock) - begin_ns;
        if (r > 0 && mark_narrow(bench) != 0)
            r = -ENOMEM;
    } while (r > 0);
    free(order);
    return r;
}
