#include "core/stats/hist_payload.h"

#define COOKIE       UINT32_C(0x1c849313) /* V2, counts of up to 64 bits */
#define HEADER_BYTES 40
#define VARINT_BYTES 9 /* LEB128-64b9B: the ninth byte holds 8 bits */

static uint8_t *put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 3; i >= 0; i--)
        *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

static uint8_t *put_u64(uint8_t *at, uint64_t value)
{
    return put_u32(put_u32(at, (uint32_t)(value >> 32)), (uint32_t)value);
}

static uint64_t get_be(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;
    ST_EACH_OF (byte, at, bytes)
        value = value << 8 | *byte;
    return value;
}

static uint8_t *put_varint(uint8_t *at, int64_t value)
{
    uint64_t rest = (uint64_t)value << 1 ^ (uint64_t)(value < 0 ? -1 : 0); /* ZigZag */
    for (int i = 0; i < VARINT_BYTES - 1 && rest > 0x7f; i++) {
        *at++ = (uint8_t)(rest | 0x80);
        rest >>= 7;
    }
    *at++ = (uint8_t)rest;
    return at;
}

/* @return the byte behind, NULL when the text ends within it. */
static const uint8_t *get_varint(const uint8_t *at, const uint8_t *end, int64_t *ret)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < VARINT_BYTES; i++) {
        if (at == end)
            return NULL;
        const uint8_t byte = *at++;
        const bool last = i == VARINT_BYTES - 1;
        bits |= (uint64_t)(last ? byte : byte & 0x7f) << (7 * i);
        if (last || (byte & 0x80) == 0)
            break;
    }
    *ret = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
    return at;
}

size_t st_hist_payload_max_bytes(const struct st_hist *hist)
{
    return HEADER_BYTES + (size_t)hist->counts_len * VARINT_BYTES;
}

/* Count of bucket i with the values added that a HdrHistogram cannot hold. */
static uint64_t count_at(const struct st_hist *hist, uint32_t i)
{
    uint64_t n = hist->late[i];
    if (i == 0)
        n += hist->early_n;
    if (i == hist->counts_len - 1)
        n += hist->over_n - hist->early_over_n;
    return n;
}

int64_t st_hist_payload_encode(const struct st_hist *hist, uint8_t *buf, size_t buf_bytes)
{
    if (buf_bytes < HEADER_BYTES)
        return -ENOSPC;
    const uint8_t *end = buf + buf_bytes;
    uint8_t *at = buf + HEADER_BYTES;
    const uint32_t limit = hist->total_n == 0 || hist->max_ns < 0 ? 1 : st_hist_index(hist, hist->max_ns) + 1;
    for (uint32_t i = 0; i < limit;) {
        uint64_t n = count_at(hist, i++);
        int64_t value;
        if (n == 0) {
            value = -1;
            while (i < limit && count_at(hist, i) == 0) {
                value--;
                i++;
            }
            if (value == -1)
                value = 0; /* a single zero is a count, as the reference writes it */
        } else {
            value = n > INT64_MAX ? INT64_MAX : (int64_t)n;
        }
        if (end - at < VARINT_BYTES)
            return -ENOSPC;
        at = put_varint(at, value);
    }
    const size_t counts_bytes = (size_t)(at - buf) - HEADER_BYTES;
    uint8_t *header = put_u32(buf, COOKIE);
    header = put_u32(header, (uint32_t)counts_bytes);
    header = put_u32(header, 0); /* normalizing index offset */
    header = put_u32(header, (uint32_t)hist->digits);
    header = put_u64(header, 1); /* lowest discernible value */
    header = put_u64(header, (uint64_t)ST_HIST_HIGHEST_NS);
    put_u64(header, UINT64_C(0x3ff0000000000000)); /* integer to double ratio: 1.0 */
    return at - buf;
}

/* Takes the bounds of bucket i of a payload of layout `from` into those of the histogram. */
static void include(struct st_hist *hist, const struct st_hist *from, uint32_t i)
{
    const int64_t lowest_ns = st_hist_bucket_lowest(from, i);
    const int64_t last_ns = lowest_ns + st_hist_bucket_width(from, i) - 1;
    if (lowest_ns < hist->min_ns)
        hist->min_ns = lowest_ns;
    if (last_ns > hist->max_ns)
        hist->max_ns = last_ns;
}

/* Walks through the counts behind the header; hist NULL: only looks. @param before values that are there. */
static int take_counts(struct st_hist *hist, const struct st_hist *from, uint64_t before, const uint8_t *at,
                       const uint8_t *end)
{
    uint64_t i = 0, total_n = before, first = UINT64_MAX, last = 0;
    while (at < end) {
        int64_t value;
        at = get_varint(at, end, &value);
        if (at == NULL)
            return -EBADMSG;
        if (value < 0) {
            const uint64_t zeros = 0 - (uint64_t)value;
            if (zeros > from->counts_len - i)
                return -EBADMSG;
            i += zeros;
            continue;
        }
        if (i >= from->counts_len || (uint64_t)value > INT64_MAX - total_n)
            return -EBADMSG;
        total_n += (uint64_t)value;
        if (hist != NULL && value > 0) {
            const int64_t middle_ns = st_hist_bucket_middle(from, (uint32_t)i);
            hist->late[hist->digits == from->digits ? i : st_hist_index(hist, middle_ns)] += (uint64_t)value;
            hist->sum_ns += (double)middle_ns * (double)value;
            if (first == UINT64_MAX)
                first = i;
            last = i;
        }
        i++;
    }
    if (hist != NULL && first != UINT64_MAX) {
        hist->total_n = total_n;
        include(hist, from, (uint32_t)first);
        include(hist, from, (uint32_t)last);
    }
    return 0;
}

/* The layout that a payload is of. */
static int read_head(const uint8_t *buf, size_t bytes, struct st_hist *ret)
{
    if (bytes < HEADER_BYTES || get_be(buf, 4) != COOKIE || get_be(buf + 4, 4) > bytes - HEADER_BYTES)
        return -EBADMSG;
    const uint64_t digits = get_be(buf + 12, 4);
    if (get_be(buf + 8, 4) != 0 || digits > INT_MAX || get_be(buf + 16, 8) != 1 ||
        st_hist_layout(ret, (int)digits) != 0)
        return -EINVAL;
    return 0;
}

int st_hist_payload_add(struct st_hist *hist, const uint8_t *buf, size_t bytes)
{
    struct st_hist from;
    int r = read_head(buf, bytes, &from);
    if (r < 0)
        return r;
    if (from.digits > hist->digits)
        return -EINVAL;
    const uint8_t *counts = buf + HEADER_BYTES, *end = counts + get_be(buf + 4, 4);
    r = take_counts(NULL, &from, hist->total_n, counts, end); /* only looks: all of it is added, or nothing */
    return r < 0 ? r : take_counts(hist, &from, hist->total_n, counts, end);
}
