/* Do events come one by one or in bursts? Counts them in memory that does not grow with n. */
#pragma once

#include "core/base.h"

/** Events 1, 2, 4 ... 1024 trials apart at most are taken as one burst. */
#define ST_BURSTS_GAPS 11

struct st_bursts {
    uint64_t trials_n, events_n, last_at; /* trial of the last event, counted from 1 */
    struct {
        uint64_t joined_n; /* events that are so close behind the one before */
        double size;       /* of the burst that the last event is in */
        double squares;    /* of the sizes of all bursts */
    } gap[ST_BURSTS_GAPS];
};

/** n trials, each of them an event or none of them. Threads: one a st_bursts, which begins with zeros. */
void st_bursts_add(struct st_bursts *bursts, uint64_t n, bool event);

/**
 * How many times as much the number of events varies as that of independent ones would: the mean size of the
 * burst that an event is in. @return 1: no bursts are shown, by a test that 1 in 200 sequences of independent
 * events fail at most. Source: Kish, "Survey Sampling", 1965 (clusters of unlike sizes). */
double st_bursts_scatter(const struct st_bursts *bursts);
