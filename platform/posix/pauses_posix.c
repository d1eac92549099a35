/* Stops of the whole process: SIGSTOP and its like leave no trace, but what ends them is SIGCONT. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "platform/posix/posix.h"

static _Atomic int64_t continued_ns = INT64_MIN;

static void on_continued(int number)
{
    (void)number;
    atomic_store_explicit(&continued_ns, st_posix_clock_ns(CLOCK_MONOTONIC), memory_order_relaxed);
}

/* A handler of somebody else's stays: then stops are not known. */
static void watch(void)
{
    struct sigaction action = {.sa_handler = on_continued, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGCONT, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        (void)sigaction(SIGCONT, &action, NULL);
}

void st_posix_pauses(struct st_platform *p, struct st_pauses *ret)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)p;
    (void)pthread_once(&once, watch);
    ret->quota_ns = INT64_MIN;
    ret->continued_ns = atomic_load_explicit(&continued_ns, memory_order_relaxed);
}
