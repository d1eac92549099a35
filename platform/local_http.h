/* One question to a program on this machine, by HTTP/1.0 over its Unix socket. */
#pragma once

#include "core/base.h"

/**
 * @param path  of the socket. @param method "GET", or "POST" without a body. @param target  path and query,
 * encoded: "/v1/causes?since=1h".
 * @param timeout_ms  of all of it. @param bytes_max  of the answer, with its header.
 * @param ret_body  a new text, whatever the status is; free it. Not trusted.
 * @return the HTTP status; or as connect(2), -EAGAIN: too many others wait there; -ETIMEDOUT: no answer in
 * time; -EBADMSG: it is longer, or no HTTP; -ENOMEM, -EIO. Threads: any normal one. */
ST_NODISCARD int st_local_http_ask(const char *path, const char *method, const char *target, int timeout_ms,
                                   size_t bytes_max, char **ret_body);

/** Does a program listen there? One that this user may not ask does; one that was killed left its socket. */
bool st_local_http_listens(const char *path);
