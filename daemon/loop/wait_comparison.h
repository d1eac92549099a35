/* Compares the plain and the precise sleep on this machine, once at the start: FreeBSD stretches the plain one. */
#ifndef ST_DAEMON_LOOP_WAIT_COMPARISON_H
#define ST_DAEMON_LOOP_WAIT_COMPARISON_H

#include "core/period.h"
#include "platform/platform.h"

#define ST_WAIT_COMPARISON_SLEEPS 51

/**
 * Sleeps ST_WAIT_COMPARISON_SLEEPS times by each wait, at the loop's policy, in the calling thread (whose policy it
 * changes).
 * @return 0, -ENOTSUP (one wait only here: nothing was measured). Takes about 100 periods.
 */
ST_NODISCARD int st_wait_comparison_run(struct st_platform *platform, const struct st_period *period,
                                        int priority, int64_t *ret_plain_ns, int64_t *ret_precise_ns);

#endif
