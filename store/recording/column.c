#include "store/recording/column.h"

#include "core/stats/stats.h"

#define OFFSET_BITS_MAX 32
#define EXCEPTION_BITS  36 /* approximate size of an exception */

/* Distance to a base, modulo 2^64, so that no pair of values overflows. */
static uint64_t offset_of(int64_t value, int64_t base)
{
    return (uint64_t)value - (uint64_t)base;
}

/* The largest number of values in a window of 2^bits, and its start. */
static size_t best_window(const int64_t *sorted, size_t n, unsigned bits, int64_t *ret_base)
{
    size_t best_n = 0;
    for (size_t first = 0, end = 0; end < n; first++) {
        while (end < n && offset_of(sorted[end], sorted[first]) >> bits == 0)
            end++;
        if (end - first > best_n) {
            best_n = end - first;
            *ret_base = sorted[first];
        }
    }
    return best_n;
}

void st_column_put(struct st_bytes_out *out, const int64_t *values, size_t n, int64_t *scratch)
{
    int64_t base = 0;
    unsigned bits = 0;
    size_t exceptions_n = 0;
    if (n > 0) {
        memcpy(scratch, values, n * sizeof(*values));
        st_stats_sort_i64(scratch, n);
        uint64_t least_cost = UINT64_MAX;
        for (unsigned try = 0; try <= OFFSET_BITS_MAX; try++) {
            int64_t try_base = 0;
            const size_t outside_n = n - best_window(scratch, n, try, &try_base);
            const uint64_t cost = (uint64_t)n * try + (uint64_t)outside_n * EXCEPTION_BITS;
            if (cost < least_cost) {
                least_cost = cost;
                bits = try;
                base = try_base;
                exceptions_n = outside_n;
            }
        }
    }
    st_bytes_put_signed(out, base);
    st_bytes_put_uint(out, bits, 1);
    st_bytes_put_varint(out, exceptions_n);

    uint64_t waiting = 0;
    unsigned waiting_bits = 0;
    ST_EACH_OF (value, values, n) {
        const uint64_t offset = offset_of(*value, base);
        if (offset >> bits == 0)
            waiting |= offset << waiting_bits;
        for (waiting_bits += bits; waiting_bits >= 8; waiting_bits -= 8) {
            st_bytes_put_uint(out, waiting, 1);
            waiting >>= 8;
        }
    }
    if (waiting_bits > 0)
        st_bytes_put_uint(out, waiting, 1);

    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t offset = offset_of(values[i], base);
        if (offset >> bits == 0)
            continue;
        st_bytes_put_varint(out, i - last);
        st_bytes_put_signed(out, (int64_t)offset);
        last = i;
    }
}

/* 8 bytes from any address. */
static uint64_t load_u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/* Adds n offsets of `bits` bits to base. Reads 8 bytes for each, until fewer are left. */
static void unpack(const uint8_t *packed, const uint8_t *end, unsigned bits, uint64_t base, int64_t *values,
                   size_t n)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    const size_t bytes = (size_t)(end - packed);
    size_t i = 0;
    for (size_t place = 0; i < n && place / 8 + 8 <= bytes; i++, place += bits)
        values[i] = (int64_t)(base + (load_u64(packed + place / 8) >> place % 8 & mask));
    for (; i < n; i++) {
        const size_t place = i * bits;
        uint8_t last[8] = {0};
        memcpy(last, packed + place / 8, bytes - place / 8);
        values[i] = (int64_t)(base + (load_u64(last) >> place % 8 & mask));
    }
}

int st_column_get(struct st_bytes_in *in, int64_t *values, size_t n)
{
    const int64_t base = st_bytes_get_signed(in);
    const unsigned bits = (unsigned)st_bytes_get_uint(in, 1);
    const uint64_t exceptions_n = st_bytes_get_varint(in);
    if (in->bad || bits > OFFSET_BITS_MAX || exceptions_n > n)
        return -EBADMSG;
    const uint8_t *packed = st_bytes_get(in, (n * bits + 7) / 8);
    if (packed == NULL)
        return -EBADMSG;

    unpack(packed, in->at, bits, (uint64_t)base, values, n);
    uint64_t at = 0;
    for (uint64_t i = 0; i < exceptions_n; i++) {
        const uint64_t gap = st_bytes_get_varint(in);
        const int64_t offset = st_bytes_get_signed(in);
        if (in->bad || gap >= n - at || (gap == 0 && i > 0))
            return -EBADMSG;
        at += gap;
        values[at] = (int64_t)((uint64_t)base + (uint64_t)offset);
    }
    return 0;
}
