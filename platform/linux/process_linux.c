/* The running program. */
#include <errno.h>
#include <unistd.h>

#include "platform/linux/linux.h"

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
