/* The process: locked memory, its program, stops and quotas, programs that it runs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/linux/linux.h"
#include "platform/posix/posix.h"
#include "platform/proc.h"

/* With MCL_FUTURE every mapping beyond RLIMIT_MEMLOCK fails: malloc() would, some time after. Does the limit
 * hold for us? Asked by a mapping, because the right to ignore it (CAP_IPC_LOCK) counts only in the first
 * user namespace. */
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

int st_linux_lock_memory(struct st_platform *p, enum st_lock *ret)
{
    (void)p;
    enum st_lock lock = ST_LOCK_ON_FAULT;
    int on_fault = MCL_ONFAULT;
    int r = mlockall(MCL_CURRENT | MCL_FUTURE | on_fault);
    if (r != 0 && errno == EINVAL) { /* before Linux 4.4 */
        lock = ST_LOCK_ALL;
        on_fault = 0;
        r = mlockall(MCL_CURRENT | MCL_FUTURE);
    }
    if (r == 0 && later_mappings_would_fail())
        r = mlockall(MCL_CURRENT | on_fault);
    if (r != 0)
        return -errno;
    if (ret != NULL)
        *ret = lock;
    return 0;
}

/* --- the running program --- */

int st_linux_program_path(struct st_platform *p, char *buf, size_t buf_bytes)
{
    (void)p;
    const ssize_t len = readlink("/proc/self/exe", buf, buf_bytes);
    if (len < 0)
        return -errno;
    if ((size_t)len >= buf_bytes) /* cut, or no room for the end */
        return -ENAMETOOLONG;
    buf[len] = '\0';
    return 0;
}

/* --- stops, and how long the CPU quota of our cgroups throttled us --- */

#define CGROUP_ROOT "/sys/fs/cgroup"
#define LEVELS_MAX  8

/* cpu.stat of our cgroup and of those above it, where their CPU controller is on. Never closed: a process has
 * one cgroup at a time, and one that is moved away counts where it began. */
static int stat_fds[LEVELS_MAX];
static size_t stat_fds_n;

/* @return us, or -1: no quota is counted there. Source: Documentation/admin-guide/cgroup-v2.rst, cpu.stat. */
static int64_t throttled_us(int fd)
{
    char text[1024];
    uint64_t us;
    const ssize_t got = pread(fd, text, sizeof(text) - 1, 0);
    if (got <= 0)
        return -1;
    text[got] = '\0';
    return st_proc_keyed_u64(text, "throttled_usec", &us) == 0 && us < INT64_MAX / 1000 ? (int64_t)us : -1;
}

static void open_level(const char *path)
{
    char file[4300];
    snprintf(file, sizeof(file), CGROUP_ROOT "%s/cpu.stat", path);
    const int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (throttled_us(fd) >= 0)
        stat_fds[stat_fds_n++] = fd;
    else
        close(fd);
}

static void open_levels(void)
{
    char text[8192], path[4096];
    size_t len;
    struct st_platform *p = st_platform_native();
    if (p->read_text(p, "/proc/self/cgroup", text, sizeof(text), &len) != 0 ||
        st_proc_cgroup_path(text, path, sizeof(path)) != 0)
        return;
    for (char *slash = path; slash != NULL && path[0] != '\0' && stat_fds_n < LEVELS_MAX;) {
        open_level(path);
        slash = strrchr(path, '/');
        if (slash != NULL)
            *slash = '\0';
    }
}

void st_linux_pauses(struct st_platform *p, struct st_pauses *ret)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_levels);
    st_posix_pauses(p, ret);
    for (size_t i = 0; i < stat_fds_n; i++) {
        const int64_t us = throttled_us(stat_fds[i]);
        if (us < 0)
            continue;
        ret->quota_ns = (ret->quota_ns == INT64_MIN ? 0 : ret->quota_ns) + us * 1000;
    }
}

/* --- a program that is about to be run, and what it leaves (posix/posix.h) --- */

#define FDS_MAX      1024 /* before Linux 5.9, which cannot close all at once */
#define STATUS_BYTES 1024 /* of /proc/PID/status: the parent is in its beginning */

void st_posix_child_alone(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* after setuid, which clears it */
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
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

void st_posix_reap_end(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

/** @return 0: not known, or it has gone. */
static pid_t parent_of(const char *name)
{
    char path[64], text[STATUS_BYTES];
    uint64_t parent;
    snprintf(path, sizeof(path), "/proc/%.20s/status", name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t len = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (len <= 0)
        return 0;
    text[len] = '\0';
    return st_proc_status_u64(text, "PPid", &parent) == 0 ? (pid_t)parent : 0;
}

/* A program was started in a session of its own and cannot enter ours again; children that this process had
 * from elsewhere (a shell's, which it replaced) are in ours. */
bool st_posix_reap_rest(void)
{
    const pid_t own = getpid(), session = getsid(0);
    siginfo_t info;
    bool found = false;
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return false; /* no child at all, as almost always */
    DIR *proc = opendir("/proc");
    if (proc == NULL)
        return false;
    for (const struct dirent *entry = readdir(proc); entry != NULL; entry = readdir(proc)) {
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || parent_of(entry->d_name) != own || getsid(pid) == session)
            continue;
        (void)kill(pid, SIGKILL); /* its own children come to us next */
        (void)waitpid(pid, NULL, WNOHANG);
        found = true;
    }
    closedir(proc);
    return found;
}
