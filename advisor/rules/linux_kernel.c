/* Linux: the version of the kernel, and whether it is a real-time one. */
#include "advisor/rules/linux_kernel.h"

#include "advisor/rules/machine.h"
#include "platform/proc.h"

/** Does the kernel belong to a distribution that adds changes of later versions? These are RHEL and
 * its rebuilds (.el9_4, el8uek), openEuler, SUSE Linux Enterprise and Leap
 * (6.4.0-150600.23-default). Tumbleweed (6.10.5-1-default) and ELRepo's kernels do not add such
 * changes. */
static bool has_backports(const char *release)
{
    static const char *const marks[] = {".el", ".oe", ".an", "uek", NULL};
    const char *dash = strchr(release, '-');
    if (strstr(release, "elrepo") != NULL)
        return false;
    return st_text_has_among(release, marks) ||
           (dash != NULL && strstr(dash, "-default") != NULL &&
            (strtol(dash + 1, NULL, 10) >= 20 || st_text_begins(dash, "-lp")));
}

int st_linux_kernel_from(const struct st_facts *facts, int major, int minor)
{
    const char *release = st_facts_text_or(facts, ST_KEY_KERNEL_RELEASE, "");
    int its_major, its_minor;
    if (sscanf(release, "%4d.%4d", &its_major, &its_minor) != 2)
        return -ENODATA;
    if (its_major > major || (its_major == major && its_minor >= minor))
        return 1;
    return has_backports(release) ? -ENODATA : 0;
}

bool st_linux_kernel_realtime(const struct st_facts *facts)
{
    const char *version = st_facts_text_or(facts, ST_KEY_KERNEL_VERSION, "");
    /* patched kernels up to 4.19 wrote "PREEMPT RT"; only they have the file
     * /sys/kernel/realtime */
    return st_proc_has_word(version, "PREEMPT_RT") || strstr(version, " PREEMPT RT") != NULL ||
           st_facts_int_or(facts, ST_KEY_REALTIME, 0) == 1;
}

bool st_linux_kernel_threads_irqs(const struct st_facts *facts)
{
    return st_linux_kernel_realtime(facts) ||
           st_machine_boot_option(facts, "threadirqs", NULL) != NULL;
}

bool st_linux_kernel_has_irq_threads(const struct st_facts *facts)
{
    return st_linux_kernel_threads_irqs(facts) ||
           st_facts_next(facts, ST_LINUX_KERNEL_IRQ_THREAD, ".name", NULL) != NULL;
}
