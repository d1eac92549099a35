/* FreeBSD's members of struct st_platform that are not POSIX; one file for each topic. */
#pragma once

#include "platform/platform.h"

/* clock_freebsd.c */
int st_freebsd_sleep_until_precise_ns(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING;

/* sysctl_freebsd.c */
int st_freebsd_read_sysctl(struct st_platform *machine, const char *name, char *buf,
                           size_t buf_bytes, size_t *ret_len);
int st_freebsd_write_sysctl(struct st_platform *platform, const char *name, const char *text);
