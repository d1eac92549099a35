/* HdrHistogram's V2 payload as it is stored: compressed, behind a cookie and a length. */
#ifndef ST_STORE_RECORDING_HIST_DEFLATE_H
#define ST_STORE_RECORDING_HIST_DEFLATE_H

#include "core/stats/hist.h"

/** A histogram as bytes, to be freed. @return NULL when out of memory. Threads: any.
 * Source: HdrHistogram 2.1 encodeIntoCompressedByteBuffer. */
uint8_t *st_hist_deflate(const struct st_hist *hist, size_t *ret_bytes);

/** The payload within (core/stats/hist_payload.h reads it). Bytes behind it are not looked at.
 * @return its bytes, -EBADMSG (not one, damaged, or larger than the room). Threads: any. */
ST_NODISCARD int64_t st_hist_deflate_undo(const uint8_t *bytes, size_t n, uint8_t *ret, size_t room);

#endif
