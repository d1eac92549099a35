/* Does lateness have a component that repeats with a clock tick or in any other rhythm? */
#pragma once

#include "lab/stats/series.h"

/* fewest cycles of a sine in the samples: a slower change counts as a trend or a step */
#define ST_PERIODIC_CYCLES_MIN     20
#define ST_PERIODIC_BOX_CYCLES_MIN 6 /* fewest cycles of a rectangle in the samples */
#define ST_PERIODIC_SAMPLES_MIN    256
#define ST_PERIODIC_HZ_MIN         24
#define ST_PERIODIC_HZ_MAX         10000
#define ST_PERIODIC_NAMES_MAX      12
/** If more whole-number rates than this look the same, the usual tick rates among them are there by
 * chance and are not named: at a period of 10 ms, any rhythm of two, four or five periods looks
 * like a hundred rates, and any other program may cause it. */
#define ST_PERIODIC_ALIKE_MAX 30

/** Tick rates in Hz that kernels have, the commonest first: HZ of Linux, kern.hz of FreeBSD, and
 * old rates of the PC and of audio. */
extern const int st_periodic_usual_hz[];
extern const size_t st_periodic_usual_hz_n;

struct st_periodic {
    bool found;
    double cycles_per_period; /* frequency that one sample a period shows (st_periodic_alias), 0 ..
                                 0.5 */
    double repeats_s;         /* time from one repetition to the next, in seconds: period /
                                 cycles_per_period */
    double amplitude_ns; /* amplitude of the sine, half of peak to peak; of a rectangle, half of its
                            height */
    double
        amplitude_sd_ns; /* standard error of the amplitude, from the noise at frequencies nearby */
    double high_ns; /* height of a rectangle, negative where lateness is lower; 0: the rhythm is a
                       sine */
    double high_share; /* share of each cycle that the rectangle takes, at most a half; 0: a sine */
    double p_value;    /* probability that noise alone makes such a strong rhythm, corrected for all
                          frequencies that were tested */
    int names_hz[ST_PERIODIC_NAMES_MAX]; /* usual tick rates in Hz that would show the same rhythm
                                            at this period, ascending */
    size_t names_n;
    int others_n; /* number of other whole-number rates, 24 .. 10000 Hz, that would show the same
                     rhythm */
    uint64_t samples_n;
};

/** Sorts rates in ascending order. */
void st_periodic_sort_hz(int *hz, size_t n);

/**
 * The frequency, in cycles a period, that a rhythm of rate hz shows in one sample a period: folded
 * to 0 .. 0.5. Two rates with the same value cannot be distinguished by one sample a period. */
double st_periodic_alias(const struct st_period *period, double hz);

/** Can a tick of this rate be distinguished from a constant in `span` periods? Not if the period is
 * a whole number of its ticks, or so nearly that the samples show fewer than 20 cycles. */
bool st_periodic_can_tell(const struct st_period *period, double hz, uint64_t span);

/** Looks for a rhythm in the first 2^17 periods, after outliers are clipped and a straight line is
 * subtracted. A false alarm is permitted with a chance of 4 in 10000 for all tick rates together,
 * and of 1 in 10000 for all other rhythms. If a rectangle of six cycles or more explains more than
 * the sine that was found, the rhythm of the rectangle is reported.
 * @param known_hz the kernel's tick rate, to which half of the 4 in 10000 is given; 0: unknown.
 * @return 0 (also when nothing is found), -ENODATA (fewer than 256 samples, or no spread), -ENOMEM.
 * Threads: any. Source: periodogram against the mean of its neighbours, F test with 2 and 2K
 * degrees of freedom (Bloomfield, Fourier Analysis of Time Series, ch. 9), Bonferroni over rates
 * and frequencies. */
ST_NODISCARD int st_periodic_find(const struct st_series *series, int known_hz,
                                  struct st_periodic *ret);

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
