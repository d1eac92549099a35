/* Periods that exist. */
#pragma once

#include "core/period.h"
#include "tests/unit/unit.h"

static inline struct st_period period_of_ns(uint64_t num, uint64_t den)
{
    struct st_period period;
    assert_int_equal(st_period_init_ns(&period, num, den), 0);
    return period;
}

static inline struct st_period period_of(uint32_t frames, uint32_t rate_hz)
{
    struct st_period period;
    assert_int_equal(st_period_init(&period, frames, rate_hz), 0);
    return period;
}
