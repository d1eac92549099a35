/* Measures lateness over time: a thread sleeps in one way (struct st_sleep_method) until one due
 * time after the other. */
#pragma once

#include "lab/series/sleep.h"
#include "lab/stats/series.h"

struct st_bench_series_config {
    const struct st_sleep_method *method;
    struct st_period period; /* time from one due time to the next */
    uint64_t count;          /* number of samples */
    bool full_second;        /* due times are counted from a full second of the wall clock */
    /** Asked before each sleep, in the measuring thread. @param n samples so far. @param latest_ns
     * lateness of the latest sample. @return false: the measurement stops. NULL: it does not stop
     * early. */
    bool (*go_on)(void *ctx, uint64_t n, int64_t latest_ns);
    void *ctx;
};

struct st_bench_series {
    struct st_series series; /* the samples; its period is that of the config */
    int64_t latest_ns;       /* lateness of the latest sample */
    uint64_t interrupted_n;  /* sleeps that a signal ended, which give no sample */
    bool stopped;            /* go_on ended the measurement early */
};

/**
 * Measures in the calling thread, with the policy and timer slack that it has. The first due time
 * is one period from now, or the next full second; due times that have already passed when the
 * thread wakes up are skipped.
 * @param ret initialised by this function, whatever it returns: samples measured before an error
 * stay valid. Free with st_series_finish(&ret->series).
 * @return 0, -ENOMEM, or the error of the method when it was opened or slept. */
ST_NODISCARD int st_bench_series_measure(struct st_platform *p,
                                         const struct st_bench_series_config *config,
                                         struct st_bench_series *ret);
