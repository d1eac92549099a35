#include "measure/experiments.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/text/number.h"
#include "platform/sleep.h"

#define PRIORITY      70 /* below the kernel's own threads, as the loop's */
#define BLOCK_NS      (50 * ST_NS_PER_MS)
#define WARMUP_CYCLES 3 /* of a block, not counted */
#define CYCLES_MIN    6
#define CYCLES_MAX    40
#define PAIRS_MIN     10 /* signs of fewer are not enough to be shown as one of some 14 figures */
#define PAIRS_MAX     20000
#define NO_REQUEST    "2000000000" /* us: cpu_dma_latency without a request */
#define CPUS_MAX      256
#define CPU_PATH      "/sys/devices/system/cpu/"
#define ABSOLUTE      "clock_nanosleep-abs-monotonic"
#define SLACK_LEAST   1 /* ns */
#define AS_FOUND                                                                                             \
    {                                                                                                        \
        .method = ABSOLUTE, .cpu = -1, .slack_ns = -1, .hold_us = -1                                         \
    }
#define LEAST_SLACK  .method = ABSOLUTE, .slack_ns = SLACK_LEAST
#define ANY_CPU      .cpu = -1
#define NOTHING_HELD .hold_us = -1
#define FIFO         .policy = ST_POLICY_FIFO, .priority = PRIORITY

/* choose_cpus chooses the CPUs of this experiment. */
#define CPUS_ID "cpu"

static const struct {
    enum st_os os;
    struct st_experiment experiment;
} table[] = {
    {ST_OS_LINUX,
     {.id = "timer-slack",
      .title = "Timer slack of a normal thread",
      .rules = {"linux-timer-slack"},
      .arms = {AS_FOUND, {LEAST_SLACK, ANY_CPU, NOTHING_HELD}}}},
    {ST_OS_LINUX,
     {.id = "timerfd",
      .title = "Waiting with a timerfd instead of clock_nanosleep",
      .rules = {"linux-timer-slack"},
      .arms = {AS_FOUND, {.method = "timerfd-abs", ANY_CPU, .slack_ns = -1, NOTHING_HELD}}}},
    {ST_OS_LINUX,
     {.id = "real-time",
      .title = "Real-time priority",
      .rules = {"linux-rt-permission"},
      .arms = {AS_FOUND, {.method = ABSOLUTE, FIFO, ANY_CPU, .slack_ns = -1, NOTHING_HELD}}}},
    {ST_OS_LINUX,
     {.id = "timer-slack-fifo",
      .title = "Timer slack of a real-time thread",
      .rules = {"linux-timer-slack"},
      .arms = {{.method = ABSOLUTE, FIFO, ANY_CPU, .slack_ns = -1, NOTHING_HELD},
               {LEAST_SLACK, FIFO, ANY_CPU, NOTHING_HELD}}}},
    {ST_OS_LINUX,
     {.id = "pm-qos",
      .title = "CPUs kept awake (PM QoS)",
      .rules = {"linux-idle-states", "linux-idle-request-access"},
      .arms = {{LEAST_SLACK, ANY_CPU, NOTHING_HELD}, {LEAST_SLACK, ANY_CPU, .hold_us = 0}}}},
    {ST_OS_LINUX,
     {.id = "absolute-relative",
      .title = "Sleep for a length of time (relative), not until a point in time (absolute)",
      .arms = {AS_FOUND,
               {.method = "clock_nanosleep-rel-monotonic", ANY_CPU, .slack_ns = -1, NOTHING_HELD}}}},
    {ST_OS_LINUX,
     {.id = CPUS_ID,
      .title = "Choice of CPU",
      .arms = {{LEAST_SLACK, NOTHING_HELD}, {LEAST_SLACK, NOTHING_HELD}}}},

    {ST_OS_FREEBSD,
     {.id = "precise-wait",
      .title = "A wait to which the kernel adds no delay",
      .rules = {"freebsd-alloweddeviation", "freebsd-nanosleep-precise"},
      .arms = {AS_FOUND, {.method = "umtx", ANY_CPU, .slack_ns = -1, NOTHING_HELD}}}},
    {ST_OS_FREEBSD,
     {.id = "real-time",
      .title = "Real-time priority",
      .rules = {"freebsd-rt-permission"},
      .arms = {AS_FOUND, {.method = ABSOLUTE, FIFO, ANY_CPU, .slack_ns = -1, NOTHING_HELD}}}},
    {ST_OS_FREEBSD,
     {.id = "absolute-relative",
      .title = "Sleep for a length of time (relative), not until a point in time (absolute)",
      .arms = {AS_FOUND,
               {.method = "clock_nanosleep-rel-monotonic", ANY_CPU, .slack_ns = -1, NOTHING_HELD}}}},
    {ST_OS_FREEBSD,
     {.id = CPUS_ID,
      .title = "Choice of CPU",
      .rules = {"freebsd-cpu-binding"},
      .arms = {{.method = ABSOLUTE, .slack_ns = -1, NOTHING_HELD},
               {.method = ABSOLUTE, .slack_ns = -1, NOTHING_HELD}}}},
};

/* --- one experiment: its blocks in turn --- */

struct run_config {
    struct st_period period;
    struct st_experiment_arm arms[2];
    uint32_t pairs_n;  /* >= 1 */
    uint32_t cycles_n; /* >= 1: counted cycles of a block; WARMUP_CYCLES before them are not counted */
    struct st_random *random;
    const _Atomic bool *stop; /* ends it after the cycle; the pair that it cut is dropped */
    void (*look)(void *ctx, uint32_t pairs_done);
    void *look_ctx;
};

/* One block: what its thread does, and what came of it. */
struct block {
    struct st_platform *platform;
    const struct run_config *config; /* NULL: only set up */
    const struct st_experiment_arm *arm;
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

static int set_up(struct st_platform *p, const struct st_experiment_arm *arm, struct setup *setup)
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

static bool stopped(const struct run_config *config)
{
    return config->stop != NULL && atomic_load_explicit(config->stop, memory_order_relaxed);
}

static int run_cycles(struct block *block, struct st_sleep *sleep)
{
    struct st_platform *p = block->platform;
    const struct run_config *config = block->config;
    const int64_t t0_ns = p->now_ns(p);
    uint64_t k = 1;
    for (uint32_t i = 0; i < WARMUP_CYCLES + config->cycles_n;) {
        const int64_t now_ns = p->now_ns(p), due_ns = st_period_due_ns(&config->period, t0_ns, k);
        if (stopped(config))
            return -EINTR;
        if (due_ns <= now_ns) {
            const uint64_t next = st_period_index_at(&config->period, t0_ns, now_ns) + 1;
            block->skipped_n += i >= WARMUP_CYCLES ? next - k : 0;
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
        if (i >= WARMUP_CYCLES)
            block->late_ns[i - WARMUP_CYCLES] = woke_ns - sleep->due_ns;
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

/* Tries to set an arm up, without sleeping. @return 0, or the error of the system. */
static int try_arm(struct st_platform *p, const struct st_experiment_arm *arm)
{
    struct block block = {.platform = p, .arm = arm};
    return run_block(&block);
}

/* How long the blocks take when nothing is late. */
static int64_t duration_ns(const struct run_config *config)
{
    const uint64_t cycles = (uint64_t)2 * config->pairs_n * (WARMUP_CYCLES + config->cycles_n);
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
static int run_pair(struct st_platform *p, const struct run_config *config, size_t first, int64_t *late_ns,
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

int st_experiments_judge(struct st_blocks runs[2], struct st_random *random, struct st_trial *trial)
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

static int run_pairs(struct st_platform *p, const struct run_config *config, struct st_hist *hist,
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
        r = st_experiments_judge(runs, config->random, trial);
    if (r != 0)
        return r;
    trial->pairs_n = pairs_n;
    trial->arms[0].skipped_n = skipped_n[0];
    trial->arms[1].skipped_n = skipped_n[1];
    return 0;
}

/* Runs the pairs (AB BA AB ..., which of them is first is drawn) and fills the figures of the trial. Each block runs in a
 * thread of its own, which takes policy, slack and CPU with it when it ends. A wake-up later than the next period skips that
 * period. The caller limits real-time CPU time (set_rttime_limit_ns).
 * @return 0 also when stopped; -ENOMEM, -EAGAIN (no thread), or the error of an arm (then the trial is unchanged). */
static int run_trial(struct st_platform *p, const struct run_config *config, struct st_trial *trial)
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

/* --- CPUs --- */

/** A whole number at the beginning of a file. @return 0, -ENODATA. */
static int read_number(struct st_platform *p, const char *path, int64_t *ret)
{
    char text[256];
    const char *at = text;
    uint64_t value;
    size_t len;
    const int r = p->read_text(p, path, text, sizeof(text), &len);
    if (r != 0)
        return r;
    if (st_number_take(&at, &value) != 0 || value > INT64_MAX)
        return -ENODATA;
    *ret = (int64_t)value;
    return 0;
}

/** The capacity or highest frequency of a CPU, only to compare CPUs with each other. @return 0: unknown. */
static int64_t strength(struct st_platform *p, int cpu)
{
    char path[96];
    int64_t value;
    snprintf(path, sizeof(path), CPU_PATH "cpu%d/cpu_capacity", cpu);
    if (read_number(p, path, &value) == 0)
        return value;
    snprintf(path, sizeof(path), CPU_PATH "cpu%d/cpufreq/cpuinfo_max_freq", cpu);
    return read_number(p, path, &value) == 0 ? value : 0;
}

static void set_cpu(struct st_experiment *experiment, size_t arm, int cpu, const char *what)
{
    experiment->arms[arm].cpu = cpu;
    snprintf(experiment->names[arm], sizeof(experiment->names[arm]), "CPU %d%s%s", cpu,
             what[0] != '\0' ? ", " : "", what);
}

/** An ordinary CPU and an isolated one, or a weak one and a strong one, or the first and the last. */
static void choose_cpus(struct st_platform *p, struct st_experiment *experiment)
{
    int cpus[CPUS_MAX];
    const int allowed = p->cpus_allowed(p, cpus, CPUS_MAX);
    if (allowed < 1) {
        snprintf(experiment->not_tried, sizeof(experiment->not_tried), "the allowed CPUs are unknown");
        return;
    }
    const int n = allowed < CPUS_MAX ? allowed : CPUS_MAX;
    int weak = 0, strong = 0;
    for (int i = 1; i < n; i++) {
        weak = strength(p, cpus[i]) < strength(p, cpus[weak]) ? i : weak;
        strong = strength(p, cpus[i]) > strength(p, cpus[strong]) ? i : strong;
    }
    int64_t isolated;
    if (read_number(p, CPU_PATH "isolated", &isolated) == 0 && isolated != cpus[0]) {
        set_cpu(experiment, 0, cpus[0], "ordinary");
        set_cpu(experiment, 1, (int)isolated, "isolated");
    } else if (weak != strong) {
        set_cpu(experiment, 0, cpus[weak], "of the slowest kind");
        set_cpu(experiment, 1, cpus[strong], "of the fastest kind");
    } else if (n > 1) {
        set_cpu(experiment, 0, cpus[0], "");
        set_cpu(experiment, 1, cpus[n - 1], "");
    } else {
        snprintf(experiment->not_tried, sizeof(experiment->not_tried),
                 "CPU %d is the only CPU that may be used", cpus[0]);
    }
}

/* --- planning --- */

static void name_arm(struct st_platform *p, const struct st_experiment_arm *arm, char *name, size_t bytes)
{
    char slack[48] = "";
    int64_t slack_ns = arm->slack_ns;
    if (arm->policy == ST_POLICY_OTHER && slack_ns < 0 && p->timer_slack_ns(p, &slack_ns) == 0)
        snprintf(slack, sizeof(slack), ", slack %.1f µs unchanged", (double)slack_ns / 1000);
    else if (slack_ns >= 0)
        snprintf(slack, sizeof(slack), ", slack %" PRId64 " ns", slack_ns);
    if (arm->hold_us >= 0)
        snprintf(name, bytes, "kept at %" PRId32 " µs by sleeptune%s", arm->hold_us, slack);
    else if (strcmp(arm->method, ABSOLUTE) != 0)
        snprintf(name, bytes, "%s", arm->method);
    else if (arm->policy != ST_POLICY_OTHER)
        snprintf(name, bytes, "real-time thread, %s %d%s", st_platform_policy_name(arm->policy),
                 arm->priority, slack);
    else
        snprintf(name, bytes, "normal thread%s", slack);
}

/** Why an arm could not be set up. */
static void set_not_tried(struct st_experiment *experiment, const struct st_experiment_arm *arm, int error)
{
    const char *what = arm->hold_us >= 0                ? "/dev/cpu_dma_latency"
                       : arm->policy != ST_POLICY_OTHER ? "real-time priority"
                       : arm->cpu >= 0                  ? "that CPU"
                                                        : arm->method;
    if (error == -EPERM || error == -EACCES) {
        snprintf(experiment->not_tried, sizeof(experiment->not_tried), "no right to %s", what);
        return;
    }
    const char *why = error == -ENOTSUP ? "not available on this system" : strerror(-error);
    snprintf(experiment->not_tried, sizeof(experiment->not_tried), "%s: %s", what, why);
}

static void try_arms(struct st_platform *p, struct st_experiment *experiment)
{
    for (size_t i = 0; i < 2 && experiment->not_tried[0] == '\0'; i++) {
        const int r = try_arm(p, &experiment->arms[i]);
        if (r != 0)
            set_not_tried(experiment, &experiment->arms[i], r);
    }
}

static struct run_config config_of(const struct st_experiments *plan, const struct st_experiment *row)
{
    return (struct run_config){
        .period = plan->period,
        .arms = {row->arms[0], row->arms[1]},
        .pairs_n = row->pairs_n,
        .cycles_n = row->cycles_n,
    };
}

static uint32_t clamp(int64_t value, int64_t low, int64_t high)
{
    return (uint32_t)(value < low ? low : value > high ? high : value);
}

void st_experiments_plan(struct st_platform *p, const struct st_period *period, int64_t budget_ns,
                         struct st_experiments *ret)
{
    *ret = (struct st_experiments){.period = *period};
    int64_t tried_n = 0;
    for (size_t i = 0; i < ST_ARRAY_LEN(table); i++) {
        if (table[i].os != p->os)
            continue;
        struct st_experiment *row = &ret->rows[ret->n++];
        *row = table[i].experiment;
        if (strcmp(row->id, CPUS_ID) == 0) {
            choose_cpus(p, row);
        } else {
            for (size_t arm = 0; arm < 2; arm++)
                name_arm(p, &row->arms[arm], row->names[arm], sizeof(row->names[arm]));
        }
        try_arms(p, row);
        tried_n += row->not_tried[0] == '\0';
    }
    const int64_t period_ns = st_period_ns(period);
    for (size_t i = 0; i < ret->n; i++) {
        struct st_experiment *row = &ret->rows[i];
        if (row->not_tried[0] != '\0')
            continue;
        row->cycles_n = clamp(BLOCK_NS / period_ns, CYCLES_MIN, CYCLES_MAX);
        const int64_t pair_ns = 2 * (WARMUP_CYCLES + (int64_t)row->cycles_n) * period_ns;
        row->pairs_n = clamp(budget_ns / tried_n / pair_ns, PAIRS_MIN, PAIRS_MAX);
        const struct run_config config = config_of(ret, row);
        row->duration_ns = duration_ns(&config);
        ret->duration_ns += row->duration_ns;
    }
}

/* --- running --- */

static void add_condition(void *ctx, const char *key, const char *value)
{
    static const char *const wanted[][2] = {
        {"kernel_release", "kernel"},
        {"governor", "governor"},
        {"clocksource", "clock source"},
        {"hypervisor", "hypervisor"},
        {"cpu_dma_latency_us", "CPU latency request in µs"},
    };
    struct st_trials *trials = ctx;
    for (size_t i = 0; i < ST_ARRAY_LEN(wanted); i++) {
        const size_t used = strlen(trials->conditions);
        if (strcmp(key, wanted[i][0]) == 0 && strcmp(value, NO_REQUEST) != 0)
            snprintf(trials->conditions + used, sizeof(trials->conditions) - used, "%s%s %.60s",
                     used > 0 ? ", " : "", wanted[i][1], value);
    }
}

/* What the progress callback needs besides the pair that is done. */
struct looking {
    const struct st_experiments_run *run;
    const struct st_experiment *row;
    int64_t before_ns;
};

static void look(void *ctx, uint32_t pairs_done)
{
    const struct looking *looking = ctx;
    if (looking->run->look != NULL)
        looking->run->look(looking->run->look_ctx, looking->row,
                           looking->before_ns +
                               looking->row->duration_ns * pairs_done / looking->row->pairs_n);
}

static int run_row(struct st_platform *p, const struct st_experiments *plan, struct looking *looking,
                   struct st_random *random, struct st_trial *trial)
{
    const struct st_experiment *row = looking->row;
    struct run_config config = config_of(plan, row);
    config.random = random;
    config.stop = looking->run->stop;
    config.look = look;
    config.look_ctx = looking;
    const int r = run_trial(p, &config, trial);
    if (r == -ENOMEM)
        return r;
    if (r != 0)
        snprintf(trial->not_tried, sizeof(trial->not_tried), "failed during the run: %s", strerror(-r));
    looking->before_ns += row->duration_ns;
    return 0;
}

int st_experiments_run(struct st_platform *p, const struct st_experiments *plan,
                       const struct st_experiments_run *run, struct st_trials *ret)
{
    const int64_t start_ns = p->now_ns(p);
    struct st_random random = {run->seed};
    struct looking looking = {.run = run};
    struct st_trials trials = {.n = plan->n, .period_ns = st_period_ns(&plan->period), .seed = run->seed};
    trials.rows = calloc(plan->n + 1, sizeof(*trials.rows));
    if (trials.rows == NULL)
        return -ENOMEM;
    p->conditions(p, -1, add_condition, &trials);
    for (size_t i = 0; i < plan->n; i++) {
        struct st_trial *trial = &trials.rows[i];
        looking.row = &plan->rows[i];
        trial->id = looking.row->id;
        trial->title = looking.row->title;
        memcpy(trial->rules, looking.row->rules, sizeof(trial->rules));
        memcpy(trial->not_tried, looking.row->not_tried, sizeof(trial->not_tried));
        for (size_t arm = 0; arm < 2; arm++)
            memcpy(trial->arms[arm].name, looking.row->names[arm], sizeof(trial->arms[arm].name));
        if (trial->not_tried[0] != '\0')
            continue;
        if (run->stop != NULL && atomic_load(run->stop)) {
            snprintf(trial->not_tried, sizeof(trial->not_tried), "interrupted before its turn");
            continue;
        }
        const int r = run_row(p, plan, &looking, &random, trial);
        if (r != 0) {
            st_trials_finish(&trials);
            return r;
        }
    }
    st_trials_judge(&trials);
    trials.interrupted = run->stop != NULL && atomic_load(run->stop);
    trials.duration_ns = p->now_ns(p) - start_ns;
    *ret = trials;
    return 0;
}
