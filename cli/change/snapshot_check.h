/* What a snapshot claims about this machine is read again before anything is done because of it. */
#ifndef ST_CLI_CHANGE_SNAPSHOT_CHECK_H
#define ST_CLI_CHANGE_SNAPSHOT_CHECK_H

#include "advisor/facts/facts.h"
#include "advisor/rules/rule.h"

/**
 * A snapshot decides what is changed, and it may come from another user. Limits and rights are the player's
 * own and are believed. The names of objects (units, devices, drivers) choose what is written, so those that
 * a planned rule reads must be the same here.
 * @param here this machine's facts. @return false: `message` says which fact disagrees.
 */
bool st_snapshot_check_agrees(const struct st_facts *claimed, const struct st_facts *here,
                              const struct st_rule *rule, char *message, size_t message_bytes);

#endif
