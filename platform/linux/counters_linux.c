/* What a thread has used so far. By the thread itself from cheap system calls (some 2 us together); by
 * others from /proc, where the same kernel counters are printed. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/linux/linux.h"
#include "platform/posix/posix.h"
#include "platform/proc_text.h"

/* CPU-time clock of a thread by its id: the kernel's encoding of a clockid (CPUCLOCK_PERTHREAD |
 * CPUCLOCK_SCHED), include/linux/posix-timers.h. pthread_getcpuclockid() makes the same from a pthread_t,
 * which we do not have. */
static clockid_t thread_clock(pid_t tid)
{
    return (clockid_t)(((unsigned)~tid << 3) | 4u | 2u);
}

static int open_task_file(pid_t tid, const char *file)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)tid, file);
    return open(path, O_RDONLY | O_CLOEXEC);
}

int st_linux_counters_open(struct st_platform *p, struct st_counters_handle *ret)
{
    (void)p;
    const pid_t tid = gettid();
    *ret = (struct st_counters_handle){
        .tid = tid,
        .fd_schedstat = open_task_file(tid, "schedstat"),
        .fd_stat = open_task_file(tid, "stat"),
        .fd_status = open_task_file(tid, "status"),
    };
    return 0;
}

void st_linux_counters_close(struct st_platform *p, struct st_counters_handle *h)
{
    (void)p;
    int *const fds[] = {&h->fd_schedstat, &h->fd_stat, &h->fd_status};
    for (size_t i = 0; i < ST_ARRAY_LEN(fds); i++) {
        if (*fds[i] >= 0)
            close(*fds[i]);
        *fds[i] = -1;
    }
}

/* Text of an open /proc file from its start. @return false when it is not there or does not fit. */
static bool read_again(int fd, char *buf, size_t buf_bytes)
{
    if (fd < 0)
        return false;
    size_t have = 0;
    while (have < buf_bytes - 1) {
        const ssize_t got = pread(fd, buf + have, buf_bytes - 1 - have, (off_t)have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0 || buf_bytes < 1024) { /* a short file comes in one piece */
            have += (size_t)got;
            break;
        }
        have += (size_t)got;
    }
    buf[have] = '\0';
    return have > 0 && have < buf_bytes - 1;
}

/* A kernel that does not count (CONFIG_SCHEDSTATS off) prints zeros; a thread that runs has had some CPU
 * time. */
static void add_runq_wait(int fd, struct st_thread_counters *counters)
{
    char text[96]; /* three numbers of at most 20 digits */
    int64_t cpu_ns, wait_ns;
    if (!read_again(fd, text, sizeof(text)) || st_proc_schedstat(text, &cpu_ns, &wait_ns) != 0 || cpu_ns == 0)
        return;
    counters->runq_wait_ns = wait_ns;
    counters->valid |= ST_COUNTER_RUNQ_WAIT;
}

static void add_cpu(clockid_t clock, struct st_thread_counters *counters)
{
    const int64_t cpu_ns = st_posix_clock_ns(clock);
    if (cpu_ns >= 0) {
        counters->cpu_ns = cpu_ns;
        counters->valid |= ST_COUNTER_CPU;
    }
}

static void add_suspended(struct st_platform *p, struct st_thread_counters *counters)
{
    if (st_linux_suspended_ns(p, &counters->suspended_ns) == 0)
        counters->valid |= ST_COUNTER_SUSPENDED;
}

int st_linux_counters_self(struct st_platform *p, const struct st_counters_handle *h,
                           struct st_thread_counters *ret)
{
    struct st_thread_counters counters = {0};
    struct rusage usage;
    add_suspended(p, &counters);
    add_cpu(CLOCK_THREAD_CPUTIME_ID, &counters);
    add_runq_wait(h->fd_schedstat, &counters);
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        counters.switches_involuntary_n = (uint64_t)usage.ru_nivcsw;
        counters.faults_minor_n = (uint64_t)usage.ru_minflt;
        counters.faults_major_n = (uint64_t)usage.ru_majflt;
        counters.valid |= ST_COUNTER_SWITCHES | ST_COUNTER_FAULTS;
    }
    counters.cpu = sched_getcpu();
    if (counters.cpu >= 0)
        counters.valid |= ST_COUNTER_CPU_NUMBER;
    *ret = counters;
    return 0;
}

int st_linux_counters_other(struct st_platform *p, const struct st_counters_handle *h,
                            struct st_thread_counters *ret)
{
    struct st_thread_counters counters = {0};
    struct st_proc_stat stat;
    char text[16384]; /* status is the longest: its line of groups */
    add_cpu(thread_clock(h->tid), &counters);
    add_runq_wait(h->fd_schedstat, &counters);
    if (read_again(h->fd_stat, text, sizeof(text)) && st_proc_stat(text, &stat) == 0) {
        counters.faults_minor_n = stat.faults_minor_n;
        counters.faults_major_n = stat.faults_major_n;
        counters.cpu = stat.cpu;
        counters.valid |= ST_COUNTER_FAULTS | ST_COUNTER_CPU_NUMBER;
    }
    if (read_again(h->fd_status, text, sizeof(text)) &&
        st_proc_status_u64(text, "nonvoluntary_ctxt_switches", &counters.switches_involuntary_n) == 0)
        counters.valid |= ST_COUNTER_SWITCHES;
    if (counters.valid == 0)
        return -ESRCH;
    add_suspended(p, &counters);
    *ret = counters;
    return 0;
}
