/* Ways of waking of Linux, one row each; what only FreeBSD has at the end. */
#include "lab/linux/lab_linux.h"
#include "lab/linux/wake_linux.h"

static const struct st_wake_method methods[] = {
    ST_WAKE_SHARED_ROWS,
    {.name = "futex",
     .summary = "FUTEX_WAIT_BITSET; FUTEX_WAKE",
     .usual = true,
     .timed = true,
     .ops = &st_wake_futex},
    {.name = "eventfd", .summary = "read; write of a counter", .usual = true, .ops = &st_wake_eventfd},
    {.name = "epoll",
     .summary = "epoll_pwait2 on an eventfd, then read; write",
     .timed = true,
     .ops = &st_wake_epoll},
    ST_WAKE_ABSENT("kqueue-user", "only FreeBSD has it"),
    ST_WAKE_ABSENT("umtx", "only FreeBSD has it; see futex"),
};

const struct st_wake_method *st_linux_wake_method(struct st_lab *lab, size_t i)
{
    (void)lab;
    return i < ST_ARRAY_LEN(methods) ? &methods[i] : NULL;
}
