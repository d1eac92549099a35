/* Real-time threads, as the process collector found them. */
#include "advisor/rules/threads.h"

#include <stdio.h>
#include <string.h>

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

bool st_threads_is_server(const char *process)
{
    static const char *const names[] = {"pipewire", "jackd", "jackdbus", "pulseaudio"};
    return is_one_of(process, names, ST_ARRAY_LEN(names));
}

bool st_threads_is_client(const char *process)
{
    /* 15 bytes of a name are kept by the kernel */
    static const char *const others[] = {
        "chronyd",    "corosync",        "cyclictest",     "gnome-shell", "kwin_wayland", "multipathd",
        "ntpd",       "oslat",           "pipewire-pulse", "ptp4l",       "rtkit-daemon", "sleeptune",
        "sleeptuned", "systemd-journal", "watchdog",       "wireplumber", "phc2sys",      "systemd-udevd"};
    return !st_threads_is_server(process) && !is_one_of(process, others, ST_ARRAY_LEN(others));
}

struct search {
    const struct st_facts *facts;
    st_process_fn fn;
    struct st_top_thread top;
};

static void look(void *ctx, const struct st_fact *fact)
{
    static const char suffix[] = ".process";
    struct search *search = ctx;
    char key[128];
    int64_t priority;
    const char *process;
    const size_t len = strlen(fact->key) - (sizeof(suffix) - 1);
    if (len > 100 || st_facts_text(search->facts, fact->key, &process) != 0 || !search->fn(process))
        return;
    snprintf(key, sizeof(key), "%.*s.priority", (int)len, fact->key);
    if (st_facts_int(search->facts, key, &priority) != 0 || priority <= search->top.priority || priority > 99)
        return;
    search->top = (struct st_top_thread){priority, st_facts_find(search->facts, key), fact};
}

struct st_top_thread st_threads_top(const struct st_facts *facts, st_process_fn fn)
{
    struct search search = {.facts = facts, .fn = fn};
    st_facts_each(facts, "linux.rt_thread.", ".process", look, &search);
    return search.top;
}
