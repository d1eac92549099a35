/* Constants of the recording format (docs/recording-format.md). */
#ifndef ST_STORE_RECORDING_RECORDING_FORMAT_H
#define ST_STORE_RECORDING_RECORDING_FORMAT_H

#include "store/recording/column.h"

#define ST_RECORDING_MAGIC             "\x89SLTREC\n"
#define ST_RECORDING_MAGIC_BYTES       8
#define ST_RECORDING_BLOCK_HEAD_BYTES  12 /* type, payload length, CRC: 32 bits each */
#define ST_RECORDING_PAYLOAD_MAX_BYTES (UINT32_C(1) << 20)
#define ST_RECORDING_BLOCK_CYCLES_MAX  65536
#define ST_RECORDING_INDEX_MAX         (UINT64_MAX / 2) /* period indices fit signed columns */
#define ST_RECORDING_FLAG_CALLBACK     1U
#define ST_RECORDING_FLAG_INTERRUPTED  1U

/* Block types: four letters, the first in the lowest byte. */
#define ST_RECORDING_TYPE(a, b, c, d)                                                                        \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define ST_RECORDING_BLOCK_META ST_RECORDING_TYPE('M', 'E', 'T', 'A')
#define ST_RECORDING_BLOCK_TEXT ST_RECORDING_TYPE('T', 'E', 'X', 'T')
#define ST_RECORDING_BLOCK_T0   ST_RECORDING_TYPE('T', 'Z', 'E', 'R')
#define ST_RECORDING_BLOCK_DATA ST_RECORDING_TYPE('D', 'A', 'T', 'A')
#define ST_RECORDING_BLOCK_END  ST_RECORDING_TYPE('E', 'N', 'D', '.')

/* Events between the cycles of a DATA block. */
enum st_recording_mark {
    ST_RECORDING_MARK_GAP = 1, /* n period indices without an event */
    ST_RECORDING_MARK_SKIPPED = 2,
    ST_RECORDING_MARK_LOST = 3,
};

#endif
