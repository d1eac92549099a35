/* Findings that depend on one fact that was not read: what the rule says for each of its values. */
#pragma once

#include "advisor/rules/rule.h"

#define ST_CONDITION_FIX                                                                                     \
    "# if " /* begins the line above a fix that is for one value alone: "# if in the mode full" */

/** As st_report_make judges one rule. finding: zeroed. */
typedef void (*st_condition_judge_fn)(const struct st_rule *rule, const struct st_facts *facts,
                                      const struct st_wish *wish, struct st_finding *finding);

/** Where the finding is unknown because of one fact that is missing or could not be read, and the values of
 * that fact are known: judges the rule with each value. If one of them asks for a change, or all agree, the
 * finding gets them as its branches; else, and when out of memory, it stays as it is. */
void st_condition_add(struct st_finding *finding, const struct st_wish *wish, st_condition_judge_fn judge);
