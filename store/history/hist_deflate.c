#include "store/history/hist_deflate.h"

#include <zlib.h>

/* most bytes of a bucket: a varint of 1 byte and one of up to 10; a run of empty buckets takes less
 * than their own bytes */
#define COUNT_BYTES 11

size_t st_hist_deflate_room(const struct st_hist *hist)
{
    return 1 + (size_t)hist->counts_len * COUNT_BYTES;
}

/* Writes a varint (LEB128: 7 bits a byte, the lowest first). */
static void put(uint8_t **at, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        *(*at)++ = (uint8_t)(value | 0x80);
    *(*at)++ = (uint8_t)value;
}

/* Reads a varint and moves `at` behind it. @return UINT64_MAX: the bytes end within it, or it is
 * above INT64_MAX. */
static uint64_t get(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 63 && *at < end; shift += 7) {
        const uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return value;
    }
    return UINT64_MAX;
}

size_t st_hist_deflate_pack(const struct st_hist *hist, uint8_t *ret)
{
    uint8_t *at = ret;
    const uint32_t last = hist->counts_len - 1;
    uint32_t next = 0;
    *at++ = (uint8_t)hist->digits;
    for (uint32_t i = 0; i <= last; i++) {
        const uint64_t n = hist->late[i] + (i == 0 ? hist->early_n : 0) +
                           (i == last ? hist->over_n - hist->early_over_n : 0);
        if (n == 0)
            continue;
        put(&at, i - next);
        put(&at, n);
        next = i + 1;
    }
    return (size_t)(at - ret);
}

/* Checks packed counts, and adds them. @param add false: only check. */
static int take_counts(struct st_hist *hist, const uint8_t *at, const uint8_t *end, bool add)
{
    uint64_t next = 0, total_n = hist->total_n;
    while (at < end) {
        const uint64_t empty_n = get(&at, end), n = get(&at, end);
        if (empty_n >= hist->counts_len - next || n > INT64_MAX - total_n)
            return -EBADMSG;
        next += empty_n;
        total_n += n;
        if (add)
            st_hist_add_n(hist, st_hist_bucket_middle(hist, (uint32_t)next), n);
        next++;
    }
    return 0;
}

int st_hist_deflate_unpack(struct st_hist *hist, const uint8_t *bytes, size_t n)
{
    if (n == 0 || bytes[0] != hist->digits || take_counts(hist, bytes + 1, bytes + n, false) != 0)
        return -EBADMSG;
    return take_counts(hist, bytes + 1, bytes + n, true);
}

uint8_t *st_hist_deflate(const struct st_hist *hist, size_t *ret_bytes)
{
    uint8_t *plain = malloc(st_hist_deflate_room(hist)), *ret = NULL;
    const size_t plain_bytes = plain != NULL ? st_hist_deflate_pack(hist, plain) : 0;
    uLongf deflated = compressBound((uLong)plain_bytes);
    if (plain != NULL)
        ret = malloc(deflated);
    if (ret != NULL &&
        compress2(ret, &deflated, plain, (uLong)plain_bytes, Z_BEST_COMPRESSION) != Z_OK) {
        free(ret);
        ret = NULL;
    }
    free(plain);
    *ret_bytes = deflated;
    return ret;
}

int st_hist_deflate_undo(struct st_hist *hist, const uint8_t *bytes, size_t n, uint8_t *room)
{
    uLongf plain_bytes = st_hist_deflate_room(hist);
    if (uncompress(room, &plain_bytes, bytes, n) == Z_OK)
        return st_hist_deflate_unpack(hist, room, plain_bytes);
    return -EBADMSG;
}
