/* What a stream of ALSA had left between looks at its status. A program may tell the kernel never to stop its
 * stream (JUCE, jackd -s, PulseAudio): then no state says that the device ran past it, only how much was free
 * at most since the look before, which the kernel keeps. Each look begins that anew, the program's own looks,
 * too: what is found is true, and something may be missed. Pure. */
#pragma once

#include "xruns/alsa.h"

/** Of one run of one stream: all 0 at first. */
struct st_alsa_room {
    struct st_alsa_status last; /* look */
    bool known;                 /* last is set */
    bool wrote, dry;            /* by the look before: the program moved; the device was past it then */
    int64_t beyond;             /* by how much it was at most */
    int64_t lost;               /* of a loss that goes on; -1: it lasts, and is none */
};

/** A later look at a stream that runs. @param least_frames what the device had left, if that is less; stays
 * as it is if it is not known.
 * @return frames that were lost without a word of the kernel in a dropout that has ended; 0: none has. */
int64_t st_alsa_room_look(struct st_alsa_room *room, const struct st_alsa_params *params,
                          const struct st_alsa_status *now, int64_t *least_frames);
