#include <errno.h>

#include "core/ns.h"
#include "platform/fake/private.h"

int64_t st_fake_now_ns(struct st_platform *p) ST_NONBLOCKING
{
    struct st_fake *fake = st_fake_of(p);
    atomic_fetch_add(&fake->clock_reads_n, 1);
    const int64_t now_ns = atomic_load(&fake->now_ns);
    const int64_t cost_ns = atomic_load(&fake->clock_cost_ns);
    if (cost_ns != 0)
        atomic_store(&fake->now_ns, st_ns_add(now_ns, cost_ns));
    return now_ns;
}

static int sleep_scripted(struct st_fake *fake, int64_t due_ns) ST_NONBLOCKING
{
    const uint64_t i = atomic_fetch_add(&fake->sleeps_n, 1);
    const int64_t now_ns = atomic_load(&fake->now_ns);
    if (due_ns <= now_ns)
        return 0;
    const int64_t late_ns = i < fake->late_n ? fake->late_ns[i] : fake->late_after_ns;
    if (late_ns == INT64_MIN) {
        const uint64_t span_ns = (uint64_t)due_ns - (uint64_t)now_ns;
        atomic_store(&fake->now_ns, st_ns_add(now_ns, (int64_t)(span_ns / 2)));
        return -EINTR;
    }
    const int64_t woke_ns = st_ns_add(due_ns, late_ns);
    atomic_store(&fake->now_ns, woke_ns > now_ns ? woke_ns : now_ns);
    return 0;
}

int st_fake_sleep_until_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING
{
    struct st_fake *fake = st_fake_of(p);
    const int error = st_fake_fault(fake, F_SLEEP_UNTIL_NS);
    return error != 0 ? error : sleep_scripted(fake, due_ns);
}

int st_fake_sleep_until_precise_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING
{
    struct st_fake *fake = st_fake_of(p);
    const int error = st_fake_fault(fake, F_SLEEP_UNTIL_PRECISE_NS);
    if (error != 0)
        return error;
    return p->os == ST_OS_LINUX ? -ENOTSUP : sleep_scripted(fake, due_ns);
}

int64_t st_fake_wall_ns(struct st_platform *p)
{
    return atomic_load(&st_fake_of(p)->now_ns);
}

int st_fake_suspended_ns(struct st_platform *p, int64_t *ret_ns)
{
    struct st_fake *fake = st_fake_of(p);
    const int error = st_fake_fault(fake, F_SUSPENDED_NS);
    if (error != 0)
        return error;
    if (p->os == ST_OS_FREEBSD)
        return -ENOTSUP;
    pthread_mutex_lock(&fake->lock);
    *ret_ns = fake->suspended_ns;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

void st_fake_pauses(struct st_platform *p, struct st_pauses *ret)
{
    struct st_fake *fake = st_fake_of(p);
    pthread_mutex_lock(&fake->lock);
    *ret = fake->pauses;
    pthread_mutex_unlock(&fake->lock);
}
