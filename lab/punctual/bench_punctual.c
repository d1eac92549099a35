#include "lab/punctual/bench_punctual.h"

#include "lab/punctual/punctual_wait.h"

/* The loop between two turns. */
struct run {
    struct st_platform *p;
    int (*sleep_until_ns)(struct st_clock *, int64_t) ST_NONBLOCKING;
    struct st_period period;
    int64_t t0_ns, done_ns; /* done: the last clock read */
    uint64_t k;             /* the next cycle's period */
    uint64_t skipped;
    int64_t lateness_ns[ST_ARM_BLOCK]; /* of this turn */
    size_t n;
};

/* Cycles until period `end`. margin: NULL sleeps until due. Compiled with and without one. */
static inline __attribute__((always_inline)) int span(struct run *run, uint64_t end,
                                                      struct st_margin *margin) ST_NONBLOCKING
{
    struct st_clock *const clock = &run->p->clock;
    int64_t due_ns = st_period_due_ns(&run->period, run->t0_ns, run->k);
    while (run->k < end) {
        int64_t woke_ns = 0;
        const bool sleeps = run->done_ns < due_ns;
        int r = 0;
        if (sleeps)
            r = margin != NULL
                    ? st_punctual_wait(margin, clock, run->sleep_until_ns, run->done_ns, due_ns, &woke_ns)
                    : run->sleep_until_ns(clock, due_ns);
        if (r == -EINTR)
            continue;
        if (r != 0)
            return r;
        if (margin == NULL || !sleeps)
            woke_ns = clock->now_ns(clock);
        run->done_ns = woke_ns;
        run->lateness_ns[run->n++] = woke_ns - due_ns;
        due_ns = st_period_due_ns(&run->period, run->t0_ns, ++run->k);
        if (woke_ns >= due_ns) { /* the next cycle is in the period that has begun */
            const uint64_t now = st_period_index_at(&run->period, run->t0_ns, woke_ns);
            run->skipped += now - run->k;
            run->k = now;
            due_ns = st_period_due_ns(&run->period, run->t0_ns, now);
        }
    }
    return 0;
}

static int plain_span(struct run *run, uint64_t end) ST_NONBLOCKING
{
    return span(run, end, NULL);
}

/* One turn, and its figures. counts: not warm-up. */
static int turn(struct st_bench_punctual *bench, struct run *run, uint64_t last, bool counts)
{
    const size_t i = st_arm_of(run->k, bench->config.arms_n);
    struct st_arm *arm = &bench->arms[i];
    struct st_arm_result *result = &bench->results[i];
    const uint64_t block_end = (run->k / ST_ARM_BLOCK + 1) * ST_ARM_BLOCK;
    const uint64_t end = block_end < last ? block_end : last;
    run->n = 0;
    run->skipped = 0;
    const int64_t before_ns = run->p->threads.thread_cpu_ns(&run->p->threads);
    const int r = arm->choice.kind == ST_ARM_PLAIN ? plain_span(run, end) : span(run, end, &arm->margin);
    const int64_t after_ns = run->p->threads.thread_cpu_ns(&run->p->threads);
    if (before_ns >= 0 && after_ns >= 0)
        st_arms_block(bench->arms, bench->config.arms_n, i, run->n, after_ns - before_ns);
    for (size_t n = 0; counts && n < run->n; n++) {
        const int64_t late_ns = run->lateness_ns[n];
        st_hist_add(&result->lateness, late_ns);
        result->on_time_n += late_ns >= -ST_ON_TIME_NS && late_ns <= ST_ON_TIME_NS;
    }
    bench->cycles += counts ? run->n : 0;
    bench->skipped_periods += counts ? run->skipped : 0;
    return r;
}

static int init(struct st_bench_punctual *bench)
{
    const size_t n = bench->config.arms_n;
    bench->arms = calloc(n, sizeof(*bench->arms));
    bench->results = calloc(n, sizeof(*bench->results));
    int r = bench->arms == NULL || bench->results == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < n && r == 0; i++) {
        st_arm_init(&bench->arms[i], &bench->config.choices[i], st_period_ns(&bench->config.period));
        r = st_hist_init(&bench->results[i].lateness, 3);
        if (r == 0)
            st_hist_touch(&bench->results[i].lateness);
    }
    return r;
}

int st_bench_punctual_measure(struct st_platform *p, const struct st_bench_punctual_config *config,
                              struct st_bench_punctual *ret)
{
    *ret = (struct st_bench_punctual){.config = *config};
    int r = init(ret);
    if (r != 0)
        return r;
    const uint64_t first = 2 * ST_ARM_BLOCK * config->arms_n;
    const int64_t now_ns = p->clock.now_ns(&p->clock);
    struct run run = {.p = p,
                      .sleep_until_ns = p->clock.sleep_until_precise_ns(&p->clock, 0) != -ENOTSUP
                                            ? p->clock.sleep_until_precise_ns
                                            : p->clock.sleep_until_ns,
                      .period = config->period,
                      .t0_ns = now_ns + st_period_ns(&config->period),
                      .done_ns = now_ns};
    bool more = true;
    while (r == 0 && more && run.k < first) {
        r = turn(ret, &run, first, false);
        more = config->go_on == NULL || config->go_on(config->ctx, run.done_ns - run.t0_ns);
    }
    st_arms_start(ret->arms, config->arms_n);
    const uint64_t begin = run.k, last = begin + config->periods;
    while (r == 0 && more && run.k < last) {
        r = turn(ret, &run, last, true);
        more = config->go_on == NULL || config->go_on(config->ctx, run.done_ns - run.t0_ns);
    }
    ret->elapsed_periods = run.k - begin;
    for (size_t i = 0; i < config->arms_n; i++)
        st_arm_take(&ret->arms[i], &ret->results[i]);
    return r;
}

void st_bench_punctual_finish(struct st_bench_punctual *bench)
{
    for (size_t i = 0; bench->results != NULL && i < bench->config.arms_n; i++)
        st_hist_finish(&bench->results[i].lateness);
    free(bench->results);
    free(bench->arms);
}
