/* sleeptune-lab punctual: what waking early and spinning until due gains, and what it costs. */
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "lab/bench_command.h"
#include "lab/bench_text.h"
#include "lab/commands.h"
#include "lab/posix/lab_posix.h"
#include "lab/punctual/bench_punctual.h"
#include "platform/program/stop.h"

struct arguments {
    struct st_arm_choice choices[ST_ARMS_MAX];
    struct st_bench_punctual_config config;
    int64_t frames, rate_hz, duration_ns, cpu, priority;
    enum st_policy policy;
    char degraded[160]; /* "" or why the thread is not what was asked for */
    struct st_bench_command common;
};

static const char help[] = "Usage: sleeptune-lab punctual [BUDGET] [OPTION...]\n"
                           "Wake early and spin until due, beside plain waiting on the same loop: how many\n"
                           "wake-ups are on time, and what that costs.\n\n"
                           "BUDGET is free (the default), 1.7 (times plain's CPU time), 2% (of the period),\n"
                           "p97 (a quantile of the delays), 25us, a list of these, or curve.\n\n"
                           "  -f, --frames N          frames per period (64)\n"
                           "  -r, --rate RATE         sample rate (48k)\n"
                           "  -d, --duration TIME     30s, 500ms, 10m ... (30s)\n"
                           "  -a, --cpu N             stay on this CPU (any)\n"
                           "      --policy POLICY     fifo, rr or other (fifo)\n"
                           "  -p, --priority N        1 .. 99 (70)\n"
                           "      --json, --format json|csv|markdown|text\n"
                           "  -q, --quiet             nothing on standard error\n"
                           "  -h, --help\n\n"
                           "Examples:\n"
                           "  sleeptune-lab punctual\n"
                           "  sleeptune-lab punctual free,1.7,125us --frames 128 --duration 1m\n"
                           "  sleeptune-lab punctual curve --json >curve.json\n\n"
                           "Ctrl-C ends early and prints what was measured. Exit status: 0 done, 3 usage,\n"
                           "4 failure (nothing could be measured).\n";

static int take_budget(struct arguments *a, const char *text)
{
    const int n = st_arms_parse(text, a->choices);
    if (n == -E2BIG)
        return st_failure_usage("at most %d budgets at once", ST_ARMS_MAX - 1);
    if (n == -ERANGE)
        return st_failure_usage(
            "'%s' is out of range. Allowed: a factor from 1 to 100, a share of the period "
            "up to 50 %%, a quantile from p0.1 to p99.9, a margin of at most 100 ms",
            text);
    if (n < 0)
        return st_failure_usage("'%s' is no budget. Use free, a factor (1.7), a share of the period (2%%), a "
                                "quantile (p97), a margin (25us), a list of these, or curve",
                                text);
    a->config.arms_n = (size_t)n;
    return 0;
}

static bool go_on(void *ctx, int64_t elapsed_ns)
{
    struct arguments *a = ctx;
    return st_bench_command_go_on(&a->common, "%lld of %lld s", (long long)(elapsed_ns / ST_NS_PER_S),
                                  (long long)(a->duration_ns / ST_NS_PER_S));
}

/* CPU, policy, memory and restartable sequence of the calling thread. */
static void prepare(struct arguments *a, struct st_threads *threads)
{
    int r = a->cpu >= 0 ? threads->pin(threads, (int)a->cpu) : 0;
    if (r != 0)
        ST_APPEND(a->degraded, "it is not pinned (%s). ", strerror(-r));
    r = threads->lock_memory(threads, NULL);
    if (r != 0)
        ST_APPEND(a->degraded, "memory is not locked (%s). ", strerror(-r));
    (void)st_lab_own_leave_rseq(); /* the kernel attends to it on each wake-up */
    r = a->policy != ST_POLICY_OTHER ? threads->set_policy(threads, a->policy, (int)a->priority) : 0;
    if (r != 0)
        ST_APPEND(a->degraded, "it ran as a normal thread (%s). ", strerror(-r));
}

static json_t *document(const struct arguments *a, const struct st_bench_punctual *bench,
                        struct st_machine *machine)
{
    json_t *o = json_object();
    st_json_set(o, "schema", "sleeptune-bench-punctual/1");
    st_json_set(o, "frames", a->frames);
    st_json_set(o, "rate_hz", a->rate_hz);
    st_json_set(o, "degraded", a->degraded[0] != '\0' ? json_string(a->degraded) : json_null());
    st_bench_punctual_json(bench, o);
    st_json_set(o, "conditions", st_bench_text_conditions_json(machine));
    return o;
}

static int run(struct arguments *a)
{
    struct st_platform *p = st_platform_native();
    struct st_bench_punctual bench;
    int width;
    st_stop_catch(NULL);
    st_stop_limit_rttime(&p->threads, NULL);
    prepare(a, &p->threads);
    const int r = st_bench_punctual_measure(p, &a->config, &bench);
    json_t *o = r == 0 ? document(a, &bench, &p->machine) : NULL;
    (void)p->threads.set_policy(&p->threads, ST_POLICY_OTHER, 0); /* the rest is in no hurry */
    st_bench_command_done(&a->common);
    int status = r == 0 ? ST_EXIT_DONE : st_failure("%s", strerror(-r));
    FILE *out = r == 0 ? st_bench_command_begin(&a->common, &width) : NULL;
    if (out != NULL) {
        st_bench_punctual_print(&bench, out, width);
        if (a->degraded[0] != '\0')
            fprintf(out, "\nWarning: %s\n", a->degraded);
        fputc('\n', out);
        st_bench_text_conditions(&p->machine, out, width);
    }
    if (r == 0)
        status = st_bench_command_end(&a->common, o, (size_t)bench.cycles);
    st_bench_punctual_finish(&bench);
    return status;
}

int st_cmd_punctual(int argc, char **argv)
{
    struct arguments a = {.frames = 64,
                          .rate_hz = 48000,
                          .duration_ns = 30 * ST_NS_PER_S,
                          .cpu = -1,
                          .priority = 70,
                          .policy = ST_POLICY_FIFO,
                          .common = st_bench_command()};
    int first = 0;
    const struct st_option options[] = {
        {"frames", 'f', .number = &a.frames, .min = 1, .max = 1 << 20},
        {"rate", 'r', .rate_hz = &a.rate_hz, .min = 1000, .max = 768000},
        {"duration", 'd', .time_ns = &a.duration_ns, .min = ST_NS_PER_MS, .max = 86400 * ST_NS_PER_S},
        {"cpu", 'a', .number = &a.cpu, .min = 0, .max = 8191},
        {"policy", .take = st_option_policy, .ctx = &a.policy},
        {"priority", 'p', .number = &a.priority, .min = 1, .max = 99},
        {"quiet", 'q', .flag = &a.common.quiet},
        ST_TABLE_OPTIONS(&a.common.out),
    };
    int r = st_options_read(options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (r >= 0)
        return r;
    if (argc - first > 1)
        return st_failure_usage("unexpected argument: %s", argv[first + 1]);
    r = take_budget(&a, first < argc ? argv[first] : "free");
    if (r == 0 && st_period_init(&a.config.period, (uint32_t)a.frames, (uint32_t)a.rate_hz) != 0)
        r = st_failure_usage("the period (--frames / --rate) is longer than an hour");
    if (r == 0 &&
        (st_period_ns(&a.config.period) < 50 * ST_NS_PER_US || st_period_ns(&a.config.period) > ST_NS_PER_S))
        r = st_failure_usage("the period (--frames / --rate) must be 50 us to 1 s");
    if (r != 0)
        return r;
    a.config.periods = st_period_index_at(&a.config.period, 0, a.duration_ns - 1) + 1;
    a.config.choices = a.choices;
    a.config.go_on = go_on;
    a.config.ctx = &a;
    return run(&a);
}
