/* Members of the FreeBSD row that are not POSIX, one file per idea. */
#ifndef ST_PLATFORM_FREEBSD_FREEBSD_H
#define ST_PLATFORM_FREEBSD_FREEBSD_H

#include "platform/platform.h"

/* clock_freebsd.c */
int st_freebsd_sleep_until_precise_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING;

/* thread_freebsd.c */
int st_freebsd_set_policy(struct st_platform *p, enum st_policy policy, int priority);
int st_freebsd_get_policy(struct st_platform *p, enum st_policy *ret_policy, int *ret_priority);
pid_t st_freebsd_thread_id(struct st_platform *p);
int st_freebsd_demote(struct st_platform *p, pid_t tid);
int st_freebsd_pin(struct st_platform *p, int cpu);
int st_freebsd_unpin(struct st_platform *p, pid_t tid);
int st_freebsd_cpus_allowed(struct st_platform *p, int *cpus, int max);
int st_freebsd_set_name(struct st_platform *p, const char *name);
int st_freebsd_set_rttime_limit_ns(struct st_platform *p, int64_t ns);
int st_freebsd_rt_rights(struct st_platform *p, int priority, struct st_rt_rights *ret);

/* process_freebsd.c */
int st_freebsd_counters_open(struct st_platform *p, struct st_counters_handle *ret);
int st_freebsd_counters_self(struct st_platform *p, const struct st_counters_handle *h,
                             struct st_thread_counters *ret);
int st_freebsd_counters_other(struct st_platform *p, const struct st_counters_handle *h,
                              struct st_thread_counters *ret);
void st_freebsd_counters_close(struct st_platform *p, struct st_counters_handle *h);
int st_freebsd_lock_memory(struct st_platform *p, enum st_lock *ret);
int st_freebsd_resident_bytes(struct st_platform *p, int64_t *ret);
int st_freebsd_program_path(struct st_platform *p, char *buf, size_t buf_bytes);

/* sysctl_freebsd.c */
int st_freebsd_read_sysctl(struct st_platform *p, const char *name, char *buf, size_t buf_bytes,
                           size_t *ret_len);
int st_freebsd_write_sysctl(struct st_platform *p, const char *name, const char *text);

/* xrun_sound4.c */
extern const struct st_xrun_source st_xrun_sound4;

#endif
