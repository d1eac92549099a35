/* Facts -> findings -> a document. */
#ifndef ST_ADVISOR_REPORT_H
#define ST_ADVISOR_REPORT_H

#include <stdio.h>

#include "advisor/rule.h"

struct st_report {
    const struct st_facts *facts; /* borrowed */
    struct st_wish wish;
    struct st_finding *findings; /* all rules of the facts' OS; by status, then effect, then id */
    size_t findings_n;
    size_t unreadable_n; /* facts that were unreadable or malformed */
};

enum st_format { ST_FORMAT_TEXT, ST_FORMAT_JSON, ST_FORMAT_HTML, ST_FORMAT_MARKDOWN };

ST_NODISCARD int st_report_make(const struct st_facts *facts, uint32_t frames, uint32_t rate_hz,
                                struct st_report *ret);
void st_report_finish(struct st_report *report);

/** The first line: what may cost how much of the period. @return buf. */
const char *st_report_verdict(const struct st_report *report, char *buf, size_t buf_bytes);

json_t *st_report_json(const struct st_report *report); /* sleeptune-report/1; NULL: out of memory */

/** width: columns (0: do not wrap); colour: ANSI. @return 0 or -EIO. */
ST_NODISCARD int st_report_print(const struct st_report *report, enum st_format format, FILE *out, int width,
                                 bool colour);

/** Exit status by design 8: 0, 1 (a finding at or above threshold), 2 (an unknown that could have been). */
int st_report_exit_status(const struct st_report *report, enum st_status threshold);

/** The mechanism, formula, sources and this machine's numbers of one rule. */
ST_NODISCARD int st_report_explain(const struct st_rule *rule, const struct st_finding *finding, FILE *out,
                                   int width);

#endif
