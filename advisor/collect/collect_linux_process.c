/* Linux: who runs: threads of interrupts, real-time threads, daemons that matter to audio. */
#include <errno.h>
#include <string.h>

#include "advisor/collect/collect_sources.h"
#include "advisor/facts/text.h"
#include "advisor/parse/parse_linux.h"
#include "platform/proc_text.h"

#define PROCESSES_MAX      8192
#define THREADS_MAX        512 /* looked at, in all */
#define THREADS_OF_ONE_MAX 48  /* a program with more is a browser, not a sound server */
#define REAL_TIME_MAX      128
#define STAT_BYTES         1024
#define KEY_BYTES          128
#define POLICY_FIFO        1
#define POLICY_RR          2
#define COMMAND_LINE_BYTES 1024

static const char *const patterns[] = {
    "linux.daemon.*",
    "linux.irq_thread.*.name",
    "linux.irq_thread.*.priority",
    "linux.processes_n",
    "linux.rt_thread.*.name",
    "linux.rt_thread.*.process",
    "linux.rt_thread.*.priority",
    "linux.jack.command",
    "linux.rtkit.command",
    "linux.threads.complete",
    NULL,
};

/* By the name that the kernel keeps, which has at most 15 bytes. */
static const struct {
    const char *name;
    const char *key;
    const char *command_key; /* NULL: its command line is not wanted */
} daemons[] = {
    {"auto-cpufreq", "linux.daemon.auto-cpufreq", NULL},
    {"irqbalance", "linux.daemon.irqbalance", NULL},
    {"jackd", "linux.daemon.jackd", "linux.jack.command"},
    {"jackdbus", "linux.daemon.jackdbus", NULL},
    {"pipewire", "linux.daemon.pipewire", NULL},
    {"pipewire-pulse", "linux.daemon.pipewire-pulse", NULL},
    {"power-profiles-", "linux.daemon.power-profiles-daemon", NULL},
    {"pulseaudio", "linux.daemon.pulseaudio", NULL},
    {"rtkit-daemon", "linux.daemon.rtkit-daemon", "linux.rtkit.command"},
    {"systemd", "linux.daemon.systemd", NULL},
    {"system76-power", "linux.daemon.system76-power", NULL},
    {"tuned", "linux.daemon.tuned", NULL},
    {"wireplumber", "linux.daemon.wireplumber", NULL},
};

struct walk {
    struct st_collector *c;
    const char *process_name; /* whose threads are walked */
    const char *process_pid;
    size_t processes_n;
    size_t threads_n;
    size_t real_time_n;
    bool complete;
};

/** Arguments are divided by NUL bytes. */
static void command_line(struct st_collector *c, const char *key, const char *pid)
{
    char path[64], text[COMMAND_LINE_BYTES];
    size_t len = 0;
    snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
    const int r = c->p->read_text(c->p, path, text, sizeof(text), &len);
    if (r != 0 && r != -EFBIG) {
        st_collector_put_failure(c, key, r, path);
        return;
    }
    for (size_t i = 0; i < len; i++)
        text[i] = text[i] == '\0' ? ' ' : text[i];
    text[len] = '\0';
    st_text_trim(text);
    st_collector_put_text(c, key, text, NULL, path);
}

/** @return whether it is one of the daemons. */
static bool daemon_of(struct walk *walk, const char *name, const char *pid)
{
    char path[64];
    int64_t number;
    for (size_t i = 0; i < ST_ARRAY_LEN(daemons); i++) {
        if (strcmp(name, daemons[i].name) != 0 || st_text_int(pid, &number) != 0)
            continue;
        snprintf(path, sizeof(path), "/proc/%s/stat", pid);
        st_collector_put_int(walk->c, daemons[i].key, number, NULL, path);
        if (daemons[i].command_key != NULL)
            command_line(walk->c, daemons[i].command_key, pid);
        return true;
    }
    return false;
}

/** A thread of an interrupt ("irq/130-snd_hda") or one of a program under SCHED_FIFO or SCHED_RR. */
static void put_thread(struct walk *walk, const char *kind, const char *tid, const struct st_proc_stat *stat,
                       const char *path)
{
    char key[KEY_BYTES];
    if (walk->real_time_n == REAL_TIME_MAX) {
        walk->complete = false;
        return;
    }
    walk->real_time_n++;
    snprintf(key, sizeof(key), "linux.%s.%s.name", kind, tid);
    st_collector_put_text(walk->c, key, stat->name, NULL, path);
    snprintf(key, sizeof(key), "linux.%s.%s.priority", kind, tid);
    st_collector_put_int(walk->c, key, stat->rt_priority, NULL, path);
    if (walk->process_name == NULL)
        return;
    snprintf(key, sizeof(key), "linux.%s.%s.process", kind, tid);
    st_collector_put_text(walk->c, key, walk->process_name, NULL, path);
}

static bool is_number(const char *name)
{
    return name[0] != '\0' && strlen(name) < 12 && strspn(name, "0123456789") == strlen(name);
}

static int read_stat(struct st_platform *p, const char *path, struct st_proc_stat *ret)
{
    char text[STAT_BYTES];
    size_t len;
    const int r = p->read_text(p, path, text, sizeof(text), &len);
    return r != 0 ? r : st_proc_stat(text, ret);
}

static int one_thread(void *ctx, const char *tid)
{
    struct walk *walk = ctx;
    struct st_proc_stat stat;
    char path[96];
    if (!is_number(tid))
        return 0;
    if (walk->threads_n == THREADS_MAX) {
        walk->complete = false;
        return 1;
    }
    walk->threads_n++;
    snprintf(path, sizeof(path), "/proc/%s/task/%s/stat", walk->process_pid, tid);
    if (read_stat(walk->c->p, path, &stat) == 0 && (stat.policy == POLICY_FIFO || stat.policy == POLICY_RR))
        put_thread(walk, "rt_thread", tid, &stat, path);
    return 0;
}

/** always: a daemon's threads do not count against the limits. */
static void threads_of(struct walk *walk, const char *pid, const struct st_proc_stat *stat, bool always)
{
    char path[64];
    const size_t looked_at = walk->threads_n;
    if (!always && stat->threads_n > THREADS_OF_ONE_MAX) {
        walk->complete = false;
        return;
    }
    if (always)
        walk->threads_n = 0;
    snprintf(path, sizeof(path), "/proc/%s/task", pid);
    walk->process_name = stat->name;
    walk->process_pid = pid;
    (void)walk->c->p->list(walk->c->p, path, one_thread, walk); /* it may have ended */
    walk->process_name = NULL;
    if (always)
        walk->threads_n = looked_at;
}

static int one_process(void *ctx, const char *pid)
{
    struct walk *walk = ctx;
    struct st_proc_stat stat;
    char path[64];
    if (!is_number(pid))
        return 0;
    snprintf(path, sizeof(path), "/proc/%s/stat", pid);
    if (read_stat(walk->c->p, path, &stat) != 0)
        return 0;
    walk->processes_n++;
    if (stat.kernel_thread) {
        if (strncmp(stat.name, "irq/", 4) == 0)
            put_thread(walk, "irq_thread", pid, &stat, path);
    } else {
        const bool is_daemon = daemon_of(walk, stat.name, pid);
        if (is_daemon || stat.threads_n > 1 || stat.rt_priority > 0)
            threads_of(walk, pid, &stat, is_daemon);
    }
    return walk->processes_n == PROCESSES_MAX;
}

static void collect(struct st_collector *c)
{
    static const char key[] = "linux.processes_n";
    static const char source[] = "/proc";
    struct walk walk = {.c = c, .complete = true};
    const int r = c->p->list(c->p, source, one_process, &walk);
    if (walk.processes_n == 0) {
        st_collector_put_failure(c, key, r != 0 ? r : -ENOENT, source);
        return;
    }
    st_collector_put_int(c, key, (int64_t)walk.processes_n, NULL, source);
    st_collector_put_int(c, "linux.threads.complete", walk.complete, NULL, source);
}

const struct st_collect_source st_collect_linux_process = {
    .os = ST_OS_LINUX, .collect = collect, .patterns = patterns};
