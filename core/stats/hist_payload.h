/* HdrHistogram's V2 encoding of the late table, uncompressed; store/history/hist_deflate compresses it. */
#pragma once

#include "core/stats/hist.h"

/** An upper bound for the bytes st_hist_payload_encode writes. */
size_t st_hist_payload_max_bytes(const struct st_hist *hist);

/**
 * Writes the V2 payload (cookie 0x1c849303 | 0x10, big-endian header, ZigZag LEB128 counts with runs of
 * zeros). Early values are counted as 0 (a HdrHistogram has no negative values) so that n agrees; over-range
 * ones in the last bucket.
 * @return bytes written or -ENOSPC. Threads: any. Source: HdrHistogram 2.1 encodeIntoByteBuffer. */
ST_NODISCARD int64_t st_hist_payload_encode(const struct st_hist *hist, uint8_t *buf, size_t buf_bytes);

/**
 * Adds what a V2 payload counts. A payload of fewer digits than the histogram counts at the middles of its
 * buckets. min_ns and max_ns take in the bounds of the outermost buckets. Bytes behind the payload are not
 * looked at.
 * @return 0, -EBADMSG, -EINVAL (more digits, other lowest value or index offset); nothing is added then. */
ST_NODISCARD int st_hist_payload_add(struct st_hist *hist, const uint8_t *buf, size_t bytes);
