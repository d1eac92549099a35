/* FreeBSD: the sysctls that rules read, on a live machine. A capture has them all (collect_sysctl.c). */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "advisor/collect/collect_sources.h"

#define ET_PREFIX "kern.eventtimer.et."
#define TC_PREFIX "kern.timecounter.tc."

static const struct {
    const char *name;
    enum st_value_kind kind;
} sysctls[] = {
    {"dev.cpu.0.freq", ST_VALUE_INT},
    {"dev.cpu.0.freq_levels", ST_VALUE_TEXT},
    {"hw.acpi.cpu.cx_lowest", ST_VALUE_TEXT},
    {"hw.intr_storm_threshold", ST_VALUE_INT},
    {"hw.pagesize", ST_VALUE_INT},
    {"hw.snd.default_auto", ST_VALUE_INT},
    {"hw.snd.default_unit", ST_VALUE_INT},
    {"hw.snd.feeder_rate_quality", ST_VALUE_INT},
    {"hw.snd.latency", ST_VALUE_INT},
    {"hw.snd.latency_profile", ST_VALUE_INT},
    {"hw.snd.maxautovchans", ST_VALUE_INT},
    {"hw.snd.timeout", ST_VALUE_INT},
    {"hw.snd.usefrags", ST_VALUE_INT},
    {"hw.snd.vchans_enable", ST_VALUE_INT},
    {"hw.snd.verbose", ST_VALUE_INT},
    {"hw.snd.vpc_0db", ST_VALUE_INT},
    {"hw.usb.power_timeout", ST_VALUE_INT},
    {"hw.usb.uaudio.buffer_ms", ST_VALUE_INT},
    {"hw.usb.uaudio.default_bits", ST_VALUE_INT},
    {"hw.usb.uaudio.default_channels", ST_VALUE_INT},
    {"hw.usb.uaudio.default_rate", ST_VALUE_INT},
    {"kern.clockrate", ST_VALUE_TEXT},
    {"kern.eventtimer.choice", ST_VALUE_TEXT},
    {"kern.eventtimer.idletick", ST_VALUE_INT},
    {"kern.eventtimer.periodic", ST_VALUE_INT},
    {"kern.eventtimer.singlemul", ST_VALUE_INT},
    {"kern.eventtimer.timer", ST_VALUE_TEXT},
    {"kern.features.cuse", ST_VALUE_INT},
    {"kern.hz", ST_VALUE_INT},
    {"kern.osreldate", ST_VALUE_INT},
    {"kern.osrelease", ST_VALUE_TEXT},
    {"kern.sched.name", ST_VALUE_TEXT},
    {"kern.sched.preempt_thresh", ST_VALUE_INT},
    {"kern.sched.preemption", ST_VALUE_INT},
    {"kern.sched.ule.preempt_thresh", ST_VALUE_INT},
    {"kern.smp.cpus", ST_VALUE_INT},
    {"kern.timecounter.alloweddeviation", ST_VALUE_INT},
    {"kern.timecounter.choice", ST_VALUE_TEXT},
    {"kern.timecounter.fast_gettime", ST_VALUE_INT},
    {"kern.timecounter.hardware", ST_VALUE_TEXT},
    {"kern.timecounter.nanosleep_precise", ST_VALUE_INT},
    {"kern.timecounter.stepwarnings", ST_VALUE_INT},
    {"kern.vm_guest", ST_VALUE_TEXT},
    {"machdep.idle", ST_VALUE_TEXT},
    {"security.bsd.unprivileged_mlock", ST_VALUE_INT},
    {"security.jail.jailed", ST_VALUE_INT},
    {"security.mac.priority.realtime", ST_VALUE_INT},
    {"security.mac.priority.realtime_gid", ST_VALUE_INT},
    {"vm.max_user_wired", ST_VALUE_INT},
    {"vm.overcommit", ST_VALUE_INT},
};

#define UNITS_MAX 256

/** Sysctls of a device, <prefix>N.<leaf>: unit 0 always, the others where there is the leaf. */
static const struct {
    const char *prefix;
    const char *leaf;
    int units; /* 0: as many as CPUs */
    enum st_value_kind kind;
} devices[] = {
    {"dev.cpu.", "cx_lowest", 0, ST_VALUE_TEXT},
    {"dev.cpu.", "cx_supported", 0, ST_VALUE_TEXT},
    {"dev.hdac.", "polling", 8, ST_VALUE_INT},
    {"dev.hwpstate_amd.", "epp", 0, ST_VALUE_INT},
    {"dev.hwpstate_intel.", "epp", 0, ST_VALUE_INT},
    {"dev.pcm.", "%desc", 32, ST_VALUE_TEXT},
    {"dev.pcm.", "%parent", 32, ST_VALUE_TEXT},
    {"dev.pcm.", "bitperfect", 32, ST_VALUE_INT},
    {"dev.pcm.", "eq", 32, ST_VALUE_INT},
    {"dev.pcm.", "play.vchanmode", 32, ST_VALUE_TEXT},
    {"dev.pcm.", "play.vchanrate", 32, ST_VALUE_INT},
    {"dev.pcm.", "play.vchans", 32, ST_VALUE_INT},
    {"dev.pcm.", "polling", 32, ST_VALUE_INT},
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

static void collect_units(struct st_collector *c, const char *prefix, const char *leaf, int units,
                          enum st_value_kind kind)
{
    for (int unit = 0; unit < units; unit++) {
        char name[128], probe[8];
        size_t len;
        snprintf(name, sizeof(name), "%s%d.%s", prefix, unit, leaf);
        if (unit == 0 || c->p->read_sysctl(c->p, name, probe, sizeof(probe), &len) != -ENOENT)
            collect_one(c, name, kind);
    }
}

static void collect_devices(struct st_collector *c)
{
    int64_t cpus;
    if (st_facts_int(c->facts, "freebsd.kern.smp.cpus", &cpus) != 0 || cpus < 1)
        cpus = 1;
    if (cpus > UNITS_MAX)
        cpus = UNITS_MAX;
    for (size_t i = 0; i < ST_ARRAY_LEN(devices); i++)
        collect_units(c, devices[i].prefix, devices[i].leaf,
                      devices[i].units > 0 ? devices[i].units : (int)cpus, devices[i].kind);
}

static bool provides(const char *pattern)
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
    for (size_t i = 0; i < ST_ARRAY_LEN(devices); i++) {
        char name[128];
        snprintf(name, sizeof(name), "%s*.%s", devices[i].prefix, devices[i].leaf);
        if (fnmatch(name, pattern, 0) == 0 || fnmatch(pattern, name, 0) == 0)
            return true;
    }
    return st_collector_patterns_match(each, pattern);
}

static void collect(struct st_collector *c)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(sysctls); i++)
        collect_one(c, sysctls[i].name, sysctls[i].kind);
    collect_each(c, "freebsd.kern.eventtimer.choice", ET_PREFIX, "flags");
    collect_each(c, "freebsd.kern.timecounter.choice", TC_PREFIX, "quality");
    collect_devices(c);
}

const struct st_collect_source st_collect_freebsd = {
    .os = ST_OS_FREEBSD, .collect = collect, .provides = provides};
