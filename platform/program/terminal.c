#include "platform/program/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text/number.h"

int st_terminal_width(int fd)
{
    const char *columns = getenv("COLUMNS");
    int64_t width;
    if (columns != NULL && st_number_i64(columns, 20, 1000, &width) == 0)
        return (int)width;
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 80;
}

bool st_terminal_colour(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no_color != NULL && no_color[0] != '\0')
        return false;
    if (term == NULL || strcmp(term, "dumb") == 0)
        return false;
    return isatty(STDOUT_FILENO) == 1;
}
