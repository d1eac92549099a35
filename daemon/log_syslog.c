/* The system's log where there is no journal. */
#include "daemon/log.h"

#include <syslog.h>

static const int priorities[] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};

void st_log_system(enum st_log_level level, const char *module, const char *event,
                   const struct st_log_field *fields, size_t fields_n, const char *text)
{
    (void)fields;
    (void)fields_n;
    syslog(LOG_DAEMON | priorities[level], "%s: %s%s%s%s", module, text, event != NULL ? " (" : "",
           event != NULL ? event : "", event != NULL ? ")" : "");
}
