#include "xruns/helpers/standing.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/text/text.h"
#include "platform/proc.h"

#define THREADS_MAX 512 /* threads of one process whose state is read */

size_t st_standing_read(const char *path, char *buf, size_t buf_bytes)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, buf, buf_bytes - 1) : 0;
    if (fd >= 0)
        close(fd);
    buf[ST_MAX(n, 0)] = '\0';
    return n > 0 ? (size_t)n : 0;
}

int st_standing_open(pid_t pid, const char *binary, clockid_t *ret)
{
    char file[PATH_MAX];
    const ssize_t n = readlink(st_text("/proc/%d/exe", (int)pid), file, sizeof(file) - 1);
    if (n < 0)
        return -errno;
    file[n] = '\0';
    const char *name = strrchr(file, '/');
    const size_t len = strlen(binary);
    if (name == NULL || strncmp(name + 1, binary, len) != 0 ||
        /* the kernel adds this to the name if the program's package was upgraded */
        (name[1 + len] != '\0' && !st_text_is(name + 1 + len, " (deleted)")))
        return -ESRCH;
    return -clock_getcpuclockid(pid, ret);
}

bool st_standing_is_frozen(pid_t pid)
{
    static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    char text[4096];
    const char *group;
    uint64_t frozen = 0;
    if (st_standing_read(st_text("/proc/%d/cgroup", (int)pid), text, sizeof(text)) == 0 ||
        (group = st_proc_line_text(text, "0::")) == NULL)
        return false;
    ST_EACH (root, roots) {
        if (st_standing_read(st_text("%s%s/cgroup.events", *root, group), text, sizeof(text)) > 0 &&
            st_proc_line_u64(text, "frozen ", &frozen) == 0)
            break;
    }
    return frozen != 0;
}

static enum st_standing of_thread(pid_t pid, const char *tid)
{
    char text[1024];
    struct st_proc_stat stat;
    if (st_standing_read(st_text("/proc/%d/task/%.12s/stat", (int)pid, tid), text, sizeof(text)) ==
            0 ||
        st_proc_stat(text, &stat) != 0)
        return ST_STANDING_UNKNOWN;
    switch (stat.state) {
    case 'T':
    case 't':
        return ST_STANDING_IS_STOPPED;
    case 'R':
        return ST_STANDING_NO_CPU;
    case 'D':
        return ST_STANDING_DISK;
    default:
        return ST_STANDING_ASLEEP;
    }
}

enum st_standing st_standing_ask(pid_t pid)
{
    enum st_standing most = ST_STANDING_UNKNOWN;
    struct dirent *entry;
    DIR *folder = opendir(st_text("/proc/%d/task", (int)pid));
    for (int i = 0; folder != NULL && i < THREADS_MAX && (entry = readdir(folder)) != NULL; i++) {
        const enum st_standing one =
            entry->d_name[0] != '.' ? of_thread(pid, entry->d_name) : ST_STANDING_UNKNOWN;
        most = ST_MAX(one, most);
    }
    if (folder != NULL)
        closedir(folder);
    return most != ST_STANDING_IS_STOPPED && st_standing_is_frozen(pid) ? ST_STANDING_IS_STOPPED
                                                                        : most;
}
