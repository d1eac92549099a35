/* Which file's code (a plug-in's shared object) makes a client's cycles long: samples of where its thread
 * computes, in its long cycles and in the others. Pure.
 *
 * Only those long cycles count in which it computed more: at least half of the time by which they are longer
 * than the others. The rest of them got no CPU, slept, or waited for the kernel. A file is named only if they
 * are a quarter of all long cycles, it has a larger share of the samples in them than in the others (Wilson's
 * intervals do not overlap), and it has more than half of what is computed more: what it has beyond that
 * half, by how much longer each cycle is, is above 0 on average by more than chance would have once in 10000
 * looks (Student's t). So a file that computes always is not named. */
#pragma once

#include "xruns/xrun.h"

#define ST_OBJECT_SHARE_MAX 64 /* files; what others computed counts in the sums only */

/** All 0 at first, but sample_ns. */
struct st_object_share {
    int64_t sample_ns; /* CPU time from one sample to the next */
    struct st_object_share_file {
        char name[ST_XRUN_NAME_BYTES];
        int64_t cycle_n;         /* samples in the cycle that is taken ... */
        int64_t long_n, other_n; /* ... and in those that have ended */
        double beyond,
            beyond2; /* samples beyond half of what is computed more, weighted, and squares: sums */
    } files[ST_OBJECT_SHARE_MAX];
    size_t files_n;
    int64_t cycle_n, long_n, other_n; /* samples in all */
    int64_t long_cycles_n;            /* all of them ... */
    int64_t computed_n;               /* ... and those that count, and have samples here */
    int64_t other_cycles_n, other_ns; /* and how long they took */
    double half, half2;               /* of what is computed more, weighted, and squares: sums */
};

/** A sample in the cycle that is taken. @param name of a file; "": in none. */
void st_object_share_sample(struct st_object_share *share, const char *name);

/** Ends that cycle. @param busy_ns from its beginning to its end. */
void st_object_share_cycle(struct st_object_share *share, bool is_long, int64_t busy_ns);

/** Fills all but the state. */
void st_object_share_find(const struct st_object_share *share, struct st_xrun_code *ret);
