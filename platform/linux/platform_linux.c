/* The Linux row of struct st_platform, and its members about threads, the process and the
 * machine. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/posix/posix.h"
#include "platform/proc.h"
#include "platform/tree.h"

/* --- threads: policy, CPUs, name, the right to real-time priority, latency requests,
 * counters --- */

#define CPUS_MAX 8192 /* NR_CPUS of the largest kernels */
#define SETS_N   (CPUS_MAX / CPU_SETSIZE)

static const int policies[] = {
    [ST_POLICY_OTHER] = SCHED_OTHER, [ST_POLICY_FIFO] = SCHED_FIFO, [ST_POLICY_RR] = SCHED_RR};

static int linux_set_policy(ST_UNUSED struct st_platform *platform, enum st_policy policy,
                            int priority)
{
    const struct sched_param param = {.sched_priority = priority * (policy != ST_POLICY_OTHER)};
    /* by syscall(), since musl's functions for these system calls always fail */
    return st_posix_result(syscall(SYS_sched_setscheduler, 0, policies[policy], &param));
}

static int linux_get_policy(ST_UNUSED struct st_platform *platform, enum st_policy *ret_policy,
                            int *ret_priority)
{
    struct sched_param param;
    const int policy = (int)syscall(SYS_sched_getscheduler, 0);
    if (policy < 0 || syscall(SYS_sched_getparam, 0, &param) != 0)
        return -errno;
    *ret_policy = ST_POLICY_RR;
    while (*ret_policy > ST_POLICY_OTHER &&
           policies[*ret_policy] != (policy & ~SCHED_RESET_ON_FORK))
        (*ret_policy)--;
    *ret_priority = param.sched_priority;
    return 0;
}

static pid_t linux_thread_id(ST_UNUSED struct st_platform *platform)
{
    return gettid();
}

static int linux_demote(ST_UNUSED struct st_platform *platform, pid_t tid)
{
    const struct sched_param param = {.sched_priority = 0};
    return st_posix_result(syscall(SYS_sched_setscheduler, tid, SCHED_OTHER, &param));
}

static int linux_pin(ST_UNUSED struct st_platform *platform, int cpu)
{
    if (cpu < 0 || cpu >= CPUS_MAX)
        return -EINVAL;
    cpu_set_t set[SETS_N];
    CPU_ZERO_S(sizeof(set), set);
    CPU_SET_S((size_t)cpu, sizeof(set), set);
    return st_posix_result(sched_setaffinity(0, sizeof(set), set));
}

static int linux_unpin(ST_UNUSED struct st_platform *platform, pid_t tid)
{
    cpu_set_t set[SETS_N];
    CPU_ZERO_S(sizeof(set), set);
    if (sched_getaffinity(0, sizeof(set), set) != 0)
        return -errno;
    return st_posix_result(sched_setaffinity(tid, sizeof(set), set));
}

static int linux_cpus_allowed(ST_UNUSED struct st_platform *platform, int *cpus, int max)
{
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

static int linux_set_name(ST_UNUSED struct st_platform *platform, const char *name)
{
    return -pthread_setname_np(pthread_self(), name);
}

static int linux_set_rttime_limit_ns(ST_UNUSED struct st_platform *platform, int64_t ns)
{
    if (ns <= 0)
        return -EINVAL;
    struct rlimit limit;
    if (getrlimit(RLIMIT_RTTIME, &limit) != 0)
        return -errno;
    /* The kernel checks the hard limit first (kernel/time/posix-cpu-timers.c, check_thread_timers),
     * so SIGXCPU comes only if the soft limit is lower. RLIM_INFINITY is the largest rlim_t. */
    const rlim_t us = (rlim_t)(ns / ST_NS_PER_US) + (ns % ST_NS_PER_US != 0);
    if (limit.rlim_max > us)
        limit.rlim_max = us;
    if (limit.rlim_cur > limit.rlim_max / 2)
        limit.rlim_cur = limit.rlim_max / 2;
    return st_posix_result(setrlimit(RLIMIT_RTTIME, &limit));
}

/* Two reads of a clock at most this far apart (ns) need no further try: this is far below the
 * length of a suspend, and the tries must be few, since the slow path of the cycle loop calls this
 * too. */
#define TOGETHER_NS 100000

/* Computes the time suspended as CLOCK_BOOTTIME - CLOCK_MONOTONIC. The two clocks cannot be read at
 * once, so CLOCK_MONOTONIC is read before and after the other one. Of several tries the one with
 * the least time between these two reads is used, so that a thread that lost its CPU between the
 * reads does not report a suspend. */
static int linux_suspended_ns(ST_UNUSED struct st_platform *platform, int64_t *ret_ns)
{
    int64_t tightest_ns = INT64_MAX, suspended_ns = 0;
    for (int i = 0; i < 8 && tightest_ns > TOGETHER_NS; i++) {
        const int64_t before_ns = st_posix_clock_ns(CLOCK_MONOTONIC);
        const int64_t boot_ns = st_posix_clock_ns(CLOCK_BOOTTIME);
        const int64_t after_ns = st_posix_clock_ns(CLOCK_MONOTONIC);
        if (boot_ns < 0)
            return -ENOTSUP;
        if (after_ns - before_ns < tightest_ns) {
            tightest_ns = after_ns - before_ns;
            suspended_ns = boot_ns - before_ns;
        }
    }
    *ret_ns = suspended_ns;
    return 0;
}

static int linux_timer_slack_ns(ST_UNUSED struct st_platform *platform, int64_t *ret_ns)
{
    /* prctl() returns int; the kernel's answer is a long */
    const long slack_ns = syscall(SYS_prctl, PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (slack_ns < 0)
        return -errno;
    *ret_ns = slack_ns;
    return 0;
}

static int linux_set_timer_slack_ns(ST_UNUSED struct st_platform *platform, int64_t ns)
{
    if (ns < 1 || ns > INT64_C(0x7fffffff)) /* 0 means "back to the default" to the kernel */
        return -EINVAL;
    return st_posix_result(prctl(PR_SET_TIMERSLACK, (unsigned long)ns, 0, 0, 0));
}

/* Makes a request of PM QoS, which lasts as long as the device is open. Source: Linux
 * Documentation/power/pm_qos_interface.rst. */

static int linux_hold_latency(ST_UNUSED struct st_platform *platform, int32_t us)
{
    const int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    errno = EIO; /* error of a short write, which sets no errno */
    /* the kernel reads four bytes as a binary number */
    if (write(fd, &us, sizeof(us)) == (ssize_t)sizeof(us))
        return fd;
    const int error = errno;
    close(fd);
    return -error;
}

static void linux_release_latency(ST_UNUSED struct st_platform *platform, int handle)
{
    close(handle);
}

/* Counters of what a thread has used so far. The thread itself reads them by cheap system calls
 * (some 2 us together), other threads read the same counters from /proc. */

/* The CPU-time clock of a thread by its id, in the kernel's encoding of a clockid
 * (CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED, include/linux/posix-timers.h). pthread_getcpuclockid()
 * computes the same from a pthread_t, which is not available here. */
static clockid_t thread_clock(pid_t tid)
{
    return (clockid_t)(((unsigned)~tid << 3) | 4u | 2u);
}

static int open_task_file(pid_t tid, const char *file)
{
    return open(st_text("/proc/self/task/%d/%s", (int)tid, file), O_RDONLY | O_CLOEXEC);
}

static int linux_counters_open(ST_UNUSED struct st_platform *platform,
                               struct st_counters_handle *ret)
{
    const pid_t tid = gettid();
    *ret = (struct st_counters_handle){
        .tid = tid,
        .fd_schedstat = open_task_file(tid, "schedstat"),
        .fd_stat = open_task_file(tid, "stat"),
        .fd_status = open_task_file(tid, "status"),
    };
    return 0;
}

static void linux_counters_close(ST_UNUSED struct st_platform *platform,
                                 struct st_counters_handle *h)
{
    int *const fds[] = {&h->fd_schedstat, &h->fd_stat, &h->fd_status};
    ST_EACH (fd, fds) {
        if (**fd >= 0)
            close(**fd);
        **fd = -1;
    }
}

/* Reads an open /proc file from its start. @return false: the file has gone or does not fit. */
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
        have += (size_t)got;
        /* a small buffer is for a short file, which one read returns completely */
        if (got == 0 || buf_bytes < 1024)
            break;
    }
    buf[have] = '\0';
    return have > 0 && have < buf_bytes - 1;
}

/* Adds the time for which the thread waited for a CPU. Zeros mean that the kernel does not count
 * (CONFIG_SCHEDSTATS off), since a thread that runs has had some CPU time. */
static void add_runq_wait(int fd, struct st_thread_counters *counters)
{
    char text[96]; /* three numbers of at most 20 digits */
    int64_t cpu_ns, wait_ns;
    if (!read_again(fd, text, sizeof(text)) || st_proc_schedstat(text, &cpu_ns, &wait_ns) != 0 ||
        cpu_ns == 0)
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

static void add_suspended(struct st_platform *platform, struct st_thread_counters *counters)
{
    if (linux_suspended_ns(platform, &counters->suspended_ns) == 0)
        counters->valid |= ST_COUNTER_SUSPENDED;
}

static int linux_counters_self(struct st_platform *platform, const struct st_counters_handle *h,
                               struct st_thread_counters *ret)
{
    struct st_thread_counters counters = {0};
    struct rusage usage;
    add_suspended(platform, &counters);
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

static int linux_counters_other(struct st_platform *platform, const struct st_counters_handle *h,
                                struct st_thread_counters *ret)
{
    struct st_thread_counters counters = {0};
    struct st_proc_stat stat;
    char text[16384]; /* longest text: status, with its line of groups */
    add_cpu(thread_clock(h->tid), &counters);
    add_runq_wait(h->fd_schedstat, &counters);
    if (read_again(h->fd_stat, text, sizeof(text)) && st_proc_stat(text, &stat) == 0) {
        counters.faults_minor_n = stat.faults_minor_n;
        counters.faults_major_n = stat.faults_major_n;
        counters.cpu = stat.cpu;
        counters.valid |= ST_COUNTER_FAULTS | ST_COUNTER_CPU_NUMBER;
    }
    if (read_again(h->fd_status, text, sizeof(text)) &&
        st_proc_line_u64(text, "nonvoluntary_ctxt_switches:", &counters.switches_involuntary_n) ==
            0)
        counters.valid |= ST_COUNTER_SWITCHES;
    if (counters.valid == 0)
        return -ESRCH;
    add_suspended(platform, &counters);
    *ret = counters;
    return 0;
}

/* --- the process: locked memory --- */

/* Does RLIMIT_MEMLOCK limit this process? With MCL_FUTURE each mapping beyond it fails, so malloc()
 * would fail at some later time. Tested by a mapping, because the right to exceed the limit
 * (CAP_IPC_LOCK) counts only in the first user namespace. */
static bool later_mappings_would_fail(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return false;
    const size_t bytes = (size_t)limit.rlim_cur + (size_t)sysconf(_SC_PAGESIZE);
    void *beyond = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (beyond == MAP_FAILED)
        return errno == EAGAIN;
    munmap(beyond, bytes);
    return false;
}

static int linux_lock_memory(ST_UNUSED struct st_platform *platform, enum st_lock *ret)
{
    int r = mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
    if (r == 0 && later_mappings_would_fail())
        r = mlockall(MCL_CURRENT | MCL_ONFAULT);
    if (r != 0)
        return -errno;
    if (ret != NULL)
        *ret = ST_LOCK_ON_FAULT;
    return 0;
}

/* --- the running program --- */

static int linux_program_path(ST_UNUSED struct st_platform *machine, char *buf, size_t buf_bytes)
{
    const ssize_t len = readlink("/proc/self/exe", buf, buf_bytes);
    if (len < 0)
        return -errno;
    if ((size_t)len >= buf_bytes) /* cut, or without room for the final 0 */
        return -ENAMETOOLONG;
    buf[len] = '\0';
    return 0;
}

/* --- pauses of the process: CPU quota of its cgroups, system management interrupts --- */

#define CGROUP_ROOT "/sys/fs/cgroup"
#define LEVELS_MAX  8

/* Descriptors of cpu.stat of this process's cgroup and of the cgroups above it, where their CPU
 * controller is on. They are never closed: after a move to another cgroup, the process still reads
 * those of its first cgroup. */
static int stat_fds[LEVELS_MAX];
static size_t stat_fds_n;

/* @return the time (us) for which a quota held up the cgroup of this cpu.stat; -1: no quota is
 * counted. Source: Documentation/admin-guide/cgroup-v2.rst, cpu.stat. */
static int64_t throttled_us(int fd)
{
    char text[1024];
    uint64_t us;
    if (!read_again(fd, text, sizeof(text)) ||
        st_proc_line_u64(text, "throttled_usec ", &us) != 0 || us >= INT64_MAX / 1000)
        return -1;
    return (int64_t)us;
}

static void open_level(const char *path)
{
    const int fd = open(st_text(CGROUP_ROOT "%s/cpu.stat", path), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (throttled_us(fd) >= 0)
        stat_fds[stat_fds_n++] = fd;
    else
        close(fd);
}

/* Counter of system management interrupts of AMD processors, ls_smi_rx: event 0x2B, "SMIs received"
 * (tools/perf/pmu-events/arch/x86/amdzen1 and later). Intel's interrupts are counted by an MSR
 * (platform/readings.c). -1: none. Only root may count for a whole CPU; a service without that
 * right must not even try, since its unit may kill a process that makes this system call. */
static int smi_fd = -1;

static void open_smi_counter(struct st_platform *machine)
{
    struct perf_event_attr event = {.type = PERF_TYPE_RAW, .size = sizeof(event), .config = 0x2b};
    const char *vendor = st_proc_field(st_tree_text(machine, "/proc/cpuinfo"), "vendor_id");
    if (geteuid() == 0 && vendor != NULL && st_text_is(vendor, "AuthenticAMD"))
        smi_fd = (int)syscall(SYS_perf_event_open, &event, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

static void open_levels(void)
{
    struct st_platform *machine = st_platform_native();
    open_smi_counter(machine);
    const char *group = st_proc_line_text(st_tree_text(machine, "/proc/self/cgroup"), "0::");
    char *path = st_text("%s", st_text_or(group, ""));
    for (char *slash = path; slash != NULL && path[0] != '\0' && stat_fds_n < LEVELS_MAX;) {
        open_level(path);
        slash = strrchr(path, '/');
        if (slash != NULL)
            *slash = '\0';
    }
}

static void linux_pauses(struct st_platform *platform, struct st_pauses *ret)
{
    uint64_t smi_n;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_levels);
    st_posix_pauses(platform, ret);
    if (smi_fd >= 0 && read(smi_fd, &smi_n, sizeof(smi_n)) == (ssize_t)sizeof(smi_n))
        ret->smi_n = (int64_t)smi_n;
    ST_EACH_OF (fd, stat_fds, stat_fds_n) {
        const int64_t us = throttled_us(*fd);
        if (us >= 0)
            ret->quota_ns = ST_MAX(ret->quota_ns, 0) + us * 1000;
    }
}

/* --- preparing a child process, and killing what it leaves behind (posix/posix.h) --- */

#define FDS_MAX      1024 /* for Linux before 5.9, which cannot close all descriptors at once */
#define STATUS_BYTES 1024 /* beginning of /proc/PID/status, which has the parent */

void st_posix_child_alone(bool dies, bool other_user)
{
    if (dies)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* after setuid, which clears this setting */
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    /* leave the session keyring only as another user: else the system call filter of
     * sleeptuned.service would end the program */
    if (other_user)
        (void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0) == 0)
        return;
#endif
    for (int fd = STDERR_FILENO + 1; fd < FDS_MAX; fd++)
        (void)close(fd);
}

void st_posix_reap_begin(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/** The parent of a process. @return 0: not known, or the process has gone. */
static pid_t parent_of(const char *name)
{
    char text[STATUS_BYTES];
    uint64_t parent = 0;
    const char *path = st_text("/proc/%.20s/status", name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t len = read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    text[ST_MAX(len, 0)] = '\0';
    (void)st_proc_line_u64(text, "PPid:", &parent);
    return (pid_t)parent;
}

/** Does the process descend from a program that was started here? Such programs have no right to
 * message queues (become_harmless) and cannot regain it. Other processes become children of this
 * one as well: sound libraries start servers for all programs of the user (PulseAudio by autospawn,
 * the server of ALSA's dmix), and a shell that was replaced by this process may have had
 * children. */
static bool is_rest(pid_t pid)
{
    struct rlimit queues;
    return prlimit(pid, RLIMIT_MSGQUEUE, NULL, &queues) != 0 || queues.rlim_max == 0;
}

/* Kills processes that started programs left behind. They are found by their session: started
 * programs have separate sessions and cannot join this one again. */
bool st_posix_reap_rest(void)
{
    const pid_t own = getpid(), session = getsid(0);
    siginfo_t info;
    bool found = false;
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return false; /* no child at all: the usual case */
    DIR *proc = opendir("/proc");
    if (proc == NULL)
        return false;
    for (const struct dirent *entry = readdir(proc); entry != NULL; entry = readdir(proc)) {
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || parent_of(entry->d_name) != own || getsid(pid) == session ||
            st_posix_start_is_ours(pid))
            continue;
        const bool rest = is_rest(pid);
        if (rest)
            /* the killed process's children become ours and are found next */
            (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, WNOHANG);
        found = found || rest;
    }
    closedir(proc);
    return found;
}

/* --- the machine --- */

/* Reports the current limit on wake-up latency. The read is binary; opening the file registers a
 * request with the default, which asks for nothing. Source:
 * Documentation/power/pm_qos_interface.rst. */
static void say_cpu_dma_latency(st_condition_fn fn, void *ctx)
{
    const int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    int32_t us;
    if (read(fd, &us, sizeof(us)) == (ssize_t)sizeof(us))
        fn(ctx, "cpu_dma_latency_us", st_text("%d", us));
    close(fd);
}

static void linux_conditions(struct st_platform *machine, int cpu, st_condition_fn fn, void *ctx)
{
    st_tree_conditions(machine, cpu, fn, ctx);
    say_cpu_dma_latency(fn, ctx);
    int64_t slack_ns = 0;
    if (linux_timer_slack_ns(machine, &slack_ns) == 0)
        fn(ctx, "timer_slack_ns", st_text("%jd", slack_ns));
}

static int sleep_until_precise_ns(ST_UNUSED struct st_platform *platform,
                                  ST_UNUSED int64_t due_ns) ST_NONBLOCKING
{
    return -ENOTSUP; /* timer slack does not apply to SCHED_FIFO: the plain sleep is exact */
}

struct st_platform *st_platform_native(void)
{
    static struct st_platform linux_row = {
        ST_POSIX_MEMBERS,
        .sleep_until_precise_ns = sleep_until_precise_ns,
        .suspended_ns = linux_suspended_ns,
        .set_policy = linux_set_policy,
        .get_policy = linux_get_policy,
        .thread_id = linux_thread_id,
        .demote = linux_demote,
        .pin = linux_pin,
        .unpin = linux_unpin,
        .cpus_allowed = linux_cpus_allowed,
        .set_name = linux_set_name,
        .timer_slack_ns = linux_timer_slack_ns,
        .set_timer_slack_ns = linux_set_timer_slack_ns,
        .hold_latency = linux_hold_latency,
        .release_latency = linux_release_latency,
        .counters_open = linux_counters_open,
        .counters_self = linux_counters_self,
        .counters_other = linux_counters_other,
        .counters_close = linux_counters_close,
        .pauses = linux_pauses,
        .lock_memory = linux_lock_memory,
        .set_rttime_limit_ns = linux_set_rttime_limit_ns,
        .os = ST_OS_LINUX,
        .program_path = linux_program_path,
        .conditions = linux_conditions,
        .read_sysctl = st_tree_read_sysctl_linux,
        .write_sysctl = st_tree_write_sysctl_linux,
    };
    return &linux_row;
}
