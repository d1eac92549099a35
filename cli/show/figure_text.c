#include "cli/show/figure_text.h"

#include <math.h>
#include <stdio.h>

#include "core/ns.h"

const char *st_figure_text_value(enum st_figure_id id, double value, char *buf)
{
    if (id == ST_FIGURE_MISSED)
        snprintf(buf, ST_FIGURE_TEXT_BYTES, value == 0 ? "0 %%" : "%.3g %%", 100 * value);
    else
        st_ns_format(llrint(value), buf, ST_FIGURE_TEXT_BYTES);
    return buf;
}

const char *st_figure_text_signed(enum st_figure_id id, double value, char *buf)
{
    char plain[ST_FIGURE_TEXT_BYTES];
    st_figure_text_value(id, fabs(value), plain);
    snprintf(buf, ST_FIGURE_TEXT_BYTES, "%s%.*s",
             value > 0   ? "+"
             : value < 0 ? "-"
                         : "",
             ST_FIGURE_TEXT_BYTES - 2, plain);
    return buf;
}
