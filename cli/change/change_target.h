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
/** Collects facts and judges them; under sudo with the rights of the player, and says so. @return an st_exit. */
ST_NODISCARD int st_change_target_judge(const char *command, const struct st_facts_input *input,
                                        int64_t frames, int64_t rate_hz, struct st_change_target *target);
void st_change_target_close(struct st_change_target *target);

/** Is this live and not root? Says on stderr what to run instead. */
ST_NODISCARD bool st_change_target_needs_root(const char *command, const struct st_change_target *target,
                                              int argc, char *const *argv);
#endif
