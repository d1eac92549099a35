/* Rules on facts of which most were never looked for. Internal to advisor/. */
#ifndef ST_ADVISOR_FACTS_PARTIAL_H
#define ST_ADVISOR_FACTS_PARTIAL_H

#include "advisor/rules/rule.h"

/**
 * Facts from one posted text (ST_POSTED_KEY) or a part of a tree (ST_POSTED_LACKS): a rule that found nothing,
 * because nobody looked, must not say "not applicable" or "fine". Makes it unknown, without evidence.
 */
void st_partial_doubt(const struct st_facts *facts, struct st_finding *finding);

#endif
