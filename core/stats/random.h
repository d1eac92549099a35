/* Repeatable random numbers, which depend on the caller's seed only. Not for secrets. */
#pragma once

#include "core/base.h"

/** A generator, SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", 2014. */
struct st_random {
    uint64_t state; /* set it to the seed before the first use; any value is allowed */
};

/** 64 random bits. Threads: each generator by one thread at a time. */
uint64_t st_random_u64(struct st_random *random);

/** A number in [0, 1), uniform, with 53 bits. */
double st_random_unit(struct st_random *random);

/** A number in 0 .. n - 1, uniform; 1 <= n < 2^32. The probabilities of two numbers differ by less
 * than n / 2^32 of them. */
uint64_t st_random_below(struct st_random *random, uint64_t n);
