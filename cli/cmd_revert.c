/* sleeptune revert: undoes what `sleeptune apply` wrote, except what someone has changed since
 * then. */
#include <unistd.h>

#include "cli/change/change_output.h"
#include "cli/change/change_target.h"
#include "cli/report/report_run.h"

static const char help[] =
    "Usage: sleeptune revert [OPTION...] --all | ID...\n"
    "Undo what 'sleeptune apply' wrote, also if it was interrupted. A setting\n"
    "that was changed again since then is left as it is and listed.\n\n"
    "  --all              undo everything\n"
    "  --run-generators   run the commands that make this take effect\n"
    "  --root DIR         revert in a saved copy of a machine, not on this one\n"
    "  -h, --help         this text\n\n"
    "Examples (settings of the system need root):\n"
    "  sleeptune revert --all\n"
    "  sleeptune revert linux-cpu-frequency\n\n"
    "Exit status: 0 everything is as before, 1 something was changed again and left\n"
    "as it is, 3 usage, 4 failure: run revert again, it knows what is left.\n";

static int take_back(struct st_change_target *target, bool all, const char *const *ids,
                     bool run_generators)
{
    struct st_applied applied = {.p = target->p};
    const bool any = target->journal.entries_n > 0 || geteuid() == 0;
    size_t rows_n = 0;
    int status = ST_EXIT_DONE;
    for (const char *const *id = ids; *id != NULL && status == ST_EXIT_DONE; id++) {
        /* an id in the journal is valid even if this version does not know its rule */
        if (st_journal_find(&target->journal, *id) == NULL)
            status = st_report_run_check_ids(id, 1);
    }
    if (status == ST_EXIT_DONE && any && st_change_target_needs_root(target))
        return ST_EXIT_FAILURE;
    if (status == ST_EXIT_DONE && any)
        status = st_change_target_revert(target, all, ids, false, &applied);
    if (status != ST_EXIT_DONE)
        return status;
    ST_EACH (n, applied.n)
        rows_n += *n;
    if (rows_n == 0)
        printf("nothing to undo: %s\n", st_change_output_nothing(all));
    status = st_change_output_then(&applied, true, run_generators);
    return status == ST_EXIT_DONE && applied.n[ST_EVENT_CHANGED] > 0 ? ST_EXIT_FINDINGS : status;
}

int st_cmd_revert(int argc, char **argv)
{
    const char *root = NULL;
    bool all = false, run_generators = false;
    int first;
    struct st_change_target target;
    const struct st_option table[] = {
        {"all", .flag = &all},
        {"run-generators", .flag = &run_generators},
        {"root", .text = &root},
    };
    int status = st_options_read(table, ST_ARRAY_LEN(table), help, argc, argv, &first);
    if (status != -1)
        return status;
    const char *const *ids = (const char *const *)argv + first; /* end with NULL */
    if (all == (ids[0] != NULL))
        return st_failure_usage("give --all, or the IDs of the settings to undo");
    if (run_generators && root != NULL)
        return st_failure_usage("--run-generators works only on this machine: leave out --root");
    status = st_change_target_open(root, st_change_target_has_own(root), &target);
    if (status == ST_EXIT_DONE) {
        status = take_back(&target, all, ids, run_generators);
        st_change_target_close(&target);
    }
    return status;
}
