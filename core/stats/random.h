/* Repeatable random numbers: the caller's seed decides all of them. Not for secrets. */
#pragma once

#include "core/base.h"

/** SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
struct st_random {
    uint64_t state; /* set to the seed before the first use; any value is a good one */
};

/** 64 random bits. Threads: one a generator. */
uint64_t st_random_u64(struct st_random *random);

/** Uniform in [0, 1), 53 bits. */
double st_random_unit(struct st_random *random);

/** Uniform in 0 .. n - 1; 1 <= n < 2^32. Some values are likelier by less than n / 2^32. */
uint64_t st_random_below(struct st_random *random, uint64_t n);
