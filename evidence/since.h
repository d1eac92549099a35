/* After which change of a computer (a new kernel, another setting) are dropouts more frequent or
 * rarer? A permutation test of the sessions in which something played. The result says "since the
 * change", not "because of it". Pure. */
#pragma once

#include "core/base.h"

#define ST_SINCE_LEAST_NS INT64_C(600000000000) /* sessions with less playing time do not count */
#define ST_SINCE_LOOKS    3

/** A session: a time of playing without a long pause. Sorted by from_ns. Times by the wall
 * clock. */
struct st_since_session {
    int64_t from_ns, to_ns;
    int64_t played_ns;
    uint64_t dropouts_n;
    int64_t kind; /* program and buffer size: only sessions of the same kind are compared */
};

/** The compared sessions before or since a change. */
struct st_since_side {
    size_t sessions_n;
    int64_t played_ns;
    uint64_t dropouts_n;
};

/** A change. The caller sets the first three members; changes are sorted. */
struct st_since_change {
    /* the change had not happened yet at this time; sessions between from_ns and at_ns do not
     * count */
    int64_t from_ns;
    int64_t at_ns;  /* when the change was found */
    int64_t number; /* number of the change among all changes of this computer, from 1 on */
    /* The next members are the result. */
    /* since the change dropouts are more frequent, or rarer, beyond chance */
    bool found;
    bool worse; /* if found: they are more frequent */
    /* number of tests so far; 0: too little was played since the change */
    uint32_t looks;
    double p_value; /* smallest p-value of all tests: two-sided, not corrected; 1: none */
    struct st_since_side before, since; /* the compared sessions at the last test */
    int64_t until_ns; /* end of the last session that counted; used by since.c only */
};

/** Tests each change after 3, 7 and 14 days on which something played since then. Change number j
 * may give a false alarm with a probability of 0.05 * 6 / (pi^2 j^2), shared among its tests, so
 * that all changes of a computer together give one with 0.05 at most. Of changes within the same 14
 * played days, only the one that separates the sessions best is found. Exact permutation test: the
 * sum of the logarithmic rates of the sessions since the change, compared with all ways to choose
 * as many of all compared sessions, each kind separately. At most 60 sessions of a kind before the
 * change are compared with at most 60 since, and none from before the last change that was found.
 * @param now_ns a day that is not over is not counted. @return 0, -ENOMEM. Threads: any. */
ST_NODISCARD int st_since_judge(const struct st_since_session *sessions, size_t sessions_n,
                                struct st_since_change *changes, size_t changes_n, int64_t now_ns);
