/* Taking back what the journal says, the latest write first. */
#include <errno.h>
#include <string.h>

#include "advisor/change/change_undo.h"

struct choice {
    const char *const *ids;
    size_t ids_n;    /* 0: all */
    bool unfinished; /* only what is not done */
};

static bool is_chosen(const struct st_entry *entry, const struct choice *choice)
{
    if (choice->unfinished)
        return entry->phase != ST_PHASE_DONE;
    for (size_t i = 0; i < choice->ids_n; i++) {
        if (strcmp(entry->rule, choice->ids[i]) == 0)
            return true;
    }
    return choice->ids_n == 0;
}

static int revert(struct st_changes *changes, const struct choice *choice, struct st_revert_counts *ret)
{
    struct st_journal *journal = &changes->journal;
    struct st_revert_counts counts = {0};
    size_t chosen_n = 0;
    for (size_t i = 0; i < journal->entries_n; i++) {
        if (!is_chosen(&journal->entries[i], choice))
            continue;
        if (journal->entries[i].phase == ST_PHASE_DONE)
            journal->entries[i].phase = ST_PHASE_UNDOING;
        chosen_n++;
    }
    *ret = counts;
    if (chosen_n == 0)
        return 0;
    int r = st_journal_write(changes->p, changes->folder, journal);
    if (r < 0)
        return r;
    for (size_t i = journal->entries_n; i > 0; i--) {
        if (!is_chosen(&journal->entries[i - 1], choice))
            continue;
        const enum st_change_event event = st_changes_undo(changes, i - 1);
        counts.failed_n += event == ST_EVENT_FAILED;
        counts.changed_n += event == ST_EVENT_CHANGED;
        counts.restored_n += event == ST_EVENT_RESTORED || event == ST_EVENT_AS_BEFORE;
    }
    *ret = counts;
    r = st_journal_write(changes->p, changes->folder, journal);
    return r < 0 ? r : counts.failed_n > 0 ? -EIO : 0;
}

int st_changes_revert(struct st_changes *changes, const char *const *ids, size_t ids_n,
                      struct st_revert_counts *ret)
{
    const struct choice choice = {.ids = ids, .ids_n = ids_n};
    return revert(changes, &choice, ret);
}

int st_changes_recover(struct st_changes *changes, struct st_revert_counts *ret)
{
    const struct choice choice = {.unfinished = true};
    return revert(changes, &choice, ret);
}
