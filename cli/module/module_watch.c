/* sleeptune watch: the running daemon on a terminal's whole screen. */
#include "cli/module.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "cli/show/watch_screen.h"
#include "core/ns.h"
#include "core/safe_text.h"
#include "core/when.h"
#include "platform/platform.h"
#include "platform/program/locale.h"
#include "platform/program/stop.h"

#define COMMAND    "watch"
#define TARGET     "/v1/live"
#define SCHEMA     "sleeptune-live/1"
#define EVERY_NS   ST_NS_PER_S
#define ANSWER_MS  900 /* a key waits so long at most */
#define KEYS_MS    100
#define ONCE_ROWS  28
#define TEXT_BYTES 700
#define LETTER_FF  ('L' & 0x1f)

struct options {
    bool once, json;
    const char *socket;
};

static void help(void)
{
    fputs("Usage: sleeptune watch [--once | --json] [--socket PATH]\n"
          "Watch the running sleeptuned: the latest wake-up of each second, how late all\n"
          "were, misses and xruns by source, causes, events. q quits.\n\n"
          "  --once         print one screen and end; also where standard output is no\n"
          "                 terminal\n"
          "  --json         print what is shown as JSON, sleeptune-live/1, and end\n"
          "  --socket PATH  socket of the daemon; also SLEEPTUNE_SOCKET\n"
          "  --help         this help\n\n"
          "Exit status: 0 done, 3 usage, 4 no daemon or no answer, or no such terminal.\n",
          stdout);
}

/* @return -1 to go on, else the exit status. */
static int read_options(int argc, char **argv, struct options *ret)
{
    const struct st_option known[] = {
        {.name = "once", .flag = &ret->once},
        {.name = "json", .letter = 'j', .flag = &ret->json},
        {.name = "socket", .text = &ret->socket},
    };
    int first;
    const int status = st_options_read(COMMAND, known, ST_ARRAY_LEN(known), help, argc, argv, &first);
    if (status < 0 && first < argc)
        return st_usage_error(COMMAND, "what is '%s'?", argv[first]);
    return status;
}

/* --- one screen on standard output --- */

static int print_once(const struct options *options)
{
    struct st_daemon_answer answer;
    struct st_screen screen;
    int status = st_daemon_ask(COMMAND, options->socket, TARGET, SCHEMA, &answer);
    if (status == 0 && options->json) {
        st_safe_print_lines(stdout, answer.text, ST_TEXT_TO_NUL);
        putchar('\n');
    } else if (status == 0 &&
               st_screen_init(&screen, ONCE_ROWS, st_terminal_width(STDOUT_FILENO), st_locale_utf8()) == 0) {
        char doubt[TEXT_BYTES];
        st_watch_draw(&screen, answer.document, NULL, false);
        for (int row = 0; row < st_screen_used(&screen); row++)
            st_screen_print_row(&screen, row, stdout);
        if (st_watch_doubt(answer.document, doubt, sizeof(doubt))[0] != '\0')
            printf("%s\n", st_safe_text(doubt));
        st_screen_finish(&screen);
    } else if (status == 0) {
        status = st_failure(COMMAND, "out of memory");
    }
    st_daemon_answer_finish(&answer);
    return status;
}

/* --- the terminal --- */

static attr_t attributes[ST_STYLE_ALERT + 1];

static void choose_attributes(void)
{
    const bool colour = st_terminal_colour(stdout) && has_colors() == TRUE && start_color() == OK &&
                        use_default_colors() == OK && init_pair(1, COLOR_CYAN, -1) == OK &&
                        init_pair(2, COLOR_RED, -1) == OK;
    attributes[ST_STYLE_PLAIN] = A_NORMAL;
    attributes[ST_STYLE_BOLD] = A_BOLD;
    attributes[ST_STYLE_DIM] = A_NORMAL;
    attributes[ST_STYLE_BAR] = colour ? (attr_t)COLOR_PAIR(1) : A_NORMAL;
    attributes[ST_STYLE_BAD] = colour ? (attr_t)COLOR_PAIR(2) | A_BOLD : A_BOLD;
    attributes[ST_STYLE_ALERT] = A_REVERSE | A_BOLD;
}

/* What the screen can show: the locale must say UTF-8, and there must be such a locale. */
static bool choose_locale(void)
{
    if (!st_locale_utf8())
        return false;
    return (setlocale(LC_CTYPE, "") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0) ||
           setlocale(LC_CTYPE, "C.UTF-8") != NULL;
}

static void show(const struct st_screen *screen)
{
    erase();
    for (int row = 0; row < screen->rows; row++) {
        /* the cell at the lower right stays empty: some terminals would scroll */
        const int columns = screen->columns - (row + 1 == screen->rows);
        for (int column = 0; column < columns; column++) {
            const struct st_cell *cell = st_screen_cell(screen, row, column);
            if (cell->text[0] == '\0')
                continue;
            attrset((int)attributes[cell->style]);
            mvaddstr(row, column, cell->text);
        }
    }
    refresh();
}

struct watch {
    const struct options *options;
    struct st_platform *platform;
    bool unicode;
    struct st_daemon_answer answer; /* the last one that came */
    char error[TEXT_BYTES];         /* why the last question had none; "" */
    int64_t since_wall_ns;          /* of the last answer; 0: none yet */
};

static void ask(struct watch *watch)
{
    struct st_daemon_answer answer;
    const int status = st_daemon_try(watch->options->socket, TARGET, SCHEMA, ANSWER_MS, &answer, watch->error,
                                     sizeof(watch->error));
    if (status != 0) {
        st_daemon_answer_finish(&answer);
        return;
    }
    st_daemon_answer_finish(&watch->answer);
    watch->answer = answer;
    watch->error[0] = '\0';
    watch->since_wall_ns = watch->platform->wall_ns(watch->platform);
}

/* @return whether it is one that must not be overlooked. */
static bool choose_message(const struct watch *watch, char *buf, size_t buf_bytes)
{
    char since[32], doubt[TEXT_BYTES];
    if (watch->error[0] != '\0' && watch->answer.document == NULL) {
        snprintf(buf, buf_bytes, "Waiting: %s (q quits)", watch->error);
        return true;
    }
    if (watch->error[0] != '\0') {
        st_when_text_near(watch->since_wall_ns, watch->platform->wall_ns(watch->platform), since,
                          sizeof(since));
        snprintf(buf, buf_bytes, "No connection since %s: %s", since, watch->error);
        return true;
    }
    if (st_watch_doubt(watch->answer.document, doubt, sizeof(doubt))[0] != '\0') {
        snprintf(buf, buf_bytes, "Live, but %s", doubt);
        return true;
    }
    snprintf(buf, buf_bytes, "Live; q quits");
    return false;
}

static void draw(const struct watch *watch)
{
    int rows, columns;
    char message[2 * TEXT_BYTES];
    struct st_screen screen;
    getmaxyx(stdscr, rows, columns);
    if (st_screen_init(&screen, rows, columns, watch->unicode) != 0)
        return; /* the next second may have memory, or rows */
    const bool alert = choose_message(watch, message, sizeof(message));
    st_watch_draw(&screen, watch->answer.document, message, alert);
    show(&screen);
    st_screen_finish(&screen);
}

/* Waits for keys, a short while. @return false when it is to end. */
static bool read_keys(const struct watch *watch)
{
    const bool keys = isatty(STDIN_FILENO) == 1;
    struct pollfd in = {.fd = keys ? STDIN_FILENO : -1, .events = POLLIN};
    (void)poll(&in, 1, KEYS_MS); /* ends early at a signal: getch tells of a new size */
    if ((in.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
        return false; /* the terminal is gone */
    for (int key; (key = getch()) != ERR;) {
        if (key == 'q' || key == 'Q')
            return false;
        if (key == LETTER_FF)
            clearok(curscr, TRUE);
        if (key == KEY_RESIZE || key == LETTER_FF)
            draw(watch);
    }
    return true;
}

static void run(struct watch *watch)
{
    int64_t next_ns = INT64_MIN;
    do {
        const int64_t now_ns = watch->platform->now_ns(watch->platform);
        if (now_ns < next_ns)
            continue;
        next_ns = now_ns + EVERY_NS;
        ask(watch);
        if (!st_stop_asked())
            draw(watch);
    } while (!st_stop_asked() && read_keys(watch));
}

int st_module_run(int argc, char **argv)
{
    struct options options = {0};
    const int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    if (options.once || options.json || isatty(STDOUT_FILENO) != 1)
        return print_once(&options);
    struct watch watch = {.options = &options, .platform = st_platform_native(), .unicode = choose_locale()};
    const char *type = getenv("TERM");
    SCREEN *terminal = newterm(NULL, stdout, stdin);
    if (terminal == NULL || tigetstr("cup") == NULL) {
        if (terminal != NULL) {
            endwin();
            delscreen(terminal);
        }
        return st_failure(COMMAND, "a terminal of type '%s' cannot show a screen: try --once",
                          type != NULL ? type : "");
    }
    st_stop_catch(NULL);
    choose_attributes();
    (void)cbreak();
    (void)noecho();
    (void)curs_set(0);
    (void)nodelay(stdscr, TRUE);
    (void)keypad(stdscr, TRUE);
    run(&watch);
    endwin();
    delscreen(terminal);
    st_daemon_answer_finish(&watch.answer);
    return ST_EXIT_DONE;
}
