/* Linux: the upstream version of the kernel, from the texts in which distributions say it. */
#include "advisor/rules/linux_kernel.h"

#include "advisor/rules/machine.h"
#include "core/text/text.h"
#include "platform/proc.h"

static bool read_version(const char *text, struct st_linux_kernel *ret)
{
    return text != NULL && sscanf(text, "%4d.%4d.%5d", &ret->major, &ret->minor, &ret->patch) == 3;
}

/** "Debian 6.1.140-1 (2025-05-22)", "Debian 1:6.6.51-1+rpt3", "PMX 6.8.12-4": packages are named after
 * upstream. */
static bool of_package(const char *version, struct st_linux_kernel *ret)
{
    static const char *const names[] = {" Debian ", " PMX "};
    ST_EACH (name, names) {
        const char *at = strstr(version, *name);
        if (at == NULL)
            continue;
        at += strlen(*name);
        return read_version(at[0] != '\0' && at[1] == ':' ? at + 2 : at, ret);
    }
    return false;
}

/** RHEL and its rebuilds (.el9_4, el8uek), openEuler, SUSE Linux Enterprise and Leap
 * (6.4.0-150600.23-default; Tumbleweed counts 6.10.5-1-default). ELRepo's kernels are upstream's. */
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

int st_linux_kernel_version(const struct st_facts *facts, struct st_linux_kernel *ret)
{
    const char *release = st_facts_text_or(facts, ST_KEY_KERNEL_RELEASE, "");
    const char *last = strrchr(st_facts_text_or(facts, ST_KEY_KERNEL_SIGNATURE, ""), ' ');
    struct st_linux_kernel found = {.patch = -1, .backports = has_backports(release)};
    /* Ubuntu's /proc/version_signature: "Ubuntu 5.4.0-12.15-generic 5.4.8" */
    if (read_version(last != NULL ? last + 1 : NULL, &found) ||
        of_package(st_facts_text_or(facts, ST_KEY_KERNEL_VERSION, ""), &found)) {
        *ret = found;
        return 0;
    }
    int end = 0;
    const int n = sscanf(release, "%4d.%4d.%5d%n", &found.major, &found.minor, &found.patch, &end);
    if (n < 2)
        return -ENODATA;
    if (n < 3 ||
        (found.patch == 0 && release[end] == '-' && release[end + 1] >= '0' && release[end + 1] <= '9'))
        found.patch = -1;
    *ret = found;
    return 0;
}

int st_linux_kernel_from(const struct st_facts *facts, int major, int minor)
{
    struct st_linux_kernel kernel;
    if (st_linux_kernel_version(facts, &kernel) != 0)
        return -ENODATA;
    if (kernel.major > major || (kernel.major == major && kernel.minor >= minor))
        return 1;
    return kernel.backports ? -ENODATA : 0;
}

bool st_linux_kernel_realtime(const struct st_facts *facts)
{
    const char *version = st_facts_text_or(facts, ST_KEY_KERNEL_VERSION, "");
    /* "PREEMPT RT" is how patched kernels up to 4.19 wrote it; only patched kernels have the file */
    return st_proc_has_word(version, "PREEMPT_RT") || strstr(version, " PREEMPT RT") != NULL ||
           st_facts_int_or(facts, ST_KEY_REALTIME, 0) == 1;
}

bool st_linux_kernel_threads_irqs(const struct st_facts *facts)
{
    return st_linux_kernel_realtime(facts) || st_machine_boot_option(facts, "threadirqs", ST_ROOM(64)) == 0;
}

bool st_linux_kernel_has_irq_threads(const struct st_facts *facts)
{
    return st_linux_kernel_threads_irqs(facts) ||
           st_facts_next(facts, ST_LINUX_KERNEL_IRQ_THREAD, ".name", NULL) != NULL;
}
