/* rtkit gives real-time priority to programs that ask for it on the system bus. sleeptuned contains
 * this code; commands load it as the module sleeptune-rtkit. */
#pragma once

#include "platform/platform.h"

/** Asks rtkit for SCHED_RR for thread `tid` of this process. Sets RLIMIT_RTTIME first, which cannot
 * be raised again. Waits at most some seconds. @param text the result, a sentence for status and
 * log.
 * @return 0: granted; -ENOTSUP (built without systemd), or the error of the bus. */
__attribute__((visibility("default"))) ST_NODISCARD int
st_rtkit_ask(struct st_platform *platform, pid_t tid, int priority, char *text, size_t text_bytes);

#define ST_RTKIT_SYMBOL "st_rtkit_ask"
typedef int (*st_rtkit_ask_fn)(struct st_platform *platform, pid_t tid, int priority, char *text,
                               size_t text_bytes);
