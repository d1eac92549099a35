#include "lab/series/tvtohz.h"

#include <string.h>

#define US_PER_S INT64_C(1000000)
#define US_MAX   (INT64_C(1) << 53)

static const char *const names[] = {
    [ST_ROUNDING_NONE] = "none",
    [ST_ROUNDING_TVTOHZ] = "tvtohz",
    [ST_ROUNDING_TVTOHZ_FIXED] = "tvtohz-fixed",
};

const char *st_rounding_name(enum st_rounding rounding)
{
    return names[rounding];
}

int st_rounding_parse(const char *name, enum st_rounding *ret)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(names); i++) {
        if (strcmp(names[i], name) == 0) {
            *ret = (enum st_rounding)i;
            return 0;
        }
    }
    return -EINVAL;
}

int64_t st_tvtohz(int64_t us, int64_t hz, enum st_rounding rounding)
{
    if (us < 0 || us > US_MAX || hz < 1 || hz > US_PER_S || rounding == ST_ROUNDING_NONE)
        return -ERANGE;
    const int64_t tick_us = US_PER_S / hz;
    const int64_t ticks = (us + tick_us - 1) / tick_us + (rounding == ST_ROUNDING_TVTOHZ ? 1 : 0);
    return ticks > 0 ? ticks : 1;
}
