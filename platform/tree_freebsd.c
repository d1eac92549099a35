#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/tree.h"

#define VALUE_BYTES 256

static int sysctl_line(struct st_platform *p, const char *name, char *buf, size_t buf_bytes)
{
    size_t len;
    const int r = p->read_sysctl(p, name, buf, buf_bytes, &len);
    if (r < 0 && r != -EFBIG)
        return r;
    buf[strcspn(buf, "\r\n")] = '\0';
    return buf[0] != '\0' ? 0 : -ENODATA;
}

struct row {
    const char *key;
    const char *sysctl;
};

/* kern.version ends in the build folder on its second line; the first one says release and build. */
static const struct row rows[] = {
    {"os", "kern.ostype"},
    {"kernel_release", "kern.osrelease"},
    {"kernel_version", "kern.version"},
    {"hz", "kern.hz"},
    {"scheduler", "kern.sched.name"},
    {"cpu_model", "hw.model"},
    {"cpus_online", "kern.smp.cpus"},
    {"hypervisor", "kern.vm_guest"},
    {"clocksource", "kern.timecounter.hardware"},
    {"eventtimer", "kern.eventtimer.timer"},
    {"eventtimer_periodic", "kern.eventtimer.periodic"},
    {"alloweddeviation_pct", "kern.timecounter.alloweddeviation"},
    {"nanosleep_precise", "kern.timecounter.nanosleep_precise"},
    {"idle_method", "machdep.idle"},
};

void st_tree_circumstances_freebsd(struct st_platform *p, int cpu, st_circumstance_fn fn, void *ctx)
{
    char name[64], value[VALUE_BYTES];
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        if (sysctl_line(p, rows[i].sysctl, value, sizeof(value)) == 0)
            fn(ctx, rows[i].key, value);
    }
    /* all CPUs share cpu0's frequency unless the driver says otherwise; then it has a node of its own */
    snprintf(name, sizeof(name), "dev.cpu.%d.freq", cpu < 0 ? 0 : cpu);
    if (sysctl_line(p, name, value, sizeof(value)) == 0 ||
        sysctl_line(p, "dev.cpu.0.freq", value, sizeof(value)) == 0)
        fn(ctx, "cpu_mhz", value);
    snprintf(name, sizeof(name), "dev.cpu.%d.cx_lowest", cpu < 0 ? 0 : cpu);
    if (sysctl_line(p, name, value, sizeof(value)) == 0)
        fn(ctx, "idle_lowest", value);
}

int st_tree_virtualised_freebsd(struct st_platform *p, bool *ret)
{
    char value[VALUE_BYTES];
    if (sysctl_line(p, "kern.vm_guest", value, sizeof(value)) < 0)
        return -ENODATA;
    *ret = strcmp(value, "none") != 0;
    return 0;
}
