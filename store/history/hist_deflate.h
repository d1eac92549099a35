/* The V2 payload of HdrHistogram as it is stored: a cookie, a length, and compressed bytes. */
#pragma once

#include "core/stats/hist.h"

/** Compresses a histogram. @return bytes, which the caller frees; NULL when out of memory. Threads: any.
 * Source: HdrHistogram 2.1 encodeIntoCompressedByteBuffer. */
uint8_t *st_hist_deflate(const struct st_hist *hist, size_t *ret_bytes);

/** Uncompresses the payload, which core/stats/hist_payload.h reads. Bytes after it are ignored. @return its
 * bytes, -EBADMSG (no payload, damaged, or larger than the room). Threads: any. */
ST_NODISCARD int64_t st_hist_deflate_undo(const uint8_t *bytes, size_t n, uint8_t *ret, size_t room);
