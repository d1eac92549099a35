/* Sleeping methods of the laboratory that Linux and FreeBSD share: the functions of their rows
 * (platform/sleep_method.h), beside those that the platform has (platform/posix/sleep_posix.h). */
#ifndef ST_LAB_POSIX_SLEEP_LAB_H
#define ST_LAB_POSIX_SLEEP_LAB_H

#include "platform/posix/sleep_posix.h"

/** Blocks the signals that some methods wait for; call it before the first thread starts, so that no thread
 * gets them. @return 0 or -errno. */
int st_sleep_block_signals(void);

/* sleep_plain.c */
int st_sleep_nanosleep(struct st_sleep *s, int64_t requested_ns);
int st_sleep_usleep(struct st_sleep *s, int64_t requested_ns);

/* sleep_poll.c */
int st_sleep_select(struct st_sleep *s, int64_t requested_ns);
int st_sleep_poll(struct st_sleep *s, int64_t requested_ns);
int st_sleep_ppoll(struct st_sleep *s, int64_t requested_ns);

/* sleep_signal.c */
int st_sleep_open_posix_timer(struct st_sleep *s);
int st_sleep_posix_timer(struct st_sleep *s, int64_t requested_ns);
void st_sleep_close_posix_timer(struct st_sleep *s);

/* sleep_lock.c */
int st_sleep_open_cond(struct st_sleep *s);
int st_sleep_cond(struct st_sleep *s, int64_t requested_ns);
void st_sleep_close_cond(struct st_sleep *s);

#endif
