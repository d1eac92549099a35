/* Asking the running sleeptuned over its Unix socket. */
#pragma once

#include <jansson.h>
#include <sys/un.h>

#include "core/base.h"
#include "st_config.h"

#define ST_DAEMON_SYSTEM_SOCKET ST_RUN_DIR "/sleeptune/sleeptuned.sock" /* --system is --socket with this */
#define ST_DAEMON_PATH_BYTES    sizeof(((struct sockaddr_un *)0)->sun_path)

/** Does a daemon listen on the socket that would be used? True if a socket was named. */
bool st_daemon_client_listens(const char *socket_wish);

/** Under sudo: who ran it has a daemon's socket, which is not asked. @return a sentence
 * without its full stop: "musician has a sleeptuned: run this without sudo"; NULL: not under sudo, or there
 * is none. */
const char *st_daemon_client_of_sudo(void);

struct st_daemon_answer {
    char socket[ST_DAEMON_PATH_BYTES]; /* who was asked */
    char *text;
    json_t *document;
    char error[512]; /* why there is none */
};

/**
 * Asks once, for at most timeout_ms.
 * @param socket_wish  --socket; NULL: $SLEEPTUNE_SOCKET, the caller's own daemon, the system's.
 * @param target  path and query, encoded: "/v1/causes?since=1h".
 * @param schema  what the answer must be; NULL: any text, without a document. The next step of a screen asks
 *                the same socket.
 * @return 0 or ST_EXIT_FAILURE, and then ret->error says why; finish *ret in both cases. */
ST_NODISCARD int st_daemon_client_try(const char *socket_wish, const char *target, const char *schema,
                                      int timeout_ms, struct st_daemon_answer *ret);
#define ST_DAEMON_TIMEOUT_MS 5000 /* the usual one */

/** The same for a mark, which is written, within ST_DAEMON_TIMEOUT_MS. @return also ST_EXIT_UNKNOWN: no
 * answer in time, but it has the request, and does it if it goes on. */
ST_NODISCARD int st_daemon_client_post(const char *socket_wish, const char *target,
                                       struct st_daemon_answer *ret);

/** For the screen: whose daemon answered, and how the other one is shown if it runs, too; "" if a socket was
 * named. If its version is not this program's: both, and how it is restarted.
 * @param ret_current is it? */
const char *st_daemon_client_whose(const char *socket_wish, const struct st_daemon_answer *answer,
                                   bool *ret_current);

/** A command "sleeptune status ..." or "sleeptune history ..." with the place that the user named: --socket,
 * --system, or of history --db. Other commands stay as they are. */
const char *st_daemon_client_again(const char *command, const char *socket_wish, const char *db);

void st_daemon_client_finish(struct st_daemon_answer *answer);
