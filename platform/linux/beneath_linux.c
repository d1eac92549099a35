#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/posix/beneath_posix.h"

int st_open_beneath(int dir_fd, const char *path, int flags)
{
    path += strspn(path, "/");
    const struct open_how how = {
        .flags = (uint64_t)(unsigned)(O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags),
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
    };
    const long fd = syscall(SYS_openat2, dir_fd, *path != '\0' ? path : ".", &how, sizeof(how));
    if (fd >= 0)
        return (int)fd;
    if (errno == ENOSYS || errno == EPERM) /* before Linux 5.6, or a seccomp filter older than that */
        return st_open_beneath_posix(dir_fd, path, flags);
    return -errno;
}
