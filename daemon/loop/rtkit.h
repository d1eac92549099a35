/* Real-time priority from rtkit, where the limits forbid it. */
#ifndef ST_DAEMON_LOOP_RTKIT_H
#define ST_DAEMON_LOOP_RTKIT_H

#include "platform/platform.h"

#define ST_RTKIT_PRIORITY_MAX 20                 /* rtkit's own default limit */
#define ST_RTKIT_RTTIME_NS    INT64_C(200000000) /* rtkit wants RLIMIT_RTTIME at most this */

/**
 * Asks rtkit on the system bus for SCHED_RR for thread `tid` of this process. Sets RLIMIT_RTTIME first, which
 * cannot be raised again.
 * @param text  what came of it, a sentence for status and log.
 * @return 0 when it was granted; -ENOTSUP (built without systemd), or what the bus said. Waits at most some
 * seconds.
 */
ST_NODISCARD int st_rtkit_ask(struct st_platform *platform, pid_t tid, int priority, char *text,
                              size_t text_bytes);

#endif
