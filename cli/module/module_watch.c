/* sleeptune status --watch: the screen of the daemon on a whole terminal, redrawn each second. */
#include "cli/module.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "cli/show/status_screen.h"
#include "core/ns.h"
#include "core/when.h"
#include "platform/platform.h"
#include "platform/program/locale.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define COMMAND    "status"
#define TARGET     "/v1/status"
#define SCHEMA     "sleeptune-status/1"
#define EVERY_NS   ST_NS_PER_S
#define ANSWER_MS  900 /* a key waits so long at most */
#define KEYS_MS    100
#define TEXT_BYTES 700
#define LETTER_FF  ('L' & 0x1f)

/* --- the terminal --- */

static attr_t attributes[ST_STYLE_ALERT + 1];

static void choose_attributes(void)
{
    const bool colour = st_terminal_colour(stdout) && has_colors() == TRUE && start_color() == OK &&
                        use_default_colors() == OK && init_pair(1, COLOR_RED, -1) == OK &&
                        init_pair(2, COLOR_GREEN, -1) == OK && init_pair(3, COLOR_YELLOW, -1) == OK;
    attributes[ST_STYLE_PLAIN] = A_NORMAL;
    attributes[ST_STYLE_BOLD] = A_BOLD;
    attributes[ST_STYLE_DIM] = A_NORMAL;
    attributes[ST_STYLE_GOOD] = colour ? (attr_t)COLOR_PAIR(2) | A_BOLD : A_BOLD;
    attributes[ST_STYLE_WARN] = colour ? (attr_t)COLOR_PAIR(3) | A_BOLD : A_BOLD;
    attributes[ST_STYLE_BAD] = colour ? (attr_t)COLOR_PAIR(1) | A_BOLD : A_BOLD;
    attributes[ST_STYLE_ALERT] = A_REVERSE | A_BOLD;
}

/* Unicode needs a locale that names UTF-8 and exists. */
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
    const struct st_status_wish *wish;
    struct st_platform *platform;
    bool unicode;
    struct st_daemon_answer answer; /* the last good one */
    char whose[ST_DAEMON_WHOSE_BYTES];
    char error[TEXT_BYTES]; /* why the last request failed; "" */
    int64_t since_wall_ns;  /* of the last answer; 0: none yet */
};

static void ask(struct watch *watch)
{
    struct st_daemon_answer answer;
    const int status = st_daemon_client_try(watch->wish->socket, TARGET, SCHEMA, ANSWER_MS, &answer,
                                            watch->error, sizeof(watch->error));
    if (status != 0) {
        st_daemon_client_finish(&answer);
        return;
    }
    if (!st_status_screen_is_in(answer.document)) {
        ST_PRINT(watch->error, ST_STATUS_SCREEN_MISSING, answer.socket);
        st_daemon_client_finish(&answer);
        return;
    }
    if (strcmp(watch->answer.socket, answer.socket) != 0)
        (void)st_daemon_client_whose(watch->wish->socket, answer.socket, watch->whose, sizeof(watch->whose));
    st_daemon_client_finish(&watch->answer);
    watch->answer = answer;
    watch->error[0] = '\0';
    watch->since_wall_ns = watch->platform->wall_ns(watch->platform);
}

/* @return whether it must not be overlooked. */
static bool choose_message(const struct watch *watch, char *buf, size_t buf_bytes)
{
    char since[32];
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
    st_when_text_near(watch->since_wall_ns, watch->since_wall_ns, since, sizeof(since));
    snprintf(buf, buf_bytes, "Live, %s; q quits", since);
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
    const struct st_status_screen how = {.live = true,
                                         .details = watch->wish->details,
                                         .whose = watch->whose,
                                         .socket = watch->answer.socket,
                                         .alert = choose_message(watch, message, sizeof(message)),
                                         .message = message};
    st_status_screen_draw(&screen, watch->answer.document, &how);
    show(&screen);
    st_screen_finish(&screen);
}

/* Waits for keys, a short while. @return false when it is to end. */
static bool read_keys(const struct watch *watch)
{
    const bool keys = isatty(STDIN_FILENO) == 1;
    struct pollfd in = {.fd = keys ? STDIN_FILENO : -1, .events = POLLIN};
    (void)poll(&in, 1, KEYS_MS); /* ends early at a signal: getch then returns KEY_RESIZE */
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

int st_module_run(const struct st_status_wish *wish)
{
    struct watch watch = {.wish = wish, .platform = st_platform_native(), .unicode = choose_locale()};
    const char *type = getenv("TERM");
    SCREEN *terminal = newterm(NULL, stdout, stdin);
    if (terminal == NULL || tigetstr("cup") == NULL) {
        if (terminal != NULL) {
            endwin();
            delscreen(terminal);
        }
        return st_failure(COMMAND, "a terminal of type '%s' cannot be redrawn: leave out --watch",
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
    st_daemon_client_finish(&watch.answer);
    return ST_EXIT_DONE;
}
