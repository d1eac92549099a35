/* sleeptune status: asks the daemon over its Unix socket. */
#include "cli/module.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/daemon_client.h"
#include "cli/locale.h"
#include "cli/status_text.h"

#define COMMAND "status"

struct options {
    bool json;
    const char *socket; /* NULL: the usual places */
};

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

/* @return -1 to go on, else the exit status. */
static int read_options(int argc, char **argv, struct options *ret)
{
    static const struct option known[] = {{"json", no_argument, NULL, 'j'},
                                          {"format", required_argument, NULL, 'F'},
                                          {"socket", required_argument, NULL, 's'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int option;
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":", known, NULL)) != -1) {
        switch (option) {
        case 'j':
            ret->json = true;
            break;
        case 'F':
            if (strcmp(optarg, "text") != 0 && strcmp(optarg, "json") != 0)
                return st_usage_error(COMMAND, "--format: '%s' is not text or json", optarg);
            ret->json = strcmp(optarg, "json") == 0;
            break;
        case 's':
            ret->socket = optarg;
            break;
        case 'h':
            help();
            return ST_EXIT_DONE;
        case ':':
            return st_usage_error(COMMAND, "%s needs a value", argv[optind - 1]);
        default:
            return st_usage_error(COMMAND, "unknown option: %s", argv[optind - 1]);
        }
    }
    if (optind < argc)
        return st_usage_error(COMMAND, "what is '%s'?", argv[optind]);
    return -1;
}

static int print_text(const json_t *document, const char *path)
{
    struct st_locale_stream stream;
    st_status_text(st_locale_begin(&stream, stdout), document, path, st_terminal_width(STDOUT_FILENO));
    return st_locale_end(&stream) == 0 ? ST_EXIT_DONE : st_failure(COMMAND, "out of memory");
}

int st_module_run(int argc, char **argv)
{
    struct options options = {0};
    int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    struct st_daemon_answer answer;
    status = st_daemon_ask(COMMAND, options.socket, "/v1/status", "sleeptune-status/1", &answer);
    if (status == 0 && options.json)
        printf("%s\n", answer.text);
    else if (status == 0)
        status = print_text(answer.document, answer.socket);
    st_daemon_answer_finish(&answer);
    return status;
}
