/* Clocks and ways of sleeping of the fake, whose lateness a test scripts. The ways have names that
 * Linux has,
 */
#include "core/ns.h"
#include "lab/series/sleep.h"
#include "tests/fake/fake_state.h"

static int64_t fake_now_ns(struct st_platform *platform) ST_NONBLOCKING
{
    struct st_fake *fake = st_fake_state_of(platform);
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

static int fake_sleep_until_ns(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING
{
    struct st_fake *fake = st_fake_state_of(platform);
    const int error = st_fake_state_fault(fake, F_sleep_until_ns);
    return error != 0 ? error : sleep_scripted(fake, due_ns);
}

static int fake_sleep_until_precise_ns(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING
{
    struct st_fake *fake = st_fake_state_of(platform);
    const int error = st_fake_state_fault(fake, F_sleep_until_precise_ns);
    if (error != 0)
        return error;
    return platform->os == ST_OS_LINUX ? -ENOTSUP : sleep_scripted(fake, due_ns);
}

static int64_t fake_wall_ns(struct st_platform *platform)
{
    return atomic_load(&st_fake_state_of(platform)->now_ns);
}

static int fake_suspended_ns(struct st_platform *platform, int64_t *ret_ns)
{
    struct st_fake *fake = st_fake_state_of(platform);
    const int error = st_fake_state_fault(fake, F_suspended_ns);
    if (error != 0)
        return error;
    if (platform->os == ST_OS_FREEBSD)
        return -ENOTSUP;
    pthread_mutex_lock(&fake->lock);
    *ret_ns = fake->suspended_ns;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

static void fake_pauses(struct st_platform *platform, struct st_pauses *ret)
{
    struct st_fake *fake = st_fake_state_of(platform);
    pthread_mutex_lock(&fake->lock);
    *ret = fake->pauses;
    pthread_mutex_unlock(&fake->lock);
}

static int fake_open(struct st_sleep *s);
static int fake_sleep(struct st_sleep *s, int64_t requested_ns);

#define FAKE_METHOD(method_name)                                                                   \
    {                                                                                              \
        .name = (method_name), .summary = "scripted", .clock = "monotonic", .unit_ns = 1,          \
        .open = fake_open, .sleep = fake_sleep                                                     \
    }

static const struct st_sleep_method methods[ST_FAKE_METHODS_N] = {
    FAKE_METHOD("clock_nanosleep-abs-monotonic"), FAKE_METHOD("nanosleep"),
    FAKE_METHOD("timerfd-abs"), FAKE_METHOD("umtx"), /* on FreeBSD */
};

const struct st_sleep_method *st_fake_state_sleep(struct st_platform *p, size_t i)
{
    const size_t n = ST_ARRAY_LEN(methods) - (p->os == ST_OS_FREEBSD ? 0 : 1);
    return i < n ? &methods[i] : NULL;
}

struct st_fake_method *st_fake_state_method(struct st_platform *p,
                                            const struct st_sleep_method *method)
{
    return &st_fake_state_of(p)->methods[method - methods];
}

static int fake_open(struct st_sleep *s)
{
    return st_fake_state_method(s->platform, s->method)->open_error;
}

static int fake_sleep(struct st_sleep *s, int64_t requested_ns)
{
    struct st_fake *fake = st_fake_state_of(s->platform);
    (void)requested_ns;
    struct st_fake_method *script = st_fake_state_method(s->platform, s->method);
    const int64_t now_ns = atomic_load(&fake->now_ns);
    const int64_t late_ns =
        script->late_n > 0 ? script->late_ns[script->next++ % script->late_n] : 0;
    if (late_ns == INT64_MIN)
        return -EINTR;
    const int64_t woke_ns = st_ns_add(s->due_ns, late_ns);
    atomic_store(&fake->now_ns, woke_ns > now_ns ? woke_ns : now_ns);
    return 0;
}

void st_fake_state_add_clocks(struct st_platform *row)
{
    row->now_ns = fake_now_ns;
    row->sleep_until_ns = fake_sleep_until_ns;
    row->sleep_until_precise_ns = fake_sleep_until_precise_ns;
    row->wall_ns = fake_wall_ns;
    row->suspended_ns = fake_suspended_ns;
    row->pauses = fake_pauses;
}
