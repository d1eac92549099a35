/* The first screen of a report for the terminal. Internal to advisor/. */
#ifndef ST_ADVISOR_REPORT_FIRST_SCREEN_H
#define ST_ADVISOR_REPORT_FIRST_SCREEN_H

#include "advisor/report/print.h"
#include "advisor/report/report.h"

/**
 * The verdict, at most five settings with cost and command, and counts of the rest. At 80 columns it has at
 * most 23 lines: settings give way where the counts need room. @return 0 or -ENOMEM.
 */
ST_NODISCARD int st_first_screen_print(const struct st_printer *printer, const struct st_report *report);

/** Below it, a line for each setting that is as it should be. */
void st_first_screen_ok(const struct st_printer *printer, const struct st_report *report);

/** The status in its colour, padded to `width`. */
void st_first_screen_status(const struct st_printer *printer, enum st_status status, int width);

#endif
