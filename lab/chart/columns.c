#include "lab/chart/columns.h"

void st_columns_init(struct st_columns *columns)
{
    memset(columns, 0, sizeof(*columns));
    columns->periods = 1;
}

static void merge(struct st_column *to, const struct st_column *from)
{
    if (from->n > 0 && (to->n == 0 || from->min_ns < to->min_ns))
        to->min_ns = from->min_ns;
    if (from->n > 0 && (to->n == 0 || from->max_ns > to->max_ns))
        to->max_ns = from->max_ns;
    to->n += from->n;
    to->missed_n += from->missed_n;
}

static void halve(struct st_columns *columns)
{
    for (size_t i = 0; i < columns->n; i++) {
        const struct st_column column = columns->column[i];
        memset(&columns->column[i], 0, sizeof(column));
        merge(&columns->column[i / 2], &column);
    }
    columns->n = (columns->n + 1) / 2;
    columns->periods *= 2;
}

/* @return the column of a period, NULL before the first one. */
static struct st_column *column_of(struct st_columns *columns, uint64_t index)
{
    if (columns->n == 0)
        columns->first = index;
    if (index < columns->first)
        return NULL;
    while ((index - columns->first) / columns->periods >= ST_COLUMNS_MAX)
        halve(columns);
    const size_t i = (size_t)((index - columns->first) / columns->periods);
    if (i >= columns->n)
        columns->n = i + 1;
    return &columns->column[i];
}

void st_columns_add(struct st_columns *columns, uint64_t index, int64_t value_ns, bool missed)
{
    struct st_column *column = column_of(columns, index);
    if (column != NULL)
        merge(column, &(struct st_column){1, value_ns, value_ns, missed});
}

void st_columns_missed(struct st_columns *columns, uint64_t first_index, uint64_t n)
{
    if (n > UINT64_MAX - first_index)
        n = UINT64_MAX - first_index; /* hostile files */
    if (n == 0 || column_of(columns, first_index) == NULL)
        return;
    /* starting with the last period, so that the width of a column does not change any more */
    (void)column_of(columns, first_index + (n - 1));
    while (n > 0) {
        const uint64_t at = first_index - columns->first;
        const uint64_t room = columns->periods - at % columns->periods, here = n < room ? n : room;
        columns->column[at / columns->periods].missed_n += here;
        first_index += here;
        n -= here;
    }
}
