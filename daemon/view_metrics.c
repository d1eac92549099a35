/* Prometheus text format; names are design 8. */
#include "daemon/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/ns.h"
#include "st_config.h"

/* Upper bounds of the exported lateness histogram. Early wake-ups are in the first one. */
static const int64_t bounds_ns[] = {1000,     2000,      5000,      10000,     20000,     50000,    100000,
                                    200000,   500000,    1000000,   2000000,   5000000,   10000000, 20000000,
                                    50000000, 100000000, 200000000, 500000000, 1000000000};

static void counter(FILE *out, const char *name, const char *help, uint64_t value)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s counter\n%s %" PRIu64 "\n", name, help, name, name, value);
}

static void gauge(FILE *out, const char *name, const char *help, double value)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n%s %.15g\n", name, help, name, name, value);
}

static double seconds(int64_t ns)
{
    return (double)ns / (double)ST_NS_PER_S;
}

static void lateness(FILE *out, const struct st_result *loop)
{
    const char *name = "sleeptune_lateness_seconds";
    fprintf(out, "# HELP %s Wake-up of a cycle minus its due time; negative is early.\n# TYPE %s histogram\n",
            name, name);
    for (size_t i = 0; i < ST_ARRAY_LEN(bounds_ns); i++)
        fprintf(out, "%s_bucket{le=\"%.9g\"} %" PRIu64 "\n", name, seconds(bounds_ns[i]),
                loop->lateness.total_n - st_hist_count_above(&loop->lateness, bounds_ns[i]));
    fprintf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, loop->lateness.total_n);
    fprintf(out, "%s_sum %.9f\n%s_count %" PRIu64 "\n", name, loop->lateness.sum_ns / (double)ST_NS_PER_S,
            name, loop->lateness.total_n);
}

static void loop_metrics(FILE *out, const struct st_result *loop)
{
    counter(out, "sleeptune_cycles_total", "Cycles of the loop since it was started last.", loop->cycles);
    counter(out, "sleeptune_deadline_misses_total",
            "Cycles done after the next one was due, and skipped periods.", loop->misses);
    counter(out, "sleeptune_skipped_periods_total", "Periods that went by without a cycle.",
            loop->skipped_periods);
    counter(out, "sleeptune_records_lost_total", "Cycles that found the ring full.", loop->records_lost);
    lateness(out, loop);
    gauge(out, "sleeptune_period_seconds", "Period of the loop.", st_period_seconds(&loop->period));
    const char *name = "sleeptune_loop_info";
    fprintf(
        out,
        "# HELP %s How the loop runs.\n# TYPE %s gauge\n%s{policy=\"%s\",priority=\"%d\",frames=\"%" PRIu32
        "\",rate_hz=\"%" PRIu32 "\"} 1\n",
        name, name, name, st_policy_name(loop->policy), loop->priority, loop->frames, loop->rate_hz);
}

char *st_view_metrics(const struct st_view *view)
{
    char *text = NULL;
    size_t text_bytes = 0;
    FILE *out = open_memstream(&text, &text_bytes);
    if (out == NULL)
        return NULL;
    if (view->loop != NULL)
        loop_metrics(out, view->loop);
    fprintf(out, "# HELP sleeptune_xruns_total Xruns by where they were seen.\n# TYPE sleeptune_xruns_total "
                 "counter\n");
    if (view->loop != NULL)
        fprintf(out, "sleeptune_xruns_total{source=\"simulated\"} %" PRIu64 "\n",
                view->loop->simulated_xruns);
    fprintf(out, "sleeptune_xruns_total{source=\"own\"} %" PRIu64 "\n", view->audio.underflows_n);
    st_observe_xrun_metrics(out, &view->observe);
    st_observe_metrics(out, &view->observe);
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX];
    gauge(out, "sleeptune_degraded", "Number of things that are not as they were asked for; see /v1/status.",
          (double)st_view_degraded(view, degraded));
    gauge(out, "sleeptune_audio_stream_open", "1 while the daemon's own sound stream plays.",
          view->audio.state == ST_AUDIO_PLAYING ? 1 : 0);
    gauge(out, "sleeptune_start_time_seconds", "Start of the daemon, seconds since 1970.",
          seconds(view->started_wall_ns));
    fprintf(out, "# HELP sleeptune_build_info Version of sleeptuned.\n# TYPE sleeptune_build_info gauge\n"
                 "sleeptune_build_info{version=\"" ST_VERSION "\"} 1\n");
    const int failed = ferror(out);
    if (fclose(out) != 0 || failed != 0) {
        free(text);
        return NULL;
    }
    return text;
}
