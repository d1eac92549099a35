/* What the service manager is told. All of it does nothing where no service manager listens. */
#ifndef ST_DAEMON_NOTIFY_H
#define ST_DAEMON_NOTIFY_H

#include "core/base.h"

void st_notify_ready(void);
void st_notify_reloading(int64_t monotonic_ns);
void st_notify_stopping(void);
void st_notify_status(const char *text);
void st_notify_watchdog(void);

#endif
