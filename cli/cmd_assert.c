/* sleeptune assert: a test for continuous integration: do missed deadlines stay below a limit? */
#include <stdatomic.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/measure/measure_run.h"
#include "cli/show/measure_text.h"
#include "core/ns.h"
#include "core/text/number.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "evidence/assertion.h"
#include "platform/program/locale.h"
#include "platform/program/output.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define DURATION_MAX_NS (366 * 86400 * ST_NS_PER_S)
#define NS_PER_HOUR     (3600 * (double)ST_NS_PER_S)
#define SPARE           2.2 /* of the shortest time: one with which two episodes still pass */

/* What the loop did. Written by the drain thread; read when it has ended, but for `decided`. */
struct run {
    struct st_assertion assertion;
    struct st_period period;
    uint64_t periods_n;
    uint64_t host_n;     /* deadlines that were missed while the host had the CPU */
    bool early;          /* it may end as soon as it is decided */
    atomic_bool decided; /* nothing counts from then on */
};

struct arguments {
    struct st_session_config config;
    int64_t frames, rate_hz, priority;
    const char *junit;
    bool quiet;
    struct run run;
};

static const char help[] =
    "Usage: sleeptune assert --at-most N/h [OPTION...]\n"
    "Test that missed deadlines stay below a limit, for test jobs of distributions,\n"
    "plug-ins and stage boxes. Missed deadlines less than a second apart are one\n"
    "episode. What runs is the loop of 'measure', not your music.\n\n"
    "      --at-most N/h       how many episodes an hour are allowed\n"
    "  -f, --frames N          frames per period (128)\n"
    "  -r, --rate RATE         48000, 44.1k ... (48k)\n"
    "  -d, --duration TIME     how long it takes (so long that two episodes may pass)\n"
    "      --load PERCENT      the loop computes for 0 .. 90 % of the period (0)\n"
    "      --policy POLICY     fifo, rr or other (fifo)\n"
    "  -p, --priority N        1 .. 99 (70)\n"
    "      --early             end as soon as it is decided; needs longer to be sure\n"
    "      --junit FILE        write the result as JUnit XML\n"
    "  -q, --quiet             nothing on standard error while it measures\n"
    "  -h, --help\n\n"
    "Examples:\n"
    "  sleeptune assert --frames 128 --at-most 20/h -d 10m\n"
    "  sleeptune assert --at-most 1/h --early -d 12h --junit result.xml\n\n"
    "Exit status: 0 kept, 1 broken, 2 undecided, 3 usage, or too short to be kept,\n"
    "4 failure, 5 invalid: the host took the CPU, the computer slept, or the books\n"
    "do not balance.\n";

/* "20/h" */
static int take_limit(void *ctx, const char *text)
{
    struct arguments *a = ctx;
    const size_t n = strlen(text);
    double limit;
    if (n < 3 || !st_text_is(text + n - 2, "/h") ||
        st_number_double(ST_TEXT(64, "%.*s", (int)(n - 2), text), &limit) != 0 || !(limit >= 0.001) ||
        limit > 1000)
        return st_failure_usage(
            "--at-most: '%s' is not a number of episodes an hour, such as 20/h (0.001/h to 1000/h)", text);
    a->run.assertion.limit_per_hour = limit;
    return 0;
}

/* @return -1 to go on, or an st_exit. */
static int read_options(int argc, char **argv, struct arguments *a)
{
    struct st_session_config *config = &a->config;
    const struct st_option options[] = {
        {"at-most", .take = take_limit, .ctx = a},
        {"frames", 'f', .number = &a->frames, .min = 1, .max = 1 << 20},
        {"rate", 'r', .rate_hz = &a->rate_hz, .min = 1000, .max = 768000},
        {"duration", 'd', .time_ns = &config->duration_ns, .min = ST_NS_PER_S, .max = DURATION_MAX_NS},
        {"load", .real = &config->load_percent, .min = 0, .max = 90},
        {"policy", .take = st_option_policy, .ctx = &config->policy},
        {"priority", 'p', .number = &a->priority, .min = 1, .max = 99},
        {"early", .flag = &a->run.early},
        {"junit", .text = &a->junit},
        {"quiet", 'q', .flag = &a->quiet},
    };
    const int r = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (r >= 0)
        return r;
    if (a->run.assertion.limit_per_hour == 0)
        return st_failure_usage("how many episodes are allowed? Say it with --at-most, as in --at-most 20/h");
    config->frames = (uint32_t)a->frames;
    config->rate_hz = (uint32_t)a->rate_hz;
    config->priority = (int)a->priority;
    if (st_period_init(&a->run.period, config->frames, config->rate_hz) != 0)
        return st_failure_usage("the period (--frames / --rate) is longer than an hour");
    return -1;
}

/* --- the run --- */

static double hours(const struct run *run)
{
    return (double)st_period_due_ns(&run->period, 0, run->periods_n) / NS_PER_HOUR;
}

static void missed(struct run *run, uint64_t first_k, uint64_t n)
{
    st_assertion_miss(&run->assertion, st_period_due_ns(&run->period, 0, first_k),
                      st_period_due_ns(&run->period, 0, first_k + n - 1));
}

static void on_cycle(void *ctx, uint64_t k, int64_t lateness_ns, int64_t callback_ns)
{
    struct run *run = ctx;
    if (run->decided)
        return;
    run->periods_n++;
    if (st_period_missed(&run->period, k, lateness_ns + callback_ns))
        missed(run, k, 1);
}

static void on_skipped(void *ctx, uint64_t first_k, uint64_t n, ST_UNUSED int64_t due_to_done_ns)
{
    struct run *run = ctx;
    if (run->decided)
        return;
    run->periods_n += n;
    missed(run, first_k, n);
}

/* Only of those later than a period: each is a missed deadline. */
static void on_late(void *ctx, const struct st_cause_event *event)
{
    struct run *run = ctx;
    run->host_n += !run->decided && event->cause == ST_CAUSE_STEAL;
}

static void on_flush(void *ctx)
{
    struct run *run = ctx;
    if (run->early && run->periods_n > 0 &&
        st_assertion_judge(&run->assertion, hours(run)) != ST_ASSERTION_UNDECIDED)
        run->decided = true;
}

static bool look(void *ctx, const struct st_result *result, bool first)
{
    struct arguments *a = ctx;
    if (!a->quiet && isatty(STDERR_FILENO) == 1)
        (void)st_measure_text_show(NULL, result, first);
    return !a->run.decided;
}

/* --- the answer --- */

struct answer {
    int status;
    char text[700];
    double seconds;
};

static const char *rate_text(double per_hour, char *buf, size_t bytes)
{
    snprintf(buf, bytes, per_hour < 100 ? "%.3g" : "%.0f", per_hour);
    return buf;
}

static const char *time_text(double in_hours, char *buf, size_t bytes)
{
    return st_ns_format_short((int64_t)(in_hours * NS_PER_HOUR), buf, bytes);
}

static bool is_invalid(const struct st_result *result, const struct run *run, bool kept,
                       struct answer *answer)
{
    if (result->records_lost > 0 || !result->books_balance)
        ST_PRINT(answer->text, "Invalid: the books of the measurement do not balance.");
    else if (result->suspends > 0)
        ST_PRINT(answer->text, "Invalid: the computer slept meanwhile.");
    else if (run->host_n > 0 && !kept)
        ST_PRINT(answer->text,
                 "Invalid: the host had the CPU of this virtual machine at %" PRIu64
                 " missed deadline%s. The job needs a machine of its own.",
                 run->host_n, ST_PLURAL(run->host_n));
    else
        return false;
    answer->status = ST_EXIT_BOOKS;
    return true;
}

static void say_next(const struct arguments *a, const struct st_result *result, struct answer *answer)
{
    const struct run *run = &a->run;
    const double longer = st_assertion_decides_after(&run->assertion, hours(run));
    enum st_cause cause;
    if (run->assertion.episodes_n > 0 && st_result_main_cause(result, &cause) != NULL)
        ST_APPEND(answer->text, " Main cause: %s.", st_cause_kind_text(cause));
    if (result->degraded[0] != '\0')
        ST_APPEND(answer->text, " Not as asked: %s.", result->degraded);
    if (answer->status == ST_EXIT_FINDINGS)
        ST_APPEND(answer->text, "\nNext: sleeptune report --frames %u --rate %u", a->config.frames,
                  a->config.rate_hz);
    else if (answer->status == ST_EXIT_UNKNOWN && longer > 0)
        ST_APPEND(answer->text, "\nNext: the same with -d %.0fm", ceil(longer * 60));
    else if (answer->status == ST_EXIT_UNKNOWN)
        ST_APPEND(answer->text, "\nIt is so near to the limit that %s would not tell.",
                  time_text(hours(run) * 64, ST_ROOM(32)));
}

static void judge(const struct arguments *a, const struct st_result *result, struct answer *answer)
{
    static const struct {
        const char *word;
        int status;
    } verdicts[] = {[ST_ASSERTION_KEPT] = {"Kept", ST_EXIT_DONE},
                    [ST_ASSERTION_BROKEN] = {"Broken", ST_EXIT_FINDINGS},
                    [ST_ASSERTION_UNDECIDED] = {"Undecided", ST_EXIT_UNKNOWN}};
    const struct run *run = &a->run;
    const enum st_assertion_verdict verdict = st_assertion_judge(&run->assertion, hours(run));
    double low, high;
    answer->status = verdicts[verdict].status;
    answer->seconds = hours(run) * 3600;
    if (is_invalid(result, run, verdict == ST_ASSERTION_KEPT, answer))
        return;
    st_assertion_bounds(&run->assertion, hours(run), &low, &high);
    ST_PRINT(answer->text, "%s: ", verdicts[verdict].word);
    if (verdict == ST_ASSERTION_UNDECIDED)
        ST_APPEND(answer->text, "%s to ", rate_text(low, ST_ROOM(32)));
    else
        ST_APPEND(answer->text, verdict == ST_ASSERTION_KEPT ? "at most " : "at least ");
    ST_APPEND(answer->text,
              "%s episodes of missed deadlines an hour (95 %%), and %.6g %s allowed: %" PRIu64
              " in %s at %u frames (%s).",
              rate_text(verdict == ST_ASSERTION_BROKEN ? low : high, ST_ROOM(32)),
              run->assertion.limit_per_hour, run->assertion.limit_per_hour == 1 ? "is" : "are",
              run->assertion.episodes_n, time_text(hours(run), ST_ROOM(32)), a->config.frames,
              ST_NS_SHORT(st_period_due_ns(&run->period, 0, 1)));
    say_next(a, result, answer);
}

/* One test case, whose name is the same in each run. Source of the form: the schema of JUnit's Ant task. */
static void write_junit(const struct arguments *a, const struct answer *answer, FILE *out)
{
    const int status = answer->status;
    const char *kind = status == ST_EXIT_FINDINGS  ? "failure"
                       : status == ST_EXIT_UNKNOWN ? "skipped"
                                                   : "error";
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"sleeptune assert\" tests=\"1\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" "
            "time=\"%.3f\">\n"
            "  <testcase classname=\"sleeptune.assert\" name=\"%u frames at %u Hz: at most %.6g an hour\" "
            "time=\"%.3f\">\n",
            status == ST_EXIT_FINDINGS, status >= ST_EXIT_USAGE, status == ST_EXIT_UNKNOWN, answer->seconds,
            a->config.frames, a->config.rate_hz, a->run.assertion.limit_per_hour, answer->seconds);
    fputs(status == ST_EXIT_DONE ? "    <system-out>" : "    <", out);
    if (status != ST_EXIT_DONE)
        fprintf(out, "%s message=\"", kind);
    st_safe_print_xml(out, answer->text);
    fputs(status == ST_EXIT_DONE ? "</system-out>\n" : "\"/>\n", out);
    fputs("  </testcase>\n</testsuite>\n", out);
}

static int print_text(const struct answer *answer)
{
    const int width = st_terminal_width(STDOUT_FILENO);
    struct st_locale_stream stream;
    FILE *out = st_locale_begin(&stream, stdout);
    const char *next = strchr(answer->text, '\n');
    st_text_wrap(out, ST_TEXT(sizeof(answer->text), "%.*s", (int)strcspn(answer->text, "\n"), answer->text),
                 0, ST_MIN(width, 100));
    if (next != NULL)
        fprintf(out, "%s\n", next + 1);
    return st_output_text(&stream, answer->status);
}

/* Without the right to it a normal thread would be judged, unnoticed. */
static int has_rights(const struct arguments *a)
{
    struct st_threads *threads = &st_platform_native()->threads;
    struct st_rt_rights rights;
    if (a->config.policy == ST_POLICY_OTHER ||
        threads->rt_rights(threads, a->config.priority, &rights) != 0 || rights.fifo_errno == 0)
        return ST_EXIT_DONE;
    return st_failure("no right to real-time priority %d: %s. 'sleeptune report' says how to get it; "
                      "--policy other asserts what a normal thread gets",
                      a->config.priority, strerror(rights.fifo_errno));
}

static int measure(struct arguments *a, struct answer *answer)
{
    struct run *run = &a->run;
    struct st_result result;
    const struct st_sink sink = {
        .cycle = on_cycle, .skipped = on_skipped, .late = on_late, .flush = on_flush, .ctx = run};
    a->config.sinks = &sink;
    a->config.cause_above_ns = st_period_due_ns(&run->period, 0, 1);
    int status = has_rights(a);
    if (status == ST_EXIT_DONE)
        status = st_measure_run(&a->config, look, a, &result);
    if (status != ST_EXIT_DONE)
        return status;
    if (!a->quiet && isatty(STDERR_FILENO) == 1)
        fputs("\r\033[K", stderr);
    status = st_measure_run_status(&result, 1);
    if (status == ST_EXIT_FAILURE) {
        status = st_failure("nothing was measured");
    } else {
        run->assertion.any_time = run->early || result.interrupted;
        judge(a, &result, answer);
        status = print_text(answer);
    }
    st_result_finish(&result);
    return status;
}

int st_cmd_assert(int argc, char **argv)
{
    static struct arguments a = {.frames = 128, .rate_hz = 48000};
    struct answer answer = {.status = ST_EXIT_FAILURE, .text = "It could not be measured."};
    struct st_output junit;
    st_session_defaults(&a.config);
    a.priority = a.config.priority;
    a.config.duration_ns = 0;
    int status = read_options(argc, argv, &a);
    if (status >= 0)
        return status;
    const double limit = a.run.assertion.limit_per_hour;
    const double shortest = st_assertion_shortest(limit, a.run.early);
    a.run.assertion.any_time = a.run.early;
    if (a.config.duration_ns == 0)
        a.config.duration_ns = (int64_t)(shortest * SPARE * NS_PER_HOUR);
    const char *shortest_text = time_text(shortest, ST_ROOM(32));
    const char *time = ST_NS_SHORT(a.config.duration_ns);
    if ((double)a.config.duration_ns < shortest * NS_PER_HOUR)
        return st_failure_usage(
            "--duration: %s cannot show at most %.6g an hour, even without a missed deadline. "
            "The shortest time is %s",
            time, limit, shortest_text);
    if (!a.quiet)
        fprintf(stderr, "Measuring for %s. The shortest time that can show at most %.6g an hour is %s.\n",
                time, limit, shortest_text);
    int r = a.junit != NULL ? st_output_open(&junit, a.junit) : 0;
    if (r != 0)
        return st_failure("cannot write %s: %s", a.junit, st_destination_error(r));
    status = measure(&a, &answer);
    if (a.junit == NULL)
        return status;
    answer.status = status;
    write_junit(&a, &answer, junit.stream);
    r = st_output_close(&junit, true);
    return r == 0 ? status : st_failure("cannot write %s: %s", a.junit, st_destination_error(r));
}
