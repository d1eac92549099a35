/* Sleeping methods that only Linux has: the functions of their rows (platform/sleep_method.h). */
#ifndef ST_LAB_LINUX_SLEEP_LINUX_H
#define ST_LAB_LINUX_SLEEP_LINUX_H

#include "platform/sleep_method.h"

/* sleep_epoll.c */
int st_sleep_open_epoll(struct st_sleep *s);
int st_sleep_epoll_wait(struct st_sleep *s, int64_t requested_ns);

/* sleep_futex.c */
int st_sleep_futex(struct st_sleep *s, int64_t requested_ns);

#endif
