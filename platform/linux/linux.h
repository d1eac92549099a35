/* Members of the Linux row that are not POSIX, one file per idea. */
#ifndef ST_PLATFORM_LINUX_LINUX_H
#define ST_PLATFORM_LINUX_LINUX_H

#include "platform/platform.h"
#include "platform/xrun/alsa.h"
#include "platform/xrun/xrun.h"

/* clock_linux.c */
int st_linux_sleep_until_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING;

/* process_linux.c */
void st_linux_pauses(struct st_platform *p, struct st_pauses *ret);
int st_linux_lock_memory(struct st_platform *p, enum st_lock *ret);
int st_linux_program_path(struct st_platform *p, char *buf, size_t buf_bytes);

/* xrun_alsa.c */
extern const struct st_xrun_source st_xrun_alsa;

#endif
