/* Threads, process and machine of the fake. */
#include "platform/tree.h"
#include "tests/fake/fake_state.h"

static int set_policy(struct st_fake *fake, enum st_policy policy, int priority)
{
    if (policy != ST_POLICY_OTHER && (priority < 1 || priority > 99))
        return -EINVAL;
    pthread_mutex_lock(&fake->lock);
    fake->policy = policy;
    fake->priority = policy == ST_POLICY_OTHER ? 0 : priority;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

static int fake_set_policy(struct st_platform *platform, enum st_policy policy, int priority)
{
    const int error = st_fake_state_fault(st_fake_state_of(platform), F_set_policy);
    return error != 0 ? error : set_policy(st_fake_state_of(platform), policy, priority);
}

static int fake_get_policy(struct st_platform *platform, enum st_policy *ret_policy,
                           int *ret_priority)
{
    struct st_fake *fake = st_fake_state_of(platform);
    const int error = st_fake_state_fault(fake, F_get_policy);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    *ret_policy = fake->policy;
    *ret_priority = fake->priority;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

static pid_t fake_thread_id(struct st_platform *platform)
{
    (void)platform;
    return FAKE_TID;
}

static int fake_demote(struct st_platform *platform, pid_t tid)
{
    const int error = st_fake_state_fault(st_fake_state_of(platform), F_demote);
    if (error != 0)
        return error;
    return tid == FAKE_TID ? set_policy(st_fake_state_of(platform), ST_POLICY_OTHER, 0) : -ESRCH;
}

static int fake_pin(struct st_platform *platform, int cpu)
{
    struct st_fake *fake = st_fake_state_of(platform);
    const int error = st_fake_state_fault(fake, F_pin);
    if (error != 0)
        return error;
    if (cpu < 0 || cpu > 1)
        return -EINVAL;
    pthread_mutex_lock(&fake->lock);
    fake->cpu = cpu;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

static int fake_unpin(struct st_platform *platform, pid_t tid)
{
    struct st_fake *fake = st_fake_state_of(platform);
    const int error = st_fake_state_fault(fake, F_unpin);
    if (error != 0)
        return error;
    if (tid != FAKE_TID)
        return -ESRCH;
    pthread_mutex_lock(&fake->lock);
    fake->cpu = -1;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

/* Two CPUs, or the one it is pinned to. */
static int fake_cpus_allowed(struct st_platform *platform, int *cpus, int max)
{
    struct st_fake *fake = st_fake_state_of(platform);
    const int error = st_fake_state_fault(fake, F_cpus_allowed);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    const int pinned = fake->cpu;
    pthread_mutex_unlock(&fake->lock);
    const int first = pinned < 0 ? 0 : pinned;
    const int n = pinned < 0 ? 2 : 1;
    for (int i = 0; i < n && i < max; i++)
        cpus[i] = first + i;
    return n;
}

static int fake_set_name(struct st_platform *platform, const char *name)
{
    const int error = st_fake_state_fault(st_fake_state_of(platform), F_set_name);
    if (error != 0)
        return error;
    return strlen(name) <= 15 ? 0 : -ERANGE;
}

static int fake_timer_slack_ns(struct st_platform *platform, int64_t *ret_ns)
{
    struct st_fake *fake = st_fake_state_of(platform);
    const int error = st_fake_state_fault(fake, F_timer_slack_ns);
    if (error != 0)
        return error;
    if (platform->os == ST_OS_FREEBSD)
        return -ENOTSUP;
    pthread_mutex_lock(&fake->lock);
    *ret_ns = fake->timer_slack_ns;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

static int fake_set_timer_slack_ns(struct st_platform *platform, int64_t ns)
{
    struct st_fake *fake = st_fake_state_of(platform);
    const int error = st_fake_state_fault(fake, F_set_timer_slack_ns);
    if (error != 0)
        return error;
    if (platform->os == ST_OS_FREEBSD)
        return -ENOTSUP;
    if (ns < 1)
        return -EINVAL;
    pthread_mutex_lock(&fake->lock);
    fake->timer_slack_ns = ns;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

static int fake_hold_latency(struct st_platform *platform, int32_t us)
{
    struct st_fake *fake = st_fake_state_of(platform);
    const int error = st_fake_state_fault(fake, F_hold_latency);
    if (error != 0)
        return error;
    if (platform->os == ST_OS_FREEBSD)
        return -ENOTSUP;
    if (us < 0)
        return -EINVAL;
    return 0;
}

static void fake_release_latency(struct st_platform *platform, int handle)
{
    (void)platform;
    (void)handle;
}

static int fake_counters_open(struct st_platform *platform, struct st_counters_handle *ret)
{
    const int error = st_fake_state_fault(st_fake_state_of(platform), F_counters_open);
    if (error != 0)
        return error;
    *ret = (struct st_counters_handle){
        .tid = FAKE_TID, .fd_schedstat = -1, .fd_stat = -1, .fd_status = -1};
    return 0;
}

static int read_counters(struct st_fake *fake, enum st_fake_function function,
                         struct st_thread_counters *ret)
{
    const int error = st_fake_state_fault(fake, function);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    *ret = fake->counters;
    ret->suspended_ns = fake->suspended_ns;
    pthread_mutex_unlock(&fake->lock);
    ret->valid |= ST_COUNTER_SUSPENDED;
    return 0;
}

static int fake_counters_self(struct st_platform *platform, const struct st_counters_handle *h,
                              struct st_thread_counters *ret)
{
    (void)h;
    return read_counters(st_fake_state_of(platform), F_counters_self, ret);
}

static int fake_counters_other(struct st_platform *platform, const struct st_counters_handle *h,
                               struct st_thread_counters *ret)
{
    (void)h;
    return read_counters(st_fake_state_of(platform), F_counters_other, ret);
}

static void fake_counters_close(struct st_platform *platform, struct st_counters_handle *h)
{
    (void)platform;
    (void)h;
}

static int fake_lock_memory(struct st_platform *platform, enum st_lock *ret)
{
    const int error = st_fake_state_fault(st_fake_state_of(platform), F_lock_memory);
    if (error != 0)
        return error;
    if (ret != NULL)
        *ret = platform->os == ST_OS_LINUX ? ST_LOCK_ON_FAULT : ST_LOCK_ALL;
    return 0;
}

static int fake_set_rttime_limit_ns(struct st_platform *platform, int64_t ns)
{
    (void)ns;
    const int error = st_fake_state_fault(st_fake_state_of(platform), F_set_rttime_limit_ns);
    if (error != 0)
        return error;
    return platform->os == ST_OS_LINUX ? 0 : -ENOTSUP;
}

static int fake_rt_rights(struct st_platform *platform, int priority, struct st_rt_rights *ret)
{
    const int error = st_fake_state_fault(st_fake_state_of(platform), F_rt_rights);
    if (error != 0)
        return error;
    *ret = (struct st_rt_rights){
        .fifo_errno = 0,
        .fifo_priority = priority,
        .rtprio_limit = platform->os == ST_OS_LINUX ? 95 : INT64_MIN,
        .memlock_limit_bytes = -1,
    };
    return 0;
}

static int fake_program_path(struct st_platform *machine, char *buf, size_t buf_bytes)
{
    static const char path[] = "/usr/bin/sleeptune";
    const int error = st_fake_state_fault(st_fake_state_of(machine), F_program_path);
    if (error != 0)
        return error;
    if (sizeof(path) > buf_bytes)
        return -ENAMETOOLONG;
    memcpy(buf, path, sizeof(path));
    return 0;
}

void st_fake_state_add_system(struct st_platform *row)
{
    row->set_policy = fake_set_policy;
    row->get_policy = fake_get_policy;
    row->thread_id = fake_thread_id;
    row->demote = fake_demote;
    row->pin = fake_pin;
    row->unpin = fake_unpin;
    row->cpus_allowed = fake_cpus_allowed;
    row->set_name = fake_set_name;
    row->timer_slack_ns = fake_timer_slack_ns;
    row->set_timer_slack_ns = fake_set_timer_slack_ns;
    row->hold_latency = fake_hold_latency;
    row->release_latency = fake_release_latency;
    row->counters_open = fake_counters_open;
    row->counters_self = fake_counters_self;
    row->counters_other = fake_counters_other;
    row->counters_close = fake_counters_close;
    row->lock_memory = fake_lock_memory;
    row->set_rttime_limit_ns = fake_set_rttime_limit_ns;
    row->rt_rights = fake_rt_rights;
    row->program_path = fake_program_path;
    row->conditions = st_tree_conditions;
}
