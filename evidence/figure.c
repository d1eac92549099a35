#include "evidence/figure.h"

#include <math.h>

#include "core/stats/distribution.h"

const char *const st_figure_names[ST_FIGURES] = {"median", "p99", "p99.9", "missed"};

double st_figure_quantile(enum st_figure_id id)
{
    static const double ps[ST_FIGURES] = {0.5, 0.99, 0.999, 0};
    return ps[id];
}

struct st_figure st_figure_of_intervals(const double a[3], const double b[3])
{
    const double value = b[0] - a[0];
    struct st_figure figure = {
        .known = {true, true},
        .value = {a[0], b[0]},
        .difference = {true, value, value - hypot(b[0] - b[1], a[2] - a[0]),
                       value + hypot(b[2] - b[0], a[0] - a[1])},
        .drift = {(double)NAN, (double)NAN},
    };
    figure.error = (figure.difference.high - figure.difference.low) / (2 * ST_DISTRIBUTION_NORMAL_975);
    /* the half of the interval that is towards 0 */
    const double towards = value > 0 ? value - figure.difference.low : figure.difference.high - value;
    figure.p_value = value == 0    ? 1
                     : towards > 0 ? st_distribution_normal_p(value / towards * ST_DISTRIBUTION_NORMAL_975)
                                   : 0;
    return figure;
}
