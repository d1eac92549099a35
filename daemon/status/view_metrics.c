/* Writes metrics in Prometheus' text format. Dashboards and alert rules use their names, so a name
 * must not change. */
#include "daemon/status/view.h"

#include "core/ns.h"
#include "st_config.h"

/* Upper bounds of the histogram of lateness. The first bucket includes early wake-ups. */
static const int64_t bounds_ns[] = {1000,      2000,      5000,      10000,     20000,
                                    50000,     100000,    200000,    500000,    1000000,
                                    2000000,   5000000,   10000000,  20000000,  50000000,
                                    100000000, 200000000, 500000000, 1000000000};

static void counter(FILE *out, const char *name, const char *help, uint64_t value)
{
    st_observe_metric(out, name, "counter", help);
    fprintf(out, "%s %ju\n", name, value);
}

static void gauge(FILE *out, const char *name, const char *help, double value)
{
    st_observe_metric(out, name, "gauge", help);
    fprintf(out, "%s %.15g\n", name, value);
}

static void lateness(FILE *out, const struct st_result *loop)
{
    st_observe_metric(out, "sleeptune_lateness_seconds", "histogram",
                      "How late the timing test woke up in each cycle; negative: early.");
    ST_EACH (bound_ns, bounds_ns)
        fprintf(out, "sleeptune_lateness_seconds_bucket{le=\"%.9g\"} %ju\n",
                st_ns_seconds(*bound_ns),
                loop->lateness.total_n - st_hist_count_above(&loop->lateness, *bound_ns));
    fprintf(out,
            "sleeptune_lateness_seconds_bucket{le=\"+Inf\"} %ju\n"
            "sleeptune_lateness_seconds_sum %.9f\n"
            "sleeptune_lateness_seconds_count %ju\n",
            loop->lateness.total_n, loop->lateness.sum_ns / (double)ST_NS_PER_S,
            loop->lateness.total_n);
}

static void late_wakes(FILE *out, const struct st_result *loop)
{
    st_observe_metric(out, "sleeptune_late_wakes_total", "counter",
                      "Late wake-ups of the timing test, by cause.");
    ST_EACH (row, loop->causes)
        fprintf(out, "sleeptune_late_wakes_total{cause=\"%s\"} %ju\n",
                st_cause_kind_name((enum st_cause)(row - loop->causes)), row->n);
    st_observe_metric(out, "sleeptune_late_wakes_seconds_total", "counter",
                      "Total lateness of the late wake-ups, by cause.");
    ST_EACH (row, loop->causes)
        fprintf(out, "sleeptune_late_wakes_seconds_total{cause=\"%s\"} %.9f\n",
                st_cause_kind_name((enum st_cause)(row - loop->causes)),
                st_ns_seconds(row->total_ns));
}

/** The conditions under which the loop runs. Only those that change with the machine, its kernel or
 * its settings, since Prometheus keeps a new series for each set of values. */
static void conditions(FILE *out, const struct st_result *loop)
{
    static const char *const keys[] = {"os",        "kernel_release", "preemption",  "hypervisor",
                                       "cpu_model", "governor",       "idle_driver", "clocksource"};
    st_observe_metric(out, "sleeptune_conditions_info", "gauge",
                      "Conditions in which the timing test ran (kernel, governor ...); one that "
                      "could not be read is missing.");
    fputs("sleeptune_conditions_info{", out);
    ST_EACH (key, keys) {
        const char *value = st_result_condition(loop, *key);
        if (value == NULL)
            continue;
        st_observe_label(out, *key, value);
        fputc(',', out); /* the format allows a comma after the last label */
    }
    fputs("} 1\n", out);
}

static void loop_metrics(FILE *out, const struct st_result *loop)
{
    counter(out, "sleeptune_cycles_total", "Cycles of the timing test since its last start.",
            loop->cycles);
    counter(out, "sleeptune_deadline_misses_total",
            "Missed deadlines: cycles of the timing test that ended after the next one was due, "
            "and skipped periods.",
            loop->misses);
    counter(out, "sleeptune_skipped_periods_total",
            "Skipped periods, in which the timing test did not run at all.", loop->skipped_periods);
    counter(out, "sleeptune_records_lost_total",
            "Cycles of the timing test that sleeptuned could not record in time.",
            loop->records_lost);
    lateness(out, loop);
    late_wakes(out, loop);
    conditions(out, loop);
    gauge(out, "sleeptune_period_seconds", "Period of the timing test.",
          st_period_seconds(&loop->period));
    st_observe_metric(out, "sleeptune_loop_info", "gauge",
                      "Scheduling policy, priority and period of the timing test.");
    fprintf(out,
            "sleeptune_loop_info{policy=\"%s\",priority=\"%d\",frames=\"%u\",rate_hz=\"%u\"} 1\n",
            st_platform_policy_name(loop->policy), loop->priority, loop->frames, loop->rate_hz);
}

/** Prints all parts, 0 for those that work: when a part fails, its value changes and no new series
 * begins. */
static void degraded(FILE *out, const struct st_view *view)
{
    static const char *const parts[] = {"loop",  "memory",  "books",  "watchdog",
                                        "audio", "observe", "config", "socket",
                                        "http",  "trace",   "history"};
    const struct st_degraded_list list = st_view_degraded(view);
    st_observe_metric(
        out, "sleeptune_degraded", "gauge",
        "Parts of sleeptuned that do not work as configured; /v1/status has the reasons.");
    ST_EACH (part, parts) {
        size_t of_part = 0;
        ST_EACH_OF (reason, list.parts, list.n)
            of_part += st_text_is(reason->what, *part);
        fprintf(out, "sleeptune_degraded{what=\"%s\"} %zu\n", *part, of_part);
    }
}

static void history(FILE *out, const struct st_history_writer_view *view)
{
    fprintf(out,
            "# HELP sleeptune_history_rows_total Rows written to the history since the start.\n"
            "# TYPE sleeptune_history_rows_total counter\n"
            "sleeptune_history_rows_total{kind=\"minute\"} %ju\n"
            "sleeptune_history_rows_total{kind=\"event\"} %ju\n"
            "# HELP sleeptune_history_lost_rows_total Rows of the history that were lost before "
            "they could be written.\n"
            "# TYPE sleeptune_history_lost_rows_total counter\n"
            "sleeptune_history_lost_rows_total{kind=\"minute\"} %ju\n"
            "sleeptune_history_lost_rows_total{kind=\"event\"} %ju\n",
            view->minutes_n, view->events_n, view->lost_minutes_n, view->lost_events_n);
}

char *st_view_metrics(const struct st_view *view, bool named)
{
    char *text = NULL;
    size_t text_bytes = 0;
    FILE *out = open_memstream(&text, &text_bytes);
    if (out == NULL)
        return NULL;
    if (view->loop != NULL)
        loop_metrics(out, view->loop);
    st_observe_metric(out, "sleeptune_device_dropouts_total", "counter",
                      "Dropouts of sound devices, also by resynchronising and on a USB bus; own: "
                      "sleeptuned's own test stream.");
    fprintf(out, "sleeptune_device_dropouts_total{source=\"own\"} %ju\n", view->audio.dropouts_n);
    st_observe_metrics(out, &view->observe, named);
    degraded(out, view);
    history(out, &view->history);
    gauge(out, "sleeptune_loop_running",
          "0 while the timing test rests because nothing plays (loop.when), else 1.", !view->rests);
    gauge(out, "sleeptune_loop_overdue_seconds",
          "How long the timing test has had no CPU since its next cycle was due; 0 while it runs.",
          st_ns_seconds(view->overdue.ns));
    gauge(out, "sleeptune_audio_stream_open", "1 while the daemon's own sound stream plays.",
          view->audio.state == ST_AUDIO_RUNNING);
    gauge(out, "sleeptune_start_time_seconds",
          "When sleeptuned was started, in seconds since 1970.",
          st_ns_seconds(view->started_wall_ns));
    st_observe_metric(out, "sleeptune_build_info", "gauge", "Version of sleeptuned.");
    fputs("sleeptune_build_info{version=\"" ST_VERSION "\"} 1\n", out);
    return st_text_take(out, &text);
}
