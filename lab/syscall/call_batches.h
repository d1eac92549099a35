/* The cost of a call by many between two clock reads, and whether it enters the kernel. */
#ifndef ST_LAB_SYSCALL_CALL_BATCHES_H
#define ST_LAB_SYSCALL_CALL_BATCHES_H

#include "lab/syscall/call_method.h"

#define ST_SYSCALL_BATCHES 101

/** Where a call is answered, as measured. */
enum st_call_path {
    ST_PATH_UNKNOWN, /* the measurement does not tell, or nobody looked */
    ST_PATH_VDSO,    /* a time, without entering the kernel */
    ST_PATH_LIBRARY, /* anything else, without entering the kernel */
    ST_PATH_SYSCALL,
};

/** "vdso", "library", "syscall"; NULL: unknown. */
const char *st_call_path_name(enum st_call_path path);

/** The cost of one call where many are made between two clock reads. */
struct st_call_batches {
    bool known;
    uint32_t calls_n; /* a batch */
    double call_ns, low_ns,
        high_ns; /* median of the batches and its 95 % interval, empty batches subtracted */
    bool raw_known;
    double raw_ns;     /* the same by syscall(2) */
    double getppid_ns; /* the least that a system call costs, beside it */
};

/**
 * So many calls, as many by syscall(2), as many of getppid and as many of nothing are timed in turn,
 * ST_SYSCALL_BATCHES times. The call stays out of the kernel where syscall(2) costs more by at least half a
 * system call (getppid - nothing), with the whole 95 % interval of the median difference, and enters it where
 * the whole interval is below. Without a system call of that name: out of the kernel where it costs less than
 * half a system call itself, else unknown. One that blocks enters it by what it does.
 * @param about_ns what one call costs, for the size of a batch; <= 0: the largest. @param ret known: false
 * when the call fails. Some 20 ms.
 */
enum st_call_path st_call_batches_measure(struct st_lab *lab, const struct st_call_method *method,
                                          double about_ns, struct st_call_batches *ret);

/** About what measuring so takes. @param getppid_ns what that costs. */
int64_t st_call_batches_expected_ns(double about_ns, double getppid_ns);

#endif
