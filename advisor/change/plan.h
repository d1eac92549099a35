/* What would be written for findings. */
#pragma once

#include "advisor/change/change.h"

struct st_plan {
    struct st_entry *steps; /* in the order of writing: running values, then files */
    size_t steps_n;
    uint32_t frames, rate_hz; /* the period that the findings were judged for, for the journal; 0: none */
};

/**
 * Adds the steps of a finding: running values that are not yet as wanted, then files. Reads only.
 * @param values_only without the files, whatever becomes of them. message: what was in the way, for people.
 * @return 0, -ENODATA (the finding has no changes, or this machine's kernel gets its options by hand),
 * -EINVAL (a change is not well-formed), -EBADMSG (a running value could not be restored: control characters,
 * too long), -ENOMEM, or what reading said. On failure the plan is as before. */
ST_NODISCARD int st_plan_add(struct st_plan *plan, struct st_machine *machine,
                             const struct st_finding *finding, bool values_only, char *message,
                             size_t message_bytes);
/** Unified diff of the files, then a line a running value. @return 0, or what reading said. */
ST_NODISCARD int st_plan_print(const struct st_plan *plan, struct st_machine *machine, FILE *out);
void st_plan_finish(struct st_plan *plan);
