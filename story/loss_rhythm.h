/* Finds losses of sound that come at equal intervals, for example because a program runs each
 * minute. Pure. One thread. */
#pragma once

#include "core/base.h"

#define ST_LOSS_RHYTHM_MAX 128

/** The last losses of a client. All 0 at first. */
struct st_loss_rhythm {
    int64_t began_ns[ST_LOSS_RHYTHM_MAX]; /* when the last losses began (ns), oldest first */
    size_t n;
    int64_t each_ns; /* the interval, 10 s to 10 min; 0: none found */
    bool searched;   /* each_ns includes the last loss */
};

/** Adds a loss. @param began_ns by a clock with any origin; within 1 s of the previous loss it
 * counts as the same loss. */
void st_loss_rhythm_add(struct st_loss_rhythm *rhythm, int64_t began_ns);

/** Sets each_ns if there was a loss since the last call; takes some 0.3 ms. Accepts an interval if
 * the losses span at least eight of its multiples, and at least six in ten multiples have a loss
 * within 5 % of the interval, which random losses would have with a probability of at most 10^-9
 * (bound of Chernoff and Hoeffding). */
void st_loss_rhythm_find(struct st_loss_rhythm *rhythm);
