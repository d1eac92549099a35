/* sleeptune status: asks the daemon over its Unix socket. */
#include "cli/module.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "cli/show/status_text.h"
#include "core/safe_text.h"
#include "platform/program/locale.h"

#define COMMAND "status"

static void help(void)
{
    fputs("Usage: sleeptune status [--json] [--socket PATH]\n"
          "Show what the running sleeptuned has measured.\n\n"
          "  --json         the document as it comes, sleeptune-status/1\n"
          "  --format F     text (default) or json\n"
          "  --socket PATH  socket of the daemon; also SLEEPTUNE_SOCKET\n"
          "  --help         this help\n\n"
          "Exit status: 0 done, 3 usage, 4 no daemon or no answer.\n",
          stdout);
}

static int print_text(const json_t *document, const char *path)
{
    struct st_locale_stream stream;
    st_status_text(st_locale_begin(&stream, stdout), document, path, st_terminal_width(STDOUT_FILENO));
    return st_locale_end(&stream) == 0 ? ST_EXIT_DONE : st_failure(COMMAND, "out of memory");
}

int st_module_run(int argc, char **argv)
{
    bool json = false;
    const char *socket = NULL; /* the usual places */
    const struct st_option options[] = {
        {"json", .flag = &json},
        {"format", .take = st_take_format, .ctx = &json},
        {"socket", .text = &socket},
    };
    int status = st_options_only(COMMAND, options, ST_ARRAY_LEN(options), help, argc, argv);
    if (status >= 0)
        return status;
    struct st_daemon_answer answer;
    status = st_daemon_ask(COMMAND, socket, "/v1/status", "sleeptune-status/1", &answer);
    if (status == 0 && json) {
        st_safe_print_lines(stdout, answer.text, ST_TEXT_TO_NUL);
        putchar('\n');
    } else if (status == 0) {
        status = print_text(answer.document, answer.socket);
    }
    st_daemon_answer_finish(&answer);
    return status;
}
