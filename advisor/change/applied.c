/* Carries plans out and undoes them. Each write is recorded in the journal first; if a write fails,
 * the whole plan is undone. */
#include "advisor/change/applied.h"

#include <libgen.h>
#include <unistd.h>

/* --- undoing one write, unless another program changed it; a killed run may have done all or
 * nothing of it
 * --- */

static void notify(struct st_applied *applied, enum st_change_event event,
                   const struct st_entry *entry, const char *now, int error)
{
    applied->n[event]++;
    if (entry->file && (event == ST_EVENT_WRITTEN || event == ST_EVENT_RESTORED))
        applied->changed[entry->kind] = st_text("%s", entry->target);
    if (applied->on_event != NULL)
        applied->on_event(event, entry, now, error);
}

/* Writes the journal. @param of the entry that is named by the event, if writing fails; NULL: no
 * event. */
static int save(struct st_applied *applied, const struct st_entry *of)
{
    const int r = st_journal_write(applied->p, applied->folder, &applied->journal);
    if (r < 0 && of != NULL)
        notify(applied, ST_EVENT_FAILED, of,
               st_text("the list of changes (journal) in %s", applied->folder), r);
    return r;
}

static int write_value(struct st_platform *platform, const char *target, const char *value)
{
    if (target[0] == '/')
        return platform->write_value(platform, target, value);
    return platform->write_sysctl(platform, target, value);
}

/* The folder of the entry's file; for a block in another program's file, that file, so that
 * count_made() can count it like a folder. */
static char *folder_of(const struct st_entry *entry)
{
    return dirname(st_text(entry->block ? "%s/x" : "%s", entry->target));
}

/* Sets entry->made to the number of folders above the file that apply makes now, or made for our
 * other files, so that the last revert can remove them. For a block, counts the file itself if it
 * does not exist. */
static void count_made(const struct st_applied *applied, struct st_entry *entry)
{
    char *folder = folder_of(entry);
    while (st_change_folder_look(applied->p, folder) == -ENOENT &&
           entry->made < ST_ENTRY_MADE_MAX) {
        entry->made++;
        folder = dirname(folder);
    }
    ST_EACH_OF (other, applied->journal.entries, applied->journal.entries_n) {
        if (other->file && st_text_is(folder_of(other), folder_of(entry)))
            entry->made = ST_MAX(entry->made, other->made);
    }
}

/* Makes the folders of a path that are missing. */
static int make_folders(struct st_platform *platform, const char *path)
{
    int r = 0;
    for (const char *slash = strchr(path + 1, '/'); r == 0 && slash != NULL;
         slash = strchr(slash + 1, '/')) {
        r = platform->make_folder(platform, st_text("%.*s", (int)(slash - path), path), 0755);
        r = r == -EEXIST ? 0 : r;
    }
    return r;
}

/* Writes a file of ours, or a block at the end of another program's file. @param text NULL: removes
 * the file or block. */
static int put_file(struct st_platform *p, const struct st_entry *entry, const char *text)
{
    char *old = NULL, *whole;
    size_t bytes = 0;
    if (text == NULL && !entry->block)
        return p->remove_file(p, entry->target);
    int r = make_folders(p, entry->target);
    if (r == 0 && entry->block)
        r = st_change_file_read(p, entry->target, &old);
    if (r != 0 && r != -ENOENT)
        return r;
    const char *all = st_text_or(old, ""),
               *ours = text != NULL ? all + strlen(all) : st_change_find(entry, all, &bytes);
    /* other programs' lines below our block stay: the newline before it ends the line above */
    if (text == NULL && ours > all && ours[-1] != '\n' && strchr("\n", ours[bytes]) == NULL) {
        ours++;
        bytes--;
    }
    r = ours == NULL ? -ESTALE
                     : asprintf(&whole, "%.*s%s%s", (int)(ours - all), all, st_text_or(text, ""),
                                ours + bytes);
    if (r >= 0) {
        r = r > ST_CHANGE_FILE_BYTES    ? -EFBIG
            : r == 0 && entry->made > 0 ? p->remove_file(p, entry->target)
                                        : p->replace_file(p, entry->target, whole, (size_t)r, 0644);
        free(whole);
    } else if (ours != NULL) {
        r = -ENOMEM;
    }
    free(old);
    return r;
}

/* The event that an undo reports; index: the state in which the undo finds the file or value. */
static const enum st_change_event by_state[] = {
    [ST_ENTRY_IN_PLACE] = ST_EVENT_RESTORED,
    [ST_ENTRY_DIFFERS] = ST_EVENT_CHANGED,
    [ST_ENTRY_GONE] = ST_EVENT_AS_BEFORE,
    [ST_ENTRY_UNREAD] = ST_EVENT_FAILED,
};

static void undo_entry(struct st_applied *applied, size_t i)
{
    struct st_platform *p = applied->p;
    const struct st_entry *entry = &applied->journal.entries[i];
    struct st_look look = {ST_ENTRY_UNREAD,
                           .error = entry->file ? p->clean_file(p, entry->target) : 0};
    if (look.error == 0)
        look = st_change_look(p, entry);
    int r = look.error;
    enum st_change_event event = by_state[look.state];
    if (look.state == ST_ENTRY_GONE && !entry->file)
        event = ST_EVENT_GONE;
    if (look.now != NULL && st_text_is(look.now, entry->old_value))
        event = ST_EVENT_AS_BEFORE;
    /* An empty value means that a run was killed while it wrote a file of a captured tree, so the
     * old value is restored. Files of the kernel are never empty during a write. */
    if (look.now != NULL && look.now[0] == '\0')
        event = ST_EVENT_RESTORED;
    if (event == ST_EVENT_RESTORED) {
        r = entry->file ? put_file(p, entry, NULL)
                        : write_value(p, entry->target, entry->old_value);
        event = r < 0 ? ST_EVENT_FAILED : event;
    }
    /* remove the folders that were made for the file, the deepest first, if they are empty */
    char *folder = folder_of(entry);
    for (unsigned made = event == ST_EVENT_FAILED ? 0 : entry->made;
         made > 0 && p->remove_folder(p, folder) != -ENOTEMPTY; made--)
        folder = dirname(folder);
    notify(applied, event, entry, event == ST_EVENT_CHANGED ? look.now : NULL, r);
    if (event != ST_EVENT_FAILED)
        st_journal_remove(&applied->journal, i);
}

/* Undoes unfinished writes of this rule (NULL: of all rules), the latest write first. */
static void undo_open(struct st_applied *applied, const char *rule)
{
    for (size_t i = applied->journal.entries_n; i > 0; i--) {
        const struct st_entry *entry = &applied->journal.entries[i - 1];
        if (entry->phase != ST_PHASE_DONE && (rule == NULL || st_text_is(entry->rule, rule)))
            undo_entry(applied, i - 1);
    }
}

/* --- carrying a plan out --- */

const char *st_applied_busy(struct st_platform *platform, const char *folder)
{
    const int process = platform->folder_holder(platform, folder);
    if (process < 0)
        return NULL;
    return st_text("another sleeptune is changing settings (process %s). Wait for it, or stop it "
                   "with Ctrl-C there.",
                   process > 0 ? st_text("%d", process) : "unknown");
}

const char *st_applied_open(struct st_applied *applied, struct st_platform *p, const char *folder,
                            st_change_event_fn on_event)
{
    *applied = (struct st_applied){.p = p, .folder = folder, .on_event = on_event};
    int r = make_folders(p, folder);
    if (r == 0)
        r = p->make_folder(p, folder, ST_JOURNAL_FOLDER_MODE);
    if (r == 0 || r == -EEXIST)
        r = p->lock_folder(p, folder);
    applied->lock = r;
    const char *why = r == -EWOULDBLOCK ? st_applied_busy(p, folder)
                      : r == -EPERM ? st_text("%s: this folder belongs to another user, or others "
                                              "may write to it. Check its owner and mode.",
                                              folder)
                                    : NULL;
    if (r < 0)
        return st_text_or(why, st_text("%s: %s", folder, strerror(-r)));
    why = st_journal_read(p, folder, &applied->journal);
    if (why != NULL)
        p->unlock_folder(p, r);
    for (size_t i = applied->journal.entries_n; i > 0; i--) {
        const struct st_entry *entry = &applied->journal.entries[i - 1];
        if (entry->phase == ST_PHASE_FORGOTTEN) {
            notify(applied, ST_EVENT_FORGOTTEN, entry, NULL, 0);
            st_journal_remove(&applied->journal, i - 1);
        }
    }
    return why;
}

void st_applied_close(struct st_applied *applied)
{
    applied->p->unlock_folder(applied->p, applied->lock);
    st_journal_finish(&applied->journal);
}

/* --- checks before the first write --- */

static int look_at_step(const struct st_applied *applied, const struct st_entry *step)
{
    struct st_platform *p = applied->p;
    ST_EACH_OF (other, applied->journal.entries, applied->journal.entries_n) {
        if (!st_text_is(other->target, step->target))
            continue;
        if (!step->file || st_text_is(other->rule, step->rule))
            return -EALREADY;
    }
    if (step->file ? st_change_rows[step->kind].users && geteuid() == 0
                   : !st_journal_value_allowed(p->os, st_rule_find(step->rule), step->target))
        return -EINVAL;
    if (!step->file && !st_change_value_is(p, step->target, step->old_value))
        /* another program changed the value after the plan was made, while sleeptune asked the user
         * or measured */
        return -ESTALE;
    const int r =
        step->file || step->target[0] == '/' ? p->can_write(p, step->target, !step->file) : 0;
    if (r < 0 || !step->file)
        return r;
    /* refuse a file of that name that differs from ours or cannot be read, and a block that the
     * rule already has */
    const enum st_entry_state state = st_change_look(p, step).state;
    return state == ST_ENTRY_GONE || (state == ST_ENTRY_IN_PLACE && !step->block) ? 0 : -ENOTEMPTY;
}

int st_applied_begin(struct st_applied *applied, const struct st_journal *plan)
{
    struct st_journal *journal = &applied->journal;
    const size_t first_n = journal->entries_n;
    int r = 0;
    ST_EACH_OF (step, plan->entries, plan->entries_n) {
        r = look_at_step(applied, step);
        if (r == 0)
            r = st_journal_add(journal, step);
        if (r < 0) {
            notify(applied, ST_EVENT_FAILED, step, NULL, r);
            break;
        }
        if (step->file)
            count_made(applied, &journal->entries[journal->entries_n - 1]);
    }
    if (r == 0)
        r = save(applied, plan->entries);
    while (r < 0 && journal->entries_n > first_n)
        st_journal_remove(journal, journal->entries_n - 1);
    return r;
}

int st_applied_add(struct st_applied *applied, const struct st_journal *plan)
{
    struct st_journal *journal = &applied->journal;
    const size_t first_n = journal->entries_n;
    int r = st_applied_begin(applied, plan);
    if (r < 0)
        return r;
    ST_EACH_OF (step, plan->entries, plan->entries_n) {
        r = step->file ? put_file(applied->p, step, step->text)
                       : write_value(applied->p, step->target, step->new_value);
        if (r < 0) {
            notify(applied, ST_EVENT_FAILED, step, NULL, r);
            break;
        }
    }
    if (r == 0) {
        for (size_t i = first_n; i < journal->entries_n; i++)
            journal->entries[i].phase = ST_PHASE_DONE;
        r = save(applied, plan->entries);
    }
    for (size_t i = first_n; i < journal->entries_n; i++) {
        if (r < 0)
            journal->entries[i].phase = ST_PHASE_OPEN;
        else
            notify(applied, ST_EVENT_WRITTEN, &journal->entries[i], NULL, 0);
    }
    if (r < 0) {
        undo_open(applied, NULL);
        /* an error is ignored: if the disk is full, the journal lists writes that are undone, and
         * revert finds the old values */
        (void)save(applied, NULL);
    }
    return r;
}

/* --- trials of `tune` --- */

int st_applied_switch(struct st_applied *applied, const char *rule, bool was_on, bool on,
                      const char **ret_target)
{
    const char *now;
    int r = 0;
    ST_EACH_OF (entry, applied->journal.entries, applied->journal.entries_n) {
        if (r != 0 || !st_text_is(entry->rule, rule) || entry->phase != ST_PHASE_OPEN)
            continue;
        *ret_target = entry->target;
        r = st_change_value_read(applied->p, entry->target, &now);
        if (r == 0 && !st_text_is(now, was_on ? entry->new_value : entry->old_value))
            r = -EBUSY;
        if (r == 0 && on != was_on)
            r = write_value(applied->p, entry->target, on ? entry->new_value : entry->old_value);
    }
    return r;
}

void st_applied_end_trial(struct st_applied *applied, const char *rule)
{
    undo_open(applied, rule);
    (void)save(applied, NULL);
}

/* --- reverting what the journal lists, the latest write first --- */

const char *st_applied_revert(struct st_applied *applied, bool all, const char *const *ids)
{
    ST_EACH_OF (entry, applied->journal.entries, applied->journal.entries_n) {
        if (all || (ids != NULL && st_text_is_among(entry->rule, ids)))
            entry->phase = ST_PHASE_OPEN;
    }
    /* An error is ignored: a full disk is no reason to keep the changes. The journal already lists
     * them, and a later run that finds them undone leaves them. */
    (void)save(applied, NULL);
    const size_t before_n = applied->n[ST_EVENT_FAILED];
    undo_open(applied, NULL);
    const size_t failed_n = applied->n[ST_EVENT_FAILED] - before_n;
    const int r = save(applied, NULL);
    if (failed_n > 0)
        return st_text("%zu change%s could not be undone. The next sleeptune revert, apply or tune "
                       "tries again.",
                       failed_n, ST_PLURAL(failed_n));
    if (r == 0)
        return NULL;
    return st_text("all is undone, but the list of changes (journal) in %s cannot be written (%s) "
                   "and still lists the changes. Free space there: the next sleeptune revert, "
                   "apply or tune corrects it.",
                   applied->folder, strerror(-r));
}
