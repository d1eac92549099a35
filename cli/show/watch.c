/* sleeptune status --watch: the screen of the daemon on a whole terminal, redrawn each second. */
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "cli/show/status.h"
#include "cli/show/status_screen.h"
#include "core/when.h"
#include "platform/platform.h"
#include "platform/program/locale.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define EVERY_MS   1000
#define ANSWER_MS  900 /* Ctrl-C waits so long at most */
#define TEXT_BYTES 700
#define ROWS_USUAL 24 /* of a terminal that does not say how many it has */

/* ECMA-48, and xterm's second screen and cursor, which other terminals ignore */
#define BEGIN "\033[?1049h\033[?25l"
#define END   "\033[?1049l\033[?25h"

static const struct {
    const char *attribute, *colour; /* parameters of SGR */
} styles[] = {
    [ST_STYLE_PLAIN] = {"0", ""},     [ST_STYLE_BOLD] = {"0;1", ""},    [ST_STYLE_DIM] = {"0", ""},
    [ST_STYLE_GOOD] = {"0;1", ";32"}, [ST_STYLE_WARN] = {"0;1", ";33"}, [ST_STYLE_BAD] = {"0;1", ";31"},
    [ST_STYLE_ALERT] = {"0;1;7", ""}};

static void show(const struct st_screen *screen)
{
    const bool colour = st_terminal_colour();
    for (int row = 0; row < screen->rows; row++) {
        int style = -1;
        /* the cell at the lower right stays empty: some terminals would scroll */
        const int columns = screen->columns - (row + 1 == screen->rows);
        printf("\033[%d;1H", row + 1);
        for (int column = 0; column < columns; column++) {
            const struct st_cell *cell = st_screen_cell(screen, row, column);
            if (cell->style != style)
                printf("\033[%s%sm", styles[cell->style].attribute, colour ? styles[cell->style].colour : "");
            style = cell->style;
            fputs(cell->text, stdout);
        }
    }
    fflush(stdout);
}

struct watch {
    const struct st_status_wish *wish;
    struct st_clock *clock;
    struct st_daemon_answer answer; /* the last good one */
    char whose[ST_DAEMON_WHOSE_BYTES];
    bool current;           /* that one has this program's version */
    char error[TEXT_BYTES]; /* why the last request failed; "" */
    int64_t since_wall_ns;  /* of the last answer; 0: none yet */
};

static void ask(struct watch *watch)
{
    struct st_daemon_answer answer;
    const int status =
        st_daemon_client_try(watch->wish->socket, "/v1/status", "sleeptune-status/1", ANSWER_MS, &answer);
    if (status != 0) {
        ST_PRINT(watch->error, "%s", answer.error);
        st_daemon_client_finish(&answer);
        return;
    }
    if (!st_status_screen_is_in(answer.document)) {
        ST_PRINT(watch->error, ST_STATUS_SCREEN_MISSING, answer.socket);
        st_daemon_client_finish(&answer);
        return;
    }
    if (strcmp(watch->answer.socket, answer.socket) != 0 || !watch->current)
        watch->current =
            st_daemon_client_whose(watch->wish->socket, &answer, watch->whose, sizeof(watch->whose));
    st_daemon_client_finish(&watch->answer);
    watch->answer = answer;
    watch->error[0] = '\0';
    watch->since_wall_ns = st_clock_wall_ns(watch->clock);
}

/* @return whether it must not be overlooked. */
static bool choose_message(const struct watch *watch, char *buf, size_t buf_bytes)
{
    char since[32];
    if (watch->error[0] != '\0' && watch->answer.document == NULL) {
        snprintf(buf, buf_bytes, "Waiting: %s (Ctrl-C quits)", watch->error);
        return true;
    }
    if (watch->error[0] != '\0') {
        st_when_text_near(watch->since_wall_ns, st_clock_wall_ns(watch->clock), since, sizeof(since));
        snprintf(buf, buf_bytes, "No connection since %s: %s", since, watch->error);
        return true;
    }
    st_when_text_near(watch->since_wall_ns, watch->since_wall_ns, since, sizeof(since));
    snprintf(buf, buf_bytes, "Live, %s; Ctrl-C quits", since);
    return false;
}

static void draw(const struct watch *watch)
{
    char message[2 * TEXT_BYTES];
    struct st_screen screen;
    struct winsize size = {0};
    (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    if (st_screen_init(&screen, size.ws_row > 0 ? size.ws_row : ROWS_USUAL, st_terminal_width(STDOUT_FILENO),
                       st_locale_utf8()) != 0)
        return; /* the next second may have memory */
    const struct st_status_screen how = {.live = true,
                                         .details = watch->wish->details,
                                         .whose = watch->whose,
                                         .stale = !watch->current,
                                         .socket = watch->answer.socket,
                                         .alert = choose_message(watch, message, sizeof(message)),
                                         .message = message};
    st_status_screen_draw(&screen, watch->answer.document, &how);
    show(&screen);
    st_screen_finish(&screen);
}

int st_status_watch(const struct st_status_wish *wish)
{
    struct watch watch = {.wish = wish, .clock = &st_platform_native()->clock};
    const char *type = getenv("TERM");
    if (type == NULL || strcmp(type, "dumb") == 0)
        return st_failure("a terminal of type '%s' cannot be redrawn: leave out --watch",
                          type != NULL ? type : "");
    st_stop_catch(NULL);
    fputs(BEGIN, stdout);
    while (!st_stop_asked() && ferror(stdout) == 0) {
        ask(&watch);
        if (st_stop_asked())
            break;
        draw(&watch);
        (void)poll(NULL, 0, EVERY_MS); /* ends early at a signal */
    }
    fputs("\033[0m" END, stdout);
    st_daemon_client_finish(&watch.answer);
    return ST_EXIT_DONE;
}
