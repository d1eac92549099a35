/* Losses of sound that come at equal intervals, as of a program that runs each minute. Pure. One thread. */
#pragma once

#include "core/base.h"

#define ST_LOSS_RHYTHM_MAX 128

/** All 0 at first. */
struct st_loss_rhythm {
    int64_t began_ns[ST_LOSS_RHYTHM_MAX]; /* the last losses, the oldest first */
    size_t n;
    int64_t each_ns; /* 10 s to 10 min; 0: none was found */
    bool searched;   /* since the last loss */
};

/** A loss that began then, by a clock whose 0 is anywhere; within a second of the last one it is the same. */
void st_loss_rhythm_add(struct st_loss_rhythm *rhythm, int64_t began_ns);

/** Sets each_ns, if there was a loss since the last time; takes some 0.3 ms. Looks for an interval of which
 * at least eight multiples are covered, and six in ten of them have a loss within 5 % of it, more than losses
 * at random would (10^-9, by the bound of Chernoff and Hoeffding). */
void st_loss_rhythm_find(struct st_loss_rhythm *rhythm);
