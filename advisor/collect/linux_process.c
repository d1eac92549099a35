/* Linux: which daemons and threads run, at which priority, and within which limits. */
#include <pwd.h>
#include <unistd.h>

#include "advisor/collect/collector.h"
#include "core/ns.h"
#include "platform/proc.h"

/* --- processes: interrupt threads, real-time threads, daemons that matter to audio --- */

#define PROCESSES_MAX 8192
#define THREADS_MAX   512 /* most threads read in all, without those of daemons */
/* programs with more threads are not read: they are browsers, not sound servers */
#define THREADS_OF_ONE_MAX 48
#define REAL_TIME_MAX      128
#define NAME_BYTES         15 /* most bytes of a process's name in /proc */
#define POLICY_FIFO        1
#define POLICY_RR          2
#define COMMAND_LINE_BYTES 1024

static const struct {
    const char *name;        /* name of the process, and the end of the fact's key */
    const char *command_key; /* fact for the command line; NULL: none */
    bool of_user;            /* each user may run one */
} daemons[] = {
    {"ananicy-cpp"},
    {"auto-cpufreq"},
    {"dell-fan-mon"},
    {"fancontrol"},
    {"i8kmon"},
    {"i8kmon-ng"},
    {"jackd", ST_KEY_JACK_COMMAND, true},
    {"jackdbus", .of_user = true},
    {"pipewire", .of_user = true},
    {"pipewire-pulse", .of_user = true},
    {"power-profiles-daemon"},
    {"pulseaudio", .of_user = true},
    {"rtkit-daemon", ST_KEY_RTKIT_COMMAND},
    {"sleeptuned"},
    {"system76-power"},
    {"system76-scheduler"},
    {"tclsh", ST_KEY_TCLSH_COMMAND}, /* runs the script i8kmon */
    {"tuned"},
    {"wireplumber", .of_user = true},
};

struct walk {
    struct st_collector *c;
    const char *process_name; /* the process whose threads are read now */
    const char *process_pid;
    size_t processes_n;
    size_t threads_n;
    size_t real_time_n;
    bool complete;
};

/** Puts the command line of a process as a text, with blanks instead of the NUL bytes that end the
 * arguments in /proc. */
static void command_line(struct st_collector *c, const char *key, const char *pid)
{
    char text[COMMAND_LINE_BYTES];
    size_t len = 0;
    const char *path = st_text("/proc/%s/cmdline", pid);
    const int r = c->p->read_text(c->p, path, text, sizeof(text), &len);
    if (r != 0 && r != -EFBIG) {
        st_collector_put_failure(c, key, r, path);
        return;
    }
    text[len] = '\0';
    for (char *end = strchr(text, '\0'); end < text + len; end = strchr(end, '\0'))
        *end = ' ';
    st_text_trim(text);
    st_collector_put_text(c, key, text, path);
}

/** Reads the number after `line` in /proc/PID/status; "Uid:" is the owner of the process. @return
 * false: not known. */
static bool in_status(const struct st_collector *c, const char *pid, const char *line,
                      uint64_t *ret)
{
    return st_proc_line_u64(st_tree_text(c->p, st_text("/proc/%s/status", pid)), line, ret) == 0;
}

/** Puts how much of a process is in swap, in KiB; puts nothing if none of it is. */
static void swapped(struct st_collector *c, const char *pid, const char *name)
{
    uint64_t kib;
    if (!in_status(c, pid, "VmSwap:", &kib) || kib == 0)
        return;
    const char *path = st_text("/proc/%s/status", pid);
    st_collector_put_int(c, st_text(ST_KEYS_SWAPPED "%s.kib", pid), (int64_t)kib, path);
    st_collector_put_text(c, st_text(ST_KEYS_SWAPPED "%s.name", pid), name, path);
}

/** Puts the owner of a daemon. If several users run the daemon, the one of the user who runs
 * sleeptune counts. @return false: ignore this process, since another one counts. */
static bool take_owner(struct st_collector *c, const char *daemon, const char *pid)
{
    uint64_t uid;
    int64_t before;
    if (!in_status(c, pid, "Uid:", &uid))
        return true;
    if (c->live && uid != getuid() && getuid() != 0 &&
        st_facts_int(c->facts, st_text(ST_KEYS_DAEMON "%s", daemon), &before) == 0)
        return false;
    const struct passwd *entry = getpwuid((uid_t)uid);
    const char *owner = st_text("%ju", uid);
    if (c->live && entry != NULL)
        owner = entry->pw_name;
    st_collector_put_text(c, st_text(ST_KEYS_DAEMON_USER "%s", daemon), owner, "/proc");
    return true;
}

/** Puts the facts of a process that is one of the daemons. @return true: the process is one of
 * them. */
static bool daemon_of(struct walk *walk, const char *name, const char *pid)
{
    int64_t number;
    ST_EACH (daemon, daemons) {
        if (strncmp(name, daemon->name, NAME_BYTES) != 0 || st_text_int(pid, &number) != 0)
            continue;
        if (daemon->of_user && !take_owner(walk->c, daemon->name, pid))
            return true;
        st_collector_put_int(walk->c, st_text(ST_KEYS_DAEMON "%s", daemon->name), number,
                             st_text("/proc/%s/stat", pid));
        if (daemon->command_key != NULL)
            command_line(walk->c, daemon->command_key, pid);
        return true;
    }
    return false;
}

/** Puts the facts of one thread of these kinds: a thread of an interrupt ("irq/130-snd_hda"), a
 * program's thread under SCHED_FIFO or SCHED_RR, or a normal thread of PipeWire's library. */
static void put_thread(struct walk *walk, const char *kind, const char *tid,
                       const struct st_proc_stat *stat, const char *path)
{
    if (walk->real_time_n == REAL_TIME_MAX) {
        walk->complete = false;
        return;
    }
    walk->real_time_n++;
    st_collector_put_text(walk->c, st_text("linux.%s.%s.name", kind, tid), stat->name, path);
    st_collector_put_int(walk->c, st_text("linux.%s.%s.priority", kind, tid), stat->rt_priority,
                         path);
    if (walk->process_name == NULL)
        return;
    st_collector_put_text(walk->c, st_text("linux.%s.%s.process", kind, tid), walk->process_name,
                          path);
    st_collector_put_text(walk->c, st_text("linux.%s.%s.pid", kind, tid), walk->process_pid, path);
    st_collector_put_int(walk->c, st_text("linux.%s.%s.cpu", kind, tid), stat->cpu, path);
}

static bool is_number(const char *name)
{
    return name[0] != '\0' && strlen(name) < 12 && strspn(name, "0123456789") == strlen(name);
}

/** Puts RLIMIT_RTTIME of the program whose threads are read. */
static void rt_time(const struct walk *walk)
{
    const char *pid = walk->process_pid;
    if (st_facts_has(walk->c->facts, st_text(ST_KEYS_RT_TIME "%s.name", pid)))
        return;
    st_collector_line(walk->c, st_text(ST_KEYS_RT_TIME "%s.limit_us", pid),
                      st_text("/proc/%s/limits", pid), "Max realtime timeout %s", ST_VALUE_LIMIT);
    st_collector_put_text(walk->c, st_text(ST_KEYS_RT_TIME "%s.name", pid), walk->process_name,
                          "/proc");
}

static int one_thread(void *ctx, const char *tid)
{
    struct walk *walk = ctx;
    struct st_proc_stat stat;
    if (!is_number(tid))
        return 0;
    if (walk->threads_n == THREADS_MAX) {
        walk->complete = false;
        return 1;
    }
    walk->threads_n++;
    const char *path = st_text("/proc/%s/task/%s/stat", walk->process_pid, tid);
    if (st_proc_stat(st_tree_text(walk->c->p, path), &stat) != 0)
        return 0;
    if (stat.policy == POLICY_FIFO || stat.policy == POLICY_RR) {
        put_thread(walk, "rt_thread", tid, &stat, path);
        rt_time(walk);
        return 0;
    }
    /* a thread in which PipeWire's library computes for a program: "pw-data-loop" from 1.0.1 on
     * (commit 70b224f1c), "data-loop.0" from 1.2 on (c12cf748b); in older versions it has the
     * program's name */
    if (strstr(stat.name, "data-loop") != NULL)
        put_thread(walk, "normal_thread", tid, &stat, path);
    return 0;
}

/** Puts the tightest limit of CPU time (cpu.max) of a control group and of the groups around it, up
 * to the root, which has one in a container. @param who a process id, "self" or "user". @param name
 * the program that has the limit. For "self", having no limit is a fact, too. */
static void quota(struct st_collector *c, const char *group, const char *who, const char *name)
{
    size_t used = !st_text_is(group, "/") ? strlen(group) : 0;
    const char *key = st_text(ST_KEYS_CPU_QUOTA "%s.pct", who);
    double least_pct = HUGE_VAL;
    for (bool first = true;; first = false) {
        int64_t quota_us = 0, period_us = 0;
        const char *path = st_text("/sys/fs/cgroup%.*s/cpu.max", (int)used, group),
                   *text = st_tree_text(c->p, path);
        const bool is_limited =
            sscanf(text, "%jd %jd", &quota_us, &period_us) == 2 && quota_us > 0 && period_us > 0;
        const double pct = is_limited ? (double)quota_us * 100 / (double)period_us : HUGE_VAL;
        if (pct < least_pct) {
            least_pct = pct;
            st_collector_put_int(c, key, (int64_t)pct, path);
            st_collector_put_int(c, st_text(ST_KEYS_CPU_QUOTA "%s.period_us", who), period_us,
                                 path);
            st_collector_put_text(c, st_text(ST_KEYS_CPU_QUOTA "%s.name", who), name, path);
        } else if (text[0] != '\0' && first && st_text_is(who, "self")) {
            st_collector_put_int(c, key, -1, path);
        }
        if (used == 0)
            return;
        while (used > 0 && group[--used] != '/')
            ;
    }
}

static void quota_of(struct st_collector *c, const char *pid, const char *name)
{
    const char *group =
        st_proc_line_text(st_tree_text(c->p, st_text("/proc/%s/cgroup", pid)), "0::");
    if (group != NULL && group[0] == '/' && strstr(group, "..") == NULL)
        quota(c, st_text("%s", group), pid, name);
}

/** Reads the threads of a process. @param always the process is a daemon: it is read however many
 * threads it has, and they do not count against THREADS_MAX. */
static void threads_of(struct walk *walk, const char *pid, const struct st_proc_stat *stat,
                       bool always)
{
    const size_t looked_at = walk->threads_n, real_time_n = walk->real_time_n;
    if (!always && stat->threads_n > THREADS_OF_ONE_MAX) {
        walk->complete = false;
        return;
    }
    if (always)
        walk->threads_n = 0;
    const char *path = st_text("/proc/%s/task", pid);
    walk->process_name = stat->name;
    walk->process_pid = pid;
    /* an error is ignored: the process may have ended */
    (void)st_collector_list(walk->c, path, one_thread, walk);
    walk->process_name = NULL;
    if (always || walk->real_time_n > real_time_n)
        swapped(walk->c, pid, stat->name);
    if (walk->real_time_n > real_time_n)
        quota_of(walk->c, pid, stat->name);
    if (always)
        walk->threads_n = looked_at;
}

static int one_process(void *ctx, const char *pid)
{
    struct walk *walk = ctx;
    struct st_proc_stat stat;
    if (!is_number(pid))
        return 0;
    const char *path = st_text("/proc/%s/stat", pid);
    if (st_proc_stat(st_tree_text(walk->c->p, path), &stat) != 0 || stat.state == 'Z')
        return 0;
    walk->processes_n++;
    if (stat.kernel_thread) {
        if (st_text_begins(stat.name, "irq/"))
            put_thread(walk, "irq_thread", pid, &stat, path);
    } else {
        const bool is_daemon = daemon_of(walk, stat.name, pid);
        if (is_daemon || stat.threads_n > 1 || stat.rt_priority > 0)
            threads_of(walk, pid, &stat, is_daemon);
    }
    return walk->processes_n == PROCESSES_MAX;
}

static void collect_processes(struct st_collector *c)
{
    static const char key[] = ST_KEY_PROCESSES_N;
    static const char source[] = "/proc";
    struct walk walk = {.c = c, .complete = true};
    int r = st_collector_list(c, source, one_process, &walk);
    if (r == 0 && walk.processes_n == 0)
        r = -ENOENT;
    /* the mount option hidepid= hides the processes of other users */
    else if (r == 0 && c->live && st_tree_text(c->p, "/proc/1/comm")[0] == '\0')
        r = -EACCES;
    st_collector_put_result(c, key, r, (int64_t)walk.processes_n, source);
    if (walk.processes_n > 0)
        st_collector_put_int(c, ST_KEY_THREADS_COMPLETE, walk.complete && r == 0, source);
}

/* --- small files below /proc and /sys, limits, cgroup --- */

/** Puts the real-time budget of a control group (cpu.rt_runtime_us); groups of version 2 have
 * none. */
static void rt_runtime(struct st_collector *c, const char *key, const char *group)
{
    static const char *const mounts[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};
    st_collector_put_failure(c, key, -ENOENT, "/proc/self/cgroup");
    if (strstr(group, "..") != NULL) /* the group is outside of this cgroup namespace */
        return;
    ST_EACH (mount, mounts) {
        st_collector_read(
            c, key, st_text("%s%s/cpu.rt_runtime_us", *mount, st_text_is(group, "/") ? "" : group),
            ST_VALUE_INT);
        if (st_facts_next(c->facts, key, "", NULL) != NULL)
            return;
    }
}

/** Finds the control group of this process: "4:cpu,cpuacct:/a/b" of version 1 with the cpu
 * controller. "0::/a/b" of version 2 has no real-time budget. */
static void cgroup(struct st_collector *c)
{
    static const char source[] = "/proc/self/cgroup";
    struct st_pattern_parts parts;
    const char *at = c->buf;
    const int r = st_collector_text(c, source, c->buf, c->buf_bytes);
    while (r == 0 && st_pattern_next(&at, "%d:%l:%l", &parts)) {
        if (!st_proc_has_word(parts.text[1], "cpu"))
            continue;
        rt_runtime(c, ST_KEY_CGROUP_RT_RUNTIME_US, parts.text[2]);
        /* /user.slice: systemd's group of all user sessions */
        rt_runtime(c, ST_KEY_CGROUP_USERS_RT_RUNTIME_US, "/user.slice");
        return;
    }
    st_collector_put_failure(c, ST_KEY_CGROUP_RT_RUNTIME_US, r != 0 ? r : -ENOENT, source);
}

/** Puts the quotas of each user's sessions, for a captured machine without its processes. */
static int one_user_slice(void *ctx, const char *name)
{
    const char *group = st_text("/user.slice/%.100s", name);
    if (st_text_begins(name, "user-"))
        quota(ctx, group, "user", "programs of a user");
    return 0;
}

void st_linux_process_collect(struct st_collector *c)
{
    static const char limits[] = "/proc/self/limits";
    collect_processes(c);
    cgroup(c);
    quota_of(c, "self", "programs started here");
    if (c->live)
        return; /* live.c asks the kernel for the limits */
    (void)st_collector_list(c, "/sys/fs/cgroup/user.slice", one_user_slice, c);
    st_collector_line(c, ST_KEY_RT_RTPRIO_LIMIT, limits, "Max realtime priority %s",
                      ST_VALUE_LIMIT);
    st_collector_line(c, ST_KEY_RT_MEMLOCK_LIMIT_BYTES, limits, "Max locked memory %s",
                      ST_VALUE_LIMIT);
    st_collector_read(c, ST_KEY_TIMER_SLACK_NS, "/proc/self/timerslack_ns", ST_VALUE_INT);
}
