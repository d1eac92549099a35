/* The service manager and its journal. Without libsystemd: syslog, and nothing else (daemon/without.c). */
#pragma once

#include "daemon/log.h"

/** sd_notify(3): "READY=1", "STATUS=text". Nothing happens if no service manager listens. */
void st_systemd_notify(const char *format, ...) ST_PRINTF(1, 2);

/** One message into the journal, or syslog where there is none. As st_log_event; the text is safe. Threads:
 * any. */
void st_systemd_log(enum st_log_level level, const char *module, const char *event, int64_t count,
                    int64_t lateness_ns, const char *text);
