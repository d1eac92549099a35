/* Sleeping methods whose lateness a test scripts: some names that Linux has, with its rules of stretching. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "platform/fake/private.h"
#include "platform/sleep_method.h"

static int fake_open(struct st_sleep *s);
static int fake_sleep(struct st_sleep *s, int64_t requested_ns);

#define FAKE_METHOD(method_name, how_asked, how_stretched)                                                   \
    .name = (method_name), .summary = "scripted", .clock = "monotonic", .asked = (how_asked),                \
    .stretch = (how_stretched), .stretch_source = "the script", .unit_ns = 1, .open = fake_open,             \
    .sleep = fake_sleep

static const struct st_sleep_method methods[ST_FAKE_METHODS_N] = {
    {FAKE_METHOD("clock_nanosleep-abs-monotonic", ST_SLEEP_ABSOLUTE, ST_STRETCH_YES), .usual = true},
    {FAKE_METHOD("clock_nanosleep-rel-monotonic", ST_SLEEP_RELATIVE, ST_STRETCH_YES)},
    {FAKE_METHOD("ppoll", ST_SLEEP_RELATIVE, ST_STRETCH_YES), .usual = true},
    {FAKE_METHOD("timerfd-abs", ST_SLEEP_ABSOLUTE, ST_STRETCH_NO), .usual = true},
    {FAKE_METHOD("posix-timer", ST_SLEEP_ABSOLUTE, ST_STRETCH_NO)},
    {.name = "umtx", .absent = "only FreeBSD has it"},
    {FAKE_METHOD("umtx", ST_SLEEP_ABSOLUTE, ST_STRETCH_NO)}, /* on FreeBSD, instead of the row above */
};

#define UMTX_ABSENT (ST_ARRAY_LEN(methods) - 2)

const struct st_sleep_method *st_fake_sleep_method(struct st_platform *p, size_t i)
{
    if (i == UMTX_ABSENT && p->os == ST_OS_FREEBSD)
        return &methods[UMTX_ABSENT + 1];
    return i <= UMTX_ABSENT ? &methods[i] : NULL;
}

static struct st_fake_method *script_of(struct st_platform *p, const struct st_sleep_method *method)
{
    return &st_fake_of(p)->methods[method - methods];
}

static int fake_open(struct st_sleep *s)
{
    return script_of(s->platform, s->method)->open_error;
}

static int fake_sleep(struct st_sleep *s, int64_t requested_ns)
{
    struct st_fake *fake = st_fake_of(s->platform);
    (void)requested_ns;
    struct st_fake_method *script = script_of(s->platform, s->method);
    const int64_t now_ns = atomic_load(&fake->now_ns);
    int64_t late_ns = script->late_n > 0 ? script->late_ns[script->next++ % script->late_n] : 0;
    pthread_mutex_lock(&fake->lock);
    if (s->method->stretch == ST_STRETCH_YES && fake->policy == ST_POLICY_OTHER && late_ns != INT64_MIN)
        late_ns = st_ns_add(late_ns, fake->timer_slack_ns);
    if (fake->latency_holds_n == 0 && late_ns != INT64_MIN)
        late_ns = st_ns_add(late_ns, fake->idle_exit_ns);
    fake->counters.cpu_ns += script->cpu_ns;
    pthread_mutex_unlock(&fake->lock);
    if (late_ns == INT64_MIN)
        return -EINTR;
    const int64_t woke_ns = st_ns_add(s->due_ns, late_ns);
    atomic_store(&fake->now_ns, woke_ns > now_ns ? woke_ns : now_ns);
    return 0;
}

int st_fake_script_method(struct st_platform *p, const char *name, const int64_t *late_ns, size_t n,
                          int64_t cpu_ns)
{
    const struct st_sleep_method *method = st_sleep_method_find(p, name);
    if (method == NULL)
        return -ENOENT;
    struct st_fake_method *script = script_of(p, method);
    int64_t *copy = calloc(n > 0 ? n : 1, sizeof(*copy));
    if (copy == NULL)
        return -ENOMEM;
    if (n > 0)
        memcpy(copy, late_ns, n * sizeof(*copy));
    free(script->late_ns);
    *script = (struct st_fake_method){
        .late_ns = copy, .late_n = n, .cpu_ns = cpu_ns, .open_error = script->open_error};
    return 0;
}

int st_fake_fail_method(struct st_platform *p, const char *name, int error)
{
    const struct st_sleep_method *method = st_sleep_method_find(p, name);
    if (method == NULL || error >= 0)
        return -EINVAL;
    script_of(p, method)->open_error = error;
    return 0;
}

void st_fake_sleep_finish(struct st_fake *fake)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(fake->methods); i++)
        free(fake->methods[i].late_ns);
}
