/* The most exact sleep of this system, for the punctual library, which does not link the rest of
 * platform/.
 */
#pragma once

#include "platform/platform.h"

/** Sleeps as sleep_until_ns or sleep_until_precise_ns (platform.h), whichever is more exact on this
 * system. `platform` is not used. */
int st_exact_sleep_until_ns(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING;
