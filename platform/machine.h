/* The seam: what can be read of a machine: its files, its sysctls, what its programs say. Conventions of the
 * seam: platform/platform.h. */
#pragma once

#include <sys/types.h>

#include "core/base.h"

enum st_os { ST_OS_LINUX, ST_OS_FREEBSD };
#define ST_OS_N (ST_OS_FREEBSD + 1)

/** What differs in a word only: a row for each enum st_os. */
struct st_os_row {
    const char *name;
    const char *sudo;    /* before a command that needs root: "sudo "; "": it comes without sudo */
    const char *changes; /* the folder of `apply`'s journal. Not below the daemon's state folder: that one
                            belongs to the daemon's user, and this is read by root */
    const char *boot_id; /* sysctl: a UUID; FreeBSD 13 and later: 16 random bytes (kern.boottime would change
                            when the clock is set) */
    /* sleeptuned as a service, of the system and, where there are such, of a user (else NULL) */
    const char *start, *restart, *own_start, *own_restart;
    const char *pipewire_restart; /* likewise of a user's PipeWire */
    const char *join_group[2];    /* says how to join a group: before and behind the group's name */
    const char *trace;   /* how the kernel's trace is had; NULL: there is none, run times name a culprit */
    const char *devices; /* what lists the devices that can be recorded */
};
extern const struct st_os_row st_os_rows[ST_OS_N];

/** A program that is run for what it prints: a client that asks a server. */
struct st_run {
    const char *const *argv; /* argv[0]: a name, looked up in PATH of `env`; NULL-terminated */
    char *buf;               /* its standard output, ended with '\0' */
    size_t buf_bytes;
    size_t len;
    int result; /* 0; -ENOENT: no such program; -ETIMEDOUT; -EFBIG: it printed more (buf holds the beginning);
                   -EIO: it ended with exit_status; or what starting it said */
    int exit_status;
};

/** Most memory that such a program may lock, unless it plays: enough for a client's buffers. */
#define ST_RUN_LOCKED_BYTES 65536

/** As whom programs are run. */
struct st_run_as {
    const char *const *env; /* NULL-terminated, all that they get */
    bool switch_user;       /* to uid and gid, without other groups: needs root */
    bool plays;             /* st_posix_start: it keeps this process's real-time and memory limits */
    uid_t uid;
    gid_t gid;
};

/** Called once for each test condition: a stable snake_case key (units in the name) and its value as text. */
typedef void (*st_condition_fn)(void *ctx, const char *key, const char *value);

/** Called once for each name in a folder or each sysctl below a prefix; return non-zero to stop. */
typedef int (*st_name_fn)(void *ctx, const char *name);

struct st_machine {
    enum st_os os; /* whose tunables it shows */

    /** Absolute path of the running program, as the kernel has it.
     *  @return 0, -ENAMETOOLONG, -ENOENT (FreeBSD: no longer known), or what the kernel said. */
    int (*program_path)(struct st_machine *machine, char *buf, size_t buf_bytes);
    /** Runs all programs at once, and no longer than limit_ns in all: what runs then is killed with its
     * process group. They get `env`, no descriptor of this process, /dev/null as input, and die with it.
     * Never leaves a child behind, except one that the kernel does not let die within 50 ms.
     *  @return 0 with each run's result set; -ENOTSUP: a captured machine, whose servers are not here. */
    int (*run)(struct st_machine *machine, struct st_run *runs, size_t runs_n, const struct st_run_as *as,
               int64_t limit_ns);
    /** What a result must be read with. What cannot be read is left out, never guessed. cpu: -1 for "any".
     *  Both: os, kernel_release, kernel_version, hz, cpu_model, cpus_online, clocksource, hypervisor ("none":
     * bare metal). Linux: preemption, cpus_isolated, cpufreq_driver, governor (of that CPU, or all distinct
     * ones), energy_performance_preference, idle_driver, idle_governor, and of the running system
     * cpu_dma_latency_us (2000000000: no request) and timer_slack_ns (of this thread). FreeBSD: scheduler,
     * eventtimer, eventtimer_periodic, alloweddeviation_pct, nanosleep_precise, idle_method, idle_lowest,
     * cpu_mhz. */
    void (*conditions)(struct st_machine *machine, int cpu, st_condition_fn fn, void *ctx);
    /** true when this runs below a hypervisor. -ENODATA: unknown. */
    int (*virtualised)(struct st_machine *machine, bool *ret);
    /** open(2), which never blocks, makes no terminal the process's and leaves nothing to programs that are
     * run: how all members below reach a file. A captured tree opens within its folder. @return fd or a
     * negative errno. */
    int (*open_path)(struct st_machine *machine, const char *path, int flags);
    /** Reads a text file, at most buf_bytes - 1 bytes and no more than that; always ends it with '\0'.
     *  Opens without blocking and refuses anything but a regular file (procfs and sysfs files are regular; of
     *  FreeBSD's devices /dev/sndstat is read).
     *  @param ret_len bytes read. @return 0, -EFBIG when there was more (buf holds the beginning, ret_len its
     *  length), -EISDIR, -EINVAL (FIFO, device), or what open and read said. */
    int (*read_text)(struct st_machine *machine, const char *path, char *buf, size_t buf_bytes,
                     size_t *ret_len);
    /** Names in a folder, sorted by strcmp, without "." and "..". @return 0 or errno. */
    int (*list)(struct st_machine *machine, const char *path, st_name_fn fn, void *ctx);
    /** Text of a sysctl by name, as sysctl -n prints it, without the newline at its end. Linux: below
     * /proc/sys, dots as slashes. @return 0, -EFBIG (as read_text), -ENOENT, -EISDIR (a node), -ENOTSUP (a
     * structure that has no text). */
    int (*read_sysctl)(struct st_machine *machine, const char *name, char *buf, size_t buf_bytes,
                       size_t *ret_len);
};
