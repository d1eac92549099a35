/* CRC-32C (Castagnoli, RFC 3720 B.4): tells a whole block from a torn one. */
#ifndef ST_STORE_RECORDING_CRC32C_H
#define ST_STORE_RECORDING_CRC32C_H

#include "core/base.h"

/** @param crc 0, or the result for what comes before. Threads: any. */
uint32_t st_crc32c(uint32_t crc, const void *bytes, size_t n);

#endif
