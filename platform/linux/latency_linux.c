/* PM QoS: a request that lasts as long as the device is open. Linux Documentation/power/pm_qos_interface.rst.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "platform/linux/linux.h"

int st_linux_hold_latency(struct st_platform *p, int32_t us)
{
    (void)p;
    const int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    if (write(fd, &us, sizeof(us)) == (ssize_t)sizeof(us)) /* four bytes are taken as a number */
        return fd;
    const int error = errno;
    close(fd);
    return error != 0 ? -error : -EIO;
}

void st_linux_release_latency(struct st_platform *p, int handle)
{
    (void)p;
    close(handle);
}
