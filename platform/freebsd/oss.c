#include "platform/freebsd/oss.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PERIODS 4 /* fragments of the buffer; the size of each is a power of two */

int st_oss_ask(const struct st_oss_calls *calls, int fd, unsigned long request, void *value)
{
    int r;
    do
        r = calls->ioctl(fd, request, value);
    while (r < 0 && errno == EINTR);
    return r < 0 ? -errno : 0;
}

/* Sets one value. @return -ENOTSUP: the device chose another value. */
static int demand(const struct st_oss_calls *calls, int fd, unsigned long request, int wanted)
{
    int value = wanted;
    const int r = st_oss_ask(calls, fd, request, &value);
    if (r == 0 && value != wanted)
        return -ENOTSUP;
    return r;
}

static int power_of_two(size_t bytes)
{
    int power = 4;
    while (power < 16 && ((size_t)1 << power) < bytes)
        power++;
    return power;
}

/* Asks for the buffer size before anything else (sound(4)). */
int st_oss_set_up(const struct st_oss_calls *calls, int fd, int format, size_t period_bytes,
                  uint32_t *rate_hz)
{
    int fragments = PERIODS << 16 | power_of_two(period_bytes), hz = (int)*rate_hz, off = 0;
    int r = st_oss_ask(calls, fd, SNDCTL_DSP_SETFRAGMENT, &fragments);
    /* turn conversion and volume off, if the device can do without them */
    (void)st_oss_ask(calls, fd, SNDCTL_DSP_COOKEDMODE, &off);
    if (r == 0)
        r = demand(calls, fd, SNDCTL_DSP_SETFMT, format);
    if (r == 0)
        r = demand(calls, fd, SNDCTL_DSP_CHANNELS, ST_OSS_CHANNELS);
    if (r == 0)
        r = st_oss_ask(calls, fd, SNDCTL_DSP_SPEED, &hz);
    *rate_hz = (uint32_t)hz;
    return r;
}

int st_oss_write(const struct st_oss_calls *calls, int fd, const void *from, size_t bytes)
{
    const char *at = from;
    while (bytes > 0) {
        const ssize_t n = calls->write(fd, at, bytes);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return -errno;
        at += ST_MAX(n, 0);
        bytes -= (size_t)ST_MAX(n, 0);
    }
    return 0;
}

audio_errinfo st_oss_gaps(const struct st_oss_calls *calls, int fd)
{
    audio_errinfo errors;
    memset(&errors, 0, sizeof(errors));
    (void)st_oss_ask(calls, fd, SNDCTL_DSP_GETERROR, &errors);
    return errors;
}

static int open_system(const char *path, int flags)
{
    /* do not wait for another program that has the device */
    const int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fcntl(fd, F_SETFL, 0) == 0)
        return fd;
    close(fd);
    return -1;
}

static int ioctl_system(int fd, unsigned long request, void *value)
{
    return ioctl(fd, request, value);
}

const struct st_oss_calls st_oss_system = {open_system, close, ioctl_system, read, write};
