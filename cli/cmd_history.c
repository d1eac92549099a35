/* sleeptune history: what sleeptuned measured, by steps of time. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chart/chart.h"
#include "cli/command.h"
#include "cli/show/history_ask.h"
#include "cli/show/history_plot.h"
#include "cli/show/history_text.h"
#include "cli/show/json_field.h"
#include "core/ns.h"
#include "core/when.h"
#include "platform/program/locale.h"
#include "platform/program/words.h"

#define COMMAND       "history"
#define USUAL_SPAN_NS (24 * 3600 * ST_NS_PER_S)
#define ROWS_USUAL    25 /* a day by hours, with the one that has begun */

struct options {
    struct st_history_options shared;
    const char *step, *plot;
};

static void help(void)
{
    fputs("Usage: sleeptune history [--since TIME] [--until TIME] [--step LENGTH]\n"
          "                         [--plot FILE] [--json] [--socket PATH | --db FILE]\n"
          "Show what sleeptuned measured: cycles, misses, xruns and lateness by steps of\n"
          "time. Where nothing was measured it says so.\n\n"
          "  --since TIME   how long ago (1h, 2d), a date (2026-11-20, \"2026-11-20 15:00\")\n"
          "                 or seconds since 1970; default: a day before\n"
          "                 --until\n"
          "  --until TIME   likewise; default: now\n"
          "  --step LENGTH  1m, 10m, 1h, 1d ...; default: what gives at most 25 rows\n"
          "  --plot FILE    draw p50, p99 and the latest wake of a step: .svg, or - for\n"
          "                 text\n"
          "  --json         the document, sleeptune-history/1\n"
          "  --format F     text (default) or json\n"
          "  --socket PATH  ask the daemon there; also SLEEPTUNE_SOCKET\n"
          "  --db FILE      read a file. Without --socket and --db: the daemon if one\n"
          "                 listens, else the system's file\n"
          "  --help         this help\n\n"
          "Exit status: 0 done, 2 nothing was measured in that time, 3 usage, 4 no history.\n",
          stdout);
}

/* @return -1 to go on, else the exit status. */
static int read_options(int argc, char **argv, struct options *ret)
{
    const struct st_option known[] = {
        {.name = "since", .text = &ret->shared.since},
        {.name = "until", .text = &ret->shared.until},
        {.name = "step", .text = &ret->step},
        {.name = "json", .letter = 'j', .flag = &ret->shared.json},
        {.name = "format", .take = st_take_format, .ctx = &ret->shared.json},
        {.name = "socket", .text = &ret->shared.socket},
        {.name = "db", .text = &ret->shared.db},
        {.name = "plot", .text = &ret->plot},
    };
    int first;
    const int status = st_options_read(COMMAND, known, ST_ARRAY_LEN(known), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (first < argc)
        return st_usage_error(COMMAND, "what is '%s'?", argv[first]);
    const int wrong = st_chart_option_check(COMMAND, ret->plot, ret->shared.json);
    return wrong != 0 ? wrong : -1;
}

/* @return 0 or ST_EXIT_USAGE. */
static int make_wish(const struct options *options, struct st_history_wish *ret)
{
    const int64_t now_ns = st_history_now_ns();
    const int status = st_history_times(COMMAND, &options->shared, now_ns, ret);
    if (status != 0)
        return status;
    if (ret->until_ns == INT64_MIN)
        ret->until_ns = now_ns;
    if (ret->since_ns == INT64_MIN)
        ret->since_ns = ret->until_ns - USUAL_SPAN_NS;
    if (ret->since_ns > ret->until_ns)
        return st_usage_error(COMMAND, "--since is behind --until");
    if (options->step == NULL) {
        ret->step_ns = st_when_step(ret->until_ns - ret->since_ns, ROWS_USUAL);
        return 0;
    }
    if (st_when_parse_length(options->step, &ret->step_ns) != 0 || ret->step_ns < 60 * ST_NS_PER_S)
        return st_usage_error(COMMAND,
                              "--step: '%s' is not a length of time of a minute or more: 1m, 10m, 1h, 1d",
                              options->step);
    return 0;
}

/* The usual step for what there is of the time that was asked for: what lies before it is one row. */
static int64_t step_for(const json_t *document, const struct st_history_wish *wish)
{
    const json_t *rows = json_object_get(document, "rows"), *first = json_array_get(rows, 0);
    if (json_array_size(rows) < 2 || !json_is_null(json_object_get(first, "cycles")))
        return wish->step_ns;
    return st_when_step(wish->until_ns - st_json_field(first, "to_ns"), ROWS_USUAL - 1);
}

/* Asks again with a shorter step while the time that was asked for began long before the history did. */
static int ask(const struct options *options, struct st_history_wish *wish, json_t **ret)
{
    int status = st_history_ask(COMMAND, wish, ret);
    while (status == 0 && options->step == NULL) {
        const int64_t step_ns = step_for(*ret, wish);
        if (step_ns >= wish->step_ns)
            break;
        wish->step_ns = step_ns;
        json_decref(*ret);
        status = st_history_ask(COMMAND, wish, ret);
    }
    return status;
}

static int print_text(const json_t *document)
{
    struct st_locale_stream stream;
    st_history_text(st_locale_begin(&stream, stdout), document, st_terminal_width(STDOUT_FILENO));
    return st_locale_end(&stream) == 0 ? ST_EXIT_DONE : st_failure(COMMAND, "out of memory");
}

int st_cmd_history(int argc, char **argv)
{
    struct options options = {0};
    struct st_history_wish wish = {.document = ST_HISTORY_OF_STEPS,
                                   .since_ns = INT64_MIN,
                                   .until_ns = INT64_MIN,
                                   .step_ns = INT64_MIN,
                                   .limit = INT64_MIN,
                                   .after = INT64_MIN};
    json_t *document;
    int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    status = make_wish(&options, &wish);
    if (status == 0)
        status = ask(&options, &wish, &document);
    if (status != 0)
        return status;
    const bool measured = st_history_measured(document);
    if (!options.shared.json)
        status = print_text(document);
    if (status == ST_EXIT_DONE && options.plot != NULL && measured)
        status = st_history_plot(COMMAND, document, options.plot);
    if (options.shared.json)
        status = status == ST_EXIT_DONE ? st_print_json(COMMAND, document) : status;
    else
        json_decref(document);
    return status == ST_EXIT_DONE && !measured ? ST_EXIT_UNKNOWN : status;
}
