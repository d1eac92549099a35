#include "platform/program/failure.h"

#include <unistd.h>

#include "core/text/text.h"
#include "platform/program/locale.h"
#include "platform/program/terminal.h"

const char *st_program_name = "sleeptune";
const char *st_program_command;
char *const *st_program_words;

#define MESSAGE_BYTES 8192 /* a path in a message may have 4096 */

/* Wraps a message. Names in the text may be foreign; in a file the message stays a single line. */
static void wrap(char *text, int indent)
{
    st_locale_text(text);
    st_text_wrap(stderr, text, indent,
                 isatty(STDERR_FILENO) ? st_terminal_width(STDERR_FILENO) : 0);
}

void st_failure_note(const char *format, ...)
{
    char text[1024];
    ST_PRINT_REST(text, sizeof(text), format);
    wrap(text, 0);
}

/* @return "PROGRAM COMMAND", with which messages begin. */
static const char *who_runs(void)
{
    return st_text_joined(st_program_name, " ", st_program_command);
}

ST_PRINTF(1, 0)
static void print_message(const char *format, va_list args)
{
    char text[MESSAGE_BYTES];
    const int begun = ST_PRINT(text, "%s: ", who_runs());
    vsnprintf(text + begun, sizeof(text) - (size_t)begun, format, args);
    wrap(text, 2);
}

int st_failure_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
    fprintf(stderr, "Try '%s --help'.\n", who_runs());
    return ST_EXIT_USAGE;
}

int st_failure_unknown(const char *kind, const char *dashes, const struct st_near *near)
{
    if (near->name == NULL)
        return st_failure_usage("no such %s: %s%s", kind, dashes, near->typed);
    return st_failure_usage("no such %s: %s%s. Did you mean '%s%s'?", kind, dashes, near->typed,
                            dashes, near->name);
}

int st_failure(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
    return ST_EXIT_FAILURE;
}
