/* No service manager that listens. */
#include "daemon/notify.h"

void st_notify_ready(void) {}

void st_notify_reloading(int64_t monotonic_ns)
{
    (void)monotonic_ns;
}

void st_notify_stopping(void) {}

void st_notify_status(const char *text)
{
    (void)text;
}

void st_notify_watchdog(void) {}
