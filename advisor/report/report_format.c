/* The table of the formats of a report. */
#include "advisor/report/report_format.h"

const struct st_report_format *const st_report_formats[] = {
    &st_report_text,
    &st_report_json,
    &st_report_prometheus,
    NULL,
};
