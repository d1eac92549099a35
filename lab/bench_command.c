#include "lab/bench_command.h"

#include <unistd.h>

#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "lab/chart/chart.h"
#include "platform/platform.h"
#include "platform/program/output.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define WIDTH_MAX 100 /* longer lines are hard to read */

struct st_bench_command st_bench_command(void)
{
    struct st_platform *platform = st_platform_native();
    return (struct st_bench_command){.seed = st_platform_wall_ns(platform) & INT64_MAX};
}

int st_bench_command_check(const struct st_bench_command *c)
{
    const int r = st_chart_check("--plot", c->plot);
    return r != 0 || c->saved_as == NULL ? r : st_chart_can_write(c->saved_as);
}

bool st_bench_command_go_on(struct st_bench_command *c, const char *format, ...)
{
    struct st_platform *platform = st_platform_native();
    const int64_t now_ns = st_platform_now_ns(platform);
    if (!c->quiet && isatty(STDERR_FILENO) == 1 && now_ns - c->shown_ns > ST_NS_PER_S) {
        char line[160];
        ST_PRINT_REST(line, sizeof(line), format);
        fprintf(stderr, "\r%s\033[K",
                st_text_clip(st_locale_text(line), st_terminal_width(STDERR_FILENO) - 1));
        fflush(stderr);
        c->shown_ns = now_ns;
    }
    return !st_stop_asked();
}

void st_bench_command_done(const struct st_bench_command *c)
{
    if (c->shown_ns != 0)
        fputs("\r\033[K", stderr);
}

void st_bench_command_say(const struct st_bench_command *c, const char *line)
{
    char *text = st_text("%s", line);
    if (!c->quiet)
        st_text_wrap(stderr, st_locale_text(text), 0, st_terminal_width(STDERR_FILENO));
}

FILE *st_bench_command_begin(struct st_bench_command *c, int *ret_width)
{
    const int width = st_terminal_width(STDOUT_FILENO);
    *ret_width = width < WIDTH_MAX ? width : WIDTH_MAX;
    return c->out.document ? NULL : st_locale_begin(&c->stream, stdout);
}

static int save(const char *path, const json_t *document)
{
    char *text = st_json_dump(document);
    const int r = text != NULL ? st_output_write(path, text, strlen(text)) : -ENOMEM;
    free(text);
    return r == 0 ? ST_EXIT_DONE : st_failure("cannot write %s: %s", path, st_destination_error(r));
}

int st_bench_command_end(struct st_bench_command *c, json_t *document, size_t measured_n)
{
    json_t *drawn = c->plot != NULL && measured_n > 0 ? json_incref(document) : NULL;
    const int r = c->out.document ? 0 : st_locale_end(&c->stream);
    const int saved = c->saved_as != NULL ? save(c->saved_as, document) : ST_EXIT_DONE;
    int status = c->out.document ? st_table_output(&c->out, document) : ST_EXIT_DONE;
    if (r != 0)
        status = st_failure("cannot print: %s", strerror(-r));
    if (!c->out.document)
        json_decref(document);
    if (drawn != NULL)
        status = st_chart_option_json(c->label != NULL ? c->label : st_program_command, c->plot,
                                      drawn, status);
    status = status == ST_EXIT_DONE ? saved : status;
    return status == ST_EXIT_DONE && measured_n == 0 ? st_failure("nothing was measured") : status;
}
