#include "lab/analyse/periodic.h"

#include "core/stats/stats.h"

#define GRID_MAX    (UINT64_C(1) << 17) /* most periods that are analysed: the first ones */
#define ALPHA_NAMED 4e-4
#define ALPHA_ANY   1e-4
/* independent frequencies on each side from which the noise is estimated */
#define NEIGHBOURS     128
#define NEIGHBOURS_MIN 16
#define LEAST_NS       5 /* least amplitude: rounding to whole ns makes smaller rhythms */
/* half the width of a peak, in independent frequencies: the noise is estimated outside of it */
#define GUARD      3.0
#define BINS_MAX   128 /* most parts into which fit_box divides a cycle */
#define TIMES_MAX  64  /* a rectangle may be this many times slower than its strongest sine */
#define BOX_BETTER 1.1 /* least ratio of the sums of squares that rectangle and sine explain */
#define BOX_SURE   24  /* a rectangle must explain this many noise variances more than the sine */
#define BOX_SAME   0.95

const int st_periodic_usual_hz[] = {100, 250, 300, 1000, 24,   50,   60,   64,   128,  200,
                                    256, 500, 512, 1024, 1200, 2000, 4000, 8000, 10000};
const size_t st_periodic_usual_hz_n = ST_ARRAY_LEN(st_periodic_usual_hz);

/* 100, 250, 300 and 1000 Hz are the rates of nearly all kernels: they get four fifths of the chance
 * of a false alarm that is permitted for all tick rates. */
#define COMMON_N      4
#define COMMON_WEIGHT 0.8

size_t st_periodic_fft_size(size_t n)
{
    size_t size = 1;
    while (size < n)
        size *= 2;
    return size;
}

static void reverse_bits(struct st_complex *z, size_t n)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n / 2;
        for (; (j & bit) != 0; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const struct st_complex swap = z[i];
            z[i] = z[j];
            z[j] = swap;
        }
    }
}

void st_periodic_fft(struct st_complex *z, size_t n)
{
    reverse_bits(z, n);
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t k = 0; k < half; k++) {
            const double angle = -M_PI * (double)k / (double)half;
            const struct st_complex w = {cos(angle), sin(angle)};
            for (size_t i = k; i < n; i += 2 * half) {
                struct st_complex *a = &z[i], *b = &z[i + half];
                const struct st_complex t = {b->re * w.re - b->im * w.im,
                                             b->re * w.im + b->im * w.re};
                *b = (struct st_complex){a->re - t.re, a->im - t.im};
                *a = (struct st_complex){a->re + t.re, a->im + t.im};
            }
        }
    }
}

/* The series with one value for each period, outliers clipped, its least-squares line subtracted;
 * and its power at multiples of about 1 / (2 grid_n) cycles a period. */
struct spectrum {
    double *grid; /* lateness minus the line, ns; 0 in periods without a sample */
    size_t grid_n;
    size_t samples_n;
    double variance; /* variance of the samples on the grid, ns^2 */
    /* step to which the samples were rounded; 0: the noise is larger than the step */
    double grain_ns;
    double *power;  /* power at frequency j / fft_n: |sum|^2 / (samples * variance); mean 1 in white
                       noise */
    size_t power_n; /* number of frequencies, j = 0 .. fft_n / 2 */
    double fft_n;
};

static int compare_hz(const void *a, const void *b)
{
    const int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

void st_periodic_sort_hz(int *hz, size_t n)
{
    qsort(hz, n, sizeof(*hz), compare_hz);
}

double st_periodic_alias(const struct st_period *period, double hz)
{
    const double cycles = hz * ((double)period->num / (double)period->den) / 1e9;
    return fabs(cycles - nearbyint(cycles));
}

bool st_periodic_can_tell(const struct st_period *period, double hz, uint64_t span)
{
    return st_periodic_alias(period, hz) * (double)(span < GRID_MAX ? span : GRID_MAX) >=
           ST_PERIODIC_CYCLES_MIN;
}

/* Finds the least difference of two samples, which is probably the step to which they were rounded.
 */
static int find_grain(const struct st_series *series, double *ret_ns)
{
    int64_t *sorted = malloc(series->n * sizeof(*sorted)), grain = INT64_MAX;
    if (sorted == NULL)
        return -ENOMEM;
    memcpy(sorted, series->lateness_ns, series->n * sizeof(*sorted));
    st_sample_sort(sorted, series->n);
    for (size_t i = 1; i < series->n; i++) {
        const uint64_t apart = (uint64_t)sorted[i] - (uint64_t)sorted[i - 1];
        if (apart > 0 && apart < (uint64_t)grain)
            grain = (int64_t)apart;
    }
    free(sorted);
    *ret_ns = grain < INT64_MAX ? (double)grain : 0;
    return 0;
}

/* Fills the grid with lateness, outliers clipped, minus its least-squares line. @return 0,
 * -ENODATA, -ENOMEM. */
static int make_grid(const struct st_series *series, struct spectrum *s)
{
    struct st_series_bulk bulk;
    int r = st_series_bulk(series, &bulk);
    if (r != 0)
        return r;
    const uint64_t span = st_series_span(series);
    s->grid_n = span < GRID_MAX ? (size_t)span : GRID_MAX;
    s->grid = calloc(s->grid_n, sizeof(*s->grid));
    if (s->grid == NULL)
        return -ENOMEM;
    double sum_k = 0, sum_x = 0, sum_kk = 0, sum_kx = 0;
    while (s->samples_n < series->n && series->index[s->samples_n] - series->index[0] < s->grid_n) {
        int64_t x = series->lateness_ns[s->samples_n];
        x = x < bulk.clip_low_ns ? bulk.clip_low_ns : x > bulk.clip_high_ns ? bulk.clip_high_ns : x;
        const size_t k = (size_t)(series->index[s->samples_n++] - series->index[0]);
        s->grid[k] = (double)x - (double)bulk.median_ns;
        sum_k += (double)k;
        sum_x += s->grid[k];
        sum_kk += (double)k * (double)k;
        sum_kx += (double)k * s->grid[k];
    }
    const double n = (double)s->samples_n;
    const double slope = (sum_kx - sum_k * sum_x / n) / (sum_kk - sum_k * sum_k / n);
    const double level = (sum_x - slope * sum_k) / n;
    double square = 0;
    ST_EACH_OF (at, series->index, s->samples_n) {
        const size_t k = (size_t)(*at - series->index[0]);
        s->grid[k] -= level + slope * (double)k;
        square += s->grid[k] * s->grid[k];
    }
    s->variance = square / n;
    return s->samples_n < ST_PERIODIC_SAMPLES_MIN || !(s->variance > 0) ? -ENODATA : 0;
}

static int make_power(struct spectrum *s)
{
    const size_t n = st_periodic_fft_size(2 * s->grid_n);
    struct st_complex *z = calloc(n, sizeof(*z));
    s->power_n = n / 2 + 1;
    s->power = calloc(s->power_n, sizeof(*s->power));
    s->fft_n = (double)n;
    if (z == NULL || s->power == NULL) {
        free(z);
        return -ENOMEM;
    }
    for (size_t k = 0; k < s->grid_n; k++)
        z[k].re = s->grid[k];
    st_periodic_fft(z, n);
    for (size_t j = 0; j < s->power_n; j++)
        s->power[j] =
            (z[j].re * z[j].re + z[j].im * z[j].im) / ((double)s->samples_n * s->variance);
    free(z);
    return 0;
}

/* Power at exactly this frequency (cycles a period), which may lie between two elements of
 * s->power. */
static double power_at(const struct spectrum *s, double frequency)
{
    double re = 0, im = 0;
    for (size_t start = 0; start < s->grid_n; start += 64) {
        /* c + i d is turned by one period in each step, and computed anew every 64 periods so that
         * rounding errors do not add up */
        double c = cos(2 * M_PI * fmod(frequency * (double)start, 1)),
               d = sin(2 * M_PI * fmod(frequency * (double)start, 1));
        const double step_c = cos(2 * M_PI * frequency), step_d = sin(2 * M_PI * frequency);
        for (size_t k = start; k < start + 64 && k < s->grid_n; k++) {
            re += s->grid[k] * c;
            im += s->grid[k] * d;
            const double next = c * step_c - d * step_d;
            d = c * step_d + d * step_c;
            c = next;
        }
    }
    return (re * re + im * im) / ((double)s->samples_n * s->variance);
}

/* Mean power on one side of a frequency, beyond GUARD frequencies: side -1 is below it, 1 above it.
 * @param ret_n number of independent frequencies in the mean. */
static double side_mean(const struct spectrum *s, double frequency, int side, double *ret_n)
{
    /* elements of s->power for one independent frequency */
    const double unit = s->fft_n / (double)s->grid_n;
    double low = frequency * s->fft_n + side * GUARD * unit,
           high = frequency * s->fft_n + side * (GUARD + NEIGHBOURS) * unit;
    if (side < 0) {
        const double swap = low;
        low = high;
        high = swap;
    }
    low = fmax(ceil(low), unit); /* the line that was subtracted removed the lowest frequency */
    high = fmin(floor(high), (double)(s->power_n - 1));
    *ret_n = fmax((high - low + 1) / unit, 0);
    if (high < low)
        return 0;
    double sum = 0;
    for (size_t j = (size_t)low; j <= (size_t)high; j++)
        sum += s->power[j];
    return sum / (high - low + 1);
}

/* Noise power around a frequency. The side with more noise counts, so that a slope in coloured
 * noise does not look like a peak.
 * @param ret_n number of independent frequencies in the result; 0: unknown. */
static double noise_at(const struct spectrum *s, double frequency, double *ret_n)
{
    double below_n, above_n;
    const double below = side_mean(s, frequency, -1, &below_n),
                 above = side_mean(s, frequency, 1, &above_n);
    if (below_n < NEIGHBOURS_MIN && above_n < NEIGHBOURS_MIN) {
        *ret_n = 0;
        return 0;
    }
    const bool take_below =
        above_n < NEIGHBOURS_MIN || (below_n >= NEIGHBOURS_MIN && below > above);
    *ret_n = take_below ? below_n : above_n;
    return take_below ? below : above;
}

/* Logarithm of the probability that noise alone has this power or more at a frequency. */
static double log_chance(const struct spectrum *s, double frequency, double power)
{
    double n;
    const double noise = noise_at(s, frequency, &n);
    if (n == 0 || !(noise > 0))
        return 0;
    const double ratio = power / noise;
    /* near half a cycle a period only one quadrature exists: chi-squared with 1 degree of
     * freedom */
    if ((0.5 - frequency) * (double)s->grid_n < 1.5)
        return ratio < 1000 ? log(erfc(sqrt(ratio / 2))) : -ratio / 2;
    return -n * log1p(ratio / n);
}

struct peak {
    double frequency, power;
    double score; /* log(p / permitted p): significant below 0 */
    double log_p;
};

static double named_weight(size_t i, int known_hz)
{
    const double w = i < COMMON_N ? COMMON_WEIGHT / COMMON_N
                                  : (1 - COMMON_WEIGHT) /
                                        (double)(ST_ARRAY_LEN(st_periodic_usual_hz) - COMMON_N);
    return known_hz > 0 ? w / 2 : w;
}

/* The share of the permitted false alarms for one frequency: rates that look the same at this
 * period are tested once, with the sum of their weights. */
static double weight_of(const struct spectrum *s, const struct st_period *period, double frequency,
                        int known_hz)
{
    const double same = 0.5 / (double)s->grid_n;
    double weight = 0;
    for (size_t i = 0; i < ST_ARRAY_LEN(st_periodic_usual_hz); i++) {
        if (fabs(st_periodic_alias(period, st_periodic_usual_hz[i]) - frequency) < same)
            weight += named_weight(i, known_hz);
    }
    if (known_hz > 0 && fabs(st_periodic_alias(period, known_hz) - frequency) < same)
        weight += 0.5;
    return weight;
}

static void try_rate(const struct spectrum *s, const struct st_period *period, int hz, int known_hz,
                     struct peak *best)
{
    const double frequency = st_periodic_alias(period, hz);
    if (!st_periodic_can_tell(period, hz, s->grid_n))
        return;
    const double power = power_at(s, frequency);
    const double log_p =
        log_chance(s, frequency, power) - log(weight_of(s, period, frequency, known_hz));
    if (log_p - log(ALPHA_NAMED) < best->score)
        *best = (struct peak){frequency, power, log_p - log(ALPHA_NAMED), log_p};
}

/* Looks for a rhythm of any frequency, also one that no tick rate has, and takes the strongest. */
static void try_all(const struct spectrum *s, struct peak *best)
{
    const size_t first = (size_t)ceil(ST_PERIODIC_CYCLES_MIN * s->fft_n / (double)s->grid_n);
    const double places = (double)s->grid_n; /* number of tests: grid_n / 2 independent frequencies,
                                                doubled for those between them */
    for (size_t j = first; j < s->power_n; j++) {
        const bool top = (j == 0 || s->power[j] >= s->power[j - 1]) &&
                         (j + 1 == s->power_n || s->power[j] >= s->power[j + 1]);
        if (!top || s->power[j] < log(1 / ALPHA_ANY))
            continue;
        const double frequency = (double)j / s->fft_n;
        const double log_p = log_chance(s, frequency, s->power[j]) + log(places);
        if (log_p - log(ALPHA_ANY) < best->score)
            *best = (struct peak){frequency, s->power[j], log_p - log(ALPHA_ANY), log_p};
    }
}

/* Moves a frequency to the top of its peak, which may lie between two elements of s->power. A
 * parabola through three points gives the top; this is repeated with smaller distances of the
 * points. */
static double sharpen(const struct spectrum *s, double frequency)
{
    double step = 0.5 / s->fft_n;
    for (int i = 0; i < 3; i++, step /= 4) {
        const double a = power_at(s, frequency - step), b = power_at(s, frequency),
                     c = power_at(s, frequency + step);
        const double bend = a - 2 * b + c;
        if (!(bend < 0))
            break;
        frequency = fmin(fmax(frequency + fmax(-1, fmin(1, 0.5 * (a - c) / bend)) * step, 0), 0.5);
    }
    return frequency;
}

/* A rectangle: lateness that is higher (or lower) by the same amount during one part of each
 * cycle. */
struct box {
    /* sum of squares that the rectangle explains, out of s->samples_n * s->variance */
    double square;
    double high_ns, share;
};

/* Finds the rectangle that fits best. @param cycle length of the cycle in periods. */
static struct box fit_box(const struct spectrum *s, double cycle)
{
    double sum[BINS_MAX] = {0}, n[BINS_MAX] = {0};
    const size_t bins = cycle < 4 ? 4 : cycle < BINS_MAX ? (size_t)(cycle + 0.5) : BINS_MAX;
    struct box best = {0};
    for (size_t k = 0; k < s->grid_n; k++) {
        const double at = fmod((double)k, cycle) / cycle * (double)bins;
        const size_t bin = at < (double)bins ? (size_t)at : bins - 1;
        sum[bin] += s->grid[k];
        n[bin]++;
    }
    const double all = (double)s->grid_n;
    for (size_t first = 0; first < bins; first++) {
        double in = 0, in_n = 0;
        for (size_t width = 1; width <= bins / 2; width++) {
            in += sum[(first + width - 1) % bins];
            in_n += n[(first + width - 1) % bins];
            if (in_n < 1 || in_n >= all)
                continue;
            const double square = in * in / in_n + in * in / (all - in_n);
            if (square > best.square)
                best = (struct box){square, in / in_n + in / (all - in_n), in_n / all};
        }
    }
    return best;
}

/* Looks for a rectangle. The sine that was found may be a harmonic of a rectangle or of short
 * pulses. Their cycle is then a whole number of times longer than that of the sine; of the
 * rectangles that explain nearly the most, the one with the shortest cycle is taken. Source: box
 * least squares (Kovacs, Zucker and Mazeh 2002). @param square sum of squares that the sine
 * explains. */
static void find_box(const struct spectrum *s, double square, struct st_periodic *ret)
{
    const double cycle = 1 / ret->cycles_per_period, total = (double)s->samples_n * s->variance;
    struct box box[TIMES_MAX], most = {0};
    int times_n = 0;
    for (; times_n < TIMES_MAX &&
           cycle * (times_n + 1) * ST_PERIODIC_BOX_CYCLES_MIN <= (double)s->grid_n;
         times_n++) {
        box[times_n] = fit_box(s, cycle * (times_n + 1));
        if (box[times_n].square > most.square)
            most = box[times_n];
    }
    const double noise = (total - fmin(most.square, total)) / (double)s->samples_n;
    if (most.square < BOX_BETTER * square || most.square < square + BOX_SURE * noise)
        return;
    for (int i = 0; i < times_n; i++) {
        if (box[i].square < BOX_SAME * most.square)
            continue;
        ret->cycles_per_period /= i + 1;
        ret->high_ns = box[i].high_ns;
        ret->high_share = box[i].share;
        ret->amplitude_ns = fabs(box[i].high_ns) / 2;
        ret->amplitude_sd_ns =
            sqrt(noise / (double)s->samples_n / box[i].share / (1 - box[i].share)) / 2;
        return;
    }
}

static void name(const struct st_period *period, const struct spectrum *s, struct st_periodic *ret)
{
    const double same = 0.75 / (double)s->grid_n;
    ST_EACH (usual, st_periodic_usual_hz) {
        if (fabs(st_periodic_alias(period, *usual) - ret->cycles_per_period) < same &&
            ret->names_n < ST_PERIODIC_NAMES_MAX)
            ret->names_hz[ret->names_n++] = *usual;
    }
    st_periodic_sort_hz(ret->names_hz, ret->names_n);
    for (int hz = ST_PERIODIC_HZ_MIN; hz <= ST_PERIODIC_HZ_MAX; hz++)
        ret->others_n += fabs(st_periodic_alias(period, hz) - ret->cycles_per_period) < same;
    ret->others_n -= (int)ret->names_n;
}

static void find(const struct st_series *series, const struct spectrum *s, int known_hz,
                 struct st_periodic *ret)
{
    struct peak best = {.score = 0};
    ST_EACH (usual, st_periodic_usual_hz)
        try_rate(s, &series->period, *usual, known_hz, &best);
    if (known_hz > 0)
        try_rate(s, &series->period, known_hz, known_hz, &best);
    const struct peak named = best;
    try_all(s, &best);
    ret->samples_n = s->samples_n;
    if (best.score >= 0)
        return;
    /* if a tick rate was found next to the strongest frequency, they are the same rhythm */
    if (named.score < 0 && fabs(named.frequency - best.frequency) * (double)s->grid_n < 1)
        best = named;
    else
        best.frequency = sharpen(s, best.frequency);
    best.power = power_at(s, best.frequency);
    double n;
    const double noise = noise_at(s, best.frequency, &n);
    const double quadratures = (0.5 - best.frequency) * (double)s->grid_n < 1.5 ? 1 : 2;
    ret->cycles_per_period = best.frequency;
    ret->amplitude_ns = quadratures * sqrt(best.power * s->variance / (double)s->samples_n);
    ret->amplitude_sd_ns = sqrt(quadratures * noise * s->variance / (double)s->samples_n);
    ret->p_value = fmin(exp(best.log_p), 1);
    find_box(s, best.power * s->variance * quadratures, ret);
    ret->repeats_s = st_period_seconds(&series->period) / ret->cycles_per_period;
    ret->found = ret->amplitude_ns >= fmax(LEAST_NS, s->grain_ns);
    if (!ret->found)
        *ret = (struct st_periodic){.samples_n = s->samples_n};
    else
        name(&series->period, s, ret);
}

int st_periodic_find(const struct st_series *series, int known_hz, struct st_periodic *ret)
{
    struct spectrum s = {0};
    struct st_periodic periodic = {0};
    int r = series->n < ST_PERIODIC_SAMPLES_MIN ? -ENODATA : make_grid(series, &s);
    if (r == 0)
        r = make_power(&s);
    if (r == 0)
        r = find_grain(series, &s.grain_ns);
    if (r == 0) {
        if (s.variance > s.grain_ns * s.grain_ns)
            s.grain_ns =
                0; /* noise larger than the rounding step turns rounding errors into noise */
        find(series, &s, known_hz, &periodic);
        *ret = periodic;
    }
    free(s.grid);
    free(s.power);
    return r;
}
