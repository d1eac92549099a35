/* Lines that apply, verify and revert print. */
#include "cli/change/change_lines.h"

#include <stdio.h>
#include <unistd.h>

#include "advisor/report/print.h"
#include "cli/command.h"
#include "platform/program/locale.h"
#include "platform/program/terminal.h"

/** Text to standard output; end it with st_locale_end. */
static struct st_printer printer(struct st_locale_stream *stream)
{
    return (struct st_printer){
        .out = st_locale_begin(stream, stdout),
        .width = isatty(STDOUT_FILENO) == 1 ? st_terminal_width(STDOUT_FILENO) : 0,
    };
}

static void printed(struct st_locale_stream *stream)
{
    if (st_locale_end(stream) != 0)
        (void)st_failure(NULL, "out of memory: a line is missing");
}

void st_change_print(int column, const char *label, const char *text)
{
    struct st_locale_stream stream;
    const struct st_printer to = printer(&stream);
    st_print_wrapped(&to, column, label, column == 0 ? 4 : 14, text);
    printed(&stream);
}

void st_change_print_lines(const char *text)
{
    struct st_locale_stream stream;
    const struct st_printer to = printer(&stream);
    st_print_verbatim(&to, 0, "", 4, text);
    printed(&stream);
}
