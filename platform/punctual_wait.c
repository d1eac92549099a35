#include "platform/punctual_wait.h"

#include "lib/ns.h"

int st_punctual_wait(struct st_margin *margin, struct st_platform *p,
                     int (*sleep_until_ns)(struct st_platform *, int64_t) ST_NONBLOCKING, int64_t now_ns,
                     int64_t due_ns, int64_t *ret_woke_ns) ST_NONBLOCKING
{
    if (margin->overshoot_ns != INT64_MIN) { /* here there is time; after a wake-up there is none */
        st_margin_learn(margin, margin->overshoot_ns);
        margin->overshoot_ns = INT64_MIN;
    }
    const int64_t wake_ns = st_ns_sub(due_ns, st_margin_for(margin, st_ns_sub(due_ns, now_ns)));
    const bool sleeps = wake_ns > now_ns;
    if (sleeps) {
        const int r = sleep_until_ns(p, wake_ns);
        if (r != 0)
            return r;
    }
    int64_t woke_ns = p->now_ns(p);
    if (sleeps)
        margin->overshoot_ns = woke_ns - wake_ns;
    margin->spun_ns = woke_ns < due_ns ? due_ns - woke_ns : 0;
    while (woke_ns < due_ns)
        woke_ns = p->now_ns(p);
    *ret_woke_ns = woke_ns;
    return 0;
}
