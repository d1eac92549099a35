/* The sleep of this OS that its kernel stretches least: what the library sleeptune sleeps by, without the
 * rest of the seam. */
#pragma once

#include "platform/platform.h"

/** As sleep_until_ns or sleep_until_precise_ns (platform.h), whichever is the more exact one. p is not
 * used. */
int st_exact_sleep_until_ns(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING;
