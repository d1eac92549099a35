/* sleeptune history: shows what sleeptuned has recorded: a table over time, events, causes, what
 * was heard, or changes. */
#include <unistd.h>

#include "cli/command.h"
#include "cli/module/module_history.h"
#include "cli/show/daemon_client.h"
#include "cli/show/history_text.h"
#include "core/text/json.h"
#include "core/text/number.h"
#include "core/text/safe.h"
#include "core/when.h"
#include "platform/module.h"
#include "platform/posix/posix.h"
#include "platform/program/output.h"
#include "platform/program/terminal.h"

#define EVENTS_MAX 5000

typedef void (*print_fn)(FILE *out, const json_t *document,
                         const struct st_history_text_look *look);

/* The views of the history. An option chooses each one; without such an option STEPS is shown, a
 * table over time. */
enum { STEPS, EVENTS, CAUSES, HEARD, CHANGES, VIEWS_N };
static const struct {
    enum st_history_document document;
    print_fn print;
} views[VIEWS_N] = {[STEPS] = {ST_HISTORY_OF_STEPS, st_history_text_steps},
                    [EVENTS] = {ST_HISTORY_OF_EVENTS, st_history_text_events},
                    [CAUSES] = {ST_HISTORY_OF_CAUSES, st_history_text_causes},
                    [HEARD] = {ST_HISTORY_OF_HEARD, st_history_text_heard},
                    [CHANGES] = {ST_HISTORY_OF_STEPS, st_history_text_changes}};

struct options {
    bool asked[VIEWS_N], json, system, details;
    const char *since, *until, *socket, *db;
    const char *step; /* length of a row of the table over time; not for other views */
    const char *kind; /* kind and limit: only with --events */
    const char *trace, *output;
    int64_t limit;
};

static const char help[] =
    "Usage: sleeptune history [--events | --causes | --heard | --changes |\n"
    "                         --trace ID] [OPTION...]\n"
    "Show what sleeptuned has recorded: which program made dropouts, and why; a table\n"
    "over time, the events, the causes, what you heard, or what changed.\n"
    "\n"
    "  --since TIME     how long ago (1h, 2d), when (9:25, 2026-11-20, \"2026-11-20\n"
    "                   15:00\") or seconds since 1970 (a day before --until; with\n"
    "                   --events, --causes and --heard: everything)\n"
    "  --until TIME     until when, in the same forms as --since (now)\n"
    "  --step LENGTH    time of one table row: 1m, 10m, 1h ... (at most 25 rows)\n"
    "  --details        all programs, each event in full, all changes\n"
    "  --json           JSON: sleeptune-history/1, -events/1, -causes/1, -heard/1\n"
    "  --system         ask the system's sleeptuned, also if your own runs\n"
    "  --socket PATH    ask the daemon on this socket; also SLEEPTUNE_SOCKET\n"
    "  --db FILE        read this file. Without --system, --socket and --db: ask\n"
    "                   your own sleeptuned, else the system's, else read its file\n"
    "  -h, --help       this text\n"
    "\n"
    "Events, oldest first:\n"
    "  --events         dropouts, suspends, degraded service ...; with --details,\n"
    "                   --kind or --limit late wake-ups of the timing test, too\n"
    "  --kind NAME      only this kind: late-wake, device-dropout ...\n"
    "  -n, --limit N    the last N, 1 to 5000 (500)\n"
    "\n"
    "Causes, the longest total first:\n"
    "  --causes         why clients were not ready, why wake-ups were late, and which\n"
    "                   program was the culprit\n"
    "\n"
    "Marks of 'sleeptune heard', oldest first:\n"
    "  --heard          what happened before each, and which cause comes before them\n"
    "                   more often than chance would have it\n"
    "\n"
    "Since when it is worse (in the whole history):\n"
    "  --changes        new versions, settings and files, and since which of them\n"
    "                   dropouts are more frequent\n"
    "\n"
    "One dropout or mark as a file for ui.perfetto.dev:\n"
    "  --trace ID       the ten seconds before it: each client of PipeWire, how much\n"
    "                   sound was left (ALSA, PulseAudio, JACK), and the kernel, if\n"
    "                   sleeptuned traces; ID: as --events --details prints it, or\n"
    "                   last\n"
    "  -o, --output F   the file (standard output)\n"
    "\n"
    "Exit status: 0 done, 2 nothing was measured in that time, 3 usage, 4 no history.\n";

/* Checks that the options fit together. @return -1: they do; ST_EXIT_USAGE, after a message. */
static int check_options(const struct options *o)
{
    int others = o->trace != NULL;
    ST_EACH (asked, o->asked)
        others += *asked;
    if (others > 1)
        return st_failure_usage(
            "--events, --causes, --heard, --changes and --trace cannot be used together");
    if (o->output != NULL && o->trace == NULL)
        return st_failure_usage("--output needs --trace");
    if (o->trace != NULL && (o->json || o->since != NULL || o->until != NULL))
        return st_failure_usage("--json, --since and --until cannot be used with --trace");
    if (others > 0 && o->step != NULL)
        return st_failure_usage(
            "--step cannot be used with --events, --causes, --heard or --changes");
    if (o->asked[CHANGES] && (o->since != NULL || o->until != NULL))
        return st_failure_usage(
            "--changes compares the whole history: leave out --since and --until");
    if (!o->asked[EVENTS] && (o->kind != NULL || o->limit > 0))
        return st_failure_usage("--kind and --limit need --events");
    if (o->kind != NULL && st_event_kind_of(o->kind) == ST_EVENT_KINDS)
        return st_failure_usage(
            "--kind: '%s' is not a kind of event; the kinds are " ST_EVENT_NAMES, o->kind);
    if ((o->socket != NULL) + (o->db != NULL) + o->system > 1)
        return st_failure_usage(
            "--system and --socket ask a daemon, --db reads a file: choose one");
    return -1;
}

/* Reads the options. @return -1 to continue, else the exit status. */
static int read_options(int argc, char **argv, struct options *ret)
{
    const struct st_option known[] = {
        {"events", .flag = &ret->asked[EVENTS]},
        {"causes", .flag = &ret->asked[CAUSES]},
        {"heard", .flag = &ret->asked[HEARD]},
        {"changes", .flag = &ret->asked[CHANGES]},
        {"since", .text = &ret->since},
        {"until", .text = &ret->until},
        {"step", .text = &ret->step},
        {"kind", .text = &ret->kind},
        {"limit", 'n', .number = &ret->limit, .min = 1, .max = EVENTS_MAX},
        {"details", .flag = &ret->details},
        {"trace", .text = &ret->trace},
        {"output", 'o', .text = &ret->output},
        {.name = "json", .flag = &ret->json},
        {"system", .flag = &ret->system},
        {"socket", .text = &ret->socket},
        {"db", .text = &ret->db},
    };
    const int status = st_options_only(known, ST_ARRAY_LEN(known), help, argc, argv);
    return status < 0 ? check_options(ret) : status;
}

static int take_time(const char *option, const char *text, int64_t now_wall_ns, int64_t *ret)
{
    if (text == NULL || st_when_parse(text, now_wall_ns, true, ret) == 0)
        return 0;
    return st_failure_usage("%s: '%s' is not a time: give how long ago (1h, 2d), when (9:25, "
                            "2026-11-20, \"2026-11-20 15:00\") or seconds since 1970",
                            option, text);
}

/* Reads the requested time, and the length of a row, from the options. @return 0 or
 * ST_EXIT_USAGE. */
static int make_wish(const struct options *options, struct st_history_asked *ret)
{
    const int64_t now_ns = st_posix_wall_ns(NULL);
    int status = take_time("--since", options->since, now_ns, &ret->since_ns);
    if (status == 0)
        status = take_time("--until", options->until, now_ns, &ret->until_ns);
    if (status != 0)
        return status;
    if (ret->since_ns > now_ns && ret->until_ns == INT64_MIN)
        return st_failure_usage("--since is in the future");
    if (ret->until_ns != INT64_MIN && ret->since_ns > ret->until_ns)
        return st_failure_usage("--since is later than --until");
    if (options->step != NULL && (st_when_parse_length(options->step, &ret->step_ns) != 0 ||
                                  ret->step_ns < ST_NS_PER_MINUTE))
        return st_failure_usage(
            "--step: '%s' is not a time of at least a minute, such as 1m, 10m, 1h or 1d",
            options->step);
    return 0;
}

/* Gets a document of the history from the daemon or the file. @return an st_exit, after a message;
 * *ret is set on ST_EXIT_DONE only. */
static int ask(const struct st_history_wish *wish, json_t **ret)
{
    st_module_history_ask_fn function;
    const char *error = st_module_load("history", ST_MODULE_HISTORY_ASK_SYMBOL, &function);
    if (error != NULL)
        return st_failure("cannot load: %s", error);
    return function(st_program_command, wish, ret);
}

static const struct st_os_row *here(void)
{
    return &st_os_rows[st_platform_native()->os];
}

/* Prints the document as text, with its source. */
static int print_text(const struct options *options, const struct st_history_wish *wish,
                      const json_t *document, print_fn print)
{
    struct st_locale_stream stream;
    const struct st_history_text_look look = {
        .columns = st_terminal_width(STDOUT_FILENO),
        .now_wall_ns = st_posix_wall_ns(NULL),
        .details = options->details,
        .late = options->details || options->kind != NULL ||
                options->limit > 0, /* --limit N prints N events, including late wake-ups */
        .socket = wish->socket,
        .db = wish->db,
        .trace = here()->trace};
    print(st_locale_begin(&stream, stdout), document, &look);
    if (st_locale_end(&stream) != 0)
        return st_failure("out of memory");
    if ((*wish->whose)[0] != '\0') {
        fputs("\nShown: ", stdout);
        st_safe_print(stdout, *wish->whose, ST_TEXT_TO_NUL);
        putchar('\n');
    }
    return fflush(stdout) == 0 ? ST_EXIT_DONE : st_failure("writing to standard output failed");
}

static int show_document(const struct options *options, const struct st_history_wish *wish,
                         int view)
{
    json_t *document;
    int status = ask(wish, &document);
    if (status != ST_EXIT_DONE)
        return status;
    const bool measured = view != STEPS || st_history_text_measured(document);
    if (options->json)
        status = st_output_json(json_incref(document));
    else
        status = print_text(options, wish, document, views[view].print);
    json_decref(document);
    return status == ST_EXIT_DONE && !measured ? ST_EXIT_UNKNOWN : status;
}

/* --- one event as a trace file --- */

/* Finds the time of the event with that number. @return 0, or an st_exit after a message. */
static int find_event(int64_t id, const json_t *document, int64_t *ret_wall_ns)
{
    ST_JSON_EACH (event, document, "events") {
        if (st_json_integer(event, "id") != id)
            continue;
        *ret_wall_ns = st_json_integer(event, "time_ns");
        return 0;
    }
    return st_failure("none of the last %d events has the number %jd: 'sleeptune history --events "
                      "--details' prints the numbers",
                      EVENTS_MAX, id);
}

static int write_trace(const struct options *options, const struct st_trace_file *file)
{
    struct st_output output;
    int r = st_output_open(&output, options->output);
    if (r < 0)
        return st_failure("cannot write %s: %s", st_text_or(options->output, "to standard output"),
                          st_destination_error(r));
    r = st_trace_file_write(output.stream, file);
    const int closed = st_output_close(&output, r == 0);
    if (r < 0 || closed < 0)
        return st_failure("cannot write the trace: %s", strerror(r < 0 ? -r : -closed));
    if (file->copy.events_n == 0)
        fprintf(stderr, "The file shows what the programs did, but not what the kernel did%s.\n",
                st_text_with(". To record that, too: ", here()->trace));
    fputs("Open the file at ui.perfetto.dev in your browser; it stays on this computer.\n", stderr);
    return ST_EXIT_DONE;
}

static int show_trace(const struct options *options, struct st_history_wish *wish)
{
    st_module_history_trace_fn read_trace;
    struct st_trace_file trace = {0};
    json_t *document;
    int64_t id, wall_ns = INT64_MAX;
    const bool last = st_text_is(options->trace, "last");
    if (options->output == NULL && isatty(STDOUT_FILENO) == 1)
        return st_failure_usage("a trace is not for a terminal: name a file with -o");
    if (!last && st_number_i64(options->trace, 1, INT64_MAX, &id) != 0)
        return st_failure_usage("--trace: '%s' is neither the number of an event nor 'last'",
                                options->trace);
    const char *error = st_module_load("history", ST_MODULE_HISTORY_TRACE_SYMBOL, &read_trace);
    if (error != NULL)
        return st_failure("cannot load: %s", error);
    wish->asked.document = ST_HISTORY_OF_EVENTS;
    wish->asked.limit = EVENTS_MAX;
    int status = ask(wish, &document);
    if (status != ST_EXIT_DONE)
        return status;
    trace.happened = json_object_get(document, "events");
    if (!last)
        status = find_event(id, document, &wall_ns);
    if (status == 0)
        status = read_trace(st_program_command, wish, wall_ns, &trace.copy);
    if (status == 0)
        status = write_trace(options, &trace);
    st_trace_copy_finish(&trace.copy);
    json_decref(document);
    return status;
}

int st_cmd_history(int argc, char **argv)
{
    struct options options = {0};
    const char *whose = "";
    const int read = read_options(argc, argv, &options);
    if (read >= 0)
        return read;
    int view = CHANGES;
    while (view > STEPS && !options.asked[view])
        view--;
    struct st_history_wish wish = {.asked = {.document = views[view].document,
                                             .since_ns = INT64_MIN,
                                             .until_ns = INT64_MIN,
                                             .step_ns = INT64_MIN,
                                             .limit = options.limit > 0 ? options.limit : INT64_MIN,
                                             .kind = st_text_or(options.kind, "")},
                                   .socket =
                                       options.system ? ST_DAEMON_SYSTEM_SOCKET : options.socket,
                                   .db = options.db,
                                   .whose = &whose};
    const int status = make_wish(&options, &wish.asked);
    if (status != 0)
        return status;
    if (options.trace != NULL)
        return show_trace(&options, &wish);
    return show_document(&options, &wish, view);
}
