/* A histogram as it is stored: how many digits it has (1 byte); of each bucket that is not empty, how many
 * empty ones come before it, and its count (varints); compressed by zlib. */
#pragma once

#include "core/stats/hist.h"

/** An upper bound for the bytes of a histogram before they are compressed. */
size_t st_hist_deflate_room(const struct st_hist *hist);

/** Packs what is not compressed yet. Early values are counted as 0, over-range ones in the last bucket.
 * @param ret of st_hist_deflate_room bytes. @return bytes. */
size_t st_hist_deflate_pack(const struct st_hist *hist, uint8_t *ret);

/** Adds what was packed. @return 0, -EBADMSG (damaged, or of another number of digits); nothing is added
 * then. */
ST_NODISCARD int st_hist_deflate_unpack(struct st_hist *hist, const uint8_t *bytes, size_t n);

/** Packs and compresses. @return bytes, which the caller frees; NULL when out of memory. Threads: any. */
uint8_t *st_hist_deflate(const struct st_hist *hist, size_t *ret_bytes);

/** Uncompresses, and adds. @param room for the bytes in between, of st_hist_deflate_room bytes. @return 0,
 * -EBADMSG (damaged, or larger than the room). Threads: any. */
ST_NODISCARD int st_hist_deflate_undo(struct st_hist *hist, const uint8_t *bytes, size_t n, uint8_t *room);
