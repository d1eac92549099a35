/* Sleeping methods that only FreeBSD has: the functions of their rows (platform/sleep_method.h). */
#ifndef ST_LAB_FREEBSD_SLEEP_FREEBSD_H
#define ST_LAB_FREEBSD_SLEEP_FREEBSD_H

#include "platform/sleep_method.h"

/* sleep_kevent.c */
int st_sleep_open_kqueue(struct st_sleep *s);
int st_sleep_kevent_timeout(struct st_sleep *s, int64_t requested_ns);
int st_sleep_kevent_timer(struct st_sleep *s, int64_t requested_ns);

#endif
