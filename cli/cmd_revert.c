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

struct work {
    const char *root;
    bool all;
    bool yes; /* it asks nothing anyway */
    bool run_generators;
    const char *const *ids;
    size_t ids_n;

    struct st_change_target target;
};

/** @return -1 to go on, or an st_exit. */
static int parse_options(int argc, char **argv, struct work *work)
{
    int first;
    const struct st_option table[] = {
        {"all", .flag = &work->all},
        {"yes", 'y', .flag = &work->yes},
        {"run-generators", .flag = &work->run_generators},
        {"root", .text = &work->root},
    };
    const int r = st_options_read(table, ST_ARRAY_LEN(table), help, argc, argv, &first);
    if (r != -1)
        return r;
    work->ids = (const char *const *)argv + first;
    work->ids_n = (size_t)(argc - first);
    if (work->all == (work->ids_n > 0))
        return st_failure_usage("give --all or the ids of rules");
    if (work->run_generators && work->root != NULL)
        return st_failure_usage("--run-generators works only on this machine: leave out --root");
    return -1;
}

static int take_back(struct work *work)
{
    struct st_applied applied = {.p = work->target.p};
    const struct st_journal *journal = &work->target.journal;
    int status = ST_EXIT_DONE;
    ST_EACH_OF (id, work->ids, work->ids_n) { /* one that this version does not know may be in the journal */
        if (st_journal_find(journal, *id) == NULL && status == ST_EXIT_DONE)
            status = st_report_run_check_ids(id, 1);
    }
    const bool any = journal->entries_n > 0 || geteuid() == 0;
    if (status == ST_EXIT_DONE && any && st_change_target_needs_root(&work->target))
        return ST_EXIT_FAILURE;
    if (status == ST_EXIT_DONE && any)
        status = st_change_target_revert(&work->target, work->all, work->ids, false, &applied);
    if (status != ST_EXIT_DONE)
        return status;
    size_t rows_n = 0;
    ST_EACH (n, applied.n)
        rows_n += *n;
    if (rows_n == 0)
        puts("nothing to revert");
    status = st_change_output_then(&applied, true, work->run_generators);
    return status == ST_EXIT_DONE && applied.n[ST_EVENT_CHANGED] > 0 ? ST_EXIT_FINDINGS : status;
}

int st_cmd_revert(int argc, char **argv)
{
    struct work work = {.root = NULL};
    int status = parse_options(argc, argv, &work);
    if (status >= 0)
        return status;
    status = st_change_target_open(work.root, work.root == NULL && st_change_target_has_own(), &work.target);
    if (status != ST_EXIT_DONE)
        return status;
    status = take_back(&work);
    st_change_target_close(&work.target);
    return status;
}
