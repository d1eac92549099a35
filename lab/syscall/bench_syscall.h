/* What a system call costs, in this process and as the first call of a fresh one. */
#pragma once

#include <jansson.h>

#include "lab/summary.h"
#include "lab/syscall/call.h"

#define ST_SYSCALL_PRECISION 0.05   /* of a median: half its interval; then it has samples enough */
#define ST_SYSCALL_ENOUGH_N  100000 /* more samples than this are not recommended */

enum st_call_mode { ST_CALL_IN_PROCESS, ST_CALL_FRESH };

/** "in-process", "fresh". */
const char *st_bench_syscall_mode_name(enum st_call_mode mode);

struct st_syscall_row {
    const struct st_call_method *method;
    enum st_call_mode mode;
    const char *why; /* why it is not measured (any further); NULL: it is */
    int error;       /* what the kernel said then, < 0; 0: nothing */
    int64_t *ns;     /* in order; the empty measurement subtracted */
    size_t n;

    /* figures */
    int64_t offset_ns; /* median of the empty measurement: what was subtracted; 0: it is the row of it */
    struct st_summary summary; /* of the others */
    bool outliers_known;       /* as q1 and q3, from which they follow */
    uint64_t outliers_n;       /* of the others, by the 1.5 IQR rule */
    bool iqr_is_zero;          /* then every value that is not the median is one */
    uint64_t enough_n;         /* this many samples give a good enough median; 0: not known */
    struct st_call_batches batches;
    enum st_call_path path;
};

struct st_bench_syscall;

struct st_bench_syscall_config {
    const struct st_call_method *const *methods;
    size_t methods_n;
    size_t count;  /* samples in this process; >= 1 */
    size_t fresh;  /* fresh processes for each call; 0: none */
    uint64_t seed; /* of the order of the fresh processes */
    /** Asked before each call's samples and each process. @return false: stop here. NULL: go on. */
    bool (*go_on)(void *ctx, const struct st_bench_syscall *bench);
    void *ctx;
};

struct st_bench_syscall {
    struct st_bench_syscall_config config;
    struct st_syscall_row *rows; /* in-process ones, then fresh ones, each in the order of the methods */
    size_t rows_n;
    int64_t clock_step_ns;        /* of the clock, by measurements of nothing; 0: not known */
    enum st_call_path clock_path; /* of the clock that everything is measured with */
    struct st_call_batches clock;
    int64_t elapsed_ns;
    bool stopped; /* by go_on */
};

/**
 * About how long measuring takes: by the cost of the clock, of some fresh processes, which also say how long
 * a call takes that gives the CPU away, and 300 ns for each other call. The calls themselves are not made in
 * this process, because the first ones must be samples. */
int64_t st_bench_syscall_expected_ns(struct st_lab *lab, const struct st_bench_syscall_config *config);

/** Measures all rows, in the calling thread. @param ret free with st_bench_syscall_finish, whatever it
 * returns: what was measured is there. @return 0, -EINVAL (nothing to measure), -ENOMEM. */
ST_NODISCARD int st_bench_syscall_measure(struct st_lab *lab, const struct st_bench_syscall_config *config,
                                          struct st_bench_syscall *ret);

void st_bench_syscall_finish(struct st_bench_syscall *bench);

/** One sample for a fresh process: the first call that it makes. @param ret_ns the clock read included.
 * @return 0, or what the kernel said. */
ST_NODISCARD int st_bench_syscall_once(struct st_lab *lab, const struct st_call_method *method,
                                       int64_t *ret_ns);

/** Does what measuring by itself costs exceed the call? Then one call cannot be timed by itself: see
 * batches. */
bool st_bench_syscall_is_below_clock(const struct st_syscall_row *row);

/** Id of the advisor's rule on a clock that is read by a system call; NULL: it is not, or that is
 * unknown. */
const char *st_bench_syscall_finding(const struct st_bench_syscall *bench, struct st_lab *lab);

/** sleeptune-bench-syscall/1. New reference; NULL when out of memory. */
json_t *st_bench_syscall_json(const struct st_bench_syscall *bench, struct st_lab *lab);

/* sleeptune-lab syscall: its text. */

/** One line a call; missing ones with the reason. */
void st_bench_syscall_list(struct st_lab *lab, FILE *out, int width);

/** The result: a table a mode, what goes with each row (not when brief), sentences. */
void st_bench_syscall_print(const struct st_bench_syscall *bench, struct st_lab *lab, bool brief, FILE *out,
                            int width);
