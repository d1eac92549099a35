/* What the words in the ring mean. docs/adr/0003-ring-format.md has the reasons. */
#ifndef ST_MEASURE_RECORDS_H
#define ST_MEASURE_RECORDS_H

#include "core/base.h"

/* A plain word is the lateness of one cycle in ns. With a callback a second word follows: the callback time
 * in ns. The lowest values announce a record with a 64-bit payload in the next two words (low, high):
 */
#define ST_RECORD_WIDE                                                                                       \
    (INT32_MIN + 0) /* a cycle: lateness beyond 32 bits (with a callback: then its callback time) */
#define ST_RECORD_WIDE_CB      (INT32_MIN + 1) /* stands for a callback word that is beyond 32 bits */
#define ST_RECORD_SKIPPED      (INT32_MIN + 2) /* payload: periods skipped after the cycle before */
#define ST_RECORD_LOST         (INT32_MIN + 3) /* payload: cycles that found the ring full and are not in it */
#define ST_RECORD_LOST_SKIPPED (INT32_MIN + 4) /* payload: skipped periods that found it full */
#define ST_RECORD_START                                                                                      \
    (INT32_MIN + 5) /* counting starts at k = 0 with this t0; what came before was warm-up */
#define ST_RECORD_CAUSE (INT32_MIN + 6) /* a struct st_cause_record follows, payload = its words */
#define ST_RECORD_LAST  ST_RECORD_CAUSE

/** Words of a record with its payload. */
#define ST_RECORD_WORDS 3

#endif
