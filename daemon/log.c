/* Writes each log message as one line. */
#include "daemon/log.h"

#include "core/text/safe.h"
#include "daemon/systemd.h"

#define MESSAGE_BYTES 1024

static bool log_to_stderr = true;
static enum st_log_level log_level = ST_LOG_INFO;

static const char *const level_names[] = {"error", "warning", "info", "debug"};

void st_log_init(bool to_stderr, enum st_log_level level)
{
    log_to_stderr = to_stderr;
    log_level = level;
}

void st_log_event(enum st_log_level level, const char *module, const char *event, int64_t count,
                  int64_t lateness_ns, const char *text)
{
    const int saved_errno = errno;
    if (level <= log_level) {
        char safe[MESSAGE_BYTES]; /* names in the text may contain any bytes */
        st_safe_copy(safe, sizeof(safe), text, ST_TEXT_TO_NUL);
        if (log_to_stderr)
            fprintf(stderr, "sleeptuned %s: %s: %s\n", level_names[level], module, safe);
        else
            st_systemd_log(level, module, event, count, lateness_ns, safe);
    }
    errno = saved_errno;
}

void st_log(enum st_log_level level, const char *module, const char *format, ...)
{
    const int saved_errno = errno;
    char text[MESSAGE_BYTES];
    ST_PRINT_REST(text, sizeof(text), format);
    st_log_event(level, module, NULL, INT64_MIN, INT64_MIN, text);
    errno = saved_errno;
}
