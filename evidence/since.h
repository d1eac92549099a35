/* Since which change of a computer (a new kernel, another setting) are dropouts more frequent or rarer? A
 * permutation test of played sessions. The result says "since", never "because". Pure. */
#pragma once

#include "core/base.h"

#define ST_SINCE_LEAST_NS INT64_C(600000000000) /* shorter sessions do not count */
#define ST_SINCE_LOOKS    3

/** A time of playing without a long pause. Ascending by from_ns. Times by the wall clock. */
struct st_since_session {
    int64_t from_ns, to_ns;
    int64_t played_ns;
    uint64_t dropouts_n;
    int64_t kind; /* sessions are compared with those of the same program and buffer size */
};

/** The compared sessions of one side. */
struct st_since_side {
    size_t sessions_n;
    int64_t played_ns;
    uint64_t dropouts_n;
};

/** A change. The caller sets the first three members, ascending. */
struct st_since_change {
    int64_t from_ns; /* last time without the change; sessions between from_ns and at_ns do not count */
    int64_t at_ns;   /* when the change was found */
    int64_t number;  /* of all changes of this computer, from 1 on */
    /* the result */
    bool found;                         /* dropouts are more frequent since then, or rarer, beyond chance */
    bool worse;                         /* more frequent; if found */
    uint32_t looks;                     /* number of looks so far; 0: too little was played since then */
    double p_value;                     /* smallest p-value of all looks: two-sided, not corrected. 1: none */
    struct st_since_side before, since; /* as of the last look */
    int64_t until_ns;                   /* only for since.c */
};

/**
 * Looks at each change after 3, 7 and 14 days on which something played since then. Change number j may give
 * a false alarm with a probability of 0.05 * 6 / (pi^2 j^2), shared among its looks, so that all changes of a
 * computer together give one with 0.05 at most. Of changes within the same 14 played days only the one that
 * separates the sessions best is found. Exact: the sum of the logarithmic rates of the sessions since the
 * change, over all ways to choose as many of all compared ones, kinds apart. At most 60 sessions of a kind
 * before the change are compared with at most 60 since, and none before the last change that was found.
 * @param now_ns a day that is not over is not looked at. @return 0, -ENOMEM. Threads: any. */
ST_NODISCARD int st_since_judge(const struct st_since_session *sessions, size_t sessions_n,
                                struct st_since_change *changes, size_t changes_n, int64_t now_ns);
