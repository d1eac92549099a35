#include "evidence/limit.h"

#include "core/stats/stats.h"

#define LEVEL 0.95

enum st_limit_verdict st_limit_judge(double allowed_n, uint64_t events_n)
{
    const double k = (double)events_n;
    if (st_stats_gamma_quantile(LEVEL, k + 1) <= allowed_n)
        return ST_LIMIT_KEPT;
    return k > 0 && st_stats_gamma_quantile(1 - LEVEL, k) > allowed_n ? ST_LIMIT_BROKEN
                                                                      : ST_LIMIT_UNDECIDED;
}
