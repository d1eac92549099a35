#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "platform/posix/beneath_posix.h"

int st_open_beneath(int dir_fd, const char *path, int flags)
{
    path += strspn(path, "/");
    const int fd = openat(dir_fd, *path != '\0' ? path : ".",
                          O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_RESOLVE_BENEATH | flags);
    if (fd >= 0)
        return fd;
    return errno == ENOTCAPABLE ? -EXDEV : -errno; /* what O_RESOLVE_BENEATH says to a link that leads out */
}
