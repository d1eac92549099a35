/* The Linux row of the seam, and its members that are about the machine. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "platform/linux/linux.h"
#include "platform/posix/beneath_posix.h"
#include "platform/posix/posix.h"
#include "platform/posix/sleep_posix.h"
#include "platform/proc.h"
#include "platform/tree.h"
#include "platform/xrun/xrun.h"

#define MSR_SMI_COUNT 0x34 /* Intel SDM volume 4, MSR_SMI_COUNT, bits 31:0 */

/* Name of the hypervisor by CPUID leaf 0x40000000, which exists where the hypervisor flag is set. NULL:
 * unnamed. */
static const char *hypervisor_by_cpuid(void)
{
#if defined(__x86_64__) || defined(__i386__)
    static const struct {
        const char *signature;
        const char *name;
    } rows[] = {
        {"KVMKVMKVM", "kvm"},     {"Microsoft Hv", "hyper-v"},  {"VMwareVMware", "vmware"},
        {"XenVMMXenVMM", "xen"},  {"TCGTCGTCGTCG", "qemu"},     {"bhyve bhyve ", "bhyve"},
        {"ACRNACRNACRN", "acrn"}, {" lrpepyh vr", "parallels"}, {"QNXQVMBSQG", "qnx"},
    };
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & (1u << 31)) == 0)
        return NULL;
    __cpuid(0x40000000, eax, ebx, ecx, edx);
    char signature[13];
    memcpy(signature, &ebx, 4);
    memcpy(signature + 4, &ecx, 4);
    memcpy(signature + 8, &edx, 4);
    signature[12] = '\0';
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        if (strcmp(signature, rows[i].signature) == 0)
            return rows[i].name;
    }
#endif
    return NULL;
}

/* The limit on wake-up latency that is in force. The read is binary; opening registers a request for the
 * default, which asks for nothing. Source: Documentation/power/pm_qos_interface.rst. */
static void say_cpu_dma_latency(st_condition_fn fn, void *ctx)
{
    const int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    int32_t us;
    char value[16];
    if (read(fd, &us, sizeof(us)) == (ssize_t)sizeof(us)) {
        snprintf(value, sizeof(value), "%d", (int)us);
        fn(ctx, "cpu_dma_latency_us", value);
    }
    close(fd);
}

static void linux_conditions(struct st_platform *p, int cpu, st_condition_fn fn, void *ctx)
{
    st_tree_conditions_linux(p, cpu, hypervisor_by_cpuid(), fn, ctx);
    say_cpu_dma_latency(fn, ctx);
    int64_t slack_ns;
    if (st_linux_timer_slack_ns(p, &slack_ns) == 0) {
        char value[32];
        snprintf(value, sizeof(value), "%lld", (long long)slack_ns);
        fn(ctx, "timer_slack_ns", value);
    }
}

static int linux_smi_count(struct st_platform *p, int cpu, uint64_t *ret)
{
    char text[4096], vendor[64], path[48];
    size_t len;
    int r = p->read_text(p, "/proc/cpuinfo", text, sizeof(text), &len);
    if (r < 0 && r != -EFBIG)
        return r;
    if (st_proc_field(text, "vendor_id", vendor, sizeof(vendor)) != 0 || strcmp(vendor, "GenuineIntel") != 0)
        return -ENOTSUP;
    snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    uint64_t value;
    const ssize_t got = pread(fd, &value, sizeof(value), MSR_SMI_COUNT);
    r = got == (ssize_t)sizeof(value) ? 0 : got < 0 ? -errno : -EIO;
    close(fd);
    if (r == 0)
        *ret = value & UINT32_MAX;
    return r;
}

int st_beneath_open(int dir_fd, const char *path, int flags)
{
    path += strspn(path, "/");
    const struct open_how how = {
        .flags = (uint64_t)(unsigned)(O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags),
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
    };
    const long fd = syscall(SYS_openat2, dir_fd, *path != '\0' ? path : ".", &how, sizeof(how));
    if (fd >= 0)
        return (int)fd;
    if (errno == ENOSYS || errno == EPERM) /* before Linux 5.6, or a seccomp filter older than that */
        return st_beneath_open_posix(dir_fd, path, flags);
    return -errno;
}

/* The ways of sleeping that `report --measure` compares on Linux. What is stretched: a call that starts its
 * timer with a range of current->timer_slack_ns may be woken as late as the slack says; the slack of a
 * real-time thread is 0. Read in Linux 6.1: kernel/time/hrtimer.c (hrtimer_nanosleep); without a range:
 * fs/timerfd.c. */
#define NANOSLEEP "hrtimer_nanosleep: the timer may fire anywhere within the timer slack"

static const struct st_sleep_method methods[] = {
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic", CLOCK_MONOTONIC), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic", CLOCK_MONOTONIC), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_TIMERFD_ABSOLUTE(""), ST_STRETCHED(NO, "the kernel gives its timer no slack"), .usual = true},
    ST_SLEEP_ABSENT("umtx", "only FreeBSD has _umtx_op; futex is similar"),
};

static const struct st_sleep_method *linux_sleep_method(struct st_platform *p, size_t i)
{
    (void)p;
    return i < ST_ARRAY_LEN(methods) ? &methods[i] : NULL;
}

/* Sources of xruns, one row each; those that only FreeBSD has are the last ones. */
static const struct st_xrun_source sound4 = ST_XRUN_ABSENT("sound4", "only FreeBSD has sound(4)");

static const struct st_xrun_source *const sources[] = {
    &st_xrun_alsa, &st_xrun_pipewire, &st_xrun_jack, &st_xrun_pulseaudio, &sound4,
};

static const struct st_xrun_source *linux_xrun_source(struct st_platform *p, size_t i)
{
    (void)p;
    return i < ST_ARRAY_LEN(sources) ? sources[i] : NULL;
}

static int sleep_until_precise_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING
{
    (void)p;
    (void)due_ns;
    return -ENOTSUP; /* timer slack does not touch SCHED_FIFO: the plain sleep is exact */
}

struct st_platform *st_platform_native(void)
{
    static struct st_platform linux_row = {
        .name = "linux",
        .os = ST_OS_LINUX,
        .now_ns = st_posix_now_ns,
        .sleep_until_ns = st_linux_sleep_until_ns,
        .sleep_until_precise_ns = sleep_until_precise_ns,
        .sleep_method = linux_sleep_method,
        .xrun_source = linux_xrun_source,
        .wall_ns = st_posix_wall_ns,
        .suspended_ns = st_linux_suspended_ns,
        .set_policy = st_linux_set_policy,
        .get_policy = st_linux_get_policy,
        .thread_id = st_linux_thread_id,
        .demote = st_linux_demote,
        .pin = st_linux_pin,
        .unpin = st_linux_unpin,
        .cpus_allowed = st_linux_cpus_allowed,
        .set_name = st_linux_set_name,
        .timer_slack_ns = st_linux_timer_slack_ns,
        .set_timer_slack_ns = st_linux_set_timer_slack_ns,
        .leave_rseq = st_linux_leave_rseq,
        .hold_latency = st_linux_hold_latency,
        .release_latency = st_linux_release_latency,
        .counters_open = st_linux_counters_open,
        .counters_self = st_linux_counters_self,
        .thread_cpu_ns = st_posix_thread_cpu_ns,
        .counters_other = st_linux_counters_other,
        .counters_close = st_linux_counters_close,
        .pauses = st_linux_pauses,
        .lock_memory = st_linux_lock_memory,
        .set_rttime_limit_ns = st_linux_set_rttime_limit_ns,
        .rt_rights = st_linux_rt_rights,
        .resident_bytes = st_linux_resident_bytes,
        .program_path = st_linux_program_path,
        .run = st_posix_run,
        .conditions = linux_conditions,
        .smi_count = linux_smi_count,
        .virtualised = st_tree_virtualised_linux,
        .read_text = st_posix_read_text,
        .list = st_posix_list,
        .read_sysctl = st_tree_read_sysctl_linux,
        .replace_file = st_posix_replace_file,
        .clean_file = st_posix_clean_file,
        .remove_file = st_posix_remove_file,
        .make_folder = st_posix_make_folder,
        .remove_folder = st_posix_remove_folder,
        .write_value = st_posix_write_value,
        .write_sysctl = st_tree_write_sysctl_linux,
        .can_write = st_posix_can_write,
        .lock_folder = st_posix_lock_folder,
        .unlock_folder = st_posix_unlock_folder,
    };
    return &linux_row;
}
