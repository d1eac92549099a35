/* OSS devices of FreeBSD (sound(4), virtual_oss(8)), by their own ioctls. Never run on FreeBSD so far: tests
 * run what uses them against a false device. */
#pragma once

#include "core/base.h"

#include <sys/soundcard.h>
#include <sys/types.h>

#define ST_OSS_CHANNELS 2

/* The system's, or a test's. As the system calls, errno included. */
struct st_oss_calls {
    int (*open)(const char *path, int flags); /* without waiting; reads and writes then wait */
    int (*close)(int fd);
    int (*ioctl)(int fd, unsigned long request, void *value);
    ssize_t (*read)(int fd, void *to, size_t bytes);
    ssize_t (*write)(int fd, const void *from, size_t bytes);
};
extern const struct st_oss_calls st_oss_system;

/** @return 0 or a negative errno value. */
int st_oss_ask(const struct st_oss_calls *calls, int fd, unsigned long request, void *value);

/** Two channels of that format (AFMT_), and four fragments of about period_bytes.
 * @param rate_hz what to ask for; what the device answers.
 * @return 0, -ENOTSUP (it has another format or number of channels), or what ioctl(2) said. */
int st_oss_set_up(const struct st_oss_calls *calls, int fd, int format, size_t period_bytes,
                  uint32_t *rate_hz);

/** Writes all, and waits for room. @return 0 or a negative errno value. */
int st_oss_write(const struct st_oss_calls *calls, int fd, const void *from, size_t bytes);

/** Gaps, which sound(4) fills by itself: since the last time that it was asked. */
audio_errinfo st_oss_gaps(const struct st_oss_calls *calls, int fd);
