/* sleeptune measure: runs an audio-shaped loop and prints whether this machine holds the period. */
#include <unistd.h>

#include "advisor/rules/buffer.h"
#include "cli/command.h"
#include "cli/measure/at_most.h"
#include "cli/measure/measure_files.h"
#include "cli/measure/measure_run.h"
#include "cli/report/facts_input.h"
#include "cli/show/measure_text.h"
#include "core/cpu_list.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "measure/session.h"
#include "measure/stress.h"
#include "platform/program/locale.h"
#include "platform/program/output.h"
#include "platform/program/terminal.h"

#define DURATION_MAX_NS (366 * 86400 * ST_NS_PER_S)
#define CAUSE_MAX_NS    (3600 * ST_NS_PER_S)

struct arguments {
    struct st_session_config config;
    int64_t frames, rate_hz;           /* 0: as the sound server runs */
    char buffer[ST_BUFFER_TEXT_BYTES]; /* which one, and who set it; "": it was asked for */
    const char *record;
    enum st_stress_phase stress;
    struct st_at_most at_most;
    bool details, json, fail_on_miss, quiet, progress;
};

static const char help[] = "Usage: sleeptune measure [OPTION...]\n"
                           "Run a loop like an audio callback and count the deadlines that it misses.\n\n"
                           "  -r, --rate RATE         48000, 44.1k ... (as in the sound server, else 48k)\n"
                           "  -f, --frames N          frames per period (likewise, else 128)\n"
                           "  -d, --duration TIME     30s, 500ms, 10m ... (30s); 0 until Ctrl-C\n"
                           "  -a, --cpu N|LIST|all    a loop on each CPU, as 0,2-3 (one loop on any CPU)\n"
                           "      --policy POLICY     fifo, rr or other (fifo)\n"
                           "  -p, --priority N        1 .. 99 (70)\n"
                           "      --load PERCENT      the loop computes for 0 .. 90 % of the period (0)\n"
                           "      --stress PHASE      busy computer: cpu, memory, disk, programs or network\n"
                           "      --warmup CYCLES     first cycles, not counted (200, at most 1 s)\n"
                           "      --wait WAIT         plain, or precise: no delay added by FreeBSD (plain)\n"
                           "      --timer-slack NS    timer slack of the loop's thread (not changed)\n"
                           "      --cause-above TIME  find the cause of later wake-ups (half a period)\n"
                           "      --no-lock           do not lock memory\n"
                           "      --record FILE       write every lateness, for predict and sleeptune-lab\n"
                           "      --details           also response time, cost of the loop, test conditions\n"
                           "      --json, --format json|text\n"
                           "      --fail-on-miss      exit status 1 if a period was missed\n"
                           "      --at-most N/h       test: at most N events of missed periods an hour?\n"
                           "      --early             with --at-most: end when the result is certain\n"
                           "      --junit FILE        with --at-most: write the result as JUnit XML\n"
                           "  -q, --quiet             no progress line\n"
                           "  -h, --help\n\n"
                           "Examples:\n"
                           "  sleeptune measure --frames 64 --duration 1m\n"
                           "  sleeptune measure --cpu all --load 30 --json >result.json\n"
                           "  sleeptune measure --policy other --duration 10s    what a normal thread gets\n"
                           "  sleeptune measure --frames 128 --at-most 20/h --junit result.xml\n\n"
                           "Ctrl-C ends the measurement early and prints it. Exit status: 0 done, 1 missed\n"
                           "periods with --fail-on-miss, or more than --at-most, 2 --at-most is undecided,\n"
                           "3 usage, 4 failure, 5 invalid measurement.\n";

static int bad_cpus(const char *text)
{
    return st_failure_usage("--cpu: '%s' is neither a CPU nor a list such as 0,2-3 nor 'all'", text);
}

static int too_many_cpus(void)
{
    return st_failure_usage("--cpu: at most %d CPUs at once", ST_SESSION_CPUS_MAX);
}

/* N, LIST (0,2-3) or all. Only CPUs that this process may use. */
static int parse_cpus(const char *text, struct st_session_config *config)
{
    struct st_threads *threads = &st_platform_native()->threads;
    int allowed[4096];
    const int n = threads->cpus_allowed(threads, allowed, (int)ST_ARRAY_LEN(allowed));
    if (n < 0)
        return st_failure("cannot read which CPUs may be used: %s", strerror(-n));
    const size_t allowed_n = (size_t)n < ST_ARRAY_LEN(allowed) ? (size_t)n : ST_ARRAY_LEN(allowed);
    if (st_text_is(text, "all")) {
        if (allowed_n > ST_SESSION_CPUS_MAX)
            return too_many_cpus();
        memcpy(config->cpus, allowed, allowed_n * sizeof(allowed[0]));
        config->cpus_n = allowed_n;
        return 0;
    }
    struct st_cpu_list wanted;
    if (st_cpu_list_parse(text, &wanted) != 0 || wanted.n == 0)
        return bad_cpus(text);
    config->cpus_n = 0;
    ST_EACH_OF (cpu, allowed, allowed_n) {
        if (!st_cpu_list_has(&wanted, (size_t)*cpu))
            continue;
        if (config->cpus_n == ST_SESSION_CPUS_MAX)
            return too_many_cpus();
        config->cpus[config->cpus_n++] = *cpu;
        st_cpu_list_remove(&wanted, (size_t)*cpu);
    }
    for (size_t cpu = 0; cpu < ST_CPU_LIST_MAX; cpu++) {
        if (st_cpu_list_has(&wanted, cpu))
            return st_failure_usage("--cpu: CPU %zu does not exist or may not be used here", cpu);
    }
    return 0;
}

static int take_cpus(void *ctx, const char *text)
{
    struct arguments *a = ctx;
    return parse_cpus(text, &a->config);
}

static int take_wait(void *ctx, const char *text)
{
    struct arguments *a = ctx;
    if (!st_text_is(text, "plain") && !st_text_is(text, "precise"))
        return st_failure_usage("--wait: '%s' is neither plain nor precise", text);
    a->config.precise_wait = st_text_is(text, "precise");
    return 0;
}

static int take_stress(void *ctx, const char *text)
{
    struct arguments *a = ctx;
    if (st_stress_find(text, &a->stress) != 0)
        return st_failure_usage("--stress: '%s' is unknown. Use cpu, memory, disk, programs, network or idle",
                                text);
    a->config.stress = st_stress_name(a->stress);
    return 0;
}

/* @return -1 to go on, or an st_exit. */
static int read_options(int argc, char **argv, struct arguments *a)
{
    struct st_session_config *config = &a->config;
    int64_t priority = config->priority, warmup = -1;
    bool no_lock = false;
    const struct st_option options[] = {
        {"rate", 'r', .rate_hz = &a->rate_hz, .min = 1000, .max = 768000},
        {"frames", 'f', .number = &a->frames, .min = 1, .max = 1 << 20},
        {"duration", 'd', .time_ns = &config->duration_ns, .min = 0, .max = DURATION_MAX_NS},
        {"cpu", 'a', .take = take_cpus, .ctx = a},
        {"policy", .take = st_option_policy, .ctx = &config->policy},
        {"priority", 'p', .number = &priority, .min = 1, .max = 99},
        {"load", .real = &config->load_percent, .min = 0, .max = 90},
        {"stress", .take = take_stress, .ctx = a},
        {"warmup", .number = &warmup, .min = 0, .max = 1000000},
        {"wait", .take = take_wait, .ctx = a},
        {"timer-slack", .number = &config->timer_slack_ns, .min = 1, .max = ST_NS_PER_S},
        {"cause-above", .time_ns = &config->cause_above_ns, .min = 0, .max = CAUSE_MAX_NS},
        {"no-lock", .flag = &no_lock},
        {"record", .text = &a->record},
        {"details", .flag = &a->details},
        ST_OPTION_ROWS_JSON(&a->json),
        {"fail-on-miss", .flag = &a->fail_on_miss},
        {"at-most", .take = st_at_most_take, .ctx = &a->at_most},
        {"early", .flag = &a->at_most.early},
        {"junit", .text = &a->at_most.junit},
        {"quiet", 'q', .flag = &a->quiet},
    };
    const int r = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    config->priority = (int)priority;
    if (warmup >= 0) { /* exactly this number, also beyond a second */
        config->warmup_cycles = (uint64_t)warmup;
        config->warmup_max_ns = 0;
    }
    config->lock_memory = config->lock_memory && !no_lock;
    if (r < 0 && a->at_most.limit.per_hour == 0 && (a->at_most.early || a->at_most.junit != NULL))
        return st_failure_usage("--early and --junit belong to --at-most, as in --at-most 20/h");
    if (r < 0 && a->at_most.limit.per_hour > 0 && config->cause_above_ns > 0)
        return st_failure_usage("--at-most finds the causes of missed periods: leave out --cause-above");
    if (r < 0 && a->at_most.limit.per_hour > 0 && config->cpus_n > 1)
        return st_failure_usage("--at-most judges one loop: name one CPU with --cpu");
    return r;
}

/* sleeptune-measure/1 of results sorted by st_result_compare. New reference, NULL when out of memory. */
static json_t *document_of(const struct arguments *a, const struct st_result *results, size_t n)
{
    json_t *document;
    if (n == 1) {
        document = st_result_json(&results[0]);
    } else {
        document = json_object();
        json_t *loops = json_array();
        ST_EACH_OF (result, results, n)
            json_array_append_new(loops, st_result_json(result));
        st_json_set(document, "verdict", st_result_verdict_of_all(results, n, ST_ROOM(480)));
        json_object_set_new(document, "loops", loops);
    }
    if (a->at_most.text[0] != '\0')
        st_json_set(document, "at_most", a->at_most.text);
    st_json_set(document, "schema", "sleeptune-measure/1");
    return document;
}

static int print_text(const struct arguments *a, const struct st_result *results, size_t n)
{
    int width = st_terminal_width(STDOUT_FILENO);
    struct st_locale_stream stream;
    FILE *out = st_locale_begin(&stream, stdout);
    bool missed = false;
    width = ST_MIN(width, 100);
    if (a->at_most.text[0] != '\0')
        st_text_wrap(out, a->at_most.text, 0, width);
    if (n > 1)
        st_text_wrap(out, st_result_verdict_of_all(results, n, ST_ROOM(480)), 0, width);
    ST_EACH_OF (result, results, n) {
        if (n > 1)
            fprintf(out, "\n== CPU %d\n", result->cpu);
        st_measure_text_print(result, a->buffer, a->details, out, width);
        missed = missed || result->misses > 0;
    }
    if (missed)
        fprintf(out, "\nTo find the causes: sleeptune report --frames %u --rate %u\n", a->config.frames,
                a->config.rate_hz);
    else if (!a->details && results[0].n > 0)
        fputs("\nMore figures: --details\n", out);
    return st_output_text(&stream, 0);
}

static int exit_status(const struct arguments *a, const struct st_result *results, size_t n)
{
    const int status = st_measure_run_status(results, n);
    ST_EACH_OF (result, results, n) {
        if (status == ST_EXIT_DONE && a->fail_on_miss && result->misses > 0)
            return ST_EXIT_FINDINGS;
    }
    return status;
}

/* As the sound server runs, if there is one and nothing was asked for. @return an st_exit. */
static int choose_buffer(struct arguments *a)
{
    const struct st_facts_input input = {0};
    struct st_facts *facts = NULL;
    struct st_wish wish;
    if (a->frames == 0 || a->rate_hz == 0) {
        const int status = st_facts_input_load(&input, &facts);
        if (status != ST_EXIT_DONE)
            return status;
        const int r = st_buffer_choose(facts, a->frames, a->rate_hz, &wish);
        st_facts_free(facts);
        if (r != 0)
            return st_failure_usage("the period (--frames / --rate) is longer than an hour");
        if (wish.why[0] != '\0')
            st_buffer_text(&wish, a->buffer, sizeof(a->buffer));
        a->frames = wish.frames;
        a->rate_hz = wish.rate_hz;
    }
    a->config.frames = (uint32_t)a->frames;
    a->config.rate_hz = (uint32_t)a->rate_hz;
    return ST_EXIT_DONE;
}

static int judge(struct arguments *a, const struct st_result *result)
{
    const int status = st_measure_run_status(result, 1);
    return status == ST_EXIT_FAILURE ? status : st_at_most_judge(&a->at_most, result);
}

static bool look(void *ctx, const struct st_result *worst, bool first)
{
    struct arguments *a = ctx;
    if (a->progress)
        (void)st_measure_text_show(NULL, worst, first);
    return !st_at_most_look(&a->at_most, worst);
}

static int measure(struct arguments *a)
{
    const size_t n = a->config.cpus_n;
    struct st_measure_files *files = NULL;
    int status = st_measure_files_open(&a->config, a->record, &files);
    if (status != 0)
        return status;
    struct st_stress *stress = NULL;
    struct st_result *results = calloc(n, sizeof(*results));
    const int r = results == NULL ? -ENOMEM : st_stress_start(a->stress, &stress);
    status = r != 0 ? st_failure("cannot start the load of --stress: %s", strerror(-r))
                    : st_measure_run(&a->config, a->progress || a->at_most.early ? look : NULL, a, results);
    const int ended = st_stress_stop(stress);
    if (status == 0) {
        if (a->progress)
            fputs("\r\033[K", stderr);
        const int files_status = st_measure_files_close(files, results, n, "");
        qsort(results, n, sizeof(*results), st_result_compare);
        const int wanted = a->at_most.limit.per_hour > 0 ? judge(a, results) : exit_status(a, results, n);
        if (a->json)
            status = st_output_json(document_of(a, results, n));
        else
            status = print_text(a, results, n);
        status = status == 0 ? wanted : status;
        if (ended != 0 && status != ST_EXIT_BOOKS)
            status = st_failure(
                "the load of --stress %s ended too early: these figures are not those of a busy "
                "machine%s",
                a->config.stress,
                a->stress == ST_STRESS_DISK ? ". The load needs 64 MiB of free space in $TMPDIR or /var/tmp"
                                            : "");
        if (files_status != 0 && status != ST_EXIT_BOOKS)
            status = files_status;
        ST_EACH_OF (result, results, n)
            st_result_finish(result);
    }
    free(results);
    st_measure_files_free(files);
    return status;
}

int st_cmd_measure(int argc, char **argv)
{
    struct arguments a;
    memset(&a, 0, sizeof(a));
    st_session_defaults(&a.config);
    a.config.duration_ns = -1;
    int r = read_options(argc, argv, &a);
    if (r >= 0)
        return r;
    a.progress = !a.quiet && isatty(STDERR_FILENO) == 1;
    r = choose_buffer(&a);
    if (r == 0 && a.at_most.limit.per_hour > 0)
        r = st_at_most_begin(&a.at_most, &a.config, a.quiet);
    else if (a.config.duration_ns < 0)
        a.config.duration_ns = 30 * ST_NS_PER_S;
    return st_at_most_end(&a.at_most, &a.config, r != 0 ? r : measure(&a));
}
