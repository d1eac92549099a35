/* sleeptune events: what happened while sleeptuned ran. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/history_ask.h"
#include "cli/show/history_text.h"
#include "core/event.h"
#include "core/json.h"
#include "core/ns.h"
#include "platform/program/locale.h"
#include "platform/program/words.h"

#define COMMAND   "events"
#define LIMIT_MAX 5000
#define LIMIT     500
#define FOLLOWED  10 /* shown before what is new */

struct options {
    struct st_history_options shared;
    const char *kind;
    int64_t limit;
    bool follow;
};

static void help(void)
{
    fputs("Usage: sleeptune events [--since TIME] [--until TIME] [--kind NAME] [--limit N]\n"
          "                        [--follow] [--json] [--socket PATH | --db FILE]\n"
          "Show what happened while sleeptuned ran: late wake-ups, xruns, suspends, what\n"
          "was degraded; oldest first.\n\n"
          "  --since TIME   how long ago (1h, 2d), a date (2026-11-20, \"2026-11-20 15:00\")\n"
          "                 or seconds since 1970; default: all\n"
          "  --until TIME   likewise; default: now\n"
          "  --kind NAME    only late-wake, observed-xrun ...; sleeptuned(8) has all names\n"
          "  --limit N      the last N, 1 to 5000; default 500, with --follow 10\n"
          "  --follow       go on with what is new until Ctrl-C; --json: an event a line\n"
          "  --json         the document, sleeptune-events/1\n"
          "  --format F     text (default) or json\n"
          "  --socket PATH  ask the daemon there; also SLEEPTUNE_SOCKET\n"
          "  --db FILE      read a file. Without --socket and --db: the daemon if one\n"
          "                 listens, else the system's file\n"
          "  --help         this help\n\n"
          "Exit status: 0 done, 3 usage, 4 no history.\n",
          stdout);
}

/* @return -1 to go on, else the exit status. */
static int read_options(int argc, char **argv, struct options *ret)
{
    const struct st_option known[] = {
        {.name = "since", .text = &ret->shared.since},
        {.name = "until", .text = &ret->shared.until},
        {.name = "kind", .text = &ret->kind},
        {.name = "limit", .letter = 'n', .number = &ret->limit, .min = 1, .max = LIMIT_MAX},
        {.name = "follow", .letter = 'f', .flag = &ret->follow},
        {.name = "json", .letter = 'j', .flag = &ret->shared.json},
        {.name = "format", .take = st_take_format, .ctx = &ret->shared.json},
        {.name = "socket", .text = &ret->shared.socket},
        {.name = "db", .text = &ret->shared.db},
    };
    int first;
    const int status = st_options_read(COMMAND, known, ST_ARRAY_LEN(known), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (first < argc)
        return st_usage_error(COMMAND, "what is '%s'?", argv[first]);
    if (ret->kind != NULL && !st_event_is_name(ret->kind))
        return st_usage_error(COMMAND, "--kind: '%s' is no kind of events; there are " ST_EVENT_NAMES,
                              ret->kind);
    if (ret->follow && ret->shared.until != NULL)
        return st_usage_error(COMMAND, "--follow has no --until");
    return -1;
}

static int print_events(const json_t *document, const struct options *options)
{
    const json_t *list = json_object_get(document, "events"), *event;
    struct st_locale_stream stream;
    size_t i;
    if (options->shared.json) { /* --follow: an event a line */
        json_array_foreach(list, i, event)
        {
            char *text = st_json_dump(event, JSON_COMPACT, NULL);
            if (text == NULL)
                return st_failure(COMMAND, "out of memory");
            puts(text);
            free(text);
        }
    } else {
        FILE *out = st_locale_begin(&stream, stdout);
        if (!options->follow && json_is_true(json_object_get(document, "more")))
            fprintf(out, "(the last %zu; there are older ones: --limit, --since)\n", json_array_size(list));
        if (!options->follow && json_array_size(list) == 0)
            fputs(options->kind != NULL ? "no such events in that time\n" : "no events in that time\n", out);
        json_array_foreach(list, i, event) st_event_text(out, event, st_terminal_width(STDOUT_FILENO));
        if (st_locale_end(&stream) != 0)
            return st_failure(COMMAND, "out of memory");
    }
    return fflush(stdout) == 0 ? ST_EXIT_DONE : st_failure(COMMAND, "writing to standard output failed");
}

/* Asks each second for what came after. A daemon that starts again, a history that is locked: it goes on. */
static int follow(const struct options *options, struct st_history_wish *wish, int64_t last_id)
{
    const struct timespec second = {.tv_sec = 1};
    wish->since_ns = INT64_MIN;
    wish->limit = LIMIT_MAX;
    wish->after = last_id;
    char error[512] = "", told[512] = "";
    wish->error = error;
    wish->error_bytes = sizeof(error);
    for (;;) {
        json_t *document;
        nanosleep(&second, NULL);
        int status = st_history_ask(COMMAND, wish, &document);
        if (status != ST_EXIT_DONE) {
            if (strcmp(error, told) != 0)
                (void)st_failure(COMMAND, "%s; asking again each second", error);
            memcpy(told, error, sizeof(told));
            continue;
        }
        told[0] = '\0';
        const json_t *list = json_object_get(document, "events");
        const json_t *last = json_array_get(list, json_array_size(list) - 1);
        const int64_t stored = json_integer_value(json_object_get(document, "last_id"));
        if (last != NULL)
            wish->after = json_integer_value(json_object_get(last, "id"));
        else if (stored < wish->after)
            wish->after = stored; /* a new history was begun */
        status = print_events(document, options);
        json_decref(document);
        if (status != ST_EXIT_DONE)
            return status;
    }
}

int st_cmd_events(int argc, char **argv)
{
    struct options options = {0};
    struct st_history_wish wish = {.document = ST_HISTORY_OF_EVENTS,
                                   .since_ns = INT64_MIN,
                                   .until_ns = INT64_MIN,
                                   .step_ns = INT64_MIN,
                                   .after = INT64_MIN};
    json_t *document;
    int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    status = st_history_times(COMMAND, &options.shared, st_history_now_ns(), &wish);
    if (status != 0)
        return status;
    wish.limit = options.limit > 0 ? options.limit : options.follow ? FOLLOWED : LIMIT;
    wish.kind = options.kind;
    status = st_history_ask(COMMAND, &wish, &document);
    if (status != ST_EXIT_DONE)
        return status;
    if (options.shared.json && !options.follow)
        return st_print_json(COMMAND, document);
    const int64_t last_id = json_integer_value(json_object_get(document, "last_id"));
    status = print_events(document, &options);
    json_decref(document);
    return status == ST_EXIT_DONE && options.follow ? follow(&options, &wish, last_id) : status;
}
