/* Runs the collectors, and what they share. */
#include "advisor/collector.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/input.h"
#include "advisor/ask.h"
#include "advisor/text.h"
#include "platform/cache.h"

#define SMALL_FILE_BYTES  4097
#define LARGE_FILE_BYTES  (1024 * 1024)
#define SYSCTL_TEXT_BYTES (16 * 1024 * 1024)

static void keep_error(struct st_collector *c, int r)
{
    if (c->error == 0)
        c->error = r;
}

void st_collector_put_text(struct st_collector *c, const char *key, const char *value, const char *raw,
                           const char *source)
{
    keep_error(c, st_facts_put_text(c->facts, key, value, raw, source));
}

void st_collector_put_int(struct st_collector *c, const char *key, int64_t value, const char *raw,
                          const char *source)
{
    keep_error(c, st_facts_put_int(c->facts, key, value, raw, source));
}

void st_collector_put_state(struct st_collector *c, const char *key, enum st_fact_state state, int error,
                            const char *raw, const char *source)
{
    keep_error(c, st_facts_put_state(c->facts, key, state, error, raw, source));
}

void st_collector_put_failure(struct st_collector *c, const char *key, int r, const char *source)
{
    if (r == -ENOENT || r == -ENOTDIR || r == -ENOTSUP)
        st_collector_put_state(c, key, ST_FACT_ABSENT, 0, NULL, source);
    else
        st_collector_put_state(c, key, ST_FACT_UNREADABLE, -r, NULL, source);
}

static void put_value(struct st_collector *c, const char *key, const char *text, size_t bytes,
                      enum st_value_kind kind, const char *source)
{
    char value[SMALL_FILE_BYTES];
    int64_t number;
    memcpy(value, text, bytes);
    value[bytes] = '\0';
    st_text_trim(value);
    if (memchr(text, '\0', bytes) != NULL || (kind == ST_VALUE_INT && st_text_int(value, &number) != 0))
        st_collector_put_state(c, key, ST_FACT_MALFORMED, 0, text, source);
    else
        st_collector_put_text(c, key, value, text, source);
}

void st_collector_file(struct st_collector *c, const char *key, const char *path, enum st_value_kind kind)
{
    char buf[SMALL_FILE_BYTES];
    size_t len = 0;
    const int r = c->p->read_text(c->p, path, buf, sizeof(buf), &len);
    if (r == 0)
        put_value(c, key, buf, len, kind, path);
    else
        st_collector_put_failure(c, key, r, path);
}

void st_collector_sysctl(struct st_collector *c, const char *key, const char *name, enum st_value_kind kind)
{
    char buf[SMALL_FILE_BYTES], source[300];
    size_t len = 0;
    snprintf(source, sizeof(source), "sysctl %s", name);
    const int r = c->p->read_sysctl(c->p, name, buf, sizeof(buf), &len);
    if (r == 0)
        put_value(c, key, buf, len, kind, source);
    else
        st_collector_put_failure(c, key, r, source);
}

int st_collect(struct st_platform *p, bool live, struct st_facts **ret)
{
    struct st_collector c = {.p = p, .live = live, .buf_bytes = LARGE_FILE_BYTES};
    c.facts = st_facts_new(p->os);
    c.buf = malloc(c.buf_bytes);
    if (c.facts == NULL || c.buf == NULL) {
        st_facts_free(c.facts);
        free(c.buf);
        return -ENOMEM;
    }
    if (live)
        st_facts_set_time(c.facts, p->wall_ns(p));
    st_collect_home(&c);
    switch (p->os) {
    case ST_OS_LINUX:
        st_collect_linux(&c);
        st_collect_linux_kernel(&c);
        st_collect_linux_cpu(&c);
        st_collect_linux_machine(&c);
        st_collect_linux_settings(&c);
        st_collect_linux_sound(&c);
        st_collect_linux_irq(&c);
        st_collect_linux_process(&c);
        st_collect_linux_etc(&c);
        st_collect_linux_server(&c);
        st_collect_linux_memory(&c);
        break;
    case ST_OS_FREEBSD:
        st_collect_freebsd(&c);
        break;
    }
    if (live)
        st_collect_live(&c);
    free(c.buf);
    if (c.error != 0) {
        st_facts_free(c.facts);
        return c.error;
    }
    *ret = c.facts;
    return 0;
}

static int doubt_part(struct st_facts *facts)
{
    static const char name[] = "sysctl-a.txt";
    if (st_sysctl_is_whole(facts))
        return 0;
    return st_facts_put_text(facts, ST_INPUT_KEY, name, NULL, name);
}

static int collect_freebsd_capture(struct st_platform *p, const char *text, size_t bytes,
                                   struct st_facts **ret)
{
    struct st_collector c = {.p = p, .facts = st_facts_new(ST_OS_FREEBSD), .buf_bytes = LARGE_FILE_BYTES};
    c.buf = malloc(c.buf_bytes);
    int r = c.facts != NULL && c.buf != NULL ? 0 : -ENOMEM;
    if (r == 0)
        r = st_collect_sysctl_text(c.facts, text, bytes, "sysctl-a.txt");
    if (r == 0) {
        st_collect_freebsd_capture(&c); /* goes by kern.osreldate */
        r = c.error;
    }
    if (r == 0)
        r = doubt_part(c.facts);
    free(c.buf);
    if (r != 0) {
        st_facts_free(c.facts);
        return r;
    }
    *ret = c.facts;
    return 0;
}

static int stop_at_first(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    return 1;
}

/** Every Linux has /proc and /sys: without them this is a part of a machine. */
static int doubt_tree(struct st_platform *p, struct st_facts *facts)
{
    const bool proc = p->list(p, "/proc", stop_at_first, NULL) != -ENOENT;
    const bool sys = p->list(p, "/sys", stop_at_first, NULL) != -ENOENT;
    if (proc && sys)
        return 0;
    return st_facts_put_text(facts, ST_INPUT_LACKS, proc ? "/sys" : sys ? "/proc" : "/proc /sys", NULL, "/");
}

static int collect_tree(struct st_platform *p, struct st_facts **ret)
{
    static const char *const folders[] = {"/proc", "/sys", "/etc", "/boot"};
    size_t i = 0;
    while (i < ST_ARRAY_LEN(folders) && p->list(p, folders[i], stop_at_first, NULL) != 0)
        i++;
    if (i == ST_ARRAY_LEN(folders))
        return -ENODATA;
    struct st_facts *facts;
    int r = st_collect(p, false, &facts);
    if (r != 0)
        return r;
    r = doubt_tree(p, facts);
    if (r == 0)
        *ret = facts;
    else
        st_facts_free(facts);
    return r;
}

static int collect_dir(struct st_platform *root, struct st_facts **ret)
{
    struct st_platform *cached;
    size_t bytes = 0;
    char *text = malloc(SYSCTL_TEXT_BYTES);
    if (text == NULL)
        return -ENOMEM;
    int r = root->read_text(root, "/sysctl-a.txt", text, SYSCTL_TEXT_BYTES, &bytes);
    if (r == 0) {
        r = collect_freebsd_capture(root, text, bytes, ret);
    } else if (r == -ENOENT) {
        r = st_platform_cache_new(root, &cached);
        if (r == 0) {
            r = collect_tree(cached, ret);
            st_platform_cache_free(cached);
        }
    }
    free(text);
    return r;
}

int st_collect_dir(const char *dir, struct st_facts **ret)
{
    struct st_platform *root;
    int r = st_platform_root_new(dir, &root);
    if (r == 0) {
        r = collect_dir(root, ret);
        st_platform_root_free(root);
    }
    return r;
}

bool st_patterns_match(const char *const *provided, const char *pattern)
{
    for (; *provided != NULL; provided++) {
        if (fnmatch(*provided, pattern, 0) == 0 || fnmatch(pattern, *provided, 0) == 0)
            return true;
    }
    return false;
}

bool st_collect_provides(enum st_os os, const char *pattern)
{
    if (st_patterns_match(st_live_patterns, pattern))
        return true;
    if (os == ST_OS_FREEBSD)
        return st_freebsd_provides(pattern);
    static const char *const *const linux_patterns[] = {
        st_linux_patterns,         st_linux_kernel_patterns, st_linux_cpu_patterns,
        st_linux_machine_patterns, st_linux_sound_patterns,  st_linux_irq_patterns,
        st_linux_process_patterns, st_linux_etc_patterns,    st_linux_server_patterns,
        st_linux_memory_patterns,  st_ask_patterns,
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(linux_patterns); i++) {
        if (st_patterns_match(linux_patterns[i], pattern))
            return true;
    }
    for (size_t i = 0; i < st_linux_settings_n; i++) {
        if (fnmatch(pattern, st_linux_settings[i].key, 0) == 0)
            return true;
    }
    return false;
}
