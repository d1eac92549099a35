/* Queries the running sleeptuned over its Unix socket. */
#pragma once

#include <jansson.h>
#include <sys/un.h>

#include "core/base.h"
#include "st_config.h"

#define ST_DAEMON_SYSTEM_SOCKET                                                                    \
    ST_RUN_DIR "/sleeptune/sleeptuned.sock" /* --system means --socket with this path */
#define ST_DAEMON_PATH_BYTES sizeof(((struct sockaddr_un *)0)->sun_path)

/** Does a daemon listen on the socket that would be used? True if the user named a socket. */
bool st_daemon_client_listens(const char *socket_wish);

/** Under sudo: has the user who ran sudo a daemon, which is not asked? @return a sentence without
 * its full stop: "musician has a sleeptuned of their own: run this without sudo"; NULL: not under
 * sudo, or no such daemon. */
const char *st_daemon_client_of_sudo(void);

struct st_daemon_answer {
    char socket[ST_DAEMON_PATH_BYTES]; /* socket of the asked daemon */
    char *text;
    json_t *document;
    char error[512]; /* why there is no document */
};

/** Asks once, for at most timeout_ms. The next step of a screen then names the same socket. @param
 * socket_wish --socket; NULL: $SLEEPTUNE_SOCKET, the caller's own daemon, the system's. @param
 * target name of the document and query, encoded: "causes?since=1h"; "heard?by=..." sets a
 * mark. @return 0 or ST_EXIT_FAILURE with the reason in ret->error; ST_EXIT_UNKNOWN: no answer in
 * time to a mark, which the daemon sets when it runs again. Finish *ret in any case. */
ST_NODISCARD int st_daemon_client_try(const char *socket_wish, const char *target, int timeout_ms,
                                      struct st_daemon_answer *ret);
#define ST_DAEMON_TIMEOUT_MS 5000 /* usual timeout */

/** For the screen: whose daemon answered, and how to show the other one if it also runs; "" if the
 * user named a socket. If the daemon's version differs from this program's: both versions, and how
 * to restart the daemon. @param ret_current the versions are equal. */
const char *st_daemon_client_whose(const char *socket_wish, const struct st_daemon_answer *answer,
                                   bool *ret_current);

/** Adds the socket or file that the user named (--socket, --system, or --db of history) to a
 * command "sleeptune status ..." or "sleeptune history ...". Other commands stay unchanged. */
const char *st_daemon_client_again(const char *command, const char *socket_wish, const char *db);

void st_daemon_client_finish(struct st_daemon_answer *answer);
