/* hw.snd.timeout: when a silent card is given up. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define FACT "freebsd.hw.snd.timeout"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t value;
    (void)wish;
    if (st_finding_need_int(finding, facts, FACT, &value) != 0)
        return;
    st_finding_set(finding, ST_STATUS_OK,
                   "a card that is silent for %" PRId64 " s is given up; nothing waits for that while "
                   "it works",
                   value);
    st_finding_effect(finding, 0, "used only when a card sends no interrupts");
}

const struct st_rule st_rule_freebsd_snd_timeout = {
    .id = "freebsd-snd-timeout",
    .os = ST_OS_FREEBSD,
    .title = "Patience with silent cards (hw.snd.timeout)",
    .mechanism = "When a card sends no interrupt for this many seconds the kernel declares its channel dead. "
                 "As long as a card works the value is not used at all.",
    .privilege = "root",
    .cost = "none",
    .when_not = "never for latency: a shorter time repairs nothing",
    .sources = "FreeBSD sys/dev/sound/pcm/channel.c; sound(4) (\"play interrupt timeout, channel dead\")",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FACT, NULL},
    .judge = judge,
};
