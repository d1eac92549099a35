/* Built without libcurl: the daemon cannot be asked. */
#include "cli/show/daemon_client.h"

#include <stdio.h>

#include "cli/command.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* of functions that do nothing */

bool st_daemon_client_listens(const char *socket_wish)
{
    return socket_wish != NULL;
}

int st_daemon_client_try(const char *socket_wish, const char *target, const char *schema, int timeout_ms,
                         struct st_daemon_answer *ret, char *error, size_t error_bytes)
{
    *ret = (struct st_daemon_answer){0};
    snprintf(error, error_bytes, "sleeptune was built without libcurl. To read a history, use --db FILE.");
    return ST_EXIT_FAILURE;
}

bool st_daemon_client_whose(const char *socket_wish, const struct st_daemon_answer *answer, char *buf,
                            size_t buf_bytes)
{
    buf[0] = '\0';
    return true;
}

void st_daemon_client_finish(struct st_daemon_answer *answer) {}
