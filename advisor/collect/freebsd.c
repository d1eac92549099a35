/* FreeBSD: facts from sysctls, configuration files and /dev/sndstat, of a live machine or a
 * capture. */
#include "advisor/collect/collector.h"
#include "advisor/parse/freebsd_text.h"

/* --- sysctls that rules read --- */

#define ET_PREFIX "kern.eventtimer.et."

/* sysctls that are whole numbers */
static const char *const numbers[] = {"dev.cpu.0.freq",
                                      "hw.acpi.acline",
                                      "hw.intr_storm_threshold",
                                      "hw.pagesize",
                                      "hw.snd.default_unit",
                                      "hw.snd.latency",
                                      "hw.snd.latency_profile",
                                      "hw.usb.uaudio.buffer_ms",
                                      "kern.eventtimer.periodic",
                                      "kern.eventtimer.singlemul",
                                      "kern.hz",
                                      "kern.osreldate",
                                      "kern.sched.preempt_thresh",
                                      "kern.sched.preemption",
                                      "kern.sched.ule.preempt_thresh",
                                      "kern.smp.cpus",
                                      "kern.timecounter.alloweddeviation",
                                      "kern.timecounter.fast_gettime",
                                      "kern.timecounter.nanosleep_precise",
                                      "security.bsd.unprivileged_mlock",
                                      "security.jail.jailed",
                                      "security.mac.priority.realtime",
                                      "security.mac.priority.realtime_gid",
                                      "vm.max_user_wired"};
static const char *const texts[] = {
    "dev.cpu.0.freq_levels",     "hw.acpi.cpu.cx_lowest", "kern.eventtimer.choice",
    "kern.eventtimer.timer",     "kern.osrelease",        "kern.timecounter.choice",
    "kern.timecounter.hardware", "kern.vm_guest",         "machdep.idle"};

#define UNITS_MAX 256

/** Sysctls of a device, <prefix>N.<leaf>. Unit 0 is always read, other units only if they have the
 * leaf. */
static const struct {
    const char *prefix;
    const char *leaf;
    int units; /* number of units that are tried; 0: one for each CPU */
    enum st_value_kind kind;
} devices[] = {
    {"dev.cpu.", "cx_lowest", 0, ST_VALUE_TEXT},     {"dev.cpu.", "cx_supported", 0, ST_VALUE_TEXT},
    {"dev.hdac.", "polling", 8, ST_VALUE_INT},       {"dev.hwpstate_amd.", "epp", 0, ST_VALUE_INT},
    {"dev.hwpstate_intel.", "epp", 0, ST_VALUE_INT}, {"dev.pcm.", "%desc", 32, ST_VALUE_TEXT},
    {"dev.pcm.", "%parent", 32, ST_VALUE_TEXT},      {"dev.pcm.", "polling", 32, ST_VALUE_INT},
};

static void collect_one(struct st_collector *c, const char *name, enum st_value_kind kind)
{
    st_collector_read(c, st_text(ST_KEYS_FREEBSD "%s", name), name, kind);
}

static void collect_devices(struct st_collector *c)
{
    const int64_t cpus_n = st_facts_int_or(c->facts, ST_KEY_FREEBSD_KERN_SMP_CPUS, 1);
    size_t len;
    ST_EACH (device, devices) {
        const int64_t units_n = device->units > 0 ? device->units : ST_MIN(cpus_n, UNITS_MAX);
        for (int unit = 0; unit < ST_MAX(units_n, 1); unit++) {
            const char *name = st_text("%s%d.%s", device->prefix, unit, device->leaf);
            if (unit == 0 || c->p->read_sysctl(c->p, name, ST_ROOM(8), &len) != -ENOENT)
                collect_one(c, name, device->kind);
        }
    }
}

static void collect_sysctls(struct st_collector *c)
{
    ST_EACH (name, numbers)
        collect_one(c, *name, ST_VALUE_INT);
    ST_EACH (name, texts)
        collect_one(c, *name, ST_VALUE_TEXT);
    /* reads the flags of each event timer in a list such as "LAPIC(600) i8254(100) RTC(0)" */
    char *list =
        st_text("%s", st_facts_text_or(c->facts, ST_KEY_FREEBSD_KERN_EVENTTIMER_CHOICE, ""));
    ST_TEXT_EACH (timer, list, " ")
        collect_one(c, st_text(ET_PREFIX "%.*s.flags", (int)ST_MIN(strcspn(timer, "("), 63), timer),
                    ST_VALUE_INT);
    collect_devices(c);
    if (st_facts_int_or(c->facts, ST_KEY_FREEBSD_SECURITY_JAIL_JAILED, 0) == 0)
        return;
    /* inside a jail this sysctl is the jail's own setting; on a host, it is the default for
     * jails */
    collect_one(c, "security.jail.mlock_allowed", ST_VALUE_INT);
    st_collector_put_text(
        c, ST_KEY_SETTINGS_ELSEWHERE,
        "a jail cannot change the settings of its host: run sleeptune on the host",
        "security.jail.jailed");
}

/* --- files --- */

#define RC "freebsd.rc."

/* Beginnings of the names of settings that are read from loader.conf, rc.conf and sysctl.conf.
 * Other settings are not kept, since people send their captures to others. */
static const char *const loader_names[] = {"hw.snd.", "hw.usb.uaudio.",    "kern.eventtimer.",
                                           "kern.hz", "kern.timecounter.", "mac_priority_load",
                                           NULL};
static const char *const rc_names[] = {"economy_c", "kld_list",     "performance_c",
                                       "powerd",    "virtual_oss_", NULL};
static const char *const sysctl_names[] = {"dev.hwpstate", "dev.pcm.",          "hw.acpi.cpu.",
                                           "hw.snd.",      "hw.usb.uaudio.",    "kern.eventtimer.",
                                           "kern.sched.",  "kern.timecounter.", NULL};

/** Files with settings, in the order in which FreeBSD reads them (loader.conf.local since 14.1). If
 * two files set the same thing, the later value counts. */
static const struct setting {
    const char *key; /* key of the fact that says whether the file could be read; NULL: an optional
                        file or folder */
    const char *path;
    const char *prefix;
    const char *const *names;
    const char *suffix; /* of the files in a folder; NULL: any */
} settings[] = {
    {ST_KEY_FREEBSD_FILE_LOADER_CONF, "/boot/loader.conf", ST_KEYS_FREEBSD_LOADER, loader_names},
    {NULL, "/boot/loader.conf.d", ST_KEYS_FREEBSD_LOADER, loader_names, .suffix = ".conf"},
    {NULL, "/boot/loader.conf.local", ST_KEYS_FREEBSD_LOADER, loader_names},
    {NULL, "/etc/rc.d/virtual_oss", RC, rc_names}, /* default options of virtual_oss */
    {NULL, "/etc/defaults/rc.conf", RC, rc_names},
    {"freebsd.file.rc_conf", "/etc/rc.conf", RC, rc_names},
    {NULL, "/etc/rc.conf.local", RC, rc_names},
    {NULL, "/etc/rc.conf.d/powerd", RC, rc_names},
    {NULL, "/etc/rc.conf.d/virtual_oss", RC, rc_names},
    {ST_KEY_FREEBSD_FILE_SYSCTL_CONF, "/etc/sysctl.conf", ST_KEYS_FREEBSD_SYSCTL_CONF,
     sysctl_names},
    {NULL, "/etc/sysctl.conf.local", ST_KEYS_FREEBSD_SYSCTL_CONF, sysctl_names},
};

/** Reads a file into c->buf and puts in `key` whether it could be read. @return false if there is
 * nothing to parse. */
static bool read_file(struct st_collector *c, const char *key, const char *path)
{
    const int r = st_collector_text(c, path, c->buf, c->buf_bytes);
    if (key != NULL && r != 0)
        st_collector_put_failure(c, key, r, path);
    else if (key != NULL)
        st_collector_put_text(c, key, "read", path);
    return r == 0;
}

static void read_assignments(struct st_collector *c, const struct setting *setting,
                             const char *path)
{
    if (read_file(c, setting->key, path))
        st_freebsd_text_assignments(c->facts, setting->prefix, setting->names, c->buf, path);
}

/** Puts whether the login class audio in login.conf has the memory limit that the fix of
 * freebsd-memlock writes. */
static void read_login_class(struct st_collector *c)
{
    static const char path[] = "/etc/login.conf";
    if (!read_file(c, NULL, path))
        return;
    char *class = strstr(c->buf, "\naudio:"), *end = class;
    while (end != NULL && (end = strchr(end + 1, '\n')) != NULL && end[-1] == '\\')
        ;
    if (end != NULL)
        *end = '\0';
    if (class != NULL)
        st_collector_put_int(c, ST_KEY_FREEBSD_LOGIN_AUDIO,
                             strstr(class, ":memorylocked=unlimited:") != NULL, path);
}

struct folder {
    struct st_collector *c;
    const struct setting *setting;
};

static int read_part(void *ctx, const char *name)
{
    const struct folder *folder = ctx;
    const struct setting *setting = folder->setting;
    if (strlen(name) <= 200 && (setting->suffix == NULL || st_text_ends(name, setting->suffix)))
        read_assignments(folder->c, setting, st_text("%s/%s", setting->path, name));
    return 0;
}

#define NAMED_MAX 256 /* most settings of sysctl.conf whose running values are read */

/** Reads the running values of settings in sysctl.conf. The kernel may not have a sysctl of that
 * name. */
static void collect_named(struct st_collector *c)
{
    size_t n = 0;
    ST_FACTS_EACH (fact, c->facts, ST_KEYS_FREEBSD_SYSCTL_CONF, "") {
        if (n++ == NAMED_MAX)
            break;
        const char *name = fact->key + strlen(ST_KEYS_FREEBSD_SYSCTL_CONF);
        if (!st_facts_has(c->facts, st_text(ST_KEYS_FREEBSD "%.240s", name)))
            collect_one(c, name, ST_VALUE_TEXT);
    }
}

static void read_sndstat(struct st_collector *c)
{
    static const char of_capture[] = "/sndstat.txt";
    const bool is_captured = st_collector_text(c, of_capture, c->buf, c->buf_bytes) == 0;
    const char *path = is_captured ? of_capture : "/dev/sndstat";
    if (read_file(c, ST_KEY_FREEBSD_FILE_SNDSTAT, path) &&
        st_freebsd_text_sndstat(c->facts, c->buf, path) == -EBADMSG)
        st_collector_put_failure(c, ST_KEY_FREEBSD_FILE_SNDSTAT, -EBADMSG, path);
}

static int see_powerd(void *ctx, const char *name)
{
    bool *found = ctx;
    *found = *found || st_text_is(name, "powerd.pid") || st_text_is(name, "powerdxx.pid");
    return 0;
}

void st_freebsd_collect(struct st_collector *c)
{
    bool powerd = false;
    collect_sysctls(c);
    read_login_class(c);
    ST_EACH (setting, settings) {
        struct folder folder = {c, setting};
        read_assignments(c, setting, setting->path);
        if (setting->key == NULL) /* rc.conf.d/NAME may be a file or a folder */
            (void)st_collector_list(c, setting->path, read_part, &folder);
    }
    collect_named(c);
    read_sndstat(c);
    const int r = st_collector_list(c, "/var/run", see_powerd, &powerd);
    st_collector_put_result(c, ST_KEY_FREEBSD_POWERD_RUNNING, r, powerd, "/var/run/powerd.pid");
}
