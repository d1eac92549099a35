/* OSS devices of FreeBSD (sound(4), virtual_oss(8)), by their own ioctls. Never run on FreeBSD so far: tests
 * run it against a false device. */
#ifndef ST_EARS_HELPERS_OSS_DEVICE_H
#define ST_EARS_HELPERS_OSS_DEVICE_H

#include <sys/types.h>

#include "ears/helpers/duplex.h"

/* The system's, or a test's. As the system calls, errno included. */
struct st_oss_calls {
    int (*open)(const char *path, int flags); /* without waiting; reads and writes then wait */
    int (*close)(int fd);
    int (*ioctl)(int fd, unsigned long request, void *value);
    ssize_t (*read)(int fd, void *to, size_t bytes);
    ssize_t (*write)(int fd, const void *from, size_t bytes);
};

struct st_oss_device {
    const struct st_oss_calls *calls; /* set before st_oss_device_open */
    int play, record;                 /* descriptors; the same if both are one device */
    size_t frame_bytes;
};

/** Opens both, with two channels and the format that both have, and fills duplex->format, period_frames,
 * ahead_frames and *ret_rate_hz.
 * @param wanted_hz, period_frames what to ask for; the devices answer with what they have.
 * @return 0, -ENOTSUP (no common format, rate or two channels), or what open(2) and ioctl(2) said; then
 * *ret_failed is the device. */
ST_NODISCARD int st_oss_device_open(struct st_oss_device *device, const char *plays, const char *records,
                                    uint32_t wanted_hz, uint32_t period_frames, struct st_duplex *duplex,
                                    uint32_t *ret_rate_hz, const char **ret_failed);
void st_oss_device_close(struct st_oss_device *device);

extern const struct st_oss_calls st_oss_system;
extern const struct st_duplex_ops st_oss_ops; /* of a struct st_oss_device */

#endif
