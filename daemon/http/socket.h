/* The Unix socket of the status: chooses its path, locks it, removes a socket that a killed daemon
 * left. */
#pragma once

#include "daemon/config/config.h"

/* longer than the kernel allows, so that an error message can show a path that is too long */
#define ST_SOCKET_PATH_BYTES 1024

struct st_socket {
    int fd;      /* the listening socket; -1: none */
    int lock_fd; /* descriptor that holds the lock PATH.lock; -1: none */
    char path[ST_SOCKET_PATH_BYTES];
};

/** Chooses the path, the first that is set or writable: $SLEEPTUNE_SOCKET, socket.path, the
 * system's run folder, $XDG_RUNTIME_DIR/sleeptune. Makes the folder in the last two cases. @return
 * NULL: *ret_error has a sentence. */
ST_NODISCARD const char *st_socket_choose(const struct st_config *config, const char **ret_error);

/** Takes PATH.lock, removes a socket on which no program listens, binds, sets rights, listens. The
 * lock file stays when the daemon ends: if it were removed, two daemons could hold locks on two
 * files of this name.
 * @return NULL, or a sentence that says why not. */
ST_NODISCARD const char *st_socket_open(struct st_socket *ret, const char *path,
                                        const struct st_config *config);

/** Sets mode and group of the socket. Follows no symbolic link. As root, refuses a folder that
 * another user can change. @return as st_socket_open. */
ST_NODISCARD const char *st_socket_set_rights(const struct st_socket *socket,
                                              const struct st_config *config);

/** Removes the socket and releases the lock. Closes fd unless the HTTP server took it (fd is then
 * -1). */
void st_socket_close(struct st_socket *socket);
