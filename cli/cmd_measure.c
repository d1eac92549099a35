/* sleeptune measure: runs a loop like an audio callback, and prints whether this machine meets its
 * deadlines. */
#include <unistd.h>

#include "advisor/rules/buffer.h"
#include "cli/command.h"
#include "cli/measure/measure_file.h"
#include "cli/measure/measure_run.h"
#include "cli/report/facts_input.h"
#include "cli/show/measure_text.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/number.h"
#include "core/text/safe.h"
#include "evidence/limit.h"
#include "measure/stress.h"
#include "platform/program/output.h"
#include "platform/program/terminal.h"

#define DURATION_MAX_NS (366 * ST_NS_PER_DAY)
#define CAUSE_MAX_NS    ST_NS_PER_HOUR
/* --at-most: default duration as a multiple of the shortest one that can prove the limit; in this
 * time the limit is kept with up to two events */
#define SPARE 2.2

struct arguments {
    struct st_session_config config;
    int64_t frames, rate_hz;           /* 0: use the buffer size or rate of the sound server */
    char buffer[ST_BUFFER_TEXT_BYTES]; /* the sound server's buffer size and who set it; "": the
                                          user named a size */
    const char *record;
    enum st_stress_phase stress;
    /* for --at-most, which tests whether the events of missed periods stay below a limit: */
    double per_hour; /* the limit: events per hour; 0: --at-most was not given */
    double hours;    /* time in which events_n were counted */
    uint64_t events_n;
    /* even without further events the limit is exceeded; nothing is counted any more */
    bool broken;
    char text[256]; /* the verdict as text; "": none yet */
    bool details, json, fail_on_miss, quiet, progress;
};

static const char help[] =
    "Usage: sleeptune measure [OPTION...]\n"
    "Test this computer's timing: a thread that wakes up once a period, as an audio\n"
    "program does, counts the deadlines that it misses.\n"
    "\n"
    "  -r, --rate RATE         48000, 44.1k ... (as in the sound server, else 48k)\n"
    "  -f, --frames N          frames per period (as in the server, else 128)\n"
    "  -d, --duration TIME     30s, 500ms, 10m ... (30s); 0 until Ctrl-C\n"
    "  -a, --cpu N             on that CPU (on any)\n"
    "      --policy POLICY     fifo, rr or other (fifo)\n"
    "  -p, --priority N        1 .. 99 (70)\n"
    "      --load PERCENT      the test computes for 0 .. 90 % of the period (0)\n"
    "      --stress PHASE      busy computer: cpu, memory, disk or programs\n"
    "      --warmup CYCLES     first cycles, not counted (200, at most 1 s)\n"
    "      --wait WAIT         plain, or precise: no delay added by FreeBSD (plain)\n"
    "      --timer-slack NS    timer slack of the test's thread (not changed)\n"
    "      --cause-above TIME  find the cause of later wake-ups (half a period)\n"
    "      --no-lock           do not lock memory\n"
    "      --record FILE       write every lateness, for predict and sleeptune-lab\n"
    "      --details           also response time, test conditions\n"
    "      --json              print JSON\n"
    "      --fail-on-miss      exit status 1 if a period was missed\n"
    "      --at-most N/h       test: at most N events of missed periods an hour?\n"
    "  -q, --quiet             no progress line\n"
    "  -h, --help\n"
    "\n"
    "Examples:\n"
    "  sleeptune measure --frames 64 --duration 1m\n"
    "  sleeptune measure --cpu 1 --load 30 --json >result.json\n"
    "  sleeptune measure --policy other --duration 10s    what a normal thread gets\n"
    "  sleeptune measure --frames 128 --at-most 20/h\n"
    "\n"
    "Ctrl-C ends the measurement early and prints it. Exit status: 0 done, 1 missed\n"
    "periods with --fail-on-miss, or more than --at-most, 2 --at-most is undecided,\n"
    "3 usage, 4 failure, 5 invalid measurement.\n";

/* Checks that this process may use the CPU. @return an st_exit. */
static int check_cpu(int64_t cpu)
{
    struct st_platform *platform = st_platform_native();
    int allowed[4096];
    const int n = platform->cpus_allowed(platform, allowed, (int)ST_ARRAY_LEN(allowed));
    if (n < 0)
        return st_failure("cannot read which CPUs may be used: %s", strerror(-n));
    ST_EACH_OF (one, allowed, ST_MIN((size_t)n, ST_ARRAY_LEN(allowed))) {
        if (*one == cpu)
            return ST_EXIT_DONE;
    }
    return st_failure_usage("--cpu: CPU %jd does not exist or may not be used here", cpu);
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
        return st_failure_usage(
            "--stress: '%s' is unknown. Use cpu, memory, disk, programs or idle", text);
    a->config.stress = st_stress_name(a->stress);
    return 0;
}

static int take_at_most(void *ctx, const char *text)
{
    struct arguments *a = ctx;
    const size_t n = strlen(text);
    double limit;
    if (n < 3 || !st_text_is(text + n - 2, "/h") ||
        st_number_double(st_text("%.*s", (int)(n - 2), text), &limit) != 0 || !(limit >= 0.001) ||
        limit > 1000)
        return st_failure_usage("--at-most: '%s' is not a number of events of missed periods an "
                                "hour, such as 20/h (0.001/h to 1000/h)",
                                text);
    a->per_hour = limit;
    return 0;
}

/* Reads the options. @return -1 to go on, or an st_exit. */
static int read_options(int argc, char **argv, struct arguments *a)
{
    struct st_session_config *config = &a->config;
    int64_t priority = config->priority, warmup = -1, cpu = -1;
    bool no_lock = false;
    const struct st_option options[] = {
        {"rate", 'r', .rate_hz = &a->rate_hz, .min = 1000, .max = 768000},
        {"frames", 'f', .number = &a->frames, .min = 1, .max = 1 << 20},
        {"duration", 'd', .time_ns = &config->duration_ns, .min = 0, .max = DURATION_MAX_NS},
        {"cpu", 'a', .number = &cpu, .min = 0, .max = INT16_MAX},
        {"policy", .take = st_option_policy, .ctx = &config->policy},
        {"priority", 'p', .number = &priority, .min = 1, .max = 99},
        {"load", .real = &config->load_percent, .min = 0, .max = 90},
        {"stress", .take = take_stress, .ctx = a},
        {"warmup", .number = &warmup, .min = 0, .max = 1000000},
        {"wait", .take = take_wait, .ctx = a},
        {"timer-slack", .number = &config->timer_slack_ns, .min = 1, .max = ST_NS_PER_S},
        {"cause-above", .time_ns = &config->cause_above_ns, .min = 1, .max = CAUSE_MAX_NS},
        {"no-lock", .flag = &no_lock},
        {"record", .text = &a->record},
        {"details", .flag = &a->details},
        {.name = "json", .flag = &a->json},
        {"fail-on-miss", .flag = &a->fail_on_miss},
        {"at-most", .take = take_at_most, .ctx = a},
        {"quiet", 'q', .flag = &a->quiet},
    };
    const int r = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (r >= 0)
        return r;
    config->priority = (int)priority;
    config->cpu = (int)cpu;
    if (warmup >= 0) { /* skip exactly this number of cycles, even if they take more than 1 s */
        config->warmup_cycles = (uint64_t)warmup;
        config->warmup_max_ns = 0;
    }
    config->lock_memory = config->lock_memory && !no_lock;
    if (a->per_hour > 0 && config->cause_above_ns > 0)
        return st_failure_usage(
            "--at-most looks for the causes of missed periods only: leave out --cause-above");
    const int status = cpu >= 0 ? check_cpu(cpu) : ST_EXIT_DONE;
    return status != ST_EXIT_DONE ? status : r;
}

/* @return a document of the schema sleeptune-measure/1, a new reference; NULL: out of memory. */
static json_t *document_of(const struct arguments *a, const struct st_result *result)
{
    json_t *document = st_result_json(result);
    if (a->text[0] != '\0')
        st_json_add(document, "at_most:t", a->text);
    return st_json_add(document, "schema:t", "sleeptune-measure/1");
}

static int print_text(const struct arguments *a, const struct st_result *result)
{
    int width = st_terminal_width(STDOUT_FILENO);
    struct st_locale_stream stream;
    FILE *out = st_locale_begin(&stream, stdout);
    width = ST_MIN(width, 100);
    if (a->text[0] != '\0')
        st_text_wrap(out, a->text, 0, width);
    st_measure_text_print(result, a->buffer, a->details, out, width);
    if (result->misses > 0)
        fprintf(out, "\nTo find the settings to change: sleeptune report --frames %u --rate %u\n",
                a->config.frames, a->config.rate_hz);
    else if (!a->details && result->n > 0)
        fputs("\nMore figures: --details\n", out);
    return st_output_text(&stream, 0);
}

/* Uses the sound server's buffer size and rate unless the user named them. @return an st_exit. */
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
            ST_PRINT(a->buffer, "%s", st_buffer_text(&wish));
        a->frames = wish.frames;
        a->rate_hz = wish.rate_hz;
    }
    a->config.frames = (uint32_t)a->frames;
    a->config.rate_hz = (uint32_t)a->rate_hz;
    return ST_EXIT_DONE;
}

/* --- the test of --at-most --- */

/* Checks that this user has the right to real-time priority. Without it, --at-most would judge a
 * thread of normal priority. @return an st_exit, after a message. */
static int has_rights(const struct st_session_config *config)
{
    struct st_platform *platform = st_platform_native();
    struct st_rt_rights rights;
    if (config->policy == ST_POLICY_OTHER ||
        platform->rt_rights(platform, config->priority, &rights) != 0 || rights.fifo_errno == 0)
        return ST_EXIT_DONE;
    return st_failure("no right to real-time priority %d: %s. 'sleeptune report' says how to get "
                      "it; --policy other measures without it",
                      config->priority, strerror(rights.fifo_errno));
}

/* Chooses a duration if the user gave none (-1), and prints it unless --quiet. @return an st_exit;
 * after a message if the duration is too short for the limit, or if there is no right to the
 * priority. */
static int begin_at_most(struct arguments *a)
{
    struct st_session_config *config = &a->config;
    struct st_period period;
    const double shortest = ST_LIMIT_LEAST_N / a->per_hour;
    if (config->duration_ns < 0)
        config->duration_ns = (int64_t)(shortest * SPARE * ST_NS_PER_HOUR);
    const char *shortest_text = st_ns_short((int64_t)(shortest * ST_NS_PER_HOUR));
    const char *time = st_ns_short(config->duration_ns);
    if ((double)config->duration_ns < shortest * ST_NS_PER_HOUR)
        return st_failure_usage(
            "--duration: %s is too short to prove at most %.6g events of missed periods an hour, "
            "even if none happens. The shortest time is %s",
            time, a->per_hour, shortest_text);
    if (st_period_init(&period, config->frames, config->rate_hz) == 0)
        config->cause_above_ns =
            st_period_ns(&period); /* a wake-up later than this is a missed period */
    if (!a->quiet)
        fprintf(stderr,
                "Measuring for %s. The shortest time that can prove at most %.6g events of missed "
                "periods an hour is %s.\n",
                time, a->per_hour, shortest_text);
    return has_rights(config);
}

/* Counts the events of missed periods. @return true: the limit is broken, so the measurement can
 * end. */
static bool count(struct arguments *a, const struct st_result *result)
{
    const double planned_hours = (double)a->config.duration_ns / ST_NS_PER_HOUR;
    if (!a->broken && a->per_hour > 0) {
        a->hours = st_result_seconds(result) / 3600;
        a->events_n = result->miss_events.n;
        /* without those that the virtual machine's host may have caused */
        const uint64_t own_n = a->events_n - ST_MIN(a->events_n, result->causes[ST_CAUSE_STEAL].n);
        a->broken = st_limit_judge(a->per_hour * planned_hours, own_n) == ST_LIMIT_BROKEN;
    }
    return a->broken;
}

/* @return why the result cannot be judged; NULL: it can. */
static const char *invalid_text(const struct st_result *result, bool sure)
{
    if (result->records_lost > 0 || !result->books_balance)
        return "the counts of the measurement contradict each other, so measure again";
    if (result->suspends > 0)
        return "the computer was suspended";
    if (sure || result->causes[ST_CAUSE_STEAL].n == 0)
        return NULL;
    return "in some missed periods the virtual machine's host had the CPU";
}

/* Writes the verdict of --at-most into a->text. @return an st_exit. */
static int judge(struct arguments *a, const struct st_result *result)
{
    static const struct {
        const char *word;
        int status;
    } verdicts[] = {[ST_LIMIT_KEPT] = {"Kept", ST_EXIT_DONE},
                    [ST_LIMIT_BROKEN] = {"Broken", ST_EXIT_FINDINGS},
                    [ST_LIMIT_UNDECIDED] = {"Undecided: measure longer (-d)", ST_EXIT_UNKNOWN}};
    if (st_measure_run_status(result) == ST_EXIT_FAILURE)
        return ST_EXIT_FAILURE;
    enum st_limit_verdict verdict = ST_LIMIT_UNDECIDED;
    if (count(a, result))
        verdict = ST_LIMIT_BROKEN;
    else if (!result->interrupted)
        verdict = st_limit_judge(a->per_hour * a->hours, a->events_n);
    const char *invalid = invalid_text(result, verdict == ST_LIMIT_KEPT || a->broken);
    if (invalid != NULL) {
        ST_PRINT(a->text, "Invalid: %s.", invalid);
        return ST_EXIT_BOOKS;
    }
    ST_PRINT(a->text,
             "%s: periods were missed %ju times in %s at %u frames; allowed: %.6g an hour.",
             verdicts[verdict].word, a->events_n, st_ns_short((int64_t)(a->hours * ST_NS_PER_HOUR)),
             result->frames, a->per_hour);
    return verdicts[verdict].status;
}

/* --- the run --- */

static bool look(void *ctx, const struct st_result *so_far, bool first)
{
    struct arguments *a = ctx;
    if (a->progress)
        (void)st_measure_text_show(NULL, so_far, first);
    return !count(a, so_far);
}

static int measure(struct arguments *a)
{
    struct st_measure_file file = {.path = a->record};
    struct st_stress *stress = NULL;
    struct st_result result;
    int status = 0;
    if (a->record != NULL)
        status = st_measure_file_open(&a->config, &file);
    if (status != 0)
        return status;
    const int r = st_stress_start(a->stress, &stress);
    status = r != 0 ? st_failure("cannot start the load of --stress: %s", strerror(-r))
                    : st_measure_run(&a->config, a->progress || a->per_hour > 0 ? look : NULL, a,
                                     &result);
    const int ended = st_stress_stop(stress),
              file_status = st_measure_file_close(&file, status == 0 ? &result : NULL);
    if (status != 0)
        return status;
    if (a->progress)
        fputs("\r\033[K", stderr);
    int wanted = a->per_hour > 0 ? judge(a, &result) : st_measure_run_status(&result);
    if (wanted == ST_EXIT_DONE && a->fail_on_miss && result.misses > 0)
        wanted = ST_EXIT_FINDINGS;
    status = a->json ? st_output_json(document_of(a, &result)) : print_text(a, &result);
    status = status == 0 ? wanted : status;
    if (ended != 0 && status != ST_EXIT_BOOKS)
        status = st_failure(
            "the load of --stress %s ended too early: these figures are not those of a busy "
            "machine. The load disk needs 64 MiB of free space in $TMPDIR or /var/tmp",
            a->config.stress);
    if (file_status != 0 && status != ST_EXIT_BOOKS)
        status = file_status;
    st_result_finish(&result);
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
    if (r == 0 && a.per_hour > 0)
        r = begin_at_most(&a);
    else if (a.config.duration_ns < 0)
        a.config.duration_ns = 30 * ST_NS_PER_S;
    return r != 0 ? r : measure(&a);
}
