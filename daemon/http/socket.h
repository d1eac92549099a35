/* The Unix socket: where it is, who holds it, and one that a killed daemon left. */
#pragma once

#include "daemon/config/config.h"

#define ST_SOCKET_PATH_BYTES 1024 /* the kernel takes far less; longer ones are for the error message */

struct st_socket {
    int fd;      /* listening; -1: none */
    int lock_fd; /* holds PATH.lock; -1: none */
    char path[ST_SOCKET_PATH_BYTES];
};

/**
 * Chooses the path: $SLEEPTUNE_SOCKET, socket.path, the system's run folder where it can be written,
 * $XDG_RUNTIME_DIR/sleeptune. The last two make their folder.
 * @return NULL: a sentence is in *ret_error. */
ST_NODISCARD const char *st_socket_choose(const struct st_config *config, const char **ret_error);

/**
 * Takes PATH.lock, removes a socket without a listener, binds, sets rights, listens.
 * The lock file stays when the daemon ends: removing it would let two daemons hold two files of the same
 * name.
 * @return NULL, or a sentence: why not. */
ST_NODISCARD const char *st_socket_open(struct st_socket *ret, const char *path,
                                        const struct st_config *config);

/** Sets mode and group of the socket, through no link; as root not in a folder that another user can change.
 * @return as st_socket_open. */
ST_NODISCARD const char *st_socket_set_rights(const struct st_socket *socket, const struct st_config *config);

/** Removes the socket and frees the lock. fd is closed unless an HTTP server took it (then it is -1). */
void st_socket_close(struct st_socket *socket);
