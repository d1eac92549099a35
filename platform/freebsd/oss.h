/* OSS devices of FreeBSD (sound(4), virtual_oss(8)), by their ioctls. Not yet run on FreeBSD: tests
 * use a fake device. */
#pragma once

#include "core/base.h"

#include <sys/soundcard.h>
#include <sys/types.h>

#define ST_OSS_CHANNELS 2

/* System calls, or a test's replacements. Errors as those of the system calls, in errno. */
struct st_oss_calls {
    /* opens without blocking; later reads and writes block */
    int (*open)(const char *path, int flags);
    int (*close)(int fd);
    int (*ioctl)(int fd, unsigned long request, void *value);
    ssize_t (*read)(int fd, void *to, size_t bytes);
    ssize_t (*write)(int fd, const void *from, size_t bytes);
};
extern const struct st_oss_calls st_oss_system;

/** Calls ioctl(2), again after EINTR. @return 0 or a negative errno value. */
int st_oss_ask(const struct st_oss_calls *calls, int fd, unsigned long request, void *value);

/** Sets two channels, the sample format `format` (AFMT_...), and four fragments of about
 * period_bytes. @param rate_hz the rate to ask for; set to the rate that the device chose. @return
 * 0, -ENOTSUP (the device has another format or number of channels), or the error of ioctl(2). */
int st_oss_set_up(const struct st_oss_calls *calls, int fd, int format, size_t period_bytes,
                  uint32_t *rate_hz);

/** Writes all bytes; waits for room. @return 0 or a negative errno value. */
int st_oss_write(const struct st_oss_calls *calls, int fd, const void *from, size_t bytes);

/** Numbers of underruns and overruns since the previous call; sound(4) fills these gaps by
 * itself. */
audio_errinfo st_oss_gaps(const struct st_oss_calls *calls, int fd);
