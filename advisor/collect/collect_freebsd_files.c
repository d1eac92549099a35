/* FreeBSD: files of settings, and what lies beside sysctl-a.txt in a capture. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/collect/collect_sources.h"
#include "advisor/parse/capture.h"

#define LOADER "freebsd.loader."
#define RC     "freebsd.rc."
#define SYSCTL "freebsd.sysctl_conf."
#define KENV   "freebsd.kenv."

static const char *const patterns[] = {
    "freebsd.file.*",
    "freebsd.limits.memorylocked_bytes",
    LOADER "*",
    KENV "*",
    RC "*",
    SYSCTL "*",
    "freebsd.powerd.*",
    "freebsd.process.*.args",
    "freebsd.sndstat.*",
    "freebsd.rt.fifo_errno",
    NULL,
};

/* Nothing else of these files is kept: people send their captures to others. */
static const char *const loader_names[] = {"hint.pcm.",         "hw.snd.", "hw.usb.uaudio.",
                                           "kern.eventtimer.",  "kern.hz", "kern.timecounter.",
                                           "mac_priority_load", NULL};
static const char *const kenv_names[] = {"hint.pcm.", NULL};
static const char *const rc_names[] = {"economy_c", "kld_list",     "performance_c",
                                       "powerd",    "virtual_oss_", NULL};
static const char *const sysctl_names[] = {"dev.hwpstate", "dev.pcm.",          "hw.acpi.cpu.",
                                           "hw.snd.",      "hw.usb.uaudio.",    "kern.eventtimer.",
                                           "kern.sched.",  "kern.timecounter.", NULL};

#define LOADER_LOCAL "/boot/loader.conf.local"

/** In the order in which FreeBSD reads them: of two values, the later one counts. */
static const struct {
    const char *key; /* says whether the file could be read; NULL: an optional one */
    const char *path;
    const char *prefix;
    const char *const *names;
} settings[] = {
    {NULL, "/etc/defaults/rc.conf", RC, rc_names},
    {"freebsd.file.rc_conf", "/etc/rc.conf", RC, rc_names},
    {NULL, "/etc/rc.conf.local", RC, rc_names},
    {NULL, "/etc/rc.conf.d/powerd", RC, rc_names},
    {NULL, "/etc/rc.conf.d/virtual_oss", RC, rc_names},
    {"freebsd.file.sysctl_conf", "/etc/sysctl.conf", SYSCTL, sysctl_names},
    {NULL, "/etc/sysctl.conf.local", SYSCTL, sysctl_names},
};

static void keep(struct st_collector *c, int r)
{
    if (c->error == 0 && r == -ENOMEM)
        c->error = r;
}

/** Reads a file into c->buf and says so in `key`. @return false when there is nothing to parse. */
static bool read_file(struct st_collector *c, const char *key, const char *path, size_t *ret_bytes)
{
    const int r = c->p->read_text(c->p, path, c->buf, c->buf_bytes, ret_bytes);
    if (key != NULL && r != 0)
        st_collector_put_failure(c, key, r, path);
    else if (key != NULL)
        st_collector_put_text(c, key, "read", NULL, path);
    return r == 0;
}

static void read_assignments(struct st_collector *c, const char *key, const char *path, const char *prefix,
                             const char *const *names)
{
    size_t bytes;
    if (read_file(c, key, path, &bytes))
        keep(c, st_capture_assignments(c->facts, prefix, names, c->buf, bytes, path));
}

static int loader_part(void *ctx, const char *name)
{
    struct st_collector *c = ctx;
    char path[300];
    const size_t len = strlen(name);
    if (len < 6 || len > 200 || strcmp(name + len - 5, ".conf") != 0)
        return 0;
    snprintf(path, sizeof(path), "/boot/loader.conf.d/%s", name);
    read_assignments(c, NULL, path, LOADER, loader_names);
    return 0;
}

/** Of two values the later one counts; which of the two places is later changed in 14.1. */
static void read_loader(struct st_collector *c)
{
    int64_t osreldate;
    const bool local_last = st_facts_int(c->facts, "freebsd.kern.osreldate", &osreldate) != 0 ||
                            osreldate >= ST_FREEBSD_LOADER_LOCAL_LAST;
    read_assignments(c, "freebsd.file.loader_conf", "/boot/loader.conf", LOADER, loader_names);
    if (!local_last)
        read_assignments(c, NULL, LOADER_LOCAL, LOADER, loader_names);
    (void)c->p->list(c->p, "/boot/loader.conf.d", loader_part, c);
    if (local_last)
        read_assignments(c, NULL, LOADER_LOCAL, LOADER, loader_names);
}

static void read_settings(struct st_collector *c)
{
    read_loader(c);
    for (size_t i = 0; i < ST_ARRAY_LEN(settings); i++)
        read_assignments(c, settings[i].key, settings[i].path, settings[i].prefix, settings[i].names);
}

static void parse_file(struct st_collector *c, const char *key, const char *path,
                       int (*parse)(struct st_facts *, const char *, size_t, const char *))
{
    size_t bytes;
    if (!read_file(c, key, path, &bytes))
        return;
    const int r = parse(c->facts, c->buf, bytes, path);
    if (r == -EBADMSG)
        st_collector_put_state(c, key, ST_FACT_MALFORMED, 0, c->buf, path);
    keep(c, r);
}

static int see_powerd(void *ctx, const char *name)
{
    bool *found = ctx;
    *found = *found || strcmp(name, "powerd.pid") == 0 || strcmp(name, "powerdxx.pid") == 0;
    return 0;
}

static void collect(struct st_collector *c)
{
    bool powerd = false;
    read_settings(c);
    parse_file(c, "freebsd.file.sndstat", "/dev/sndstat", st_capture_sndstat);
    const int r = c->p->list(c->p, "/var/run", see_powerd, &powerd);
    if (r == 0)
        st_collector_put_int(c, "freebsd.powerd.running", powerd, NULL, "/var/run/powerd.pid");
    else
        st_collector_put_failure(c, "freebsd.powerd.running", r, "/var/run");
}

void st_collect_freebsd_capture(struct st_collector *c)
{
    size_t bytes;
    const struct st_fact *ps;
    read_settings(c);
    if (read_file(c, "freebsd.file.kenv", "/kenv.txt", &bytes))
        keep(c, st_capture_assignments(c->facts, KENV, kenv_names, c->buf, bytes, "kenv.txt"));
    parse_file(c, "freebsd.file.sndstat", "/sndstat.txt", st_capture_sndstat);
    parse_file(c, "freebsd.file.limits", "/limits.txt", st_capture_limits);
    parse_file(c, "freebsd.file.ps", "/ps.txt", st_capture_ps);
    ps = st_facts_find(c->facts, "freebsd.file.ps");
    if (ps != NULL && ps->state == ST_FACT_OK)
        st_collector_put_int(c, "freebsd.powerd.running",
                             st_facts_find(c->facts, "freebsd.process.powerd.args") != NULL ||
                                 st_facts_find(c->facts, "freebsd.process.powerdxx.args") != NULL,
                             NULL, "ps.txt");
}

const struct st_collect_source st_collect_freebsd_files = {
    .os = ST_OS_FREEBSD, .collect = collect, .patterns = patterns};
