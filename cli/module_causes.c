/* sleeptune causes: why wake-ups were late, asked of the running daemon. */
#include "cli/module.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/causes_text.h"
#include "cli/command.h"
#include "cli/daemon_client.h"
#include "cli/locale.h"
#include "lib/ns.h"

#define COMMAND "causes"

struct options {
    bool json;
    const char *format, *socket, *since, *until;
};

static void help(void)
{
    fputs("Usage: sleeptune causes [--since TIME] [--until TIME] [--json] [--socket PATH]\n"
          "Say why wake-ups were late while sleeptuned ran: by cause and culprit, the\n"
          "longest total first.\n\n"
          "  --since TIME   how long ago (1h, 30m), or seconds since 1970; default: all\n"
          "                 that the daemon holds, at most a day\n"
          "  --until TIME   likewise; default: now\n"
          "  --json         the document as it comes, sleeptune-causes/1\n"
          "  --format F     text (default) or json\n"
          "  --socket PATH  socket of the daemon; also SLEEPTUNE_SOCKET\n"
          "  --help         this help\n\n"
          "Exit status: 0 done, 3 usage, 4 no daemon or no answer.\n",
          stdout);
}

static int check_time(const char *option, const char *text)
{
    int64_t ns;
    if (text != NULL && (st_ns_parse(text, &ns) != 0 || strlen(text) > 40))
        return st_usage_error(COMMAND, "--%s: '%s' is not a time such as 1h, 30m or seconds since 1970",
                              option, text);
    return 0;
}

/* @return -1 to go on, else the exit status. */
static int read_options(int argc, char **argv, struct options *ret)
{
    const struct st_option known[] = {
        {.name = "json", .letter = 'j', .flag = &ret->json},
        {.name = "format", .text = &ret->format},
        {.name = "socket", .text = &ret->socket},
        {.name = "since", .text = &ret->since},
        {.name = "until", .text = &ret->until},
    };
    int first;
    const int status = st_options_read(COMMAND, known, ST_ARRAY_LEN(known), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (first < argc)
        return st_usage_error(COMMAND, "what is '%s'?", argv[first]);
    if (ret->format != NULL && strcmp(ret->format, "text") != 0 && strcmp(ret->format, "json") != 0)
        return st_usage_error(COMMAND, "--format: '%s' is not text or json", ret->format);
    ret->json = ret->json || (ret->format != NULL && strcmp(ret->format, "json") == 0);
    const int wrong = check_time("since", ret->since);
    if (wrong != 0)
        return wrong;
    return check_time("until", ret->until) != 0 ? ST_EXIT_USAGE : -1;
}

/* "/v1/causes?since=1h"; a duration needs no encoding. */
static void write_target(const struct options *options, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "/v1/causes%s%s%s%s%s",
             options->since != NULL || options->until != NULL ? "?" : "",
             options->since != NULL ? "since=" : "", options->since != NULL ? options->since : "",
             options->until != NULL ? "&until=" : "", options->until != NULL ? options->until : "");
}

int st_module_run(int argc, char **argv)
{
    struct options options = {0};
    int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    char target[160];
    write_target(&options, target, sizeof(target));
    struct st_daemon_answer answer;
    status = st_daemon_ask(COMMAND, options.socket, target, "sleeptune-causes/1", &answer);
    if (status == 0 && options.json) {
        printf("%s\n", answer.text);
    } else if (status == 0) {
        struct st_locale_stream stream;
        st_causes_text(st_locale_begin(&stream, stdout), answer.document, st_terminal_width(STDOUT_FILENO));
        status = st_locale_end(&stream) == 0 ? ST_EXIT_DONE : st_failure(COMMAND, "out of memory");
    }
    st_daemon_answer_finish(&answer);
    return status;
}
