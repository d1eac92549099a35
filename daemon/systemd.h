/* The service manager and its journal. Without libsystemd: only syslog (daemon/without.c). */
#pragma once

#include "daemon/log.h"

/** Sends a state to the service manager, sd_notify(3): "READY=1", "STATUS=text". Does nothing
 * without a service manager. */
void st_systemd_notify(const char *format, ...) ST_PRINTF(1, 2);

/** Writes a message to the journal, or to syslog if there is no journal. The parameters are those
 * of st_log_event; the text must be safe already. Threads: any. */
void st_systemd_log(enum st_log_level level, const char *module, const char *event, int64_t count,
                    int64_t lateness_ns, const char *text);
