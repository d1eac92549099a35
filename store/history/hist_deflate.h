/* The stored form of a histogram: its number of digits (1 byte); for each bucket that is not empty,
 * the number of empty buckets before it and its count (varints); compressed by zlib. */
#pragma once

#include "core/stats/hist.h"

/** An upper bound for the bytes of a histogram before they are compressed. */
size_t st_hist_deflate_room(const struct st_hist *hist);

/** Packs without compression. Values below 0 are counted as 0, values above the histogram's range
 * in the last bucket. @param ret room for st_hist_deflate_room bytes. @return bytes used. */
size_t st_hist_deflate_pack(const struct st_hist *hist, uint8_t *ret);

/** Adds packed counts to *hist. @return 0; -EBADMSG: damaged, or other digits; nothing was
 * added. */
ST_NODISCARD int st_hist_deflate_unpack(struct st_hist *hist, const uint8_t *bytes, size_t n);

/** Packs and compresses. @return bytes, which the caller frees; NULL: out of memory. Threads:
 * any. */
uint8_t *st_hist_deflate(const struct st_hist *hist, size_t *ret_bytes);

/** Uncompresses bytes and adds their counts to *hist. @param room st_hist_deflate_room bytes for
 * the uncompressed form. @return 0; -EBADMSG: damaged, or larger than the room. Threads: any. */
ST_NODISCARD int st_hist_deflate_undo(struct st_hist *hist, const uint8_t *bytes, size_t n,
                                      uint8_t *room);
