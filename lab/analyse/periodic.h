/* Is there a component of lateness that goes with a clock tick, or comes back in any other rhythm? */
#pragma once

#include "lab/stats/series.h"

#define ST_PERIODIC_CYCLES_MIN     20 /* of the rhythm in the series: a slower one is a trend or a step */
#define ST_PERIODIC_BOX_CYCLES_MIN 6  /* the same of a rectangle */
#define ST_PERIODIC_SAMPLES_MIN    256
#define ST_PERIODIC_HZ_MIN         24
#define ST_PERIODIC_HZ_MAX         10000
#define ST_PERIODIC_NAMES_MAX      12
/** Of more whole rates that look the same usual ones are among them by chance: at 10 ms any rhythm of two,
 * four or five periods looks like a hundred rates, and it may be any other program's. */
#define ST_PERIODIC_ALIKE_MAX 30

/** Rates that kernels' ticks have: HZ of Linux, kern.hz, and the old PC and audio ones. */
extern const int st_periodic_usual_hz[];
extern const size_t st_periodic_usual_hz_n;

struct st_periodic {
    bool found;
    double cycles_per_period; /* 0 .. 0.5: as it is seen once a period */
    double repeats_s;         /* the rhythm that is seen: period / cycles_per_period */
    double amplitude_ns;      /* of the sine: half of peak to peak */
    double amplitude_sd_ns;   /* its standard error, from the noise at frequencies nearby */
    double high_ns;           /* of a rectangle: its height, negative where lateness is lower; 0: a sine */
    double high_share;        /* of each cycle, at most a half */
    double p_value;           /* of so strong a rhythm in noise, all places looked at counted */
    int names_hz[ST_PERIODIC_NAMES_MAX]; /* usual tick rates that look like this at this period, ascending */
    size_t names_n;
    int others_n; /* other whole rates 24 .. 10000 Hz that look like this */
    uint64_t samples_n;
};

/** Rates in ascending order. */
void st_periodic_sort_hz(int *hz, size_t n);

/**
 * Rate hz as it is seen once a period: cycles a period, folded to 0 .. 0.5. Two rates with the same value
 * cannot be distinguished by one sample a period. */
double st_periodic_alias(const struct st_period *period, double hz);

/** Can a tick of this rate be distinguished from a constant in `span` periods? Not if the period is a whole
 * number of its ticks, or so nearly that it passes through fewer than 20 cycles. */
bool st_periodic_can_tell(const struct st_period *period, double hz, uint64_t span);

/**
 * Looks at the first 2^17 periods. Outliers are clipped and a straight line is taken away first. Known tick
 * rates have most of the chance of a false alarm (4 in 10000), any other rhythm the rest (1 in 10000).
 * Where a rectangle explains more than the sine that was found, its rhythm is reported: six cycles or more.
 * @param known_hz the kernel's tick rate, which is tested with half of all chance of a false alarm; 0:
 * unknown.
 * @return 0 (also when nothing is found), -ENODATA (fewer than 256 samples, or no spread), -ENOMEM.
 * Threads: any. Source: periodogram against the mean of its neighbours, F test with 2 and 2K degrees of
 * freedom (Bloomfield, Fourier Analysis of Time Series, ch. 9), Bonferroni over rates and frequencies. */
ST_NODISCARD int st_periodic_find(const struct st_series *series, int known_hz, struct st_periodic *ret);

/* --- fast Fourier transform, for power spectra --- */

struct st_complex {
    double re, im;
};

/**
 * In place: z[j] becomes the sum over k of z[k] * exp(-2 pi i j k / n).
 * @param n a power of two. Threads: any. Source: Cooley and Tukey 1965. */
void st_periodic_fft(struct st_complex *z, size_t n);

/** The least power of two >= n; n <= 2^62. */
size_t st_periodic_fft_size(size_t n);
