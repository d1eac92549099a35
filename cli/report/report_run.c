/* What report and check share: options, judging, printing. */
#include "cli/report/report_run.h"

#include <assert.h>
#include <unistd.h>

#include "advisor/rules/buffer.h"
#include "platform/proc.h"
#include "platform/program/output.h"
#include "platform/program/terminal.h"

#define OWN_MAX 16 /* most options of a subcommand besides the common ones */

static int take_threshold(void *ctx, const char *text)
{
    struct st_report_options *options = ctx;
    if (st_finding_status_parse(text, &options->threshold) == 0)
        return 0;
    return st_failure_usage(
        "--threshold: '%s' is unknown; use problem, advice, unknown, ok or not-applicable", text);
}

int st_report_run_profile(void *ctx, const char *text)
{
    if (st_report_profile_parse(text, ctx) == 0)
        return 0;
    return st_failure_usage("--profile: '%s' is unknown; use studio, desktop, laptop or server",
                            text);
}

int st_report_run_options(const struct st_option *own, size_t own_n, const char *help, int argc,
                          char **argv, int *ret_first, struct st_report_options *ret)
{
    *ret = (struct st_report_options){.threshold = ST_STATUS_PROBLEM};
    const struct st_option common[] = {
        ST_OPTION_ROWS_BUFFER(&ret->frames, &ret->rate_hz),
        {"json", .flag = &ret->json},
        {"threshold", .take = take_threshold, .ctx = ret},
        {"profile", .take = st_report_run_profile, .ctx = &ret->profile},
        {"only", .text = &ret->only},
        {"ok", .flag = &ret->ok},
        {"details", .flag = &ret->all},
        {"output", 'o', .text = &ret->output},
        {"textfile", .text = &ret->textfile},
    };
    struct st_option options[ST_ARRAY_LEN(common) + OWN_MAX];
    assert(own_n <= OWN_MAX);
    memcpy(options, common, sizeof(common));
    memcpy(options + ST_ARRAY_LEN(common), own, own_n * sizeof(*own));
    const size_t n = ST_ARRAY_LEN(common) + own_n;
    const int r = ret_first != NULL ? st_options_read(options, n, help, argc, argv, ret_first)
                                    : st_options_only(options, n, help, argc, argv);
    if (r < 0 && ret->textfile != NULL && st_text_is(ret->textfile, st_text_or(ret->output, "-")))
        return st_failure_usage(
            "--textfile: '%s' is also the file of --output. Choose another file.", ret->textfile);
    return r;
}

/* Writes the report in one format. @param path NULL or "-": standard output. @return 0 or a
 * negative errno value. */
static int write_as(st_report_format *format, const struct st_report *report, const char *path,
                    const struct st_report_options *options)
{
    const bool terminal = path == NULL || st_text_is(path, "-");
    const struct st_report_view view = {
        .width = terminal ? st_terminal_width(STDOUT_FILENO) : 80,
        .colour = terminal && st_terminal_colour(),
        .ok = options->ok,
        .all = options->all,
    };
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (memory == NULL)
        return -ENOMEM;
    int r = format(report, memory, &view);
    if (fclose(memory) != 0 && r == 0)
        r = -ENOMEM;
    if (r == 0 && format == st_report_text)
        bytes = strlen(st_locale_text(text));
    if (r == 0)
        r = st_output_write(path, text, bytes);
    free(text);
    return r;
}

static int print_report(const struct st_report *report, const struct st_report_options *options)
{
    int status = st_report_exit_status(report, options->threshold);
    int r =
        write_as(options->json ? st_report_json : st_report_text, report, options->output, options);
    if (r != 0)
        status = st_failure("cannot write %s: %s", st_text_or(options->output, "the report"),
                            st_destination_error(r));
    /* the file of metrics is written even if the report could not be */
    if (options->textfile == NULL)
        return status;
    r = write_as(st_report_prometheus, report, options->textfile, options);
    return r == 0 ? status
                  : st_failure("cannot write %s: %s", options->textfile, st_destination_error(r));
}

static int unknown_rule(const char *typed)
{
    struct st_near near = {.typed = typed};
    ST_EACH_OF (rule, st_rules, st_rules_n)
        st_near_offer(&near, (*rule)->id);
    if (near.name != NULL)
        return st_failure_unknown("rule", "", &near);
    return st_failure_usage("no such rule: %.100s. 'sleeptune report --list' lists all.", typed);
}

/* Removes all findings except those of the rules in `ids`, "ID,ID". @return an st_exit. */
static int leave_only(struct st_report *report, const char *ids)
{
    size_t n = 0;
    ST_TEXT_EACH (id, st_text("%s", ids), ",") {
        if (st_rule_find(id) == NULL)
            return unknown_rule(id);
        if (st_report_find(report, id) == NULL)
            return st_failure_usage("--only: '%s' is a rule of another operating system", id);
    }
    ST_REPORT_EACH (finding, report) {
        if (st_proc_has_word(ids, finding->rule->id))
            report->findings[n++] = *finding;
        else
            st_finding_finish(finding);
    }
    report->findings_n = n;
    return n > 0 ? ST_EXIT_DONE : unknown_rule(ids);
}

int st_report_run_choose(struct st_report *report, enum st_report_profile profile, const char *only)
{
    st_report_set_profile(report, profile);
    return only != NULL ? leave_only(report, only) : ST_EXIT_DONE;
}

static int finish_report(struct st_report *report, const struct st_report_options *options,
                         bool own_machine)
{
    report->own_machine = own_machine;
    if (own_machine)
        st_report_rank(report, options->tuned);
    report->answer = options->answer;
    if (options->only == NULL)
        st_report_leave_out(report, true, true);
    const int status = st_report_run_choose(report, options->profile, options->only);
    return status == ST_EXIT_DONE ? print_report(report, options) : status;
}

static int out_of_range(int64_t frames, int64_t rate_hz)
{
    return st_failure_usage("a period of %jd frames at %jd Hz is longer than an hour", frames,
                            rate_hz);
}

int st_report_run_period(const struct st_facts *facts, const struct st_report_options *options,
                         struct st_wish *ret)
{
    if (st_buffer_choose(facts, options->frames, options->rate_hz, ret) == 0)
        return ST_EXIT_DONE;
    return out_of_range(options->frames, options->rate_hz);
}

int st_report_run_make(const struct st_facts *facts, int64_t frames, int64_t rate_hz,
                       struct st_report *ret)
{
    const int r = st_report_make(facts, frames, rate_hz, ret);
    if (r == -ERANGE)
        return out_of_range(frames, rate_hz);
    return r == 0 ? ST_EXIT_DONE : st_failure("%s", strerror(-r));
}

int st_report_run(const struct st_facts *facts, const struct st_report_options *options,
                  bool own_machine)
{
    struct st_report report;
    int status = st_report_run_make(facts, options->frames, options->rate_hz, &report);
    if (status != ST_EXIT_DONE)
        return status;
    status = finish_report(&report, options, own_machine);
    st_report_finish(&report);
    return status;
}

/* --- single rules --- */

int st_report_run_check_ids(const char *const *ids, size_t ids_n)
{
    ST_EACH_OF (id, ids, ids_n) {
        if (st_rule_find(*id) == NULL)
            return unknown_rule(*id);
    }
    return 0;
}

int st_report_run_rules(const struct st_facts *facts, const struct st_report_options *options,
                        const char *const *ids, size_t ids_n)
{
    struct st_report report;
    const int status = st_report_run_make(facts, options->frames, options->rate_hz, &report);
    if (status != ST_EXIT_DONE)
        return status;
    struct st_locale_stream stream;
    FILE *out = st_locale_begin(&stream, stdout);
    ST_EACH_OF (id, ids, ids_n) {
        if (id > ids)
            fputc('\n', out);
        st_report_format_rule(st_rule_find(*id), st_report_find(&report, *id), &report.wish, out,
                              st_terminal_width(STDOUT_FILENO));
    }
    st_report_finish(&report);
    return st_output_text(&stream, ST_EXIT_DONE);
}
