/* sleeptune status: asks the daemon over its Unix socket, and prints its screen. */
#include "cli/show/status.h"

#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "cli/show/status_screen.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "platform/child_env.h"
#include "platform/program/locale.h"
#include "platform/program/terminal.h"
#include "platform/user_folder.h"
#include "st_config.h"

#define ROWS_MAX 300
#define ASK_MS   500
#define LINE_MS  5000 /* between two looks of --follow: a bar runs all day */

/* The table of the sizes that ran, from the history: without one the screen says so in its own row. */
static void add_sizes(const struct st_daemon_answer *to, const struct st_status_wish *wish)
{
    struct st_daemon_answer sizes;
    const int status =
        st_daemon_client_try(wish->socket, "/v1/sizes", "sleeptune-sizes/1", ST_DAEMON_TIMEOUT_MS, &sizes);
    json_t *section = status == 0 ? json_object_get(sizes.document, "section") : NULL;
    if (section != NULL)
        (void)json_array_append(json_object_get(json_object_get(to->document, "screen"), "sections"),
                                section);
    st_daemon_client_finish(&sizes);
}

static int print_text(const struct st_daemon_answer *answer, const struct st_status_wish *wish)
{
    char whose[ST_DAEMON_WHOSE_BYTES];
    const bool current = st_daemon_client_whose(wish->socket, answer, whose, sizeof(whose));
    const struct st_status_screen how = {
        .details = wish->details, .whose = whose, .stale = !current, .socket = answer->socket};
    struct st_screen screen;
    if (wish->details)
        add_sizes(answer, wish);
    if (st_screen_init(&screen, ROWS_MAX, st_terminal_width(STDOUT_FILENO), st_locale_utf8()) != 0)
        return st_failure("out of memory");
    st_status_screen_draw(&screen, answer->document, &how);
    st_screen_print(&screen, stdout);
    st_screen_finish(&screen);
    return ST_EXIT_DONE;
}

/* A page of its own for a message: who clicks on the entry in a menu sees no terminal. */
static void put_message(FILE *out, char *message)
{
    fputs("<!DOCTYPE html><html lang=en><meta charset=utf-8><meta http-equiv=Content-Security-Policy "
          "content=\"default-src 'none'\"><meta name=viewport content=width=device-width>"
          "<meta name=color-scheme content=\"light dark\"><title>sleeptune</title><h1>sleeptune has no "
          "answer</h1><p>",
          out);
    for (const char *at = st_safe_text(message); *at != '\0'; at++)
        fprintf(out, strchr("<>&", *at) != NULL ? "&#%d;" : "%c", *at);
    fputs("<p>Type the command into a terminal, then open this page again from the menu.", out);
    if (ST_DOCS_URL[0] != '\0')
        fputs("<p><a href=\"" ST_DOCS_URL "/troubleshooting.html\">I hear clicks: do this</a>", out);
}

/* The folder of the caller's session; where a system has none, his cache. Root's is where only root writes:
 * HOME and XDG_RUNTIME_DIR may be another user's (sudo -E, su -m). @return false: there is none. */
static bool page_folder(char *folder, size_t bytes)
{
    if (geteuid() == 0) {
        snprintf(folder, bytes, ST_RUN_DIR);
        return true;
    }
    if (!st_user_folder("XDG_RUNTIME_DIR", "/.cache", "", folder, bytes))
        return false;
    (void)mkdir(folder, 0700);
    return true;
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

/* Only what sleeptuned makes: "http://127.0.0.1:PORT/#TOKEN". */
static bool is_address(const char *url)
{
    static const char begin[] = "http://127.0.0.1:", digits[] = "0123456789";
    if (url == NULL || strncmp(url, begin, sizeof(begin) - 1) != 0)
        return false;
    const char *port = url + sizeof(begin) - 1, *token = port + strspn(port, digits);
    return token > port && st_text_begins(token, "/#") &&
           token[2 + strspn(token + 2, "0123456789abcdef")] == '\0';
}

/* Writes a page that leads to the address, or with the message if it is NULL, into a folder of the caller,
 * for him alone, and shows it: a command line with the token could be read by others. Root only learns where
 * it is: a desktop and its programs are a user's. */
static int show_page(const char *url, char *message)
{
    char folder[400];
    if (!page_folder(folder, sizeof(folder)))
        return st_failure("no folder for the page of --html: set XDG_RUNTIME_DIR or HOME");
    char *path = ST_TEXT(512, "%s/sleeptune-status.html", folder);
    char *begun = ST_TEXT(512, "%s/sleeptune-status.XXXXXX", folder);
    const int fd = mkstemp(begun);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL)
        return st_failure("cannot write into %s: %s", folder, strerror(errno));
    if (url != NULL)
        fprintf(out,
                "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=referrer content=no-referrer>"
                "<meta http-equiv=refresh content=\"0;url=%s\"><title>sleeptune</title><p><a href=\"%s\">"
                "sleeptune</a>",
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

/* @return the line for a bar, to be freed; NULL: out of memory. */
static char *line_text(const struct st_status_wish *wish, int *ret_status)
{
    struct st_daemon_answer answer;
    struct st_status_line line;
    char *text = NULL;
    size_t bytes;
    *ret_status =
        st_daemon_client_try(wish->socket, "/v1/status", "sleeptune-status/1", ST_DAEMON_TIMEOUT_MS, &answer);
    st_status_line_of(*ret_status == 0 ? answer.document : NULL, answer.error, &line);
    FILE *out = open_memstream(&text, &bytes);
    if (out != NULL) {
        wish->line->print(out, &line);
        fclose(out);
    }
    st_daemon_client_finish(&answer);
    return text;
}

/* Once, or a line each time that it changes until no one reads them. */
static int print_lines(const struct st_status_wish *wish)
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
    } while (wish->follow && ferror(stdout) == 0 && poll(&reader, 1, LINE_MS) == 0);
    const bool printed = last != NULL;
    free(last);
    return wish->follow ? ST_EXIT_DONE : printed ? status : st_failure("out of memory");
}

int st_status_run(const struct st_status_wish *wish)
{
    if (wish->watch)
        return st_status_watch(wish);
    if (wish->line != NULL)
        return print_lines(wish);
    struct st_daemon_answer answer;
    int status = st_daemon_client_try(wish->socket, wish->html ? "/v1/page" : "/v1/status",
                                      wish->html ? "sleeptune-page/1" : "sleeptune-status/1",
                                      ST_DAEMON_TIMEOUT_MS, &answer);
    const char *url = wish->html && status == 0 ? st_json_text(answer.document, "url") : NULL;
    if (wish->html && status == 0 && !is_address(url)) {
        ST_PRINT(answer.error, "%s answered with an address that is not one of sleeptuned", answer.socket);
        status = ST_EXIT_FAILURE;
    }
    if (status != 0)
        st_failure("%s", answer.error);
    if (wish->html) {
        const int shown = show_page(status == 0 ? url : NULL, answer.error);
        status = status == 0 ? shown : status;
    } else if (status != 0) {
        /* said */
    } else if (wish->json) {
        st_safe_print_lines(stdout, answer.text, ST_TEXT_TO_NUL);
        putchar('\n');
    } else if (!st_status_screen_is_in(answer.document)) {
        status = st_failure(ST_STATUS_SCREEN_MISSING, answer.socket);
    } else {
        status = print_text(&answer, wish);
    }
    st_daemon_client_finish(&answer);
    return status;
}

int st_status_first(void)
{
    const struct st_status_wish wish = {0};
    struct st_daemon_answer answer;
    int status = st_daemon_client_try(NULL, "/v1/status", "sleeptune-status/1", ASK_MS, &answer);
    status = status == 0 && st_status_screen_is_in(answer.document) ? print_text(&answer, &wish) : -1;
    st_daemon_client_finish(&answer);
    return status;
}

json_t *st_status_ask(void)
{
    struct st_daemon_answer answer;
    const int r = st_daemon_client_try(NULL, "/v1/status", "sleeptune-status/1", ASK_MS, &answer);
    json_t *document = r == 0 ? json_incref(answer.document) : NULL;
    st_daemon_client_finish(&answer);
    return document;
}
