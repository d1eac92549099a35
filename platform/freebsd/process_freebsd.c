/* What threads and the process have used, and locked memory. */
#include <sys/types.h>

#include <sys/mman.h>
#include <sys/procctl.h>
#include <sys/resource.h>
#include <sys/sysctl.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/freebsd/freebsd.h"
#include "platform/posix/posix.h"
#include "platform/posix/run_child.h"

#define THREADS_MAX 4096 /* more of our own is a fault of ours */

int st_freebsd_counters_open(struct st_platform *p, struct st_counters_handle *ret)
{
    *ret = (struct st_counters_handle){
        .tid = st_freebsd_thread_id(p),
        .fd_schedstat = -1,
        .fd_stat = -1,
        .fd_status = -1,
    };
    return 0;
}

void st_freebsd_counters_close(struct st_platform *p, struct st_counters_handle *h)
{
    (void)p;
    (void)h;
}

static void add_rusage(const struct rusage *usage, struct st_thread_counters *counters)
{
    counters->switches_involuntary_n = (uint64_t)usage->ru_nivcsw;
    counters->faults_minor_n = (uint64_t)usage->ru_minflt;
    counters->faults_major_n = (uint64_t)usage->ru_majflt;
    counters->valid |= ST_COUNTER_SWITCHES | ST_COUNTER_FAULTS;
}

/* Time on the run queue is not counted by this kernel: ST_COUNTER_RUNQ_WAIT is never valid here. */
int st_freebsd_counters_self(struct st_platform *p, const struct st_counters_handle *h,
                             struct st_thread_counters *ret)
{
    (void)p;
    (void)h;
    struct st_thread_counters counters = {0};
    struct rusage usage;
    counters.cpu_ns = st_posix_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (counters.cpu_ns >= 0)
        counters.valid |= ST_COUNTER_CPU;
    if (getrusage(RUSAGE_THREAD, &usage) == 0)
        add_rusage(&usage, &counters);
    counters.cpu = sched_getcpu(); /* libc from 13.1 on */
    if (counters.cpu >= 0)
        counters.valid |= ST_COUNTER_CPU_NUMBER;
    *ret = counters;
    return 0;
}

/* One row for each thread of this process (or one for the process). Free *ret with free. @return how many. */
static int read_kinfo(int what, struct kinfo_proc **ret)
{
    int mib[4] = {CTL_KERN, KERN_PROC, what, getpid()};
    size_t room = 16 * sizeof(struct kinfo_proc);
    for (;;) {
        struct kinfo_proc *rows = malloc(room);
        if (rows == NULL)
            return -ENOMEM;
        size_t bytes = room;
        if (sysctl(mib, 4, rows, &bytes, NULL, 0) == 0) {
            if (bytes < sizeof(*rows) || rows[0].ki_structsize != (int)sizeof(*rows)) {
                free(rows);
                return -EBADMSG; /* a kernel with another layout */
            }
            *ret = rows;
            return (int)(bytes / sizeof(*rows));
        }
        const int error = errno;
        free(rows);
        if (error != ENOMEM || room >= THREADS_MAX * sizeof(*rows))
            return -error;
        room *= 2;
    }
}

int st_freebsd_counters_other(struct st_platform *p, const struct st_counters_handle *h,
                              struct st_thread_counters *ret)
{
    (void)p;
    struct kinfo_proc *rows;
    const int n = read_kinfo(KERN_PROC_PID | KERN_PROC_INC_THREAD, &rows);
    if (n < 0)
        return n;
    int r = -ESRCH;
    for (int i = 0; i < n && r != 0; i++) {
        if (rows[i].ki_tid != h->tid)
            continue;
        struct st_thread_counters counters = {.valid = ST_COUNTER_CPU};
        counters.cpu_ns = (int64_t)rows[i].ki_runtime * ST_NS_PER_US;
        add_rusage(&rows[i].ki_rusage, &counters);
        counters.cpu = rows[i].ki_oncpu >= 0 ? rows[i].ki_oncpu : rows[i].ki_lastcpu; /* NOCPU is -1 */
        if (counters.cpu >= 0)
            counters.valid |= ST_COUNTER_CPU_NUMBER;
        *ret = counters;
        r = 0;
    }
    free(rows);
    return r;
}

int st_freebsd_resident_bytes(struct st_platform *p, int64_t *ret)
{
    (void)p;
    struct kinfo_proc *row;
    const int n = read_kinfo(KERN_PROC_PID, &row);
    if (n < 0)
        return n;
    *ret = (int64_t)row->ki_rssize * getpagesize();
    free(row);
    return 0;
}

int st_freebsd_program_path(struct st_platform *p, char *buf, size_t buf_bytes)
{
    (void)p;
    const int mib[4] = {CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1}; /* -1: this process */
    size_t bytes = buf_bytes;
    if (sysctl(mib, 4, buf, &bytes, NULL, 0) != 0)
        return errno == ENOMEM ? -ENAMETOOLONG : -errno;
    return bytes > 0 && buf[bytes - 1] == '\0' ? 0 : -ENOENT;
}

int st_freebsd_lock_memory(struct st_platform *p, enum st_lock *ret)
{
    (void)p;
    /* with MCL_FUTURE a mapping beyond the limit fails (sys/vm/vm_mmap.c): malloc() would, some time after */
    struct rlimit limit;
    const bool limited = getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    if (mlockall(limited ? MCL_CURRENT : MCL_CURRENT | MCL_FUTURE) != 0)
        return errno == EAGAIN ? -ENOMEM : -errno; /* EAGAIN: beyond the limit of locked memory */
    if (ret != NULL)
        *ret = ST_LOCK_ALL;
    return 0;
}

/* --- a program that is about to be run, and what it leaves (posix/run_child.h) --- */

#define PIDS_MAX 64

void st_run_child_alone(void)
{
    int signal_number = SIGKILL;
    (void)procctl(P_PID, 0, PROC_PDEATHSIG_CTL, &signal_number);
#ifdef PROC_NO_NEW_PRIVS_CTL /* FreeBSD 14 */
    int on = PROC_NO_NEW_PRIVS_ENABLE;
    (void)procctl(P_PID, 0, PROC_NO_NEW_PRIVS_CTL, &on);
#endif
    closefrom(STDERR_FILENO + 1);
}

void st_run_child_reap_begin(void)
{
    (void)procctl(P_PID, 0, PROC_REAP_ACQUIRE, NULL);
}

void st_run_child_reap_end(void)
{
    (void)procctl(P_PID, 0, PROC_REAP_RELEASE, NULL);
}

/* Descendants that were there before the programs are in our own session. */
bool st_run_child_reap_rest(void)
{
    struct procctl_reaper_pidinfo pids[PIDS_MAX] = {{0}};
    struct procctl_reaper_pids list = {.rp_count = PIDS_MAX, .rp_pids = pids};
    const pid_t session = getsid(0);
    bool found = false;
    if (procctl(P_PID, 0, PROC_REAP_GETPIDS, &list) != 0)
        return false;
    for (size_t i = 0; i < PIDS_MAX && (pids[i].pi_flags & REAPER_PIDINFO_VALID) != 0; i++) {
        if (getsid(pids[i].pi_pid) == session)
            continue;
        (void)kill(pids[i].pi_pid, SIGKILL);
        (void)waitpid(pids[i].pi_pid, NULL, WNOHANG);
        found = true;
    }
    return found;
}
