/* Median lateness of two ways to sleep. */
#include "daemon/loop/wait_comparison.h"

#include <errno.h>
#include <stdlib.h>

#include "core/stats/stats.h"

static int median_lateness(struct st_platform *platform, const struct st_period *period,
                           int (*sleep_until)(struct st_platform *, int64_t), int64_t *ret_ns)
{
    int64_t lateness_ns[ST_WAIT_COMPARISON_SLEEPS];
    for (size_t i = 0; i < ST_WAIT_COMPARISON_SLEEPS; i++) {
        const int64_t due_ns = platform->now_ns(platform) + st_period_ns(period);
        int r;
        do {
            r = sleep_until(platform, due_ns);
        } while (r == -EINTR);
        if (r < 0)
            return r;
        lateness_ns[i] = platform->now_ns(platform) - due_ns;
    }
    st_stats_sort_i64(lateness_ns, ST_WAIT_COMPARISON_SLEEPS);
    *ret_ns = lateness_ns[ST_WAIT_COMPARISON_SLEEPS / 2];
    return 0;
}

int st_wait_comparison_run(struct st_platform *platform, const struct st_period *period, int priority,
                           int64_t *ret_plain_ns, int64_t *ret_precise_ns)
{
    int64_t plain_ns, precise_ns;
    int r = platform->sleep_until_precise_ns(platform, platform->now_ns(platform));
    if (r == -ENOTSUP)
        return r;
    (void)platform->set_policy(platform, ST_POLICY_FIFO, priority);
    r = median_lateness(platform, period, platform->sleep_until_ns, &plain_ns);
    if (r == 0)
        r = median_lateness(platform, period, platform->sleep_until_precise_ns, &precise_ns);
    (void)platform->set_policy(platform, ST_POLICY_OTHER, 0);
    if (r < 0)
        return r;
    *ret_plain_ns = plain_ns;
    *ret_precise_ns = precise_ns;
    return 0;
}
