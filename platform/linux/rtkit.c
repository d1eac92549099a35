/* Asks rtkit by libsystemd. Interface: org.freedesktop.RealtimeKit1, README of rtkit 0.13. */
#include "platform/rtkit.h"

#include <systemd/sd-bus.h>
#include <unistd.h>

#include "core/ns.h"

#define RTKIT_NAME         "org.freedesktop.RealtimeKit1"
#define RTKIT_PATH         "/org/freedesktop/RealtimeKit1"
#define RTKIT_PRIORITY_MAX 20 /* rtkit's own default limit */
/* rtkit requires a RLIMIT_RTTIME of at most this time */
#define RTKIT_RTTIME_NS INT64_C(200000000)
#define TIMEOUT_US      3000000

/* Reads the limits with which rtkit was started; what rtkit does not report keeps the caller's
 * default. */
static void read_limits(sd_bus *bus, int *ret_priority_max, int64_t *ret_rttime_ns)
{
    int32_t priority_max = 0;
    int64_t rttime_us = 0;
    if (sd_bus_get_property_trivial(bus, RTKIT_NAME, RTKIT_PATH, RTKIT_NAME, "MaxRealtimePriority",
                                    NULL, 'i', &priority_max) >= 0 &&
        priority_max >= 1 && priority_max <= 99)
        *ret_priority_max = ST_MIN(priority_max, RTKIT_PRIORITY_MAX);
    if (sd_bus_get_property_trivial(bus, RTKIT_NAME, RTKIT_PATH, RTKIT_NAME, "RTTimeUSecMax", NULL,
                                    'x', &rttime_us) >= 0 &&
        rttime_us > 0 && rttime_us < RTKIT_RTTIME_NS / ST_NS_PER_US)
        *ret_rttime_ns = rttime_us * ST_NS_PER_US;
}

int st_rtkit_ask(struct st_platform *platform, pid_t tid, int priority, char *text,
                 size_t text_bytes)
{
    sd_bus *bus = NULL;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    int r = sd_bus_open_system(&bus);
    if (r < 0) {
        snprintf(text, text_bytes,
                 "cannot ask rtkit for real-time priority: no D-Bus system bus (%s)", strerror(-r));
        return r;
    }
    sd_bus_set_method_call_timeout(bus, TIMEOUT_US);
    int priority_max = RTKIT_PRIORITY_MAX;
    int64_t rttime_ns = RTKIT_RTTIME_NS;
    read_limits(bus, &priority_max, &rttime_ns);
    const int granted = ST_MIN(priority, priority_max);
    r = platform->set_rttime_limit_ns(platform, rttime_ns);
    if (r < 0) {
        snprintf(text, text_bytes, "rtkit was not asked: cannot set RLIMIT_RTTIME (%s)",
                 strerror(-r));
    } else {
        r = sd_bus_call_method(bus, RTKIT_NAME, RTKIT_PATH, RTKIT_NAME, "MakeThreadRealtimeWithPID",
                               &error, NULL, "ttu", (uint64_t)getpid(), (uint64_t)tid,
                               (uint32_t)granted);
        if (r < 0)
            snprintf(text, text_bytes, "rtkit gave no real-time priority: %s",
                     st_text_or(error.message, strerror(-r)));
        else
            snprintf(text, text_bytes,
                     "rtkit gave real-time priority %d (SCHED_RR), with at most %lld ms of "
                     "computing without a sleep",
                     granted, (long long)(rttime_ns / ST_NS_PER_MS));
    }
    sd_bus_error_free(&error);
    sd_bus_flush_close_unref(bus);
    return ST_MIN(r, 0);
}
