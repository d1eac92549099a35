/* The changes that sleeptune has made on a machine: their journal, protected by a lock. Plans are
 * added, rules are reverted. Each write is recorded in the journal first, so that `revert` can undo
 * it after a crash at any moment. */
#pragma once

#include "advisor/change/plan.h"

enum st_change_event {
    ST_EVENT_WRITTEN,   /* apply wrote the value */
    ST_EVENT_FAILED,    /* apply or revert failed; the argument `error` says why */
    ST_EVENT_RESTORED,  /* revert restored the old value */
    ST_EVENT_AS_BEFORE, /* revert found the old value already there */
    ST_EVENT_GONE,      /* revert found no such value: the device or module is gone */
    ST_EVENT_CHANGED,   /* another program has changed the value since apply wrote it: revert leaves
                           it alone.   `now` is the current value */
    ST_EVENT_FORGOTTEN, /* a running value of an earlier boot: nothing to undo */
};

/** Reports what happened to one entry. @param now ST_EVENT_CHANGED: the current value;
 * ST_EVENT_FAILED: what failed, if it is not the entry itself; else NULL. @param error 0 or a
 * negative errno. */
typedef void (*st_change_event_fn)(enum st_change_event event, const struct st_entry *entry,
                                   const char *now, int error);

struct st_applied {
    struct st_platform *p;
    const char *folder; /* folder of the journal; borrowed */
    struct st_journal journal;
    int lock; /* >= 0: the lock of the folder; else why there is none. -EWOULDBLOCK: another
                 sleeptune holds it */
    st_change_event_fn on_event;
    size_t n[ST_EVENT_FORGOTTEN + 1]; /* number of events, by enum st_change_event */
    const char
        *changed[ST_CHANGE_KINDS]; /* last written or removed file of each kind; NULL: none */
};

/** Makes the folder, locks it, reads the journal, and forgets running values of earlier boots.
 * @param on_event NULL: events are not reported. @return NULL: opened, close with st_applied_close;
 * or why not, a text for people, valid until st_text_forget(). */
ST_NODISCARD const char *st_applied_open(struct st_applied *applied, struct st_platform *p,
                                         const char *folder, st_change_event_fn on_event);
/** Is another sleeptune changing settings in that folder now? @return a text for people: which
 * process it is, and what to do; NULL: none is. Needs no root. */
const char *st_applied_busy(struct st_platform *platform, const char *folder);
void st_applied_close(struct st_applied *applied);

/** Puts a plan into the journal as writes of a run that has not ended: st_applied_revert undoes
 * them, also after a crash. Writes no setting yet: st_applied_add does, or for running values
 * st_applied_switch.
 * @return 0; -EALREADY (the journal already has this file of the rule, or this running value);
 * -ESTALE (a file or value has changed since the plan was made); or the error that was reported as
 * ST_EVENT_FAILED. */
ST_NODISCARD int st_applied_begin(struct st_applied *applied, const struct st_journal *plan);

/** st_applied_begin, then writes the plan, all or nothing: if a write fails, earlier ones are
 * undone; a write that cannot be undone stays in the journal (st_journal_is_interrupted). @return
 * as st_applied_begin. */
ST_NODISCARD int st_applied_add(struct st_applied *applied, const struct st_journal *plan);

/** Writes the new or the old values of the rule's entries, after checking that each value is the
 * one written last. @param was_on the new values were written last. @param on write the new values.
 * @param ret_target the value that failed, borrowed. @return 0; -EBUSY: another program wrote
 * *ret_target; or the error of reading or writing. */
ST_NODISCARD int st_applied_switch(struct st_applied *applied, const char *rule, bool was_on,
                                   bool on, const char **ret_target);

/** Undoes the trial of this rule by `tune`, except values that another program changed. An entry
 * that cannot be undone stays in the journal. */
void st_applied_end_trial(struct st_applied *applied, const char *rule);

/** Undoes what a killed apply or revert left unfinished, and the writes of these rules (or of all
 * rules), latest first. Works also if the journal cannot be written now, since the journal already
 * lists the writes.
 * @param ids end with NULL; NULL: none. @return NULL; or a text for people, valid until
 * st_text_forget(): what failed and stays in the journal, or that all is undone but the journal
 * still lists it. */
ST_NODISCARD const char *st_applied_revert(struct st_applied *applied, bool all,
                                           const char *const *ids);
