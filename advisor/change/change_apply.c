/* Carrying a plan out: each write is in the journal first, and one that fails takes all of them back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/change/change_undo.h"

/* Makes the folders of a path that are missing. @return how many, or a negative errno. */
static int make_folders(struct st_platform *p, const char *path)
{
    char folder[512];
    int made = 0;
    if (strlen(path) >= sizeof(folder))
        return -ENAMETOOLONG;
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        memcpy(folder, path, (size_t)(slash - path));
        folder[slash - path] = '\0';
        const int r = p->make_folder(p, folder, 0755);
        if (r == 0)
            made++;
        else if (r != -EEXIST)
            return r;
    }
    return made;
}

static int ignore_name(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    return 1;
}

/* How many folders above the file are not there. */
static int missing_folders(struct st_platform *p, const char *path, unsigned *ret)
{
    char folder[512];
    unsigned missing = 0;
    if (strlen(path) >= sizeof(folder))
        return -ENAMETOOLONG;
    strcpy(folder, path);
    for (char *slash = strrchr(folder, '/'); slash != NULL && slash != folder; slash = strrchr(folder, '/')) {
        *slash = '\0';
        const int r = p->list(p, folder, ignore_name, NULL);
        if (r == 0)
            break;
        if (r != -ENOENT)
            return r;
        missing++;
    }
    *ret = missing;
    return 0;
}

int st_changes_open(struct st_changes *changes, struct st_platform *p, const char *folder,
                    st_change_say_fn say, void *ctx, char *message, size_t message_bytes)
{
    char inside[512];
    *changes = (struct st_changes){.p = p, .folder = folder, .say = say, .ctx = ctx};
    snprintf(inside, sizeof(inside), "%s/", folder);
    int r = make_folders(p, inside);
    if (r >= 0)
        r = p->lock_folder(p, folder);
    if (r < 0) {
        snprintf(message, message_bytes, "%s: %s", folder,
                 r == -EWOULDBLOCK ? "another sleeptune is changing settings"
                 : r == -EPERM     ? "belongs to somebody else, or others may write to it"
                                   : strerror(-r));
        return r;
    }
    changes->lock = r;
    r = st_journal_read(p, folder, &changes->journal, message, message_bytes);
    if (r < 0)
        p->unlock_folder(p, changes->lock);
    return r;
}

void st_changes_close(struct st_changes *changes)
{
    changes->p->unlock_folder(changes->p, changes->lock);
    st_journal_finish(&changes->journal);
}

/* --- before the first write --- */

/* Between the plan and the write somebody was asked, and the loop recorded. */
static bool is_as_planned(const struct st_changes *changes, const struct st_step *step)
{
    char now[ST_CHANGE_VALUE_BYTES];
    return st_change_value_read(changes->p, step->type, step->target, now, sizeof(now)) == 0 &&
           strcmp(now, step->old_value) == 0;
}

static int look_ahead(const struct st_changes *changes, const struct st_plan *plan)
{
    for (size_t i = 0; i < plan->steps_n; i++) {
        const struct st_step *step = &plan->steps[i];
        const struct st_entry entry = {.rule = (char *)(uintptr_t)step->rule->id,
                                       .type = step->type,
                                       .target = step->target,
                                       .old_value = step->old_value,
                                       .new_value = step->new_value};
        int r = 0;
        for (size_t j = 0; j < changes->journal.entries_n && r == 0; j++) {
            const struct st_entry *other = &changes->journal.entries[j];
            if (strcmp(other->rule, step->rule->id) == 0)
                r = -EALREADY;
            else if (step->type != ST_ENTRY_FILE && other->type == step->type &&
                     strcmp(other->target, step->target) == 0)
                r = -EEXIST;
        }
        if (r == 0 && step->type != ST_ENTRY_FILE && !is_as_planned(changes, step))
            r = -ESTALE;
        if (r == 0 && step->type != ST_ENTRY_SYSCTL)
            r = changes->p->can_write(changes->p, step->target, step->type == ST_ENTRY_SYSFS);
        if (r == 0 && !st_journal_target_allowed(changes->p->os, step->type, step->rule, step->target))
            r = -EINVAL;
        if (r < 0) {
            st_changes_say(changes, ST_EVENT_FAILED, &entry, NULL, r);
            return r;
        }
    }
    return 0;
}

/* --- one write --- */

/* The file's text with the block at its end, and the entry for it. *ret_text is for free(). */
static int prepare_file(struct st_changes *changes, const struct st_step *step, struct st_entry *entry,
                        char **ret_text)
{
    struct st_platform *p = changes->p;
    struct st_journal_file file = {.path = step->target};
    char *text;
    int r = st_change_file_read(p, step->target, &text);
    file.existed = r == 0;
    if (r == -ENOENT) {
        r = missing_folders(p, step->target, &file.folders_made);
        text = r == 0 ? strdup("") : NULL;
        if (r == 0 && text == NULL)
            r = -ENOMEM;
    }
    if (r < 0)
        return r;
    const size_t old_bytes = strlen(text);
    file.newline_added = old_bytes > 0 && text[old_bytes - 1] != '\n';
    file.hash = entry->old_hash = st_journal_hash(text, old_bytes);
    if (st_journal_file(&changes->journal, step->target) == NULL)
        r = st_journal_file_add(&changes->journal, &file);
    char *whole = NULL;
    if (r == 0 && asprintf(&whole, "%s%s%s", text, file.newline_added ? "\n" : "", step->new_value) < 0)
        r = -ENOMEM;
    free(text);
    if (r < 0)
        return r;
    entry->new_hash = st_journal_hash(whole, strlen(whole));
    if (strlen(whole) > ST_CHANGE_FILE_BYTES) {
        free(whole);
        return -EFBIG;
    }
    *ret_text = whole;
    return 0;
}

static int write_file(struct st_changes *changes, const struct st_step *step, const char *text)
{
    const int r = make_folders(changes->p, step->target);
    return r < 0 ? r : changes->p->replace_file(changes->p, step->target, text, strlen(text), 0644);
}

static int do_step(struct st_changes *changes, const struct st_step *step)
{
    struct st_journal *journal = &changes->journal;
    char *text = NULL;
    struct st_entry entry = {.rule = (char *)(uintptr_t)step->rule->id,
                             .type = step->type,
                             .phase = ST_PHASE_WRITING,
                             .target = step->target,
                             .old_value = step->old_value,
                             .new_value = step->new_value};
    int r = step->type == ST_ENTRY_FILE ? prepare_file(changes, step, &entry, &text) : 0;
    if (r == 0)
        r = st_journal_add(journal, &entry);
    if (r == 0)
        r = st_journal_write(changes->p, changes->folder, journal);
    if (r == 0)
        r = step->type == ST_ENTRY_FILE
                ? write_file(changes, step, text)
                : st_change_value_write(changes->p, step->type, step->target, step->new_value);
    if (r < 0)
        st_changes_say(changes, ST_EVENT_FAILED, &entry, NULL, r);
    free(text);
    return r;
}

/* Takes back everything from entry first_n on. @return how many could not be. */
static size_t roll_back(struct st_changes *changes, size_t first_n)
{
    size_t left_n = 0;
    for (size_t i = changes->journal.entries_n; i > first_n; i--)
        left_n += st_changes_undo(changes, i - 1) == ST_EVENT_FAILED;
    /* files without entries: a step that failed before it was written down */
    for (size_t i = changes->journal.files_n; i > 0; i--) {
        const char *path = changes->journal.files[i - 1].path;
        bool used = false;
        for (size_t j = 0; j < changes->journal.entries_n; j++)
            used |= strcmp(changes->journal.entries[j].target, path) == 0;
        if (!used)
            st_journal_file_remove(&changes->journal, path);
    }
    /* with no space for this the journal tells of writes that are no more, and revert finds them as before */
    const int r = st_journal_write(changes->p, changes->folder, &changes->journal);
    return left_n + (r < 0 && changes->journal.entries_n > 0);
}

int st_changes_apply(struct st_changes *changes, const struct st_plan *plan, size_t *ret_left)
{
    const size_t first_n = changes->journal.entries_n;
    *ret_left = 0;
    int r = look_ahead(changes, plan);
    if (r < 0)
        return r;
    for (size_t i = 0; r == 0 && i < plan->steps_n; i++)
        r = do_step(changes, &plan->steps[i]);
    for (size_t i = first_n; i < changes->journal.entries_n; i++) {
        changes->journal.entries[i].phase = r == 0 ? ST_PHASE_DONE : ST_PHASE_WRITING;
        changes->journal.entries[i].interrupted = r < 0;
    }
    if (r == 0)
        r = st_journal_write(changes->p, changes->folder, &changes->journal);
    if (r < 0) {
        *ret_left = roll_back(changes, first_n);
        return r;
    }
    for (size_t i = first_n; i < changes->journal.entries_n; i++)
        st_changes_say(changes, ST_EVENT_WRITTEN, &changes->journal.entries[i], NULL, 0);
    return 0;
}
