#include "evidence/assertion.h"

#include "core/ns.h"
#include "core/stats/stats.h"

#define LEVEL     0.95
#define SHAPE     0.5
#define HALVES    100 /* of an interval, in a search */
#define TIMES_MAX 64.0

void st_assertion_miss(struct st_assertion *assertion, int64_t first_ns, int64_t last_ns)
{
    assertion->episodes_n +=
        assertion->episodes_n == 0 || st_ns_sub(first_ns, assertion->last_missed_ns) >= ST_ASSERTION_GAP_NS;
    assertion->last_missed_ns = last_ns;
}

/* The logarithm of the mixture's likelihood ratio against this rate. A rate is outside of the set when it is
 * at least log(20). */
static double log_ratio(const struct st_assertion *assertion, double hours, double per_hour)
{
    const double k = (double)assertion->episodes_n, scale = SHAPE / assertion->limit_per_hour;
    return SHAPE * log(scale) + lgamma(SHAPE + k) - lgamma(SHAPE) - (SHAPE + k) * log(scale + hours) -
           (k > 0 ? k * log(per_hour) : 0) + per_hour * hours;
}

/* The rate between one inside of the set and one outside of it, at the border. */
static double border(const struct st_assertion *assertion, double hours, double inside, double outside)
{
    for (int i = 0; i < HALVES; i++) {
        const double middle = (inside + outside) / 2;
        *(log_ratio(assertion, hours, middle) < -log(1 - LEVEL) ? &inside : &outside) = middle;
    }
    return outside;
}

void st_assertion_bounds(const struct st_assertion *assertion, double hours, double *ret_low,
                         double *ret_high)
{
    const double k = (double)assertion->episodes_n, rate = k / hours;
    double beyond = (k + 1) / hours;
    if (!assertion->any_time) {
        *ret_low = k > 0 ? st_stats_gamma_quantile(1 - LEVEL, k) / hours : 0;
        *ret_high = st_stats_gamma_quantile(LEVEL, k + 1) / hours;
        return;
    }
    while (log_ratio(assertion, hours, beyond) < -log(1 - LEVEL))
        beyond *= 2;
    *ret_low = k > 0 ? border(assertion, hours, rate, 0) : 0;
    *ret_high = border(assertion, hours, rate, beyond);
}

enum st_assertion_verdict st_assertion_judge(const struct st_assertion *assertion, double hours)
{
    const double limit = assertion->limit_per_hour;
    double low, high;
    if (assertion->any_time) { /* the same without a search: the loop asks four times a second */
        if (log_ratio(assertion, hours, limit) < -log(1 - LEVEL))
            return ST_ASSERTION_UNDECIDED;
        return (double)assertion->episodes_n < limit * hours ? ST_ASSERTION_KEPT : ST_ASSERTION_BROKEN;
    }
    st_assertion_bounds(assertion, hours, &low, &high);
    if (high <= limit)
        return ST_ASSERTION_KEPT;
    return low > limit ? ST_ASSERTION_BROKEN : ST_ASSERTION_UNDECIDED;
}

double st_assertion_shortest(double limit_per_hour, bool any_time)
{
    const struct st_assertion none = {.limit_per_hour = limit_per_hour, .any_time = any_time};
    if (!any_time)
        return -log(1 - LEVEL) / limit_per_hour;
    double shortest = 1 / limit_per_hour, longest = 100 / limit_per_hour;
    for (int i = 0; i < HALVES; i++) {
        const double middle = (shortest + longest) / 2;
        *(st_assertion_judge(&none, middle) == ST_ASSERTION_KEPT ? &longest : &shortest) = middle;
    }
    return longest;
}

double st_assertion_decides_after(const struct st_assertion *assertion, double hours)
{
    for (double times = 2; times <= TIMES_MAX; times *= 2) {
        struct st_assertion later = *assertion;
        later.episodes_n = (uint64_t)((double)assertion->episodes_n * times);
        if (st_assertion_judge(&later, hours * times) != ST_ASSERTION_UNDECIDED)
            return hours * times;
    }
    return 0;
}
