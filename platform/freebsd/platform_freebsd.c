/* The FreeBSD row of struct st_platform, and its members about threads, the process and the
 * machine. */
#include <sys/param.h>

#include <sys/cpuset.h>
#include <sys/mman.h>
#include <sys/procctl.h>
#include <sys/resource.h>
#include <sys/rtprio.h>
#include <sys/sysctl.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <pthread.h>
#include <pthread_np.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/freebsd/freebsd.h"
#include "platform/freebsd/priority.h"
#include "platform/posix/posix.h"
#include "platform/tree.h"

/* --- threads: policy, CPUs, name, the right to real-time priority ---
 *
 * Priorities are set by rtprio_thread(2), which changes one thread and needs PRIV_SCHED_RTPRIO,
 * which mac_priority(4) grants to the group "realtime". sched_setscheduler(2) would take a process,
 * change its first thread, and need PRIV_SCHED_SET, which only root has. RTP_PRIO_FIFO is
 * SCHED_FIFO, RTP_PRIO_REALTIME is SCHED_RR. Sources: sys/kern/kern_resource.c, p1003_1b.c,
 * ksched.c, sys/security/mac_priority. */

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
    return st_posix_result(rtprio_thread(RTP_SET, tid, &rtp));
}

static const unsigned short policies[] = {[ST_POLICY_OTHER] = RTP_PRIO_NORMAL,
                                          [ST_POLICY_FIFO] = RTP_PRIO_FIFO,
                                          [ST_POLICY_RR] = RTP_PRIO_REALTIME};

static int freebsd_set_policy(ST_UNUSED struct st_platform *platform, enum st_policy policy,
                              int priority)
{
    return set_rtprio(0, policies[policy], priority);
}

static int freebsd_get_policy(ST_UNUSED struct st_platform *platform, enum st_policy *ret_policy,
                              int *ret_priority)
{
    struct rtprio rtp;
    if (rtprio_thread(RTP_LOOKUP, 0, &rtp) != 0)
        return -errno;
    *ret_policy = ST_POLICY_RR;
    while (*ret_policy > ST_POLICY_OTHER && policies[*ret_policy] != rtp.type)
        (*ret_policy)--;
    *ret_priority = 0;
    if (*ret_policy != ST_POLICY_OTHER)
        *ret_priority = st_priority_rtprio(rtp.prio);
    return 0;
}

static pid_t freebsd_thread_id(ST_UNUSED struct st_platform *platform)
{
    return pthread_getthreadid_np();
}

static int freebsd_demote(ST_UNUSED struct st_platform *platform, pid_t tid)
{
    return set_rtprio(tid, RTP_PRIO_NORMAL, 0);
}

/* A CPU set with room for the largest kernel. Kernels take sets of 128 bytes from FreeBSD 14 on, of
 * 32 bytes (256 CPUs) before. The size of this build's cpuset_t is not used, so that one build runs
 * on both kernels. */
struct cpus {
    unsigned long word[16];
};

#define WORD_BITS (8 * sizeof(unsigned long))

/* Reads the CPUs that the calling thread may use. @return the size of a CPU set for this kernel, in
 * bytes; 0: failed, see errno. */
static size_t own_cpus(struct cpus *ret)
{
    static const size_t sizes[] = {sizeof(*ret), 32};
    ST_EACH (size, sizes) {
        memset(ret, 0, sizeof(*ret));
        if (cpuset_getaffinity(CPU_LEVEL_WHICH, CPU_WHICH_TID, -1, *size, (void *)ret) == 0)
            return *size;
        if (errno != ERANGE)
            break;
    }
    return 0;
}

static int freebsd_pin(ST_UNUSED struct st_platform *platform, int cpu)
{
    struct cpus cpus;
    const size_t bytes = own_cpus(&cpus);
    if (bytes == 0)
        return -errno;
    if (cpu < 0 || (size_t)cpu >= 8 * bytes)
        return -EINVAL;
    memset(&cpus, 0, sizeof(cpus));
    cpus.word[(size_t)cpu / WORD_BITS] = 1ul << ((size_t)cpu % WORD_BITS);
    if (cpuset_setaffinity(CPU_LEVEL_WHICH, CPU_WHICH_TID, -1, bytes, (void *)&cpus) == 0)
        return 0;
    return errno == EDEADLK ? -EINVAL : -errno; /* none of these CPUs is allowed for this process */
}

static int freebsd_unpin(ST_UNUSED struct st_platform *platform, pid_t tid)
{
    struct cpus cpus;
    const size_t bytes = own_cpus(&cpus);
    if (bytes == 0)
        return -errno;
    return st_posix_result(
        cpuset_setaffinity(CPU_LEVEL_WHICH, CPU_WHICH_TID, tid, bytes, (void *)&cpus));
}

static int freebsd_cpus_allowed(ST_UNUSED struct st_platform *platform, int *cpus_out, int max)
{
    struct cpus cpus;
    int n = 0;
    if (own_cpus(&cpus) == 0)
        return -errno;
    for (size_t cpu = 0; cpu < ST_ARRAY_LEN(cpus.word) * WORD_BITS; cpu++) {
        if ((cpus.word[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1) == 0)
            continue;
        if (n < max)
            cpus_out[n] = (int)cpu;
        n++;
    }
    return n;
}

static int freebsd_set_name(ST_UNUSED struct st_platform *platform, const char *name)
{
    if (strlen(name) > 15) /* limit of struct st_platform's set_name; MAXCOMLEN is 19 */
        return -ERANGE;
    pthread_set_name_np(pthread_self(), name);
    return 0;
}

/* --- what threads have used; locked memory, the program --- */

#define THREADS_MAX 32768

static int freebsd_counters_open(struct st_platform *platform, struct st_counters_handle *ret)
{
    *ret = (struct st_counters_handle){
        .tid = freebsd_thread_id(platform),
        .fd_schedstat = -1,
        .fd_stat = -1,
        .fd_status = -1,
    };
    return 0;
}

static void freebsd_counters_close(ST_UNUSED struct st_platform *platform,
                                   ST_UNUSED struct st_counters_handle *h)
{
}

/* No clock counts a suspend. But resuming sets the wall clock from the real-time clock
 * (sys/dev/acpica/acpi.c: acpi_resync_clock(), inittodr()), and CLOCK_MONOTONIC does not move
 * along: the gap between them grows by the time suspended. The gap also changes when someone sets
 * the clock, so measure/cause.c uses it only for a quarter of a second in which a thread was
 * late. */
static void add_suspended(struct st_thread_counters *counters)
{
    const int64_t wall_ns = st_posix_clock_ns(CLOCK_REALTIME),
                  now_ns = st_posix_clock_ns(CLOCK_MONOTONIC);
    if (wall_ns < 0 || now_ns < 0)
        return;
    counters->suspended_ns = wall_ns - now_ns;
    counters->valid |= ST_COUNTER_SUSPENDED;
}

static void add_rusage(const struct rusage *usage, struct st_thread_counters *counters)
{
    counters->switches_involuntary_n = (uint64_t)usage->ru_nivcsw;
    counters->faults_minor_n = (uint64_t)usage->ru_minflt;
    counters->faults_major_n = (uint64_t)usage->ru_majflt;
    counters->valid |= ST_COUNTER_SWITCHES | ST_COUNTER_FAULTS;
}

/* Time on the run queue is not counted by this kernel: ST_COUNTER_RUNQ_WAIT is never valid here. */
static int freebsd_counters_self(ST_UNUSED struct st_platform *platform,
                                 ST_UNUSED const struct st_counters_handle *h,
                                 struct st_thread_counters *ret)
{
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
    add_suspended(&counters);
    *ret = counters;
    return 0;
}

/* Reads a row for each thread. Free *ret with free(). @return the number of rows, or a negative
 * errno. */
static int read_threads(const int *mib, unsigned mib_n, struct kinfo_proc **ret)
{
    size_t room = (mib_n == 3 ? 512 : 16) * sizeof(struct kinfo_proc);
    for (;;) {
        struct kinfo_proc *rows = malloc(room);
        if (rows == NULL)
            return -ENOMEM;
        size_t bytes = room;
        if (sysctl(mib, mib_n, rows, &bytes, NULL, 0) == 0) {
            if (bytes < sizeof(*rows) || rows[0].ki_structsize != (int)sizeof(*rows)) {
                free(rows);
                return -EBADMSG; /* this kernel has another layout of the struct */
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

static int cpu_of(const struct kinfo_proc *row)
{
    return row->ki_oncpu >= 0 ? row->ki_oncpu : row->ki_lastcpu; /* NOCPU is -1 */
}

static int freebsd_counters_other(ST_UNUSED struct st_platform *platform,
                                  const struct st_counters_handle *h,
                                  struct st_thread_counters *ret)
{
    const int own[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID | KERN_PROC_INC_THREAD, getpid()};
    struct kinfo_proc *rows;
    const int n = read_threads(own, ST_ARRAY_LEN(own), &rows);
    if (n < 0)
        return n;
    int r = -ESRCH;
    for (int i = 0; i < n && r != 0; i++) {
        if (rows[i].ki_tid != h->tid)
            continue;
        struct st_thread_counters counters = {.valid = ST_COUNTER_CPU};
        counters.cpu_ns = (int64_t)rows[i].ki_runtime * ST_NS_PER_US;
        add_rusage(&rows[i].ki_rusage, &counters);
        counters.cpu = cpu_of(&rows[i]);
        if (counters.cpu >= 0)
            counters.valid |= ST_COUNTER_CPU_NUMBER;
        add_suspended(&counters);
        *ret = counters;
        r = 0;
    }
    free(rows);
    return r;
}

/* Reads when the process was continued, and the CPU times of threads that take the CPU before the
 * loop: interrupt threads, those of the kernel's process "intr" (sys/sys/priority.h), and other
 * programs' real-time threads of at least the loop's priority, the lowest of this process's
 * real-time threads. A jail and security.bsd.see_other_uids=0 hide threads. */
static void freebsd_pauses(struct st_platform *platform, struct st_pauses *ret)
{
    static const int all[] = {CTL_KERN, KERN_PROC, KERN_PROC_ALL};
    struct kinfo_proc *rows;
    int loop_level = 0;
    struct timespec now;
    st_posix_pauses(platform, ret);
    ret->interrupts_n = 0;
    const int n = read_threads(all, ST_ARRAY_LEN(all), &rows);
    ret->at_ns = st_posix_now_ns(NULL);
    (void)clock_gettime(CLOCK_REALTIME, &now); /* the clock of ki_start */
    for (int i = 0; i < n; i++) {
        if (rows[i].ki_pid == getpid() && PRI_BASE(rows[i].ki_pri.pri_class) == PRI_REALTIME &&
            rows[i].ki_pri.pri_level > loop_level)
            loop_level = rows[i].ki_pri.pri_level;
    }
    for (int i = 0; i < n && ret->interrupts_n < ST_INTERRUPTS_MAX; i++) {
        const bool is_interrupt = rows[i].ki_ppid == 0 && strcmp(rows[i].ki_comm, "intr") == 0;
        if (!is_interrupt &&
            (PRI_BASE(rows[i].ki_pri.pri_class) != PRI_REALTIME || rows[i].ki_pid == getpid() ||
             (loop_level > 0 && rows[i].ki_pri.pri_level > loop_level)))
            continue;
        struct st_interrupt *interrupt = &ret->interrupts[ret->interrupts_n++];
        interrupt->tid = rows[i].ki_tid;
        interrupt->is_program = !is_interrupt;
        ST_PRINT(interrupt->name, "%s", rows[i].ki_comm);
        interrupt->run_ns = (int64_t)rows[i].ki_runtime * ST_NS_PER_US;
        interrupt->began_ns = ret->at_ns - (now.tv_sec - rows[i].ki_start.tv_sec) * ST_NS_PER_S -
                              now.tv_nsec + rows[i].ki_start.tv_usec * ST_NS_PER_US;
        if (is_interrupt) {
            ST_PRINT(interrupt->name, "%s%s", rows[i].ki_tdname, rows[i].ki_moretdname);
            interrupt->began_ns = INT64_MIN;
        }
        interrupt->cpu = cpu_of(&rows[i]);
    }
    if (n >= 0)
        free(rows);
}

static int freebsd_program_path(ST_UNUSED struct st_platform *machine, char *buf, size_t buf_bytes)
{
    const int mib[4] = {CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1}; /* -1: this process */
    size_t bytes = buf_bytes;
    if (sysctl(mib, 4, buf, &bytes, NULL, 0) != 0)
        return errno == ENOMEM ? -ENAMETOOLONG : -errno;
    return bytes > 0 && buf[bytes - 1] == '\0' ? 0 : -ENOENT;
}

static int freebsd_lock_memory(ST_UNUSED struct st_platform *platform, enum st_lock *ret)
{
    /* with MCL_FUTURE, a mapping beyond the limit fails (sys/vm/vm_mmap.c), so malloc() would fail
     * at some later time */
    struct rlimit limit;
    const bool limited = getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    if (mlockall(limited ? MCL_CURRENT : MCL_CURRENT | MCL_FUTURE) != 0)
        return errno == EAGAIN ? -ENOMEM : -errno; /* EAGAIN: beyond the limit of locked memory */
    if (ret != NULL)
        *ret = ST_LOCK_ALL;
    return 0;
}

/* --- preparing a child process, and killing what it leaves behind (posix/posix.h) --- */

#define PIDS_MAX 64

void st_posix_child_alone(bool dies, ST_UNUSED bool other_user)
{
    int signal_number = SIGKILL;
    if (dies)
        (void)procctl(P_PID, 0, PROC_PDEATHSIG_CTL, &signal_number);
#ifdef PROC_NO_NEW_PRIVS_CTL /* FreeBSD 14 */
    int on = PROC_NO_NEW_PRIVS_ENABLE;
    (void)procctl(P_PID, 0, PROC_NO_NEW_PRIVS_CTL, &on);
#endif
    closefrom(STDERR_FILENO + 1);
}

void st_posix_reap_begin(void)
{
    (void)procctl(P_PID, 0, PROC_REAP_ACQUIRE, NULL);
}

/** Does the process descend from a program that was started here? Such programs have no right to
 * write core files (become_harmless) and cannot regain it. Other processes become descendants of
 * this one as well: PulseAudio, if its library started it for all programs of the user. */
static bool is_rest(pid_t pid)
{
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_RLIMIT, (int)pid, RLIMIT_CORE};
    struct rlimit core;
    size_t bytes = sizeof(core);
    return sysctl(name, 5, &core, &bytes, NULL, 0) != 0 || core.rlim_max == 0;
}

/* Kills processes that ended programs left behind. Children of a program that still runs are not
 * touched. */
bool st_posix_reap_rest(void)
{
    struct procctl_reaper_pidinfo pids[PIDS_MAX] = {{0}};
    struct procctl_reaper_pids list = {.rp_count = PIDS_MAX, .rp_pids = pids};
    const pid_t session = getsid(0);
    bool found = false;
    if (procctl(P_PID, 0, PROC_REAP_GETPIDS, &list) != 0)
        return false;
    for (size_t i = 0; i < PIDS_MAX && (pids[i].pi_flags & REAPER_PIDINFO_VALID) != 0; i++) {
        if ((pids[i].pi_flags & REAPER_PIDINFO_CHILD) == 0 || getsid(pids[i].pi_pid) == session ||
            st_posix_start_is_ours(pids[i].pi_pid))
            continue;
        const bool rest = is_rest(pids[i].pi_pid);
        if (rest)
            (void)kill(pids[i].pi_pid, SIGKILL);
        (void)waitpid(pids[i].pi_pid, NULL, WNOHANG);
        found = found || rest;
    }
    return found;
}

/* --- the machine --- */

/* Functions of struct st_platform that FreeBSD cannot offer. Suspend: CLOCK_BOOTTIME is another
 * name of CLOCK_UPTIME, so no clock counts the time suspended. Timer slack: alloweddeviation
 * belongs to the machine, not to a thread. RLIMIT_RTTIME: RLIMIT_CPU also counts the CPU time of
 * threads that sleep in between, and kills the process. */
static int no_ns(ST_UNUSED struct st_platform *platform, ST_UNUSED int64_t *ret_ns)
{
    return -ENOTSUP;
}

static int no_set_ns(ST_UNUSED struct st_platform *platform, ST_UNUSED int64_t ns)
{
    return -ENOTSUP;
}

static int no_hold_latency(ST_UNUSED struct st_platform *platform, ST_UNUSED int32_t us)
{
    return -ENOTSUP;
}

static void no_release_latency(ST_UNUSED struct st_platform *platform, ST_UNUSED int handle) {}

struct st_platform *st_platform_native(void)
{
    static struct st_platform freebsd_row = {
        ST_POSIX_MEMBERS,
        .sleep_until_precise_ns = st_freebsd_sleep_until_precise_ns,
        .suspended_ns = no_ns,
        .set_policy = freebsd_set_policy,
        .get_policy = freebsd_get_policy,
        .thread_id = freebsd_thread_id,
        .demote = freebsd_demote,
        .pin = freebsd_pin,
        .unpin = freebsd_unpin,
        .cpus_allowed = freebsd_cpus_allowed,
        .set_name = freebsd_set_name,
        .timer_slack_ns = no_ns,
        .set_timer_slack_ns = no_set_ns,
        .hold_latency = no_hold_latency,
        .release_latency = no_release_latency,
        .counters_open = freebsd_counters_open,
        .counters_self = freebsd_counters_self,
        .counters_other = freebsd_counters_other,
        .counters_close = freebsd_counters_close,
        .pauses = freebsd_pauses,
        .lock_memory = freebsd_lock_memory,
        .set_rttime_limit_ns = no_set_ns,
        .os = ST_OS_FREEBSD,
        .program_path = freebsd_program_path,
        .conditions = st_tree_conditions,
        .read_sysctl = st_freebsd_read_sysctl,
        .write_sysctl = st_freebsd_write_sysctl,
    };
    return &freebsd_row;
}
