#include "evidence/limit.h"

#include "core/stats/stats.h"

#define LEVEL  0.95
#define SHAPE  0.5
#define HALVES 100 /* of an interval, in a search */

/* The logarithm of the mixture's likelihood ratio against the limit, which is outside of the set when it is
 * at least log(20). */
static double log_ratio(const struct st_limit *limit)
{
    const double k = (double)limit->events_n, scale = SHAPE / limit->per_hour;
    return SHAPE * log(scale) + lgamma(SHAPE + k) - lgamma(SHAPE) - (SHAPE + k) * log(scale + limit->hours) -
           k * log(limit->per_hour) + limit->per_hour * limit->hours;
}

enum st_limit_verdict st_limit_judge(const struct st_limit *limit)
{
    const double k = (double)limit->events_n, allowed_n = limit->per_hour * limit->hours;
    if (limit->any_time) {
        if (log_ratio(limit) < -log(1 - LEVEL))
            return ST_LIMIT_UNDECIDED;
        return k < allowed_n ? ST_LIMIT_KEPT : ST_LIMIT_BROKEN;
    }
    if (st_stats_gamma_quantile(LEVEL, k + 1) <= allowed_n)
        return ST_LIMIT_KEPT;
    return k > 0 && st_stats_gamma_quantile(1 - LEVEL, k) > allowed_n ? ST_LIMIT_BROKEN : ST_LIMIT_UNDECIDED;
}

double st_limit_shortest(double per_hour, bool any_time)
{
    struct st_limit none = {.per_hour = per_hour, .any_time = any_time};
    double shortest = 1 / per_hour, longest = 100 / per_hour;
    for (int i = 0; i < HALVES; i++) {
        none.hours = (shortest + longest) / 2;
        *(st_limit_judge(&none) == ST_LIMIT_KEPT ? &longest : &shortest) = none.hours;
    }
    return longest;
}
