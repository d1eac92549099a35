/* What apply, verify and revert work on: this machine or a captured tree. */
#pragma once

#include "advisor/change/applied.h"
#include "advisor/report/report.h"
#include "cli/report/facts_input.h"

struct st_change_target {
    struct st_platform *p;
    bool live;        /* this machine, not a captured tree */
    bool own;         /* settings in this user's home folder, with a journal there; never as root */
    char folder[512]; /* folder of the journal */
    /* what the user chose for his PipeWire: read from the journal of own settings, replaced by
     * `apply` */
    int64_t quantum;  /* buffer size for all programs, in frames; 0: none */
    const char *card; /* beginning of the name of a card that gets a larger reserve; NULL: none */
    struct st_journal journal;
    struct st_facts *facts;  /* NULL before st_change_target_judge */
    struct st_report report; /* what the rules found in `facts` */
};

/** Does this user, who is not root, have a journal of own settings? @param root a captured tree,
 * which has no such journal; NULL: this machine. */
bool st_change_target_has_own(const char *root);
/** Opens a target. Reports errors on stderr, such as another sleeptune that changes settings now,
 * or an unreadable journal. @param root a folder; NULL: this machine. @param own the user's own
 * settings; not as root. @return an st_exit. */
ST_NODISCARD int st_change_target_open(const char *root, bool own, struct st_change_target *ret);
/** Collects facts and judges them; under sudo with the rights of the player, and says so. Own
 * settings are judged for target->quantum and card. @return an st_exit. */
ST_NODISCARD int st_change_target_judge(const struct st_facts_input *input, int64_t frames,
                                        int64_t rate_hz, struct st_change_target *target);
/** Undoes what an interrupted run (apply, revert, tune) left, forgets running values of earlier
 * boots, and undoes the changes of the rules `ids`, or of all rules. Prints what it did, unless
 * quiet. @param ret receives the numbers of events; it needs no closing.
 * @return an st_exit. */
ST_NODISCARD int st_change_target_revert(struct st_change_target *target, bool all,
                                         const char *const *ids, bool quiet,
                                         struct st_applied *ret);
/** If a run of apply, revert or tune was interrupted, undoes what it left. Prints what it did,
 * unless quiet.
 * @return an st_exit. */
ST_NODISCARD int st_change_target_recover(struct st_change_target *target, bool quiet);
void st_change_target_close(struct st_change_target *target);

/** Does the target need root: is it this machine, without root, and not the user's own settings? If
 * so, says so on stderr. */
ST_NODISCARD bool st_change_target_needs_root(const struct st_change_target *target);
