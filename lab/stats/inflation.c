#include "lab/stats/inflation.h"

#include "core/base.h"

double st_inflation(const double *values, size_t n, double mean, size_t lags_max)
{
    double square = 0, sum = 0;
    ST_EACH_OF (value, values, n)
        square += (*value - mean) * (*value - mean);
    for (size_t lag = 1; lag + 1 <= lags_max && square > 0; lag += 2) {
        double pair = 0;
        for (size_t i = lag; i < n; i++)
            pair += (values[i] - mean) *
                    (values[i - lag] - mean + (i > lag ? values[i - lag - 1] - mean : 0));
        if (pair <= 0)
            break;
        sum += pair / square;
    }
    return 1 + 2 * sum;
}
