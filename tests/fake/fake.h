/* A platform whose clock, threads and tunables a test scripts. A real back end of the seam, not a
 * mock of it. */
#pragma once

#include "platform/platform.h"

/** Time starts at start_ns and moves only by what is scripted. @return NULL when out of memory. */
struct st_platform *st_fake_new(enum st_os os, int64_t start_ns);
void st_fake_free(struct st_platform *p);

/** Moves the clock (also backwards, which a real one never does). */
void st_fake_advance(struct st_platform *p, int64_t ns);

/** Each clock read moves the clock by this much afterwards (default 0). */
void st_fake_set_clock_cost_ns(struct st_platform *p, int64_t ns);

/**
 * Scripts the sleeps: the i-th sleep wakes late_ns[i] after its due time (negative: early;
 * INT64_MIN: -EINTR half-way). After the last one every sleep wakes late_after_ns late. A sleep
 * whose due time has passed returns at once. The array is copied. @return 0 or -ENOMEM. */
ST_NODISCARD int st_fake_script_sleeps(struct st_platform *p, const int64_t *late_ns, size_t n,
                                       int64_t late_after_ns);

/** How many sleeps and clock reads were asked for so far. */
uint64_t st_fake_sleeps_n(const struct st_platform *p);
uint64_t st_fake_clock_reads_n(const struct st_platform *p);

/** The sleeping method of that name. @return NULL: the fake has none. */
const struct st_sleep_method *st_fake_sleep_method(struct st_platform *p, const char *name);

/**
 * Scripts a sleeping method (lab/series/sleep.h): its sleeps wake late_ns[0], late_ns[1] ... after
 * their due time, again from the first after the last (INT64_MIN: -EINTR at once). Copied.
 * @return 0, -ENOENT (the fake has no such method), -ENOMEM. */
ST_NODISCARD int st_fake_script_method(struct st_platform *p, const char *name,
                                       const int64_t *late_ns, size_t n);
/** Opening that method fails with `error` (< 0) from now on. @return 0 or -EINVAL. */
ST_NODISCARD int st_fake_fail_method(struct st_platform *p, const char *name, int error);

/** What counters_self and counters_other return from now on, with what is set by the next
 * function. */
void st_fake_set_counters(struct st_platform *p, const struct st_thread_counters *counters);
void st_fake_set_suspended_ns(struct st_platform *p, int64_t ns);
/** What pauses says from now on (before: no quota, never continued). */
void st_fake_set_pauses(struct st_platform *p, const struct st_pauses *pauses);

/** Puts a file or a sysctl into the tree. `error` < 0: reading it fails with that. Text is
 * copied. */
ST_NODISCARD int st_fake_set_file(struct st_platform *p, const char *path, const char *text,
                                  int error);
ST_NODISCARD int st_fake_set_sysctl(struct st_platform *p, const char *name, const char *text,
                                    int error);
/** What a program prints that is run with this command line ("pw-metadata -n settings"); others are
 * not installed. `error` < 0: its result. Text is copied. */
ST_NODISCARD int st_fake_set_answer(struct st_platform *p, const char *command, const char *text,
                                    int error);

/**
 * Fault injection: the n-th call (1-based) of the named seam function ("set_policy", "lock_memory",
 * "read_text" ...) fails with `error` (< 0). n = 0: every call. Later calls succeed again. */
ST_NODISCARD int st_fake_fail_at(struct st_platform *p, const char *function, uint64_t n,
                                 int error);
