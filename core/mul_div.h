/* (a * b + add) / divisor with a product of 128 bits, for which compilers have no type on 32-bit
 * processors.
 */
#pragma once

#include "core/base.h"

/**
 * @param divisor  >= 1.
 * @param ret      the quotient, rounded down.
 * @return 0 or -ERANGE (the quotient is 2^64 or more; nothing written). Threads: any; real-time
 * safe. */
ST_NODISCARD int st_mul_div(uint64_t a, uint64_t b, uint64_t add, uint64_t divisor,
                            uint64_t *ret) ST_NONBLOCKING;
