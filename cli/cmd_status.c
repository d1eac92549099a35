/* sleeptune status: what the running sleeptuned measures, once or live. */
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "cli/show/status.h"

static const char help[] = "Usage: sleeptune status [--details | --watch | --html | --json | --line FORM]\n"
                           "                        [--system | --socket PATH]\n"
                           "Show what the running sleeptuned measures: your own, else the system's.\n\n"
                           "  -w, --watch    redraw each second; Ctrl-C quits\n"
                           "  --details      every figure\n"
                           "  --html         open the live page in a browser (root: print its path)\n"
                           "  --json         print JSON of the schema sleeptune-status/1\n"
                           "  --format F     text (default) or json\n"
                           "  --line FORM    one line for a bar: waybar, i3blocks, polybar or plain\n"
                           "  --follow       with --line: a line each time something changes\n"
                           "  --system       the system's sleeptuned, also if your own runs\n"
                           "  --socket PATH  socket of the daemon; also SLEEPTUNE_SOCKET\n"
                           "  --help         this help\n\n"
                           "Exit status: 0 done, 3 usage, 4 no daemon or no answer.\n";

static int take_line(void *ctx, const char *text)
{
    const struct st_status_line_form *form = st_status_line_forms;
    while (form->name != NULL && strcmp(form->name, text) != 0)
        form++;
    *(const struct st_status_line_form **)ctx = form;
    return form->name != NULL
               ? 0
               : st_failure_usage("--line: '%s' is unknown; use waybar, i3blocks, polybar or plain", text);
}

int st_cmd_status(int argc, char **argv)
{
    struct st_status_wish wish = {0};
    bool watch = false, system_one = false;
    const struct st_option options[] = {
        {"watch", 'w', .flag = &watch},
        {"details", .flag = &wish.details},
        {"html", .flag = &wish.html},
        ST_OPTION_ROWS_JSON(&wish.json),
        {"line", .take = take_line, .ctx = &wish.line},
        {"follow", .flag = &wish.follow},
        {"system", .flag = &system_one},
        {"socket", .text = &wish.socket},
    };
    const int status = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (status >= 0)
        return status;
    if (system_one && wish.socket != NULL)
        return st_failure_usage("--system and --socket cannot be used together");
    if (system_one)
        wish.socket = ST_DAEMON_SYSTEM_SOCKET;
    if (watch + wish.json + wish.html + (wish.line != NULL) > 1)
        return st_failure_usage("only one of --watch, --html, --json and --line can be used");
    if (wish.follow && wish.line == NULL)
        return st_failure_usage("--follow needs --line");
    wish.watch = watch && isatty(STDOUT_FILENO) == 1;
    return st_status_run(&wish);
}
