/* Ways of waking that only Linux has: the functions of their rows (lab/posix/wake_posix.h). */
#ifndef ST_LAB_LINUX_WAKE_LINUX_H
#define ST_LAB_LINUX_WAKE_LINUX_H

#include "lab/posix/wake_posix.h"

extern const struct st_wake_ops st_wake_futex;                  /* wake_futex.c */
extern const struct st_wake_ops st_wake_eventfd, st_wake_epoll; /* wake_eventfd.c */

#endif
