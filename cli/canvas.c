/* What the back ends of canvases share. */
#include "cli/canvas.h"

const double *st_dash_lengths(enum st_dash dash, int *ret_n)
{
    static const double lengths[ST_DASHES][4] = {{0}, {8, 4}, {4, 3}, {1.5, 3}};
    *ret_n = dash == ST_DASH_NONE ? 0 : 2;
    return lengths[dash];
}
