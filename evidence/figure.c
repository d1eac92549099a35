#include "evidence/figure.h"

const char *const st_figure_names[ST_FIGURES] = {"median", "p99", "p99.9", "missed"};

double st_figure_quantile(enum st_figure_id id)
{
    static const double ps[ST_FIGURES] = {0.5, 0.99, 0.999, 0};
    return ps[id];
}
