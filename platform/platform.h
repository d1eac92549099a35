/* struct st_platform: the functions that differ between operating systems, or that a test replaces.
 *
 * A struct of function pointers, with one row for each back end (linux, freebsd, fake, and a view
 * of another root folder). Nothing above this folder has an OS #ifdef. Conventions: 0 or a negative
 * errno value; -ENOTSUP where this OS has no such thing (the caller says "not applicable", never
 * "fine"); output parameters are written on success only; times are ns. All functions may be called
 * from any thread unless said otherwise; "self" means the calling thread. */
#pragma once

#include <sys/types.h>

#include "core/base.h"

struct st_platform;

/* --- rights and resource use of this process and its threads --- */

enum st_policy { ST_POLICY_OTHER, ST_POLICY_FIFO, ST_POLICY_RR };

/** "other", "fifo", "rr". */
const char *st_platform_policy_name(enum st_policy policy);

/** What a thread has used since its start. A member is valid only if its bit is in `valid`. */
struct st_thread_counters {
    unsigned valid; /* ST_COUNTER_* */
    int64_t cpu_ns;
    int64_t runq_wait_ns; /* runnable, but waiting for a CPU */
    uint64_t switches_involuntary_n;
    uint64_t faults_minor_n;
    uint64_t faults_major_n;
    int cpu;              /* CPU on which the thread runs or last ran */
    int64_t suspended_ns; /* suspended_ns() of the machine, read at the same moment */
};

#define ST_COUNTER_CPU        0x01u
#define ST_COUNTER_RUNQ_WAIT  0x02u
#define ST_COUNTER_SWITCHES   0x04u
#define ST_COUNTER_FAULTS     0x08u
#define ST_COUNTER_CPU_NUMBER 0x10u
#define ST_COUNTER_SUSPENDED  0x20u

/** Handle on one thread's counters; opened by that thread, readable by any thread. */
struct st_counters_handle {
    pid_t tid;
    int fd_schedstat; /* /proc/self/task/TID/schedstat; -1: not open */
    int fd_stat;      /* /proc/self/task/TID/stat; -1: not open */
    int fd_status;    /* /proc/self/task/TID/status; -1: not open */
};

#define ST_INTERRUPTS_MAX 64

/** A thread that gets a CPU before the cycle loop does: an interrupt thread, or another program's
 * real-time thread. */
struct st_interrupt {
    pid_t tid;
    bool is_program;
    char name[20];    /* "irq22: hdac0"; the name of a program */
    int64_t run_ns;   /* CPU time since boot */
    int64_t began_ns; /* CLOCK_MONOTONIC when the program began; INT64_MIN: an interrupt */
    int cpu;          /* CPU on which the thread last ran */
};

/** What kept the whole process from running, as far as the OS reports it. */
struct st_pauses {
    int64_t quota_ns;     /* total time for which this process's cgroups were throttled (cpu.max);
                             INT64_MIN: no quota is counted */
    int64_t continued_ns; /* CLOCK_MONOTONIC of the latest SIGCONT; INT64_MIN: none so far */
    int64_t smi_n;        /* system management interrupts, where Linux counts them with perf (AMD);
                             INT64_MIN: not known */
    int64_t at_ns;        /* CLOCK_MONOTONIC of the next two members, which FreeBSD fills */
    size_t interrupts_n;  /* 0: not known */
    struct st_interrupt interrupts[ST_INTERRUPTS_MAX];
};

/** What lock_memory achieved. */
enum st_lock { ST_LOCK_NONE, ST_LOCK_ALL, ST_LOCK_ON_FAULT };

/** What this process may do, by its limits and by a trial. */
struct st_rt_rights {
    int fifo_errno; /* 0: a short-lived child got SCHED_FIFO at fifo_priority; else the errno value
                       of that trial */
    int fifo_priority;    /* the priority that was tried, 1..99 */
    int64_t rtprio_limit; /* soft RLIMIT_RTPRIO; -1: unlimited; INT64_MIN: no such limit on this
                             system (FreeBSD) */
    int64_t memlock_limit_bytes; /* soft limit; -1: unlimited */
};

/* --- what can be read from a machine --- */

enum st_os { ST_OS_LINUX, ST_OS_FREEBSD };
#define ST_OS_N (ST_OS_FREEBSD + 1)

/** Words that differ between systems: a row for each enum st_os. */
struct st_os_row {
    const char *name;
    const char *sudo; /* prefix of a command that needs root; "": the system comes without sudo */
    /* the folder of `apply`'s journal. It is outside the daemon's state folder, which belongs to
     * the daemon's user, since root reads the journal */
    const char *changes;
    const char *boot_id; /* a sysctl that identifies this boot: a UUID; FreeBSD 13 and later: 16
                            random bytes (kern.boottime would change when the clock is set) */
    /* commands that start and restart sleeptuned as a system service, and as a user's service
     * (NULL: not available) */
    const char *start, *restart, *own_start, *own_restart;
    const char *pipewire_restart; /* command that restarts a user's PipeWire */
    /* a command that joins a group: text before and after the group's name */
    const char *join_group[2];
    const char *trace; /* how to get the kernel's trace; NULL: not available, culprits are found by
                          their run times */
    const char *devices; /* command that lists the recording devices */
};
extern const struct st_os_row st_os_rows[ST_OS_N];

/** A program that is run for its output: a client that queries a server. */
struct st_run {
    const char *const *argv; /* argv[0] is looked up in PATH of `env`; NULL-terminated */
    char *buf;               /* the program's standard output, ended with '\0' */
    size_t buf_bytes;
    size_t len;
    int result; /* 0; -ENOENT: no such program; -ETIMEDOUT; -EFBIG: more output than fits (buf holds
                   the beginning); -EIO: the program ended with exit_status; or the error of
                   starting it */
    int exit_status;
};

/** Most memory that such a program may lock unless it plays: enough for a client's buffers. */
#define ST_RUN_LOCKED_BYTES 65536

/** The user and environment for started programs. */
struct st_run_as {
    const char *const *env; /* the whole environment; NULL-terminated */
    bool switch_user;       /* switch to uid and gid, without supplementary groups; needs root */
    bool plays; /* st_posix_start: the program keeps this process's real-time and memory limits */
    uid_t uid;
    gid_t gid;
};

/** Called once for each test condition: a stable snake_case key (units in the name) and its value
 * as text. */
typedef void (*st_condition_fn)(void *ctx, const char *key, const char *value);

/** Called once for each name in a folder or each sysctl below a prefix; return non-zero to stop. */
typedef int (*st_name_fn)(void *ctx, const char *name);

/** Name of the temporary file that replace_file writes and renames to `name`: hidden, and never
 * read as a drop-in. */
#define ST_REPLACE_PREFIX "."
#define ST_REPLACE_SUFFIX ".sleeptune~"

struct st_platform {
    enum st_os os; /* the system whose tunables are read */

    /* --- real time. The cycle loop calls the first three --- */

    /** CLOCK_MONOTONIC. Never fails; vDSO where the OS has it. */
    int64_t (*now_ns)(struct st_platform *platform) ST_NONBLOCKING;
    /** Sleeps until due_ns on CLOCK_MONOTONIC: exactly one clock_nanosleep(TIMER_ABSTIME).
     *  @return 0, or -EINTR when a signal came first. */
    int (*sleep_until_ns)(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING;
    /** Sleeps until due_ns on CLOCK_MONOTONIC by a timed wait that the kernel does not delay
     * (FreeBSD: umtx). -ENOTSUP: on this system sleep_until_ns is exact for real-time threads
     * (Linux). */
    int (*sleep_until_precise_ns)(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING;
    /** CLOCK_REALTIME, ns since 1970. */
    int64_t (*wall_ns)(struct st_platform *platform);
    /** Total time this machine was suspended since boot (CLOCK_BOOTTIME - CLOCK_MONOTONIC),
     * accurate to the time between reading the two clocks.
     * @return 0 or -ENOTSUP. */
    int (*suspended_ns)(struct st_platform *platform, int64_t *ret_ns);

    /* --- rights and resource use of this process and its threads --- */

    /** Sets the calling thread's policy. priority: 1..99 for FIFO and RR, ignored for OTHER; mapped
     * to 0..31 on FreeBSD, so 70 becomes 21 (freebsd/priority.h). @return 0, -EPERM, -EINVAL. */
    int (*set_policy)(struct st_platform *platform, enum st_policy policy, int priority);
    /** Policy and priority of the calling thread, read from the kernel. */
    int (*get_policy)(struct st_platform *platform, enum st_policy *ret_policy, int *ret_priority);
    /** The kernel's id of the calling thread (Linux TID, FreeBSD LWP). */
    pid_t (*thread_id)(struct st_platform *platform);
    /** Takes real-time policy away from another thread of this process (for a watchdog). */
    int (*demote)(struct st_platform *platform, pid_t tid);
    /** Pins the calling thread to one CPU. @return 0, -EINVAL (no such CPU), -EPERM. */
    int (*pin)(struct st_platform *platform, int cpu);
    /** Undoes `pin` for another thread of this process: allows all CPUs that the calling thread may
     * use. */
    int (*unpin)(struct st_platform *platform, pid_t tid);
    /** The CPUs that the calling thread may use, ascending. @return their number, which can exceed
     * max, or an error. */
    int (*cpus_allowed)(struct st_platform *platform, int *cpus, int max);
    /** Name of the calling thread, at most 15 bytes. */
    int (*set_name)(struct st_platform *platform, const char *name);
    /** Timer slack of the calling thread. -ENOTSUP: not available on this system (FreeBSD). */
    int (*timer_slack_ns)(struct st_platform *platform, int64_t *ret_ns);
    int (*set_timer_slack_ns)(struct st_platform *platform, int64_t ns);
    /** Asks the kernel that no CPU takes longer than `us` to wake up (PM QoS,
     * /dev/cpu_dma_latency). The limit holds for all programs until the handle is released or the
     * process ends. @return handle >= 0, -ENOTSUP (FreeBSD), -ENOENT (this kernel lacks the
     * device), -EACCES, ... */
    int (*hold_latency)(struct st_platform *platform, int32_t us);
    void (*release_latency)(struct st_platform *platform, int handle);
    /* of the calling thread */
    int (*counters_open)(struct st_platform *platform, struct st_counters_handle *ret);
    /** Counters of the calling thread, for the slow path of the cycle loop: some 2 us, no
     * allocation, no page fault after the first call. */
    int (*counters_self)(struct st_platform *platform, const struct st_counters_handle *h,
                         struct st_thread_counters *ret);
    /** Counters of another thread of this process. */
    int (*counters_other)(struct st_platform *platform, const struct st_counters_handle *h,
                          struct st_thread_counters *ret);
    void (*counters_close)(struct st_platform *platform, struct st_counters_handle *h);
    /** Reads what kept the process from running. Takes some 20 us where a quota is counted; on
     * FreeBSD, which copies 1088 bytes for each thread of the machine, an estimated 1 ms for 400
     * threads. Call always from the same thread. Only this thread may leave SIGCONT unblocked, so
     * that it handles the signal before it calls this function. */
    void (*pauses)(struct st_platform *platform, struct st_pauses *ret);
    /** Locks the pages that are present, on fault if the OS can. Locks future pages as well, unless
     * RLIMIT_MEMLOCK would then make later allocations fail: call after all memory that must not
     * fault was allocated. @param ret what was achieved; may be NULL. @return 0, -EPERM,
     * -ENOMEM. */
    int (*lock_memory)(struct st_platform *platform, enum st_lock *ret);
    /** Limits the CPU time of real-time threads between two sleeps (RLIMIT_RTTIME): SIGXCPU at ns /
     * 2, SIGKILL at ns (with equal limits the kernel kills without SIGXCPU). Lower existing limits
     * stay.
     * @return 0, -EINVAL, -ENOTSUP. */
    int (*set_rttime_limit_ns)(struct st_platform *platform, int64_t ns);
    /** Tries SCHED_FIFO at `priority` in a short-lived child, never in this process; reads the
     * limits. */
    int (*rt_rights)(struct st_platform *platform, int priority, struct st_rt_rights *ret);

    /* --- what can be read from a machine: files, sysctls, output of programs --- */

    /** Absolute path of the running program, from the kernel. @return 0, -ENAMETOOLONG, -ENOENT
     * (FreeBSD: no longer known), or the kernel's error. */
    int (*program_path)(struct st_platform *machine, char *buf, size_t buf_bytes);
    /** Runs all programs at once, for at most limit_ns in total; a program that still runs then is
     * killed with its process group. The programs get `env`, no descriptor of this process,
     * /dev/null as input, and die with this process. No child remains, except one that the kernel
     * has not ended 50 ms after SIGKILL. @return 0 with each run's result set; -ENOTSUP: a captured
     * machine, whose servers do not run here. */
    int (*run)(struct st_platform *machine, struct st_run *runs, size_t runs_n,
               const struct st_run_as *as, int64_t limit_ns);
    /** Reports the test conditions, which are kept with each measurement. One that cannot be read
     * is left out, never guessed. cpu: the measured CPU; -1 for "any". Both systems: os,
     * kernel_release, kernel_version, hz, cpu_model, cpus_online, clocksource, hypervisor ("none":
     * bare metal). Linux: preemption, cpus_isolated, cpufreq_driver, governor (of that CPU, or all
     * distinct ones), energy_performance_preference, idle_driver, idle_governor, and of the running
     * system cpu_dma_latency_us (2000000000: no request) and timer_slack_ns (of this thread).
     * FreeBSD: scheduler, eventtimer, eventtimer_periodic, alloweddeviation_pct, nanosleep_precise,
     * idle_method, idle_lowest, cpu_mhz. */
    void (*conditions)(struct st_platform *machine, int cpu, st_condition_fn fn, void *ctx);
    /** open(2) that never blocks, never acquires a controlling terminal, and sets O_CLOEXEC; all
     * members below reach files through it. A captured tree opens within its folder. @return fd or
     * a negative errno. */
    int (*open_path)(struct st_platform *machine, const char *path, int flags);
    /** Reads a text file, at most buf_bytes - 1 bytes; always ends buf with '\0'. Opens without
     * blocking and accepts regular files only (procfs and sysfs files are regular; of FreeBSD's
     * devices /dev/sndstat is accepted). @param ret_len bytes read. @return 0, -EFBIG when the file
     * has more (buf holds the beginning, ret_len its length), -EISDIR, -EINVAL (FIFO, device), or
     * the error of open or read. */
    int (*read_text)(struct st_platform *machine, const char *path, char *buf, size_t buf_bytes,
                     size_t *ret_len);
    /** Names in a folder, sorted by strcmp, without "." and "..". @return 0 or errno. */
    int (*list)(struct st_platform *machine, const char *path, st_name_fn fn, void *ctx);
    /** Text of a sysctl by name, as sysctl -n prints it, without the final newline. On Linux, the
     * file below /proc/sys with slashes for the dots. @return 0, -EFBIG (as read_text), -ENOENT,
     * -EISDIR (a node), -ENOTSUP (a structure without text). */
    int (*read_sysctl)(struct st_platform *machine, const char *name, char *buf, size_t buf_bytes,
                       size_t *ret_len);

    /* --- what `apply` and `revert` change; nothing else in the program changes a system --- */

    /** Makes or replaces a file; after a crash the file is either the whole old or the whole new
     * one: write a temporary file beside it, fsync, rename, fsync the folder. A replaced file keeps
     * owner and mode; a new file gets `mode`. @return 0; on an error the file is unchanged: -EINVAL
     * (no regular file), -ELOOP (a link), or the system's error. */
    int (*replace_file)(struct st_platform *platform, const char *path, const char *text,
                        size_t bytes, mode_t mode);
    /** Removes the temporary file that a killed replace_file left beside `path`. @return 0, also if
     * there is none. */
    int (*clean_file)(struct st_platform *platform, const char *path);
    /** Removes a regular file (never a link or a folder) for good. @return 0, -ENOENT, -EINVAL,
     * -ELOOP ... */
    int (*remove_file)(struct st_platform *platform, const char *path);
    /** Makes a folder, as mkdir(2). @return 0, -EEXIST, ... */
    int (*make_folder)(struct st_platform *platform, const char *path, mode_t mode);
    /** Removes an empty folder, as rmdir(2). @return 0, -ENOTEMPTY, -ENOENT, ... */
    int (*remove_folder)(struct st_platform *platform, const char *path);
    /** Writes text and a newline into a file of procfs or sysfs by one write(2). The file must
     * exist and be a regular one. @return 0, or what open and write said (-EINVAL, -EBUSY: the
     * kernel refuses the value). */
    int (*write_value)(struct st_platform *platform, const char *path, const char *text);
    /** Sets a sysctl from the text that read_sysctl gives. @return 0, -ENOENT, -EPERM, -EINVAL,
     * -ENOTSUP. */
    int (*write_sysctl)(struct st_platform *platform, const char *name, const char *text);
    /** May this process write to `path`? in_place: into the existing file; otherwise it may replace
     * or make the file, and make its folder. @return 0, -EACCES, -EROFS, -ENOENT (in place only),
     * -ELOOP (a link), -EINVAL, ... */
    int (*can_write)(struct st_platform *platform, const char *path, bool in_place);
    /** Locks a folder for this process alone (flock) and leaves this process's id there for
     * folder_holder.
     * @return handle >= 0, -EWOULDBLOCK (another process holds the lock), -EPERM (the folder is not
     * this user's, or others may write to it), ... */
    int (*lock_folder)(struct st_platform *platform, const char *path);
    /** Finds the process that holds the lock of the folder. A user who may not read the folder
     * cannot test the lock, and gets the process that the folder names if it is alive. @return the
     * process's id; 0: the holder left no id; -ENOENT (no holder, or no such folder), ... */
    int (*folder_holder)(struct st_platform *platform, const char *path);
    void (*unlock_folder)(struct st_platform *platform, int handle);
};

static inline int64_t st_platform_now_ns(struct st_platform *platform)
{
    return platform->now_ns(platform);
}

static inline int64_t st_platform_wall_ns(struct st_platform *platform)
{
    return platform->wall_ns(platform);
}

/** The back end of the running system, Linux or FreeBSD. Never fails; no need to free. */
struct st_platform *st_platform_native(void);

/** The tunables of a captured tree (proc/, sys/, etc/, boot/, run/, dev/ below `dir`); clocks and
 * threads are those of the running system. No link leads out of the tree: links are resolved within
 * it, as after chroot (Linux 5.6 and later), or refused (-EXDEV, -ELOOP). @return 0, -ENOENT,
 * -ENOTDIR, -ENOMEM. Free with st_platform_root_free. */
ST_NODISCARD int st_platform_root_new(const char *dir, struct st_platform **ret);
/** Declares the tree as one of a FreeBSD machine: files only; reading a sysctl returns -ENOTSUP. */
void st_platform_root_set_freebsd(struct st_platform *p);
/** As st_platform_root_set_freebsd, with the text of `sysctl -a`, which is borrowed and has a 0
 * after its `bytes`. The text is whole if it has the first and the last sysctl of each FreeBSD
 * (kern.osreldate, security.jail.jailed). A sysctl missing from a whole text is absent (-ENOENT);
 * one missing from another text is not shown (-ENOMSG). @return whether the text is whole. */
bool st_platform_root_set_sysctls(struct st_platform *p, const char *text, size_t bytes);
void st_platform_root_free(struct st_platform *p);
