/* Linux: small files below /proc and /sys, limits, cgroup. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/collect/collect_sources.h"
#include "advisor/facts/text.h"

static const struct st_value_row files[] = {
    {"linux.clocksource.available", "/sys/devices/system/clocksource/clocksource0/available_clocksource",
     ST_VALUE_TEXT},
    {"linux.clocksource.current", "/sys/devices/system/clocksource/clocksource0/current_clocksource",
     ST_VALUE_TEXT},
    {"linux.cmdline", "/proc/cmdline", ST_VALUE_TEXT},
    {"linux.preempt.debugfs", "/sys/kernel/debug/sched/preempt", ST_VALUE_TEXT},
    {"linux.realtime", "/sys/kernel/realtime", ST_VALUE_INT},
    {"linux.sysctl.kernel.sched_rt_period_us", "/proc/sys/kernel/sched_rt_period_us", ST_VALUE_INT},
    {"linux.sysctl.kernel.sched_rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us", ST_VALUE_INT},
};

static const char *const patterns[] = {
    "linux.clocksource.available",
    "linux.clocksource.current",
    "linux.cmdline",
    "linux.preempt.debugfs",
    "linux.realtime",
    "linux.sysctl.kernel.sched_rt_period_us",
    "linux.sysctl.kernel.sched_rt_runtime_us",
    "linux.cgroup.version",
    "linux.cgroup.rt_runtime_us",
    "linux.rt.rtprio_limit",
    "linux.rt.memlock_limit_bytes",
    "linux.rt.nice_limit",
    "linux.rt.rttime_limit_us",
    "linux.timer_slack_ns",
    NULL,
};

/** The path of the version 1 hierarchy that has the cpu controller, from /proc/self/cgroup
 * ("4:cpu,cpuacct:/a/b").
 *  @return false when there is none. */
static bool cpu_hierarchy(char *text, char *ret_path, size_t path_bytes, bool *ret_unified)
{
    char *rest = NULL;
    bool found = false;
    *ret_unified = false;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *names = strchr(line, ':');
        char *path = names != NULL ? strchr(names + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        if (names[1] == '\0') {
            *ret_unified = true;
            continue;
        }
        char *names_rest = NULL;
        for (char *name = strtok_r(names + 1, ",", &names_rest); name != NULL;
             name = strtok_r(NULL, ",", &names_rest)) {
            if (strcmp(name, "cpu") == 0) {
                snprintf(ret_path, path_bytes, "%s", path);
                found = true;
            }
        }
    }
    return found;
}

/** The limit of this process' cgroup; version 2 has none. */
static void rt_runtime(struct st_collector *c, const char *group)
{
    static const char *const mounts[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};
    static const char key[] = "linux.cgroup.rt_runtime_us";
    char path[4096];
    if (strstr(group, "..") != NULL) { /* outside of this cgroup namespace */
        st_collector_put_state(c, key, ST_FACT_ABSENT, 0, NULL, "/proc/self/cgroup");
        return;
    }
    for (size_t i = 0; i < ST_ARRAY_LEN(mounts); i++) {
        char text[64];
        size_t len;
        snprintf(path, sizeof(path), "%s%s/cpu.rt_runtime_us", mounts[i],
                 strcmp(group, "/") == 0 ? "" : group);
        const int r = c->p->read_text(c->p, path, text, sizeof(text), &len);
        if (r == -ENOENT)
            continue;
        int64_t value;
        char trimmed[64];
        snprintf(trimmed, sizeof(trimmed), "%s", text);
        st_text_trim(trimmed);
        if (r != 0)
            st_collector_put_failure(c, key, r, path);
        else if (st_text_int(trimmed, &value) != 0)
            st_collector_put_state(c, key, ST_FACT_MALFORMED, 0, text, path);
        else
            st_collector_put_int(c, key, value, text, path);
        return;
    }
    st_collector_put_state(c, key, ST_FACT_ABSENT, 0, NULL, path);
}

static void cgroup(struct st_collector *c)
{
    static const char source[] = "/proc/self/cgroup";
    char text[4096], group[2048] = "";
    size_t len;
    bool unified;
    const int r = c->p->read_text(c->p, source, text, sizeof(text), &len);
    if (r != 0) {
        st_collector_put_failure(c, "linux.cgroup.version", r, source);
        st_collector_put_failure(c, "linux.cgroup.rt_runtime_us", r, source);
        return;
    }
    char raw[sizeof(text)];
    memcpy(raw, text, sizeof(raw));
    if (cpu_hierarchy(text, group, sizeof(group), &unified)) {
        st_collector_put_int(c, "linux.cgroup.version", 1, raw, source);
        rt_runtime(c, group);
        return;
    }
    if (unified)
        st_collector_put_int(c, "linux.cgroup.version", 2, raw, source);
    else
        st_collector_put_state(c, "linux.cgroup.version", ST_FACT_MALFORMED, 0, raw, source);
    st_collector_put_state(c, "linux.cgroup.rt_runtime_us", ST_FACT_ABSENT, 0, NULL, source);
}

/* Limits and slack of a captured process; a live one is asked directly, in collect_live.c. */

static void limit(struct st_collector *c, const char *text, const char *name, const char *key,
                  const char *source)
{
    const char *line = strstr(text, name);
    char value[32];
    int64_t number;
    if (line == NULL) {
        st_collector_put_state(c, key, ST_FACT_ABSENT, 0, NULL, source);
        return;
    }
    line += strlen(name);
    line += strspn(line, " ");
    snprintf(value, sizeof(value), "%.*s", (int)strcspn(line, " \n"), line);
    if (strcmp(value, "unlimited") == 0)
        st_collector_put_int(c, key, -1, value, source);
    else if (st_text_int(value, &number) == 0 && number >= 0)
        st_collector_put_int(c, key, number, value, source);
    else
        st_collector_put_state(c, key, ST_FACT_MALFORMED, 0, value, source);
}

static void limits(struct st_collector *c)
{
    static const struct {
        const char *name;
        const char *key;
        bool live; /* also of the running system; the other two collect_live.c asks the kernel for */
    } rows[] = {
        {"Max realtime priority", "linux.rt.rtprio_limit", false},
        {"Max locked memory", "linux.rt.memlock_limit_bytes", false},
        {"Max nice priority", "linux.rt.nice_limit", true},
        {"Max realtime timeout", "linux.rt.rttime_limit_us", true},
    };
    static const char source[] = "/proc/self/limits";
    char text[4096];
    size_t len;
    const int r = c->p->read_text(c->p, source, text, sizeof(text), &len);
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        if (c->live && !rows[i].live)
            continue;
        if (r == 0)
            limit(c, text, rows[i].name, rows[i].key, source);
        else
            st_collector_put_failure(c, rows[i].key, r, source);
    }
}

static void collect(struct st_collector *c)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(files); i++)
        st_collector_file(c, files[i].key, files[i].name, files[i].kind);
    cgroup(c);
    limits(c);
    if (!c->live)
        st_collector_file(c, "linux.timer_slack_ns", "/proc/self/timerslack_ns", ST_VALUE_INT);
}

const struct st_collect_source st_collect_linux = {
    .os = ST_OS_LINUX, .collect = collect, .patterns = patterns};
