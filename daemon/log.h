/* Log messages go to stderr (-f), otherwise to the journal or syslog. Unsafe bytes are replaced
 * (core/text/safe.h). Each file defines LOG_MODULE before it includes this header. */
#pragma once

#include "core/base.h"

enum st_log_level { ST_LOG_ERR, ST_LOG_WARN, ST_LOG_INFO, ST_LOG_DBG };

/** @param to_stderr write to stderr (option -f). @param level the most detailed level that is
 * written. Call before other threads exist. */
void st_log_init(bool to_stderr, enum st_log_level level);

/** Logs a message. Does not change errno. Threads: any but the cycle loop. */
void st_log(enum st_log_level level, const char *module, const char *format, ...) ST_PRINTF(3, 4);

/** Logs a named event, with fields by which the journal can be filtered: SLEEPTUNE_EVENT,
 * SLEEPTUNE_COUNT, SLEEPTUNE_LATENESS_NS. Does not change errno. @param event NULL: no name. @param
 * count, lateness_ns INT64_MIN: the field is omitted. */
void st_log_event(enum st_log_level level, const char *module, const char *event, int64_t count,
                  int64_t lateness_ns, const char *text);

#define ST_ERR(...)  st_log(ST_LOG_ERR, LOG_MODULE, __VA_ARGS__)
#define ST_WARN(...) st_log(ST_LOG_WARN, LOG_MODULE, __VA_ARGS__)
#define ST_INFO(...) st_log(ST_LOG_INFO, LOG_MODULE, __VA_ARGS__)
#define ST_DBG(...)  st_log(ST_LOG_DBG, LOG_MODULE, __VA_ARGS__)
