/* sleeptune causes: why wake-ups were late, of the running daemon or of a history's file. */
#include <stdio.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/causes_text.h"
#include "cli/show/history_ask.h"
#include "platform/program/locale.h"
#include "platform/program/words.h"

#define COMMAND "causes"

static void help(void)
{
    fputs("Usage: sleeptune causes [--since TIME] [--until TIME] [--json]\n"
          "                        [--socket PATH | --db FILE]\n"
          "Say why wake-ups were late while sleeptuned ran: by cause and culprit, the\n"
          "longest total first.\n\n"
          "  --since TIME   how long ago (1h, 2d), a date (2026-11-20, \"2026-11-20 15:00\")\n"
          "                 or seconds since 1970; default: all that there is, of a\n"
          "                 running daemon at most a day\n"
          "  --until TIME   likewise; default: now\n"
          "  --json         the document, sleeptune-causes/1\n"
          "  --format F     text (default) or json\n"
          "  --socket PATH  ask the daemon there; also SLEEPTUNE_SOCKET\n"
          "  --db FILE      read a history, for what is longer ago. Without --socket and\n"
          "                 --db: the daemon if one listens, else the system's file\n"
          "  --help         this help\n\n"
          "Exit status: 0 done, 3 usage, 4 no daemon and no history.\n",
          stdout);
}

int st_cmd_causes(int argc, char **argv)
{
    struct st_history_options options = {0};
    const struct st_option known[] = {
        {.name = "since", .text = &options.since},
        {.name = "until", .text = &options.until},
        {.name = "json", .letter = 'j', .flag = &options.json},
        {.name = "format", .take = st_take_format, .ctx = &options.json},
        {.name = "socket", .text = &options.socket},
        {.name = "db", .text = &options.db},
    };
    int first;
    int status = st_options_read(COMMAND, known, ST_ARRAY_LEN(known), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (first < argc)
        return st_usage_error(COMMAND, "what is '%s'?", argv[first]);
    struct st_history_wish wish = {.document = ST_HISTORY_OF_CAUSES,
                                   .since_ns = INT64_MIN,
                                   .until_ns = INT64_MIN,
                                   .step_ns = INT64_MIN,
                                   .limit = INT64_MIN,
                                   .after = INT64_MIN};
    status = st_history_times(COMMAND, &options, st_history_now_ns(), &wish);
    json_t *document;
    if (status == 0)
        status = st_history_ask(COMMAND, &wish, &document);
    if (status != ST_EXIT_DONE)
        return status;
    if (options.json)
        return st_print_json(COMMAND, document);
    struct st_locale_stream stream;
    st_causes_text(st_locale_begin(&stream, stdout), document, st_terminal_width(STDOUT_FILENO));
    status = st_locale_end(&stream) == 0 ? ST_EXIT_DONE : st_failure(COMMAND, "out of memory");
    json_decref(document);
    if (fflush(stdout) != 0)
        return st_failure(COMMAND, "writing to standard output failed");
    return status;
}
