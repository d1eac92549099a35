#include "lab/chart/columns.h"

void st_columns_of(const struct st_series *series, struct st_columns *ret)
{
    const uint64_t last = series->index[series->n - 1] - series->index[0];
    memset(ret, 0, sizeof(*ret));
    ret->periods = last / ST_COLUMNS_MAX + 1;
    ret->n = (size_t)(last / ret->periods) + 1;
    for (size_t i = 0; i < series->n; i++) {
        struct st_column *column =
            &ret->column[(series->index[i] - series->index[0]) / ret->periods];
        const int64_t ns = series->lateness_ns[i];
        column->min_ns = column->n == 0 || ns < column->min_ns ? ns : column->min_ns;
        column->max_ns = column->n == 0 || ns > column->max_ns ? ns : column->max_ns;
        column->n++;
    }
}
