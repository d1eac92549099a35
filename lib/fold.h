/* A series folded at a rhythm: where in it each period is due, exactly. */
#ifndef ST_LIB_FOLD_H
#define ST_LIB_FOLD_H

#include "lib/period.h"

/** The rhythm is num / den periods, reduced: periods are due at num different phases of it. */
struct st_fold {
    uint64_t num, den; /* >= 1 */
};

/**
 * A rhythm of so many ns. Where a ratio of few phases is less than the rounding to whole ns away, it is
 * meant: 1333333 ns is one period of 64 frames at 48 kHz.
 * @param fold_ns 1 ns .. an hour. @return 0 or -ERANGE. Threads: any.
 */
ST_NODISCARD int st_fold_init(const struct st_period *period, int64_t fold_ns, struct st_fold *ret);

/** Which of parts_n equal parts of the rhythm period k is due in: 0 .. parts_n - 1. Exact. */
size_t st_fold_part(const struct st_fold *fold, uint64_t k, size_t parts_n);

/** Into how many parts, at most most_n >= 1, the rhythm is cut: a part a phase where that is half of most_n
 * or more, so that none is empty for want of a phase; else most_n. */
size_t st_fold_parts(const struct st_fold *fold, size_t most_n);

#endif
