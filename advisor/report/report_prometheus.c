/* A report as Prometheus metrics, for the textfile collector of node_exporter. */

#include "advisor/report/report_format.h"
#include "core/ns.h"

static void gauge(FILE *out, const char *name, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

/* Labels are not escaped, since ids of rules and statuses have only plain characters. */
int st_report_prometheus(const struct st_report *report, FILE *out,
                         ST_UNUSED const struct st_report_view *view)
{
    static const enum st_status statuses[] = {ST_STATUS_PROBLEM, ST_STATUS_ADVICE,
                                              ST_STATUS_UNKNOWN, ST_STATUS_OK,
                                              ST_STATUS_NOT_APPLICABLE};
    size_t counting = 0;
    gauge(out, "sleeptune_report_findings",
          "Number of settings that were checked, by result, without those that the profile leaves "
          "out.");
    ST_EACH (status, statuses) {
        const size_t n = st_report_count(report, *status);
        counting += n;
        fprintf(out, "sleeptune_report_findings{status=\"%s\"} %zu\n",
                st_finding_statuses[*status].name, n);
    }
    gauge(out, "sleeptune_report_left_out_findings",
          "Settings whose change the profile leaves out because it costs too much.");
    fprintf(out, "sleeptune_report_left_out_findings %zu\n", report->findings_n - counting);
    gauge(out, "sleeptune_report_finding_info",
          "1 for each setting with the result problem, advice or unknown.");
    ST_REPORT_EACH (finding, report) {
        if (st_finding_has_fired(finding) ||
            (finding->status == ST_STATUS_UNKNOWN && st_finding_counts(finding)))
            fprintf(out, "sleeptune_report_finding_info{id=\"%s\",status=\"%s\"} 1\n",
                    finding->rule->id, st_finding_statuses[finding->status].name);
    }
    gauge(out, "sleeptune_report_effect_seconds",
          "How late a setting can make an audio thread in each period, at most; only for settings "
          "where this is known.");
    ST_REPORT_EACH (finding, report) {
        if (st_finding_has_fired(finding) && finding->effect_known)
            fprintf(out, "sleeptune_report_effect_seconds{id=\"%s\"} %.9g\n", finding->rule->id,
                    finding->effect_us / 1e6);
    }
    gauge(out, "sleeptune_report_unread_facts", "Settings that exist but could not be read.");
    fprintf(out, "sleeptune_report_unread_facts %zu\n", report->unreadable_n);
    gauge(out, "sleeptune_report_period_seconds",
          "Period (buffer size / sample rate) for which the settings were checked.");
    fprintf(out, "sleeptune_report_period_seconds %.9g\n", st_ns_seconds(report->wish.period_ns));
    if (report->facts->time_ns != 0) {
        gauge(out, "sleeptune_report_time_seconds",
              "When the settings were read, in seconds since 1970.");
        fprintf(out, "sleeptune_report_time_seconds %.3f\n", st_ns_seconds(report->facts->time_ns));
    }
    return 0;
}
