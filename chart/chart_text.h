/* Charts as text, for terminals: blocks and lines of Unicode, or ASCII where the locale is not UTF-8. */
#ifndef ST_CHART_CHART_TEXT_H
#define ST_CHART_CHART_TEXT_H

#include "chart/chart_picture.h"

/** Prints what the picture would show to standard output, in the terminal's width. @return an st_exit, after
 * a message. */
ST_NODISCARD int st_chart_print(const char *command, const struct st_chart_picture *picture);

#endif
