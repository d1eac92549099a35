/* What apply, verify and revert work on: this machine or a captured tree. */
#ifndef ST_CLI_CHANGE_CHANGE_TARGET_H
#define ST_CLI_CHANGE_CHANGE_TARGET_H

#include "advisor/change/applied.h"
#include "advisor/report/report.h"
#include "cli/report/facts_input.h"

struct st_change_target {
    struct st_platform *p;
    bool live; /* this machine, not a captured tree */
    char folder[512];
    struct st_facts *facts;  /* NULL before st_change_target_judge */
    struct st_report report; /* of these facts */
};

/** root: a folder, or NULL for this machine. Says what is wrong on stderr. @return an st_exit. */
ST_NODISCARD int st_change_target_open(const char *command, const char *root, struct st_change_target *ret);
/** Collects facts and judges them. @return an st_exit. */
ST_NODISCARD int st_change_target_judge(const char *command, const struct st_facts_input *input,
                                        uint32_t frames, uint32_t rate_hz, struct st_change_target *target);
void st_change_target_close(struct st_change_target *target);

/** "/etc/x", "kern.y = 1". */
const char *st_change_entry_text(const struct st_entry *entry, char *buf, size_t buf_bytes);
/** Who tells what was done, and remembers which kinds of files changed. */
struct st_change_teller {
    const char *command;
    enum st_os os;
    const char *user;               /* who plays; NULL: not known */
    char *changed[ST_CHANGE_KINDS]; /* a file of each kind that changed; NULL: none */
};
/** One line an event on stdout, failures on stderr: a st_change_event_fn. ctx: a st_change_teller. */
void st_change_say(void *ctx, enum st_change_event event, const struct st_entry *entry, const char *now,
                   int error);

/* --- change_then.c: what makes the changed files count --- */

void st_change_teller_mark(struct st_change_teller *teller, const struct st_entry *entry);
void st_change_teller_finish(struct st_change_teller *teller);
/** Prints what is to be done for the kinds that changed, or does what is a command (update-grub, cap_mkdb).
 *  reverted: the files are as before again. @return ST_EXIT_DONE, or ST_EXIT_FAILURE when a command failed.
 */
ST_NODISCARD int st_change_then_do(const struct st_change_teller *teller, struct st_platform *p,
                                   bool reverted, bool run_commands);

/** Is this live and not root? Says on stderr what to run instead. as_user: by facts of this user. */
ST_NODISCARD bool st_change_needs_root(const char *command, const struct st_change_target *target,
                                       bool as_user, int argc, char *const *argv);
/** Asks on the terminal. yes: do not ask. @return 0 to go on, or an st_exit. */
ST_NODISCARD int st_change_confirm(const char *command, bool yes, const char *question);

#endif
