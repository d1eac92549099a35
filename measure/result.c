/* Result of one loop: sentences computed from its figures. */
#include "measure/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/ns.h"

void st_result_finish(struct st_result *result)
{
    st_hist_finish(&result->lateness);
    st_hist_finish(&result->response);
}

const char *st_result_circumstance(const struct st_result *result, const char *key)
{
    for (size_t i = 0; i < result->circumstances_n; i++) {
        if (strcmp(result->circumstances[i].key, key) == 0)
            return result->circumstances[i].value;
    }
    return NULL;
}

double st_result_misses_per_hour_max95(const struct st_result *result)
{
    const double periods_an_hour = 3600.0 / st_period_seconds(&result->period);
    return st_stats_rate_max95(result->misses, result->elapsed_periods) * periods_an_hour;
}

const char *st_result_bound(const struct st_result *result, char *buf, size_t buf_bytes)
{
    double bound = st_result_misses_per_hour_max95(result);
    if (isfinite(bound) && bound > 0) {
        const double step = pow(10, floor(log10(bound)) - 2);
        bound = ceil(bound / step) * step;
    }
    snprintf(buf, buf_bytes, "%.*f", bound < 100 ? 2 : 0, bound);
    return buf;
}

const char *st_result_verdict(const struct st_result *result, char *buf, size_t buf_bytes)
{
    char period[32], latest[32], bound[32], how[64] = "";
    st_ns_format(st_period_ns(&result->period), period, sizeof(period));
    st_ns_format(result->lateness.max_ns, latest, sizeof(latest));
    if (result->policy_asked != ST_POLICY_OTHER && result->policy == ST_POLICY_OTHER)
        snprintf(how, sizeof(how), " as a normal thread");
    st_result_bound(result, bound, sizeof(bound));
    const uint64_t n = result->elapsed_periods;

    if (!result->books_balance)
        snprintf(buf, buf_bytes, "Invalid: the books do not balance, so no figure here can be trusted.");
    else if (result->error != 0)
        snprintf(buf, buf_bytes, "Failed after %" PRIu64 " periods: the sleep returned: %s.", n,
                 strerror(-result->error));
    else if (n == 0)
        snprintf(buf, buf_bytes, "Nothing measured: it ended before the first counted period.");
    else if (result->misses == 0)
        snprintf(buf, buf_bytes,
                 "Holds %" PRIu32 " frames at %" PRIu32 " Hz (%s) in this run%s: 0 of %" PRIu64
                 " periods missed (95%%: at most %s per hour), latest wake %s.",
                 result->frames, result->rate_hz, period, how, n, bound, latest);
    else
        snprintf(buf, buf_bytes,
                 "Does not hold %" PRIu32 " frames at %" PRIu32 " Hz (%s)%s: %" PRIu64 " of %" PRIu64
                 " periods missed (95%%: at most %s per hour), %" PRIu64 " simulated xrun%s, latest wake %s.",
                 result->frames, result->rate_hz, period, how, result->misses, n, bound,
                 result->simulated_xruns, result->simulated_xruns == 1 ? "" : "s", latest);
    return buf;
}
