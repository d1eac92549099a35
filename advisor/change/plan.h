/* What would be written for findings. */
#pragma once

#include "advisor/change/change.h"

/**
 * Adds what a finding writes: running values that are not yet as wanted, and files with their texts. Reads
 * only.
 * @param values_only without the files, whatever becomes of them.
 * @return NULL; or what is in the way, for people, for a turn: then the plan is as before. */
ST_NODISCARD const char *st_plan_add(struct st_journal *plan, struct st_platform *machine,
                                     const struct st_finding *finding, bool values_only);
