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
    ST_EVENT_AS_BEFORE, /* revert found it as it was before */
    ST_EVENT_GONE,      /* revert found no such value any more: its device or module is gone */
    ST_EVENT_CHANGED,   /* changed since it was applied: left alone. now: its value */
    ST_EVENT_FORGOTTEN, /* a running value of another boot: nothing to undo */
};

/** @param now ST_EVENT_CHANGED: its value; ST_EVENT_FAILED: what failed, if not the entry; else NULL. error:
 * 0 or a negative errno. */
typedef void (*st_change_event_fn)(enum st_change_event event, const struct st_entry *entry, const char *now,
                                   int error);

struct st_applied {
    struct st_platform *p;
    const char *folder; /* of the journal; borrowed */
    struct st_journal journal;
    int lock; /* negative: why there is none, -EWOULDBLOCK: another sleeptune holds it */
    st_change_event_fn on_event;
    size_t n[ST_EVENT_FORGOTTEN + 1];     /* how many events there were */
    const char *changed[ST_CHANGE_KINDS]; /* a file of each kind that was written or removed; NULL: none */
};

/** Makes the folder, locks it, reads the journal, forgets running values of another boot.
 * @param on_event NULL: no one hears what happens. @return NULL, then close it with st_applied_close; or why
 * not, for people, for a turn. */
ST_NODISCARD const char *st_applied_open(struct st_applied *applied, struct st_platform *p,
                                         const char *folder, st_change_event_fn on_event);
/** Which other sleeptune changes settings there now, and what to do, for people; NULL: none does. Needs no
 * root. */
const char *st_applied_busy(struct st_platform *platform, const char *folder);
void st_applied_close(struct st_applied *applied);

/** Puts a plan into the journal as writes of a run that has not ended: st_applied_revert takes them back,
 * also after a crash. Writes nothing else yet: st_applied_add does, or of running values st_applied_switch.
 * @return 0; -EALREADY (the journal has this file of the rule, or the running value: a second one, planned
 * before the first was done); -ESTALE (one is not what it was when planned); or the error that was
 * said as ST_EVENT_FAILED. */
ST_NODISCARD int st_applied_begin(struct st_applied *applied, const struct st_journal *plan);

/** Begins, and carries the plan out, all or nothing: earlier writes are undone if a later one fails; those
 * that could not be undone stay in the journal (st_journal_is_interrupted). @return as st_applied_begin. */
ST_NODISCARD int st_applied_add(struct st_applied *applied, const struct st_journal *plan);

/** Writes the new values of these rules' entries, or the old ones, after a look whether each is as it was
 * written last.
 * @param was_on what was written last. ret_target: the value that failed, borrowed. @return 0; -EBUSY:
 * another program wrote *ret_target; or what reading or writing said. */
ST_NODISCARD int st_applied_switch(struct st_applied *applied, const char *rule, bool was_on, bool on,
                                   const char **ret_target);

/** Takes the trial of this rule back; one that another program changed stays as it is. What fails stays in
 * the journal. */
void st_applied_end_trial(struct st_applied *applied, const char *rule);

/** Takes back what a killed apply or revert left half-way and the writes of these rules (or of all of them),
 * the latest first; also if the journal cannot be written now, since it holds them already.
 * @param ids end with NULL; NULL: none.
 * @return NULL; or for people, for a turn: what failed and stays in the journal, or that all is undone, and
 * the journal still lists it. */
ST_NODISCARD const char *st_applied_revert(struct st_applied *applied, bool all, const char *const *ids);
