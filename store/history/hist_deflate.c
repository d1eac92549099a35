#include "store/history/hist_deflate.h"

#include <zlib.h>

#include "core/stats/hist_payload.h"

#define COOKIE     UINT32_C(0x1c849314)
#define HEAD_BYTES 8

uint8_t *st_hist_deflate(const struct st_hist *hist, size_t *ret_bytes)
{
    const size_t plain_max = st_hist_payload_max_bytes(hist);
    uint8_t *plain = malloc(plain_max);
    const int64_t plain_bytes = plain != NULL ? st_hist_payload_encode(hist, plain, plain_max) : -ENOMEM;
    uLongf deflated = plain_bytes > 0 ? compressBound((uLong)plain_bytes) : 0;
    uint8_t *whole = plain_bytes > 0 ? malloc(HEAD_BYTES + deflated) : NULL;
    if (whole == NULL ||
        compress2(whole + HEAD_BYTES, &deflated, plain, (uLong)plain_bytes, Z_BEST_COMPRESSION) != Z_OK) {
        free(plain);
        free(whole);
        return NULL;
    }
    free(plain);
    for (unsigned i = 0; i < 4; i++) {
        whole[i] = (uint8_t)(COOKIE >> (24 - 8 * i));
        whole[4 + i] = (uint8_t)(deflated >> (24 - 8 * i));
    }
    *ret_bytes = HEAD_BYTES + deflated;
    return whole;
}

int64_t st_hist_deflate_undo(const uint8_t *bytes, size_t n, uint8_t *ret, size_t room)
{
    uint32_t cookie = 0, length = 0;
    if (n < HEAD_BYTES)
        return -EBADMSG;
    for (unsigned i = 0; i < 4; i++) {
        cookie = cookie << 8 | bytes[i];
        length = length << 8 | bytes[4 + i];
    }
    uLongf plain_bytes = room;
    if (cookie != COOKIE || length > n - HEAD_BYTES ||
        uncompress(ret, &plain_bytes, bytes + HEAD_BYTES, length) != Z_OK)
        return -EBADMSG;
    return (int64_t)plain_bytes;
}
