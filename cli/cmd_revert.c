/* sleeptune revert: undoes what apply wrote, unless it was changed since. */
#include <unistd.h>

#include "cli/change/change_output.h"
#include "cli/change/change_target.h"
#include "cli/command.h"
#include "cli/report/report_run.h"

static const char help[] = "Usage: sleeptune revert [OPTION...] --all | ID...\n"
                           "Undo what 'sleeptune apply' wrote, also if it was interrupted. A setting\n"
                           "that was changed again since then is left as it is and listed.\n\n"
                           "  --all              undo everything\n"
                           "  -y, --yes          as for apply; revert asks nothing\n"
                           "  --run-generators   run the commands that make this take effect\n"
                           "  --root DIR         revert in a captured tree, not on this machine\n"
                           "  -h, --help         this text\n\n"
                           "Examples (settings of the system need root):\n"
                           "  sleeptune revert --all\n"
                           "  sleeptune revert linux-cpu-frequency\n\n"
                           "Exit status: 0 everything is as before, 1 something was changed again and left\n"
                           "as it is, 3 usage, 4 failure: run revert again, the journal has what is left.\n";

struct options {
    const char *root;
    bool all;
    bool yes; /* it asks nothing anyway */
    bool run_generators;
    const char *const *ids;
    size_t ids_n;
};

/** @return -1 to go on, or an st_exit. */
static int parse_options(int argc, char **argv, struct options *options)
{
    int first;
    const struct st_option table[] = {
        {"all", .flag = &options->all},
        {"yes", 'y', .flag = &options->yes},
        {"run-generators", .flag = &options->run_generators},
        {"root", .text = &options->root},
    };
    const int r = st_options_read(table, ST_ARRAY_LEN(table), help, argc, argv, &first);
    if (r != -1)
        return r;
    options->ids = (const char *const *)argv + first;
    options->ids_n = (size_t)(argc - first);
    if (options->all == (options->ids_n > 0))
        return st_failure_usage("give --all or the ids of rules");
    if (options->run_generators && options->root != NULL)
        return st_failure_usage("--run-generators works only on this machine: leave out --root");
    return -1;
}

static int take_back(const struct options *options, const struct st_change_target *target,
                     struct st_change_output *output)
{
    const int status = st_change_target_revert(target, options->all, options->ids, options->ids_n, output);
    if (status != ST_EXIT_DONE)
        return status;
    const size_t changed_n = output->n[ST_EVENT_CHANGED];
    if (output->rows_n == 0)
        puts("nothing to revert");
    if (st_change_output_then(output, true, options->run_generators) != ST_EXIT_DONE)
        return ST_EXIT_FAILURE;
    return changed_n > 0 ? ST_EXIT_FINDINGS : ST_EXIT_DONE;
}

/* An id that this version does not know is fine when the journal does. @param ret_any  is anything applied?
 */
static int check_ids(const struct options *options, const struct st_change_target *target, bool *ret_any)
{
    struct st_journal journal;
    int status = st_change_target_journal(target, &journal);
    if (status != ST_EXIT_DONE)
        return status;
    *ret_any = journal.entries_n > 0;
    ST_EACH_OF (id, options->ids, options->ids_n) {
        if (st_journal_find(&journal, *id) == NULL && status == ST_EXIT_DONE)
            status = st_report_run_check_ids(id, 1);
    }
    st_journal_finish(&journal);
    return status;
}

int st_cmd_revert(int argc, char **argv)
{
    struct options options = {0};
    struct st_change_target target;
    int status = parse_options(argc, argv, &options);
    if (status >= 0)
        return status;
    status = st_change_target_open(options.root, options.root == NULL && st_change_target_has_own(), &target);
    if (status != ST_EXIT_DONE)
        return status;
    bool any = true;
    status = check_ids(&options, &target, &any);
    struct st_change_output output = {.os = target.p->os};
    const bool nothing = !any && geteuid() != 0;
    if (status == ST_EXIT_DONE && nothing)
        puts("nothing to revert");
    else if (status == ST_EXIT_DONE && st_change_target_needs_root(&target))
        status = ST_EXIT_FAILURE;
    else if (status == ST_EXIT_DONE)
        status = take_back(&options, &target, &output);
    st_change_target_close(&target);
    return status;
}
