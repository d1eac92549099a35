/* sleeptune status: asks the running sleeptuned over its Unix socket, once or each second, and
 * prints its screen, a line for a status bar, or a page. */
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "cli/show/status_line.h"
#include "cli/show/status_screen.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "core/when.h"
#include "platform/child_env.h"
#include "platform/posix/posix.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"
#include "platform/user_folder.h"
#include "st_config.h"

#define FIRST_MS   500  /* time-out of the daemon's answer, if `sleeptune` runs without a command */
#define LINE_MS    5000 /* interval of requests with --follow: long, since a bar runs all day */
#define WATCH_MS   1000
#define ANSWER_MS  900 /* time-out with --watch: the longest delay of Ctrl-C */
#define TEXT_BYTES 700
#define ROWS_USUAL 24 /* rows of a terminal that does not report its size */

static const char help[] =
    "Usage: sleeptune status [--details | --watch | --html | --json | --line FORM]\n"
    "                        [--system | --socket PATH]\n"
    "Show what the running sleeptuned measures: your own, else the system's.\n\n"
    "  -w, --watch    redraw each second; Ctrl-C quits\n"
    "  --details      every figure\n"
    "  --html         open the live page in a browser (root: print its path)\n"
    "  --json         print JSON of the schema sleeptune-status/1\n"
    "  --line FORM    one line for a bar: waybar, i3blocks, polybar or plain\n"
    "  --follow       with --line: a line each time something changes\n"
    "  --system       the system's sleeptuned, also if your own runs\n"
    "  --socket PATH  socket of the daemon; also SLEEPTUNE_SOCKET\n"
    "  --help         this help\n\n"
    "Exit status: 0 done, 3 usage, 4 no daemon or no answer.\n";

struct wish {
    const char *socket;                     /* --socket; NULL: the usual places */
    const struct st_status_line_form *line; /* --line; NULL: none */
    bool json, details, html, watch, follow;
};

/* --- the screen --- */

/* Adds the table of the buffer sizes that ran, from the history, to the screen. If there is no
 * table, another row of the screen says so. */
static void add_sizes(const struct st_daemon_answer *to, const struct wish *wish)
{
    struct st_daemon_answer sizes;
    const int status = st_daemon_client_try(wish->socket, "sizes", ST_DAEMON_TIMEOUT_MS, &sizes);
    json_t *section = json_object_get(sizes.document, "section");
    if (status == 0 && section != NULL)
        (void)json_array_append(
            json_object_get(json_object_get(to->document, "screen"), "sections"), section);
    st_daemon_client_finish(&sizes);
}

static int print_text(const struct st_daemon_answer *answer, const struct wish *wish)
{
    bool current;
    const char *whose = st_daemon_client_whose(wish->socket, answer, &current);
    const struct st_status_screen how = {
        .details = wish->details, .whose = whose, .stale = !current, .socket = answer->socket};
    struct st_screen screen = {.rows = ST_SCREEN_ROWS, .columns = st_terminal_width(STDOUT_FILENO)};
    if (wish->details)
        add_sizes(answer, wish);
    st_status_screen_draw(&screen, answer->document, &how);
    st_screen_print(&screen, stdout);
    return ST_EXIT_DONE;
}

/* --- the page --- */

/* Prints a message as a separate page, since a user who clicks on a menu entry sees no terminal. */
static void put_message(FILE *out, char *message)
{
    fputs("<!DOCTYPE html><html lang=en><meta charset=utf-8><meta "
          "http-equiv=Content-Security-Policy content=\"default-src 'none'\"><meta name=viewport "
          "content=width=device-width><meta name=color-scheme content=\"light "
          "dark\"><title>sleeptune</title><h1>sleeptune has no answer</h1><p>",
          out);
    for (const char *at = st_safe_text(message); *at != '\0'; at++)
        fprintf(out, strchr("<>&", *at) != NULL ? "&#%d;" : "%c", *at);
    fputs("<p>Type the command into a terminal, then open this page again from the menu.", out);
    if (ST_DOCS_URL[0] != '\0')
        fputs("<p><a href=\"" ST_DOCS_URL "/troubleshooting.html\">I hear clicks: do this</a>",
              out);
}

/* The folder into which the page is written: XDG_RUNTIME_DIR, or ~/.cache where that is not set.
 * For root, a folder in which only root writes: HOME and XDG_RUNTIME_DIR may be another user's
 * (sudo -E, su -m).
 * @return NULL: there is none. */
static const char *page_folder(void)
{
    const char *folder =
        geteuid() == 0 ? ST_RUN_DIR : st_user_folder("XDG_RUNTIME_DIR", "/.cache", "");
    if (geteuid() != 0 && folder != NULL)
        (void)mkdir(folder, 0700);
    return folder;
}

static int open_page(const char *path)
{
    struct st_child_env env;
    char program[PATH_MAX];
    pid_t pid;
    char *const argv[] = {(char *)(uintptr_t) "xdg-open", (char *)(uintptr_t)path, NULL};
    int r = st_child_env_open(&env, geteuid(), NULL);
    if (r == 0)
        r = st_child_env_find((const char *const *)env.vars, argv[0], program, sizeof(program));
    if (r == 0)
        r = -posix_spawn(&pid, program, NULL, NULL, argv, env.vars);
    st_child_env_close(&env);
    if (r != 0)
        return st_failure("cannot run xdg-open: %s. Open the page in a browser.", strerror(-r));
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return ST_EXIT_DONE;
}

/* Is `url` an address as sleeptuned makes it: "http://127.0.0.1:PORT/#TOKEN"? */
static bool is_address(const char *url)
{
    static const char begin[] = "http://127.0.0.1:", digits[] = "0123456789";
    if (url == NULL || !st_text_begins(url, begin))
        return false;
    const char *port = url + sizeof(begin) - 1, *token = port + strspn(port, digits);
    return token > port && st_text_begins(token, "/#") &&
           token[2 + strspn(token + 2, "0123456789abcdef")] == '\0';
}

/* Writes a page into a folder of the caller, readable by him only, and opens it in a browser. The
 * page leads to `url`, or shows the message if `url` is NULL. The browser does not get the url
 * itself, since other users could read the token in its command line. For root only the path is
 * printed, since the desktop belongs to a user. */
static int show_page(const char *url, char *message)
{
    const char *folder = page_folder();
    if (folder == NULL)
        return st_failure("no folder for the page of --html: set XDG_RUNTIME_DIR or HOME");
    char *path = st_text("%s/sleeptune-status.html", folder);
    char *begun = st_text("%s/sleeptune-status.XXXXXX", folder);
    const int fd = mkstemp(begun);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL)
        return st_failure("cannot write into %s: %s", folder, strerror(errno));
    if (url != NULL)
        fprintf(out,
                "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=referrer "
                "content=no-referrer><meta http-equiv=refresh "
                "content=\"0;url=%s\"><title>sleeptune</title><p><a href=\"%s\">sleeptune</a>",
                url, url);
    else
        put_message(out, message);
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed || rename(begun, path) != 0) {
        const int error = errno;
        unlink(begun);
        return st_failure("cannot write %s: %s", path, strerror(error));
    }
    puts(st_safe_text(path));
    if (geteuid() == 0 || (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL))
        return ST_EXIT_DONE;
    fflush(stdout);
    return open_page(path);
}

/* --- a line for a bar --- */

/* @return the line for a bar, to be freed; NULL: out of memory. */
static char *line_text(const struct wish *wish, int *ret_status)
{
    struct st_daemon_answer answer;
    *ret_status = st_daemon_client_try(wish->socket, "status", ST_DAEMON_TIMEOUT_MS, &answer);
    const struct st_status_line line =
        st_status_line_of(*ret_status == 0 ? answer.document : NULL, answer.error);
    char *text = strdup(wish->line->text(&line));
    st_daemon_client_finish(&answer);
    return text;
}

/* Prints the line once; with --follow, each time that it changes, until no one reads standard
 * output. */
static int print_lines(const struct wish *wish)
{
    struct pollfd reader = {.fd = STDOUT_FILENO};
    char *last = NULL;
    int status;
    do {
        char *text = line_text(wish, &status);
        if (text != NULL && (last == NULL || !st_text_is(text, last))) {
            puts(text);
            fflush(stdout);
        }
        free(last);
        last = text;
        st_text_forget();
    } while (wish->follow && ferror(stdout) == 0 && poll(&reader, 1, LINE_MS) == 0);
    const bool printed = last != NULL;
    free(last);
    return wish->follow ? ST_EXIT_DONE : printed ? status : st_failure("out of memory");
}

/* --- the screen that is redrawn (--watch) --- */

/* codes of ECMA-48; xterm's codes for its second screen and the cursor, which other terminals
 * ignore */
#define BEGIN "\033[?1049h\033[?25l"
#define END   "\033[?1049l\033[?25h"

static const char *const styles[] = {"0", "0;1", "0", "0;1", "0;1", "0;1", "0;1;7"},
                         *const colours[] = {"0",      "0;1",    "0",    "0;1;32",
                                             "0;1;33", "0;1;31", "0;1;7"};

/* Shows each row over what stood there. */
static void show(const struct st_screen *screen)
{
    for (int row = 0; row < screen->rows; row++)
        printf("\033[%d;1H\033[K%s", row + 1, st_text_or(screen->all[row].text, ""));
    fflush(stdout);
}

struct watch {
    const struct wish *wish;
    struct st_daemon_answer answer; /* the latest valid answer */
    char whose[160];
    bool current;           /* the daemon has this program's version */
    char error[TEXT_BYTES]; /* why the last request failed; "": it succeeded */
    int64_t since_wall_ns;  /* time of the latest answer, ns since 1970; 0: none yet */
};

static void ask(struct watch *watch)
{
    struct st_daemon_answer answer;
    const int status = st_daemon_client_try(watch->wish->socket, "status", ANSWER_MS, &answer);
    if (status != 0) {
        ST_PRINT(watch->error, "%s", answer.error);
        st_daemon_client_finish(&answer);
        return;
    }
    if (strcmp(watch->answer.socket, answer.socket) != 0 || !watch->current)
        ST_PRINT(watch->whose, "%s",
                 st_daemon_client_whose(watch->wish->socket, &answer, &watch->current));
    st_daemon_client_finish(&watch->answer);
    watch->answer = answer;
    watch->error[0] = '\0';
    watch->since_wall_ns = st_posix_wall_ns(NULL);
}

/* Chooses the message at the bottom of the screen. @return true: it is an alert, since the daemon
 * does not answer. */
static bool choose_message(const struct watch *watch, const char **ret)
{
    const char *since = st_when_text_near(watch->since_wall_ns, st_posix_wall_ns(NULL));
    const bool alert = watch->error[0] != '\0';
    if (alert && watch->answer.document == NULL)
        *ret = st_text("Waiting: %s (Ctrl-C quits)", watch->error);
    else if (alert)
        *ret = st_text("No connection since %s: %s", since, watch->error);
    else
        *ret = st_text("Live, %s; Ctrl-C quits", since);
    return alert;
}

static void draw(const struct watch *watch)
{
    const char *message;
    const bool alert = choose_message(watch, &message);
    struct winsize size = {0};
    (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    struct st_screen screen = {.rows = size.ws_row > 0 ? ST_MIN(size.ws_row, ST_SCREEN_ROWS)
                                                       : ROWS_USUAL,
                               .columns = st_terminal_width(STDOUT_FILENO),
                               .styles = st_terminal_colour() ? colours : styles};
    const struct st_status_screen how = {.live = true,
                                         .details = watch->wish->details,
                                         .whose = watch->whose,
                                         .stale = !watch->current,
                                         .socket = watch->answer.socket,
                                         .alert = alert,
                                         .message = message};
    st_status_screen_draw(&screen, watch->answer.document, &how);
    show(&screen);
}

static int follow_screen(const struct wish *wish)
{
    struct watch watch = {.wish = wish};
    const char *type = getenv("TERM");
    if (type == NULL || strcmp(type, "dumb") == 0)
        return st_failure("sleeptune cannot redraw a terminal of type '%s': leave out --watch",
                          st_text_or(type, ""));
    st_stop_catch(NULL);
    fputs(BEGIN, stdout);
    while (!st_stop_asked() && ferror(stdout) == 0) {
        ask(&watch);
        if (st_stop_asked())
            break;
        draw(&watch);
        st_text_forget();
        (void)poll(NULL, 0, WATCH_MS); /* ends early at a signal */
    }
    fputs("\033[0m" END, stdout);
    st_daemon_client_finish(&watch.answer);
    return ST_EXIT_DONE;
}

static int run_page(const struct wish *wish)
{
    struct st_daemon_answer answer;
    int status = st_daemon_client_try(wish->socket, "page", ST_DAEMON_TIMEOUT_MS, &answer);
    const char *url = st_json_text(answer.document, "url");
    if (status == 0 && !is_address(url)) {
        ST_PRINT(answer.error, "%s answered with an address that sleeptuned never uses",
                 answer.socket);
        status = ST_EXIT_FAILURE;
    }
    if (status != 0) {
        st_failure("%s", answer.error);
        url = NULL;
    }
    const int shown = show_page(url, answer.error);
    st_daemon_client_finish(&answer);
    return status != 0 ? status : shown;
}

static int run(const struct wish *wish)
{
    if (wish->watch)
        return follow_screen(wish);
    if (wish->line != NULL)
        return print_lines(wish);
    if (wish->html)
        return run_page(wish);
    struct st_daemon_answer answer;
    int status = st_daemon_client_try(wish->socket, "status", ST_DAEMON_TIMEOUT_MS, &answer);
    if (status != 0) {
        st_failure("%s", answer.error);
    } else if (wish->json) {
        st_safe_print_lines(stdout, answer.text, ST_TEXT_TO_NUL);
        putchar('\n');
    } else {
        status = print_text(&answer, wish);
    }
    st_daemon_client_finish(&answer);
    return status;
}

int st_cmd_status_first(void)
{
    const struct wish wish = {0};
    struct st_daemon_answer answer;
    int status = st_daemon_client_try(NULL, "status", FIRST_MS, &answer);
    status = status == 0 ? print_text(&answer, &wish) : -1;
    st_daemon_client_finish(&answer);
    return status;
}

static int take_line(void *ctx, const char *text)
{
    const struct st_status_line_form *form = st_status_line_forms;
    while (form->name != NULL && strcmp(form->name, text) != 0)
        form++;
    *(const struct st_status_line_form **)ctx = form;
    if (form->name != NULL)
        return 0;
    return st_failure_usage("--line: '%s' is unknown; use waybar, i3blocks, polybar or plain",
                            text);
}

int st_cmd_status(int argc, char **argv)
{
    struct wish wish = {0};
    bool watch = false, system_one = false;
    const struct st_option options[] = {
        {"watch", 'w', .flag = &watch},
        {"details", .flag = &wish.details},
        {"html", .flag = &wish.html},
        {.name = "json", .flag = &wish.json},
        {"line", .take = take_line, .ctx = &wish.line},
        {"follow", .flag = &wish.follow},
        {"system", .flag = &system_one},
        {"socket", .text = &wish.socket},
    };
    const int status = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (status >= 0)
        return status;
    if (system_one && wish.socket != NULL)
        return st_failure_usage("--system and --socket cannot be used together");
    if (system_one)
        wish.socket = ST_DAEMON_SYSTEM_SOCKET;
    if (watch + wish.json + wish.html + (wish.line != NULL) > 1)
        return st_failure_usage("only one of --watch, --html, --json and --line can be used");
    if (wish.follow && wish.line == NULL)
        return st_failure_usage("--follow needs --line");
    wish.watch = watch && isatty(STDOUT_FILENO) == 1;
    return run(&wish);
}
