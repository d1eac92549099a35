/* The first sentence of a report. */
#ifndef ST_ADVISOR_REPORT_HEADLINE_H
#define ST_ADVISOR_REPORT_HEADLINE_H

#include "advisor/report/report.h"

#define ST_HEADLINE_BYTES 1024

/** Does this machine hold the period, by which measurement, how sure; what its settings may cost. Writes into
 * buf. @return buf. */
const char *st_headline(const struct st_report *report, char *buf, size_t buf_bytes);
/** As st_headline, where the settings that cost most are listed below and need not be named. */
const char *st_headline_short(const struct st_report *report, char *buf, size_t buf_bytes);

#endif
