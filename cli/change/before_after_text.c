/* What came of comparing two runs, in words, and as JSON. */
#include "cli/change/before_after.h"

#include <unistd.h>

#include "advisor/change/candidate.h"
#include "cli/change/change_output.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "evidence/miss_events.h"

#define TEXT_BYTES    600
#define DIFFERS_BYTES 8400 /* two command lines of the kernel */

static void put(const char *label, const char *text)
{
    if (text[0] != '\0')
        st_change_output_text(0, label, text);
}

static const char *sentence(const struct st_before_after *done, char *buf)
{
    return st_counts_text(&done->late, buf, TEXT_BYTES);
}

static const char *when(const struct st_before_after_run *run, char *buf, size_t buf_bytes)
{
    const time_t seconds = (time_t)(run->started_wall_ns / ST_NS_PER_S);
    struct tm tm;
    if (run->started_wall_ns <= 0 || gmtime_r(&seconds, &tm) == NULL ||
        strftime(buf, buf_bytes, "%Y-%m-%d %H:%M UTC", &tm) == 0)
        snprintf(buf, buf_bytes, "at an unknown time");
    return buf;
}

/* What that is for the ear. Missed periods less than 100 ms apart count as one. */
static void put_per_hour(const struct st_before_after *done)
{
    char per_hour[2][32], times[2][24];
    const struct st_before_after_run *runs[2] = {&done->before, &done->now};
    double seconds[2];
    for (int i = 0; i < 2; i++) {
        seconds[i] = st_ns_seconds(st_before_after_ns(runs[i]));
        st_ns_format_short(st_before_after_ns(runs[i]), times[i], sizeof(times[i]));
    }
    const uint64_t before_n = (uint64_t)runs[0]->events_n;
    const bool any = before_n > 0 && seconds[0] > 0;
    st_miss_events_rate_text(any ? (double)before_n * 3600 / seconds[0]
                                 : st_miss_events_per_hour_max95(before_n, seconds[0]),
                             per_hour[0], sizeof(per_hour[0]));
    st_miss_events_rate_text(st_miss_events_per_hour_max95((uint64_t)runs[1]->events_n, seconds[1]),
                             per_hour[1], sizeof(per_hour[1]));
    const char *text =
        ST_TEXT(300,
                "before %s %s an hour, now at most %s an hour (95 %%). Missed periods of the test loop with "
                "%" PRIu32 " frames: %" PRId64 " in %s before, %" PRId64 " in %s now",
                any ? "about" : "at most", per_hour[0], per_hour[1], done->before.frames, runs[0]->missed_n,
                times[0], runs[1]->missed_n, times[1]);
    put("dropouts:", text);
}

/* How late a wake-up is late. */
static double late_us(const struct st_before_after *done)
{
    return st_ns_seconds(st_period_ns(&done->before.period)) * 1e6 /
           st_candidates_late_share(st_platform_native()->machine.os);
}

void st_before_after_print(const struct st_before_after *done)
{
    char text[TEXT_BYTES], times[2][24], dates[2][40], cpu[32] = "any CPU";
    const struct st_before_after_run *runs[2] = {&done->before, &done->now};
    if (!done->compared) {
        put("proof:", done->why);
        return;
    }
    put("proof:", sentence(done, text));
    put_per_hour(done);
    put("late:", ST_TEXT(200, "wake-ups later than %s: %" PRId64 " in %s before, %" PRId64 " in %s now",
                         ST_NS_SHORT((int64_t)(late_us(done) * 1e3)), runs[0]->late_n,
                         ST_NS_SHORT(st_before_after_ns(runs[0])), runs[1]->late_n,
                         ST_NS_SHORT(st_before_after_ns(runs[1]))));
    for (int i = 0; i < 2; i++) {
        st_ns_format(st_before_after_ns(runs[i]), times[i], sizeof(times[i]));
        when(runs[i], dates[i], sizeof(dates[i]));
    }
    if (done->cpu >= 0)
        ST_PRINT(cpu, "CPU %d", done->cpu);
    snprintf(text, sizeof(text),
             "%" PRIu32 " frames at %" PRIu32 " Hz, %s%s %d, %s; before: %" PRId64 " of %" PRId64
             " periods missed, %s, %s%s; now: %" PRId64 " of %" PRId64
             ", %s, %s%s. Each side is a single run: other changes between them count, too",
             done->before.frames, done->before.rate_hz,
             done->right ? "no real-time priority before, now " : "", st_platform_policy_name(done->policy),
             done->priority, cpu, runs[0]->missed_n, runs[0]->periods_n, dates[0], times[0],
             runs[0]->interrupted ? " (ended early)" : "", runs[1]->missed_n, runs[1]->periods_n, dates[1],
             times[1], runs[1]->interrupted ? " (ended early)" : "");
    put("runs:", text);
    if (done->right && geteuid() == 0)
        put("note:",
            "the loop has root's right now; programs of the user get theirs at the first login after "
            "'sleeptune apply'");
    size_t i;
    json_t *row;
    json_array_foreach(done->differs, i, row)
    {
        const char *key, *before, *now;
        if (json_unpack(row, "{s:s, s:s, s:s}", "key", &key, "before", &before, "now", &now) == 0)
            put("differs:",
                ST_TEXT(DIFFERS_BYTES, "%s: %s -> %s", key, before[0] != '\0' ? before : "unknown",
                        now[0] != '\0' ? now : "unknown"));
    }
}

/* --- JSON --- */

static json_t *run_json(const struct st_before_after_run *run)
{
    const bool dated = run->started_wall_ns > 0;
    return json_pack("{s:o, s:I, s:b, s:I, s:I, s:I, s:I, s:I}", "started_wall_ns",
                     dated ? json_integer(run->started_wall_ns) : json_null(), "duration_ns",
                     (json_int_t)st_before_after_ns(run), "interrupted", run->interrupted, "cycles",
                     (json_int_t)st_json_integer(json_object_get(run->document, "measured"), "cycles"),
                     "periods", (json_int_t)run->periods_n, "misses", (json_int_t)run->missed_n,
                     "miss_events", (json_int_t)run->events_n, "late", (json_int_t)run->late_n);
}

/* "too-short", "none", "drifting", "fewer", "more". */
static const char *counts_name(enum st_counts_verdict verdict)
{
    static const char *const names[] = {[ST_COUNTS_TOO_SHORT] = "too-short",
                                        [ST_COUNTS_SAME] = "none",
                                        [ST_COUNTS_DRIFTING] = "drifting",
                                        [ST_COUNTS_FEWER] = "fewer",
                                        [ST_COUNTS_MORE] = "more"};
    return names[verdict];
}

json_t *st_before_after_json(const struct st_before_after *done)
{
    char text[TEXT_BYTES];
    const struct st_counts_difference *late = &done->late;
    if (!done->compared)
        return json_pack("{s:b, s:s}", "compared", 0, "sentence", done->why);
    json_t *times = late->verdict == ST_COUNTS_TOO_SHORT
                        ? json_null()
                        : json_pack("{s:f, s:f, s:f, s:f}", "value", late->fold, "low", late->low, "high",
                                    late->high, "p_value", late->p_value);
    return json_pack("{s:b, s:s, s:s, s:i, s:i, s:s, s:i, s:o, s:f, s:o, s:o, s:o, s:O}", "compared", 1,
                     "sentence", sentence(done, text), "verdict", counts_name(late->verdict), "frames",
                     (int)done->before.frames, "rate_hz", (int)done->before.rate_hz, "policy",
                     st_platform_policy_name(done->policy), "priority", done->priority, "cpu",
                     done->cpu >= 0 ? json_integer(done->cpu) : json_null(), "late_us", late_us(done),
                     "before", run_json(&done->before), "now", run_json(&done->now), "late_times", times,
                     "differs", done->differs);
}
