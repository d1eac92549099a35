/* Taking single writes back, if they are still ours. Any of it may have been done by a run that was killed.
 */
#include "advisor/change_undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void st_changes_say(const struct st_changes *changes, enum st_change_event event,
                    const struct st_entry *entry, const char *now, int error)
{
    if (changes->say != NULL)
        changes->say(changes->ctx, event, entry, now, error);
}

/* --- running values --------------------------------------------------------------------------------------
 */

/* A write that was killed half-way into a file of a captured tree; the kernel's files take all or nothing. */
static bool is_torn(const struct st_entry *entry, const char *now)
{
    const char *writing = entry->phase == ST_PHASE_WRITING   ? entry->new_value
                          : entry->phase == ST_PHASE_UNDOING ? entry->old_value
                                                             : NULL;
    return writing != NULL && strncmp(writing, now, strlen(now)) == 0;
}

static enum st_change_event undo_value(struct st_changes *changes, const struct st_entry *entry, char *now,
                                       size_t now_bytes, int *ret_error)
{
    int r = st_change_value_read(changes->p, entry->type, entry->target, now, now_bytes);
    if (r == -ENOENT)
        return ST_EVENT_AS_BEFORE; /* its device or module is gone, and the value with it */
    if (r == 0 && strcmp(now, entry->old_value) == 0)
        return ST_EVENT_AS_BEFORE;
    if (r == 0 && strcmp(now, entry->new_value) != 0 && !is_torn(entry, now))
        return ST_EVENT_CHANGED;
    if (r == 0)
        r = st_change_value_write(changes->p, entry->type, entry->target, entry->old_value);
    *ret_error = r;
    return r == 0 ? ST_EVENT_RESTORED : ST_EVENT_FAILED;
}

/* --- files -----------------------------------------------------------------------------------------------
 */

static bool is_written_by_others(const struct st_journal *journal, const struct st_entry *entry)
{
    for (size_t i = 0; i < journal->entries_n; i++) {
        const struct st_entry *other = &journal->entries[i];
        if (other != entry && other->type == ST_ENTRY_FILE && strcmp(other->target, entry->target) == 0)
            return true;
    }
    return false;
}

/* Cuts the block at `at` out; with the last one the file is as it was, or gone. */
static int cut_out(struct st_changes *changes, const struct st_entry *entry, char *text, size_t at)
{
    struct st_platform *p = changes->p;
    const struct st_journal_file *file = st_journal_file(&changes->journal, entry->target);
    const size_t block_bytes = strlen(entry->new_value);
    size_t bytes = strlen(text) - block_bytes;
    memmove(text + at, text + at + block_bytes, bytes - at + 1);
    if (file != NULL && !is_written_by_others(&changes->journal, entry)) {
        if (bytes == 0 && !file->existed)
            return p->remove_file(p, entry->target);
        if (file->newline_added && bytes > 0 && st_journal_hash(text, bytes - 1) == file->hash)
            bytes--;
    }
    return p->replace_file(p, entry->target, text, bytes, 0644);
}

static enum st_change_event undo_file(struct st_changes *changes, const struct st_entry *entry, char *now,
                                      int *ret_error)
{
    char *text;
    int r = changes->p->clean_file(changes->p, entry->target);
    if (r == 0)
        r = st_change_file_read(changes->p, entry->target, &text);
    if (r == -ENOENT)
        return ST_EVENT_AS_BEFORE;
    if (r < 0) {
        *ret_error = r;
        return ST_EVENT_FAILED;
    }
    enum st_change_event event = ST_EVENT_RESTORED;
    const char *at = st_change_block_find(text, entry->new_value);
    if (at != NULL) {
        r = cut_out(changes, entry, text, (size_t)(at - text));
        *ret_error = r;
        event = r == 0 ? ST_EVENT_RESTORED : ST_EVENT_FAILED;
    } else if (entry->phase != ST_PHASE_DONE || st_journal_hash(text, strlen(text)) == entry->old_hash) {
        event = ST_EVENT_AS_BEFORE;
    } else {
        snprintf(now, 64, "a file without the lines that were written");
        event = ST_EVENT_CHANGED;
    }
    free(text);
    return event;
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
        event = undo_file(changes, entry, now, &error);
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
