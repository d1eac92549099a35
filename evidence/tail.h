/* The expected rate of stalls that are longer than those seen: peaks over a threshold, or why there is no
 * answer. Sources: Pickands 1975; Ferro & Segers, "Inference for clusters of extreme values", 2003; Grimshaw
 * 1993. */
#pragma once

#include "core/base.h"

#define ST_TAIL_POINTS_MAX 4096 /* late wake-ups that are looked at: the latest ones */
#define ST_TAIL_CURVE      31

/** Maxima of bursts beyond u_ns follow a generalised Pareto distribution. */
struct st_tail {
    const char *refused; /* why there is no model, a sentence without a period; NULL: there is one */
    double u_ns, largest_ns;
    double shape, scale_ns;
    double held_out_p; /* that a third of the run has as many long stalls as it had, by a fit of the rest */
    double per_hour, per_hour_high; /* bursts beyond u_ns; the bound is one-sided, 97.5 % */
    size_t curve_n; /* fits that the data do not exclude (97.5 %): the largest scale of each shape */
    struct {
        double shape, scale_ns;
    } curve[ST_TAIL_CURVE];
};

/** @param at_s, lateness_ns of n late wake-ups in order, all those beyond some lateness, at most
 * ST_TAIL_POINTS_MAX.
 * @param seconds of the run. @return 0 or -ENOMEM. Threads: any. */
ST_NODISCARD int st_tail_fit(const double *at_s, const double *lateness_ns, size_t n, double seconds,
                             struct st_tail *ret);

/** Wake-ups per hour that are later than first_ns, first_ns + step_ns ... : the mean over n of these.
 * first_ns > u_ns.
 * @param ret_high its upper 95 % bound. */
double st_tail_per_hour(const struct st_tail *tail, double first_ns, double step_ns, uint64_t n,
                        double *ret_high);
