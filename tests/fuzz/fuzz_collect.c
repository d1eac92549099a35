/* One text in the place of each Linux file that has a parser: configuration, timer_list, cgroup,
 * limits, and small ones. */
/* Runs: 2000 */
#include "advisor/collect/collect.h"
#include "advisor/facts/snapshot.h"
#include "tests/fake/fake.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/one_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {
        "/boot/config-x",
        "/proc/timer_list",
        "/proc/self/cgroup",
        "/proc/self/limits",
        "/proc/interrupts",
        "/proc/asound/cards",
        "/proc/swaps",
        "/etc/os-release",
        "/etc/security/limits.conf",
        "/proc/cpuinfo",
        "/proc/cmdline",
        "/run/systemd/container",
        "/dev/cpu_dma_latency",
        "/proc/version",
        "/proc/uptime",
        "/sys/fs/cgroup/cpu.max",
        "/sys/devices/system/cpu/cpu0/cpu_capacity",
        "/sys/devices/system/cpu/cpu1/cpu_capacity",
        "/sys/devices/system/cpu/cpu0/power/pm_qos_resume_latency_us",
    };
    struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
    struct st_facts *facts;
    char *text = strndup((const char *)data, size);
    if (p == NULL || text == NULL ||
        st_fake_set_file(p, "/proc/sys/kernel/osrelease", "x\n", 0) != 0)
        abort();
    ST_EACH (path, paths) {
        if (st_fake_set_file(p, *path, text, 0) != 0)
            abort();
    }
    if (st_collect(p, false, &facts) != 0)
        abort();
    if (fuzz_one_of(16, data, size)) {
        json_t *document = st_snapshot_json(facts);
        if (document == NULL)
            abort();
        json_decref(document);
    }
    st_facts_free(facts);
    free(text);
    st_fake_free(p);
    return 0;
}
