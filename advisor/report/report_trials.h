/* What `report --measure` tried on this machine, for the formats of a report. */
#ifndef ST_ADVISOR_REPORT_REPORT_TRIALS_H
#define ST_ADVISOR_REPORT_REPORT_TRIALS_H

#include <jansson.h>

#include "advisor/report/report.h"

/** The next trial from *at on that is evidence for the finding; *at moves behind it. NULL: no more. */
const struct st_trial *st_finding_trial(const struct st_report *report, const struct st_finding *finding,
                                        size_t *at);
json_t *st_finding_measured_json(const struct st_report *report, const struct st_finding *finding);
json_t *st_report_trials_json(const struct st_report *report); /* null: nothing was tried */

#endif
