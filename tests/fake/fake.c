/* The fake's state and its faults; what a test scripts. */
#include "tests/fake/fake.h"

#include "core/ns.h"
#include "lab/series/sleep.h"
#include "tests/fake/fake_state.h"

#define FUNCTION_NAME(name) #name
static const char *const function_names[F_COUNT] = {ST_FAKE_FUNCTIONS(FUNCTION_NAME)};

struct st_platform *st_fake_new(enum st_os os, int64_t start_ns)
{
    struct st_fake *fake = calloc(1, sizeof(*fake));
    if (fake == NULL)
        return NULL;
    if (pthread_mutex_init(&fake->lock, NULL) != 0) {
        free(fake);
        return NULL;
    }
    fake->row = (struct st_platform){.os = os};
    st_fake_state_add_clocks(&fake->row);
    st_fake_state_add_system(&fake->row);
    st_fake_state_add_files(&fake->row);
    fake->now_ns = start_ns;
    fake->cpu = -1;
    fake->timer_slack_ns = 50000; /* Linux' default */
    fake->pauses = (struct st_pauses){.quota_ns = INT64_MIN, .continued_ns = INT64_MIN};
    return &fake->row;
}

void st_fake_free(struct st_platform *p)
{
    if (p == NULL)
        return;
    struct st_fake *fake = st_fake_state_of(p);
    st_fake_state_free_files(fake);
    for (size_t i = 0; i < ST_ARRAY_LEN(fake->methods); i++)
        free(fake->methods[i].late_ns);
    free(fake->late_ns);
    pthread_mutex_destroy(&fake->lock);
    free(fake);
}

void st_fake_advance(struct st_platform *p, int64_t ns)
{
    struct st_fake *fake = st_fake_state_of(p);
    atomic_store(&fake->now_ns, st_ns_add(atomic_load(&fake->now_ns), ns));
}

void st_fake_set_clock_cost_ns(struct st_platform *p, int64_t ns)
{
    atomic_store(&st_fake_state_of(p)->clock_cost_ns, ns);
}

int st_fake_script_sleeps(struct st_platform *p, const int64_t *late_ns, size_t n,
                          int64_t late_after_ns)
{
    struct st_fake *fake = st_fake_state_of(p);
    int64_t *copy = NULL;
    if (n > 0) {
        copy = calloc(n, sizeof(*copy));
        if (copy == NULL)
            return -ENOMEM;
        memcpy(copy, late_ns, n * sizeof(*copy));
    }
    free(fake->late_ns);
    fake->late_ns = copy;
    fake->late_n = n;
    fake->late_after_ns = late_after_ns;
    atomic_store(&fake->sleeps_n, 0);
    return 0;
}

uint64_t st_fake_sleeps_n(const struct st_platform *p)
{
    return atomic_load(&((const struct st_fake *)p)->sleeps_n);
}

uint64_t st_fake_clock_reads_n(const struct st_platform *p)
{
    return atomic_load(&((const struct st_fake *)p)->clock_reads_n);
}

void st_fake_set_counters(struct st_platform *p, const struct st_thread_counters *counters)
{
    struct st_fake *fake = st_fake_state_of(p);
    pthread_mutex_lock(&fake->lock);
    fake->counters = *counters;
    pthread_mutex_unlock(&fake->lock);
}

void st_fake_set_suspended_ns(struct st_platform *p, int64_t ns)
{
    struct st_fake *fake = st_fake_state_of(p);
    pthread_mutex_lock(&fake->lock);
    fake->suspended_ns = ns;
    pthread_mutex_unlock(&fake->lock);
}

void st_fake_set_pauses(struct st_platform *p, const struct st_pauses *pauses)
{
    struct st_fake *fake = st_fake_state_of(p);
    pthread_mutex_lock(&fake->lock);
    fake->pauses = *pauses;
    pthread_mutex_unlock(&fake->lock);
}

int st_fake_fail_at(struct st_platform *p, const char *function, uint64_t n, int error)
{
    if (error >= 0)
        return -EINVAL;
    for (size_t i = 0; i < F_COUNT; i++) {
        if (strcmp(function_names[i], function) != 0)
            continue;
        struct st_fake_fault *f = &st_fake_state_of(p)->faults[i];
        atomic_store(&f->calls_n, 0);
        atomic_store(&f->at, n);
        atomic_store(&f->error, error);
        return 0;
    }
    return -ENOENT;
}

const struct st_sleep_method *st_fake_sleep_method(struct st_platform *p, const char *name)
{
    const struct st_sleep_method *method;
    for (size_t i = 0; (method = st_fake_state_sleep(p, i)) != NULL; i++) {
        if (strcmp(method->name, name) == 0)
            return method;
    }
    return NULL;
}

int st_fake_script_method(struct st_platform *p, const char *name, const int64_t *late_ns, size_t n)
{
    const struct st_sleep_method *method = st_fake_sleep_method(p, name);
    if (method == NULL)
        return -ENOENT;
    struct st_fake_method *script = st_fake_state_method(p, method);
    int64_t *copy = calloc(n > 0 ? n : 1, sizeof(*copy));
    if (copy == NULL)
        return -ENOMEM;
    if (n > 0)
        memcpy(copy, late_ns, n * sizeof(*copy));
    free(script->late_ns);
    *script =
        (struct st_fake_method){.late_ns = copy, .late_n = n, .open_error = script->open_error};
    return 0;
}

int st_fake_fail_method(struct st_platform *p, const char *name, int error)
{
    const struct st_sleep_method *method = st_fake_sleep_method(p, name);
    if (method == NULL || error >= 0)
        return -EINVAL;
    st_fake_state_method(p, method)->open_error = error;
    return 0;
}

int st_fake_set_file(struct st_platform *p, const char *path, const char *text, int error)
{
    return st_fake_state_put(st_fake_state_of(p), &st_fake_state_of(p)->files, path, text, error);
}

int st_fake_set_sysctl(struct st_platform *p, const char *name, const char *text, int error)
{
    return st_fake_state_put(st_fake_state_of(p), &st_fake_state_of(p)->sysctls, name, text, error);
}

int st_fake_set_answer(struct st_platform *p, const char *command, const char *text, int error)
{
    return st_fake_state_put(st_fake_state_of(p), &st_fake_state_of(p)->answers, command, text,
                             error);
}
