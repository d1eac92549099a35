#include "story/size_list.h"

#include "core/stats/stats.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "evidence/miss_events.h"
#include "xruns/xrun.h"

#define HOUR_S  3600.0
#define LEAST_S 60.0 /* of music, for a row: less is known to the minute only */

struct st_size_rate st_size_list_rate(const struct st_history_size *size)
{
    const double seconds = (double)size->playing_ns / 1e9, bursts = (double)size->bursts_n;
    const double factor = seconds > 0 ? HOUR_S / seconds : HUGE_VAL;
    return (struct st_size_rate){.per_hour = bursts > 0 ? bursts * factor : 0,
                                 .low = bursts > 0 ? st_stats_gamma_quantile(0.05, bursts) * factor : 0,
                                 .high = st_miss_events_per_hour_max95((uint64_t)size->bursts_n, seconds)};
}

/* "14 min", "3.2 h", "140 h" */
static const char *time_text(int64_t ns)
{
    const double s = (double)ns / 1e9;
    if (s < 3600)
        return st_text("%.0f min", floor(s / 60));
    return st_text(s < 36000 ? "%.1f h" : "%.0f h", s / 3600);
}

/* "3.1 (2.0 to 4.61)", "none (at most 0.214)" */
static const char *rate_text(const struct st_size_rate *rate)
{
    const char *high = st_miss_events_rate_text(rate->high);
    if (rate->per_hour > 0)
        return st_text(rate->per_hour < 9.95 ? "%.2g (%.2g to %s)" : "%.0f (%.0f to %s)", rate->per_hour,
                       rate->low, high);
    return st_text("none (at most %s)", high);
}

/* The row of a table: on the terminal and on the page. */
static json_t *screen_row(const struct st_history_size *size, bool several, const char *played,
                          const char *rate)
{
    char label[64], dropouts[32];
    ST_PRINT(label, "%jd frames", size->frames);
    if (several)
        ST_APPEND(label, ", %s", st_xrun_sources_title(size->source));
    ST_PRINT(dropouts, "%jd", size->dropouts_n);
    return json_pack("{s:o, s:o, s:s, s:b, s:[o, s, s, s, s]}", "label", st_json_safe_string(label), "text",
                     st_json_safe_string(st_text("bursts an hour: %s; played for %s", rate, played)), "state",
                     size->dropouts_n > 0 ? "warn" : "ok", "detail", 1, "cells", st_json_safe_string(label),
                     rate, played, dropouts,
                     st_text("%.1f ms", (double)size->frames * 1e3 / (double)size->rate_hz));
}

static json_t *row_json(const struct st_history_size *size)
{
    const struct st_size_rate rate = st_size_list_rate(size);
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:o}", "source",
                     st_json_safe_string(size->source), "frames", (json_int_t)size->frames, "rate_hz",
                     (json_int_t)size->rate_hz, "playing_ns", (json_int_t)size->playing_ns, "dropouts",
                     (json_int_t)size->dropouts_n, "bursts", (json_int_t)size->bursts_n, "per_hour",
                     rate.per_hour, "low", rate.low, "high",
                     st_json_real_or_null(isfinite(rate.high), rate.high));
}

static json_t *run_json(const struct st_history_run *run)
{
    return json_pack("{s:o, s:I, s:I, s:I, s:I}", "source", st_json_safe_string(run->source), "from_ns",
                     (json_int_t)run->from_wall_ns, "to_ns", (json_int_t)run->to_wall_ns, "frames",
                     (json_int_t)run->frames, "rate_hz", (json_int_t)run->rate_hz);
}

static json_t *document_of(struct st_history_sizes *sizes, int64_t since_ns, int64_t until_ns)
{
    json_t *list = json_array(), *rows = json_array(), *runs = json_array();
    const bool several =
        sizes->n > 0 && !st_text_is(sizes->sizes[0].source, sizes->sizes[sizes->n - 1].source);
    ST_EACH_OF (size, sizes->sizes, sizes->n) {
        const struct st_size_rate rate = st_size_list_rate(size);
        (void)json_array_append_new(list, row_json(size));
        if ((double)size->playing_ns >= LEAST_S * 1e9)
            (void)json_array_append_new(
                rows, screen_row(size, several, time_text(size->playing_ns), rate_text(&rate)));
    }
    for (size_t i = 0; i < sizes->runs_n && sizes->runs_n <= ST_HISTORY_RUNS_MAX; i++) {
        if (sizes->runs[i].frames > 0)
            (void)json_array_append_new(runs, run_json(&sizes->runs[i]));
    }
    if (sizes->runs_n > ST_HISTORY_RUNS_MAX) {
        json_decref(runs);
        runs = json_null();
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:{s:s, s:[s, s, s, s, s], s:o}}", "schema",
                     "sleeptune-sizes/1", "since_ns", st_json_known(since_ns), "until_ns",
                     st_json_known(until_ns), "sizes", list, "runs", runs, "section", "title",
                     "Dropouts at each buffer size that ran", "columns", "Buffer used", "Bursts/h (95 %)",
                     "Played", "Dropouts", "Period", "rows", rows);
}

int st_size_list_read(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns, json_t **ret)
{
    struct st_history_sizes *sizes = malloc(sizeof(*sizes));
    int r = sizes != NULL ? st_history_read_sizes(reader, since_ns, until_ns, sizes) : -ENOMEM;
    if (r == 0) {
        *ret = document_of(sizes, since_ns, until_ns);
        r = *ret != NULL ? 0 : -ENOMEM;
    }
    free(sizes);
    return r;
}
