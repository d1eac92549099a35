#include "platform/fake/fake.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ns.h"
#include "platform/tree.h"

#define FAKE_TID 1000

/* One row a function of the seam that can be made to fail. */
enum function {
    F_SLEEP_UNTIL_NS,
    F_SLEEP_UNTIL_PRECISE_NS,
    F_SUSPENDED_NS,
    F_SET_POLICY,
    F_GET_POLICY,
    F_DEMOTE,
    F_PIN,
    F_CPUS_ALLOWED,
    F_SET_NAME,
    F_TIMER_SLACK_NS,
    F_SET_TIMER_SLACK_NS,
    F_COUNTERS_OPEN,
    F_COUNTERS_SELF,
    F_COUNTERS_OTHER,
    F_LOCK_MEMORY,
    F_SET_RTTIME_LIMIT_NS,
    F_RT_RIGHTS,
    F_RESIDENT_BYTES,
    F_SMI_COUNT,
    F_STEAL_ACCOUNTED,
    F_VIRTUALISED,
    F_READ_TEXT,
    F_LIST,
    F_READ_SYSCTL,
    F_COUNT
};

static const char *const function_names[F_COUNT] = {
    [F_SLEEP_UNTIL_NS] = "sleep_until_ns",
    [F_SLEEP_UNTIL_PRECISE_NS] = "sleep_until_precise_ns",
    [F_SUSPENDED_NS] = "suspended_ns",
    [F_SET_POLICY] = "set_policy",
    [F_GET_POLICY] = "get_policy",
    [F_DEMOTE] = "demote",
    [F_PIN] = "pin",
    [F_CPUS_ALLOWED] = "cpus_allowed",
    [F_SET_NAME] = "set_name",
    [F_TIMER_SLACK_NS] = "timer_slack_ns",
    [F_SET_TIMER_SLACK_NS] = "set_timer_slack_ns",
    [F_COUNTERS_OPEN] = "counters_open",
    [F_COUNTERS_SELF] = "counters_self",
    [F_COUNTERS_OTHER] = "counters_other",
    [F_LOCK_MEMORY] = "lock_memory",
    [F_SET_RTTIME_LIMIT_NS] = "set_rttime_limit_ns",
    [F_RT_RIGHTS] = "rt_rights",
    [F_RESIDENT_BYTES] = "resident_bytes",
    [F_SMI_COUNT] = "smi_count",
    [F_STEAL_ACCOUNTED] = "steal_accounted",
    [F_VIRTUALISED] = "virtualised",
    [F_READ_TEXT] = "read_text",
    [F_LIST] = "list",
    [F_READ_SYSCTL] = "read_sysctl",
};

struct fault {
    _Atomic uint64_t calls_n;
    _Atomic uint64_t at; /* 0: every call */
    _Atomic int error;   /* 0: none */
};

/* A file or a sysctl. */
struct entry {
    struct entry *next;
    char *name;
    char *text;
    int error;
};

struct fake {
    struct st_platform row; /* first: a row's functions get a pointer to it */
    _Atomic int64_t now_ns;
    _Atomic int64_t clock_cost_ns;
    _Atomic uint64_t clock_reads_n;
    _Atomic uint64_t sleeps_n;
    int64_t *late_ns;
    size_t late_n;
    int64_t late_after_ns;
    struct fault faults[F_COUNT];

    pthread_mutex_t lock; /* for what follows; never taken by clock and sleep */
    struct st_thread_counters counters;
    int64_t suspended_ns;
    enum st_policy policy;
    int priority;
    int cpu; /* -1: not pinned */
    int64_t timer_slack_ns;
    struct entry *files; /* sorted by compare_paths */
    struct entry *sysctls;
};

static struct fake *fake_of(struct st_platform *p) ST_NONBLOCKING
{
    return (struct fake *)p;
}

/* Counts the call. @return the scripted error of this call, or 0. */
static int fault(struct fake *fake, enum function function) ST_NONBLOCKING
{
    struct fault *f = &fake->faults[function];
    const uint64_t call = atomic_fetch_add(&f->calls_n, 1) + 1;
    const uint64_t at = atomic_load(&f->at);
    return at == 0 || at == call ? atomic_load(&f->error) : 0;
}

/* --- clocks
 * -------------------------------------------------------------------------------------------------- */

static int64_t fake_now_ns(struct st_platform *p) ST_NONBLOCKING
{
    struct fake *fake = fake_of(p);
    atomic_fetch_add(&fake->clock_reads_n, 1);
    const int64_t now_ns = atomic_load(&fake->now_ns);
    const int64_t cost_ns = atomic_load(&fake->clock_cost_ns);
    if (cost_ns != 0)
        atomic_store(&fake->now_ns, st_ns_add(now_ns, cost_ns));
    return now_ns;
}

static int sleep_scripted(struct fake *fake, int64_t due_ns) ST_NONBLOCKING
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

static int fake_sleep_until_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING
{
    struct fake *fake = fake_of(p);
    const int error = fault(fake, F_SLEEP_UNTIL_NS);
    return error != 0 ? error : sleep_scripted(fake, due_ns);
}

static int fake_sleep_until_precise_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING
{
    struct fake *fake = fake_of(p);
    const int error = fault(fake, F_SLEEP_UNTIL_PRECISE_NS);
    if (error != 0)
        return error;
    return p->os == ST_OS_LINUX ? -ENOTSUP : sleep_scripted(fake, due_ns);
}

static int64_t fake_wall_ns(struct st_platform *p)
{
    return atomic_load(&fake_of(p)->now_ns);
}

static int fake_suspended_ns(struct st_platform *p, int64_t *ret_ns)
{
    struct fake *fake = fake_of(p);
    const int error = fault(fake, F_SUSPENDED_NS);
    if (error != 0)
        return error;
    if (p->os == ST_OS_FREEBSD)
        return -ENOTSUP;
    pthread_mutex_lock(&fake->lock);
    *ret_ns = fake->suspended_ns;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

/* --- threads
 * --------------------------------------------------------------------------------------------------- */

static int set_policy(struct fake *fake, enum st_policy policy, int priority)
{
    if (policy != ST_POLICY_OTHER && (priority < 1 || priority > 99))
        return -EINVAL;
    pthread_mutex_lock(&fake->lock);
    fake->policy = policy;
    fake->priority = policy == ST_POLICY_OTHER ? 0 : priority;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

static int fake_set_policy(struct st_platform *p, enum st_policy policy, int priority)
{
    const int error = fault(fake_of(p), F_SET_POLICY);
    return error != 0 ? error : set_policy(fake_of(p), policy, priority);
}

static int fake_get_policy(struct st_platform *p, enum st_policy *ret_policy, int *ret_priority)
{
    struct fake *fake = fake_of(p);
    const int error = fault(fake, F_GET_POLICY);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    *ret_policy = fake->policy;
    *ret_priority = fake->priority;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

static pid_t fake_thread_id(struct st_platform *p)
{
    (void)p;
    return FAKE_TID;
}

static int fake_demote(struct st_platform *p, pid_t tid)
{
    const int error = fault(fake_of(p), F_DEMOTE);
    if (error != 0)
        return error;
    return tid == FAKE_TID ? set_policy(fake_of(p), ST_POLICY_OTHER, 0) : -ESRCH;
}

static int fake_pin(struct st_platform *p, int cpu)
{
    struct fake *fake = fake_of(p);
    const int error = fault(fake, F_PIN);
    if (error != 0)
        return error;
    if (cpu < 0 || cpu > 1)
        return -EINVAL;
    pthread_mutex_lock(&fake->lock);
    fake->cpu = cpu;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

/* Two CPUs, or the one it is pinned to. */
static int fake_cpus_allowed(struct st_platform *p, int *cpus, int max)
{
    struct fake *fake = fake_of(p);
    const int error = fault(fake, F_CPUS_ALLOWED);
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

static int fake_set_name(struct st_platform *p, const char *name)
{
    const int error = fault(fake_of(p), F_SET_NAME);
    if (error != 0)
        return error;
    return strlen(name) <= 15 ? 0 : -ERANGE;
}

static int fake_timer_slack_ns(struct st_platform *p, int64_t *ret_ns)
{
    struct fake *fake = fake_of(p);
    const int error = fault(fake, F_TIMER_SLACK_NS);
    if (error != 0)
        return error;
    if (p->os == ST_OS_FREEBSD)
        return -ENOTSUP;
    pthread_mutex_lock(&fake->lock);
    *ret_ns = fake->timer_slack_ns;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

static int fake_set_timer_slack_ns(struct st_platform *p, int64_t ns)
{
    struct fake *fake = fake_of(p);
    const int error = fault(fake, F_SET_TIMER_SLACK_NS);
    if (error != 0)
        return error;
    if (p->os == ST_OS_FREEBSD)
        return -ENOTSUP;
    if (ns < 1)
        return -EINVAL;
    pthread_mutex_lock(&fake->lock);
    fake->timer_slack_ns = ns;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

static int fake_counters_open(struct st_platform *p, struct st_counters_handle *ret)
{
    const int error = fault(fake_of(p), F_COUNTERS_OPEN);
    if (error != 0)
        return error;
    *ret = (struct st_counters_handle){.tid = FAKE_TID, .fd_schedstat = -1, .fd_stat = -1, .fd_status = -1};
    return 0;
}

static int read_counters(struct fake *fake, enum function function, struct st_thread_counters *ret)
{
    const int error = fault(fake, function);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    *ret = fake->counters;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

static int fake_counters_self(struct st_platform *p, const struct st_counters_handle *h,
                              struct st_thread_counters *ret)
{
    (void)h;
    return read_counters(fake_of(p), F_COUNTERS_SELF, ret);
}

static int fake_counters_other(struct st_platform *p, const struct st_counters_handle *h,
                               struct st_thread_counters *ret)
{
    (void)h;
    return read_counters(fake_of(p), F_COUNTERS_OTHER, ret);
}

static void fake_counters_close(struct st_platform *p, struct st_counters_handle *h)
{
    (void)p;
    (void)h;
}

/* --- process and machine
 * ----------------------------------------------------------------------------------------- */

static int fake_lock_memory(struct st_platform *p, enum st_lock *ret)
{
    const int error = fault(fake_of(p), F_LOCK_MEMORY);
    if (error != 0)
        return error;
    if (ret != NULL)
        *ret = p->os == ST_OS_LINUX ? ST_LOCK_ON_FAULT : ST_LOCK_ALL;
    return 0;
}

static int fake_set_rttime_limit_ns(struct st_platform *p, int64_t ns)
{
    (void)ns;
    const int error = fault(fake_of(p), F_SET_RTTIME_LIMIT_NS);
    if (error != 0)
        return error;
    return p->os == ST_OS_LINUX ? 0 : -ENOTSUP;
}

static int fake_rt_rights(struct st_platform *p, int priority, struct st_rt_rights *ret)
{
    const int error = fault(fake_of(p), F_RT_RIGHTS);
    if (error != 0)
        return error;
    *ret = (struct st_rt_rights){
        .fifo_errno = 0,
        .fifo_priority = priority,
        .rtprio_limit = p->os == ST_OS_LINUX ? 95 : INT64_MIN,
        .memlock_limit_bytes = -1,
    };
    return 0;
}

static int fake_resident_bytes(struct st_platform *p, int64_t *ret)
{
    const int error = fault(fake_of(p), F_RESIDENT_BYTES);
    if (error != 0)
        return error;
    *ret = INT64_C(4) << 20;
    return 0;
}

static int fake_smi_count(struct st_platform *p, int cpu, uint64_t *ret)
{
    (void)cpu;
    (void)ret;
    const int error = fault(fake_of(p), F_SMI_COUNT);
    return error != 0 ? error : -ENOTSUP;
}

static int fake_steal_accounted(struct st_platform *p, bool *ret)
{
    const int error = fault(fake_of(p), F_STEAL_ACCOUNTED);
    return error != 0 ? error : st_tree_steal_accounted(p, ret);
}

static int fake_virtualised(struct st_platform *p, bool *ret)
{
    const int error = fault(fake_of(p), F_VIRTUALISED);
    return error != 0 ? error : st_tree_virtualised(p, ret);
}

/* --- tunables
 * ---------------------------------------------------------------------------------------------------- */

static const struct entry *find(const struct entry *list, const char *name)
{
    while (list != NULL && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

static int copy_text(const struct entry *entry, char *buf, size_t buf_bytes, size_t *ret_len)
{
    if (buf_bytes == 0)
        return -EINVAL;
    buf[0] = '\0';
    if (entry->error != 0)
        return entry->error;
    const size_t len = strlen(entry->text);
    const size_t fits = len < buf_bytes ? len : buf_bytes - 1;
    memcpy(buf, entry->text, fits);
    buf[fits] = '\0';
    *ret_len = fits;
    return fits < len ? -EFBIG : 0;
}

static int fake_read_text(struct st_platform *p, const char *path, char *buf, size_t buf_bytes,
                          size_t *ret_len)
{
    struct fake *fake = fake_of(p);
    const int error = fault(fake, F_READ_TEXT);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    const struct entry *entry = find(fake->files, path);
    int r = -ENOENT;
    if (entry != NULL)
        r = copy_text(entry, buf, buf_bytes, ret_len);
    pthread_mutex_unlock(&fake->lock);
    return r;
}

/* The sysctls that were put there; on Linux also the files below /proc/sys. */
static int fake_read_sysctl(struct st_platform *p, const char *name, char *buf, size_t buf_bytes,
                            size_t *ret_len)
{
    struct fake *fake = fake_of(p);
    const int error = fault(fake, F_READ_SYSCTL);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    const struct entry *entry = find(fake->sysctls, name);
    int r = -ENOENT;
    if (entry != NULL)
        r = copy_text(entry, buf, buf_bytes, ret_len);
    pthread_mutex_unlock(&fake->lock);
    if (entry == NULL && p->os == ST_OS_LINUX)
        return st_tree_read_sysctl_linux(p, name, buf, buf_bytes, ret_len);
    return r;
}

/* Length of the next component of `path` below `dir`; 0: not below it. */
static size_t component_below(const char *path, const char *dir, size_t dir_len)
{
    if (strncmp(path, dir, dir_len) != 0 || path[dir_len] != '/')
        return 0;
    return strcspn(path + dir_len + 1, "/");
}

static int fake_list(struct st_platform *p, const char *path, st_name_fn fn, void *ctx)
{
    struct fake *fake = fake_of(p);
    const int error = fault(fake, F_LIST);
    if (error != 0)
        return error;
    size_t dir_len = strlen(path);
    while (dir_len > 0 && path[dir_len - 1] == '/')
        dir_len--;
    int r = find(fake->files, path) != NULL ? -ENOTDIR : -ENOENT;
    char last[256] = "";
    /* the list itself is not locked while fn runs: fn may read files. Put files there before threads start.
     */
    for (const struct entry *entry = fake->files; entry != NULL; entry = entry->next) {
        const size_t len = component_below(entry->name, path, dir_len);
        if (len == 0 || len >= sizeof(last) ||
            (strlen(last) == len && memcmp(last, entry->name + dir_len + 1, len) == 0))
            continue;
        memcpy(last, entry->name + dir_len + 1, len);
        last[len] = '\0';
        r = 0;
        if (fn(ctx, last) != 0)
            break;
    }
    return r;
}

/* --- what a test scripts
 * ------------------------------------------------------------------------------------------- */

struct st_platform *st_fake_new(enum st_os os, int64_t start_ns)
{
    struct fake *fake = calloc(1, sizeof(*fake));
    if (fake == NULL)
        return NULL;
    if (pthread_mutex_init(&fake->lock, NULL) != 0) {
        free(fake);
        return NULL;
    }
    fake->row = (struct st_platform){
        .name = "fake",
        .os = os,
        .now_ns = fake_now_ns,
        .sleep_until_ns = fake_sleep_until_ns,
        .sleep_until_precise_ns = fake_sleep_until_precise_ns,
        .wall_ns = fake_wall_ns,
        .suspended_ns = fake_suspended_ns,
        .set_policy = fake_set_policy,
        .get_policy = fake_get_policy,
        .thread_id = fake_thread_id,
        .demote = fake_demote,
        .pin = fake_pin,
        .cpus_allowed = fake_cpus_allowed,
        .set_name = fake_set_name,
        .timer_slack_ns = fake_timer_slack_ns,
        .set_timer_slack_ns = fake_set_timer_slack_ns,
        .counters_open = fake_counters_open,
        .counters_self = fake_counters_self,
        .counters_other = fake_counters_other,
        .counters_close = fake_counters_close,
        .lock_memory = fake_lock_memory,
        .set_rttime_limit_ns = fake_set_rttime_limit_ns,
        .rt_rights = fake_rt_rights,
        .resident_bytes = fake_resident_bytes,
        .circumstances = st_tree_circumstances,
        .smi_count = fake_smi_count,
        .steal_accounted = fake_steal_accounted,
        .virtualised = fake_virtualised,
        .read_text = fake_read_text,
        .list = fake_list,
        .read_sysctl = fake_read_sysctl,
    };
    fake->now_ns = start_ns;
    fake->cpu = -1;
    fake->timer_slack_ns = 50000; /* Linux' default */
    return &fake->row;
}

static void entries_free(struct entry *list)
{
    while (list != NULL) {
        struct entry *next = list->next;
        free(list->name);
        free(list->text);
        free(list);
        list = next;
    }
}

void st_fake_free(struct st_platform *p)
{
    if (p == NULL)
        return;
    struct fake *fake = fake_of(p);
    entries_free(fake->files);
    entries_free(fake->sysctls);
    free(fake->late_ns);
    pthread_mutex_destroy(&fake->lock);
    free(fake);
}

void st_fake_advance(struct st_platform *p, int64_t ns)
{
    struct fake *fake = fake_of(p);
    atomic_store(&fake->now_ns, st_ns_add(atomic_load(&fake->now_ns), ns));
}

void st_fake_set_clock_cost_ns(struct st_platform *p, int64_t ns)
{
    atomic_store(&fake_of(p)->clock_cost_ns, ns);
}

int st_fake_script_sleeps(struct st_platform *p, const int64_t *late_ns, size_t n, int64_t late_after_ns)
{
    struct fake *fake = fake_of(p);
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
    return atomic_load(&((const struct fake *)p)->sleeps_n);
}

uint64_t st_fake_clock_reads_n(const struct st_platform *p)
{
    return atomic_load(&((const struct fake *)p)->clock_reads_n);
}

void st_fake_set_counters(struct st_platform *p, const struct st_thread_counters *counters)
{
    struct fake *fake = fake_of(p);
    pthread_mutex_lock(&fake->lock);
    fake->counters = *counters;
    pthread_mutex_unlock(&fake->lock);
}

void st_fake_set_suspended_ns(struct st_platform *p, int64_t ns)
{
    struct fake *fake = fake_of(p);
    pthread_mutex_lock(&fake->lock);
    fake->suspended_ns = ns;
    pthread_mutex_unlock(&fake->lock);
}

/* strcmp with '/' before everything else, so that what is below one folder stays together, in the order of
 * names. */
static int compare_paths(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    const int left = *a == '/' ? 1 : (unsigned char)*a * 2;
    const int right = *b == '/' ? 1 : (unsigned char)*b * 2;
    return left - right;
}

/* Puts an entry into a sorted list, or replaces the one of that name. */
static int set_entry(struct fake *fake, struct entry **list, const char *name, const char *text, int error)
{
    struct entry *entry = calloc(1, sizeof(*entry));
    char *name_copy = strdup(name);
    char *text_copy = strdup(text != NULL ? text : "");
    if (entry == NULL || name_copy == NULL || text_copy == NULL) {
        free(entry);
        free(name_copy);
        free(text_copy);
        return -ENOMEM;
    }
    *entry = (struct entry){.name = name_copy, .text = text_copy, .error = error};
    pthread_mutex_lock(&fake->lock);
    while (*list != NULL && compare_paths((*list)->name, name) < 0)
        list = &(*list)->next;
    if (*list != NULL && strcmp((*list)->name, name) == 0) {
        struct entry *old = *list;
        *list = old->next;
        old->next = NULL;
        entries_free(old);
    }
    entry->next = *list;
    *list = entry;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

int st_fake_set_file(struct st_platform *p, const char *path, const char *text, int error)
{
    return set_entry(fake_of(p), &fake_of(p)->files, path, text, error);
}

int st_fake_set_sysctl(struct st_platform *p, const char *name, const char *text, int error)
{
    return set_entry(fake_of(p), &fake_of(p)->sysctls, name, text, error);
}

int st_fake_fail_at(struct st_platform *p, const char *function, uint64_t n, int error)
{
    if (error >= 0)
        return -EINVAL;
    for (size_t i = 0; i < F_COUNT; i++) {
        if (strcmp(function_names[i], function) != 0)
            continue;
        struct fault *f = &fake_of(p)->faults[i];
        atomic_store(&f->calls_n, 0);
        atomic_store(&f->at, n);
        atomic_store(&f->error, error);
        return 0;
    }
    return -ENOENT;
}
