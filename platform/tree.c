/* Reads a machine's files of /proc and /sys and its sysctls, and what follows from them. */
#include "platform/tree.h"

#include <sys/mman.h>

#include "core/cpu_list.h"
#include "core/text/text.h"
#include "platform/proc.h"

#define CPU_DIR "/sys/devices/system/cpu/"
/* most bytes of a kernel's build configuration; Debian's has 250 KiB */
#define CONFIG_BYTES 524288

const char *st_tree_text(struct st_platform *machine, const char *path)
{
    char text[ST_TEXT_MAX_BYTES];
    size_t len;
    const int r = machine->read_text(machine, path, text, sizeof(text), &len);
    return r == 0 || r == -EFBIG ? st_text("%s", text) : "";
}

const char *st_tree_first_line(struct st_platform *machine, const char *path)
{
    return st_text_or(st_proc_line_text(st_tree_text(machine, path), ""), NULL);
}

const char *st_tree_sysctl_line(struct st_platform *machine, const char *name)
{
    char text[256];
    size_t len;
    const int r = machine->read_sysctl(machine, name, text, sizeof(text), &len);
    if (r != 0 && r != -EFBIG)
        return NULL;
    return st_text_or(st_proc_line_text(text, ""), NULL);
}

/* A test condition. Its value is the first line of the file or sysctl `path`, or the text that
 * `get` returns. A condition without value (NULL) is left out. */
struct condition {
    const char *key, *path;
    const char *(*get)(struct st_platform *machine, int cpu, const struct condition *condition);
};

/* --- kernel --- */

/* Tick rate from the kernel's build configuration. /proc/config.gz is not read, since that takes a
 * decompressor. */
static const char *hz(struct st_platform *machine, ST_UNUSED int cpu,
                      const struct condition *condition)
{
    size_t len;
    const char *release = st_tree_first_line(machine, "/proc/sys/kernel/osrelease"), *value = NULL;
    if (release == NULL || strchr(release, '/') != NULL)
        return NULL;
    /* not malloc, which would keep the pages: a measuring program stays small */
    char *text =
        mmap(NULL, CONFIG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED)
        return NULL;
    if (machine->read_text(machine, st_text("%s%s", condition->path, release), text, CONFIG_BYTES,
                           &len) == 0)
        value = st_proc_line_text(text, "CONFIG_HZ=");
    munmap(text, CONFIG_BYTES);
    return value;
}

/* How PREEMPT_DYNAMIC was set: by debugfs, or by the command line. NULL: not known. */
static const char *preempt_mode(struct st_platform *machine)
{
    static const char *const modes[] = {"none", "voluntary", "full", "lazy"};
    const char *chosen = st_proc_chosen(st_tree_text(machine, "/sys/kernel/debug/sched/preempt"));
    if (chosen != NULL)
        return chosen;
    const char *words = st_tree_text(machine, "/proc/cmdline");
    ST_EACH (mode, modes) {
        if (st_proc_has_word(words, st_text("preempt=%s", *mode)))
            return *mode;
    }
    return NULL;
}

/* Finds the preemption model, which the version text (uname -v) names. If the text names none, the
 * model is "none" or "voluntary". */
static const char *preemption(struct st_platform *machine, ST_UNUSED int cpu,
                              const struct condition *condition)
{
    const char *version = st_tree_first_line(machine, condition->path);
    if (version == NULL)
        return NULL;
    if (st_proc_has_word(version, "PREEMPT_RT") ||
        st_tree_text(machine, "/sys/kernel/realtime")[0] == '1')
        return "PREEMPT_RT";
    if (st_proc_has_word(version, "PREEMPT_DYNAMIC"))
        return st_text_joined("PREEMPT_DYNAMIC", ", ", preempt_mode(machine));
    return st_proc_has_word(version, "PREEMPT") ? "PREEMPT" : "none or voluntary";
}

/* --- CPU --- */

/* Finds a field of the first CPU in /proc/cpuinfo. @return NULL: there is no such field. */
static const char *cpuinfo(struct st_platform *machine, const char *key)
{
    return st_proc_field(st_tree_text(machine, "/proc/cpuinfo"), key);
}

static const char *cpu_model(struct st_platform *machine, ST_UNUSED int cpu,
                             ST_UNUSED const struct condition *condition)
{
    /* keys on x86, arm64 and others */
    static const char *const keys[] = {"model name", "Model", "cpu model", "Processor"};
    ST_EACH (key, keys) {
        const char *value = st_text_or(cpuinfo(machine, *key), NULL);
        if (value != NULL)
            return value;
    }
    return NULL;
}

static const char *cpus_online(struct st_platform *machine, ST_UNUSED int cpu,
                               const struct condition *condition)
{
    const char *text = st_tree_first_line(machine, condition->path);
    struct st_cpu_list online;
    if (text != NULL && st_cpu_list_parse(text, &online) == 0 && online.n > 0)
        return st_text("%zu", online.n);
    return NULL;
}

static const char *cpus_isolated(struct st_platform *machine, ST_UNUSED int cpu,
                                 const struct condition *condition)
{
    char text[4096];
    size_t len;
    if (machine->read_text(machine, condition->path, text, sizeof(text), &len) != 0)
        return NULL;
    return st_text_or(st_proc_line_text(text, ""), "none"); /* an empty list: no CPU is isolated */
}

/* Collects the distinct values that one file has in the folders of all frequency policies. */
struct policies {
    struct st_platform *machine;
    const char *file, *joined;
};

static int join_policy(void *ctx, const char *name)
{
    struct policies *policies = ctx;
    const char *own = st_tree_first_line(policies->machine,
                                         st_text(CPU_DIR "cpufreq/%.32s/%s", name, policies->file));
    if (own != NULL && !st_proc_has_word(policies->joined, own))
        policies->joined = st_text_joined(policies->joined, " ", own);
    return 0;
}

static const char *cpufreq(struct st_platform *machine, int cpu, const struct condition *condition)
{
    struct policies policies = {machine, condition->path, ""};
    if (cpu >= 0)
        return st_tree_first_line(machine,
                                  st_text(CPU_DIR "cpu%d/cpufreq/%s", cpu, condition->path));
    (void)machine->list(machine, CPU_DIR "cpufreq", join_policy, &policies);
    return st_text_or(policies.joined, NULL);
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
    {"Virtual Machine", "hyper-v"}, /* product name; the vendor Microsoft also sells laptops */
};

static const struct dmi_row *dmi_find(struct st_platform *machine)
{
    static const char *const files[] = {"product_name", "sys_vendor", "board_vendor",
                                        "bios_vendor"};
    ST_EACH (file, files) {
        const char *value = st_tree_first_line(machine, st_text("/sys/class/dmi/id/%s", *file));
        ST_EACH (row, dmi_rows) {
            if (value != NULL && st_text_begins(value, row->begins))
                return row;
        }
    }
    return NULL;
}

/* Name of the hypervisor, "unnamed", or "none". @return NULL: unknown. */
static const char *hypervisor(struct st_platform *machine, ST_UNUSED int cpu,
                              ST_UNUSED const struct condition *condition)
{
    const char *type = st_tree_first_line(machine, "/sys/hypervisor/type");
    const char *flags = cpuinfo(machine, "flags");
    if (type != NULL)
        return type;
    /* x86: CPUID leaf 1, ECX bit 31 */
    if (flags != NULL && !st_proc_has_word(flags, "hypervisor"))
        return "none";
    const struct dmi_row *row = dmi_find(machine);
    if (row != NULL && (flags != NULL || !row->also_metal))
        return row->hypervisor;
    return flags != NULL ? "unnamed" : NULL;
}

static const char *os_name(ST_UNUSED struct st_platform *machine, ST_UNUSED int cpu,
                           const struct condition *condition)
{
    return condition->path;
}

static const struct condition of_linux[] = {
    {"os", "Linux", os_name},
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

/* @return the path of a sysctl's file: /proc/sys/ and the name, with slashes for dots; "": the name
 * is not valid. */
static const char *sysctl_path(const char *name)
{
    if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL)
        return "";
    return st_text_swap(st_text("/proc/sys/%s", name), '.', '/');
}

int st_tree_read_sysctl_linux(struct st_platform *machine, const char *name, char *buf,
                              size_t buf_bytes, size_t *ret_len)
{
    size_t len;
    const int r = machine->read_text(machine, sysctl_path(name), buf, buf_bytes, &len);
    if (r < 0 && r != -EFBIG)
        return r;
    /* the file ends with a newline, which is not part of the value */
    if (r == 0 && len > 0 && buf[len - 1] == '\n')
        buf[--len] = '\0';
    *ret_len = len;
    return r;
}

int st_tree_write_sysctl_linux(struct st_platform *platform, const char *name, const char *text)
{
    return platform->write_value(platform, sysctl_path(name), text);
}

/* --- FreeBSD --- */

static const char *of_cpu(struct st_platform *machine, int cpu, const struct condition *condition)
{
    return st_tree_sysctl_line(machine, st_text("dev.cpu.%d.%s", ST_MAX(cpu, 0), condition->path));
}

/* The frequency of a CPU, if the CPU has a sysctl for it; otherwise that of cpu0, which all CPUs
 * then share. */
static const char *cpu_mhz(struct st_platform *machine, int cpu, const struct condition *condition)
{
    const char *own = of_cpu(machine, cpu, condition);
    return own != NULL ? own : of_cpu(machine, 0, condition);
}

/* Test conditions that FreeBSD reads from sysctls, each from the first line. In kern.version, the
 * second line is the build folder. */
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

static const struct {
    const struct condition *rows;
    size_t n;
    const char *(*line)(struct st_platform *machine, const char *path);
} of_os[] = {[ST_OS_LINUX] = {of_linux, ST_ARRAY_LEN(of_linux), st_tree_first_line},
             [ST_OS_FREEBSD] = {of_freebsd, ST_ARRAY_LEN(of_freebsd), st_tree_sysctl_line}};

static const char *value_of(struct st_platform *machine, int cpu, const struct condition *row)
{
    if (row->get != NULL)
        return row->get(machine, cpu, row);
    return of_os[machine->os].line(machine, row->path);
}

void st_tree_conditions(struct st_platform *machine, int cpu, st_condition_fn fn, void *ctx)
{
    ST_EACH_OF (row, of_os[machine->os].rows, of_os[machine->os].n) {
        const char *value = value_of(machine, cpu, row);
        if (value != NULL)
            fn(ctx, row->key, value);
    }
}

int st_tree_virtualised(struct st_platform *machine, bool *ret)
{
    const char *name = machine->os == ST_OS_LINUX ? hypervisor(machine, -1, NULL)
                                                  : st_tree_sysctl_line(machine, "kern.vm_guest");
    if (name == NULL)
        return -ENODATA;
    *ret = !st_text_is(name, "none");
    return 0;
}
