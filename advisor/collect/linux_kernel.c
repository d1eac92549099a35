/* Linux: facts about the kernel: version, configuration, timers, settings that are one small file
 * each. */
#include <unistd.h>

#include "advisor/collect/collector.h"
#include "platform/child_env.h"

#define GZIP_LIMIT_NS INT64_C(1000000000) /* time limit for gzip, which takes some ms */

static const char *const options[] = {"HIGH_RES_TIMERS", "HZ",
                                      "PREEMPT",         "PREEMPT_DYNAMIC",
                                      "PREEMPT_LAZY",    "PREEMPT_NONE",
                                      "PREEMPT_RT",      "PREEMPT_VOLUNTARY",
                                      "RT_GROUP_SCHED",  "RT_GROUP_SCHED_DEFAULT_DISABLED"};

/** Reads the configuration that the running kernel itself contains, compressed, if it was built
 * with CONFIG_IKCONFIG_PROC, as on Arch. @return 0, -ENOENT, -ENOSYS (of a captured machine: it is
 * not unpacked), or the error of gzip. */
static int read_packed_config(struct st_collector *c, const char *path)
{
    static const char *const argv[] = {"gzip", "-dc", "/proc/config.gz", NULL};
    struct st_run run = {.argv = argv, .buf = c->buf, .buf_bytes = c->buf_bytes};
    struct st_child_env env;
    int r = st_collector_begin(c, path, c->buf, 1);
    if (r != 0)
        return r;
    if (!c->live)
        return -ENOSYS;
    r = st_child_env_open(&env, getuid(), (const char *const[]){"PATH", NULL});
    const struct st_run_as as = {.env = (const char *const *)env.vars};
    if (r == 0)
        r = c->p->run(c->p, &run, 1, &as, GZIP_LIMIT_NS);
    st_child_env_close(&env);
    if (r == 0)
        r = run.result;
    return r;
}

static void config(struct st_collector *c)
{
    static const char packed[] = "/proc/config.gz";
    const char *release = st_text_base(st_facts_text_or(c->facts, ST_KEY_KERNEL_RELEASE, "*")),
               *path = st_text(
                   "/boot/config-%.200s",
                   release), /* other: path at which Fedora and others keep the configuration */
                   *other = st_text("/lib/modules/%.200s/config", release);
    int opened = st_collector_begin(c, path, c->buf, c->buf_bytes);
    if (opened != 0 && st_collector_begin(c, other, c->buf, c->buf_bytes) == 0) {
        opened = 0;
        path = other;
    }
    const int unpacked = opened == 0 ? -ENOENT : read_packed_config(c, packed);
    if (unpacked == 0 || (unpacked != -ENOENT && opened == -ENOENT)) {
        opened = unpacked;
        path = packed;
    }
    ST_EACH (option, options) {
        const char *key = st_text(ST_KEYS_CONFIG "%s", *option);
        const char *set = c->buf, *unset = c->buf, *any = c->buf;
        struct st_pattern_parts parts;
        if (opened != 0)
            st_collector_put_failure(c, key, opened, path);
        else if (st_pattern_next(&set, st_text("CONFIG_%s=%%l", *option), &parts))
            st_collector_put_text(c, key, parts.text[0], path);
        else if (st_pattern_next(&unset, st_text("# CONFIG_%s is not set", *option), &parts))
            st_collector_put_text(c, key, "n", path);
        else if (st_pattern_next(&any, st_text("CONFIG_%s=", *option), &parts))
            st_collector_put_failure(c, key, -EBADMSG, path);
        else
            st_collector_put_failure(c, key, -ENOENT, path);
    }
}

/** Takes release and version (from '#' on) from /proc/version, if only that file of the machine was
 * kept: "Linux version 6.1.0-37-amd64 (USER@HOST) (COMPILER) #1 SMP ..." (init/version.c,
 * linux_proc_banner). */
static void whole_version(struct st_collector *c)
{
    static const char source[] = "/proc/version";
    const char *text;
    struct st_pattern_parts parts;
    if ((st_facts_text(c->facts, ST_KEY_KERNEL_RELEASE, &text) == 0 &&
         st_facts_text(c->facts, ST_KEY_KERNEL_VERSION, &text) == 0) ||
        st_collector_text(c, source, c->buf, c->buf_bytes) != 0 ||
        !st_pattern_match(c->buf, "*Linux version %s *) #%l", &parts))
        return;
    st_text_trim(parts.text[1]);
    const char *version = st_text("#%s", parts.text[1]);
    st_facts_put_text(c->facts, ST_KEY_KERNEL_RELEASE, parts.text[0], source);
    st_facts_put_text(c->facts, ST_KEY_KERNEL_VERSION, version, source);
}

/* --- settings that are one small file each --- */

#define KERNEL_SYSCTL(name)                                                                        \
    {                                                                                              \
        "linux.sysctl."                                                                            \
        "kernel." name,                                                                            \
            "/proc/sys/kernel/" name                                                               \
    }

struct small_file {
    const char *key, *path;
};

static const struct small_file numbers[] = {
    {ST_KEY_REALTIME, "/sys/kernel/realtime"},
    KERNEL_SYSCTL("sched_rt_period_us"),
    KERNEL_SYSCTL("sched_rt_runtime_us"),
    KERNEL_SYSCTL("nmi_watchdog"),
    KERNEL_SYSCTL("numa_balancing"),
    KERNEL_SYSCTL("split_lock_mitigate"),
    KERNEL_SYSCTL("watchdog_thresh"),
    {ST_KEY_SYSCTL_VM_SWAPPINESS, "/proc/sys/vm/swappiness"},
    {ST_KEY_CPUFREQ_BOOST, "/sys/devices/system/cpu/cpufreq/boost"},
    {ST_KEY_CPUFREQ_MAX_PERF_PCT, "/sys/devices/system/cpu/intel_pstate/max_perf_pct"},
    {ST_KEY_CPUFREQ_NO_TURBO, "/sys/devices/system/cpu/intel_pstate/no_turbo"},
    {ST_KEY_MODULE_SND_HDA_INTEL_POWER_SAVE, "/sys/module/snd_hda_intel/parameters/power_save"},
};

static const struct small_file texts[] = {
    {ST_KEY_KERNEL_RELEASE, "/proc/sys/kernel/osrelease"},
    {ST_KEY_KERNEL_VERSION, "/proc/sys/kernel/version"},
    {ST_KEY_CLOCKSOURCE_AVAILABLE,
     "/sys/devices/system/clocksource/clocksource0/available_clocksource"},
    {ST_KEY_CLOCKSOURCE_CURRENT,
     "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {ST_KEY_CMDLINE, "/proc/cmdline"},
    {ST_KEY_PLATFORM_PROFILE_CHOICES, "/sys/firmware/acpi/platform_profile_choices"},
    {ST_KEY_PLATFORM_PROFILE_NOW, "/sys/firmware/acpi/platform_profile"},
    {ST_KEY_POWER_STATES, "/sys/power/state"},
    {ST_KEY_PREEMPT_DEBUGFS, "/sys/kernel/debug/sched/preempt"},
    {ST_KEY_SCHED_EXT_OPS, "/sys/kernel/sched_ext/root/ops"},
    {ST_KEY_SCHED_EXT_STATE, "/sys/kernel/sched_ext/state"},
    {ST_KEY_MODULE_DELL_SMM_HWMON, "/sys/module/dell_smm_hwmon/initstate"},
    {ST_KEY_MODULE_SND_USB_AUDIO_LOWLATENCY, "/sys/module/snd_usb_audio/parameters/lowlatency"},
    {ST_KEY_THP_DEFRAG, "/sys/kernel/mm/transparent_hugepage/defrag"},
    {ST_KEY_THP_ENABLED, "/sys/kernel/mm/transparent_hugepage/enabled"},
    {ST_KEY_UPTIME, "/proc/uptime"},
    {ST_KEY_XEN_CAPABILITIES, "/proc/xen/capabilities"},
    {ST_KEY_ZSWAP_ENABLED, "/sys/module/zswap/parameters/enabled"},
};

void st_linux_kernel_collect(struct st_collector *c)
{
    ST_EACH (file, numbers)
        st_collector_read(c, file->key, file->path, ST_VALUE_INT);
    ST_EACH (file, texts)
        st_collector_read(c, file->key, file->path, ST_VALUE_TEXT);
    whole_version(c);
    config(c);
    /* the resolution is the same in all lines, so the first one counts: print_base() of
     * kernel/time/timer_list.c */
    st_collector_line(c, ST_KEY_TIMER_LIST_RESOLUTION_NS, "/proc/timer_list", ".resolution: %s",
                      ST_VALUE_INT);
    st_collector_line(c, ST_KEY_TIMER_LIST_HRES_ACTIVE, "/proc/timer_list", ".hres_active : %s",
                      ST_VALUE_LEAST);
}
