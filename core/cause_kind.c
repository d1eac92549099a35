/* The table of causes. */
#include "core/cause_kind.h"

#include <errno.h>
#include <string.h>

static const struct {
    const char *name, *text;
    bool by_exclusion;
} causes[ST_CAUSE_COUNT] = {
    [ST_CAUSE_RUN_QUEUE] = {"run-queue", "another thread had the CPU"},
    [ST_CAUSE_RT_THROTTLING] = {"rt-throttling",
                                "real-time throttling: real-time threads used up their share"},
    [ST_CAUSE_CPU_QUOTA] = {"cpu-quota", "the CPU quota of its cgroup was used up"},
    [ST_CAUSE_STOPPED] = {"stopped", "the process was stopped, and continued by SIGCONT"},
    [ST_CAUSE_PAGE_FAULT] = {"page-fault", "a page had to be read from disk", true},
    [ST_CAUSE_OWN_WORK] = {"own-work", "the previous callback took longer than its period"},
    [ST_CAUSE_SUSPEND] = {"suspend", "the machine was suspended", true},
    [ST_CAUSE_KERNEL] = {"kernel-or-interrupt",
                         "an interrupt, or kernel code that cannot be interrupted, had the CPU (in a "
                         "virtual machine perhaps its host)"},
    [ST_CAUSE_STRETCHED] =
        {"stretched",
         "the kernel made the sleep longer (kern.timecounter.alloweddeviation, or a periodic event "
         "timer)"},
    [ST_CAUSE_TIMER] = {"timer", "a late timer, an interrupt, or the time to wake an idle CPU", true},
    [ST_CAUSE_HYPERVISOR_OR_INTERRUPT] = {"hypervisor-or-interrupt",
                                          "the hypervisor or an interrupt (no counter shows which)", true},
    [ST_CAUSE_UNKNOWN] = {"unknown", "unknown: the time spent waiting for a CPU could not be read", true},
};

const char *st_cause_kind_name(enum st_cause cause)
{
    return causes[cause].name;
}

const char *st_cause_kind_text(enum st_cause cause)
{
    return causes[cause].text;
}

bool st_cause_kind_by_exclusion(enum st_cause cause)
{
    return causes[cause].by_exclusion;
}

int st_cause_kind_find(const char *name, enum st_cause *ret)
{
    for (int c = 0; c < ST_CAUSE_COUNT; c++) {
        if (strcmp(causes[c].name, name) == 0) {
            *ret = (enum st_cause)c;
            return 0;
        }
    }
    return -ENOENT;
}

size_t st_cause_kind_program_len(const char *culprit)
{
    const char *slash = strrchr(culprit, '/');
    const bool number =
        slash != NULL && slash[1] != '\0' && slash[1 + strspn(slash + 1, "0123456789")] == '\0';
    return number ? (size_t)(slash - culprit) : 0;
}
