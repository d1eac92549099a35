/* The table of causes. */
#include "core/cause_kind.h"

#define REPORT "run sleeptune report "

static const struct {
    const char *name, *text, *todo;
    bool by_exclusion;
} causes[ST_CAUSE_COUNT] = {
    [ST_CAUSE_RUN_QUEUE] = {"run-queue", "another thread had the CPU",
                            "run sleeptune history --causes"},
    [ST_CAUSE_RT_THROTTLING] =
        {"rt-throttling", "real-time throttling: real-time threads used up their share of CPU time",
         REPORT "linux-rt-throttling"},
    [ST_CAUSE_CPU_QUOTA] =
        {"cpu-quota", "sleeptune's limit of CPU time was used up (control group)",
         "remove CPUQuota= from sleeptuned's service, or the limit from the container"},
    [ST_CAUSE_STOPPED] = {"stopped", "sleeptune itself was stopped, and continued later (SIGCONT)",
                          ""},
    [ST_CAUSE_PAGE_FAULT] =
        {"page-fault", "memory had to be read from disk",
         "close programs that use much memory; run sleeptune report (limit of locked memory)",
         true},
    [ST_CAUSE_OWN_WORK] = {"own-work", "the previous cycle's work took longer than a period",
                           "use a larger buffer, or less load"},
    [ST_CAUSE_SUSPEND] = {"suspend", "the computer was suspended", "", true},
    [ST_CAUSE_KERNEL] = {"kernel-or-interrupt",
                         "an interrupt, or kernel code that cannot be interrupted, had the CPU (in "
                         "a virtual machine perhaps its host)",
                         "run sleeptune report"},
    [ST_CAUSE_STRETCHED] = {"stretched",
                            "the kernel made the sleep longer (kern.timecounter.alloweddeviation, "
                            "or a periodic event timer)",
                            REPORT "freebsd-alloweddeviation"},
    [ST_CAUSE_TIMER] =
        {"timer", "a late timer, an interrupt, or the time to wake an idle CPU",
         "measure as root for a minute: only root can read how often the firmware took the CPU",
         true},
    [ST_CAUSE_HYPERVISOR_OR_INTERRUPT] =
        {"hypervisor-or-interrupt",
         "the virtual machine's host or an interrupt (no counter shows which)",
         "give the virtual machine CPUs of its own, or play outside of it", true},
    [ST_CAUSE_FIRMWARE] =
        {"firmware",
         "the computer's firmware (BIOS) stopped the CPUs: a system management interrupt",
         "update the BIOS; stop programs that control fans or read sensors through it"},
    [ST_CAUSE_STEAL] = {"steal", "the host of this virtual machine had the CPU",
                        "give the virtual machine CPUs of its own, or play outside of it"},
    [ST_CAUSE_BUS_LOCK] = {"bus-lock",
                           "a program blocked the memory of all CPUs (split or bus lock)",
                           REPORT "linux-split-lock"},
    [ST_CAUSE_IDLE_EXIT] = {"idle-exit", "the CPU took long to leave a deep idle state",
                            "run sleeptune report (idle states of the CPU)"},
    [ST_CAUSE_HEAT] = {"heat", "the CPU was too hot and slowed itself down",
                       "clean the fans, give the computer air, and use less load"},
    [ST_CAUSE_POWER_LIMIT] = {"power-limit", "the CPU was slowed down by its power limit",
                              "connect the charger and choose the performance profile"},
    [ST_CAUSE_SLOW_CLOCK] = {"slow-clock", "the CPU ran at a low clock",
                             "run sleeptune report (clock of the CPU)"},
    [ST_CAUSE_SCHED_EXT] =
        {"sched-ext", "the sched_ext scheduler gave the CPU to another thread",
         "stop that scheduler (service scx), or get the right to real-time priority"},
    [ST_CAUSE_UNKNOWN] = {"unknown", "unknown: the time spent waiting for a CPU could not be read",
                          "run sleeptune report", true},
};

const char *st_cause_kind_name(enum st_cause cause)
{
    return causes[cause].name;
}

const char *st_cause_kind_text(enum st_cause cause)
{
    return causes[cause].text;
}

const char *st_cause_kind_todo(enum st_cause cause)
{
    return causes[cause].todo;
}

bool st_cause_kind_by_exclusion(enum st_cause cause)
{
    return causes[cause].by_exclusion;
}

size_t st_cause_kind_program_len(const char *culprit)
{
    const char *slash = strrchr(culprit, '/');
    const bool number =
        slash != NULL && slash[1] != '\0' && slash[1 + strspn(slash + 1, "0123456789")] == '\0';
    return number ? (size_t)(slash - culprit) : 0;
}
