/* The stored form of a histogram: its number of digits (1 byte); for each bucket that is not empty, the
 * number of empty buckets before it and its count (varints); compressed by zlib. */
#pragma once

#include "core/stats/hist.h"

/** An upper bound for the bytes of a histogram before they are compressed. */
size_t st_hist_deflate_room(const struct st_hist *hist);

/** Packs without compression. Early values are counted as 0, over-range values in the last bucket. @param
 * ret room for st_hist_deflate_room bytes. @return bytes used. */
size_t st_hist_deflate_pack(const struct st_hist *hist, uint8_t *ret);

/** Adds packed counts. @return 0, -EBADMSG (damaged, or another number of digits; nothing is added). */
ST_NODISCARD int st_hist_deflate_unpack(struct st_hist *hist, const uint8_t *bytes, size_t n);

/** Packs and compresses. @return bytes, which the caller frees; NULL: out of memory. Threads: any. */
uint8_t *st_hist_deflate(const struct st_hist *hist, size_t *ret_bytes);

/** Uncompresses and adds. @param room for the uncompressed bytes, st_hist_deflate_room bytes. @return 0,
 * -EBADMSG (damaged, or larger than the room). Threads: any. */
ST_NODISCARD int st_hist_deflate_undo(struct st_hist *hist, const uint8_t *bytes, size_t n, uint8_t *room);
