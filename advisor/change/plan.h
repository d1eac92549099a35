/* What `apply` would write for findings. */
#pragma once

#include "advisor/change/change.h"

/** Adds what a finding writes: running values that are not yet as wanted, and files with their
 * texts. Reads only. @param values_only only running values, no files. @return NULL; or what is in
 * the way, a text for people, valid until st_text_forget(): the plan is then unchanged. */
ST_NODISCARD const char *st_plan_add(struct st_journal *plan, struct st_platform *machine,
                                     const struct st_finding *finding, bool values_only);
