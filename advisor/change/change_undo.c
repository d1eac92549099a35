/* Taking single writes back, if they are still ours. Any of it may have been done by a run that was killed.
 */
#include "advisor/change/change_undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void st_changes_say(const struct st_changes *changes, enum st_change_event event,
                    const struct st_entry *entry, const char *now, int error)
{
    if (changes->say != NULL)
        changes->say(changes->ctx, event, entry, now, error);
}

/* --- running values --- */

/* A write that was killed half-way into a file of a captured tree; the kernel's files take all or nothing. */
static bool is_torn(const struct st_entry *entry, const char *now)
{
    const char *writing = entry->phase == ST_PHASE_WRITING   ? entry->new_value
                          : entry->phase == ST_PHASE_UNDOING ? entry->old_value
                                                             : NULL;
    return entry->interrupted && writing != NULL && strncmp(writing, now, strlen(now)) == 0;
}

static enum st_change_event undo_value(struct st_changes *changes, const struct st_entry *entry, char *now,
                                       size_t now_bytes, int *ret_error)
{
    int r = st_change_value_read(changes->p, entry->type, entry->target, now, now_bytes);
    if (r == -ENOENT)
        return ST_EVENT_AS_BEFORE; /* its device or module is gone, and the value with it */
    /* a revert that was killed may have written the old value but for its newline: once more */
    if (r == 0 && strcmp(now, entry->old_value) == 0 &&
        !(entry->interrupted && entry->phase == ST_PHASE_UNDOING))
        return ST_EVENT_AS_BEFORE;
    if (r == 0 && strcmp(now, entry->new_value) != 0 && strcmp(now, entry->old_value) != 0 &&
        !is_torn(entry, now))
        return ST_EVENT_CHANGED;
    if (r == 0)
        r = st_change_value_write(changes->p, entry->type, entry->target, entry->old_value);
    *ret_error = r;
    return r == 0 ? ST_EVENT_RESTORED : ST_EVENT_FAILED;
}

/* --- files --- */

static bool is_written_by_others(const struct st_journal *journal, const struct st_entry *entry)
{
    for (size_t i = 0; i < journal->entries_n; i++) {
        const struct st_entry *other = &journal->entries[i];
        if (other != entry && other->type == ST_ENTRY_FILE && strcmp(other->target, entry->target) == 0)
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

static enum st_change_event undo_text(struct st_changes *changes, const struct st_entry *entry,
                                      struct undo *undo, bool last)
{
    const struct st_journal_file *file = st_journal_file(&changes->journal, entry->target);
    const bool found = cut_out(undo, entry);
    if (!found && !entry->interrupted && st_journal_hash(undo->text, undo->bytes) != entry->old_hash)
        return ST_EVENT_CHANGED;
    if (last && file != NULL)
        finish_file(undo, file);
    return found ? ST_EVENT_RESTORED : ST_EVENT_AS_BEFORE;
}

static enum st_change_event undo_file(struct st_changes *changes, const struct st_entry *entry, char *now,
                                      size_t now_bytes, int *ret_error)
{
    struct st_platform *p = changes->p;
    struct undo undo = {0};
    int r = p->clean_file(p, entry->target);
    if (r == 0)
        r = st_change_file_read(p, entry->target, &undo.text);
    if (r == -ENOENT)
        return ST_EVENT_AS_BEFORE;
    enum st_change_event event = ST_EVENT_FAILED;
    if (r == 0) {
        undo.bytes = strlen(undo.text);
        event = undo_text(changes, entry, &undo, !is_written_by_others(&changes->journal, entry));
        if (undo.remove)
            r = p->remove_file(p, entry->target);
        else if (undo.changed)
            r = p->replace_file(p, entry->target, undo.text, undo.bytes, 0644);
    }
    free(undo.text);
    snprintf(now, now_bytes, "a file without the lines that were written");
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

/* Somebody else's file is in a folder that we made for this one: whoever goes last removes it. */
static void hand_folder_over(struct st_journal *journal, const char *path, const char *folder)
{
    for (size_t i = 0; i < journal->files_n; i++) {
        struct st_journal_file *file = &journal->files[i];
        const unsigned depth = depth_below(file->path, folder);
        if (depth > file->folders_made && strcmp(file->path, path) != 0) {
            file->folders_made = depth;
            return;
        }
    }
}

/* After the last block of a file: the folders that were made for it, the deepest first. */
static void remove_folders(struct st_changes *changes, const struct st_journal_file *file)
{
    char folder[512];
    snprintf(folder, sizeof(folder), "%s", file->path);
    for (unsigned i = 0; i < file->folders_made; i++) {
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash == folder)
            return;
        *slash = '\0';
        if (changes->p->remove_folder(changes->p, folder) == -ENOTEMPTY) {
            hand_folder_over(&changes->journal, file->path, folder);
            return;
        }
    }
}

enum st_change_event st_changes_undo(struct st_changes *changes, size_t i)
{
    const struct st_entry *entry = &changes->journal.entries[i];
    char now[ST_CHANGE_VALUE_BYTES] = "";
    int error = 0;
    enum st_change_event event;
    if (entry->type == ST_ENTRY_FILE) {
        event = undo_file(changes, entry, now, sizeof(now), &error);
        const struct st_journal_file *file = st_journal_file(&changes->journal, entry->target);
        if (event != ST_EVENT_FAILED && !is_written_by_others(&changes->journal, entry) && file != NULL) {
            remove_folders(changes, file);
            st_journal_file_remove(&changes->journal, entry->target);
        }
    } else {
        event = undo_value(changes, entry, now, sizeof(now), &error);
    }
    st_changes_say(changes, event, entry, event == ST_EVENT_CHANGED ? now : NULL, error);
    if (event != ST_EVENT_FAILED)
        st_journal_remove(&changes->journal, i);
    return event;
}
