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

int st_tree_first_line(struct st_machine *machine, const char *path, char *buf, size_t buf_bytes)
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

struct say {
    struct st_machine *machine;
    st_condition_fn fn;
    void *ctx;
};

static void say_line(const struct say *say, const char *key, const char *path)
{
    char value[VALUE_BYTES];
    if (st_tree_first_line(say->machine, path, value, sizeof(value)) == 0)
        say->fn(say->ctx, key, value);
}

/* --- kernel --- */

/* Of the kernel's build configuration. /proc/config.gz is left alone: it takes a decompressor. */
static void say_hz(const struct say *say)
{
    char release[VALUE_BYTES], value[32];
    size_t len;
    if (st_tree_first_line(say->machine, "/proc/sys/kernel/osrelease", release, sizeof(release)) < 0 ||
        strchr(release, '/') != NULL)
        return;
    const char *path = ST_TEXT(VALUE_BYTES + 16, "/boot/config-%s", release);
    /* not malloc, which would keep pages of it: a program that measures stays small */
    char *text = mmap(NULL, CONFIG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED)
        return;
    if (say->machine->read_text(say->machine, path, text, CONFIG_BYTES, &len) == 0 &&
        st_proc_line_text(text, "CONFIG_HZ=", value, sizeof(value)) == 0)
        say->fn(say->ctx, "hz", value);
    munmap(text, CONFIG_BYTES);
}

/* How PREEMPT_DYNAMIC was set: by debugfs, or by the command line. */
static int preempt_mode(struct st_machine *machine, char *buf, size_t buf_bytes)
{
    char text[4096];
    if (st_tree_first_line(machine, "/sys/kernel/debug/sched/preempt", text, sizeof(text)) == 0 &&
        st_proc_chosen(text, buf, buf_bytes) == 0)
        return 0;
    static const char *const modes[] = {"none", "voluntary", "full", "lazy"};
    if (st_tree_first_line(machine, "/proc/cmdline", text, sizeof(text)) < 0)
        return -ENODATA;
    ST_EACH (mode, modes) {
        const char *word = ST_TEXT(32, "preempt=%s", *mode);
        if (st_proc_has_word(text, word)) {
            snprintf(buf, buf_bytes, "%s", *mode);
            return 0;
        }
    }
    return -ENODATA;
}

/* The version text (uname -v) names the preemption model; nothing there is none or voluntary. */
static void say_preemption(const struct say *say, const char *version)
{
    char realtime[8], mode[32], value[64];
    if (st_proc_has_word(version, "PREEMPT_RT") ||
        (st_tree_first_line(say->machine, "/sys/kernel/realtime", realtime, sizeof(realtime)) == 0 &&
         realtime[0] == '1')) {
        say->fn(say->ctx, "preemption", "PREEMPT_RT");
    } else if (st_proc_has_word(version, "PREEMPT_DYNAMIC")) {
        const bool known = preempt_mode(say->machine, mode, sizeof(mode)) == 0;
        ST_PRINT(value, "PREEMPT_DYNAMIC%s%s", known ? ", " : "", known ? mode : "");
        say->fn(say->ctx, "preemption", value);
    } else if (st_proc_has_word(version, "PREEMPT")) {
        say->fn(say->ctx, "preemption", "PREEMPT");
    } else {
        say->fn(say->ctx, "preemption", "none or voluntary");
    }
}

static void say_kernel(const struct say *say)
{
    char version[VALUE_BYTES];
    say->fn(say->ctx, "os", "Linux");
    say_line(say, "kernel_release", "/proc/sys/kernel/osrelease");
    if (st_tree_first_line(say->machine, "/proc/sys/kernel/version", version, sizeof(version)) == 0) {
        say->fn(say->ctx, "kernel_version", version);
        say_preemption(say, version);
    }
    say_hz(say);
}

/* --- CPU --- */

static int cpuinfo(struct st_machine *machine, char *buf, size_t buf_bytes)
{
    size_t len;
    const int r = machine->read_text(machine, "/proc/cpuinfo", buf, buf_bytes, &len);
    return r == -EFBIG ? 0 : r;
}

static void say_cpus(const struct say *say)
{
    char text[CPUINFO_BYTES], value[VALUE_BYTES];
    static const char *const model_keys[] = {"model name", "Model", "cpu model",
                                             "Processor"}; /* x86, arm64 .. */
    if (cpuinfo(say->machine, text, sizeof(text)) == 0) {
        ST_EACH (key, model_keys) {
            if (st_proc_field(text, *key, value, sizeof(value)) == 0 && value[0] != '\0') {
                say->fn(say->ctx, "cpu_model", value);
                break;
            }
        }
    }
    if (st_tree_first_line(say->machine, CPU_DIR "online", text, sizeof(text)) == 0) {
        struct st_cpu_list online;
        if (st_cpu_list_parse(text, &online) == 0 && online.n > 0) {
            ST_PRINT(value, "%zu", online.n);
            say->fn(say->ctx, "cpus_online", value);
        }
    }
    const int r = st_tree_first_line(say->machine, CPU_DIR "isolated", value, sizeof(value));
    if (r == 0 || r == -ENODATA) /* an empty list is an answer */
        say->fn(say->ctx, "cpus_isolated", r == 0 ? value : "none");
}

/* Distinct values of one file of all frequency policies. */
struct policies {
    struct st_machine *machine;
    const char *file;
    char joined[VALUE_BYTES];
};

static int join_policy(void *ctx, const char *name)
{
    struct policies *policies = ctx;
    char path[VALUE_BYTES], value[64];
    const int n = ST_PRINT(path, CPU_DIR "cpufreq/%s/%s", name, policies->file);
    if (n < 0 || (size_t)n >= sizeof(path) ||
        st_tree_first_line(policies->machine, path, value, sizeof(value)) < 0 ||
        st_proc_has_word(policies->joined, value))
        return 0;
    const size_t have = strlen(policies->joined);
    const size_t left = sizeof(policies->joined) - have;
    if (strlen(value) + 2 <= left)
        snprintf(policies->joined + have, left, "%s%s", have > 0 ? " " : "", value);
    return 0;
}

static void say_cpufreq(const struct say *say, int cpu, const char *key, const char *file)
{
    if (cpu >= 0) {
        const char *path = ST_TEXT(VALUE_BYTES, CPU_DIR "cpu%d/cpufreq/%s", cpu, file);
        say_line(say, key, path);
        return;
    }
    struct policies policies = {.machine = say->machine, .file = file};
    if (say->machine->list(say->machine, CPU_DIR "cpufreq", join_policy, &policies) == 0 &&
        policies.joined[0] != '\0')
        say->fn(say->ctx, key, policies.joined);
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

static const struct dmi_row *dmi_find(struct st_machine *machine)
{
    static const char *const files[] = {"product_name", "sys_vendor", "board_vendor", "bios_vendor"};
    ST_EACH (file, files) {
        char value[VALUE_BYTES];
        const char *path = ST_TEXT(64, "/sys/class/dmi/id/%s", *file);
        if (st_tree_first_line(machine, path, value, sizeof(value)) < 0)
            continue;
        ST_EACH (row, dmi_rows) {
            if (st_text_begins(value, row->begins))
                return row;
        }
    }
    return NULL;
}

static int virtualised_linux(struct st_machine *machine, bool *ret)
{
    char text[CPUINFO_BYTES], flags[CPUINFO_BYTES];
    if (st_tree_first_line(machine, "/sys/hypervisor/type", text, sizeof(text)) == 0) {
        *ret = true;
        return 0;
    }
    if (cpuinfo(machine, text, sizeof(text)) == 0 &&
        st_proc_field(text, "flags", flags, sizeof(flags)) == 0) {
        *ret = st_proc_has_word(flags, "hypervisor"); /* x86: CPUID leaf 1, ECX bit 31 */
        return 0;
    }
    const struct dmi_row *row = dmi_find(machine);
    if (row == NULL || row->also_metal)
        return -ENODATA;
    *ret = true;
    return 0;
}

static void say_hypervisor(const struct say *say)
{
    bool virtualised;
    char value[VALUE_BYTES];
    if (virtualised_linux(say->machine, &virtualised) < 0)
        return;
    if (!virtualised) {
        say->fn(say->ctx, "hypervisor", "none");
    } else if (st_tree_first_line(say->machine, "/sys/hypervisor/type", value, sizeof(value)) == 0) {
        say->fn(say->ctx, "hypervisor", value);
    } else {
        const struct dmi_row *row = dmi_find(say->machine);
        say->fn(say->ctx, "hypervisor", row != NULL ? row->hypervisor : "unnamed");
    }
}

/* --- all of it --- */

static void conditions_linux(struct st_machine *machine, int cpu, st_condition_fn fn, void *ctx)
{
    const struct say say = {.machine = machine, .fn = fn, .ctx = ctx};
    say_kernel(&say);
    say_cpus(&say);
    say_hypervisor(&say);
    say_line(&say, "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    say_cpufreq(&say, cpu, "cpufreq_driver", "scaling_driver");
    say_cpufreq(&say, cpu, "governor", "scaling_governor");
    say_cpufreq(&say, cpu, "energy_performance_preference", "energy_performance_preference");
    say_line(&say, "idle_driver", CPU_DIR "cpuidle/current_driver");
    say_line(&say, "idle_governor", CPU_DIR "cpuidle/current_governor_ro");
}

/* /proc/sys/<name with slashes> */
static int sysctl_path(const char *name, char *path, size_t path_bytes)
{
    if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL)
        return -EINVAL;
    const int n = snprintf(path, path_bytes, "/proc/sys/%s", name);
    if (n < 0 || (size_t)n >= path_bytes)
        return -ENAMETOOLONG;
    for (char *s = path + strlen("/proc/sys/"); *s != '\0'; s++) {
        if (*s == '.')
            *s = '/';
    }
    return 0;
}

int st_tree_read_sysctl_linux(struct st_machine *machine, const char *name, char *buf, size_t buf_bytes,
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

int st_tree_write_sysctl_linux(struct st_writer *writer, const char *name, const char *text)
{
    char path[VALUE_BYTES];
    const int r = sysctl_path(name, path, sizeof(path));
    return r < 0 ? r : writer->write_value(writer, path, text);
}

/* --- FreeBSD --- */

static int sysctl_line(struct st_machine *machine, const char *name, char *buf, size_t buf_bytes)
{
    size_t len;
    const int r = machine->read_sysctl(machine, name, buf, buf_bytes, &len);
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

static void conditions_freebsd(struct st_machine *machine, int cpu, st_condition_fn fn, void *ctx)
{
    char name[64], value[VALUE_BYTES];
    ST_EACH (row, rows) {
        if (sysctl_line(machine, row->sysctl, value, sizeof(value)) == 0)
            fn(ctx, row->key, value);
    }
    /* all CPUs share cpu0's frequency unless the driver says otherwise; then it has a node of its own */
    ST_PRINT(name, "dev.cpu.%d.freq", cpu < 0 ? 0 : cpu);
    if (sysctl_line(machine, name, value, sizeof(value)) == 0 ||
        sysctl_line(machine, "dev.cpu.0.freq", value, sizeof(value)) == 0)
        fn(ctx, "cpu_mhz", value);
    ST_PRINT(name, "dev.cpu.%d.cx_lowest", cpu < 0 ? 0 : cpu);
    if (sysctl_line(machine, name, value, sizeof(value)) == 0)
        fn(ctx, "idle_lowest", value);
}

static int virtualised_freebsd(struct st_machine *machine, bool *ret)
{
    char value[VALUE_BYTES];
    if (sysctl_line(machine, "kern.vm_guest", value, sizeof(value)) < 0)
        return -ENODATA;
    *ret = !st_text_is(value, "none");
    return 0;
}

/* --- by the OS of the tunables --- */

void st_tree_conditions(struct st_machine *machine, int cpu, st_condition_fn fn, void *ctx)
{
    switch (machine->os) {
    case ST_OS_LINUX:
        conditions_linux(machine, cpu, fn, ctx);
        break;
    case ST_OS_FREEBSD:
        conditions_freebsd(machine, cpu, fn, ctx);
        break;
    }
}

int st_tree_virtualised(struct st_machine *machine, bool *ret)
{
    return machine->os == ST_OS_LINUX ? virtualised_linux(machine, ret) : virtualised_freebsd(machine, ret);
}
