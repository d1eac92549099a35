/* Verdict first, then what is degraded, then the figures with n and circumstances. */
#include "cli/show/status_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/json_field.h"
#include "core/base.h"
#include "core/ns.h"
#include "core/safe_text.h"
#include "core/text.h"
#include "core/when.h"

#define LABEL_COLUMNS 11
#define LINE_BYTES    1024
#define EVENTS_SHOWN  6

struct page {
    FILE *out;
    int columns;
};

/* One paragraph, behind a label where there is one. The document comes from a socket. */
static void paragraph(const struct page *page, const char *label, const char *text)
{
    char safe[LINE_BYTES];
    (void)st_safe_copy(safe, sizeof(safe), text, ST_TEXT_TO_NUL);
    if (label != NULL)
        st_text_field(page->out, label, safe, LABEL_COLUMNS, page->columns);
    else
        st_text_wrap(page->out, safe, 0, page->columns);
}

/* Collects one line; what does not fit is cut. */
struct line {
    char text[LINE_BYTES];
    size_t len;
};

static void put(struct line *line, const char *format, ...) ST_PRINTF(2, 3);
static void put(struct line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line->text + line->len, sizeof(line->text) - line->len, format, args);
    va_end(args);
    if (n > 0)
        line->len +=
            (size_t)n < sizeof(line->text) - line->len ? (size_t)n : sizeof(line->text) - line->len - 1;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "?";
}

/* Appends "1 WORD" or "2 WORDs". */
static void put_count(struct line *line, int64_t n, const char *word)
{
    put(line, "%" PRId64 " %s%s", n, word, n == 1 ? "" : "s");
}

/* Appends " VALUE" for a time in ns; a percentile that has too few samples is null. */
static void put_plain_ns(struct line *line, const json_t *value)
{
    char text[32];
    put(line, " %s",
        json_is_integer(value) ? st_ns_format(json_integer_value(value), text, sizeof(text)) : "not yet");
}

/* Appends ", NAME VALUE". */
static void put_ns(struct line *line, const char *name, const json_t *value)
{
    put(line, "%s%s", line->len > 0 ? ", " : "", name);
    put_plain_ns(line, value);
}

/* An upper bound for print: three digits, rounded up. */
static double rounded_up(double bound)
{
    if (!(bound > 0))
        return bound;
    const double unit = pow(10, floor(log10(bound)) - 2);
    return ceil(bound / unit) * unit;
}

static void show_times(const struct page *page, const char *label, const json_t *times)
{
    if (!json_is_object(times))
        return;
    struct line line = {0};
    put_ns(&line, "min", json_object_get(times, "min"));
    put_ns(&line, "median", json_object_get(times, "median"));
    put_ns(&line, "p99", json_object_get(times, "p99"));
    put_ns(&line, "p99.9", json_object_get(times, "p999"));
    put_ns(&line, "max", json_object_get(times, "max"));
    put(&line, " (n = %" PRId64 ")", st_json_field(times, "n"));
    paragraph(page, label, line.text);
}

static void show_loop(const struct page *page, const json_t *loop)
{
    if (!json_is_object(loop))
        return;
    const json_t *found = json_object_get(loop, "circumstances");
    const json_t *period = json_object_get(loop, "period_ns");
    const int64_t den = st_json_field(period, "den");
    char text[32] = "?";
    if (den > 0)
        st_ns_format(st_json_field(period, "num") / den, text, sizeof(text));
    struct line line = {0};
    put(&line, "%" PRId64 " frames at %" PRId64 " Hz (%s), %s %" PRId64, st_json_field(found, "frames"),
        st_json_field(found, "rate_hz"), text, text_of(found, "policy"), st_json_field(found, "priority"));
    if (json_is_integer(json_object_get(found, "cpu")))
        put(&line, ", CPU %" PRId64, st_json_field(found, "cpu"));
    else
        put(&line, ", any CPU");
    put(&line, ", load %g %%, memory locked: %s", json_number_value(json_object_get(found, "load_percent")),
        text_of(found, "memory_locked"));
    paragraph(page, "Loop", line.text);

    const json_t *bound_max = json_object_get(loop, "misses_per_hour_max95");
    const double bound = rounded_up(json_number_value(bound_max));
    line = (struct line){0};
    put(&line, "%" PRId64 " of %" PRId64 " periods, ", st_json_field(loop, "misses"),
        st_json_field(loop, "elapsed_periods"));
    if (json_is_number(bound_max))
        put(&line, "at most %.*f per hour (95 %%); ", bound < 10 ? 2 : 0, bound);
    else
        put(&line, "a bound per hour not yet; ");
    put_count(&line, st_json_field(loop, "skipped_periods"), "skipped period");
    if (st_json_field(loop, "records_lost") > 0) {
        put(&line, "; ");
        put_count(&line, st_json_field(loop, "records_lost"), "lost record");
    }
    paragraph(page, "Misses", line.text);
    show_times(page, "Lateness", json_object_get(loop, "lateness_ns"));
    show_times(page, "Response", json_object_get(loop, "response_ns"));

    size_t i;
    const json_t *cause;
    json_array_foreach(json_object_get(loop, "causes"), i, cause)
    {
        line = (struct line){0};
        put_count(&line, st_json_field(cause, "count"), "late wake-up");
        put(&line, ": %s", text_of(cause, "text"));
        put_ns(&line, "longest", json_object_get(cause, "worst_ns"));
        paragraph(page, i == 0 ? "Causes" : "", line.text);
    }
    line = (struct line){0};
    put_ns(&line, "CPU per cycle", json_object_get(loop, "cpu_ns_per_cycle"));
    if (json_is_real(json_object_get(loop, "cpu_ns_per_cycle"))) {
        line = (struct line){0};
        put(&line, "CPU per cycle %s",
            st_ns_format((int64_t)json_number_value(json_object_get(loop, "cpu_ns_per_cycle")), text,
                         sizeof(text)));
    }
    if (json_is_integer(json_object_get(loop, "faults"))) {
        put(&line, ", ");
        put_count(&line, st_json_field(loop, "faults"), "page fault");
    }
    put(&line, ", ring %" PRId64 " of %" PRId64 " words", st_json_field(loop, "ring_high_water"),
        st_json_field(loop, "ring_words"));
    paragraph(page, "Own cost", line.text);
}

/* One of the daemon's own streams. */
static void show_stream(const struct page *page, const char *label, const json_t *stream)
{
    struct line line = {0};
    const bool input = json_is_integer(json_object_get(stream, "holes"));
    put(&line, "%s, %s", text_of(stream, "backend"), text_of(stream, "state"));
    if (json_is_string(json_object_get(stream, "device"))) {
        put(&line, ", %s, %" PRId64 " Hz, %s", text_of(stream, "device"), st_json_field(stream, "rate_hz"),
            text_of(stream, "format"));
        put_ns(&line, input ? "latency" : "buffer", json_object_get(stream, "latency_ns"));
    }
    if (input) {
        put(&line, ", ");
        if (json_is_integer(json_object_get(stream, "own_xruns")))
            put_count(&line, st_json_field(stream, "own_xruns"), "overflow");
        else
            put(&line, "overflows are not told");
        if (st_json_field(stream, "holes") > 0) {
            put(&line, ", ");
            put_count(&line, st_json_field(stream, "holes"), "hole");
        }
    }
    paragraph(page, label, line.text);
    const json_t *callbacks = json_object_get(stream, "callbacks");
    const json_t *lateness = json_object_get(callbacks, "lateness_ns");
    if (!json_is_integer(json_object_get(callbacks, "frames_min")))
        return;
    line = (struct line){0};
    put(&line, "of %" PRId64 " .. %" PRId64 " frames (n = %" PRId64 "); late: median",
        st_json_field(callbacks, "frames_min"), st_json_field(callbacks, "frames_max"),
        st_json_field(callbacks, "n"));
    put_plain_ns(&line, json_object_get(lateness, "median"));
    put_ns(&line, "p99", json_object_get(lateness, "p99"));
    put_ns(&line, "p99.9", json_object_get(lateness, "p999"));
    put_ns(&line, "max", json_object_get(lateness, "max"));
    put(&line, " (n = %" PRId64 ")", st_json_field(lateness, "n"));
    paragraph(page, "Callbacks", line.text);
}

static void show_audio(const struct page *page, const json_t *document)
{
    const json_t *audio = json_object_get(document, "audio"), *xruns = json_object_get(document, "xruns");
    struct line line = {0};
    put(&line, "simulated %" PRId64 ", own %" PRId64, st_json_field(xruns, "simulated"),
        st_json_field(xruns, "own"));
    size_t i;
    const json_t *source;
    json_array_foreach(json_object_get(document, "observe"), i, source)
    {
        if (json_is_integer(json_object_get(source, "device_xruns")))
            put(&line, ", %s %" PRId64, text_of(source, "source"), st_json_field(source, "device_xruns"));
    }
    paragraph(page, "Xruns", line.text);
    show_stream(page, "Audio", audio);
    const json_t *capture = json_object_get(audio, "capture");
    if (json_is_object(capture) && strcmp(text_of(capture, "state"), "off") != 0)
        show_stream(page, "Capture", capture);
}

/* One paragraph a source that is watched; what is not, and why, in one. */
static void show_observe(const struct page *page, const json_t *sources)
{
    struct line line, absent = {0};
    bool first = true;
    size_t i;
    const json_t *source;
    json_array_foreach(sources, i, source)
    {
        const char *state = text_of(source, "state"), *why = text_of(source, "why");
        /* what this system never has is no news: its row is nothing but the reason */
        if (strcmp(state, "resting") == 0 ||
            (strcmp(state, "absent") == 0 && strcmp(why, text_of(source, "summary")) != 0))
            put(&absent, "%s%s (%s)", absent.len > 0 ? ", " : "not ", text_of(source, "source"), why);
        if (strcmp(state, "watching") != 0)
            continue;
        line = (struct line){0};
        put(&line, "%s", text_of(source, "source"));
        if (json_is_string(json_object_get(source, "why")))
            put(&line, " (%s)", why);
        if (json_is_integer(json_object_get(source, "starved")))
            put(&line, ", clients not ready %" PRId64, st_json_field(source, "starved"));
        put_ns(&line, "CPU per look", json_object_get(source, "cost_ns_per_poll"));
        put(&line, " (n = %" PRId64 ")", st_json_field(source, "polls"));
        paragraph(page, first ? "Watched" : "", line.text);
        first = false;
    }
    if (absent.len > 0)
        paragraph(page, first ? "Watched" : "", absent.text);
}

static void show_minute(const struct page *page, const json_t *minute)
{
    if (!json_is_object(minute))
        return;
    struct line line = {0};
    put(&line, "%" PRId64 " cycles, %" PRId64 " missed; xruns: %" PRId64 " simulated, %" PRId64 " own",
        st_json_field(minute, "cycles"), st_json_field(minute, "misses"),
        st_json_field(minute, "simulated_xruns"), st_json_field(minute, "own_xruns"));
    put_ns(&line, "latest wake-up", json_object_get(minute, "lateness_max_ns"));
    paragraph(page, "Minute", line.text);
}

/* Appends "; 3 minutes and 1 event STATE", where there are such. */
static void put_minutes_and_events(struct line *line, const json_t *history, const char *minutes,
                                   const char *events, const char *state)
{
    if (st_json_field(history, minutes) <= 0 && st_json_field(history, events) <= 0)
        return;
    put(line, "; ");
    put_count(line, st_json_field(history, minutes), "minute");
    put(line, " and ");
    put_count(line, st_json_field(history, events), "event");
    put(line, " %s", state);
}

static void show_history(const struct page *page, const json_t *history)
{
    struct line line = {0};
    if (!json_is_object(history))
        return;
    put(&line, "%s", text_of(history, "state"));
    if (json_is_string(json_object_get(history, "path")))
        put(&line, " %s", text_of(history, "path"));
    if (json_is_integer(json_object_get(history, "bytes")))
        put(&line, ", %.1f MB", (double)st_json_field(history, "bytes") / 1e6);
    if (json_is_string(json_object_get(history, "why")))
        put(&line, ": %s", text_of(history, "why"));
    put_minutes_and_events(&line, history, "waiting_minutes", "waiting_events", "waiting in memory");
    put_minutes_and_events(&line, history, "lost_minutes", "lost_events", "lost");
    paragraph(page, "History", line.text);
    if (json_is_string(json_object_get(history, "put_aside"))) {
        line.len = 0;
        put(&line, "what was there before is now %s", text_of(history, "put_aside"));
        paragraph(page, "", line.text);
    }
}

static void show_machine(const struct page *page, const json_t *found)
{
    static const char *const keys[] = {"os",       "kernel_release", "preemption", "cpu_model",
                                       "governor", "clocksource",    "hypervisor", "idle_driver"};
    struct line line = {0};
    for (size_t i = 0; i < ST_ARRAY_LEN(keys); i++) {
        const char *value = json_string_value(json_object_get(found, keys[i]));
        if (value == NULL)
            continue;
        if (strcmp(keys[i], "os") == 0)
            put(&line, "%s", value);
        else if (strcmp(keys[i], "kernel_release") == 0)
            put(&line, " %s", value);
        else
            put(&line, "%s%s %s", line.len > 0 ? ", " : "", keys[i], value);
    }
    if (line.len > 0)
        paragraph(page, "Machine", line.text);
}

static void show_events(const struct page *page, const json_t *events, int64_t now_ns)
{
    size_t i;
    const json_t *event;
    json_array_foreach(events, i, event)
    {
        if (i == EVENTS_SHOWN)
            break;
        char at[32];
        st_when_text_near(st_json_field(event, "time_ns"), now_ns, at, sizeof(at));
        struct line line = {0};
        put(&line, "%s %s: %s", at, text_of(event, "event"), text_of(event, "text"));
        paragraph(page, i == 0 ? "Events" : "", line.text);
    }
}

void st_status_text(FILE *out, const json_t *document, const char *socket_path, int columns)
{
    const struct page page = {.out = out, .columns = columns};
    const int64_t uptime_s = st_json_field(document, "uptime_ns") / ST_NS_PER_S;
    struct line line = {0};
    paragraph(&page, NULL, text_of(document, "verdict"));
    size_t i;
    const json_t *entry;
    json_array_foreach(json_object_get(document, "degraded"), i, entry)
    {
        line = (struct line){0};
        put(&line, "%s: %s", text_of(entry, "what"), text_of(entry, "why"));
        paragraph(&page, i == 0 ? "Degraded" : "", line.text);
    }
    fputc('\n', out);
    line = (struct line){0};
    put(&line,
        "sleeptuned %s, PID %" PRId64 ", %s for %" PRId64 " h %02" PRId64 " min %02" PRId64 " s, socket %s",
        text_of(document, "version"), st_json_field(document, "pid"), text_of(document, "state"),
        uptime_s / 3600, uptime_s / 60 % 60, uptime_s % 60, socket_path);
    paragraph(&page, "Daemon", line.text);
    show_loop(&page, json_object_get(document, "loop"));
    show_audio(&page, document);
    show_observe(&page, json_object_get(document, "observe"));
    show_minute(&page, json_object_get(document, "last_minute"));
    show_history(&page, json_object_get(document, "history"));
    show_machine(&page, json_object_get(json_object_get(document, "loop"), "circumstances"));
    show_events(&page, json_object_get(document, "events"), st_json_field(document, "time_ns"));
}
