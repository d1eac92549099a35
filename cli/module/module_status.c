/* sleeptune status: asks the daemon over its Unix socket, and prints its screen. */
#include "cli/module.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "cli/show/status_screen.h"
#include "core/text/safe.h"
#include "platform/program/locale.h"
#include "platform/program/terminal.h"

#define COMMAND  "status"
#define ROWS_MAX 300
#define ASK_MS   500

static int print_text(const struct st_daemon_answer *answer, const struct st_status_wish *wish)
{
    char whose[ST_DAEMON_WHOSE_BYTES];
    const struct st_status_screen how = {
        .details = wish->details,
        .whose = st_daemon_client_whose(wish->socket, answer->socket, whose, sizeof(whose)),
        .socket = answer->socket};
    struct st_screen screen;
    if (st_screen_init(&screen, ROWS_MAX, st_terminal_width(STDOUT_FILENO), st_locale_utf8()) != 0)
        return st_failure(COMMAND, "out of memory");
    st_status_screen_draw(&screen, answer->document, &how);
    st_screen_print(&screen, stdout);
    st_screen_finish(&screen);
    return ST_EXIT_DONE;
}

int st_module_run(const struct st_status_wish *wish)
{
    struct st_daemon_answer answer;
    char error[512];
    int status = st_daemon_client_try(wish->socket, "/v1/status", "sleeptune-status/1", ST_DAEMON_TIMEOUT_MS,
                                      &answer, error, sizeof(error));
    if (status != 0) {
        (void)st_failure(COMMAND, "%s", error);
    } else if (wish->json) {
        st_safe_print_lines(stdout, answer.text, ST_TEXT_TO_NUL);
        putchar('\n');
    } else if (!st_status_screen_is_in(answer.document)) {
        status = st_failure(COMMAND, ST_STATUS_SCREEN_MISSING, answer.socket);
    } else {
        status = print_text(&answer, wish);
    }
    st_daemon_client_finish(&answer);
    return status;
}

json_t *st_module_ask(void)
{
    struct st_daemon_answer answer;
    char error[512];
    const int r =
        st_daemon_client_try(NULL, "/v1/status", "sleeptune-status/1", ASK_MS, &answer, error, sizeof(error));
    json_t *document = r == 0 ? json_incref(answer.document) : NULL;
    st_daemon_client_finish(&answer);
    return document;
}
