/* Whether a platform's row has each function. Needs cmocka's headers before it. */
#pragma once

#include "platform/platform.h"
#include "tests/unit/unit.h"

static inline void seam_filled(const struct st_platform *p)
{
    const size_t first = offsetof(struct st_platform, now_ns);
    void *const *functions = (const void *)((const char *)p + first);
    for (size_t i = 0; i < (sizeof(*p) - first) / sizeof(*functions); i++)
        assert_non_null(functions[i]);
}
