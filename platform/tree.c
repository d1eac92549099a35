/* Facts about a machine from its tunables. */
#include "platform/tree.h"

#include <sys/mman.h>

#include "core/cpu_list.h"
#include "core/text/text.h"
#include "platform/proc.h"

#define CPU_DIR       "/sys/devices/system/cpu/"
#define CPUINFO_BYTES 16384  /* the first CPU's part is enough */
#define CONFIG_BYTES  524288 /* Debian's are 250 KiB */
#define VALUE_BYTES   256

int st_tree_first_line(struct st_platform *machine, const char *path, char *buf, size_t buf_bytes)
{
    size_t len;
    const int r = machine->read_text(machine, path, buf, buf_bytes, &len);
    if (r < 0 && r != -EFBIG)
        return r;
    char *start = buf + strspn(buf, " \t");
    size_t n = strcspn(start, "\r\n");
    while (n > 0 && (start[n - 1] == ' ' || start[n - 1] == '\t'))
        n--;
    memmove(buf, start, n);
    buf[n] = '\0';
    return n > 0 ? 0 : -ENODATA;
}

/* A condition: the first line of the file or sysctl, or what `get` makes of it. value: of VALUE_BYTES.
 * @return 0; else it is left out. */
struct condition {
    const char *key, *path;
    int (*get)(struct st_platform *machine, int cpu, const struct condition *condition, char *value);
};

/* --- kernel --- */

/* Of the kernel's build configuration. /proc/config.gz is left alone: it takes a decompressor. */
static int hz(struct st_platform *machine, ST_UNUSED int cpu, const struct condition *condition, char *value)
{
    char release[VALUE_BYTES];
    size_t len;
    if (st_tree_first_line(machine, "/proc/sys/kernel/osrelease", release, sizeof(release)) < 0 ||
        strchr(release, '/') != NULL)
        return -ENODATA;
    const char *path = st_text("%s%s", condition->path, release);
    /* not malloc, which would keep pages of it: a program that measures stays small */
    char *text = mmap(NULL, CONFIG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED)
        return -ENOMEM;
    int r = machine->read_text(machine, path, text, CONFIG_BYTES, &len);
    if (r == 0)
        r = st_proc_line_text(text, "CONFIG_HZ=", value, VALUE_BYTES);
    munmap(text, CONFIG_BYTES);
    return r;
}

/* How PREEMPT_DYNAMIC was set: by debugfs, or by the command line. */
static int preempt_mode(struct st_platform *machine, char *buf, size_t buf_bytes)
{
    char text[4096];
    if (st_tree_first_line(machine, "/sys/kernel/debug/sched/preempt", text, sizeof(text)) == 0 &&
        st_proc_chosen(text, buf, buf_bytes) == 0)
        return 0;
    static const char *const modes[] = {"none", "voluntary", "full", "lazy"};
    if (st_tree_first_line(machine, "/proc/cmdline", text, sizeof(text)) < 0)
        return -ENODATA;
    ST_EACH (mode, modes) {
        const char *word = st_text("preempt=%s", *mode);
        if (st_proc_has_word(text, word)) {
            snprintf(buf, buf_bytes, "%s", *mode);
            return 0;
        }
    }
    return -ENODATA;
}

/* The version text (uname -v) names the preemption model; nothing there is none or voluntary. */
static int preemption(struct st_platform *machine, ST_UNUSED int cpu, const struct condition *condition,
                      char *value)
{
    char version[VALUE_BYTES], realtime[8], mode[32] = "";
    const int r = st_tree_first_line(machine, condition->path, version, sizeof(version));
    if (r != 0)
        return r;
    const bool is_rt =
        st_proc_has_word(version, "PREEMPT_RT") ||
        (st_tree_first_line(machine, "/sys/kernel/realtime", realtime, sizeof(realtime)) == 0 &&
         realtime[0] == '1');
    const bool is_dynamic = !is_rt && st_proc_has_word(version, "PREEMPT_DYNAMIC");
    const bool has_mode = is_dynamic && preempt_mode(machine, mode, sizeof(mode)) == 0;
    snprintf(value, VALUE_BYTES, "%s%s%s",
             is_rt                                  ? "PREEMPT_RT"
             : is_dynamic                           ? "PREEMPT_DYNAMIC"
             : st_proc_has_word(version, "PREEMPT") ? "PREEMPT"
                                                    : "none or voluntary",
             has_mode ? ", " : "", mode);
    return 0;
}

/* --- CPU --- */

static int cpuinfo(struct st_platform *machine, char *buf, size_t buf_bytes)
{
    size_t len;
    const int r = machine->read_text(machine, "/proc/cpuinfo", buf, buf_bytes, &len);
    return r == -EFBIG ? 0 : r;
}

static int cpu_model(struct st_platform *machine, ST_UNUSED int cpu,
                     ST_UNUSED const struct condition *condition, char *value)
{
    static const char *const keys[] = {"model name", "Model", "cpu model", "Processor"}; /* x86, arm64 .. */
    char text[CPUINFO_BYTES];
    const bool is_read = cpuinfo(machine, text, sizeof(text)) == 0;
    ST_EACH (key, keys) {
        if (is_read && st_proc_field(text, *key, value, VALUE_BYTES) == 0 && value[0] != '\0')
            return 0;
    }
    return -ENODATA;
}

static int cpus_online(struct st_platform *machine, ST_UNUSED int cpu, const struct condition *condition,
                       char *value)
{
    char text[CPUINFO_BYTES];
    struct st_cpu_list online;
    if (st_tree_first_line(machine, condition->path, text, sizeof(text)) != 0 ||
        st_cpu_list_parse(text, &online) != 0 || online.n == 0)
        return -ENODATA;
    snprintf(value, VALUE_BYTES, "%zu", online.n);
    return 0;
}

static int cpus_isolated(struct st_platform *machine, ST_UNUSED int cpu, const struct condition *condition,
                         char *value)
{
    const int r = st_tree_first_line(machine, condition->path, value, VALUE_BYTES);
    if (r != -ENODATA)
        return r;
    snprintf(value, VALUE_BYTES, "none"); /* an empty list is an answer */
    return 0;
}

/* Distinct values of one file of all frequency policies. */
struct policies {
    struct st_platform *machine;
    const char *file;
    char *joined; /* VALUE_BYTES */
};

static int join_policy(void *ctx, const char *name)
{
    const struct policies *policies = ctx;
    char own[64];
    if (strlen(name) <= 32 &&
        st_tree_first_line(policies->machine, st_text(CPU_DIR "cpufreq/%s/%s", name, policies->file), own,
                           sizeof(own)) == 0 &&
        !st_proc_has_word(policies->joined, own))
        st_text_join(policies->joined, VALUE_BYTES, " ", "%s", own);
    return 0;
}

static int cpufreq(struct st_platform *machine, int cpu, const struct condition *condition, char *value)
{
    struct policies policies = {machine, condition->path, value};
    if (cpu >= 0)
        return st_tree_first_line(machine, st_text(CPU_DIR "cpu%d/cpufreq/%s", cpu, condition->path), value,
                                  VALUE_BYTES);
    value[0] = '\0';
    const int r = machine->list(machine, CPU_DIR "cpufreq", join_policy, &policies);
    return r == 0 && value[0] == '\0' ? -ENODATA : r;
}

/* --- hypervisor --- */

struct dmi_row {
    const char *begins;
    const char *hypervisor;
    bool also_metal; /* the same vendor sells machines without a hypervisor */
};

static const struct dmi_row dmi_rows[] = {
    {"KVM", "kvm"},
    {"QEMU", "qemu"},
    {"OpenStack", "kvm"},
    {"KubeVirt", "kvm"},
    {"Amazon EC2", "amazon", .also_metal = true},
    {"Google Compute Engine", "google", .also_metal = true},
    {"VMware", "vmware"},
    {"innotek GmbH", "virtualbox"},
    {"VirtualBox", "virtualbox"},
    {"Xen", "xen"},
    {"Bochs", "bochs"},
    {"Parallels", "parallels"},
    {"BHYVE", "bhyve"},
    {"Apple Virtualization", "apple"},
    {"Virtual Machine", "hyper-v"}, /* product name; its vendor is Microsoft, who sell laptops too */
};

static const struct dmi_row *dmi_find(struct st_platform *machine)
{
    static const char *const files[] = {"product_name", "sys_vendor", "board_vendor", "bios_vendor"};
    ST_EACH (file, files) {
        char value[VALUE_BYTES];
        const char *path = st_text("/sys/class/dmi/id/%s", *file);
        if (st_tree_first_line(machine, path, value, sizeof(value)) < 0)
            continue;
        ST_EACH (row, dmi_rows) {
            if (st_text_begins(value, row->begins))
                return row;
        }
    }
    return NULL;
}

/* Its name, "unnamed", or "none". @return 0 or -ENODATA: unknown. */
static int hypervisor(struct st_platform *machine, ST_UNUSED int cpu,
                      ST_UNUSED const struct condition *condition, char *value)
{
    char text[CPUINFO_BYTES], flags[CPUINFO_BYTES];
    if (st_tree_first_line(machine, "/sys/hypervisor/type", value, VALUE_BYTES) == 0)
        return 0;
    const bool has_flags =
        cpuinfo(machine, text, sizeof(text)) == 0 && st_proc_field(text, "flags", flags, sizeof(flags)) == 0;
    /* x86: CPUID leaf 1, ECX bit 31 */
    const bool is_guest = has_flags && st_proc_has_word(flags, "hypervisor");
    const struct dmi_row *row = is_guest || !has_flags ? dmi_find(machine) : NULL;
    if (!has_flags && (row == NULL || row->also_metal))
        return -ENODATA;
    snprintf(value, VALUE_BYTES, "%s", row != NULL ? row->hypervisor : is_guest ? "unnamed" : "none");
    return 0;
}

static const struct condition of_linux[] = {
    {"kernel_release", "/proc/sys/kernel/osrelease"},
    {"kernel_version", "/proc/sys/kernel/version"},
    {"preemption", "/proc/sys/kernel/version", preemption},
    {"hz", "/boot/config-", hz},
    {"cpu_model", NULL, cpu_model},
    {"cpus_online", CPU_DIR "online", cpus_online},
    {"cpus_isolated", CPU_DIR "isolated", cpus_isolated},
    {"hypervisor", NULL, hypervisor},
    {"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"cpufreq_driver", "scaling_driver", cpufreq},
    {"governor", "scaling_governor", cpufreq},
    {"energy_performance_preference", "energy_performance_preference", cpufreq},
    {"idle_driver", CPU_DIR "cpuidle/current_driver"},
    {"idle_governor", CPU_DIR "cpuidle/current_governor_ro"},
};

/* /proc/sys/<name with slashes> */
static int sysctl_path(const char *name, char *path, size_t path_bytes)
{
    if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL)
        return -EINVAL;
    const int n = snprintf(path, path_bytes, "/proc/sys/%s", name);
    if (n < 0 || (size_t)n >= path_bytes)
        return -ENAMETOOLONG;
    st_text_swap(path, '.', '/');
    return 0;
}

int st_tree_read_sysctl_linux(struct st_platform *machine, const char *name, char *buf, size_t buf_bytes,
                              size_t *ret_len)
{
    char path[VALUE_BYTES];
    size_t len;
    int r = sysctl_path(name, path, sizeof(path));
    if (r < 0)
        return r;
    r = machine->read_text(machine, path, buf, buf_bytes, &len);
    if (r < 0 && r != -EFBIG)
        return r;
    if (r == 0 && len > 0 &&
        buf[len - 1] == '\n') /* sysctl -n ends every value with it: not part of the value */
        buf[--len] = '\0';
    *ret_len = len;
    return r;
}

int st_tree_write_sysctl_linux(struct st_platform *platform, const char *name, const char *text)
{
    char path[VALUE_BYTES];
    const int r = sysctl_path(name, path, sizeof(path));
    return r < 0 ? r : platform->write_value(platform, path, text);
}

/* --- FreeBSD --- */

static int sysctl_line(struct st_platform *machine, const char *name, char *buf, size_t buf_bytes)
{
    size_t len;
    const int r = machine->read_sysctl(machine, name, buf, buf_bytes, &len);
    if (r < 0 && r != -EFBIG)
        return r;
    buf[strcspn(buf, "\r\n")] = '\0';
    return buf[0] != '\0' ? 0 : -ENODATA;
}

static int of_cpu(struct st_platform *machine, int cpu, const struct condition *condition, char *value)
{
    const char *name = st_text("dev.cpu.%d.%s", cpu < 0 ? 0 : cpu, condition->path);
    return sysctl_line(machine, name, value, VALUE_BYTES);
}

/* All CPUs share cpu0's frequency unless the driver says otherwise; then it has a node of its own. */
static int cpu_mhz(struct st_platform *machine, int cpu, const struct condition *condition, char *value)
{
    return of_cpu(machine, cpu, condition, value) == 0 ? 0 : of_cpu(machine, 0, condition, value);
}

/* kern.version ends in the build folder on its second line; the first one says release and build. */
static const struct condition of_freebsd[] = {
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
    {"cpu_mhz", "freq", cpu_mhz},
    {"idle_lowest", "cx_lowest", of_cpu},
};

/* --- by the OS of the tunables --- */

void st_tree_conditions(struct st_platform *machine, int cpu, st_condition_fn fn, void *ctx)
{
    const bool is_linux = machine->os == ST_OS_LINUX;
    const struct condition *rows = is_linux ? of_linux : of_freebsd;
    char value[VALUE_BYTES];
    if (is_linux)
        fn(ctx, "os", "Linux");
    ST_EACH_OF (row, rows, is_linux ? ST_ARRAY_LEN(of_linux) : ST_ARRAY_LEN(of_freebsd)) {
        const int r = row->get != NULL ? row->get(machine, cpu, row, value)
                      : is_linux       ? st_tree_first_line(machine, row->path, value, sizeof(value))
                                       : sysctl_line(machine, row->path, value, sizeof(value));
        if (r == 0)
            fn(ctx, row->key, value);
    }
}

int st_tree_virtualised(struct st_platform *machine, bool *ret)
{
    char name[VALUE_BYTES];
    const int r = machine->os == ST_OS_LINUX ? hypervisor(machine, -1, NULL, name)
                                             : sysctl_line(machine, "kern.vm_guest", name, sizeof(name));
    if (r != 0)
        return -ENODATA;
    *ret = !st_text_is(name, "none");
    return 0;
}
