/* Asking the system's sleeptuned who had the CPU: a user's daemon has no right to the kernel's trace itself.
 * The answer is a document sleeptune-culprit/1. */
#pragma once

#include <jansson.h>
#include <sys/types.h>

#include "daemon/causes/cpu_trace.h"

#define ST_CULPRIT_SPAN_MAX_NS INT64_C(10000000000)

/**
 * Asks on that socket, for at most some 600 ms, who kept thread `tid` from its CPU between two moments of
 * CLOCK_REALTIME, which are at most ST_CULPRIT_SPAN_MAX_NS apart. The answer is not trusted.
 * @return 0; -ENOENT: no one; -ENOTSUP: that daemon does not trace; -EACCES: no right to its socket;
 * -ECONNREFUSED: none runs; or why it did not answer. Threads: any normal one. */
ST_NODISCARD int st_culprit_request(const char *socket_path, pid_t tid, int64_t since_wall_ns,
                                    int64_t until_wall_ns, struct st_trace_culprit *ret);

/** What is answered: r as st_culprit_request returns it. New reference; NULL when out of memory. */
json_t *st_culprit_request_answer(int r, const struct st_trace_culprit *culprit);

/** Reads such a document. @return as st_culprit_request; -EBADMSG. Pure. */
ST_NODISCARD int st_culprit_request_parse(const char *text, struct st_trace_culprit *ret);
