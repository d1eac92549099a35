/* Several threads that sleep at the same time: are all woken alike? */
#ifndef ST_LAB_SERIES_SLEEPERS_H
#define ST_LAB_SERIES_SLEEPERS_H

#include "lab/series/bench_series.h"

#define ST_SLEEPERS_MAX 64

/** Measures the same series in n threads at once, and prints their medians, with intervals that hold for all
 * of them together (order statistics: samples are taken as independent), and whether these differ. Draws
 * their boxes at path; NULL: no picture. @param config its go_on is asked by all threads. @return an st_exit,
 * after a message. */
ST_NODISCARD int st_sleepers_run(const char *command, struct st_platform *p,
                                 const struct st_bench_series_config *config, size_t n, const char *path);

#endif
