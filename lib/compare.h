/* How much run B differs from run A: quantiles, misses and how often a value of B is the later one. Allows
 * for values that depend on their neighbours. */
#ifndef ST_LIB_COMPARE_H
#define ST_LIB_COMPARE_H

#include "lib/blocks.h"
#include "lib/bootstrap.h"

/** The same random numbers give the same result. Some 0.1 s each. */
#define ST_COMPARE_RESAMPLES 2000
/** A run is cut into no fewer stretches than this. */
#define ST_COMPARE_GROUPS_MIN 8
/** A difference is shown when its p-value, corrected for all that was looked at, is at most this. */
#define ST_COMPARE_LEVEL 0.05

enum st_compare_id {
    ST_COMPARE_MEDIAN,
    ST_COMPARE_P99,
    ST_COMPARE_P999,
    ST_COMPARE_MISSED, /* share of periods */
    ST_COMPARE_FIGURES
};

/** What a share is of. Events that come in bursts count as so many as vary as much and come one by one. */
struct st_compare_counts {
    double events[2], trials[2]; /* trials 0: not a share */
    double scatter; /* what both were divided by, >= 1: st_bursts_scatter, st_stretches_scatter */
    double df;      /* degrees of freedom by which that is known; 0: it is as good as known */
};

struct st_compare_figure {
    bool known[2]; /* a quantile: n >= 10 / (1 - p) */
    double value[2];
    struct st_estimate difference; /* B - A with its 95 % interval; not known: the rest is 0 */
    double error;                  /* standard error of the difference; 0 where it is not known */
    double p_value;                /* how often as large a difference comes up where there is none */
    double p_corrected;            /* st_compare_correct */
    struct st_compare_counts counts;
    bool by_groups; /* p_value is of Student's distribution, of as many groups as there are stretches */
    bool narrow;    /* values so long depend on each other that the interval may be too narrow */
    bool shown;
};

struct st_comparison {
    struct st_compare_figure figures[ST_COMPARE_FIGURES];
    struct st_estimate superiority; /* share of pairs in which the value of B is the larger one, ties half:
                                       0.5 is none. Cliff's delta is 2 x this - 1 */
    double independent_n[2]; /* independent values that would tell as much of the median; 0: not known */
    bool neighbours_depend;  /* by a test that 1 in 100 pairs of runs of independent values fail at most */
    double drift_ns[2]; /* how far the medians of the fifths of each run lie apart; NAN: too few values */
    bool same;          /* both have the same values in the same order */
};

double st_compare_quantile(enum st_compare_id id); /* 0.5, 0.99, 0.999; 0: not a quantile */

/**
 * Compares. Each run is cut into stretches, whole stretches are drawn with replacement, and the figures of
 * what was drawn are taken again. Neighbours that depend on each other are in one stretch only if it is long
 * enough: all of it is done with stretches of 1, 2, 4 ... blocks (down to ST_COMPARE_GROUPS_MIN of them), and
 * the widest interval and the largest p-value count. What changes over more than an eighth of a
 * run is not allowed for. Missed periods are counts, and tested as such (st_compare_rates); where they are
 * shown to come in bursts, or more in some stretches than in others, they are divided by how much more that
 * scatters.
 * @return 0, -ENOMEM. Threads: any.
 * Source: Kuensch, "The Jackknife and the Bootstrap for General Stationary Observations", 1989 (blocks);
 * Hesterberg 2015 (expanded interval); Welch 1947 (degrees of freedom); lib/bootstrap's st_rate_effect.
 */
ST_NODISCARD int st_compare(const struct st_blocks *a, const struct st_blocks *b, struct st_random *random,
                            struct st_comparison *ret);

/**
 * A quantile of one run with the 95 % interval of independent values (order statistics).
 * @param ret figure, low, high. @return 0, -ENOMEM.
 */
ST_NODISCARD int st_compare_quantile_of(const struct st_blocks *blocks, enum st_compare_id id,
                                        bool *ret_known, bool *ret_interval_known, double ret[3]);

/** A difference of two figures of which only 95 % intervals are known (their standard errors are taken from
 * them). Source: Zou & Donner, "Construction of confidence limits about effect measures", 2008. */
struct st_compare_figure st_compare_intervals(const double a[3], const double b[3]);

/** Misses that come one by one: Fisher's exact test, both tails. The interval leaves 0 out exactly where its
 * p-value is at most ST_COMPARE_LEVEL. @return 0, -EINVAL (more misses than periods). Source: Newcombe,
 * "Interval estimation for the difference between independent proportions", 1998 (hybrid score); Miettinen,
 * "Estimability and estimation in case-referent studies", 1976 (the end towards 0, where that and the test
 * disagree). */
ST_NODISCARD int st_compare_rates(uint64_t missed_a, uint64_t periods_a, uint64_t missed_b,
                                  uint64_t periods_b, struct st_compare_figure *ret);

/** The same of misses that were divided by how they scatter. @param ret whole, but for narrow. */
void st_compare_counted(const struct st_compare_counts *counts, struct st_compare_figure *ret);

/**
 * Corrects the p-values of all figures that were looked at, so that where nothing differs, something is shown
 * in 5 % of all cases at most; sets p_corrected and shown. @return how many were tested.
 * Source: Holm, "A simple sequentially rejective multiple test procedure", 1979.
 */
size_t st_compare_correct(struct st_compare_figure *const *figures, size_t n);

/** The difference that is shown with a probability of 80 % (of misses: as many more of B). @param tests_n
 * from st_compare_correct. @return NAN: none is. */
double st_compare_detectable(const struct st_compare_figure *figure, size_t tests_n);

/** How many times as much data, on both sides, shows `difference` with that probability; at most 1: this much
 * does. */
double st_compare_more_data(const struct st_compare_figure *figure, size_t tests_n, double difference);

/* Both of missed periods. @param level of the test. */
double st_compare_counts_detectable(const struct st_compare_counts *counts, double level);
double st_compare_counts_more_data(const struct st_compare_counts *counts, double level, double difference);

#endif
