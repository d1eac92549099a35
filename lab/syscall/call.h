/* Calls whose cost `sleeptune-lab syscall` measures: system calls, and library functions that may
 * do without one. Each is a struct st_call_method; st_lab.call_method returns those of a system
 * (linux/lab_linux.c, freebsd/lab_freebsd.c, tests/fake/lab_fake.c). */
#pragma once

#include "lab/lab.h"

struct st_call;

/** Makes one call, as a program does. @return 0, or the error of the kernel. */
typedef int (*st_call_fn)(struct st_call *c);

struct st_call_method {
    const char
        *name; /* must be the first member (st_lab_find); stable: letters, digits, '-' and '_' */
    const char *summary; /* one line */
    int clock_id;        /* clock that the call reads, if it reads one */
    bool tells_time;     /* the call returns a time, which the vDSO may do without the kernel */
    bool blocks;         /* the call gives the CPU away, which only the kernel can do */

    int (*open)(
        struct st_call *c); /* prepares what the call needs; NULL: nothing. @return 0 or -errno */
    st_call_fn call;
    /** The call through syscall(2), which always enters the kernel: `call` is compared with it.
     * NULL: there is no such system call. */
    st_call_fn raw;
    void (*close)(struct st_call *c); /* NULL: nothing to undo */
};

/** One method in use, in one thread. */
struct st_call {
    const struct st_call_method *method;
    struct st_platform *platform;
    struct st_lab *lab;
    int fd;        /* file descriptor that the call uses; -1: none */
    uint32_t word; /* word in memory that a futex or umtx call takes */
};

/** The method that does nothing, which shows what measuring itself costs. It is the first in the
 * table of each system. */
#define ST_CALL_EMPTY                                                                              \
    {                                                                                              \
        .name = "empty", .summary = "nothing: two clock reads in a row", .call = st_call_nothing   \
    }
int st_call_nothing(struct st_call *c);

/** Prepares a call without making it, so that the first call is the caller's. @return 0, or the
 * error of the kernel. Close with st_call_close. */
ST_NODISCARD int st_call_open(struct st_call *c, struct st_lab *lab,
                              const struct st_call_method *method);
void st_call_close(struct st_call *c);

/* Measures the cost of a call by many calls between two clock reads, and whether the call enters
 * the kernel. */

#define ST_SYSCALL_BATCHES 101

/** Who answers a call, as far as the measurement shows it. */
enum st_call_path {
    ST_PATH_UNKNOWN, /* the measurement does not decide it, or there was no measurement */
    ST_PATH_VDSO,    /* the vDSO returns a time without entering the kernel */
    ST_PATH_LIBRARY, /* the C library answers without entering the kernel */
    ST_PATH_SYSCALL,
};

/** "vdso", "library", "syscall"; NULL: unknown. */
const char *st_call_path_name(enum st_call_path path);

/** The cost of one call, from batches of many calls between two clock reads. */
struct st_call_batches {
    bool known;
    uint32_t calls_n; /* calls in a batch */
    double call_ns, low_ns,
        high_ns; /* median of the batches with its 95 % interval, minus empty batches */
    bool raw_known;
    double raw_ns; /* cost of the same call through syscall(2) */
    double
        getppid_ns; /* cost of getppid, the cheapest system call, measured in turn with the call */
};

/**
 * Times batches of the call, of the same call through syscall(2), of getppid and of nothing, in
 * turn, ST_SYSCALL_BATCHES times each. The call does not enter the kernel if syscall(2) costs more
 * by at least half a system call (getppid - nothing), with the whole 95 % interval of the median
 * difference; it enters the kernel if the whole interval is below that. If there is no such system
 * call: the call does not enter the kernel if it costs less than half a system call, else that is
 * unknown. A call that blocks always enters the kernel.
 * @param about_ns rough cost of one call, which sets the size of a batch; <= 0: the largest size.
 * @param ret known is false if the call fails. @return who answers the call. */
enum st_call_path st_call_batches_measure(struct st_lab *lab, const struct st_call_method *method,
                                          double about_ns, struct st_call_batches *ret);

/** About how long st_call_batches_measure takes, in ns. @param about_ns rough cost of one call.
 * @param getppid_ns cost of getppid. */
int64_t st_call_batches_expected_ns(double about_ns, double getppid_ns);
