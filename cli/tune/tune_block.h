/* Blocks for `tune`: the measuring loop for some seconds, what it measured, and whether the machine is fit
 * for more. */
#pragma once

#include "cli/measure/music.h"
#include "core/ns.h"
#include "evidence/tuning.h"
#include "measure/session.h"

/** Of each block, the first second does not count: clocks and idle states settle. */
#define ST_TUNE_BLOCK_NS  (5 * INT64_C(1000000000))
#define ST_TUNE_SETTLE_NS INT64_C(1000000000)

#define ST_TUNE_MINUTES(blocks)                                                                              \
    ((unsigned)(((blocks)*ST_TUNE_BLOCK_NS / ST_NS_PER_S + 59) / 60)) /* rounded up */

struct st_tune_block {
    struct st_platform *p;
    struct st_session_config config; /* st_tune_block_init */
    int late_share;                  /* of struct st_candidates */
    int64_t slack_ns;                /* of the next block; -1: as found */
    int64_t start_mc;                /* temperature before the first block; INT64_MIN: unknown */
    enum st_policy policy;           /* that the last block had */
    struct st_music *music;          /* other programs' dropouts; NULL: not watched */
};

/** A loop at this period, real-time if that is granted. */
void st_tune_block_init(struct st_tune_block *block, struct st_platform *p, uint32_t frames,
                        uint32_t rate_hz);

/** Measures one block. why: ST_TUNING_WHY_BYTES. @return 0; -EINTR: Ctrl-C, SIGTERM or SIGHUP; -ECANCELED:
 * too hot; -EIO: the loop failed. Once at a time in a process (signals). */
ST_NODISCARD int st_tune_block_run(struct st_tune_block *block, struct st_tuning_block *ret, char *why);

/** Does a program record from a sound card now? @param buf which device. Linux: ALSA; unknown is false. */
bool st_tune_block_records(struct st_machine *machine, char *buf, size_t buf_bytes);
