/* sd_notify(3). */
#include "daemon/notify.h"

#include <systemd/sd-daemon.h>

#include "core/ns.h"

void st_notify_ready(void)
{
    sd_notify(0, "READY=1");
}

void st_notify_reloading(int64_t monotonic_ns)
{
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)(monotonic_ns / ST_NS_PER_US));
}

void st_notify_stopping(void)
{
    sd_notify(0, "STOPPING=1");
}

void st_notify_status(const char *text)
{
    sd_notifyf(0, "STATUS=%s", text);
}

void st_notify_watchdog(void)
{
    sd_notify(0, "WATCHDOG=1");
}
