/* The most exact sleep of this OS, for the punctual library, which does not link the rest of platform/. */
#pragma once

#include "platform/platform.h"

/** As sleep_until_ns or sleep_until_precise_ns (platform.h), whichever is more exact on this OS.
 * `platform` is not used. */
int st_exact_sleep_until_ns(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING;
