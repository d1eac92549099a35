/* What the subcommands share: numbers, messages, the terminal. */
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "advisor/print.h"

#define MESSAGE_BYTES 8192 /* a path has at most 4096 */

ST_PRINTF(2, 0)
static void say(const char *command, const char *format, va_list args)
{
    char text[MESSAGE_BYTES];
    const int len = vsnprintf(text, sizeof(text), format, args);
    fprintf(stderr, "sleeptune%s%s: ", command != NULL ? " " : "", command != NULL ? command : "");
    if (len > 0) /* names in it may be somebody else's */
        st_print_safe(stderr, text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
    fputc('\n', stderr);
}

int st_usage_error(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(command, format, args);
    va_end(args);
    fprintf(stderr, "Try 'sleeptune%s%s --help'.\n", command != NULL ? " " : "",
            command != NULL ? command : "");
    return ST_EXIT_USAGE;
}

int st_failure(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(command, format, args);
    va_end(args);
    return ST_EXIT_FAILURE;
}

int st_parse_i64(const char *text, int64_t min, int64_t max, int64_t *ret)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || text[0] == ' ')
        return -EINVAL;
    if (errno == ERANGE || value < min || value > max)
        return -ERANGE;
    *ret = value;
    return 0;
}

int st_option_i64(const char *command, const char *option, const char *text, int64_t min, int64_t max,
                  int64_t *ret)
{
    const int r = st_parse_i64(text, min, max, ret);
    if (r == -EINVAL)
        return st_usage_error(command, "%s: '%s' is not a whole number", option, text);
    if (r == -ERANGE)
        return st_usage_error(command, "%s: %s is out of range: %lld .. %lld", option, text, (long long)min,
                              (long long)max);
    return 0;
}

int st_terminal_width(int fd)
{
    const char *columns = getenv("COLUMNS");
    int64_t width;
    if (columns != NULL && st_parse_i64(columns, 20, 1000, &width) == 0)
        return (int)width;
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 80;
}

bool st_terminal_colour(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no_color != NULL && no_color[0] != '\0')
        return false;
    if (term == NULL || strcmp(term, "dumb") == 0)
        return false;
    return isatty(fileno(stream)) == 1;
}
