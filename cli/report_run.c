/* What report and check share: options, judging, printing. */
#include "cli/report_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/locale.h"
#include "cli/mutes.h"
#include "cli/output.h"

void st_report_defaults(struct st_report_options *options)
{
    *options = (struct st_report_options){.frames = 128, .rate_hz = 48000, .threshold = ST_STATUS_PROBLEM};
}

static int parse_format(const char *command, const char *text, enum st_format *ret)
{
    static const char *const names[] = {
        [ST_FORMAT_TEXT] = "text",
        [ST_FORMAT_JSON] = "json",
        [ST_FORMAT_HTML] = "html",
        [ST_FORMAT_MARKDOWN] = "markdown",
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(names); i++) {
        if (strcmp(text, names[i]) == 0) {
            *ret = (enum st_format)i;
            return 0;
        }
    }
    return st_usage_error(command, "--format: '%s' is none of text, json, html, markdown", text);
}

int st_report_option(const char *command, int option, const char *text, struct st_report_options *options)
{
    options->period_given = options->period_given || option == 'f' || option == 'r';
    switch (option) {
    case 'f':
        return st_option_i64(command, "--frames", text, 1, 1 << 22, &options->frames);
    case 'r':
        return st_option_i64(command, "--rate", text, 1, 1 << 22, &options->rate_hz);
    case 'F':
        return parse_format(command, text, &options->format);
    case 'j':
        options->format = ST_FORMAT_JSON;
        return 0;
    case 't':
        if (st_status_parse(text, &options->threshold) != 0)
            return st_usage_error(
                command, "--threshold: '%s' is none of problem, advice, unknown, ok, not-applicable", text);
        return 0;
    case 'P':
        if (st_profile_parse(text, &options->profile) != 0)
            return st_usage_error(command, "--profile: '%s' is none of studio, desktop, laptop, server",
                                  text);
        return 0;
    case 'I':
        options->only = text;
        return 0;
    case 'C':
        options->config = text;
        return 0;
    case 'a':
        options->all = true;
        return 0;
    case 'o':
        options->output = text;
        return 0;
    default:
        return -1;
    }
}

static int print_report(const char *command, const struct st_report *report,
                        const struct st_report_options *options)
{
    const char *name = options->output != NULL ? options->output : "the report";
    const bool terminal = options->output == NULL || strcmp(options->output, "-") == 0;
    const struct st_view view = {
        .width = terminal ? st_terminal_width(STDOUT_FILENO) : 80,
        .colour = terminal && st_terminal_colour(stdout),
        .all = options->all,
    };
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (memory == NULL)
        return st_failure(command, "out of memory");
    int r = st_report_print(report, options->format, memory, &view);
    if (fclose(memory) != 0 && r == 0)
        r = -ENOMEM;
    if (r == 0 && options->format == ST_FORMAT_TEXT)
        bytes = strlen(st_locale_text(text));
    if (r == 0)
        r = st_output_write(options->output, text, bytes);
    free(text);
    if (r != 0)
        return st_failure(command, "cannot write %s: %s", name, strerror(-r));
    return st_report_exit_status(report, options->threshold);
}

/** Profile, mutes and --only, then print. */
static int finish_report(const char *command, struct st_report *report,
                         const struct st_report_options *options, bool own_machine)
{
    struct st_mutes mutes = {0};
    char today[16] = "", id[256];
    const time_t now = time(NULL);
    struct tm tm;
    if (own_machine || options->config != NULL) {
        const int status = st_mutes_load(command, options->config, &mutes);
        if (status != ST_EXIT_DONE)
            return status;
    }
    if (localtime_r(&now, &tm) != NULL)
        strftime(today, sizeof(today), "%Y-%m-%d", &tm);
    st_report_set_trials(report, options->trials);
    st_report_set_profile(report, options->profile);
    st_report_mute(report, mutes.rows, mutes.n, today);
    const int r = options->only != NULL ? st_report_only(report, options->only, id, sizeof(id)) : 0;
    int status;
    if (r == -ENOENT)
        status =
            st_usage_error(command, "--only: '%s' is no rule for this system (sleeptune explain --list)", id);
    else if (r != 0)
        status = st_failure(command, "%s", strerror(-r));
    else
        status = print_report(command, report, options);
    st_mutes_free(&mutes);
    return status;
}

int st_report_run(const char *command, const struct st_facts *facts, const struct st_report_options *options,
                  bool own_machine)
{
    struct st_report report;
    const int r = st_report_make(facts, (uint32_t)options->frames, (uint32_t)options->rate_hz, &report);
    if (r == -ERANGE)
        return st_usage_error(command, "%lld frames at %lld Hz are longer than an hour",
                              (long long)options->frames, (long long)options->rate_hz);
    if (r != 0)
        return st_failure(command, "%s", strerror(-r));
    const int status = finish_report(command, &report, options, own_machine);
    st_report_finish(&report);
    return status;
}
