/* Waking on time: sleep to shortly before a moment, spin the rest, for no more CPU time than you
 * allow.
 *
 *     struct st_punctual *punctual;
 *     if (st_punctual_new(0.02, &punctual) != 0) ...       spin at most 2 % of a CPU
 *     int64_t due_ns = st_punctual_now_ns();
 *     for (;;) {
 *         due_ns += 1333333;
 *         while (st_punctual_wait_until(punctual, due_ns, NULL) == -EINTR) ...
 *         ...
 *     }
 *
 * sleeptune-punctual(3) says more. Link with `pkg-config --libs sleeptune`. */
#ifndef ST_SLEEPTUNE_PUNCTUAL_H
#define ST_SLEEPTUNE_PUNCTUAL_H

#include <stddef.h>
#include <stdint.h>

/** Version of this header; st_punctual_version returns the version of the linked library. */
#define ST_PUNCTUAL_VERSION_MAJOR 0
#define ST_PUNCTUAL_VERSION_MINOR 1
#define ST_PUNCTUAL_VERSION_PATCH 0
#define ST_PUNCTUAL_VERSION                                                                        \
    (ST_PUNCTUAL_VERSION_MAJOR * 10000 + ST_PUNCTUAL_VERSION_MINOR * 100 +                         \
     ST_PUNCTUAL_VERSION_PATCH)

#define ST_PUNCTUAL_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/** What was learned from the waits of one thread. Use one object for each thread, since no function
 * here takes a lock. */
struct st_punctual;

/** Statistics since st_punctual_new or st_punctual_reset. Later versions add members at the end. */
struct st_punctual_stats {
    uint64_t waits_n;        /* waits that began before their due time and ended at or after it */
    uint64_t on_time_n;      /* those of waits_n that ended within 100 ns of the due time */
    uint64_t past_n;         /* waits whose due time had passed when they began */
    uint64_t interrupted_n;  /* calls that a signal ended */
    int64_t margin_ns;       /* how long before its due time the next wait asks to be woken */
    int64_t lateness_max_ns; /* largest lateness of waits_n: woke - due; 0: no wait yet */
    int64_t lateness_sum_ns;
    int64_t spin_ns; /* time spent spinning */
    /* time from the first wait to the last one; spin_ns / span_ns is the share of a CPU that was
     * spent spinning */
    int64_t span_ns;
};

/** Version of the library, as ST_PUNCTUAL_VERSION. */
ST_PUNCTUAL_API unsigned st_punctual_version(void);

/** Makes an object. @param cpu_share share of a CPU that spinning may take, 0.0 .. 0.5: spin_ns is
 * never more than that share of span_ns. 0 costs nothing: the margin is the smallest overshoot,
 * which takes away most of the lateness. @return 0, -EINVAL, -ENOMEM. Not real-time safe. Free with
 * st_punctual_free. */
ST_PUNCTUAL_API int st_punctual_new(double cpu_share, struct st_punctual **ret);
ST_PUNCTUAL_API void st_punctual_free(struct st_punctual *punctual);

/** CLOCK_MONOTONIC in ns. Any thread, real-time safe. */
ST_PUNCTUAL_API int64_t st_punctual_now_ns(void);

/** Waits until due_ns (CLOCK_MONOTONIC); never returns 0 earlier. The first 32 waits only learn,
 * and are as late as any sleep. Spinning takes at most half of one wait. A call with the same
 * due_ns after -EINTR continues the interrupted wait. @param ret_woke_ns NULL, or the clock at the
 * end of the wait; written on success. @return 0, at once if due_ns has passed; -EINTR: a signal
 * came first, call again. Real-time safe: no allocation, no lock, one system call. */
ST_PUNCTUAL_API int st_punctual_wait_until(struct st_punctual *punctual, int64_t due_ns,
                                           int64_t *ret_woke_ns);

/** Copies the statistics. Call from the thread that waits, or while that thread does not wait.
 * Real-time safe. @param ret_bytes sizeof(*ret) in the program; members that the library does not
 * know are set to 0. */
ST_PUNCTUAL_API void st_punctual_get_stats(const struct st_punctual *punctual,
                                           struct st_punctual_stats *ret, size_t ret_bytes);

/** Forgets everything that was learned, for a thread that moved to another CPU or policy. Real-time
 * safe. */
ST_PUNCTUAL_API void st_punctual_reset(struct st_punctual *punctual);

#ifdef __cplusplus
}
#endif

#endif
