#include "cli/measure/at_most.h"

#include "cli/command.h"
#include "core/ns.h"
#include "core/text/number.h"
#include "core/text/safe.h"
#include "core/text/text.h"

#define NS_PER_HOUR (3600 * (double)ST_NS_PER_S)
#define SPARE       2.2 /* of the shortest time: one with which two events still pass */

int st_at_most_take(void *ctx, const char *text)
{
    struct st_at_most *at_most = ctx;
    const size_t n = strlen(text);
    double limit;
    if (n < 3 || !st_text_is(text + n - 2, "/h") ||
        st_number_double(ST_TEXT(64, "%.*s", (int)(n - 2), text), &limit) != 0 || !(limit >= 0.001) ||
        limit > 1000)
        return st_failure_usage(
            "--at-most: '%s' is not a number of events an hour, such as 20/h (0.001/h to 1000/h)", text);
    at_most->limit.per_hour = limit;
    return 0;
}

static const char *time_text(double in_hours, char *buf, size_t bytes)
{
    return st_ns_format_short((int64_t)(in_hours * NS_PER_HOUR), buf, bytes);
}

/* Without the right to it a normal thread would be judged, unnoticed. */
static int has_rights(const struct st_session_config *config)
{
    struct st_threads *threads = &st_platform_native()->threads;
    struct st_rt_rights rights;
    if (config->policy == ST_POLICY_OTHER || threads->rt_rights(threads, config->priority, &rights) != 0 ||
        rights.fifo_errno == 0)
        return ST_EXIT_DONE;
    return st_failure("no right to real-time priority %d: %s. 'sleeptune report' says how to get it; "
                      "--policy other judges what a normal thread gets",
                      config->priority, strerror(rights.fifo_errno));
}

int st_at_most_begin(struct st_at_most *at_most, struct st_session_config *config, bool quiet)
{
    struct st_period period;
    at_most->limit.any_time = at_most->early;
    const double shortest = st_limit_shortest(at_most->limit.per_hour, at_most->early);
    if (config->duration_ns < 0)
        config->duration_ns = (int64_t)(shortest * SPARE * NS_PER_HOUR);
    const char *shortest_text = time_text(shortest, ST_ROOM(32));
    const char *time = ST_NS_SHORT(config->duration_ns);
    if (config->duration_ns != 0 && (double)config->duration_ns < shortest * NS_PER_HOUR)
        return st_failure_usage(
            "--duration: %s cannot show at most %.6g an hour, even without a missed period. "
            "The shortest time is %s",
            time, at_most->limit.per_hour, shortest_text);
    if (st_period_init(&period, config->frames, config->rate_hz) == 0)
        config->cause_above_ns = st_period_ns(&period); /* each is a missed period */
    if (!quiet)
        fprintf(stderr, "Measuring %s%s. The shortest time that can show at most %.6g an hour is %s.\n",
                config->duration_ns != 0 ? "for " : "until ", config->duration_ns != 0 ? time : "Ctrl-C",
                at_most->limit.per_hour, shortest_text);
    const int r = at_most->junit != NULL ? st_output_open(&at_most->file, at_most->junit) : 0;
    if (r != 0)
        return st_failure("cannot write %s: %s", at_most->junit, st_destination_error(r));
    return has_rights(config);
}

bool st_at_most_look(struct st_at_most *at_most, const struct st_result *result)
{
    const double hours = st_result_seconds(result) / 3600;
    if (!at_most->decided && hours > 0) {
        at_most->limit.hours = hours;
        at_most->limit.events_n = result->miss_events.n;
        at_most->decided = at_most->early && st_limit_judge(&at_most->limit) != ST_LIMIT_UNDECIDED;
    }
    return at_most->decided;
}

/* @return NULL: the result can be judged. */
static const char *invalid_text(const struct st_result *result, bool kept)
{
    if (result->records_lost > 0 || !result->books_balance)
        return "the books of the measurement do not balance";
    if (result->suspends > 0)
        return "the computer slept meanwhile";
    return result->causes[ST_CAUSE_STEAL].n > 0 && !kept
               ? "the host had the CPU of this virtual machine at a missed period"
               : NULL;
}

int st_at_most_judge(struct st_at_most *at_most, const struct st_result *result)
{
    static const struct {
        const char *word;
        int status;
    } verdicts[] = {[ST_LIMIT_KEPT] = {"Kept", ST_EXIT_DONE},
                    [ST_LIMIT_BROKEN] = {"Broken", ST_EXIT_FINDINGS},
                    [ST_LIMIT_UNDECIDED] = {"Undecided: run longer (-d)", ST_EXIT_UNKNOWN}};
    const struct st_limit *limit = &at_most->limit;
    (void)st_at_most_look(at_most, result);
    at_most->limit.any_time |= result->interrupted;
    const enum st_limit_verdict verdict = st_limit_judge(limit);
    const char *invalid = invalid_text(result, verdict == ST_LIMIT_KEPT);
    if (invalid != NULL) {
        ST_PRINT(at_most->text, "Invalid: %s.", invalid);
        return ST_EXIT_BOOKS;
    }
    ST_PRINT(at_most->text,
             "%s: %" PRIu64 " events of missed periods in %s at %u frames; allowed: %.6g an hour.",
             verdicts[verdict].word, limit->events_n, time_text(limit->hours, ST_ROOM(32)), result->frames,
             limit->per_hour);
    return verdicts[verdict].status;
}

/* One test case, whose name is the same in each run. Source of the form: the schema of JUnit's Ant task. */
static int write_junit(struct st_at_most *at_most, const struct st_session_config *config, int status)
{
    const char *kind = status == ST_EXIT_DONE       ? "system-out"
                       : status == ST_EXIT_FINDINGS ? "failure"
                       : status == ST_EXIT_UNKNOWN  ? "skipped"
                                                    : "error";
    const double seconds = at_most->limit.hours * 3600;
    FILE *out = at_most->file.stream;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"sleeptune measure\" tests=\"1\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" "
            "time=\"%.3f\">\n"
            "  <testcase classname=\"sleeptune.measure\" name=\"%u frames at %u Hz: at most %.6g an hour\" "
            "time=\"%.3f\">\n    <%s%s",
            status == ST_EXIT_FINDINGS, status >= ST_EXIT_USAGE, status == ST_EXIT_UNKNOWN, seconds,
            config->frames, config->rate_hz, at_most->limit.per_hour, seconds, kind,
            status == ST_EXIT_DONE ? ">" : " message=\"");
    st_safe_print_xml(out, at_most->text);
    fprintf(out, "%s\n  </testcase>\n</testsuite>\n", status == ST_EXIT_DONE ? "</system-out>" : "\"/>");
    return st_output_close(&at_most->file, true);
}

int st_at_most_end(struct st_at_most *at_most, const struct st_session_config *config, int status)
{
    if (at_most->file.stream == NULL)
        return status;
    if (status == ST_EXIT_FAILURE)
        ST_PRINT(at_most->text, "Nothing was measured, or not all of it: see the messages of the program.");
    const int r = write_junit(at_most, config, status);
    return r == 0 ? status : st_failure("cannot write %s: %s", at_most->junit, st_destination_error(r));
}
