/* A view of a platform that reads each file, folder and sysctl once. */
#ifndef ST_PLATFORM_CACHE_H
#define ST_PLATFORM_CACHE_H

#include "platform/platform.h"

/**
 * Reads through `inner` (the native platform, or a captured tree), and keeps what came, errors too, until it
 * is freed. What it does not read (clocks, rights, programs that are run) is that of inner, as is writing: a
 * cached view is for one look at a machine, not for changing it. /proc/PID is not kept: it is read
 * only once. One thread.
 * @return 0, -ENOMEM. Free it, before inner, with st_cache_free.
 */
ST_NODISCARD int st_cache_new(struct st_platform *inner, struct st_platform **ret);
void st_cache_free(struct st_platform *p);

#endif
