/* Asks the system's sleeptuned which thread or interrupt had the CPU, since a user's daemon may not
 * read the kernel's trace. The answer is a document sleeptune-culprit/1. */
#pragma once

#include <jansson.h>
#include <sys/types.h>

#include "daemon/causes/cpu_trace.h"

#define ST_CULPRIT_SPAN_MAX_NS INT64_C(10000000000)

/** Asks the daemon at socket_path, for at most 600 ms, who kept thread `tid` from its CPU between
 * two moments of CLOCK_REALTIME, which are at most ST_CULPRIT_SPAN_MAX_NS apart. The answer is
 * untrusted. @return 0; -ENOENT: no culprit is known; -ENOTSUP: the daemon does not trace; -EACCES:
 * no right to the socket; -ECONNREFUSED: no daemon runs; or why there is no answer. Threads: any
 * normal thread. */
ST_NODISCARD int st_culprit_request(const char *socket_path, pid_t tid, int64_t since_wall_ns,
                                    int64_t until_wall_ns, struct st_trace_culprit *ret);

/** Makes the answer, in the daemon that is asked. @param r the value that st_culprit_request must
 * return in the daemon that asked. @return new reference; NULL: out of memory. */
json_t *st_culprit_request_answer(int r, const struct st_trace_culprit *culprit);

/** Parses a document sleeptune-culprit/1. @return as st_culprit_request; -EBADMSG: not a document.
 * Pure. */
ST_NODISCARD int st_culprit_request_parse(const char *text, struct st_trace_culprit *ret);
