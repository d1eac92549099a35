#include "measure/ab.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ns.h"
#include "lib/stats.h"
#include "platform/sleep_method.h"

/* One block: what its thread does, and what came of it. */
struct block {
    struct st_platform *platform;
    const struct st_ab_config *config; /* NULL: only set up */
    const struct st_ab_arm *arm;
    int64_t *late_ns; /* config->cycles_n */
    uint64_t skipped_n;
    int error;
};

/* What is undone at the end; the rest ends with the thread. */
struct setup {
    struct st_sleep sleep;
    bool sleep_open;
    int64_t slack_found_ns; /* -1: not changed */
    int held;               /* handle; -1: none */
};

static int set_up(struct st_platform *p, const struct st_ab_arm *arm, struct setup *setup)
{
    *setup = (struct setup){.slack_found_ns = -1, .held = -1};
    int64_t slack_ns;
    int r = arm->cpu >= 0 ? p->pin(p, arm->cpu) : 0;
    if (r == 0 && arm->slack_ns >= 0) {
        r = p->timer_slack_ns(p, &slack_ns);
        if (r == 0)
            r = p->set_timer_slack_ns(p, arm->slack_ns);
        if (r == 0)
            setup->slack_found_ns = slack_ns;
    }
    if (r == 0 && arm->hold_us >= 0) {
        r = p->hold_latency(p, arm->hold_us);
        setup->held = r >= 0 ? r : -1;
        r = r < 0 ? r : 0;
    }
    if (r == 0) {
        const struct st_sleep_method *method = st_sleep_method_find(p, arm->method);
        r = method == NULL ? -ENOTSUP : st_sleep_open(&setup->sleep, p, method);
        setup->sleep_open = r == 0;
    }
    return r == 0 && arm->policy != ST_POLICY_OTHER ? p->set_policy(p, arm->policy, arm->priority) : r;
}

static void take_down(struct st_platform *p, struct setup *setup)
{
    (void)p->set_policy(p, ST_POLICY_OTHER, 0); /* before anything slow */
    if (setup->sleep_open)
        st_sleep_close(&setup->sleep);
    if (setup->held >= 0)
        p->release_latency(p, setup->held);
    if (setup->slack_found_ns >= 0)
        (void)p->set_timer_slack_ns(p, setup->slack_found_ns);
}

static bool stopped(const struct st_ab_config *config)
{
    return config->stop != NULL && atomic_load_explicit(config->stop, memory_order_relaxed);
}

static int run_cycles(struct block *block, struct st_sleep *sleep)
{
    struct st_platform *p = block->platform;
    const struct st_ab_config *config = block->config;
    const int64_t t0_ns = p->now_ns(p);
    uint64_t k = 1;
    for (uint32_t i = 0; i < ST_AB_WARMUP_CYCLES + config->cycles_n;) {
        const int64_t now_ns = p->now_ns(p), due_ns = st_period_due_ns(&config->period, t0_ns, k);
        if (stopped(config))
            return -EINTR;
        if (due_ns <= now_ns) {
            const uint64_t next = st_period_index_at(&config->period, t0_ns, now_ns) + 1;
            block->skipped_n += i >= ST_AB_WARMUP_CYCLES ? next - k : 0;
            k = next;
            continue;
        }
        const int r = st_sleep_once(sleep, now_ns, due_ns - now_ns);
        const int64_t woke_ns = p->now_ns(p);
        if (r == -EINTR) { /* a signal: this period does not count */
            k++;
            continue;
        }
        if (r != 0)
            return r;
        if (i >= ST_AB_WARMUP_CYCLES)
            block->late_ns[i - ST_AB_WARMUP_CYCLES] = woke_ns - sleep->due_ns;
        i++;
        k++;
    }
    return 0;
}

static void *block_thread(void *arg)
{
    struct block *block = arg;
    struct st_platform *p = block->platform;
    struct setup setup;
    (void)p->set_name(p, "st-ab");
    block->error = set_up(p, block->arm, &setup);
    if (block->error == 0 && block->config != NULL)
        block->error = run_cycles(block, &setup.sleep);
    take_down(p, &setup);
    return NULL;
}

static int run_block(struct block *block)
{
    pthread_t thread;
    const int r = pthread_create(&thread, NULL, block_thread, block);
    if (r != 0)
        return -r;
    pthread_join(thread, NULL);
    return block->error;
}

int st_ab_try(struct st_platform *p, const struct st_ab_arm *arm)
{
    struct block block = {.platform = p, .arm = arm};
    return run_block(&block);
}

int64_t st_ab_duration_ns(const struct st_ab_config *config)
{
    const uint64_t cycles = (uint64_t)2 * config->pairs_n * (ST_AB_WARMUP_CYCLES + config->cycles_n);
    return st_period_due_ns(&config->period, 0, cycles);
}

/* --- figures ----------------------------------------------------------------------------------------------
 */

/* Values of both arms, in order of blocks. */
struct values {
    int64_t *late_ns[2];
    uint32_t *blocks; /* the same for both */
    uint64_t skipped_n[2];
    uint32_t pairs_n; /* complete */
};

static void values_finish(struct values *values)
{
    free(values->late_ns[0]);
    free(values->late_ns[1]);
    free(values->blocks);
}

static int values_init(struct values *values, const struct st_ab_config *config)
{
    const size_t n = (size_t)config->pairs_n * config->cycles_n;
    *values = (struct values){
        .late_ns = {calloc(n, sizeof(int64_t)), calloc(n, sizeof(int64_t))},
        .blocks = calloc(n, sizeof(uint32_t)),
    };
    if (values->late_ns[0] == NULL || values->late_ns[1] == NULL || values->blocks == NULL) {
        values_finish(values);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        values->blocks[i] = (uint32_t)(i / config->cycles_n);
    return 0;
}

/** Difference of the medians, pair by pair. Sorts each block. */
static int judge_medians(const struct values *values, uint32_t cycles_n, struct st_estimate *ret)
{
    double *medians[2] = {calloc(values->pairs_n + 1, sizeof(double)),
                          calloc(values->pairs_n + 1, sizeof(double))};
    int r = medians[0] == NULL || medians[1] == NULL ? -ENOMEM : 0;
    for (size_t arm = 0; arm < 2 && r == 0; arm++) {
        for (uint32_t i = 0; i < values->pairs_n; i++) {
            const struct st_sample sample =
                st_sample_of(&values->late_ns[arm][(size_t)i * cycles_n], cycles_n);
            medians[arm][i] = (double)st_sample_quantile(&sample, 0.5);
        }
    }
    if (r == 0)
        r = st_median_effect_of_pairs(medians[0], medians[1], values->pairs_n, ST_EFFECT_DIFFERENCE,
                                      ST_CONFIDENCE_99, ret);
    free(medians[0]);
    free(medians[1]);
    return r;
}

static int judge(struct values *values, const struct st_ab_config *config, struct st_trial *trial)
{
    const size_t n = (size_t)values->pairs_n * config->cycles_n;
    const struct st_blocked a = {values->late_ns[0], values->blocks, n},
                            b = {values->late_ns[1], values->blocks, n};
    int r = st_bootstrap_quantile_blocked(&a, &b, values->pairs_n, 0.99, ST_EFFECT_DIFFERENCE,
                                          ST_CONFIDENCE_99, config->random, &trial->p99);
    if (r == 0)
        r = judge_medians(values, config->cycles_n, &trial->median);
    if (r != 0)
        return r;
    trial->pairs_n = values->pairs_n;
    if (n < st_stats_quantile_min_n(0.5))
        trial->median = (struct st_estimate){0};
    for (size_t i = 0; i < 2; i++) {
        struct st_trial_arm *arm = &trial->arms[i];
        const struct st_sample sample =
            st_sample_of(values->late_ns[i], n); /* blocks are not needed any more */
        arm->n = n;
        arm->skipped_n = values->skipped_n[i];
        arm->median_ns = n > 0 ? st_sample_quantile(&sample, 0.5) : 0;
        arm->p99_known = n >= st_stats_quantile_min_n(0.99);
        arm->p99_ns = arm->p99_known ? st_sample_quantile(&sample, 0.99) : 0;
    }
    return 0;
}

int st_ab_run(struct st_platform *p, const struct st_ab_config *config, struct st_trial *trial)
{
    struct values values;
    int r = values_init(&values, config);
    if (r != 0)
        return r;
    const uint64_t start = st_random_below(config->random, 2);
    while (r == 0 && values.pairs_n < config->pairs_n) {
        struct block blocks[2];
        for (size_t turn = 0; turn < 2 && r == 0; turn++) {
            const size_t arm = (start + values.pairs_n + turn) % 2;
            blocks[arm] = (struct block){
                .platform = p,
                .config = config,
                .arm = &config->arms[arm],
                .late_ns = &values.late_ns[arm][(size_t)values.pairs_n * config->cycles_n],
            };
            r = run_block(&blocks[arm]);
        }
        if (r != 0)
            break;
        values.skipped_n[0] += blocks[0].skipped_n;
        values.skipped_n[1] += blocks[1].skipped_n;
        values.pairs_n++;
        if (config->look != NULL)
            config->look(config->look_ctx, values.pairs_n);
    }
    if (r == 0 || (r == -EINTR && stopped(config)))
        r = judge(&values, config, trial);
    values_finish(&values);
    return r;
}
