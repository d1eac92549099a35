#include "measure/ab.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "platform/sleep.h"

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

/* --- pairs --- */

/** Adds a pair that is whole. @return 0, -ENOMEM. */
static int add_pair(const struct block blocks[2], struct st_hist *hist, struct st_blocks runs[2])
{
    int r = 0;
    for (size_t arm = 0; arm < 2 && r == 0; arm++) {
        st_hist_reset(hist);
        st_hist_add_values(hist, blocks[arm].late_ns, blocks[arm].config->cycles_n);
        r = st_blocks_add_hist(&runs[arm], hist);
    }
    return r;
}

/** Runs a pair, `first` before the other. @return 0, or the error of an arm. */
static int run_pair(struct st_platform *p, const struct st_ab_config *config, size_t first, int64_t *late_ns,
                    struct block ret[2])
{
    int r = 0;
    for (size_t turn = 0; turn < 2 && r == 0; turn++) {
        const size_t arm = (first + turn) % 2;
        ret[arm] = (struct block){
            .platform = p,
            .config = config,
            .arm = &config->arms[arm],
            .late_ns = late_ns + arm * config->cycles_n,
        };
        r = run_block(&ret[arm]);
    }
    return r;
}

int st_ab_judge(struct st_blocks runs[2], struct st_random *random, struct st_trial *trial)
{
    int r = st_blocks_end(&runs[0]);
    if (r == 0)
        r = st_blocks_end(&runs[1]);
    if (r == 0)
        r = st_pairs_compare(&runs[0], &runs[1], ST_PAIRS_IN_TURN, ST_CONFIDENCE_99, random, trial->figures);
    if (r != 0)
        return r;
    for (size_t arm = 0; arm < 2; arm++)
        trial->arms[arm].n = runs[arm].n;
    return 0;
}

static int run_pairs(struct st_platform *p, const struct st_ab_config *config, struct st_hist *hist,
                     int64_t *late_ns, struct st_blocks runs[2], struct st_trial *trial)
{
    const uint64_t start = st_random_below(config->random, 2);
    uint64_t skipped_n[2] = {0};
    uint32_t pairs_n = 0;
    int r = 0;
    while (r == 0 && pairs_n < config->pairs_n) {
        struct block blocks[2];
        r = run_pair(p, config, (start + pairs_n) % 2, late_ns, blocks);
        if (r == 0)
            r = add_pair(blocks, hist, runs);
        if (r != 0)
            break;
        skipped_n[0] += blocks[0].skipped_n;
        skipped_n[1] += blocks[1].skipped_n;
        pairs_n++;
        if (config->look != NULL)
            config->look(config->look_ctx, pairs_n);
    }
    if (r == 0 || (r == -EINTR && stopped(config)))
        r = st_ab_judge(runs, config->random, trial);
    if (r != 0)
        return r;
    trial->pairs_n = pairs_n;
    trial->arms[0].skipped_n = skipped_n[0];
    trial->arms[1].skipped_n = skipped_n[1];
    return 0;
}

int st_ab_run(struct st_platform *p, const struct st_ab_config *config, struct st_trial *trial)
{
    struct st_blocks runs[2] = {0};
    struct st_hist hist = {0};
    int64_t *late_ns = calloc((size_t)2 * config->cycles_n, sizeof(*late_ns));
    int r = late_ns == NULL ? -ENOMEM : st_hist_init(&hist, ST_BLOCKS_DIGITS);
    if (r == 0)
        r = st_blocks_init(&runs[0]);
    if (r == 0)
        r = st_blocks_init(&runs[1]);
    if (r == 0)
        r = run_pairs(p, config, &hist, late_ns, runs, trial);
    st_blocks_finish(&runs[0]);
    st_blocks_finish(&runs[1]);
    st_hist_finish(&hist);
    free(late_ns);
    return r;
}
