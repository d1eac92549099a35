/* Linux: settings that are one small file each, one fact a file. */
#include <fnmatch.h>

#include "advisor/collect/collect_sources.h"

#define SYSCTL(name, path, kind)                                                                             \
    {                                                                                                        \
        "linux.sysctl." name, "/proc/sys/" path, kind                                                        \
    }

static const struct st_value_row rows[] = {
    SYSCTL("dev.hpet.max-user-freq", "dev/hpet/max-user-freq", ST_VALUE_INT),
    SYSCTL("fs.inotify.max_user_watches", "fs/inotify/max_user_watches", ST_VALUE_INT),
    SYSCTL("kernel.nmi_watchdog", "kernel/nmi_watchdog", ST_VALUE_INT),
    SYSCTL("kernel.numa_balancing", "kernel/numa_balancing", ST_VALUE_INT),
    SYSCTL("kernel.sched_autogroup_enabled", "kernel/sched_autogroup_enabled", ST_VALUE_INT),
    SYSCTL("kernel.split_lock_mitigate", "kernel/split_lock_mitigate", ST_VALUE_INT),
    SYSCTL("kernel.timer_migration", "kernel/timer_migration", ST_VALUE_INT),
    SYSCTL("kernel.watchdog", "kernel/watchdog", ST_VALUE_INT),
    SYSCTL("kernel.watchdog_thresh", "kernel/watchdog_thresh", ST_VALUE_INT),
    SYSCTL("vm.stat_interval", "vm/stat_interval", ST_VALUE_INT),
    SYSCTL("vm.swappiness", "vm/swappiness", ST_VALUE_INT),
    {"linux.cpu.isolated", "/sys/devices/system/cpu/isolated", ST_VALUE_TEXT},
    {"linux.cpu.nohz_full", "/sys/devices/system/cpu/nohz_full", ST_VALUE_TEXT},
    {"linux.cpu.online", "/sys/devices/system/cpu/online", ST_VALUE_TEXT},
    {"linux.cpufreq.boost", "/sys/devices/system/cpu/cpufreq/boost", ST_VALUE_INT},
    {"linux.cpufreq.no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", ST_VALUE_INT},
    {"linux.haltpoll.guest_halt_poll_ns", "/sys/module/haltpoll/parameters/guest_halt_poll_ns", ST_VALUE_INT},
    {"linux.irq.default_affinity", "/proc/irq/default_smp_affinity", ST_VALUE_TEXT},
    {"linux.module.snd_hda_intel.power_save", "/sys/module/snd_hda_intel/parameters/power_save",
     ST_VALUE_INT},
    {"linux.module.snd_usb_audio.lowlatency", "/sys/module/snd_usb_audio/parameters/lowlatency",
     ST_VALUE_TEXT},
    {"linux.module.snd_usb_audio.nrpacks", "/sys/module/snd_usb_audio/parameters/nrpacks", ST_VALUE_INT},
    {"linux.node.online", "/sys/devices/system/node/online", ST_VALUE_TEXT},
    {"linux.rtc.max_user_freq_hz", "/sys/class/rtc/rtc0/max_user_freq", ST_VALUE_INT},
    {"linux.smt.active", "/sys/devices/system/cpu/smt/active", ST_VALUE_INT},
    {"linux.smt.control", "/sys/devices/system/cpu/smt/control", ST_VALUE_TEXT},
    {"linux.sound.cards", "/proc/asound/cards", ST_VALUE_TEXT},
    {"linux.thp.defrag", "/sys/kernel/mm/transparent_hugepage/defrag", ST_VALUE_TEXT},
    {"linux.thp.enabled", "/sys/kernel/mm/transparent_hugepage/enabled", ST_VALUE_TEXT},
    {"linux.tuned.profile", "/etc/tuned/active_profile", ST_VALUE_TEXT},
    {"linux.zswap.enabled", "/sys/module/zswap/parameters/enabled", ST_VALUE_TEXT},
};

static void collect(struct st_collector *c)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++)
        st_collector_file(c, rows[i].key, rows[i].name, rows[i].kind);
}

static bool provides(const char *pattern)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        if (fnmatch(pattern, rows[i].key, 0) == 0)
            return true;
    }
    return false;
}

const struct st_collect_source st_collect_linux_settings = {
    .os = ST_OS_LINUX, .collect = collect, .provides = provides};
