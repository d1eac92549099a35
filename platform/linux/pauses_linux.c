/* Stops, and how long the CPU quota of our cgroups had us throttled. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "platform/linux/linux.h"
#include "platform/posix/posix.h"
#include "platform/proc_text.h"

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
