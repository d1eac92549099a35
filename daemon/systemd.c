/* The service manager and the journal, through libsystemd. */
#include "daemon/systemd.h"

#include <syslog.h>
#include <systemd/sd-daemon.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

void st_systemd_notify(const char *format, ...)
{
    char state[512];
    ST_PRINT_REST(state, sizeof(state), format);
    sd_notify(0, state);
}

/* --- the journal --- */

static const int priorities[] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};

/* The fields of one journal message. */
struct entry {
    char texts[8][1152];
    struct iovec vector[8];
    int n;
};

static void ST_PRINTF(2, 3) put(struct entry *entry, const char *format, ...)
{
    char *text = entry->texts[entry->n];
    ST_PRINT_REST(text, sizeof(entry->texts[0]), format);
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
        put(&entry, "SLEEPTUNE_COUNT=%jd", count);
    if (lateness_ns != INT64_MIN)
        put(&entry, "SLEEPTUNE_LATENESS_NS=%jd", lateness_ns);
    if (sd_journal_sendv(entry.vector, entry.n) < 0)
        syslog(LOG_DAEMON | priorities[level], "%s: %s", module, text);
}
