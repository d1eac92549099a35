/* System calls and their kin whose cost `sleeptune-lab syscall` measures, one row each. The list of an OS is
 * st_lab.call_method (linux/lab_linux.c, freebsd/lab_freebsd.c, tests/fake/lab_fake.c). */
#pragma once

#include "lab/lab.h"

struct st_call;

/** One call as a program makes it. @return 0, or what the kernel said. */
typedef int (*st_call_fn)(struct st_call *c);

struct st_call_method {
    const char *name;    /* first (st_lab_find); stable: letters, digits, '-' and '_' */
    const char *summary; /* one line */
    int clock_id;        /* of those that read a clock */
    bool tells_time;     /* what the vDSO may do without the kernel */
    bool blocks;         /* gives the CPU away, which only the kernel can do */

    int (*open)(struct st_call *c); /* makes what the call needs; NULL: nothing. @return 0 or -errno */
    st_call_fn call;
    /** The same by syscall(2), which enters the kernel in any case: what `call` is compared with. NULL:
     * there is no such system call. */
    st_call_fn raw;
    void (*close)(struct st_call *c); /* NULL: nothing to undo */
};

/** One method in use, in one thread. */
struct st_call {
    const struct st_call_method *method;
    struct st_platform *platform;
    struct st_lab *lab;
    int fd;        /* -1: none */
    uint32_t word; /* the futex's */
};

/** The row that does nothing: what measuring by itself costs. First in the table of each platform. */
#define ST_CALL_EMPTY                                                                                        \
    {                                                                                                        \
        .name = "empty", .summary = "nothing: two clock reads in a row", .call = st_call_nothing             \
    }
int st_call_nothing(struct st_call *c);

/** Makes what it needs; does not call it, so that the first call is the caller's. @return 0,
 * or what the kernel said. Close with st_call_close. */
ST_NODISCARD int st_call_open(struct st_call *c, struct st_lab *lab, const struct st_call_method *method);
void st_call_close(struct st_call *c);

/* The cost of a call by many between two clock reads, and whether it enters the kernel. */

#define ST_SYSCALL_BATCHES 101

/** Where a call is answered, as measured. */
enum st_call_path {
    ST_PATH_UNKNOWN, /* the measurement does not show it, or there was none */
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
 * The call, the same by syscall(2), getppid and nothing are timed in turn, equally often,
 * ST_SYSCALL_BATCHES times. The call stays out of the kernel where syscall(2) costs more by at least half a
 * system call (getppid - nothing), with the whole 95 % interval of the median difference, and enters it where
 * the whole interval is below. Without a system call of that name: out of the kernel where it costs less than
 * half a system call itself, else unknown. One that blocks enters it by what it does.
 * @param about_ns what one call costs, for the size of a batch; <= 0: the largest. @param ret known: false
 * when the call fails. Some 20 ms. */
enum st_call_path st_call_batches_measure(struct st_lab *lab, const struct st_call_method *method,
                                          double about_ns, struct st_call_batches *ret);

/** About what measuring so takes. @param getppid_ns what that costs. */
int64_t st_call_batches_expected_ns(double about_ns, double getppid_ns);
