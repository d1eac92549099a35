/* The service manager, its journal, and rtkit on the system bus. Without libsystemd: syslog, and nothing else
 * (daemon/without.c). */
#ifndef ST_DAEMON_SYSTEMD_H
#define ST_DAEMON_SYSTEMD_H

#include "daemon/log.h"
#include "platform/platform.h"

/** sd_notify(3): "READY=1", "STATUS=text". Nothing happens if no service manager listens. */
void st_systemd_notify(const char *format, ...) ST_PRINTF(1, 2);

/** One message into the journal, or syslog where there is none. As st_log_event; the text is safe. Threads: any. */
void st_systemd_log(enum st_log_level level, const char *module, const char *event, int64_t count,
                    int64_t lateness_ns, const char *text);

/**
 * Asks rtkit for SCHED_RR for thread `tid` of this process. Sets RLIMIT_RTTIME first, which cannot be raised
 * again.
 * @param text  the result, a sentence for status and log.
 * @return 0 when it was granted; -ENOTSUP (built without systemd), or the error of the bus. Waits at most some
 * seconds.
 */
ST_NODISCARD int st_systemd_ask_rtkit(struct st_platform *platform, pid_t tid, int priority, char *text,
                                      size_t text_bytes);

#endif
