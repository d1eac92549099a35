#include "core/stats/select.h"

#include "core/stats/random.h"

int64_t st_select(int64_t *values, size_t n, size_t rank)
{
    struct st_random random = {.state = 1};
    size_t first = 0, end = n; /* rank is in [first, end) */
    while (end - first > 1) {
        const int64_t pivot = values[first + st_random_below(&random, end - first)];
        size_t below = first, at = first, above = end;
        while (at < above) {
            const int64_t value = values[at];
            if (value < pivot) {
                values[at++] = values[below];
                values[below++] = value;
            } else if (value > pivot) {
                values[at] = values[--above];
                values[above] = value;
            } else {
                at++;
            }
        }
        if (rank >= below && rank < above)
            break;
        *(rank < below ? &end : &first) = rank < below ? below : above;
    }
    return values[rank];
}
