/* The Unix socket: its path, its lock, and the removal of one that a killed daemon left. */
#pragma once

#include "daemon/config/config.h"

#define ST_SOCKET_PATH_BYTES 1024 /* longer than the kernel's limit, for error messages */

struct st_socket {
    int fd;      /* listening; -1: none */
    int lock_fd; /* holds the lock PATH.lock; -1: none */
    char path[ST_SOCKET_PATH_BYTES];
};

/** Chooses the path: $SLEEPTUNE_SOCKET, socket.path, the system's run folder if writable,
 * $XDG_RUNTIME_DIR/sleeptune. In the last two cases makes the folder. @return NULL: *ret_error has a
 * sentence. */
ST_NODISCARD const char *st_socket_choose(const struct st_config *config, const char **ret_error);

/** Takes PATH.lock, removes a socket without a listener, binds, sets rights, listens. The lock file stays
 * when the daemon ends: if it were removed, two daemons could hold two files of the same name. @return
 * NULL, or a sentence that says why not. */
ST_NODISCARD const char *st_socket_open(struct st_socket *ret, const char *path,
                                        const struct st_config *config);

/** Sets mode and group of the socket; follows no link; as root refuses a folder that another user can
 * change. @return as st_socket_open. */
ST_NODISCARD const char *st_socket_set_rights(const struct st_socket *socket, const struct st_config *config);

/** Removes the socket and releases the lock. Closes fd unless an HTTP server took it (fd is then -1). */
void st_socket_close(struct st_socket *socket);
