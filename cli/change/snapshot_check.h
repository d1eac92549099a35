/* What a snapshot claims about this machine is read again before anything is done because of it. */
#ifndef ST_CLI_CHANGE_SNAPSHOT_CHECK_H
#define ST_CLI_CHANGE_SNAPSHOT_CHECK_H

#include "cli/change/change_target.h"

/**
 * A snapshot decides what is changed, and it may come from another user. Limits and rights are the player's
 * own and are believed. The names of objects (units, devices, drivers) choose what is written, so those that
 * the planned rules read are collected here again.
 * @return an st_exit; ST_EXIT_FAILURE after a message on stderr, when a fact disagrees.
 */
ST_NODISCARD int st_snapshot_check(const char *command, const struct st_facts *claimed,
                                   const struct st_plan *plan);

/** As st_snapshot_check, with this machine's facts from elsewhere. @return false: `message` says which fact
 * of which rule disagrees. */
bool st_snapshot_check_agrees(const struct st_facts *claimed, const struct st_facts *here,
                              const struct st_rule *rule, char *message, size_t message_bytes);

#endif
