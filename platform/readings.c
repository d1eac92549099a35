/* Readings that show whether firmware, hypervisor, heat, power limits or idle states delayed a
 * CPU. */
#include "platform/readings.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/number.h"
#include "core/text/safe.h"
#include "platform/proc.h"
#include "platform/tree.h"

#define UNKNOWN     INT64_MIN
#define HEAT_FOLDER "thermal_throttle/"
/* energy of the first processor (Intel or AMD) */
#define RAPL_FOLDER "/sys/class/powercap/intel-rapl:0/"
#define THERMAL_DIR "/sys/class/thermal"
#define HOTTEST_MC  200000 /* millidegrees Celsius; a sensor that reports more is broken */
#define TICK_NS     INT64_C(10000000) /* a tick of USER_HZ, which is 100 on each Linux */
#define SMI_COUNT   0x34              /* MSR_SMI_COUNT: Intel's processors from Nehalem on */

/* Counters of heat and power limits. Source: Documentation/ABI/testing/sysfs-devices-system-cpu:
 * thermal_throttle; arch/x86/kernel/cpu/mce/therm_throt.c. */
static const struct {
    enum st_reading reading;
    const char *path;
    int64_t unit;
} files[] = {
    {ST_READING_HEAT_N, HEAT_FOLDER "core_throttle_count", 1},
    {ST_READING_HEAT_NS, HEAT_FOLDER "core_throttle_total_time_ms", ST_NS_PER_MS},
    {ST_READING_PACKAGE_HEAT_N, HEAT_FOLDER "package_throttle_count", 1},
    {ST_READING_PACKAGE_HEAT_NS, HEAT_FOLDER "package_throttle_total_time_ms", ST_NS_PER_MS},
    {ST_READING_POWER_N, HEAT_FOLDER "core_power_limit_count", 1},
    {ST_READING_PACKAGE_POWER_N, HEAT_FOLDER "package_power_limit_count", 1},
};

static int64_t number(const char *text)
{
    int64_t value = UNKNOWN; /* UNKNOWN stays if the text is not a number in this range */
    (void)!st_number_i64(st_text_or(text, ""), 0, INT64_MAX / ST_NS_PER_MS, &value);
    return value;
}

static int64_t in_unit(int64_t value, int64_t unit)
{
    return value != UNKNOWN ? value * unit : UNKNOWN;
}

static int64_t file_number(struct st_platform *machine, const char *path)
{
    return number(st_tree_first_line(machine, path));
}

static int64_t number_in(struct st_platform *machine, int cpu, const char *file)
{
    return file_number(machine, st_text("/sys/devices/system/cpu/cpu%d/%s", cpu, file));
}

/* The highest frequency of a CPU, if possible from its list of steps: cpuinfo_max_freq of
 * acpi-cpufreq is the boost clock, which no limit and no scaling_cur_freq names. */
static int64_t highest_khz(struct st_platform *machine, int cpu)
{
    uint64_t khz, highest = 0;
    const char *steps = st_tree_first_line(
        machine,
        st_text("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_available_frequencies", cpu));
    while (steps != NULL && st_proc_u64(&steps, &khz) == 0)
        highest = ST_MAX(khz, highest);
    if (highest > 0 && highest < INT64_MAX / ST_NS_PER_MS)
        return (int64_t)highest;
    return number_in(machine, cpu, "cpufreq/cpuinfo_max_freq");
}

static int64_t smi_count(struct st_platform *machine, int cpu)
{
    uint64_t value;
    int64_t n = UNKNOWN;
    const char *path = st_text("/dev/cpu/%d/msr", cpu);
    const int fd = machine->open_path(machine, path, O_RDONLY);
    if (fd < 0)
        return UNKNOWN;
    if (pread(fd, &value, sizeof(value), SMI_COUNT) == (ssize_t)sizeof(value))
        n = value & UINT32_MAX; /* the counter has 32 bits */
    close(fd);
    return n;
}

/* Time that the hypervisor took: field 8 of the CPU's line in /proc/stat, see proc(5). */
static int64_t stolen_ns(struct st_platform *machine, int cpu)
{
    char text[16384];
    size_t len;
    uint64_t ticks = 0;
    const int r = machine->read_text(machine, "/proc/stat", text, sizeof(text), &len);
    const char *at = r == 0 || r == -EFBIG ? st_proc_line_text(text, st_text("cpu%d ", cpu)) : NULL;
    for (int field = 1; field <= 8; field++) {
        if (at == NULL || st_proc_u64(&at, &ticks) != 0)
            return UNKNOWN;
    }
    return ticks < INT64_MAX / TICK_NS ? (int64_t)ticks * TICK_NS : UNKNOWN;
}

static int64_t full_power_ns(struct st_platform *machine)
{
    const int64_t energy_uj = file_number(machine, RAPL_FOLDER "energy_uj");
    const int64_t limit_uw = file_number(machine, RAPL_FOLDER "constraint_0_power_limit_uw");
    if (energy_uj == UNKNOWN || limit_uw <= 0)
        return UNKNOWN;
    return (int64_t)((double)energy_uj / (double)limit_uw * (double)ST_NS_PER_S);
}

static void read_idle_states(struct st_platform *machine, int cpu, struct st_readings *r)
{
    for (int i = 0; i < ST_IDLE_STATES_MAX; i++) {
        r->idle_entries_n[i] = number_in(machine, cpu, st_text("cpuidle/state%d/usage", i));
        if (r->idle_entries_n[i] == UNKNOWN)
            return;
        const int64_t us = number_in(machine, cpu, st_text("cpuidle/state%d/latency", i));
        r->idle_exit_ns[i] = ST_MAX(us, 0) * ST_NS_PER_US;
    }
}

/* Takes a line of the kernel's log about a split lock: "6,1234,5678,-;x86/split lock detection:
 * #AC: game.exe/4711 took a split_lock trap at address: 0x1400015c2", of newer processors
 * "#DB: game.exe/4711 took a bus_lock trap ..." (arch/x86/kernel/cpu/bus_lock.c). What programs
 * write into the log never has facility 0, which is the kernel's. Each program is logged once from
 * Linux 6.2 on. */
static void take_log_line(char *text, struct st_readings *r)
{
    static const char begins[] = "split lock detection: #";
    char *line = strstr(text, begins), *end = strstr(text, " took a ");
    if (strtoul(text, NULL, 10) > 7 || line == NULL || end == NULL ||
        end < line + sizeof(begins) + 3 ||
        (strstr(end, " split_lock trap") == NULL && strstr(end, " bus_lock trap") == NULL))
        return;
    *end = '\0';
    r->counts[ST_READING_BUS_LOCKS]++;
    st_safe_copy(r->culprit, sizeof(r->culprit), line + sizeof(begins) + 3, ST_TEXT_TO_NUL);
}

static void read_log(struct st_platform *machine, struct st_readings *r)
{
    char text[1024];
    if (r->log_fd == 0) {
        r->log_fd = machine->open_path(machine, "/dev/kmsg", O_RDONLY);
        r->counts[ST_READING_BUS_LOCKS] = UNKNOWN;
        if (r->log_fd > 0) {
            r->counts[ST_READING_BUS_LOCKS] = 0;
            (void)lseek(r->log_fd, 0, SEEK_END);
        }
    }
    /* the next call reads what is left of a flood */
    for (int i = 0; r->log_fd > 0 && i < 64; i++) {
        const ssize_t n = read(r->log_fd, text, sizeof(text) - 1);
        /* after EPIPE go on: lines were overwritten before they were read */
        if (n <= 0 && errno != EPIPE)
            break;
        text[ST_MAX(n, 0)] = '\0';
        take_log_line(text, r);
    }
}

/* --- FreeBSD --- */

/* Reads a sysctl of one CPU. @return "": there is no such sysctl. */
static const char *text_of(struct st_platform *machine, int cpu, const char *name)
{
    return st_text_or(st_tree_sysctl_line(machine, st_text("dev.cpu.%d.%s", cpu, name)), "");
}

/* The CPU's clock as cpufreq(4) has it in MHz, converted to kHz. */
static int64_t freebsd_khz(struct st_platform *machine, int cpu)
{
    return in_unit(number(text_of(machine, cpu, "freq")), 1000);
}

/* Reads idle states, heat and clock. cx_supported is "C1/1/1 C2/2/80": name, type and exit latency
 * (us) of each idle state; cx_usage_counters is "1366 81": how often each was entered
 * (sys/dev/acpica/acpi_cpu.c). coretemp(4)'s log stays 1 once the thermal sensor has tripped, so it
 * counts once. CPU 0 has the clock of all CPUs (cpufreq(4)). */
static void read_freebsd(struct st_platform *machine, int cpu, struct st_readings *r)
{
    unsigned mhz, us;
    unsigned long long entries_n;
    int used;
    const char *at = text_of(machine, cpu, "cx_usage_counters"),
               *state = text_of(machine, cpu, "cx_supported");
    for (int i = 0; i < ST_IDLE_STATES_MAX && sscanf(at, "%18llu%n", &entries_n, &used) == 1; i++) {
        at += used;
        if (sscanf(state, " C%*u/%*u/%7u%n", &us, &used) != 1)
            break;
        state += used;
        r->idle_entries_n[i] = (int64_t)entries_n;
        r->idle_exit_ns[i] = us * ST_NS_PER_US;
        if (i + 1 < ST_IDLE_STATES_MAX)
            r->idle_entries_n[i + 1] = UNKNOWN;
    }
    if (sscanf(text_of(machine, cpu, "coretemp.throttle_log"), "%1u", &us) == 1)
        r->counts[ST_READING_HEAT_N] = us;
    r->clock_khz = freebsd_khz(machine, cpu);
    if (r->clock_khz == UNKNOWN)
        r->clock_khz = freebsd_khz(machine, 0);
    if (sscanf(text_of(machine, 0, "freq_levels"), "%6u", &mhz) == 1)
        r->clock_highest_khz = mhz * INT64_C(1000); /* "2400/35000 2200/31000": highest first */
}

void st_readings_read(struct st_platform *p, int cpu, bool guest, int64_t amd_smi_n,
                      struct st_readings *r)
{
    if (cpu < 0)
        cpu = 0;
    for (size_t i = 0; i < ST_READINGS; i++) {
        if (i != ST_READING_BUS_LOCKS)
            r->counts[i] = UNKNOWN;
    }
    r->clock_khz = r->clock_highest_khz = r->clock_limit_khz = r->idle_entries_n[0] = UNKNOWN;
    r->at_ns = st_platform_now_ns(p);
    r->cpu = cpu;
    if (p->os == ST_OS_FREEBSD) {
        read_freebsd(p, cpu, r);
        return;
    }
    ST_EACH (file, files)
        r->counts[file->reading] = in_unit(number_in(p, cpu, file->path), file->unit);
    r->counts[ST_READING_SMI] = smi_count(p, cpu);
    if (r->counts[ST_READING_SMI] == UNKNOWN)
        r->counts[ST_READING_SMI] = amd_smi_n;
    if (guest)
        r->counts[ST_READING_STEAL_NS] = stolen_ns(p, cpu);
    r->counts[ST_READING_FULL_POWER_NS] = full_power_ns(p);
    r->clock_khz = number_in(p, cpu, "cpufreq/scaling_cur_freq");
    r->clock_highest_khz = highest_khz(p, cpu);
    const int64_t firmware_khz = number_in(p, cpu, "cpufreq/bios_limit");
    r->clock_limit_khz = number_in(p, cpu, "cpufreq/scaling_max_freq");
    if (firmware_khz != UNKNOWN &&
        (r->clock_limit_khz == UNKNOWN || firmware_khz < r->clock_limit_khz))
        r->clock_limit_khz = firmware_khz;
    read_idle_states(p, cpu, r);
    r->sched_ext = st_text_is(st_tree_text(p, "/sys/kernel/sched_ext/state"), "enabled\n");
    read_log(p, r);
}

struct hottest {
    struct st_platform *machine;
    int64_t mc;
};

static int on_zone(void *ctx, const char *name)
{
    struct hottest *hottest = ctx;
    if (!st_text_begins(name, "thermal_zone") || strlen(name) > 40)
        return 0;
    const int64_t mc = file_number(hottest->machine, st_text(THERMAL_DIR "/%s/temp", name));
    if (mc <= HOTTEST_MC && mc > hottest->mc)
        hottest->mc = mc;
    return 0;
}

/* Linux: the hottest sensor; FreeBSD: "45.0C" of coretemp(4) and amdtemp(4). */
int64_t st_readings_temperature_mc(struct st_platform *machine, int cpu)
{
    struct hottest hottest = {machine, UNKNOWN};
    if (machine->os == ST_OS_LINUX) {
        (void)machine->list(machine, THERMAL_DIR, on_zone, &hottest);
        return hottest.mc;
    }
    char *end;
    const char *text = text_of(machine, cpu, "temperature");
    const double celsius = strtod(text, &end);
    if (end != text && st_text_is(end, "C") && fabs(celsius) * 1000 <= HOTTEST_MC)
        hottest.mc = llround(celsius * 1000);
    return hottest.mc;
}

void st_readings_close(struct st_readings *r)
{
    if (r->log_fd > 0)
        close(r->log_fd);
    r->log_fd = -1;
}
