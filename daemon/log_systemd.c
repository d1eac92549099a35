/* The journal, with fields; syslog where no journal listens. */
#include "daemon/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

static const int priorities[] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};

static struct iovec as_iovec(char *text)
{
    return (struct iovec){.iov_base = text, .iov_len = strlen(text)};
}

void st_log_system(enum st_log_level level, const char *module, const char *event,
                   const struct st_log_field *fields, size_t fields_n, const char *text)
{
    char message[1100], priority[16], identifier[] = "SYSLOG_IDENTIFIER=sleeptuned", module_field[64],
                                      event_field[64];
    char values[ST_LOG_FIELDS_MAX][80];
    struct iovec vector[5 + ST_LOG_FIELDS_MAX];
    int n = 0;
    snprintf(message, sizeof(message), "MESSAGE=%s: %s", module, text);
    snprintf(priority, sizeof(priority), "PRIORITY=%d", priorities[level]);
    snprintf(module_field, sizeof(module_field), "SLEEPTUNE_MODULE=%s", module);
    vector[n++] = as_iovec(message);
    vector[n++] = as_iovec(priority);
    vector[n++] = as_iovec(identifier);
    vector[n++] = as_iovec(module_field);
    if (event != NULL) {
        snprintf(event_field, sizeof(event_field), "SLEEPTUNE_EVENT=%s", event);
        vector[n++] = as_iovec(event_field);
    }
    for (size_t i = 0; i < fields_n; i++) {
        snprintf(values[i], sizeof(values[i]), "SLEEPTUNE_%s=%" PRId64, fields[i].name, fields[i].value);
        vector[n++] = as_iovec(values[i]);
    }
    if (sd_journal_sendv(vector, n) < 0)
        syslog(LOG_DAEMON | priorities[level], "%s: %s", module, text);
}
