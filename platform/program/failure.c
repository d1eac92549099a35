#include "platform/program/failure.h"

#include <unistd.h>

#include "core/text/text.h"
#include "platform/program/locale.h"
#include "platform/program/terminal.h"

const char *st_program_name = "sleeptune";

#define MESSAGE_BYTES 8192 /* a path has at most 4096 */

/* Names in it may be foreign: one line in a file, whatever they hold. */
static void wrap(char *text, int indent)
{
    st_locale_text(text);
    st_text_wrap(stderr, text, indent, isatty(STDERR_FILENO) ? st_terminal_width(STDERR_FILENO) : 0);
}

void st_failure_note(const char *format, ...)
{
    char text[1024];
    ST_PRINT_REST(text, sizeof(text), format);
    wrap(text, 0);
}

ST_PRINTF(2, 0)
static void print_message(const char *command, const char *format, va_list args)
{
    char text[MESSAGE_BYTES];
    const int begun = snprintf(text, sizeof(text), "%s%s%s: ", st_program_name, command != NULL ? " " : "",
                               command != NULL ? command : "");
    vsnprintf(text + begun, sizeof(text) - (size_t)begun, format, args);
    wrap(text, 2);
}

int st_failure_usage(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(command, format, args);
    va_end(args);
    fprintf(stderr, "Try '%s%s%s --help'.\n", st_program_name, command != NULL ? " " : "",
            command != NULL ? command : "");
    return ST_EXIT_USAGE;
}

int st_failure_unknown(const char *command, const char *kind, const char *dashes, const struct st_near *near)
{
    if (near->name == NULL)
        return st_failure_usage(command, "no such %s: %s%s", kind, dashes, near->typed);
    return st_failure_usage(command, "no such %s: %s%s. Did you mean '%s%s'?", kind, dashes, near->typed,
                            dashes, near->name);
}

int st_failure(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(command, format, args);
    va_end(args);
    return ST_EXIT_FAILURE;
}
