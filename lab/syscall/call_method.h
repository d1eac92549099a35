/* System calls and their kin whose cost `sleeptune-lab syscall` measures, one row each. The list of an OS is
 * st_lab.call_method (linux/calls_linux.c, freebsd/calls_freebsd.c, fake/fake_call.c); what only the
 * other OS has is in it with the reason, not left out.
 */
#ifndef ST_LAB_SYSCALL_CALL_METHOD_H
#define ST_LAB_SYSCALL_CALL_METHOD_H

#include "lab/lab.h"

struct st_call;

/** One call as a program makes it. @return 0, or what the kernel said. */
typedef int (*st_call_fn)(struct st_call *c);

struct st_call_method {
    const char *name;    /* stable: letters, digits, '-' and '_' */
    const char *summary; /* one line */
    int clock_id;        /* of those that read a clock */
    bool tells_time;     /* what the vDSO may do without the kernel */
    bool blocks;         /* gives the CPU away, which only the kernel can do */
    const char *absent;  /* why this OS has none; then there are no functions */

    int (*open)(struct st_call *c); /* makes what the call needs; NULL: nothing. @return 0 or -errno */
    st_call_fn call;
    /** The same by syscall(2), which enters the kernel in any case: what `call` is told apart from. NULL:
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

/** A whole row: what only the other OS has. */
#define ST_CALL_ABSENT(method_name, why)                                                                     \
    {                                                                                                        \
        .name = (method_name), .absent = (why)                                                               \
    }

/** The call of that name. @return NULL: no such name on any OS. */
const struct st_call_method *st_call_find(struct st_lab *lab, const char *name);

/** Makes what it needs; does not call it, so that the first call is the caller's. @return 0, -ENOTSUP
 * (absent), or what the kernel said. Close with st_call_close. */
ST_NODISCARD int st_call_open(struct st_call *c, struct st_lab *lab, const struct st_call_method *method);
void st_call_close(struct st_call *c);

#endif
