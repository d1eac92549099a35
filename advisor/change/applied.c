/* Carrying a plan out and taking it back: each write is in the journal first, and one that fails takes all of
 * them back. */
#include "advisor/change/applied.h"

#include "core/text/number.h"
#include "core/text/text.h"

/* --- taking one write back, if it is still ours; a run that was killed may have done any of it --- */

static void notify(const struct st_applied *applied, enum st_change_event event, const struct st_entry *entry,
                   const char *now, int error)
{
    if (applied->on_event != NULL)
        applied->on_event(applied->ctx, event, entry, now, error);
}

static int save(struct st_applied *applied)
{
    const int r = st_journal_write(applied->p, applied->folder, &applied->journal);
    applied->unsaved = r < 0;
    return r;
}

/* Before a write, or after the last one. */
static int save_or_say(struct st_applied *applied, const struct st_entry *entry)
{
    const int r = save(applied);
    if (r < 0)
        notify(applied, ST_EVENT_FAILED, entry, ST_TEXT(512, "the journal in %s", applied->folder), r);
    return r;
}

/* --- running values --- */

static int write_value(struct st_writer *writer, enum st_entry_type type, const char *target,
                       const char *value)
{
    return type == ST_ENTRY_SYSCTL ? writer->write_sysctl(writer, target, value)
                                   : writer->write_value(writer, target, value);
}

/* A write that was killed half-way into a file of a captured tree; the kernel's files take all or nothing. */
static bool is_torn(const struct st_entry *entry, const char *now)
{
    const char *writing = entry->phase == ST_PHASE_WRITING   ? entry->new_value
                          : entry->phase == ST_PHASE_UNDOING ? entry->old_value
                                                             : NULL;
    return entry->interrupted && writing != NULL && st_text_begins(writing, now);
}

static enum st_change_event undo_value(struct st_applied *applied, const struct st_entry *entry, char *now,
                                       size_t now_bytes, int *ret_error)
{
    int r = st_change_value_read(&applied->p->machine, entry->type, entry->target, now, now_bytes);
    if (r == -ENOENT) { /* its device or module is gone, and the value with it */
        *ret_error = r;
        return ST_EVENT_AS_BEFORE;
    }
    /* a revert that was killed may have written the old value but for its newline: once more */
    if (r == 0 && st_text_is(now, entry->old_value) &&
        !(entry->interrupted && entry->phase == ST_PHASE_UNDOING))
        return ST_EVENT_AS_BEFORE;
    if (r == 0 && !st_text_is(now, entry->new_value) && !st_text_is(now, entry->old_value) &&
        !is_torn(entry, now))
        return ST_EVENT_CHANGED;
    if (r == 0)
        r = write_value(&applied->p->writer, entry->type, entry->target, entry->old_value);
    *ret_error = r;
    return r == 0 ? ST_EVENT_RESTORED : ST_EVENT_FAILED;
}

/* --- files --- */

static bool is_written_by_others(const struct st_journal *journal, const struct st_entry *entry)
{
    ST_EACH_OF (other, journal->entries, journal->entries_n) {
        if (other != entry && other->type == ST_ENTRY_FILE && st_text_is(other->target, entry->target))
            return true;
    }
    return false;
}

/* A file on its way back. */
struct undo {
    char *text;
    size_t bytes;
    bool changed; /* the text is not what is on the disk */
    bool remove;
};

/* Cuts our block out. @return false: it is not there as we wrote it. */
static bool cut_out(struct undo *undo, const struct st_entry *entry)
{
    const char *at = st_change_block_find(undo->text, entry->new_value);
    if (at == NULL)
        return false;
    const size_t offset = (size_t)(at - undo->text), block_bytes = strlen(entry->new_value);
    undo->bytes -= block_bytes;
    memmove(undo->text + offset, undo->text + offset + block_bytes, undo->bytes - offset + 1);
    undo->changed = true;
    return true;
}

/* With the last block goes the newline that we added, or the file that we made. */
static void finish_file(struct undo *undo, const struct st_journal_file *file)
{
    if (undo->bytes == 0 && !file->existed) {
        undo->remove = true;
    } else if (file->newline_added && undo->bytes > 0 &&
               st_journal_hash(undo->text, undo->bytes - 1) == file->hash) {
        undo->bytes--;
        undo->changed = true;
    }
}

static enum st_change_event undo_text(struct st_applied *applied, const struct st_entry *entry,
                                      struct undo *undo, bool last)
{
    const struct st_journal_file *file = st_journal_file(&applied->journal, entry->target);
    const bool found = cut_out(undo, entry);
    if (!found && !entry->interrupted && st_journal_hash(undo->text, undo->bytes) != entry->old_hash)
        return ST_EVENT_CHANGED;
    if (last && file != NULL)
        finish_file(undo, file);
    return found ? ST_EVENT_RESTORED : ST_EVENT_AS_BEFORE;
}

static enum st_change_event undo_file(struct st_applied *applied, const struct st_entry *entry, char *now,
                                      size_t now_bytes, int *ret_error)
{
    struct st_writer *writer = &applied->p->writer;
    struct undo undo = {0};
    int r = writer->clean_file(writer, entry->target);
    if (r == 0)
        r = st_change_file_read(&applied->p->machine, entry->target, &undo.text);
    if (r == -ENOENT)
        return ST_EVENT_AS_BEFORE;
    enum st_change_event event = ST_EVENT_FAILED;
    if (r == 0) {
        undo.bytes = strlen(undo.text);
        event = undo_text(applied, entry, &undo, !is_written_by_others(&applied->journal, entry));
        if (undo.remove)
            r = writer->remove_file(writer, entry->target);
        else if (undo.changed)
            r = writer->replace_file(writer, entry->target, undo.text, undo.bytes, 0644);
    }
    free(undo.text);
    snprintf(now, now_bytes, "sleeptune's lines were removed or changed");
    *ret_error = r;
    return r == 0 ? event : ST_EVENT_FAILED;
}

/* How many components `path` has below `folder`; 0: it is not below it. */
static unsigned depth_below(const char *path, const char *folder)
{
    const size_t len = strlen(folder);
    unsigned n = 0;
    if (strncmp(path, folder, len) != 0 || path[len] != '/')
        return 0;
    for (path += len; *path != '\0'; path++)
        n += *path == '/';
    return n;
}

/* Another file of ours is in a folder that we made for this one: the last file removes it. */
static void hand_folder_over(struct st_journal *journal, const char *path, const char *folder)
{
    ST_EACH_OF (file, journal->files, journal->files_n) {
        const unsigned depth = depth_below(file->path, folder);
        if (depth > file->folders_made && !st_text_is(file->path, path)) {
            file->folders_made = depth;
            return;
        }
    }
}

/* After the last block of a file: the folders that were made for it, the deepest first. */
static void remove_folders(struct st_applied *applied, const struct st_journal_file *file)
{
    char *folder = ST_TEXT(512, "%s", file->path);
    for (unsigned i = 0; i < file->folders_made; i++) {
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash == folder)
            return;
        *slash = '\0';
        if (applied->p->writer.remove_folder(&applied->p->writer, folder) == -ENOTEMPTY) {
            hand_folder_over(&applied->journal, file->path, folder);
            return;
        }
    }
}

static enum st_change_event undo_entry(struct st_applied *applied, size_t i)
{
    const struct st_entry *entry = &applied->journal.entries[i];
    char now[ST_CHANGE_VALUE_BYTES] = "";
    int error = 0;
    enum st_change_event event;
    if (entry->type == ST_ENTRY_FILE) {
        event = undo_file(applied, entry, now, sizeof(now), &error);
        const struct st_journal_file *file = st_journal_file(&applied->journal, entry->target);
        if (event != ST_EVENT_FAILED && !is_written_by_others(&applied->journal, entry) && file != NULL) {
            remove_folders(applied, file);
            st_journal_file_remove(&applied->journal, entry->target);
        }
    } else {
        event = undo_value(applied, entry, now, sizeof(now), &error);
    }
    notify(applied, event, entry, event == ST_EVENT_CHANGED ? now : NULL, error);
    if (event != ST_EVENT_FAILED)
        st_journal_remove(&applied->journal, i);
    return event;
}

/* --- carrying a plan out --- */

/* Makes the folders of a path that are missing. @return how many, or a negative errno. */
static int make_folders(struct st_writer *writer, const char *path)
{
    char folder[512];
    int made = 0;
    if (strlen(path) >= sizeof(folder))
        return -ENAMETOOLONG;
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        memcpy(folder, path, (size_t)(slash - path));
        folder[slash - path] = '\0';
        const int r = writer->make_folder(writer, folder, 0755);
        if (r == 0)
            made++;
        else if (r != -EEXIST)
            return r;
    }
    return made;
}

/* How many folders above the file are not there. */
static int missing_folders(struct st_machine *machine, const char *path, unsigned *ret)
{
    char folder[512];
    unsigned missing = 0;
    if (strlen(path) >= sizeof(folder))
        return -ENAMETOOLONG;
    strcpy(folder, path);
    for (char *slash = strrchr(folder, '/'); slash != NULL && slash != folder; slash = strrchr(folder, '/')) {
        *slash = '\0';
        const int r = st_change_folder_look(machine, folder);
        if (r == 0)
            break;
        if (r != -ENOENT)
            return r;
        missing++;
    }
    *ret = missing;
    return 0;
}

/* "1234 tune" */
static void explain_busy(const char *holder, char *message, size_t message_bytes)
{
    const char *at = holder;
    uint64_t pid;
    if (st_number_take(&at, &pid) == 0 && at[0] == ' ' && at[1] != '\0' &&
        at[1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz")] == '\0')
        snprintf(message, message_bytes,
                 "sleeptune %s is running (process %" PRIu64 "). Wait for it, or stop it with Ctrl-C there.",
                 at + 1, pid);
    else
        snprintf(message, message_bytes, "another sleeptune is changing settings. Wait for it.");
}

bool st_applied_busy(struct st_writer *writer, const char *folder, char *message, size_t message_bytes)
{
    char holder[64];
    if (writer->folder_holder(writer, folder, holder, sizeof(holder)) != 0)
        return false;
    explain_busy(holder, message, message_bytes);
    return true;
}

static void drop_forgotten(struct st_applied *applied)
{
    for (size_t i = applied->journal.entries_n; i > 0; i--) {
        const struct st_entry *entry = &applied->journal.entries[i - 1];
        if (!entry->forgotten)
            continue;
        notify(applied, ST_EVENT_FORGOTTEN, entry, NULL, 0);
        st_journal_remove(&applied->journal, i - 1);
        applied->unsaved = true;
    }
}

int st_applied_open(struct st_applied *applied, const char *command, struct st_platform *p,
                    const char *folder, st_change_event_fn on_event, void *ctx, char *message,
                    size_t message_bytes)
{
    *applied = (struct st_applied){.p = p, .folder = folder, .on_event = on_event, .ctx = ctx};
    struct st_writer *writer = &p->writer;
    int r = make_folders(writer, folder);
    if (r >= 0)
        r = writer->make_folder(writer, folder, ST_JOURNAL_FOLDER_MODE);
    if (r == 0 || r == -EEXIST)
        r = writer->lock_folder(writer, folder, command);
    if (r == -EWOULDBLOCK) {
        if (!st_applied_busy(writer, folder, message, message_bytes)) /* it has just ended */
            explain_busy("", message, message_bytes);
        return r;
    }
    if (r < 0) {
        snprintf(message, message_bytes, "%s: %s", folder,
                 r == -EPERM
                     ? "this folder belongs to another user, or others may write to it. Check its owner "
                       "and mode."
                     : strerror(-r));
        return r;
    }
    applied->lock = r;
    r = st_journal_read(&p->machine, folder, &applied->journal, message, message_bytes);
    if (r < 0)
        writer->unlock_folder(writer, applied->lock);
    else
        drop_forgotten(applied);
    return r;
}

void st_applied_close(struct st_applied *applied)
{
    applied->p->writer.unlock_folder(&applied->p->writer, applied->lock);
    st_journal_finish(&applied->journal);
}

/* --- before the first write --- */

/* Between the plan and the write the user was asked, and the loop was recorded. */
static bool is_as_planned(const struct st_applied *applied, const struct st_plan_step *step)
{
    char now[ST_CHANGE_VALUE_BYTES];
    return st_change_value_read(&applied->p->machine, step->type, step->target, now, sizeof(now)) == 0 &&
           st_text_is(now, step->old_value);
}

static struct st_entry entry_of(const struct st_plan *plan, const struct st_plan_step *step)
{
    return (struct st_entry){.rule = (char *)(uintptr_t)step->rule->id,
                             .type = step->type,
                             .phase = ST_PHASE_WRITING,
                             .target = step->target,
                             .old_value = step->old_value,
                             .new_value = step->new_value,
                             .frames = plan->frames,
                             .rate_hz = plan->rate_hz};
}

static int look_ahead(const struct st_applied *applied, const struct st_plan *plan)
{
    ST_EACH_OF (step, plan->steps, plan->steps_n) {
        const struct st_entry entry = entry_of(plan, step);
        int r = 0;
        ST_EACH_OF (other, applied->journal.entries, applied->journal.entries_n) {
            const bool for_other = step->kind == ST_CHANGE_LIMITS && other->type == ST_ENTRY_FILE &&
                                   !st_text_is(other->new_value, step->new_value);
            if (r == 0 && st_text_is(other->rule, step->rule->id) && !for_other)
                r = -EALREADY;
            else if (r == 0 && step->type != ST_ENTRY_FILE && other->type == step->type &&
                     st_text_is(other->target, step->target))
                r = -EEXIST;
        }
        if (r == 0 && step->type != ST_ENTRY_FILE && !is_as_planned(applied, step))
            r = -ESTALE;
        if (r == 0 && step->type != ST_ENTRY_SYSCTL)
            r = applied->p->writer.can_write(&applied->p->writer, step->target, step->type == ST_ENTRY_SYSFS);
        if (r == 0 &&
            !st_journal_target_allowed(applied->p->machine.os, step->type, step->rule, step->target))
            r = -EINVAL;
        if (r < 0) {
            notify(applied, ST_EVENT_FAILED, &entry, NULL, r);
            return r;
        }
    }
    return 0;
}

/* --- one write --- */

/* The file's text with the block at its end, and the entry for it. *ret_text is for free(). */
static int prepare_file(struct st_applied *applied, const struct st_plan_step *step, struct st_entry *entry,
                        char **ret_text)
{
    struct st_machine *machine = &applied->p->machine;
    struct st_journal_file file = {.path = step->target};
    char *text;
    int r = st_change_file_read(machine, step->target, &text);
    file.existed = r == 0;
    if (r == -ENOENT) {
        r = missing_folders(machine, step->target, &file.folders_made);
        text = r == 0 ? strdup("") : NULL;
        if (r == 0 && text == NULL)
            r = -ENOMEM;
    }
    if (r < 0)
        return r;
    const size_t old_bytes = strlen(text);
    file.newline_added = old_bytes > 0 && text[old_bytes - 1] != '\n';
    file.hash = entry->old_hash = st_journal_hash(text, old_bytes);
    if (st_journal_file(&applied->journal, step->target) == NULL)
        r = st_journal_file_add(&applied->journal, &file);
    char *whole = NULL;
    if (r == 0 && asprintf(&whole, "%s%s%s", text, file.newline_added ? "\n" : "", step->new_value) < 0)
        r = -ENOMEM;
    free(text);
    if (r < 0)
        return r;
    if (strlen(whole) > ST_CHANGE_FILE_BYTES) {
        free(whole);
        return -EFBIG;
    }
    *ret_text = whole;
    return 0;
}

static int write_file(struct st_applied *applied, const struct st_plan_step *step, const char *text)
{
    struct st_writer *writer = &applied->p->writer;
    const int r = make_folders(writer, step->target);
    return r < 0 ? r : writer->replace_file(writer, step->target, text, strlen(text), 0644);
}

static int do_step(struct st_applied *applied, const struct st_plan *plan, const struct st_plan_step *step)
{
    char *text = NULL;
    struct st_entry entry = entry_of(plan, step);
    int r = step->type == ST_ENTRY_FILE ? prepare_file(applied, step, &entry, &text) : 0;
    if (r == 0)
        r = st_journal_add(&applied->journal, &entry);
    const int saved = r == 0 ? save_or_say(applied, &entry) : 0;
    if (r == 0 && saved == 0)
        r = step->type == ST_ENTRY_FILE
                ? write_file(applied, step, text)
                : write_value(&applied->p->writer, step->type, step->target, step->new_value);
    if (r < 0)
        notify(applied, ST_EVENT_FAILED, &entry, NULL, r);
    free(text);
    return r < 0 ? r : saved;
}

/* Takes back everything from entry first_n on. @return how many could not be. */
static size_t roll_back(struct st_applied *applied, size_t first_n)
{
    size_t left_n = 0;
    for (size_t i = applied->journal.entries_n; i > first_n; i--)
        left_n += undo_entry(applied, i - 1) == ST_EVENT_FAILED;
    /* files without entries: a step that failed before it was written down */
    for (size_t i = applied->journal.files_n; i > 0; i--) {
        const char *path = applied->journal.files[i - 1].path;
        bool used = false;
        ST_EACH_OF (made, applied->journal.entries, applied->journal.entries_n)
            used |= st_text_is(made->target, path);
        if (!used)
            st_journal_file_remove(&applied->journal, path);
    }
    /* if the disk is full, the journal lists writes that are undone, and revert finds them as before */
    (void)save(applied);
    return left_n;
}

int st_applied_add(struct st_applied *applied, const struct st_plan *plan, size_t *ret_left)
{
    const size_t first_n = applied->journal.entries_n;
    *ret_left = 0;
    int r = look_ahead(applied, plan);
    if (r < 0)
        return r;
    for (size_t i = 0; r == 0 && i < plan->steps_n; i++)
        r = do_step(applied, plan, &plan->steps[i]);
    for (size_t i = first_n; i < applied->journal.entries_n; i++) {
        applied->journal.entries[i].phase = r == 0 ? ST_PHASE_DONE : ST_PHASE_WRITING;
        applied->journal.entries[i].interrupted = r < 0;
    }
    if (r == 0)
        r = save_or_say(applied, applied->journal.entries);
    if (r < 0) {
        *ret_left = roll_back(applied, first_n);
        return r;
    }
    for (size_t i = first_n; i < applied->journal.entries_n; i++)
        notify(applied, ST_EVENT_WRITTEN, &applied->journal.entries[i], NULL, 0);
    return 0;
}

/* --- trials --- */

int st_applied_begin_trial(struct st_applied *applied, const struct st_plan *plan)
{
    struct st_journal *journal = &applied->journal;
    const size_t first_n = journal->entries_n;
    int r = look_ahead(applied, plan);
    for (size_t i = 0; r == 0 && i < plan->steps_n; i++) {
        const struct st_plan_step *step = &plan->steps[i];
        const struct st_entry entry = entry_of(plan, step);
        r = step->type == ST_ENTRY_FILE ? -EINVAL : st_journal_add(journal, &entry);
    }
    if (r == 0)
        r = save(applied);
    while (r < 0 && journal->entries_n > first_n)
        st_journal_remove(journal, journal->entries_n - 1);
    return r;
}

/* Is it as it was written last? */
static int look_at_value(const struct st_applied *applied, const struct st_entry *entry, bool was_on)
{
    char now[ST_CHANGE_VALUE_BYTES];
    const int r = st_change_value_read(&applied->p->machine, entry->type, entry->target, now, sizeof(now));
    if (r != 0)
        return r;
    return st_text_is(now, was_on ? entry->new_value : entry->old_value) ? 0 : -EBUSY;
}

int st_applied_switch(struct st_applied *applied, const char *rule, bool was_on, bool on,
                      const char **ret_target)
{
    int r = 0;
    ST_EACH_OF (entry, applied->journal.entries, applied->journal.entries_n) {
        if (r != 0 || !st_text_is(entry->rule, rule) || entry->phase != ST_PHASE_WRITING)
            continue;
        *ret_target = entry->target;
        r = look_at_value(applied, entry, was_on);
        if (r == 0 && on != was_on)
            r = write_value(&applied->p->writer, entry->type, entry->target,
                            on ? entry->new_value : entry->old_value);
    }
    return r;
}

int st_applied_end_trial(struct st_applied *applied, const char *rule)
{
    struct st_journal *journal = &applied->journal;
    size_t failed_n = 0;
    for (size_t i = journal->entries_n; i > 0; i--) {
        const struct st_entry *entry = &journal->entries[i - 1];
        if (entry->phase == ST_PHASE_WRITING && st_text_is(entry->rule, rule))
            failed_n += undo_entry(applied, i - 1) == ST_EVENT_FAILED;
    }
    const int r = save(applied);
    return failed_n > 0 ? -EIO : r;
}

/* --- taking back what the journal says, the latest write first --- */

static bool is_chosen(const struct st_entry *entry, bool all, const char *const *ids, size_t ids_n)
{
    ST_EACH_OF (id, ids, ids_n) {
        if (st_text_is(entry->rule, *id))
            return true;
    }
    return all || entry->phase != ST_PHASE_DONE;
}

int st_applied_revert(struct st_applied *applied, bool all, const char *const *ids, size_t ids_n,
                      struct st_revert_counts *ret)
{
    struct st_journal *journal = &applied->journal;
    struct st_revert_counts counts = {0};
    bool marked = false;
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        if (!is_chosen(entry, all, ids, ids_n))
            continue;
        if (entry->phase == ST_PHASE_DONE) {
            entry->phase = ST_PHASE_UNDOING;
            marked = true;
        }
        counts.chosen_n++;
    }
    *ret = counts;
    if (counts.chosen_n == 0 && !applied->unsaved)
        return 0;
    /* A full disk is no reason to leave them: the journal holds them, and who finds them undone leaves
     * them. */
    if (marked)
        (void)save(applied);
    for (size_t i = journal->entries_n; i > 0; i--) {
        if (journal->entries[i - 1].phase == ST_PHASE_DONE)
            continue;
        const enum st_change_event event = undo_entry(applied, i - 1);
        counts.failed_n += event == ST_EVENT_FAILED;
        counts.changed_n += event == ST_EVENT_CHANGED;
        counts.restored_n += event == ST_EVENT_RESTORED || event == ST_EVENT_AS_BEFORE;
    }
    *ret = counts;
    const int r = save(applied);
    return counts.failed_n > 0 ? -EIO : r;
}

const char *st_applied_explain(const struct st_applied *applied, int r, const struct st_revert_counts *counts,
                               char *buf, size_t buf_bytes)
{
    if (counts->failed_n > 0)
        snprintf(
            buf, buf_bytes,
            "%zu of %zu changes could not be undone. The next sleeptune revert, apply or tune tries again.",
            counts->failed_n, counts->chosen_n);
    else
        snprintf(buf, buf_bytes,
                 "all is undone, but the journal in %s cannot be written (%s) and still lists it. "
                 "Free space there: "
                 "the next sleeptune revert, apply or tune corrects it.",
                 applied->folder, strerror(-r));
    return buf;
}
