/* What came of comparing two runs, in words, and as JSON. */
#include "cli/change/before_after.h"

#include <unistd.h>

#include "cli/change/change_output.h"
#include "cli/command.h"
#include "core/ns.h"
#include "core/text/text.h"
#include "evidence/difference_text.h"
#include "evidence/miss_events.h"
#include "evidence/verdict.h"
#include "platform/program/locale.h"

static void put(const char *label, const char *text)
{
    if (text[0] != '\0')
        st_change_output_text(0, label, text);
}

static const char *sentence(const struct st_before_after *done, char *buf)
{
    return st_difference_text_sentence(done->figures, done->tests_n, "before", buf);
}

static const char *when(const struct st_recording_run *run, char *buf, size_t buf_bytes)
{
    const time_t seconds = (time_t)(run->meta.started_wall_ns / ST_NS_PER_S);
    struct tm tm;
    if (run->meta.started_wall_ns <= 0 || gmtime_r(&seconds, &tm) == NULL ||
        strftime(buf, buf_bytes, "%Y-%m-%d %H:%M UTC", &tm) == 0)
        snprintf(buf, buf_bytes, "at an unknown time");
    return buf;
}

static bool is_short(const struct st_recording_run *run)
{
    return run->end != ST_RECORDING_COMPLETE;
}

/* Of the run with fewer of them. */
static size_t blocks_n(const struct st_before_after *done)
{
    const size_t before = done->before.blocks.len, now = done->now.blocks.len;
    return ST_MIN(before, now);
}

static int64_t duration_ns(const struct st_recording_run *run)
{
    return st_period_due_ns(&run->meta.period, 0, st_before_after_periods(run));
}

/* What that is for the ear. Misses of a burst count as one, as far as they scatter more than by chance. */
static void put_per_hour(const struct st_before_after *done)
{
    char per_hour[2][32], times[2][24];
    const double scatter = fmax(1, done->figures[ST_FIGURE_MISSED].counts.scatter);
    const struct st_recording_run *runs[2] = {&done->before, &done->now};
    double seconds[2], events[2];
    for (int i = 0; i < 2; i++) {
        seconds[i] = st_ns_seconds(duration_ns(runs[i]));
        events[i] = ceil((double)runs[i]->blocks.missed_n / scatter);
        st_ns_format_short(duration_ns(runs[i]), times[i], sizeof(times[i]));
    }
    const bool any = events[0] > 0 && seconds[0] > 0;
    st_miss_events_rate_text(any ? events[0] * 3600 / seconds[0]
                                 : st_miss_events_per_hour_max95((uint64_t)events[0], seconds[0]),
                             per_hour[0], sizeof(per_hour[0]));
    st_miss_events_rate_text(st_miss_events_per_hour_max95((uint64_t)events[1], seconds[1]), per_hour[1],
                             sizeof(per_hour[1]));
    const char *text =
        ST_TEXT(300,
                "before %s %s an hour, now at most %s an hour (95 %%). Missed periods of the test loop with "
                "%" PRIu32 " frames: %" PRIu64 " in %s before, %" PRIu64 " in %s now",
                any ? "about" : "at most", per_hour[0], per_hour[1], done->before.meta.frames,
                runs[0]->blocks.missed_n, times[0], runs[1]->blocks.missed_n, times[1]);
    put("dropouts:", text);
}

void st_before_after_print(const struct st_before_after *done)
{
    char text[ST_DIFFERENCE_TEXT_BYTES], times[2][24], dates[2][40], cpu[32] = "any CPU";
    const struct st_recording_run *runs[2] = {&done->before, &done->now};
    if (!done->compared) {
        put("proof:", done->why);
        return;
    }
    put("proof:", sentence(done, text));
    put_per_hour(done);
    struct st_locale_stream stream;
    st_difference_text_table(st_locale_begin(&stream, stdout), done->figures, "before", "now");
    if (st_locale_end(&stream) != 0)
        st_failure("out of memory: the table cannot be shown");
    put("drift:", st_difference_text_drift(done->figures, text));
    put("doubt:", st_difference_text_doubts(done->figures, text));
    for (int i = 0; i < 2; i++) {
        st_ns_format(duration_ns(runs[i]), times[i], sizeof(times[i]));
        when(runs[i], dates[i], sizeof(dates[i]));
    }
    if (done->cpu >= 0)
        ST_PRINT(cpu, "CPU %d", done->cpu);
    snprintf(
        text, sizeof(text),
        "%" PRIu32 " frames at %" PRIu32 " Hz, %s%s %d, %s; before: %" PRIu64 " of %" PRIu64
        " periods missed, %s, %s%s; now: %" PRIu64 " of %" PRIu64
        ", %s, %s%s; lateness of wake-ups. Each side is a single run: other changes between them count, too",
        done->before.meta.frames, done->before.meta.rate_hz,
        done->right ? "no real-time priority before, now " : "", st_platform_policy_name(done->policy),
        done->priority, cpu, runs[0]->blocks.missed_n, st_before_after_periods(runs[0]), dates[0], times[0],
        is_short(runs[0]) ? " (ended early)" : "", runs[1]->blocks.missed_n, st_before_after_periods(runs[1]),
        dates[1], times[1], is_short(runs[1]) ? " (ended early)" : "");
    put("runs:", text);
    if (done->right && geteuid() == 0)
        put("note:",
            "the loop has root's right now; programs of the user get theirs at the first login after "
            "'sleeptune apply'");
    ST_EACH_OF (change, done->changes, done->changes_n)
        put("differs:", st_difference_text_condition(change, text));
}

/* --- JSON --- */

static json_t *figure_json(const struct st_figure *figure)
{
    const struct st_estimate *e = &figure->difference;
    const double drift = fmax(figure->drift[0], figure->drift[1]);
    return e->known ? json_pack("{s:f, s:f, s:f, s:f, s:b, s:f, s:s}", "value", e->value, "low", e->low,
                                "high", e->high, "drift", isfinite(drift) ? drift : 0, "shown",
                                (int)st_verdict_shows(figure), "p_corrected", figure->p_corrected, "verdict",
                                st_verdict_name(figure->verdict))
                    : json_null();
}

static json_t *quantile_json(const struct st_figure *figure, int k)
{
    return figure->known[k] ? json_integer((json_int_t)figure->value[k]) : json_null();
}

static json_t *run_json(const struct st_before_after *done, const struct st_recording_run *run, int k)
{
    const struct st_figure *figures = done->figures;
    const bool dated = run->meta.started_wall_ns > 0;
    return json_pack("{s:o, s:I, s:b, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "started_wall_ns",
                     dated ? json_integer(run->meta.started_wall_ns) : json_null(), "duration_ns",
                     (json_int_t)duration_ns(run), "interrupted", is_short(run), "cycles",
                     (json_int_t)run->blocks.n, "periods", (json_int_t)st_before_after_periods(run), "misses",
                     (json_int_t)run->blocks.missed_n, "records_lost", (json_int_t)run->totals.lost_cycles,
                     "median_ns", quantile_json(&figures[ST_FIGURE_MEDIAN], k), "p99_ns",
                     quantile_json(&figures[ST_FIGURE_P99], k), "p999_ns",
                     quantile_json(&figures[ST_FIGURE_P999], k));
}

json_t *st_before_after_json(const struct st_before_after *done)
{
    char text[ST_DIFFERENCE_TEXT_BYTES];
    const struct st_figure *figures = done->figures;
    if (!done->compared)
        return json_pack("{s:b, s:s}", "compared", 0, "sentence", done->why);
    json_t *changes = json_array();
    ST_EACH_OF (change, done->changes, done->changes_n) {
        json_array_append_new(changes, json_pack("{s:s, s:s, s:s}", "key", change->key, "before",
                                                 change->before, "now", change->now));
    }
    return json_pack("{s:b, s:s, s:i, s:i, s:s, s:i, s:o, s:i, s:o, s:o, s:{s:o, s:o, s:o, s:o}, s:o}",
                     "compared", 1, "sentence", sentence(done, text), "frames", (int)done->before.meta.frames,
                     "rate_hz", (int)done->before.meta.rate_hz, "policy",
                     st_platform_policy_name(done->policy), "priority", done->priority, "cpu",
                     done->cpu >= 0 ? json_integer(done->cpu) : json_null(), "blocks", (int)blocks_n(done),
                     "before", run_json(done, &done->before, 0), "now", run_json(done, &done->now, 1),
                     "difference", "median_ns", figure_json(&figures[ST_FIGURE_MEDIAN]), "p99_ns",
                     figure_json(&figures[ST_FIGURE_P99]), "p999_ns", figure_json(&figures[ST_FIGURE_P999]),
                     "misses_per_period", figure_json(&figures[ST_FIGURE_MISSED]), "differs", changes);
}
