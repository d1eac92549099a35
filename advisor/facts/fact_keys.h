/* The keys of facts that more than one file uses. A key that ends with a dot (ST_KEYS_) is a
 * prefix: the thing (a CPU, a card, a thread) and a last part follow, as in
 * "linux.rt_thread.702.priority". The last part has the unit. */
#pragma once

#include "core/base.h"

/* --- the user, and where the facts come from --- */
#define ST_KEY_SYSTEM_CONTAINER  "system.container"
#define ST_KEY_SYSTEM_HYPERVISOR "system.hypervisor"
/* kinds of text that the facts came from: "5 sysctls, uname". If this fact exists, a rule is
 * unknown if its facts are not in the text */
#define ST_KEY_SYSTEM_INPUT "system.input"
/* files that a saved tree lacks, whose facts are then unknown; only in facts of a saved tree */
#define ST_KEY_SYSTEM_LACKS "system.capture_lacks"
/* sentences about what a posted text itself shows, most important first: "system.seen.00" */
#define ST_KEYS_SYSTEM_SEEN "system.seen."
/* lines of the last posted text that no reader understood: "3-5, 9" */
#define ST_KEY_SYSTEM_INPUT_OTHERS "system.input_others"
/* folders that the value of ST_KEY_SYSTEM_LACKS may list, separated by blanks */
#define ST_LACKS_CARDS "/proc/asound"
#define ST_LACKS_USB   "/sys/bus/usb"
/* what `sleeptune share` printed: the status of each rule by its id, effects in us, numbers. If
 * "whole" exists, rules without a status are not applicable */
#define ST_KEYS_SHARED        "system.shared."
#define ST_KEYS_SHARED_EFFECT "system.shared.effect."
#define ST_KEY_SHARED_WHOLE   "system.shared.whole"
/* FreeBSD: login class of another user, from master.passwd */
#define ST_KEY_USER_CLASS          "user.class"
#define ST_KEY_FREEBSD_LOGIN_AUDIO "freebsd.login.audio"
/* groups that the next login gives, from all sources of the group database, not only /etc/group */
#define ST_KEY_USER_LOGIN_GROUPS "user.login_groups"
#define ST_KEY_USER_GROUPS       "user.groups"
/* where the limits of the judged user come from, if not from this process. Unless it is
 * ST_LIMITS_FROM_LOGIN, SCHED_FIFO was not tried */
#define ST_KEY_USER_LIMITS_FROM "user.limits_from"
#define ST_LIMITS_FROM_LOGIN    "login" /* root started a login of that user, which reported them */
#define ST_LIMITS_FROM_FILES    "/proc/self/limits" /* limits of the user who saved a tree */
#define ST_KEY_USER_NAME        "user.name"
#define ST_KEY_USER_UID         "user.uid"

/* value of a limit that has no upper bound */
#define ST_UNLIMITED (-1)
/* priority of SCHED_FIFO that the collectors try: the loop's usual priority */
#define ST_TRIED_PRIORITY 70

/* --- Linux --- */
#define ST_KEYS_ALSA            "linux.alsa."
#define ST_KEY_ASK_JACK_BUFSIZE "linux.ask.jack_bufsize"
#define ST_KEY_ASK_PIPEWIRE     "linux.ask.pipewire"
#define ST_KEY_ASK_PULSEAUDIO   "linux.ask.pulseaudio"
/* if GRUB reads no drop-ins: where the user adds an option by hand, "the only line of
 * /boot/cmdline.txt" */
#define ST_KEY_BOOT_OPTIONS               "linux.boot.options"
#define ST_KEYS_CARD                      "linux.card."
#define ST_KEY_CARDS_N                    "linux.cards_n"
#define ST_KEY_CGROUP_RT_RUNTIME_US       "linux.cgroup.rt_runtime_us"
#define ST_KEY_CGROUP_USERS_RT_RUNTIME_US "linux.cgroup.users_rt_runtime_us"
#define ST_KEY_CLOCK_GETRES_NS            "linux.clock_getres_ns"
#define ST_KEY_CLOCKSOURCE_AVAILABLE      "linux.clocksource.available"
#define ST_KEY_CLOCKSOURCE_CURRENT        "linux.clocksource.current"
/* 1: the kernel's log reports the TSC as unstable */
#define ST_KEY_CLOCKSOURCE_UNSTABLE         "linux.clocksource.unstable"
#define ST_KEY_CMDLINE                      "linux.cmdline"
#define ST_KEYS_CONFIG                      "linux.config."
#define ST_KEY_CONFIG_HZ                    "linux.config.HZ"
#define ST_KEY_CONFIG_RT_GROUP_SCHED        "linux.config.RT_GROUP_SCHED"
#define ST_KEY_CPU_EFFICIENT                "linux.cpu.efficient"
#define ST_KEY_CPU_FAST                     "linux.cpu.fast"
#define ST_KEY_CPU_MODEL                    "linux.cpu.model"
#define ST_KEYS_CPU_QUOTA                   "linux.cpu_quota."
#define ST_KEYS_CPUFREQ                     "linux.cpufreq."
#define ST_KEY_CPUFREQ_BOOST                "linux.cpufreq.boost"
#define ST_KEY_CPUFREQ_MAX_PERF_PCT         "linux.cpufreq.max_perf_pct"
#define ST_KEY_CPUFREQ_NO_TURBO             "linux.cpufreq.no_turbo"
#define ST_KEY_CPUFREQ_PRESENT              "linux.cpufreq.present"
#define ST_KEYS_CPUIDLE_CPU0                "linux.cpuidle.cpu0."
#define ST_KEY_CPUIDLE_CPUS_N               "linux.cpuidle.cpus_n"
#define ST_KEY_CPUIDLE_DRIVER               "linux.cpuidle.driver"
#define ST_KEY_CPUIDLE_GOVERNOR             "linux.cpuidle.governor"
#define ST_KEYS_DAEMON                      "linux.daemon."
#define ST_KEY_DAEMON_ANANICY_CPP           "linux.daemon.ananicy-cpp"
#define ST_KEY_DAEMON_JACKD                 "linux.daemon.jackd"
#define ST_KEY_DAEMON_JACKDBUS              "linux.daemon.jackdbus"
#define ST_KEY_DAEMON_PIPEWIRE              "linux.daemon.pipewire"
#define ST_KEY_DAEMON_PIPEWIRE_PULSE        "linux.daemon.pipewire-pulse"
#define ST_KEY_DAEMON_POWER_PROFILES_DAEMON "linux.daemon.power-profiles-daemon"
#define ST_KEY_DAEMON_PULSEAUDIO            "linux.daemon.pulseaudio"
#define ST_KEY_DAEMON_RTKIT_DAEMON          "linux.daemon.rtkit-daemon"
#define ST_KEY_DAEMON_SLEEPTUNED            "linux.daemon.sleeptuned"
#define ST_KEY_DAEMON_TUNED                 "linux.daemon.tuned"
#define ST_KEY_DAEMON_SYSTEM76_SCHEDULER    "linux.daemon.system76-scheduler"
#define ST_KEYS_DAEMON_USER                 "linux.daemon_user."
#define ST_KEY_DISTRIBUTION                 "linux.distribution"
#define ST_KEYS_GROUP                       "linux.group."
#define ST_KEYS_HEAT                        "linux.heat."
#define ST_KEYS_IRQ                         "linux.irq."
#define ST_KEY_IRQ_READABLE                 "linux.irq.readable"
#define ST_KEY_JACK_BUFFER_FRAMES           "linux.jack.buffer_frames"
#define ST_KEY_JACK_COMMAND                 "linux.jack.command"
#define ST_KEY_JACK_RATE_HZ                 "linux.jack.rate_hz"
#define ST_KEY_KERNEL_RELEASE               "linux.kernel.release"
#define ST_KEY_KERNEL_VERSION               "linux.kernel.version"
/* number of lines of one kind (a fault of a card, lost memory ...) in the kernel's log since boot,
 * or in a posted text; st_answer_log_key() knows the kinds */
#define ST_KEYS_KERNEL_LOG          "linux.kernel_log."
#define ST_KEY_KERNEL_LOG_CARD_N    "linux.kernel_log.card_n"
#define ST_KEY_KERNEL_LOG_MEMORY_N  "linux.kernel_log.memory_n"
#define ST_KEY_KERNEL_LOG_USB_N     "linux.kernel_log.usb_n"
#define ST_KEY_KERNEL_LOG_RT_TIME_N "linux.kernel_log.rt_time_n"
#define ST_KEYS_LIMITS              "linux.limits."
/* from the JSON of `listen`: clock of the recording card relative to the computer's (positive:
 * fast), and relative to the playing card's (positive: the playing card is slow) */
#define ST_KEY_LISTEN_RATE_PPM  "linux.listen.rate_ppm"
#define ST_KEY_LISTEN_DRIFT_PPM "linux.listen.drift_ppm"
/* 1: the run was invalid, so the drift is unknown */
#define ST_KEY_LISTEN_INVALID "linux.listen.invalid"
/* has no value: the fact exists, as unreadable, only if a file of limits could not be read */
#define ST_KEY_LIMITS_ANY_RTPRIO               "linux.limits.any.rtprio"
#define ST_KEY_MODULE_DELL_SMM_HWMON           "linux.module.dell_smm_hwmon"
#define ST_KEY_MODULE_SND_HDA_INTEL_POWER_SAVE "linux.module.snd_hda_intel.power_save"
#define ST_KEY_MODULE_SND_USB_AUDIO_LOWLATENCY "linux.module.snd_usb_audio.lowlatency"
#define ST_KEYS_NORMAL_THREAD                  "linux.normal_thread."
/* 1: this system has no PAM, so nothing reads limits.conf and limits.d */
#define ST_KEY_PAM_MISSING "linux.pam.missing"
#define ST_KEYS_PIPEWIRE   "linux.pipewire."
/* rates (Hz) that PipeWire may use: "[ 44100, 48000 ]" */
#define ST_KEY_PIPEWIRE_ALLOWED_RATES "linux.pipewire.allowed_rates"
#define ST_KEY_PIPEWIRE_FORCE_QUANTUM "linux.pipewire.force_quantum"
#define ST_KEY_PIPEWIRE_FORCE_RATE_HZ "linux.pipewire.force_rate_hz"
#define ST_KEY_PIPEWIRE_MAX_QUANTUM   "linux.pipewire.max_quantum"
#define ST_KEY_PIPEWIRE_MIN_QUANTUM   "linux.pipewire.min_quantum"
#define ST_KEYS_PIPEWIRE_NODE         "linux.pipewire.node."
#define ST_KEY_PIPEWIRE_QUANTUM       "linux.pipewire.quantum"
#define ST_KEY_PIPEWIRE_RATE_HZ       "linux.pipewire.rate_hz"
/* the size and rate at which PipeWire runs, as sleeptuned reported them to this command */
#define ST_KEY_PIPEWIRE_RUNNING_FRAMES  "linux.pipewire.running_frames"
#define ST_KEY_PIPEWIRE_RUNNING_RATE_HZ "linux.pipewire.running_rate_hz"
#define ST_KEY_PIPEWIRE_VERSION         "linux.pipewire.version" /* of the running server */
#define ST_KEY_PIPEWIRE_VM_MIN_QUANTUM  "linux.pipewire.vm_min_quantum"
#define ST_KEY_PLATFORM_PROFILE_CHOICES "linux.platform_profile.choices"
#define ST_KEY_PLATFORM_PROFILE_NOW     "linux.platform_profile.now"
#define ST_KEY_PMQOS_CPU_DMA_LATENCY_US "linux.pmqos.cpu_dma_latency_us"
/* 1: the judged user, who is not the one who runs sleeptune, may open /dev/cpu_dma_latency; 0: may
 * not */
#define ST_KEY_PMQOS_USER_MAY_OPEN              "linux.pmqos.user_may_open"
#define ST_KEY_POWER_STATES                     "linux.power.states"
#define ST_KEY_PREEMPT_DEBUGFS                  "linux.preempt.debugfs"
#define ST_KEY_PROCESSES_N                      "linux.processes_n"
#define ST_KEY_PULSE_DEFAULT_FRAGMENTS          "linux.pulse.default-fragments"
#define ST_KEY_PULSE_DEFAULT_FRAGMENT_SIZE_MSEC "linux.pulse.default-fragment-size-msec"
#define ST_KEY_PULSE_DEFAULT_SAMPLE_RATE        "linux.pulse.default-sample-rate"
#define ST_KEY_PULSE_REALTIME_SCHEDULING        "linux.pulse.realtime-scheduling"
#define ST_KEY_PULSE_TSCHED                     "linux.pulse.tsched"
#define ST_KEY_REALTIME                         "linux.realtime"
#define ST_KEY_RT_FIFO_ERRNO                    "linux.rt.fifo_errno"
#define ST_KEY_RT_FIFO_PRIORITY                 "linux.rt.fifo_priority"
#define ST_KEY_RT_IPC_LOCK                      "linux.rt.ipc_lock"
#define ST_KEY_RT_MEMLOCK_LIMIT_BYTES           "linux.rt.memlock_limit_bytes"
#define ST_KEY_RT_RTPRIO_LIMIT                  "linux.rt.rtprio_limit"
#define ST_KEY_PORTAL_RT_TIME_US                "linux.portal.rt_time_us"
/* RLIMIT_RTTIME in us of programs with real-time threads, unless it is unlimited */
#define ST_KEYS_RT_TIME        "linux.rt_time."
#define ST_KEYS_RT_THREAD      "linux.rt_thread."
#define ST_KEYS_RTKIT          "linux.rtkit."
#define ST_KEY_RTKIT_COMMAND   "linux.rtkit.command"
#define ST_KEY_RTKIT_DEMOTED_N "linux.rtkit.demoted_n"
#define ST_KEY_RTKIT_FAILED_N  "linux.rtkit.failed_n"
#define ST_KEY_RTKIT_REFUSED_N "linux.rtkit.refused_n"
#define ST_KEY_RTKIT_INSTALLED "linux.rtkit.installed"
#define ST_KEY_RTKIT_NO_BUS    "linux.rtkit.no_bus" /* 1: the system has no D-Bus system bus */
#define ST_KEY_SCHED_EXT_OPS   "linux.sched_ext.ops"
#define ST_KEY_SCHED_EXT_STATE "linux.sched_ext.state"
/* why `apply` cannot keep a setting on this system (NixOS, a jail), and what to do instead; absent:
 * it can */
#define ST_KEY_SETTINGS_ELSEWHERE   "system.settings_elsewhere"
#define ST_KEY_SUSPEND_FORBIDDEN    "linux.suspend.forbidden"
#define ST_KEY_SUSPENDED_MS         "linux.suspended_ms"
#define ST_KEY_SWAP_OTHER_N         "linux.swap.other_n"
#define ST_KEY_SWAP_OTHER_USED_KIB  "linux.swap.other_used_kib"
#define ST_KEY_SWAP_ZRAM_FIRST      "linux.swap.zram_first"
#define ST_KEY_SWAP_ZRAM_N          "linux.swap.zram_n"
#define ST_KEYS_SWAPPED             "linux.swapped."
#define ST_KEY_SYSCTL_VM_SWAPPINESS "linux.sysctl.vm.swappiness"
#define ST_KEY_TCLSH_COMMAND        "linux.tclsh.command"
#define ST_KEY_THP_DEFRAG           "linux.thp.defrag"
#define ST_KEY_THP_ENABLED          "linux.thp.enabled"
#define ST_KEY_THREADS_COMPLETE     "linux.threads.complete"
/* 1: the posted text may not list all threads */
#define ST_KEY_THREADS_PART             "linux.threads.part"
#define ST_KEY_TIMER_LIST_HRES_ACTIVE   "linux.timer_list.hres_active"
#define ST_KEY_TIMER_LIST_RESOLUTION_NS "linux.timer_list.resolution_ns"
#define ST_KEY_TIMER_SLACK_NS           "linux.timer_slack_ns"
#define ST_KEY_TLP_ENABLED              "linux.tlp.enabled"
#define ST_KEYS_UNIT                    "linux.unit."
#define ST_KEY_UNIT_DEFAULT_RTPRIO      "linux.unit_default.rtprio"
#define ST_KEY_UPTIME                   "linux.uptime"
#define ST_KEYS_USB_AUDIO               "linux.usb_audio."
#define ST_KEYS_USB_CAMERA              "linux.usb_camera."
#define ST_KEY_VIRTUAL                  "linux.virtual"
#define ST_KEY_WIREPLUMBER_VERSION      "linux.wireplumber.version"
#define ST_KEY_WIREPLUMBER_LUA          "linux.wireplumber.lua" /* WirePlumber 0.4: 1; newer: 0 */
/* text of /proc/xen/capabilities, which contains "control_d" in Xen's dom0 */
#define ST_KEY_XEN_CAPABILITIES "linux.xen.capabilities"
#define ST_KEY_ZSWAP_ENABLED    "linux.zswap.enabled"

/* --- FreeBSD: the key of a sysctl is "freebsd." and its name --- */
#define ST_KEYS_FREEBSD     "freebsd."
#define ST_KEYS_FREEBSD_DEV "freebsd.dev."
/* the device whose channel stopped after an interrupt timeout ("channel dead"), from the kernel's
 * log: "pcm0" */
#define ST_KEY_FREEBSD_DEAD_CHANNEL             "freebsd.dead_channel"
#define ST_KEY_FREEBSD_FILE_LOADER_CONF         "freebsd.file.loader_conf"
#define ST_KEY_FREEBSD_FILE_SNDSTAT             "freebsd.file.sndstat"
#define ST_KEY_FREEBSD_FILE_SYSCTL_CONF         "freebsd.file.sysctl_conf"
#define ST_KEY_FREEBSD_HW_ACPI_ACLINE           "freebsd.hw.acpi.acline"
#define ST_KEY_FREEBSD_HW_SND_LATENCY_PROFILE   "freebsd.hw.snd.latency_profile"
#define ST_KEY_FREEBSD_KERN_EVENTTIMER_CHOICE   "freebsd.kern.eventtimer.choice"
#define ST_KEYS_FREEBSD_KERN_EVENTTIMER_ET      "freebsd.kern.eventtimer.et."
#define ST_KEY_FREEBSD_KERN_EVENTTIMER_PERIODIC "freebsd.kern.eventtimer.periodic"
#define ST_KEY_FREEBSD_KERN_EVENTTIMER_TIMER    "freebsd.kern.eventtimer.timer"
/* NAME, a kernel module, if the text of a forum post has the command `kldstat | grep NAME` */
#define ST_KEY_FREEBSD_KLDSTAT_ASKED                     "freebsd.kldstat.asked"
#define ST_KEY_FREEBSD_KLDSTAT_MAC_PRIORITY              "freebsd.kldstat.mac_priority"
#define ST_KEY_FREEBSD_KERN_HZ                           "freebsd.kern.hz"
#define ST_KEY_FREEBSD_KERN_OSRELDATE                    "freebsd.kern.osreldate"
#define ST_KEY_FREEBSD_KERN_OSRELEASE                    "freebsd.kern.osrelease"
#define ST_KEY_FREEBSD_KERN_SMP_CPUS                     "freebsd.kern.smp.cpus"
#define ST_KEY_FREEBSD_KERN_TIMECOUNTER_ALLOWEDDEVIATION "freebsd.kern.timecounter.alloweddeviation"
#define ST_KEY_FREEBSD_KERN_TIMECOUNTER_NANOSLEEP_PRECISE                                          \
    "freebsd.kern.timecounter.nanosleep_precise"
#define ST_KEY_FREEBSD_KERN_VM_GUEST             "freebsd.kern.vm_guest"
#define ST_KEY_FREEBSD_LIMITS_MEMORYLOCKED_BYTES "freebsd.limits.memorylocked_bytes"
#define ST_KEYS_FREEBSD_LOADER                   "freebsd.loader."
#define ST_KEY_FREEBSD_POWERD_RUNNING            "freebsd.powerd.running"
#define ST_KEY_FREEBSD_RT_FIFO_ERRNO             "freebsd.rt.fifo_errno"
#define ST_KEY_FREEBSD_SECURITY_JAIL_JAILED      "freebsd.security.jail.jailed"
#define ST_KEY_FREEBSD_SECURITY_JAIL_MLOCK       "freebsd.security.jail.mlock_allowed"
#define ST_KEYS_FREEBSD_SNDSTAT                  "freebsd.sndstat."
#define ST_KEYS_FREEBSD_SYSCTL_CONF              "freebsd.sysctl_conf."

/* --- what `sleeptune check` saw of the music that played while it measured. In the JSON of a
 * report it is the object "music", and the names have no prefix --- */
#define ST_MUSIC_PREFIX "music."
/* sentences for people; exists if the music was watched */
#define ST_MUSIC_ANSWER "music.answer"
/* what to do next: "COMMAND (why)", or a sentence; absent: nothing */
#define ST_MUSIC_NEXT "music.next"
/* the server that was watched: "PipeWire"; absent: none */
#define ST_MUSIC_SERVER      "music.server"
#define ST_MUSIC_DURATION_NS "music.duration_ns" /* integer: time watched, in ns */
#define ST_MUSIC_DROPOUTS    "music.dropouts"    /* integer: dropouts of devices and clients */
#define ST_MUSIC_CLIENT      "music.client"      /* the client with most of the dropouts */
/* integer: the dropouts of that client */
#define ST_MUSIC_CLIENT_DROPOUTS "music.client_dropouts"
/* reason of most of that client's dropouts: "too-slow" */
#define ST_MUSIC_REASON "music.reason"
#define ST_MUSIC_FRAMES "music.frames" /* integer: the server's buffer size in frames */

/* integer: dropouts that the daemon sleeptuned has counted; it watches all the time */
#define ST_MUSIC_COUNTED "linux.sleeptuned.dropouts"
