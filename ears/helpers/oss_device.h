/* Plays on one OSS device and records another. */
#pragma once

#include "ears/helpers/duplex.h"
#include "platform/freebsd/oss.h"

struct st_oss_device {
    const struct st_oss_calls *calls; /* set before st_oss_device_open */
    int play, record;                 /* descriptors; the same if both are one device */
    size_t frame_bytes;
};

/** Opens both devices with two channels and a common format, and fills duplex->format,
 * period_frames, ahead_frames and *ret_rate_hz. @param period_frames size to ask for, at 48 kHz;
 * replaced by the devices' size. @return 0, -ENOTSUP (no common format, rate or two channels), or
 * the error of open(2) or ioctl(2), with the device in *ret_failed. */
ST_NODISCARD int st_oss_device_open(struct st_oss_device *device, const char *plays,
                                    const char *records, uint32_t period_frames,
                                    struct st_duplex *duplex, uint32_t *ret_rate_hz,
                                    const char **ret_failed);
void st_oss_device_close(struct st_oss_device *device);

extern const struct st_duplex_ops st_oss_ops; /* their `device` is a struct st_oss_device */
