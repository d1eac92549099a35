/* What is applied on a machine: its journal, held by a lock. Plans are added to it, rules are reverted.
 *
 * Whatever is written is in the journal first, so that a crash at any moment leaves a journal that revert
 * completes. */
#pragma once

#include "advisor/change/plan.h"

enum st_change_event {
    ST_EVENT_WRITTEN,   /* apply wrote it */
    ST_EVENT_FAILED,    /* apply or revert could not; error says why */
    ST_EVENT_RESTORED,  /* revert undid it */
    ST_EVENT_AS_BEFORE, /* revert found it as it was before; error -ENOENT: a value that is gone */
    ST_EVENT_CHANGED,   /* changed since it was applied: left alone. now: its value */
    ST_EVENT_FORGOTTEN, /* a running value of another boot: nothing to undo */
};

/** @param now ST_EVENT_CHANGED: its value; ST_EVENT_FAILED: what failed, if not the entry; else NULL. error:
 * 0 or a negative errno. */
typedef void (*st_change_event_fn)(void *ctx, enum st_change_event event, const struct st_entry *entry,
                                   const char *now, int error);

struct st_applied {
    struct st_platform *p;
    const char *folder; /* of the journal; borrowed */
    struct st_journal journal;
    int lock;
    bool unsaved; /* the journal on the disk is not this one: it may list writes that are undone */
    st_change_event_fn on_event;
    void *ctx;
};

/** Makes the folder, locks it, reads the journal, forgets running values of another boot.
 * @param command who locks it, for st_applied_busy. message: why not, for people.
 *  @return 0, -EWOULDBLOCK (another sleeptune holds the lock), -EBADMSG, or what the system said. Close with
 * st_applied_close. */
ST_NODISCARD int st_applied_open(struct st_applied *applied, const char *command, struct st_platform *p,
                                 const char *folder, st_change_event_fn on_event, void *ctx, char *message,
                                 size_t message_bytes);
/** Does another sleeptune change settings there now? @param message which one (always written), and what to
 * do. Needs no root. */
bool st_applied_busy(struct st_writer *writer, const char *folder, char *message, size_t message_bytes);
void st_applied_close(struct st_applied *applied);

/** Puts a plan into the journal as writes of a run that has not ended: st_applied_revert takes them back,
 * also after a crash. Writes nothing else yet: st_applied_add does, or of running values st_applied_switch.
 * @return 0; -EALREADY (the journal has the rule: a second one, planned before the first was done); -EEXIST
 * (a running value is another rule's); -ESTALE (one is not what it was when planned); or the error that was
 * said as ST_EVENT_FAILED. */
ST_NODISCARD int st_applied_begin(struct st_applied *applied, const struct st_plan *plan);

/** Begins, and carries the plan out, all or nothing: earlier writes are undone if a later one fails.
 *  @param ret_left how many writes could not be undone; they stay in the journal. Always written.
 *  @return as st_applied_begin. */
ST_NODISCARD int st_applied_add(struct st_applied *applied, const struct st_plan *plan, size_t *ret_left);

/** Writes the new values of these rules' entries, or the old ones, after a look whether each is as it was
 * written last.
 * @param was_on what was written last. ret_target: the value that failed, borrowed. @return 0; -EBUSY:
 * another program wrote *ret_target; or what reading or writing said. */
ST_NODISCARD int st_applied_switch(struct st_applied *applied, const char *rule, bool was_on, bool on,
                                   const char **ret_target);

/** Takes the trial of this rule back; one that another program changed stays as it is. What fails stays in
 * the journal. */
void st_applied_end_trial(struct st_applied *applied, const char *rule);

struct st_revert_counts {
    size_t chosen_n;
    size_t restored_n; /* and those found as before */
    size_t changed_n;
    size_t failed_n;
};

/** Takes back what a killed apply or revert left half-way and the writes of these rules (or of all of them),
 * the latest first; also if the journal cannot be written now, since it holds them already. @return 0; -EIO
 * when something failed and stays in the journal; or what writing the journal said: all is undone, and the
 * journal still lists it. */
ST_NODISCARD int st_applied_revert(struct st_applied *applied, bool all, const char *const *ids, size_t ids_n,
                                   struct st_revert_counts *ret);
/** What an error of st_applied_revert means, for people; for a turn. */
const char *st_applied_explain(const struct st_applied *applied, int r,
                               const struct st_revert_counts *counts);
