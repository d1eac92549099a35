#include "platform/program/failure.h"

#include "core/text/safe.h"
#include "platform/program/locale.h"

const char *st_program_name = "sleeptune";

#define MESSAGE_BYTES 8192 /* a path has at most 4096 */

ST_PRINTF(2, 0)
static void print_message(const char *command, const char *format, va_list args)
{
    char text[MESSAGE_BYTES];
    const int len = vsnprintf(text, sizeof(text), format, args);
    fprintf(stderr, "%s%s%s: ", st_program_name, command != NULL ? " " : "", command != NULL ? command : "");
    if (len > 0) { /* names in it may be foreign: one line, whatever they hold */
        st_locale_text(text);
        st_safe_print(stderr, text, ST_TEXT_TO_NUL);
    }
    fputc('\n', stderr);
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
