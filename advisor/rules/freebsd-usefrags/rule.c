/* hw.snd.usefrags: how the kernel asks the driver for a buffer. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define FACT "freebsd.hw.snd.usefrags"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t value;
    (void)wish;
    if (st_finding_need_int(finding, facts, FACT, &value) != 0)
        return;
    st_finding_set(finding, ST_STATUS_OK, "drivers are asked for %s; the size is the same",
                   value != 0 ? "size and number of blocks at once" : "the size of blocks");
    st_finding_effect(finding, 0, "the same block size either way");
}

const struct st_rule st_rule_freebsd_usefrags = {
    .id = "freebsd-usefrags",
    .os = ST_OS_FREEBSD,
    .title = "How drivers are asked for blocks (usefrags)",
    .mechanism =
        "With usefrags the kernel sets size and number of blocks at once, where a driver knows that, else "
        "the size only, and the driver takes the number. The size, which says how often a program is woken, "
        "is the same either way.",
    .privilege = "root",
    .cost = "none",
    .when_not = "a driver that gets its number of blocks wrong",
    .sources = "FreeBSD sys/dev/sound/pcm/channel.c chn_resizebuf()\nsyncdelay (silence after a sync) and "
               "compat_linux_mmap do not shorten anything either",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FACT, NULL},
    .judge = judge,
};
