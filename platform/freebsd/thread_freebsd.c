/* Policy, place and name of threads; the right to real-time priority.
 *
 * rtprio_thread(2) instead of sched_setscheduler(2): it names a thread (the other takes a process and changes
 * its first thread), and it asks for PRIV_SCHED_RTPRIO, which mac_priority(4) grants to the group "realtime";
 * the other asks for PRIV_SCHED_SET, which only root has. RTP_PRIO_FIFO is SCHED_FIFO, RTP_PRIO_REALTIME is
 * SCHED_RR. Sources: sys/kern/kern_resource.c, p1003_1b.c, ksched.c, sys/security/mac_priority.
 */
#include <sys/param.h>

#include <sys/cpuset.h>
#include <sys/resource.h>
#include <sys/rtprio.h>

#include <errno.h>
#include <pthread.h>
#include <pthread_np.h>
#include <string.h>

#include "platform/freebsd/freebsd.h"
#include "platform/freebsd/priority.h"
#include "platform/posix/posix.h"

_Static_assert(RTP_PRIO_MAX == ST_FREEBSD_PRIORITY_MAX, "priority range");

static int set_rtprio(lwpid_t tid, unsigned short type, int priority)
{
    struct rtprio rtp = {.type = type, .prio = 0};
    if (type != RTP_PRIO_NORMAL) {
        const int scaled = st_priority_to_freebsd(priority);
        if (scaled < 0)
            return scaled;
        rtp.prio = (unsigned short)st_priority_rtprio(scaled);
    }
    return rtprio_thread(RTP_SET, tid, &rtp) == 0 ? 0 : -errno;
}

int st_freebsd_set_policy(struct st_platform *p, enum st_policy policy, int priority)
{
    (void)p;
    switch (policy) {
    case ST_POLICY_OTHER:
        return set_rtprio(0, RTP_PRIO_NORMAL, 0);
    case ST_POLICY_FIFO:
        return set_rtprio(0, RTP_PRIO_FIFO, priority);
    case ST_POLICY_RR:
        return set_rtprio(0, RTP_PRIO_REALTIME, priority);
    }
    return -EINVAL;
}

int st_freebsd_get_policy(struct st_platform *p, enum st_policy *ret_policy, int *ret_priority)
{
    (void)p;
    struct rtprio rtp;
    if (rtprio_thread(RTP_LOOKUP, 0, &rtp) != 0)
        return -errno;
    if (rtp.type == RTP_PRIO_FIFO || rtp.type == RTP_PRIO_REALTIME) {
        *ret_policy = rtp.type == RTP_PRIO_FIFO ? ST_POLICY_FIFO : ST_POLICY_RR;
        *ret_priority = st_priority_rtprio(rtp.prio);
    } else {
        *ret_policy = ST_POLICY_OTHER;
        *ret_priority = 0;
    }
    return 0;
}

pid_t st_freebsd_thread_id(struct st_platform *p)
{
    (void)p;
    return pthread_getthreadid_np();
}

int st_freebsd_demote(struct st_platform *p, pid_t tid)
{
    (void)p;
    return set_rtprio(tid, RTP_PRIO_NORMAL, 0);
}

/* A CPU set of the largest kernel, and the sizes kernels take: 128 bytes from FreeBSD 14 on, 32 (256 CPUs)
 * before. The size of this build's cpuset_t is not asked, so that one program runs on both. */
struct cpus {
    unsigned long word[16];
};

#define WORD_BITS (8 * sizeof(unsigned long))

static const size_t set_bytes[] = {sizeof(struct cpus), 32};

int st_freebsd_pin(struct st_platform *p, int cpu)
{
    (void)p;
    struct cpus cpus = {{0}};
    if (cpu < 0 || (size_t)cpu >= ST_ARRAY_LEN(cpus.word) * WORD_BITS)
        return -EINVAL;
    cpus.word[(size_t)cpu / WORD_BITS] = 1ul << ((size_t)cpu % WORD_BITS);
    int error = ERANGE;
    for (size_t i = 0; i < ST_ARRAY_LEN(set_bytes) && error == ERANGE; i++) {
        if (cpuset_setaffinity(CPU_LEVEL_WHICH, CPU_WHICH_TID, -1, set_bytes[i], (void *)&cpus) == 0)
            return 0;
        error = errno;
    }
    return error == EDEADLK || error == ERANGE ? -EINVAL
                                               : -error; /* EDEADLK: none of these CPUs is in our set */
}

int st_freebsd_unpin(struct st_platform *p, pid_t tid)
{
    (void)p;
    struct cpus cpus;
    int error = ERANGE;
    for (size_t i = 0; i < ST_ARRAY_LEN(set_bytes) && error == ERANGE; i++) {
        memset(&cpus, 0, sizeof(cpus));
        if (cpuset_getaffinity(CPU_LEVEL_WHICH, CPU_WHICH_TID, -1, set_bytes[i], (void *)&cpus) == 0 &&
            cpuset_setaffinity(CPU_LEVEL_WHICH, CPU_WHICH_TID, tid, set_bytes[i], (void *)&cpus) == 0)
            return 0;
        error = errno;
    }
    return -error;
}

int st_freebsd_cpus_allowed(struct st_platform *p, int *cpus_out, int max)
{
    (void)p;
    struct cpus cpus = {{0}};
    int error = ERANGE;
    for (size_t i = 0; i < ST_ARRAY_LEN(set_bytes) && error == ERANGE; i++) {
        memset(&cpus, 0, sizeof(cpus));
        error = 0;
        if (cpuset_getaffinity(CPU_LEVEL_WHICH, CPU_WHICH_TID, -1, set_bytes[i], (void *)&cpus) != 0)
            error = errno;
    }
    if (error != 0)
        return -error;
    int n = 0;
    for (size_t cpu = 0; cpu < ST_ARRAY_LEN(cpus.word) * WORD_BITS; cpu++) {
        if ((cpus.word[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1) == 0)
            continue;
        if (n < max)
            cpus_out[n] = (int)cpu;
        n++;
    }
    return n;
}

int st_freebsd_set_name(struct st_platform *p, const char *name)
{
    (void)p;
    if (strlen(name) > 15) /* the seam's limit; MAXCOMLEN is 19 */
        return -ERANGE;
    pthread_set_name_np(pthread_self(), name);
    return 0;
}

int st_freebsd_set_rttime_limit_ns(struct st_platform *p, int64_t ns)
{
    (void)p;
    (void)ns;
    return -ENOTSUP; /* RLIMIT_CPU counts sleeping threads' work too and kills the process: not the same */
}

static int try_fifo(int priority)
{
    return -set_rtprio(0, RTP_PRIO_FIFO, priority);
}

int st_freebsd_rt_rights(struct st_platform *p, int priority, struct st_rt_rights *ret)
{
    (void)p;
    int fifo_errno;
    struct rlimit memlock;
    if (getrlimit(RLIMIT_MEMLOCK, &memlock) != 0)
        return -errno;
    const int r = st_posix_try_in_child(try_fifo, priority, &fifo_errno);
    if (r < 0)
        return r;
    *ret = (struct st_rt_rights){
        .fifo_errno = fifo_errno,
        .fifo_priority = priority,
        .rtprio_limit = INT64_MIN, /* no RLIMIT_RTPRIO */
        .memlock_limit_bytes = st_posix_limit_value(memlock.rlim_cur),
    };
    return 0;
}
