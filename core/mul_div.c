#include "core/mul_div.h"

int st_mul_div(uint64_t a, uint64_t b, uint64_t add, uint64_t divisor, uint64_t *ret) ST_NONBLOCKING
{
    /* Multiplies the halves of a and b. No sum here needs more than 64 bits. */
    const uint64_t a_high = a >> 32;
    const uint64_t b_high = b >> 32;
    const uint64_t lowest = (a & UINT32_MAX) * (b & UINT32_MAX);
    const uint64_t one = a_high * (b & UINT32_MAX) + (lowest >> 32);
    const uint64_t other = (a & UINT32_MAX) * b_high + (one & UINT32_MAX);
    uint64_t low = other << 32 | (lowest & UINT32_MAX);
    uint64_t high = a_high * b_high + (one >> 32) + (other >> 32);
    high += __builtin_add_overflow(low, add, &low);
    if (high >= divisor)
        return -ERANGE;
    /* Divides bit by bit: `high` is the remainder; the bits of the quotient are shifted into `low`
     * behind those that are left of the product. */
    for (int bit = 0; bit < 64; bit++) {
        const bool carry = high >> 63;
        high = high << 1 | low >> 63;
        low <<= 1;
        if (carry || high >= divisor) {
            high -= divisor;
            low |= 1;
        }
    }
    *ret = low;
    return 0;
}
