#include "ears/alignment.h"

#define PI       3.141592653589793
#define FIRST    256 /* of the window; where these differ, the rest does */
#define MARGIN   4   /* frames: two clocks run apart by less in half a block */
#define APART_MS 1   /* the shortest repeat looked for: nearer, any music is like itself */

void st_alignment_init(struct st_alignment *alignment, uint32_t rate_hz)
{
    memset(alignment, 0, sizeof(*alignment));
    alignment->rate_hz = rate_hz;
    alignment->kernel_part = (double)NAN;
}

void st_alignment_put(struct st_alignment *alignment, float played, float recorded)
{
    const uint64_t at = alignment->n++ % ST_ALIGNMENT_RING;
    alignment->played[at] = played - alignment->last_played;
    alignment->recorded[at] = recorded;
    alignment->last_played = played;
}

struct st_alignment_place st_alignment_later(const struct st_alignment_place *place, double frames)
{
    struct st_alignment_place later = *place;
    const double there = place->part + place->rate * frames;
    later.lag = place->lag + llround(there);
    later.part = there - round(there);
    return later;
}

/* --- between two samples --- */

static void set_kernel(struct st_alignment *alignment, double part)
{
    if (alignment->kernel_part == part)
        return;
    for (int i = 0; i < ST_ALIGNMENT_TAPS; i++) {
        const double at = i - ST_ALIGNMENT_TAPS / 2 + 1 + part;
        const double window = 0.5 + 0.5 * cos(PI * at / (ST_ALIGNMENT_TAPS / 2 + 0.5));
        alignment->kernel[i] = (float)(fabs(at) < 1e-9 ? 1 : window * sin(PI * at) / (PI * at));
    }
    alignment->kernel_part = part;
}

static double dot(const float *a, const float *b, size_t n)
{
    float sums[8] = {0};
    for (size_t i = 0; i + 8 <= n; i += 8) {
        for (size_t j = 0; j < 8; j++)
            sums[j] += a[i + j] * b[i + j];
    }
    return (double)((sums[0] + sums[1]) + (sums[2] + sums[3]) + (sums[4] + sums[5]) + (sums[6] + sums[7]));
}

double st_alignment_played_between(struct st_alignment *alignment, int64_t at, double part)
{
    double sum = 0;
    set_kernel(alignment, part);
    for (int i = 0; i < ST_ALIGNMENT_TAPS; i++)
        sum += (double)(alignment->kernel[i] *
                        st_alignment_played(alignment, at + i - ST_ALIGNMENT_TAPS / 2 + 1));
    return sum;
}

void st_alignment_expect(struct st_alignment *alignment, const struct st_alignment_place *place, double gain,
                         uint64_t from, uint64_t n, float *ret)
{
    const uint64_t each = n / 4 + 1; /* in which the clocks hardly drift apart */
    const int64_t first = (int64_t)from - 1 - MARGIN - place->lag - ST_ALIGNMENT_TAPS / 2 + 1;
    const float *x = alignment->scratch;
    for (uint64_t i = 0; i < n + 2 + 2 * MARGIN + ST_ALIGNMENT_TAPS; i++)
        alignment->scratch[i] = st_alignment_played(alignment, first + (int64_t)i);
    for (uint64_t i = 0; i < n + 2; i++) {
        if (i % each == 0) {
            const struct st_alignment_place there =
                st_alignment_later(place, (double)(i + each / 2) - (double)n / 2);
            set_kernel(alignment, there.part);
            x = alignment->scratch + MARGIN + place->lag - there.lag;
        }
        ret[i] = (float)(gain * dot(alignment->kernel, x + i, ST_ALIGNMENT_TAPS));
    }
}

/* --- where it is --- */

struct st_alignment_place st_alignment_find(struct st_alignment *alignment, int64_t from, int64_t until,
                                            int64_t near)
{
    float window[ST_ALIGNMENT_WINDOW];
    struct st_alignment_place best = {.lag = near};
    const int64_t oldest = (int64_t)alignment->n - ST_ALIGNMENT_RING + 1;
    const int64_t first = (int64_t)alignment->n - ST_ALIGNMENT_WINDOW; /* of the window */
    from = ST_MAX(from, 0);
    until = ST_MIN(until, ST_MIN(first - oldest, first));
    if (until < from)
        return best;
    for (int64_t i = 0; i < ST_ALIGNMENT_WINDOW; i++) {
        const float h = st_alignment_heard(alignment, (uint64_t)(first + i));
        window[i] = isnan(h) ? 0 : h;
    }
    const int64_t begin = first - until;
    const size_t span = (size_t)(until - from) + ST_ALIGNMENT_WINDOW;
    float *x = alignment->scratch;
    for (size_t i = 0; i < span; i++)
        x[i] = st_alignment_played(alignment, begin + (int64_t)i);
    const double yy = dot(window, window, ST_ALIGNMENT_WINDOW), yy_first = dot(window, window, FIRST);
    double xx = dot(x, x, ST_ALIGNMENT_WINDOW), xx_first = dot(x, x, FIRST);
    for (size_t i = 0; i + ST_ALIGNMENT_WINDOW <= span; i++) {
        const int64_t lag = until - (int64_t)i;
        double likeness = 0;
        const double both = dot(window, x + i, FIRST);
        if (xx > yy * 1e-9 && both * both >= 0.25 * xx_first * yy_first) {
            const double all = both + dot(window + FIRST, x + i + FIRST, ST_ALIGNMENT_WINDOW - FIRST);
            likeness = all / sqrt(xx * yy);
        }
        const double better = fabs(likeness) - fabs(best.likeness);
        if (better > 1e-7 || (better > -1e-7 && llabs(lag - near) < llabs(best.lag - near)))
            best = (struct st_alignment_place){.lag = lag, .likeness = likeness};
        if (i + ST_ALIGNMENT_WINDOW < span) {
            const double in = (double)x[i + ST_ALIGNMENT_WINDOW], out = (double)x[i],
                         middle = (double)x[i + FIRST];
            xx = fmax(xx + in * in - out * out, 0);
            xx_first = fmax(xx_first + middle * middle - out * out, 0);
        }
    }
    return best;
}

/* Of the last window with that part of a frame. */
static double likeness_between(struct st_alignment *alignment, const struct st_alignment_place *place,
                               double part)
{
    double both = 0, xx = 0, ss = 0;
    const double half = alignment->rate_hz / (2.0 * ST_ALIGNMENT_BLOCKS_HZ);
    struct st_alignment_place at = *place, then = *place;
    at.part = part;
    for (uint64_t i = alignment->n - ST_ALIGNMENT_WINDOW; i < alignment->n; i++) {
        const uint64_t ago = alignment->n - i;
        if (ago % (ST_ALIGNMENT_WINDOW / 8) == 0)
            then = st_alignment_later(&at, half - (double)(ago - ST_ALIGNMENT_WINDOW / 16));
        const double x = (double)st_alignment_heard(alignment, i),
                     s = st_alignment_played_between(alignment, (int64_t)i - then.lag, then.part);
        if (isnan(x))
            continue;
        both += x * s;
        xx += x * x;
        ss += s * s;
    }
    return xx > 0 && ss > 0 ? both / sqrt(xx * ss) : 0;
}

void st_alignment_refine(struct st_alignment *alignment, struct st_alignment_place *place)
{
    enum { STEPS = 7 }; /* a quarter of a frame each, then the top of a parabola */
    double like[STEPS];
    int best = 0;
    if (place->likeness == 0)
        return;
    for (int i = 0; i < STEPS; i++) {
        like[i] = fabs(likeness_between(alignment, place, i * 0.25 - 0.75));
        best = like[i] > like[best] ? i : best;
    }
    place->part = best * 0.25 - 0.75;
    if (best > 0 && best < STEPS - 1) {
        const double turn = like[best - 1] - 2 * like[best] + like[best + 1];
        place->part += turn < 0 ? 0.25 * (like[best - 1] - like[best + 1]) / (2 * turn) : 0;
    }
    const double likeness = likeness_between(alignment, place, place->part);
    place->likeness = fabs(likeness) > fabs(place->likeness) ? likeness : place->likeness;
}

double st_alignment_rival(struct st_alignment *alignment, const struct st_alignment_place *place,
                          int64_t apart, int64_t until)
{
    struct st_alignment_place nearer = st_alignment_find(alignment, 0, place->lag - apart, 0),
                              further = st_alignment_find(alignment, place->lag + apart, until, 0);
    st_alignment_refine(alignment, &nearer);
    st_alignment_refine(alignment, &further);
    return fmax(fabs(nearer.likeness), fabs(further.likeness));
}

bool st_alignment_repeats(const struct st_alignment *alignment, int64_t at, int64_t n, int64_t most,
                          double tolerance)
{
    const int64_t oldest = (int64_t)alignment->n - ST_ALIGNMENT_RING + 1;
    int64_t loudest = 0; /* tells most places apart */
    for (int64_t i = 1; i < n; i++)
        loudest = fabsf(st_alignment_played(alignment, at + i)) >
                          fabsf(st_alignment_played(alignment, at + loudest))
                      ? i
                      : loudest;
    for (int64_t far = alignment->rate_hz * APART_MS / 1000; far <= most && at - far > oldest; far++) {
        int64_t i = 0;
        if (fabs((double)(st_alignment_played(alignment, at + loudest) -
                          st_alignment_played(alignment, at + loudest - far))) > tolerance)
            continue;
        while (i < n && fabs((double)(st_alignment_played(alignment, at + i) -
                                      st_alignment_played(alignment, at + i - far))) <= tolerance)
            i++;
        if (i == n)
            return true;
    }
    return false;
}
