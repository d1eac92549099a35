/* One measurement in a process of its own: this program, started anew. */
#ifndef ST_MEASURE_FRESH_PROCESS_H
#define ST_MEASURE_FRESH_PROCESS_H

#include "platform/platform.h"

/**
 * Runs `sleeptune bench syscall --one-shot CALL` and reads what it prints: one whole number of ns.
 * @return 0, -EBADMSG (it prints something else), -ETIMEDOUT, or what starting it said.
 */
ST_NODISCARD int st_fresh_process_sample(struct st_platform *p, const char *call, int64_t *ret_ns);

#endif
