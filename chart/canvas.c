/* What the back ends of canvases share. */
#include "chart/canvas.h"

const double *st_dash_lengths(enum st_dash dash, int *ret_n)
{
    static const struct {
        int n;
        double lengths[6];
    } dashes[ST_DASHES] = {
        [ST_DASH_LONG] = {2, {8, 4}},
        [ST_DASH_SHORT] = {2, {4, 3}},
        [ST_DASH_DOT] = {2, {1.5, 3}},
        [ST_DASH_LONG_DOT] = {4, {12, 3, 1.5, 3}},
        [ST_DASH_LONG_DOTS] = {6, {12, 3, 1.5, 3, 1.5, 3}},
    };
    *ret_n = dashes[dash].n;
    return dashes[dash].lengths;
}
