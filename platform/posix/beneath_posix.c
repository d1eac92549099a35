#include "platform/posix/beneath_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW)

/* Opens one component; a link that O_NOFOLLOW met is -ELOOP, a file where a folder should be is -ENOTDIR. */
static int open_component(int dir_fd, const char *name, int flags)
{
    if (strcmp(name, "..") == 0)
        return -EXDEV;
    const int fd = openat(dir_fd, name, OPEN_FLAGS | flags);
    if (fd >= 0)
        return fd;
    const int r = -errno;
    char target[1];
    if ((r == -ENOTDIR || r == -EMLINK) && readlinkat(dir_fd, name, target, sizeof(target)) >= 0)
        return -ELOOP; /* Linux says ENOTDIR with O_DIRECTORY, FreeBSD EMLINK */
    return r;
}

int st_beneath_open_posix(int dir_fd, const char *path, int flags)
{
    int fd = open_component(dir_fd, ".", O_DIRECTORY);
    for (const char *s = path; fd >= 0;) {
        s += strspn(s, "/");
        const size_t len = strcspn(s, "/");
        if (len == 0)
            break;
        char name[NAME_MAX + 1];
        int next = -ENAMETOOLONG;
        if (len < sizeof(name)) {
            memcpy(name, s, len);
            name[len] = '\0';
            s += len;
            const int last = s[strspn(s, "/")] == '\0';
            next = open_component(fd, name, last ? flags : O_DIRECTORY);
        }
        close(fd);
        fd = next;
    }
    return fd;
}
