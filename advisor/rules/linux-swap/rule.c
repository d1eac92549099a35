/* Swap on disks, and how eagerly it is used. */
#include <inttypes.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define ZRAM       "linux.swap.zram_n"
#define OTHER      "linux.swap.other_n"
#define FIRST      "linux.swap.zram_first"
#define SWAPPINESS "linux.sysctl.vm.swappiness"
#define ZSWAP      "linux.zswap.enabled"

#define SWAPPINESS_LOW 10

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t zram, other, swappiness;
    const char *zswap;
    (void)wish;
    if (st_finding_need_int(finding, facts, OTHER, &other) != 0 ||
        st_finding_need_int(finding, facts, ZRAM, &zram) != 0)
        return;
    if (other <= 0 && zram <= 0) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "this machine has no swap");
        return;
    }
    if (st_finding_need_int(finding, facts, SWAPPINESS, &swappiness) != 0)
        return;
    st_finding_quote(finding, facts, ZSWAP);
    const bool compressed =
        st_facts_text(facts, ZSWAP, &zswap) == 0 && (strcmp(zswap, "Y") == 0 || strcmp(zswap, "1") == 0);
    if (swappiness < 0 || swappiness > 200) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "swappiness of %" PRId64 " cannot be (0 to 200)",
                       swappiness);
    } else if (other <= 0 || compressed) {
        st_finding_set(finding, ST_STATUS_OK,
                       "swap is compressed memory (%s), for which a high swappiness (%" PRId64 ") is meant",
                       other <= 0 ? "zram" : "zswap", swappiness);
    } else if (zram > 0 && st_machine_int_or(facts, FIRST, 0) != 0) {
        st_finding_quote(finding, facts, FIRST);
        st_finding_set(finding, ST_STATUS_OK,
                       "swap goes to compressed memory (zram) before the disk, for which a high swappiness "
                       "(%" PRId64 ") is meant",
                       swappiness);
    } else if (swappiness <= SWAPPINESS_LOW) {
        st_finding_set(finding, ST_STATUS_OK, "swap on disk is used late (swappiness %" PRId64 ")",
                       swappiness);
    } else {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "memory that is not locked may be paged out to disk rather early (swappiness %" PRId64
                       ")",
                       swappiness);
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_SYSCTL, "vm.swappiness", "10");
    }
}

const struct st_rule st_rule_linux_swap = {
    .id = "linux-swap",
    .os = ST_OS_LINUX,
    .title = "Swap on disk",
    .mechanism = "A page that was swapped out is read back when a thread touches it, and the thread waits "
                 "for the disk. "
                 "Locked memory is not touched; samples and plug-ins often are not locked.",
    .privilege = "root",
    .cost = "memory: less of it for the cache of files",
    .when_not = "zram and zswap, where high values are meant; machines without swap",
    .sources = "Linux Documentation/admin-guide/sysctl/vm.rst: swappiness 0 to 200, default 60; zram setups "
               "use 100 to 180\n"
               "the line of 10 is that of old audio guides",
    .guide =
        {
            .now = ST_MACHINE_SYSCTL_NOW("vm.swappiness", "10"),
            .persistent = ST_MACHINE_SYSCTL_EVER("vm.swappiness", "10"),
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl vm.swappiness   # 10\n"
                     "swapon --show   # zram: leave it as it is",
            .undo = ST_MACHINE_UNDO_SYSCTL("vm.swappiness", "60"),
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){ZRAM, OTHER, FIRST, SWAPPINESS, ZSWAP, NULL},
    .targets = (const char *const[]){"vm.swappiness", NULL},
    .judge = judge,
};
