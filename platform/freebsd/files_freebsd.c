/* Text files of FreeBSD: those of POSIX, and /dev/sndstat, which is a device. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/freebsd/freebsd.h"
#include "platform/posix/posix.h"

static int read_sndstat(int fd, char *buf, size_t buf_bytes, size_t *ret_len)
{
    struct stat st;
    size_t have = 0;
    if (buf_bytes == 0)
        return -EINVAL;
    buf[0] = '\0';
    if (fstat(fd, &st) != 0)
        return -errno;
    if (!S_ISCHR(st.st_mode))
        return -EINVAL;
    while (have < buf_bytes) {
        const ssize_t got = read(fd, buf + have, buf_bytes - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0) {
            buf[have] = '\0';
            *ret_len = have;
            return 0;
        }
        have += (size_t)got;
    }
    buf[buf_bytes - 1] = '\0';
    return -EFBIG;
}

int st_freebsd_read_text(struct st_platform *p, const char *path, char *buf, size_t buf_bytes,
                         size_t *ret_len)
{
    if (strcmp(path, "/dev/sndstat") != 0)
        return st_posix_read_text(p, path, buf, buf_bytes, ret_len);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    const int r = read_sndstat(fd, buf, buf_bytes, ret_len);
    close(fd);
    return r;
}
