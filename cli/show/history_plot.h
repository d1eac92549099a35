/* A history as a picture. */
#ifndef ST_CLI_SHOW_HISTORY_PLOT_H
#define ST_CLI_SHOW_HISTORY_PLOT_H

#include <jansson.h>

#include "core/base.h"

/** Draws median, p99 and maximum of lateness over time; steps in which a period was missed are marked, and
 * where nothing was measured nothing is drawn. @param path as st_chart_options. @return an st_exit, after a
 * message. */
ST_NODISCARD int st_history_plot(const char *command, const json_t *document, const char *path);

#endif
