/* Members of the Linux row that are not POSIX, one file per idea. */
#ifndef ST_PLATFORM_LINUX_LINUX_H
#define ST_PLATFORM_LINUX_LINUX_H

#include "platform/platform.h"
#include "platform/xrun/alsa.h"
#include "platform/xrun/xrun.h"

/* clock_linux.c */
int st_linux_sleep_until_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING;

/* thread_linux.c */
int st_linux_set_policy(struct st_platform *p, enum st_policy policy, int priority);
int st_linux_get_policy(struct st_platform *p, enum st_policy *ret_policy, int *ret_priority);
pid_t st_linux_thread_id(struct st_platform *p);
int st_linux_demote(struct st_platform *p, pid_t tid);
int st_linux_pin(struct st_platform *p, int cpu);
int st_linux_unpin(struct st_platform *p, pid_t tid);
int st_linux_cpus_allowed(struct st_platform *p, int *cpus, int max);
int st_linux_set_name(struct st_platform *p, const char *name);
int st_linux_set_rttime_limit_ns(struct st_platform *p, int64_t ns);
int st_linux_rt_rights(struct st_platform *p, int priority, struct st_rt_rights *ret);
int st_linux_hold_latency(struct st_platform *p, int32_t us);
int st_linux_suspended_ns(struct st_platform *p, int64_t *ret_ns);
int st_linux_timer_slack_ns(struct st_platform *p, int64_t *ret_ns);
int st_linux_set_timer_slack_ns(struct st_platform *p, int64_t ns);
int st_linux_leave_rseq(struct st_platform *p);
void st_linux_release_latency(struct st_platform *p, int handle);
int st_linux_counters_open(struct st_platform *p, struct st_counters_handle *ret);
int st_linux_counters_self(struct st_platform *p, const struct st_counters_handle *h,
                           struct st_thread_counters *ret);
int st_linux_counters_other(struct st_platform *p, const struct st_counters_handle *h,
                            struct st_thread_counters *ret);
void st_linux_counters_close(struct st_platform *p, struct st_counters_handle *h);

/* process_linux.c */
void st_linux_pauses(struct st_platform *p, struct st_pauses *ret);
int st_linux_lock_memory(struct st_platform *p, enum st_lock *ret);
int st_linux_resident_bytes(struct st_platform *p, int64_t *ret);
int st_linux_program_path(struct st_platform *p, char *buf, size_t buf_bytes);

/* xrun_alsa.c */
extern const struct st_xrun_source st_xrun_alsa;

#endif
