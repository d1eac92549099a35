/* Figures of a comparison as text: ns with a unit, or percent of the periods. */
#ifndef ST_CLI_SHOW_FIGURE_TEXT_H
#define ST_CLI_SHOW_FIGURE_TEXT_H

#include "evidence/figure.h"

#define ST_FIGURE_TEXT_BYTES 32

/* buf: ST_FIGURE_TEXT_BYTES. Each returns it. */

/** "8.2 µs", "0.5 %". */
const char *st_figure_text_value(enum st_figure_id id, double value, char *buf);
/** The same with a sign: "+8.2 µs"; 0 has none. */
const char *st_figure_text_signed(enum st_figure_id id, double value, char *buf);

#endif
