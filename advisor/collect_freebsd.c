/* FreeBSD: the sysctls that rules read, on a live machine. A capture has them all (collect_sysctl.c). */
#include <fnmatch.h>
#include <string.h>

#include "advisor/collector.h"

#define ET_PREFIX "kern.eventtimer.et."
#define TC_PREFIX "kern.timecounter.tc."

static const struct {
    const char *name;
    enum st_value_kind kind;
} sysctls[] = {
    {"dev.cpu.0.cx_supported", ST_VALUE_TEXT},
    {"hw.acpi.cpu.cx_lowest", ST_VALUE_TEXT},
    {"hw.snd.default_unit", ST_VALUE_INT},
    {"hw.snd.latency", ST_VALUE_INT},
    {"hw.snd.latency_profile", ST_VALUE_INT},
    {"hw.snd.verbose", ST_VALUE_INT},
    {"kern.clockrate", ST_VALUE_TEXT},
    {"kern.eventtimer.choice", ST_VALUE_TEXT},
    {"kern.eventtimer.idletick", ST_VALUE_INT},
    {"kern.eventtimer.periodic", ST_VALUE_INT},
    {"kern.eventtimer.singlemul", ST_VALUE_INT},
    {"kern.eventtimer.timer", ST_VALUE_TEXT},
    {"kern.hz", ST_VALUE_INT},
    {"kern.osreldate", ST_VALUE_INT},
    {"kern.osrelease", ST_VALUE_TEXT},
    {"kern.timecounter.alloweddeviation", ST_VALUE_INT},
    {"kern.timecounter.choice", ST_VALUE_TEXT},
    {"kern.timecounter.fast_gettime", ST_VALUE_INT},
    {"kern.timecounter.hardware", ST_VALUE_TEXT},
    {"kern.timecounter.nanosleep_precise", ST_VALUE_INT},
    {"kern.smp.cpus", ST_VALUE_INT},
    {"kern.vm_guest", ST_VALUE_TEXT},
};

static void collect_one(struct st_collector *c, const char *name, enum st_value_kind kind)
{
    char key[300];
    snprintf(key, sizeof(key), "freebsd.%s", name);
    st_collector_sysctl(c, key, name, kind);
}

/** For each name in a list such as "LAPIC(600) i8254(100) RTC(0)": <prefix><name>.<leaf>. */
static void collect_each(struct st_collector *c, const char *list_key, const char *prefix, const char *leaf)
{
    const char *list;
    if (st_facts_text(c->facts, list_key, &list) != 0)
        return;
    for (list += strspn(list, " "); *list != '\0'; list += strspn(list, " ")) {
        char name[256];
        const size_t len = strcspn(list, "( ");
        if (len > 0 && len < 64) {
            snprintf(name, sizeof(name), "%s%.*s.%s", prefix, (int)len, list, leaf);
            collect_one(c, name, ST_VALUE_INT);
        }
        list += len;
        list += strcspn(list, " ");
    }
}

bool st_freebsd_provides(const char *pattern)
{
    static const char prefix[] = "freebsd.";
    static const char *const each[] = {ET_PREFIX "*.flags", TC_PREFIX "*.quality", NULL};
    if (strncmp(pattern, prefix, sizeof(prefix) - 1) != 0)
        return false;
    pattern += sizeof(prefix) - 1;
    for (size_t i = 0; i < ST_ARRAY_LEN(sysctls); i++) {
        if (fnmatch(pattern, sysctls[i].name, 0) == 0)
            return true;
    }
    return st_patterns_match(each, pattern);
}

void st_collect_freebsd(struct st_collector *c)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(sysctls); i++)
        collect_one(c, sysctls[i].name, sysctls[i].kind);
    collect_each(c, "freebsd.kern.eventtimer.choice", ET_PREFIX, "flags");
    collect_each(c, "freebsd.kern.timecounter.choice", TC_PREFIX, "quality");
}
