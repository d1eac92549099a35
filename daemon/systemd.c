/* By libsystemd. Interface of rtkit: org.freedesktop.RealtimeKit1, README of rtkit 0.13. */
#include "daemon/systemd.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "core/ns.h"

#define RTKIT_NAME         "org.freedesktop.RealtimeKit1"
#define RTKIT_PATH         "/org/freedesktop/RealtimeKit1"
#define RTKIT_PRIORITY_MAX 20                 /* rtkit's own default limit */
#define RTKIT_RTTIME_NS    INT64_C(200000000) /* rtkit wants RLIMIT_RTTIME at most this */
#define TIMEOUT_US         3000000

void st_systemd_notify(const char *format, ...)
{
    char state[512];
    va_list args;
    va_start(args, format);
    vsnprintf(state, sizeof(state), format, args);
    va_end(args);
    sd_notify(0, state);
}

/* --- the journal --- */

static const int priorities[] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};

/* What is sent as one message. */
struct entry {
    char texts[8][1152];
    struct iovec vector[8];
    int n;
};

static void put(struct entry *entry, const char *format, ...) ST_PRINTF(2, 3);
static void put(struct entry *entry, const char *format, ...)
{
    char *text = entry->texts[entry->n];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(entry->texts[0]), format, args);
    va_end(args);
    entry->vector[entry->n++] = (struct iovec){.iov_base = text, .iov_len = strlen(text)};
}

void st_systemd_log(enum st_log_level level, const char *module, const char *event, int64_t count,
                    int64_t lateness_ns, const char *text)
{
    struct entry entry;
    entry.n = 0;
    put(&entry, "MESSAGE=%s: %s", module, text);
    put(&entry, "PRIORITY=%d", priorities[level]);
    put(&entry, "SYSLOG_IDENTIFIER=sleeptuned");
    put(&entry, "SLEEPTUNE_MODULE=%s", module);
    if (event != NULL)
        put(&entry, "SLEEPTUNE_EVENT=%s", event);
    if (count != INT64_MIN)
        put(&entry, "SLEEPTUNE_COUNT=%" PRId64, count);
    if (lateness_ns != INT64_MIN)
        put(&entry, "SLEEPTUNE_LATENESS_NS=%" PRId64, lateness_ns);
    if (sd_journal_sendv(entry.vector, entry.n) < 0)
        syslog(LOG_DAEMON | priorities[level], "%s: %s", module, text);
}

/* --- rtkit --- */

/* The limits that this rtkit was started with; our defaults if it does not report them. */
static void read_limits(sd_bus *bus, int *ret_priority_max, int64_t *ret_rttime_ns)
{
    int32_t priority_max = 0;
    int64_t rttime_us = 0;
    if (sd_bus_get_property_trivial(bus, RTKIT_NAME, RTKIT_PATH, RTKIT_NAME, "MaxRealtimePriority", NULL, 'i',
                                    &priority_max) >= 0 &&
        priority_max >= 1 && priority_max <= 99)
        *ret_priority_max = priority_max < RTKIT_PRIORITY_MAX ? priority_max : RTKIT_PRIORITY_MAX;
    if (sd_bus_get_property_trivial(bus, RTKIT_NAME, RTKIT_PATH, RTKIT_NAME, "RTTimeUSecMax", NULL, 'x',
                                    &rttime_us) >= 0 &&
        rttime_us > 0 && rttime_us < RTKIT_RTTIME_NS / ST_NS_PER_US)
        *ret_rttime_ns = rttime_us * ST_NS_PER_US;
}

int st_systemd_ask_rtkit(struct st_platform *platform, pid_t tid, int priority, char *text, size_t text_bytes)
{
    sd_bus *bus = NULL;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    int r = sd_bus_open_system(&bus);
    if (r < 0) {
        snprintf(text, text_bytes, "cannot ask rtkit: no system bus (%s)", strerror(-r));
        return r;
    }
    sd_bus_set_method_call_timeout(bus, TIMEOUT_US);
    int priority_max = RTKIT_PRIORITY_MAX;
    int64_t rttime_ns = RTKIT_RTTIME_NS;
    read_limits(bus, &priority_max, &rttime_ns);
    const int granted = priority < priority_max ? priority : priority_max;
    r = platform->set_rttime_limit_ns(platform, rttime_ns);
    if (r < 0) {
        snprintf(text, text_bytes, "rtkit was not asked: cannot set RLIMIT_RTTIME (%s)", strerror(-r));
    } else {
        r = sd_bus_call_method(bus, RTKIT_NAME, RTKIT_PATH, RTKIT_NAME, "MakeThreadRealtimeWithPID", &error,
                               NULL, "ttu", (uint64_t)getpid(), (uint64_t)tid, (uint32_t)granted);
        if (r < 0)
            snprintf(text, text_bytes, "rtkit gave no real-time priority: %s",
                     error.message != NULL ? error.message : strerror(-r));
        else
            snprintf(text, text_bytes, "rtkit granted SCHED_RR %d, with RLIMIT_RTTIME %lld ms", granted,
                     (long long)(rttime_ns / ST_NS_PER_MS));
    }
    sd_bus_error_free(&error);
    sd_bus_flush_close_unref(bus);
    return r < 0 ? r : 0;
}
