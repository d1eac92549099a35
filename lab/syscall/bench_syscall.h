/* Measures what a system call costs, when it is repeated in this process and as the first call of a
 * new process. */
#pragma once

#include <jansson.h>

#include "lab/summary.h"
#include "lab/syscall/call.h"

#define ST_SYSCALL_PRECISION                                                                       \
    0.05 /* samples are enough if half of the interval of their median is at most this share of    \
            the median */
#define ST_SYSCALL_ENOUGH_N 100000 /* most samples of a call that are recommended */

enum st_call_mode { ST_CALL_IN_PROCESS, ST_CALL_FRESH };

/** "in-process", "fresh". */
const char *st_bench_syscall_mode_name(enum st_call_mode mode);

struct st_syscall_row {
    const struct st_call_method *method;
    enum st_call_mode mode;
    const char *why; /* why the row has no samples or no more of them; NULL: it was measured */
    int error;       /* error of the kernel that goes with `why`, < 0; 0: none */
    /* samples in the order of measurement: time of a call minus the median of the empty measurement
     * (two clock reads in a row) */
    int64_t *ns;
    size_t n;

    /* figures, computed from `ns` */
    int64_t offset_ns; /* median of the empty measurement, which was subtracted; 0: this is the row
                          of the empty measurement */
    struct st_summary summary; /* figures of the samples in `ns` */
    bool outliers_known;       /* q1 and q3 are known, from which the number of outliers follows */
    uint64_t outliers_n;       /* values more than 1.5 interquartile ranges beyond q1 or q3 */
    bool iqr_is_zero; /* q1 equals q3: each value that differs from them counts as an outlier */
    uint64_t
        enough_n; /* number of samples that gives the median ST_SYSCALL_PRECISION; 0: unknown */
    struct st_call_batches batches;
    enum st_call_path path;
};

struct st_bench_syscall;

struct st_bench_syscall_config {
    const struct st_call_method *const *methods;
    size_t methods_n;
    size_t count;  /* samples in this process; >= 1 */
    size_t fresh;  /* fresh processes for each call; 0: none */
    uint64_t seed; /* seed of the random order of the fresh processes */
    /** Called before each call's samples and batches, after each 1024 samples, and before each
     * fresh process.
     * @return false: the measurement stops. NULL: it does not stop early. */
    bool (*go_on)(void *ctx, const struct st_bench_syscall *bench);
    void *ctx;
};

struct st_bench_syscall {
    struct st_bench_syscall_config config;
    struct st_syscall_row
        *rows; /* in-process rows, then fresh ones, each in the order of the methods */
    size_t rows_n;
    int64_t clock_step_ns; /* step of CLOCK_MONOTONIC, from the empty measurements; 0: unknown */
    enum st_call_path clock_path; /* whether vDSO or kernel answers a read of CLOCK_MONOTONIC, the
                                     clock that times all samples */
    struct st_call_batches clock;
    int64_t elapsed_ns;
    bool stopped; /* go_on ended the measurement early */
};

/**
 * Estimates how long measuring takes, in ns: from the cost of reading the clock; from some fresh
 * processes, which also show how long a call takes that gives the CPU away; and from 300 ns for
 * each other call. No call is made in this process, because its first calls must be samples. */
int64_t st_bench_syscall_expected_ns(struct st_lab *lab,
                                     const struct st_bench_syscall_config *config);

/** Measures all rows, in the calling thread. @param ret free with st_bench_syscall_finish, whatever
 * is returned: what was measured before an error stays valid. @return 0, -EINVAL (nothing to
 * measure), -ENOMEM. */
ST_NODISCARD int st_bench_syscall_measure(struct st_lab *lab,
                                          const struct st_bench_syscall_config *config,
                                          struct st_bench_syscall *ret);

void st_bench_syscall_finish(struct st_bench_syscall *bench);

/** Measures one call, in a process that was started for it: the first call that the process makes.
 * @param ret_ns includes the cost of a clock read. @return 0, or the error of the kernel. */
ST_NODISCARD int st_bench_syscall_once(struct st_lab *lab, const struct st_call_method *method,
                                       int64_t *ret_ns);

/** Is a call shorter than the empty measurement (two clock reads in a row)? Then a single call
 * cannot be timed, and only `batches` has its cost. */
bool st_bench_syscall_is_below_clock(const struct st_syscall_row *row);

/** If each read of CLOCK_MONOTONIC needs a system call: the id of the rule of the advisor about
 * such clocks. @return NULL: a read needs none, or that is unknown. */
const char *st_bench_syscall_finding(const struct st_bench_syscall *bench, struct st_lab *lab);

/** The result as the document sleeptune-bench-syscall/1. New reference; NULL when out of memory. */
json_t *st_bench_syscall_json(const struct st_bench_syscall *bench, struct st_lab *lab);

/* The text that `sleeptune-lab syscall` prints. */

/** Lists all calls, one a line. A call that this system lacks is listed with the reason. */
void st_bench_syscall_list(struct st_lab *lab, FILE *out, int width);

/** Prints the result: a table for each mode, a line of details below each row (unless brief), and
 * sentences. */
void st_bench_syscall_print(const struct st_bench_syscall *bench, struct st_lab *lab, bool brief,
                            FILE *out, int width);
