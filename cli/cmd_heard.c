/* sleeptune heard: marks this moment in the history of sleeptuned: "I heard a click now". */
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "cli/show/history_text.h"
#include "core/text/text.h"
#include "platform/posix/posix.h"
#include "platform/program/output.h"
#include "platform/program/terminal.h"

#define NOTE_BYTES 161 /* a note with its final '\0'; equal to the daemon's ST_QUERY_NOTE_BYTES */

struct options {
    bool key, system, quiet;
    const char *socket;
};

static const char help[] =
    "Usage: sleeptune heard [--key] [OPTION...] [NOTE...]\n"
    "Run this when you hear a click: sleeptuned keeps the moment, and what happened\n"
    "before it. After some marks 'sleeptune history --heard' says which cause comes\n"
    "before them more often than chance would have it.\n\n"
    "      --key            for a keyboard shortcut of the desktop: you heard it\n"
    "                       in the last 2.5 s (without: 30 s, the time to type it)\n"
    "      --system         the system's sleeptuned, also if your own runs\n"
    "      --socket PATH    the daemon on this socket; also SLEEPTUNE_SOCKET\n"
    "  -q, --quiet          print nothing\n"
    "  -h, --help           this text\n\n"
    "NOTE is kept with the mark, at most 160 bytes, and does not leave this computer.\n\n"
    "Examples:\n"
    "  sleeptune heard in the second verse, left\n"
    "  sleeptune history --heard\n\n"
    "Exit status: 0 saved, 3 usage, 4 not saved.\n";

/* Reads the options. @return -1 to go on, or an st_exit. */
static int read_options(int argc, char **argv, struct options *o, int *ret_first)
{
    const struct st_option known[] = {
        {"key", .flag = &o->key},
        {"system", .flag = &o->system},
        {"socket", .text = &o->socket},
        {"quiet", 'q', .flag = &o->quiet},
    };
    const int status = st_options_read(known, ST_ARRAY_LEN(known), help, argc, argv, ret_first);
    if (status >= 0)
        return status;
    if (o->socket != NULL && o->system)
        return st_failure_usage("--system and --socket cannot be used together: choose one");
    return -1;
}

/* @return one text of all words, with spaces between them. */
static const char *joined(char **words, int n)
{
    const char *text = "";
    for (int i = 0; i < n; i++)
        text = st_text_joined(text, " ", words[i]);
    return text;
}

/* Encodes each byte that is no letter or digit, as in "%20". */
static const char *encoded(const char *text)
{
    const char *ret = "";
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        ret = st_text(plain ? "%s%c" : "%s%%%02X", ret, c);
    }
    return ret;
}

static int mark(const struct options *o, const char *note)
{
    struct st_daemon_answer answer;
    const char *target =
        st_text("heard?by=%s%s", o->key ? "key" : "typed", st_text_with("&note=", encoded(note)));
    const char *socket = o->system ? ST_DAEMON_SYSTEM_SOCKET : o->socket;
    int status = st_daemon_client_try(socket, target, ST_DAEMON_TIMEOUT_MS, &answer);
    if (status == ST_EXIT_UNKNOWN) {
        status =
            st_failure("%s. If sleeptuned answers later, it saves your mark with that later time.",
                       answer.error);
    } else if (status != 0) {
        status = st_failure("the click was not saved: %s", answer.error);
    } else if (!o->quiet) {
        struct st_locale_stream stream;
        const struct st_history_text_look look = {.columns = st_terminal_width(STDOUT_FILENO),
                                                  .now_wall_ns = st_posix_wall_ns(NULL),
                                                  .socket = socket};
        FILE *out = st_locale_begin(&stream, stdout);
        st_history_text_mark(out, answer.document, &look);
        status = st_output_text(&stream, status);
    }
    st_daemon_client_finish(&answer);
    return status;
}

int st_cmd_heard(int argc, char **argv)
{
    struct options o = {0};
    int first;
    const int status = read_options(argc, argv, &o, &first);
    if (status >= 0)
        return status;
    const char *note = joined(argv + first, argc - first);
    if (strlen(note) >= NOTE_BYTES)
        return st_failure_usage("the note is longer than %d bytes", NOTE_BYTES - 1);
    return mark(&o, note);
}
