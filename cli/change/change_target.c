/* Common to apply, verify and revert: the machine to change, its journal, facts and report. */
#include "cli/change/change_target.h"

#include <sys/stat.h>
#include <unistd.h>

#include "advisor/rules/buffer.h"
#include "cli/change/before_after.h"
#include "cli/change/change_output.h"
#include "cli/report/report_run.h"
#include "core/text/safe.h"
#include "platform/user_folder.h"

static const char *own_journal(void)
{
    return st_user_folder(ST_USER_STATE, "/sleeptune-changes");
}

bool st_change_target_has_own(const char *root)
{
    const char *folder = own_journal();
    return root == NULL && geteuid() != 0 && folder != NULL &&
           access(st_text("%s/" ST_JOURNAL_FILE, folder), F_OK) == 0;
}

int st_change_target_open(const char *root, bool own, struct st_change_target *ret)
{
    struct st_change_target target = {.live = root == NULL, .own = own, .p = st_platform_native()};
    int r = 0;
    if (root != NULL)
        r = st_platform_root_new(root, &target.p);
    if (r < 0)
        return st_failure("%s: %s", root, strerror(-r));
    if (root != NULL && access(st_text("%s/sysctl-a.txt", root), F_OK) == 0)
        st_platform_root_set_freebsd(target.p);
    const char *state = target.live ? getenv("STATE_DIRECTORY") : NULL;
    const char *folder = own                                ? own_journal()
                         : state != NULL && state[0] == '/' ? st_text("%s/changes", state)
                                                            : st_os_rows[target.p->os].changes;
    const bool found =
        folder != NULL && ST_PRINT(target.folder, "%s", folder) < (int)sizeof(target.folder);
    const char *why = found ? st_applied_busy(target.p, target.folder)
                            : "no folder for the list of changes: HOME is not set, or the path "
                              "in HOME or STATE_DIRECTORY is too long";
    if (why == NULL)
        why = st_journal_read(target.p, target.folder, &target.journal);
    if (why != NULL) {
        st_change_target_close(&target);
        return st_failure("%s", why);
    }
    ST_EACH_OF (entry, target.journal.entries, own ? target.journal.entries_n : 0) {
        const char *blank = strchr(entry->names, ' ');
        target.quantum = ST_MAX(target.quantum, entry->frames);
        if (blank != NULL)
            target.card = blank + 1;
    }
    /* others must be able to read the folders made for drop-ins and the journal, whatever the
     * shell's umask is */
    umask(022);
    *ret = target;
    return ST_EXIT_DONE;
}

static void put_own(const struct st_change_target *target)
{
    const char *folder = st_user_folder("XDG_CONFIG_HOME", "/.config", "");
    if (!target->own || folder == NULL)
        return;
    if (target->quantum > 0)
        st_facts_put_int(target->facts, ST_BUFFER_PIPEWIRE_WISH, target->quantum, "the user");
    if (target->card != NULL)
        st_facts_put_text(target->facts, ST_BUFFER_WIREPLUMBER_CARD, target->card, "the user");
    st_facts_put_text(target->facts, ST_BUFFER_PIPEWIRE_FOLDER, folder, "the user");
}

int st_change_target_judge(const struct st_facts_input *input, int64_t frames, int64_t rate_hz,
                           struct st_change_target *target)
{
    struct st_facts_input whose = *input;
    if (target->live)
        st_facts_input_of_player(&whose);
    const int status = st_facts_input_load(&whose, &target->facts);
    if (status != ST_EXIT_DONE)
        return status;
    put_own(target);
    return st_report_run_make(target->facts, frames, rate_hz, &target->report);
}

int st_change_target_revert(struct st_change_target *target, bool all, const char *const *ids,
                            bool quiet, struct st_applied *ret)
{
    const char *why =
        st_applied_open(ret, target->p, target->folder, quiet ? NULL : st_change_output_event);
    if (why != NULL)
        return st_failure("%s", why);
    why = st_applied_revert(ret, all, ids);
    if (why != NULL) /* each change that failed was reported with its own reason */
        st_failure("%s", why);
    if (st_before_after_forget(target, &ret->journal) && !quiet)
        puts("removed   the measurement from before the changes");
    const struct st_journal left = ret->journal;
    ret->journal = target->journal;
    target->journal = left;
    st_applied_close(ret);
    return why != NULL ? ST_EXIT_FAILURE : ST_EXIT_DONE;
}

int st_change_target_recover(struct st_change_target *target, bool quiet)
{
    struct st_applied applied;
    if (!st_journal_is_interrupted(&target->journal))
        return ST_EXIT_DONE;
    if (st_change_target_needs_root(target))
        return ST_EXIT_FAILURE;
    if (!quiet)
        puts("an earlier run was interrupted: undoing its changes first");
    return st_change_target_revert(target, false, NULL, quiet, &applied);
}

void st_change_target_close(struct st_change_target *target)
{
    if (target->facts != NULL) {
        st_report_finish(&target->report);
        st_facts_free(target->facts);
    }
    st_journal_finish(&target->journal);
    if (!target->live)
        st_platform_root_free(target->p);
}

bool st_change_target_needs_root(const struct st_change_target *target)
{
    if (!target->live || target->own || geteuid() == 0)
        return false;
    const char *line =
        st_text("%ssleeptune %s", st_os_rows[target->p->os].sudo, st_program_command);
    for (char *const *word = st_program_words; line != NULL && *word != NULL; word++) {
        const char *safe = st_safe_shell_word(*word, ST_ROOM(512));
        line = safe != NULL ? st_text("%s %s", line, safe) : NULL;
    }
    fflush(stdout);
    st_failure(line != NULL
                   ? "this needs root. Next, as root:" /* the command in one line, to be pasted */
                   : "this needs root: run the same command as root");
    if (line != NULL)
        fprintf(stderr, "%s\n", line);
    return true;
}
