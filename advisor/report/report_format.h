/* The formats of a report: each has a file, report_<format>.c. */
#pragma once

#include "advisor/report/report.h"

/** Appearance of the text format; other formats ignore it. */
struct st_report_view {
    int width;   /* columns; 0: do not wrap */
    bool colour; /* print colours, by ANSI sequences */
    bool ok;     /* after the first screen, show settings that are right */
    bool all;    /* after these, show the details of all findings */
};

/** Writes a report. @return 0, -ENOMEM, -EIO. */
typedef int st_report_format(const struct st_report *report, FILE *out,
                             const struct st_report_view *view);
st_report_format st_report_text, st_report_json, st_report_prometheus;

/** The report as sleeptune-report/1. @return NULL: out of memory. */
json_t *st_report_format_json(const struct st_report *report);

/** Prints mechanism, formula and sources of one rule, and its finding on this machine. @param
 * finding NULL: the rule is for another operating system. */
void st_report_format_rule(const struct st_rule *rule, const struct st_finding *finding,
                           const struct st_wish *wish, FILE *out, int width);

/** The first sentences: the most important finding, or the answer of check (headline.c). Valid
 * until st_text_forget(). */
const char *st_report_format_headline(const struct st_report *report);
