/* One measurement in a process of its own: this program, started anew. */
#ifndef ST_LAB_SYSCALL_FRESH_PROCESS_H
#define ST_LAB_SYSCALL_FRESH_PROCESS_H

#include "lab/lab.h"

/**
 * Runs `sleeptune-lab syscall --one-shot CALL` and reads what it prints: one whole number of ns.
 * @return 0, -EBADMSG (it prints something else), -ETIMEDOUT, or what starting it said.
 */
ST_NODISCARD int st_fresh_process_sample(struct st_lab *lab, const char *call, int64_t *ret_ns);

#endif
