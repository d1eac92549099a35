#include "story/loss_rhythm.h"

#include "core/ns.h"

/* shortest interval that is tried. It is below LEAST_NS, so that a short interval fits best itself,
 * and its multiples are not reported in its place */
#define SHORTEST_NS ((double)(2 * ST_NS_PER_S))
#define LEAST_NS    ((double)(10 * ST_NS_PER_S))
#define MOST_NS     ((double)(10 * ST_NS_PER_MINUTE))
#define STEP        1.02 /* factor from one interval that is tried to the next */
#define WITHIN      0.05
#define BEATS_MIN   8
#define HITS_MIN    0.6
/* number of losses that are tried as the first one of the rhythm, since the very first may have
 * another reason */
#define STARTS    8
#define BY_CHANCE (-20.7) /* largest log_p of a rhythm: the logarithm of 10^-9 */

struct beats {
    int n, hits_n;
    /* length of an interval: time from the first loss to the last one that fits, divided by the
     * intervals between them */
    double each_ns;
    double log_p; /* upper bound for the logarithm of the probability that random losses fit as
                     often */
};

/* Counts how many multiples of an interval have a loss. The interval may vary, and a loss near a
 * multiple may have another reason. So after each loss the next one is expected from halfway
 * between where the loss was expected and where it was. */
static struct beats beats_of(const struct st_loss_rhythm *rhythm, size_t first, double each_ns)
{
    const int64_t *began_ns = rhythm->began_ns;
    const double last_ns = (double)(began_ns[rhythm->n - 1] - began_ns[first]);
    struct beats ret = {0};
    double due_ns = each_ns;
    for (size_t at = first + 1; due_ns - WITHIN * each_ns <= last_ns; due_ns += each_ns) {
        /* distance of the nearest loss from where one is expected; negative: earlier */
        double off_ns = (double)INFINITY;
        for (; at < rhythm->n; at++) {
            const double here_ns = (double)(began_ns[at] - began_ns[first]) - due_ns;
            if (here_ns > 0 && here_ns >= ST_MIN(fabs(off_ns), WITHIN * each_ns))
                break;
            off_ns = here_ns;
        }
        ret.n++;
        if (fabs(off_ns) > WITHIN * each_ns)
            continue;
        ret.hits_n++;
        ret.each_ns = (due_ns + off_ns) / ret.n;
        due_ns += off_ns / 2;
        each_ns += off_ns / 10;
    }
    const double by_chance = -expm1(-2 * WITHIN * each_ns * (double)(rhythm->n - first) / last_ns);
    const double hit = ret.n > 0 ? (double)ret.hits_n / ret.n : 0;
    if (hit > by_chance)
        ret.log_p = -ret.n * (hit * log(hit / by_chance) +
                              (hit < 1 ? (1 - hit) * log((1 - hit) / (1 - by_chance)) : 0));
    return ret;
}

void st_loss_rhythm_find(struct st_loss_rhythm *rhythm)
{
    if (rhythm->searched || rhythm->n == 0)
        return;
    rhythm->searched = true;
    const double all_ns = (double)(rhythm->began_ns[rhythm->n - 1] - rhythm->began_ns[0]);
    /* Does not try shorter intervals: there are too few losses for a share of HITS_MIN of their
     * multiples. */
    const double least_ns = ST_MAX(SHORTEST_NS, HITS_MIN * all_ns / (double)rhythm->n);
    struct beats best = {0};
    for (size_t first = 0; first < STARTS && first + BEATS_MIN / 2 < rhythm->n; first++) {
        for (double each_ns = least_ns; each_ns <= ST_MIN(MOST_NS, all_ns / BEATS_MIN);
             each_ns *= STEP) {
            const struct beats beats = beats_of(rhythm, first, each_ns);
            if (beats.n >= BEATS_MIN && beats.hits_n >= HITS_MIN * beats.n &&
                beats.log_p < best.log_p)
                best = beats;
        }
    }
    rhythm->each_ns = best.log_p < BY_CHANCE && best.each_ns >= LEAST_NS && best.each_ns <= MOST_NS
                          ? (int64_t)best.each_ns
                          : 0;
}

void st_loss_rhythm_add(struct st_loss_rhythm *rhythm, int64_t began_ns)
{
    int64_t *all_ns = rhythm->began_ns;
    if (rhythm->n > 0 && (double)(all_ns[rhythm->n - 1] - began_ns) > MOST_NS)
        rhythm->n = 0; /* the clock was set back */
    if (rhythm->n > 0 && began_ns < all_ns[rhythm->n - 1] + ST_NS_PER_S)
        return;
    if (rhythm->n == ST_LOSS_RHYTHM_MAX)
        memmove(all_ns, all_ns + 1, --rhythm->n * sizeof(all_ns[0]));
    all_ns[rhythm->n++] = began_ns;
    rhythm->searched = false;
}
