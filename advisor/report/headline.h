/* The first sentences of a report. */
#ifndef ST_ADVISOR_REPORT_HEADLINE_H
#define ST_ADVISOR_REPORT_HEADLINE_H

#include "advisor/report/report.h"

#define ST_HEADLINE_BYTES 1024

/** The answer (what matters most), what was measured and how sure that is. Writes into buf. @return buf. */
const char *st_headline(const struct st_report *report, char *buf, size_t buf_bytes);

#endif
