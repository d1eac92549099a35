/* Linux: facts about the machine: CPUs, hypervisor or container, the idle latency that programs
 * request, swap. */
#include "advisor/collect/collector.h"

/* --- hypervisor or container, and the idle latency that programs request --- */

#define VIRTUAL_SOURCE "/proc/cpuinfo, /sys/class/dmi, CPUID"
#define KERNEL_LOG     "output of dmesg"
#define REQUEST_PATH   "/dev/cpu_dma_latency"

static void container(struct st_collector *c)
{
    static const struct {
        const char *path;
        const char *name; /* name of the container; NULL: the file's text is the name */
    } marks[] = {
        {"/.flatpak-info", "flatpak"},    {"/run/.toolboxenv", "toolbox"},
        {"/run/systemd/container", NULL}, {"/run/.containerenv", "podman"},
        {"/.dockerenv", "docker"},
    };
    ST_EACH (mark, marks) {
        if (st_collector_begin(c, mark->path, c->buf, c->buf_bytes) != 0)
            continue;
        st_collector_put_text(c, ST_KEY_SYSTEM_CONTAINER, st_text_or(mark->name, c->buf),
                              mark->path);
        return;
    }
    st_collector_put_failure(c, ST_KEY_SYSTEM_CONTAINER, -ENOENT, marks[0].path);
}

/** Reads the wake-up latency that programs of a captured machine requested, from a file of 4 bytes:
 * s32, us, little-endian. */
static void captured_request(struct st_collector *c)
{
    char buf[16];
    size_t len = 0;
    uint32_t value = 0;
    int r = c->p->read_text(c->p, REQUEST_PATH, buf, sizeof(buf), &len);
    if (r == 0 && len != 4)
        r = -EBADMSG;
    for (size_t i = 4; i-- > 0;)
        value = value << 8 | (unsigned char)buf[i];
    st_collector_put_result(c, ST_KEY_PMQOS_CPU_DMA_LATENCY_US, r, (int32_t)value, REQUEST_PATH);
}

/** Puts facts for those test conditions (hypervisor, CPU model, requested latency) that the
 * platform knows but that no text file has. */
static void condition(void *ctx, const char *key, const char *value)
{
    struct st_collector *c = ctx;
    int64_t number;
    if (st_text_is(key, "hypervisor")) {
        const bool is_virtual = !st_text_is(value, "none");
        st_facts_put_int(c->facts, ST_KEY_VIRTUAL, is_virtual, VIRTUAL_SOURCE);
        if (is_virtual)
            st_collector_put_text(c, ST_KEY_SYSTEM_HYPERVISOR, value, VIRTUAL_SOURCE);
    } else if (st_text_is(key, "cpu_model")) {
        st_collector_put_text(c, ST_KEY_CPU_MODEL, value, "/proc/cpuinfo");
    } else if (c->live && st_text_is(key, "cpu_dma_latency_us") &&
               st_text_int(value, &number) == 0) {
        st_collector_put_int(c, ST_KEY_PMQOS_CPU_DMA_LATENCY_US, number, REQUEST_PATH);
    }
}

static void collect_place(struct st_collector *c)
{
    container(c);
    /* absent until ask.c reads the kernel's log, or until condition() puts a value */
    st_collector_put_failure(c, ST_KEY_KERNEL_LOG_CARD_N, -ENOENT, KERNEL_LOG);
    st_collector_put_failure(c, ST_KEY_KERNEL_LOG_MEMORY_N, -ENOENT, KERNEL_LOG);
    st_collector_put_failure(c, ST_KEY_VIRTUAL, -ENOENT, VIRTUAL_SOURCE);
    st_collector_put_failure(c, ST_KEY_SYSTEM_HYPERVISOR, -ENOENT, VIRTUAL_SOURCE);
    c->p->conditions(c->p, -1, condition, c);
    if (!c->live)
        captured_request(c);
    else if (!st_facts_has(c->facts, ST_KEY_PMQOS_CPU_DMA_LATENCY_US)) {
        /* no value was read: the fact becomes unreadable, with the error of opening the device or,
         * if it can be opened, with EINVAL */
        const int r = st_collector_text(c, REQUEST_PATH, ST_ROOM(16));
        st_collector_put_failure(c, ST_KEY_PMQOS_CPU_DMA_LATENCY_US, r != 0 ? r : -EINVAL,
                                 REQUEST_PATH);
    }
}

/* --- frequency policies and idle states --- */

#define NAMES_MAX 4096

/* A folder of similar folders, such as policies or idle states. Each file in them that `leaves`
 * lists becomes one fact. */
struct set {
    const char *folder;
    const char *name_prefix; /* beginning of the subfolders' names */
    const char *key_prefix;
    struct {
        const char *file;
        const char *key;
        enum st_value_kind kind;
    } leaves[10];
};

static const struct set policies = {
    .folder = "/sys/devices/system/cpu/cpufreq",
    .name_prefix = "policy",
    .key_prefix = ST_KEYS_CPUFREQ,
    .leaves =
        {
            {"scaling_governor", "governor", ST_VALUE_TEXT},
            {"scaling_driver", "driver", ST_VALUE_TEXT},
            {"energy_performance_preference", "epp", ST_VALUE_TEXT},
            {"scaling_available_governors", "available_governors", ST_VALUE_TEXT},
            {"scaling_max_freq", "max_khz", ST_VALUE_INT},
            {"scaling_min_freq", "min_khz", ST_VALUE_INT},
            {"cpuinfo_max_freq", "hardware_max_khz", ST_VALUE_INT},
            {"base_frequency", "base_khz", ST_VALUE_INT},
            {"bios_limit", "firmware_max_khz", ST_VALUE_INT},
            {"scaling_available_frequencies", "available_khz", ST_VALUE_TEXT},
        },
};

static const struct set idle_states = {
    .folder = "/sys/devices/system/cpu/cpu0/cpuidle",
    .name_prefix = "state",
    .key_prefix = ST_KEYS_CPUIDLE_CPU0,
    .leaves =
        {
            {"name", "name", ST_VALUE_TEXT},
            {"latency", "latency_us", ST_VALUE_INT},
            {"residency", "residency_us", ST_VALUE_INT},
            {"disable", "disable", ST_VALUE_INT},
        },
};

static const struct set throttling = {
    .folder = "/sys/devices/system/cpu",
    .name_prefix = "cpu",
    .key_prefix = ST_KEYS_HEAT,
    .leaves = {{"thermal_throttle/core_throttle_count", "core_n", ST_VALUE_INT},
               {"thermal_throttle/core_throttle_total_time_ms", "core_ms", ST_VALUE_INT},
               {"thermal_throttle/package_throttle_count", "package_n", ST_VALUE_INT},
               {"thermal_throttle/package_throttle_total_time_ms", "package_ms", ST_VALUE_INT}}};

/** Highest number of a CPU whose idle states are read besides those of CPU 0. CPUs beyond it are
 * rarely of another kind, and each costs time. */
#define OTHER_CPUS_MAX 31

struct walk {
    struct st_collector *c;
    const struct set *set;
    /* prefix of the keys of CPU 0: an idle state whose `latency` and `disable` are as those of CPU
     * 0 is left out, so that equal CPUs are collected once; NULL: collects all */
    const char *unlike;
    size_t n;
};

static void collect_leaves(struct st_collector *c, const struct set *set, const char *name)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(set->leaves) && set->leaves[i].file != NULL; i++) {
        const char *key = st_text("%s%s.%s", set->key_prefix, name, set->leaves[i].key);
        st_collector_read(c, key, st_text("%s/%s/%s", set->folder, name, set->leaves[i].file),
                          set->leaves[i].kind);
    }
}

/** Does this file of another CPU differ from this fact of CPU 0? */
static bool differs(const struct st_collector *c, const char *path, const char *key)
{
    char text[64];
    const int r = st_collector_text(c, path, text, sizeof(text));
    if (r == 0)
        st_text_trim(text);
    return r != -ENOENT && (r != 0 || !st_facts_is(c->facts, key, text));
}

static int one_folder(void *ctx, const char *name)
{
    struct walk *walk = ctx;
    const struct set *set = walk->set;
    if (!st_text_begins(name, set->name_prefix) ||
        strcspn(name, "0123456789") != strlen(set->name_prefix) || strlen(name) > 32)
        return 0;
    if (walk->unlike == NULL ||
        differs(walk->c, st_text("%s/%s/latency", set->folder, name),
                st_text("%s%s.latency_us", walk->unlike, name)) ||
        differs(walk->c, st_text("%s/%s/disable", set->folder, name),
                st_text("%s%s.disable", walk->unlike, name)))
        collect_leaves(walk->c, set, name);
    return ++walk->n == NAMES_MAX;
}

/** Puts the facts of all subfolders of the set. @return the result of listing its folder. */
static int collect_set(struct walk *walk)
{
    return st_collector_list(walk->c, walk->set->folder, one_folder, walk);
}

/** Path of the file with the longest wake-up time that a program allows for this CPU. This limit
 * applies in addition to that of /dev/cpu_dma_latency for all CPUs (Linux
 * Documentation/ABI/testing/sysfs-devices-power). */
static const char *resume_path(const char *cpu)
{
    return st_text("/sys/devices/system/cpu/%s/power/pm_qos_resume_latency_us", cpu);
}

struct other_cpus {
    struct st_collector *c;
    int64_t n;
};

/** Collects the idle states of this CPU that differ from CPU 0's, as on a hybrid CPU or if a state
 * is disabled on some CPUs only. If this CPU has another limit of its wake-up time than CPU 0,
 * collects all its states. */
static int other_cpu(void *ctx, const char *name)
{
    struct other_cpus *cpus = ctx;
    struct st_collector *c = cpus->c;
    struct set states = idle_states;
    int64_t number;
    if (!st_text_begins(name, "cpu") || st_text_int(name + 3, &number) != 0 || number < 1 ||
        number > OTHER_CPUS_MAX)
        return 0;
    const char *key = st_text("linux.cpuidle.%s.resume_latency_us", name),
               *limit = resume_path(name);
    const bool other_limit = differs(c, limit, ST_KEYS_CPUIDLE_CPU0 "resume_latency_us");
    states.folder = st_text("/sys/devices/system/cpu/%s/cpuidle", name);
    states.key_prefix = st_text("linux.cpuidle.%s.", name);
    struct walk walk = {
        .c = c, .set = &states, .unlike = other_limit ? NULL : ST_KEYS_CPUIDLE_CPU0};
    (void)collect_set(&walk);
    cpus->n += walk.n > 0; /* a CPU that is off has no states */
    if (other_limit && walk.n > 0)
        st_collector_read(c, key, limit, ST_VALUE_TEXT);
    return 0;
}

static void collect_cpus(struct st_collector *c)
{
    struct other_cpus cpus = {.c = c, .n = 1};
    struct walk heat = {.c = c, .set = &throttling}, clocks = {.c = c, .set = &policies},
                states = {.c = c, .set = &idle_states};
    st_collector_read(c, ST_KEYS_CPUIDLE_CPU0 "resume_latency_us", resume_path("cpu0"),
                      ST_VALUE_TEXT);
    (void)collect_set(&heat); /* an error is ignored: only Intel's processors have these files */
    int r = collect_set(&clocks);
    if (clocks.n > 0)
        r = 0;
    else if (r == 0)
        r = -ENOENT;
    st_collector_put_result(c, ST_KEY_CPUFREQ_PRESENT, r, 1, policies.folder);
    st_collector_read(c, ST_KEY_CPUIDLE_DRIVER, "/sys/devices/system/cpu/cpuidle/current_driver",
                      ST_VALUE_TEXT);
    st_collector_read(c, ST_KEY_CPUIDLE_GOVERNOR,
                      "/sys/devices/system/cpu/cpuidle/current_governor_ro", ST_VALUE_TEXT);
    r = collect_set(&states);
    if (states.n > 0 && st_collector_list(c, "/sys/devices/system/cpu", other_cpu, &cpus) == 0)
        st_collector_put_int(c, ST_KEY_CPUIDLE_CPUS_N, cpus.n,
                             "/sys/devices/system/cpu/cpu*/cpuidle");
    else if (states.n == 0 && r != 0 && r != -ENOENT)
        st_collector_put_failure(c, "linux.cpuidle.cpu0.state0.latency_us", r, idle_states.folder);
}

/* --- fast and slow cores --- */

#define CPUS_MAX 256
#define SLOW_SHARE                                                                                 \
    0.75 /* cores with less than this share of the fastest core's capacity count as slow, cores of \
            a middle size do not */

struct cores {
    struct st_collector *c;
    int64_t capacities[CPUS_MAX]; /* 0: not known */
    int64_t highest;
    char fast[256], slow[256]; /* lists of CPUs: "0-3,8" */
};

static int one_capacity(void *ctx, const char *name)
{
    struct cores *cores = ctx;
    int64_t cpu, capacity;
    if (!st_text_begins(name, "cpu") || st_text_int(name + 3, &cpu) != 0 || cpu < 0 ||
        cpu >= CPUS_MAX)
        return 0;
    const char *text = st_tree_first_line(
        cores->c->p, st_text("/sys/devices/system/cpu/%.16s/cpu_capacity", name));
    if (text == NULL)
        return 1; /* only ARM, RISC-V and the like have this file */
    if (st_text_int(text, &capacity) != 0 || capacity <= 0)
        return 0;
    cores->capacities[cpu] = capacity;
    cores->highest = ST_MAX(cores->highest, capacity);
    return 0;
}

/** Lists the CPUs that are slow (or those that are not): "0-3,8". */
static void list_cpus(const struct cores *cores, bool slow, char *ret, size_t bytes)
{
    for (int cpu = 0, last; cpu < CPUS_MAX; cpu = last + 1) {
        last = cpu;
        while (last < CPUS_MAX && cores->capacities[last] > 0 &&
               ((double)cores->capacities[last] < SLOW_SHARE * (double)cores->highest) == slow)
            last++;
        if (last == cpu)
            continue;
        last--;
        st_text_join(ret, bytes, ",", "%d", cpu);
        if (last > cpu)
            st_text_append(ret, bytes, "-%d", last);
    }
}

static void collect_cores(struct st_collector *c)
{
    static const char capacities[] = "/sys/devices/system/cpu/cpu*/cpu_capacity";
    struct cores cores = {.c = c};
    st_collector_read(c, ST_KEY_CPU_FAST, "/sys/devices/cpu_core/cpus", ST_VALUE_TEXT);
    st_collector_read(c, ST_KEY_CPU_EFFICIENT, "/sys/devices/cpu_atom/cpus", ST_VALUE_TEXT);
    /* cpu_lowpower: the slowest cores of Arrow Lake-H and later */
    const char *slow = st_text_joined(st_facts_text_or(c->facts, ST_KEY_CPU_EFFICIENT, ""), ",",
                                      st_tree_first_line(c->p, "/sys/devices/cpu_lowpower/cpus"));
    if (slow[0] != '\0')
        st_collector_put_text(c, ST_KEY_CPU_EFFICIENT, slow, "/sys/devices/cpu_*/cpus");
    const struct st_fact *atom = st_facts_find(c->facts, ST_KEY_CPU_EFFICIENT);
    if (atom == NULL || atom->state != ST_FACT_ABSENT)
        return;
    (void)st_collector_list(c, "/sys/devices/system/cpu", one_capacity, &cores);
    list_cpus(&cores, true, cores.slow, sizeof(cores.slow));
    list_cpus(&cores, false, cores.fast, sizeof(cores.fast));
    if (cores.slow[0] == '\0' || cores.fast[0] == '\0')
        return;
    st_collector_put_text(c, ST_KEY_CPU_FAST, cores.fast, capacities);
    st_collector_put_text(c, ST_KEY_CPU_EFFICIENT, cores.slow, capacities);
}

/* --- swap --- */

static void swap(struct st_collector *c)
{
    static const char source[] = "/proc/swaps";
    struct {
        int64_t n, used_kib, highest; /* highest: the largest priority */
    } others = {0, 0, INT64_MIN}, zram = {0, 0, INT64_MIN}, *kind;
    struct st_pattern_parts parts;
    int r = st_collector_text(c, source, c->buf, c->buf_bytes);
    if (r == 0 && !st_text_begins(c->buf, "Filename"))
        r = -EBADMSG;
    for (const char *at = c->buf; r == 0 && st_pattern_next(&at, "/%s %s %d %d %d", &parts);) {
        kind = st_text_begins(st_text_base(parts.text[0]), "zram") ? &zram : &others;
        kind->n++;
        kind->used_kib += strtoll(parts.text[3], NULL, 10);
        kind->highest = ST_MAX(kind->highest, strtoll(parts.text[4], NULL, 10));
    }
    const bool is_first = zram.n > 0 && others.n > 0 && zram.highest > others.highest;
    st_collector_put_result(c, ST_KEY_SWAP_OTHER_N, r, others.n, source);
    if (r == 0)
        st_collector_put_int(c, ST_KEY_SWAP_OTHER_USED_KIB, others.used_kib, source);
    st_collector_put_result(c, ST_KEY_SWAP_ZRAM_N, r, zram.n, source);
    st_collector_put_result(c, ST_KEY_SWAP_ZRAM_FIRST, r, is_first, source);
}

void st_linux_machine_collect(struct st_collector *c)
{
    /* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" */
    static const char os_release[] = "/etc/os-release";
    const char *text;
    collect_place(c);
    st_collector_line(c, ST_KEY_DISTRIBUTION, os_release, "PRETTY_NAME=%l", ST_VALUE_TEXT);
    if (st_facts_text(c->facts, ST_KEY_DISTRIBUTION, &text) == 0 && strchr("\"'", text[0]) != NULL)
        st_collector_put_text(c, ST_KEY_DISTRIBUTION,
                              st_text("%.*s", (int)strcspn(text + 1, "\"'"), text + 1), os_release);
    collect_cpus(c);
    collect_cores(c);
    swap(c);
}
