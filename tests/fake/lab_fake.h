/* A laboratory whose calls, ways of waking and programs a test scripts, on the platform's fake. */
#pragma once

#include "lab/lab.h"
#include "tests/fake/fake.h"

/** On a fake platform of its own: Linux, whose clock begins at 1 s. @return NULL when out of
 * memory. */
struct st_lab *st_lab_fake_new(void);
/** And its platform. */
void st_lab_fake_free(struct st_lab *lab);
/** For cmocka: *state is the laboratory. */
int st_lab_fake_setup(void **state);
int st_lab_fake_teardown(void **state);

/** Scripts how long the program "true", or any other, runs: wall_ns[0], wall_ns[1] ... and again, a
 * tenth of it CPU time, and how it ends. The array must stay. */
void st_lab_fake_script_programs(struct st_lab *lab, bool of_true, const int64_t *wall_ns, size_t n,
                                 int status);
/**
 * Scripts a call (syscall/call.h): the i-th one moves the clock by cost_ns[i], later ones by the
 * last of them; by syscall(2) it takes raw_ns. Copied. @return 0, -ENOENT (the fake has no such
 * call), -ENOMEM. */
ST_NODISCARD int st_lab_fake_script_call(struct st_lab *lab, const char *name,
                                         const int64_t *cost_ns, size_t n, int64_t raw_ns);
/** Opening that call fails with `error` (< 0) from now on. @return 0 or -EINVAL. */
ST_NODISCARD int st_lab_fake_fail_call(struct st_lab *lab, const char *name, int error);

/**
 * Scripts a way of waking (wake/wake.h): rounds take delay_ns[0], delay_ns[1] ..., again from the
 * first after the last (INT64_MIN: the sleeper does not wake, -ETIMEDOUT); signalling takes
 * send_ns; opening it says open_error (0: works). Copied. @return 0, -ENOENT (the fake has no such
 * way), -ENOMEM. */
ST_NODISCARD int st_lab_fake_script_wake(struct st_lab *lab, const char *name,
                                         const int64_t *delay_ns, size_t n, int64_t send_ns,
                                         int open_error);
/** time_program fails with `error` (< 0; 0: no more) from now on. */
void st_lab_fake_fail_programs(struct st_lab *lab, int error);
