/* Taking single writes back: what revert and a failed apply share. Internal to advisor/. */
#ifndef ST_ADVISOR_CHANGE_CHANGE_UNDO_H
#define ST_ADVISOR_CHANGE_CHANGE_UNDO_H

#include "advisor/change/change.h"

/** Tells the caller's listener. */
void st_changes_say(const struct st_changes *changes, enum st_change_event event,
                    const struct st_entry *entry, const char *now, int error);

/**
 * Takes entry i back, if it is still ours, and removes it from the journal in memory; a failed one stays.
 * Says what it did. Does not write the journal.
 */
enum st_change_event st_changes_undo(struct st_changes *changes, size_t i);

#endif
