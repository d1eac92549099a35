/* Functions about this process: limits, a trial in a short-lived child, threads, stops. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/posix/posix.h"

/* Converts a limit of getrlimit(2). @return the limit; -1: unlimited. */
static int64_t limit_value(rlim_t value)
{
    if (value == RLIM_INFINITY)
        return -1;
    return (int64_t)ST_MIN((uintmax_t)value, (uintmax_t)INT64_MAX);
}

/* Tries SCHED_FIFO in a child that only makes system calls and ends at once.
 * @param ret_errno 0 or a positive errno value. @return 0, -EAGAIN, -ENOMEM (fork, pipe), -EIO (the
 * child died). */
static int try_fifo(struct st_platform *platform, int priority, int *ret_errno)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    const pid_t child = fork();
    if (child < 0) {
        const int r = -errno;
        close(ends[0]);
        close(ends[1]);
        return r;
    }
    if (child == 0) {
        const unsigned char result =
            (unsigned char)-platform->set_policy(platform, ST_POLICY_FIFO, priority);
        _exit(write(ends[1], &result, 1) != 1);
    }
    close(ends[1]);
    unsigned char result;
    ssize_t got;
    do {
        got = read(ends[0], &result, 1);
    } while (got < 0 && errno == EINTR);
    close(ends[0]);
    /* waitpid fails with ECHILD if this process ignores SIGCHLD; that does not matter, since the
     * result came through the pipe */
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    if (got != 1)
        return -EIO;
    *ret_errno = result;
    return 0;
}

int st_posix_rt_rights(struct st_platform *platform, int priority, struct st_rt_rights *ret)
{
    struct st_rt_rights rights = {.fifo_priority = priority, .rtprio_limit = INT64_MIN};
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return -errno;
    rights.memlock_limit_bytes = limit_value(limit.rlim_cur);
#ifdef RLIMIT_RTPRIO
    if (getrlimit(RLIMIT_RTPRIO, &limit) != 0)
        return -errno;
    rights.rtprio_limit = limit_value(limit.rlim_cur);
#endif
    const int r = try_fifo(platform, priority, &rights.fifo_errno);
    if (r == 0)
        *ret = rights;
    return r;
}

int st_posix_condition_init(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    int r = pthread_condattr_init(&attributes);
    if (r != 0)
        return -r;
    r = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (r == 0)
        r = pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
    return -r;
}

void st_posix_give_way(void)
{
#ifdef __linux__ /* by syscall(), since musl's functions for this always fail */
    const struct sched_param param = {.sched_priority = 0};
    if (syscall(SYS_sched_getscheduler, 0) == SCHED_OTHER)
        (void)syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &param);
#endif
}

int st_posix_thread_start(pthread_t *thread, size_t stack_bytes, void *(*run)(void *), void *ctx)
{
    pthread_attr_t attributes;
    int r = pthread_attr_init(&attributes);
    if (r != 0)
        return -r;
    (void)pthread_attr_setstacksize(&attributes, stack_bytes);
    r = pthread_create(thread, &attributes, run, ctx);
    pthread_attr_destroy(&attributes);
    return -r;
}

/* --- stops of the whole process: SIGSTOP leaves no trace, the SIGCONT that ends it does --- */

static _Atomic int64_t continued_ns = INT64_MIN;

static void on_continued(ST_UNUSED int number)
{
    atomic_store_explicit(&continued_ns, st_posix_clock_ns(CLOCK_MONOTONIC), memory_order_relaxed);
}

/* Installs the handler of SIGCONT, unless the program has another handler; stops of the process
 * then stay unknown. */
static void watch(void)
{
    struct sigaction action = {.sa_handler = on_continued, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGCONT, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        (void)sigaction(SIGCONT, &action, NULL);
}

void st_posix_pauses(ST_UNUSED struct st_platform *platform, struct st_pauses *ret)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch);
    ret->quota_ns = ret->smi_n = INT64_MIN;
    ret->continued_ns = atomic_load_explicit(&continued_ns, memory_order_relaxed);
}
