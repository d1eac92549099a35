/* core/stats/select: against sorting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "core/stats/random.h"
#include "core/stats/select.h"

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void every_rank_is_that_of_sorting(void **state)
{
    (void)state;
    struct st_random random = {.state = 4};
    int64_t values[60], sorted[60];
    for (size_t n = 1; n <= ST_ARRAY_LEN(values); n++) {
        for (size_t rank = 0; rank < n; rank++) {
            const uint64_t different = 1 + st_random_below(&random, 2 * n);
            for (size_t i = 0; i < n; i++)
                sorted[i] = values[i] = (int64_t)st_random_below(&random, different) - (int64_t)n;
            qsort(sorted, n, sizeof(*sorted), compare);
            assert_int_equal(st_select(values, n, rank), sorted[rank]);
            for (size_t i = 0; i < n; i++)
                assert_true(i < rank ? values[i] <= sorted[rank] : values[i] >= sorted[rank]);
            qsort(values, n, sizeof(*values), compare);
            assert_memory_equal(values, sorted, n * sizeof(*values)); /* none is lost */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rank_is_that_of_sorting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
