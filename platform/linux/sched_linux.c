/* Policy, place and name of threads; the right to real-time priority. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/linux/linux.h"
#include "platform/posix/posix.h"

#define CPUS_MAX 8192 /* NR_CPUS of the largest kernels */
#define SETS_N   (CPUS_MAX / CPU_SETSIZE)

static int policy_to_linux(enum st_policy policy)
{
    switch (policy) {
    case ST_POLICY_OTHER:
        return SCHED_OTHER;
    case ST_POLICY_FIFO:
        return SCHED_FIFO;
    case ST_POLICY_RR:
        return SCHED_RR;
    }
    return -1;
}

int st_linux_set_policy(struct st_platform *p, enum st_policy policy, int priority)
{
    (void)p;
    const struct sched_param param = {.sched_priority = policy == ST_POLICY_OTHER ? 0 : priority};
    return sched_setscheduler(0, policy_to_linux(policy), &param) == 0 ? 0 : -errno;
}

int st_linux_get_policy(struct st_platform *p, enum st_policy *ret_policy, int *ret_priority)
{
    (void)p;
    struct sched_param param;
    const int policy = sched_getscheduler(0);
    if (policy < 0 || sched_getparam(0, &param) != 0)
        return -errno;
    const int plain = policy & ~SCHED_RESET_ON_FORK;
    *ret_policy = plain == SCHED_FIFO ? ST_POLICY_FIFO : plain == SCHED_RR ? ST_POLICY_RR : ST_POLICY_OTHER;
    *ret_priority = param.sched_priority;
    return 0;
}

pid_t st_linux_thread_id(struct st_platform *p)
{
    (void)p;
    return gettid();
}

int st_linux_demote(struct st_platform *p, pid_t tid)
{
    (void)p;
    const struct sched_param param = {.sched_priority = 0};
    return sched_setscheduler(tid, SCHED_OTHER, &param) == 0 ? 0 : -errno;
}

int st_linux_pin(struct st_platform *p, int cpu)
{
    (void)p;
    if (cpu < 0 || cpu >= CPUS_MAX)
        return -EINVAL;
    cpu_set_t set[SETS_N];
    CPU_ZERO_S(sizeof(set), set);
    CPU_SET_S((size_t)cpu, sizeof(set), set);
    return sched_setaffinity(0, sizeof(set), set) == 0 ? 0 : -errno;
}

int st_linux_unpin(struct st_platform *p, pid_t tid)
{
    (void)p;
    cpu_set_t set[SETS_N];
    CPU_ZERO_S(sizeof(set), set);
    if (sched_getaffinity(0, sizeof(set), set) != 0)
        return -errno;
    return sched_setaffinity(tid, sizeof(set), set) == 0 ? 0 : -errno;
}

int st_linux_cpus_allowed(struct st_platform *p, int *cpus, int max)
{
    (void)p;
    cpu_set_t set[SETS_N];
    CPU_ZERO_S(sizeof(set), set);
    if (sched_getaffinity(0, sizeof(set), set) != 0)
        return -errno;
    int n = 0;
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        if (!CPU_ISSET_S((size_t)cpu, sizeof(set), set))
            continue;
        if (n < max)
            cpus[n] = cpu;
        n++;
    }
    return n;
}

int st_linux_set_name(struct st_platform *p, const char *name)
{
    (void)p;
    return -pthread_setname_np(pthread_self(), name);
}

int st_linux_set_rttime_limit_ns(struct st_platform *p, int64_t ns)
{
    (void)p;
    if (ns <= 0)
        return -EINVAL;
    struct rlimit limit;
    if (getrlimit(RLIMIT_RTTIME, &limit) != 0)
        return -errno;
    /* The kernel looks at the hard limit first (kernel/time/posix-cpu-timers.c, check_thread_timers), so
     * SIGXCPU only comes below it. RLIM_INFINITY is the largest rlim_t. */
    const rlim_t us = (rlim_t)(ns / ST_NS_PER_US) + (ns % ST_NS_PER_US != 0);
    if (limit.rlim_max > us)
        limit.rlim_max = us;
    if (limit.rlim_cur > limit.rlim_max / 2)
        limit.rlim_cur = limit.rlim_max / 2;
    return setrlimit(RLIMIT_RTTIME, &limit) == 0 ? 0 : -errno;
}

static int try_fifo(int priority)
{
    const struct sched_param param = {.sched_priority = priority};
    return sched_setscheduler(0, SCHED_FIFO, &param) == 0 ? 0 : errno;
}

int st_linux_rt_rights(struct st_platform *p, int priority, struct st_rt_rights *ret)
{
    (void)p;
    int fifo_errno;
    struct rlimit rtprio, memlock;
    if (getrlimit(RLIMIT_RTPRIO, &rtprio) != 0 || getrlimit(RLIMIT_MEMLOCK, &memlock) != 0)
        return -errno;
    const int r = st_posix_try_in_child(try_fifo, priority, &fifo_errno);
    if (r < 0)
        return r;
    *ret = (struct st_rt_rights){
        .fifo_errno = fifo_errno,
        .fifo_priority = priority,
        .rtprio_limit = st_posix_limit_value(rtprio.rlim_cur),
        .memlock_limit_bytes = st_posix_limit_value(memlock.rlim_cur),
    };
    return 0;
}
