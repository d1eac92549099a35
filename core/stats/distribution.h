/* Tail probabilities of the normal distribution. */
#pragma once

#include "core/base.h"

/* 97.5 % of the normal distribution are below this value */
#define ST_DISTRIBUTION_NORMAL_975 1.959963984540054

/** Probability of a value farther from 0 than z, on both sides together. */
double st_distribution_normal_p(double z);
/** The z that is exceeded with the probability `tail`, 0 < tail <= 0.5. */
double st_distribution_normal_z(double tail);
