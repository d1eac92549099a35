/* One request to a program on this machine, by HTTP/1.0 over the program's Unix socket. */
#pragma once

#include "core/base.h"

/** Sends a request and receives the answer. @param path of the socket. @param method "GET", or
 * "POST" without a body. @param target path and query, encoded: "/v1/causes?since=1h". @param
 * bytes_max of the answer, including its header. @param ret_body a new text, whatever the status
 * is; free it. Untrusted.
 * @return the HTTP status; or an error of connect(2) (-EAGAIN: too many clients wait for the
 * program); -ETIMEDOUT; -EBADMSG: the answer exceeds bytes_max or is not HTTP; -ENOMEM, -EIO.
 * Threads: any normal thread. */
ST_NODISCARD int st_local_http_ask(const char *path, const char *method, const char *target,
                                   int timeout_ms, size_t bytes_max, char **ret_body);

/** Does a program listen on that socket? true also if this user may not connect to it; false for
 * the socket that a killed program left. */
bool st_local_http_listens(const char *path);
