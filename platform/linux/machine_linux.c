/* The machine below: what only this running system can say, beside its files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "platform/linux/linux.h"
#include "platform/proc_text.h"
#include "platform/tree.h"

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
static void say_cpu_dma_latency(st_circumstance_fn fn, void *ctx)
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

void st_linux_circumstances(struct st_platform *p, int cpu, st_circumstance_fn fn, void *ctx)
{
    st_tree_circumstances_linux(p, cpu, hypervisor_by_cpuid(), fn, ctx);
    say_cpu_dma_latency(fn, ctx);
    int64_t slack_ns;
    if (st_linux_timer_slack_ns(p, &slack_ns) == 0) {
        char value[32];
        snprintf(value, sizeof(value), "%lld", (long long)slack_ns);
        fn(ctx, "timer_slack_ns", value);
    }
}

int st_linux_smi_count(struct st_platform *p, int cpu, uint64_t *ret)
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
