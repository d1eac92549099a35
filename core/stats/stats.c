#include "core/stats/stats.h"

#include "core/stats/distribution.h"

/* largest variance n*p*(1-p) for which the binomial distribution is summed exactly */
#define EXACT_VARIANCE_MAX 1000.0
#define CONFIDENCE_MAX     0.999999
/* largest shape for which the gamma distribution is computed exactly */
#define GAMMA_EXACT_MAX 1000

/* Ranks from the binomial distribution (n, s) with s <= 0.5 and variance up to EXACT_VARIANCE_MAX.
 * The sum is computed with logarithms, because (1-s)^n may be far below the smallest double.
 * *ret_low is the largest r with P(X <= r - 1) <= tail, *ret_high the smallest r with P(X <= r - 1)
 * >= 1 - tail. */
static void exact_ranks(uint64_t n, double s, double tail, uint64_t *ret_low, uint64_t *ret_high)
{
    const double log_odds = log(s) - log1p(-s);
    double log_term = (double)n * log1p(-s);
    double below = 0; /* P(X <= r - 1) when the loop begins with r */
    uint64_t low = 0, r = 0;
    for (; r <= n && below < 1 - tail; r++) {
        if (below <= tail)
            low = r;
        below += exp(log_term);
        log_term += log((double)(n - r) / ((double)r + 1)) + log_odds;
    }
    *ret_low = low;
    *ret_high = r;
}

int st_stats_quantile_ranks(uint64_t n, double p, double confidence, uint64_t *ret_low,
                            uint64_t *ret_high)
{
    if (!(p > 0 && p < 1) || !(confidence > 0 && confidence <= CONFIDENCE_MAX))
        return -EINVAL;
    if (n == 0)
        return -ENODATA;
    const double tail = (1 - confidence) / 2;
    const double count = (double)n;
    const double variance = count * p * (1 - p);
    if (variance > EXACT_VARIANCE_MAX) {
        /* Corrects the normal approximation by half a rank for continuity, and for the skewness of
         * the binomial distribution: the Cornish-Fisher term is at most (z^2 - 1) / 6 ranks; at
         * least 1 is used.
         */
        const double z = st_distribution_normal_z(tail);
        const double skew = fmax(1, (z * z - 1) / 6);
        const double low = floor(count * p - z * sqrt(variance) + 0.5 - skew);
        const double high = ceil(count * p + z * sqrt(variance) + 0.5 + skew);
        if (low < 1 || high > count)
            return -ENODATA;
        *ret_low = (uint64_t)low;
        *ret_high = (uint64_t)high;
        return 0;
    }
    uint64_t low, high;
    exact_ranks(n, fmin(p, 1 - p), tail, &low, &high);
    if (low < 1 || high > n)
        return -ENODATA;
    /* Quantile p counted from the smallest value is quantile 1 - p counted from the largest one. */
    *ret_low = p <= 0.5 ? low : n + 1 - high;
    *ret_high = p <= 0.5 ? high : n + 1 - low;
    return 0;
}

uint64_t st_stats_quantile_min_n(double p)
{
    if (!(p < 1))
        return UINT64_MAX;
    /* The factor corrects 1 - p where rounding makes it too small, as for p = 0.9. */
    const double n = ceil(10 / (1 - p) * (1 - 1e-12));
    return n < 0x1p63 ? (uint64_t)n : UINT64_MAX;
}

struct st_quantile st_stats_quantile(const struct st_hist *hist, double p)
{
    struct st_quantile quantile = {.p = p, .n = hist->total_n};
    if (hist->total_n < st_stats_quantile_min_n(p))
        return quantile;
    quantile.known = true;
    quantile.value_ns = st_hist_quantile(hist, p);
    uint64_t low, high;
    if (st_stats_quantile_ranks(hist->total_n, p, 0.95, &low, &high) == 0) {
        quantile.interval_known = true;
        quantile.low_ns = st_hist_value_at_rank(hist, low);
        quantile.high_ns = st_hist_value_at_rank(hist, high);
    }
    return quantile;
}

/* Computes a series if x is below the mean, otherwise a continued fraction (Lentz). Source:
 * Numerical Recipes, 6.2. */
double st_stats_gamma_below(double shape, double x)
{
    const double front = exp(shape * log(x) - x - lgamma(shape));
    if (x < shape + 1) {
        double term = 1 / shape, sum = term;
        for (double a = shape + 1; term > sum * 1e-15; a++)
            sum += term *= x / a;
        return front * sum;
    }
    double b = x + 1 - shape, c = 1e300, d = 1 / b, h = d;
    for (double i = 1, step = 0; fabs(step - 1) > 1e-15 && i < 1e6; i++) {
        const double a = -i * (i - shape);
        b += 2;
        d = 1 / (a * d + b);
        c = b + a / c;
        step = d * c;
        h *= step;
    }
    return 1 - front * h;
}

double st_stats_gamma_quantile(double q, double shape)
{
    /* Approximation of Wilson and Hilferty, 1931. For shapes above GAMMA_EXACT_MAX it differs by
     * less than 1e-6 from the exact value and is returned; for smaller shapes it only limits the
     * search. */
    const double z = q >= 0.5 ? st_distribution_normal_z(1 - q) : -st_distribution_normal_z(q);
    const double guess = shape * pow(fmax(0, 1 - 1 / (9 * shape) + z / (3 * sqrt(shape))), 3);
    if (shape > GAMMA_EXACT_MAX)
        return guess;
    double low = 0, high = 2 * guess + 10;
    for (int i = 0; i < 100 && high - low > 1e-14 * high; i++) {
        const double middle = (low + high) / 2;
        *(st_stats_gamma_below(shape, middle) < q ? &low : &high) = middle;
    }
    return high;
}

double st_stats_rate_max95(uint64_t events)
{
    return st_stats_gamma_quantile(0.95, (double)events + 1);
}

static int compare_double(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void st_stats_sort_double(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare_double);
}
