/* When each period of a run is due, without accumulated error. */
#pragma once

#include "core/base.h"

/** A period of num/den ns, reduced. 64 frames at 48 kHz is 4000000/3 ns. */
struct st_period {
    uint64_t num; /* ns, >= 1 */
    uint64_t den; /* >= 1 */
};

/**
 * period = frames / rate_hz.
 * @param frames   1 .. 2^22.  @param rate_hz  1 .. 2^22 (Hz).
 * @return 0 or -ERANGE, also for more than an hour (nothing written). Threads: any. */
ST_NODISCARD int st_period_init(struct st_period *period, uint32_t frames, uint32_t rate_hz);

/** period = num_ns / den ns. @return 0 or -ERANGE (zero, shorter than 1 ns or longer than an hour).
 * Threads: any. */
ST_NODISCARD int st_period_init_ns(struct st_period *period, uint64_t num_ns, uint64_t den);

/** st_period_due_ns for the case that k * num needs more than 64 bits: 128-bit arithmetic,
 * saturating. */
int64_t st_period_due_wide_ns(const struct st_period *period, int64_t t0_ns,
                              uint64_t k) ST_NONBLOCKING;

/**
 * due(k) = t0 + k * num / den, computed from k and rounded once (half up), so that no error adds
 * up.
 * @return ns; saturates at INT64_MAX. Threads: any; real-time safe (one 64-bit division while k *
 * num < 2^64, which is 53 days at 44.1 kHz and 128 frames; a 128-bit one after that). Inline: once
 * a cycle. */
static inline int64_t st_period_due_ns(const struct st_period *period, int64_t t0_ns,
                                       uint64_t k) ST_NONBLOCKING
{
    const uint64_t den = period->den;
    uint64_t product;
    int64_t due_ns;
    if (__builtin_mul_overflow(k, period->num, &product) ||
        __builtin_add_overflow(product, den / 2, &product) ||
        __builtin_add_overflow(t0_ns, product / den, &due_ns))
        return st_period_due_wide_ns(period, t0_ns, k);
    return due_ns;
}

/**
 * The largest j with due(j) <= now, 0 if now is before due(0). The inverse of st_period_due_ns,
 * exact. Threads: any; real-time safe. */
uint64_t st_period_index_at(const struct st_period *period, int64_t t0_ns,
                            int64_t now_ns) ST_NONBLOCKING;

/** The period in ns, rounded half up. */
int64_t st_period_ns(const struct st_period *period) ST_NONBLOCKING;

/** The period in seconds, for printing and rates. */
double st_period_seconds(const struct st_period *period);
