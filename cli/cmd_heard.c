/* sleeptune heard: marks this moment in the history of sleeptuned: "I heard a click now". */
#include <unistd.h>

#include "cli/command.h"
#include "cli/measure/practice_run.h"
#include "cli/module/module_shortcut.h"
#include "cli/show/daemon_client.h"
#include "cli/show/heard_text.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "platform/module.h"
#include "platform/posix/posix.h"
#include "platform/program/locale.h"
#include "platform/program/output.h"
#include "platform/program/terminal.h"

#define NOTE_BYTES   161 /* ST_QUERY_NOTE_BYTES of the daemon */
#define TARGET_BYTES (NOTE_BYTES * 3 + 64)

struct options {
    bool key, bind, practice, system, quiet;
    const char *socket;
};

static const char help[] =
    "Usage: sleeptune heard [--key] [OPTION...] [NOTE...]\n"
    "       sleeptune heard --bind [OPTION...]\n"
    "       sleeptune heard --practice\n"
    "Run this when you hear a click: sleeptuned keeps the moment, and what happened\n"
    "before it. After some marks 'sleeptune history --heard' says which cause comes\n"
    "before them more often than chance would have it.\n\n"
    "      --key            a key of the desktop runs this: what you heard happened\n"
    "                       in the last 2.5 s (without: 30 s, the time to type it)\n"
    "      --bind           ask the desktop for a key, and keep a mark each time that\n"
    "                       you press it (Linux, a desktop with the portal for keys)\n"
    "      --practice       play a tone with eight short dropouts, and measure by the\n"
    "                       space bar how fast you are: a key then uses that time\n"
    "      --system         the system's daemon, also if your own runs\n"
    "      --socket PATH    the daemon on this socket; also SLEEPTUNE_SOCKET\n"
    "  -q, --quiet          print nothing\n"
    "  -h, --help           this text\n\n"
    "NOTE is kept with the mark, at most 160 bytes, and does not leave this computer.\n\n"
    "Examples:\n"
    "  sleeptune heard in the second verse, left\n"
    "  sleeptune history --heard\n\n"
    "Exit status: 0 kept, 2 nothing learned by --practice or no key for --bind,\n"
    "3 usage, 4 not kept, or the desktop took the key away.\n";

/* @return -1 to go on, or an st_exit. */
static int read_options(int argc, char **argv, struct options *o, int *ret_first)
{
    const struct st_option known[] = {
        {"key", .flag = &o->key},       {"bind", .flag = &o->bind},     {"practice", .flag = &o->practice},
        {"system", .flag = &o->system}, {"socket", .text = &o->socket}, {"quiet", 'q', .flag = &o->quiet},
    };
    const int status = st_options_read(known, ST_ARRAY_LEN(known), help, argc, argv, ret_first);
    if (status >= 0)
        return status;
    if (o->socket != NULL && o->system)
        return st_failure_usage("--system and --socket name a daemon each: choose one");
    if (o->bind && (o->key || o->practice || *ret_first < argc))
        return st_failure_usage("--bind keeps a mark at each press: it takes no note and no %s",
                                o->practice ? "--practice" : "--key");
    if (o->practice && (o->key || o->system || o->socket != NULL || *ret_first < argc))
        return st_failure_usage("--practice keeps no mark: it takes no other option and no note");
    return -1;
}

/* The words with spaces between them. @return false: they are too long. */
static bool join(char **words, int n, char *buf, size_t bytes)
{
    size_t len = 0;
    for (int i = 0; i < n; i++)
        len += strlen(words[i]) + (i > 0);
    buf[0] = '\0';
    for (int i = 0; i < n && len < bytes; i++)
        st_text_append(buf, bytes, "%s%s", i > 0 ? " " : "", words[i]);
    return len < bytes;
}

/* Each byte that is no letter or digit as "%20". */
static void append_encoded(char *target, size_t bytes, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        st_text_append(target, bytes, plain ? "%c" : "%%%02X", c);
    }
}

static int mark(const struct options *o, const char *note)
{
    struct st_daemon_answer answer;
    char target[TARGET_BYTES] = "/v1/heard?by=";
    const bool key = o->key || o->bind;
    ST_APPEND(target, "%s", key ? "key" : "typed");
    const int64_t window_ns = key ? st_practice_run_window_ns() : 0;
    if (window_ns > 0)
        ST_APPEND(target, "&window=%lldms", (long long)(window_ns / ST_NS_PER_MS));
    if (note[0] != '\0') {
        ST_APPEND(target, "&note=");
        append_encoded(target, sizeof(target), note);
    }
    const char *socket = o->system ? ST_DAEMON_SYSTEM_SOCKET : o->socket;
    int status = st_daemon_client_post(socket, target, "sleeptune-heard/1", &answer);
    if (status == ST_EXIT_UNKNOWN) {
        status = st_failure("%s. If it goes on, it keeps the mark, with a later time.", answer.error);
    } else if (status != 0) {
        status = st_failure("not kept: %s", answer.error);
    } else if (!o->quiet) {
        struct st_locale_stream stream;
        const struct st_history_text_look look = {.columns = st_terminal_width(STDOUT_FILENO),
                                                  .now_wall_ns = st_posix_wall_ns(NULL),
                                                  .socket = socket};
        FILE *out = st_locale_begin(&stream, stdout);
        st_heard_text_mark(out, answer.document, &look);
        status = st_output_text(&stream, status);
    }
    st_daemon_client_finish(&answer);
    return status;
}

static void on_bound(void *ctx, const char *key)
{
    const struct options *o = ctx;
    if (o->quiet)
        return;
    fputs(key[0] != '\0' ? "Marks are kept at this key: "
                         : "The desktop names no key: look in its settings of shortcuts.",
          stdout);
    st_safe_print(stdout, key, ST_TEXT_TO_NUL);
    putchar('\n');
    (void)fflush(stdout);
}

static void on_pressed(void *ctx)
{
    (void)mark(ctx, "");
    (void)fflush(stdout);
}

/* Until the desktop ends it, or a signal this program. */
static int serve_key(struct options *o)
{
    struct st_module_shortcut shortcut = {.bound = on_bound, .pressed = on_pressed, .ctx = o};
    st_module_shortcut_run_fn run;
    int r =
        st_module_load("shortcut", ST_MODULE_SHORTCUT_SYMBOL, &run, shortcut.error, sizeof(shortcut.error));
    if (r == 0)
        r = run(&shortcut);
    if (r == -ECONNRESET)
        return st_failure("the desktop's portal for keys ended: %s", shortcut.error);
    st_failure("no key from the desktop's portal GlobalShortcuts: %s. Bind this to a key in the settings of "
               "your desktop: sleeptune heard --key --quiet",
               shortcut.error);
    return ST_EXIT_UNKNOWN;
}

int st_cmd_heard(int argc, char **argv)
{
    struct options o = {0};
    char note[NOTE_BYTES];
    int first;
    const int status = read_options(argc, argv, &o, &first);
    if (status >= 0)
        return status;
    if (o.practice)
        return st_practice_run();
    if (o.bind)
        return serve_key(&o);
    if (!join(argv + first, argc - first, note, sizeof(note)))
        return st_failure_usage("the note is longer than %d bytes", NOTE_BYTES - 1);
    return mark(&o, note);
}
