/* hw.snd.vpc_0db and its like: volume, not time. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define FACT "freebsd.hw.snd.vpc_0db"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t value;
    (void)wish;
    if (st_finding_need_int(finding, facts, FACT, &value) != 0)
        return;
    st_finding_set(finding, ST_STATUS_OK,
                   "vpc_0db is %" PRId64 ": loudness, which has nothing to do with time", value);
    st_finding_effect(finding, 0, "volume only");
}

const struct st_rule st_rule_freebsd_snd_volume = {
    .id = "freebsd-snd-volume",
    .os = ST_OS_FREEBSD,
    .title = "Volume settings of sound(4) (vpc_*)",
    .mechanism = "vpc_0db, vpc_autoreset, vpc_reset, vpc_mixer_bypass and hint.pcm.N.vpc say how loud each "
                 "program is. Lists of latency settings have them, too, but they move no sound in time.",
    .privilege = "root",
    .cost = "none",
    .when_not = "never for latency; vpc_0db higher or lower for loudness",
    .sources = "sound(4) (volume per channel)",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FACT, NULL},
    .judge = judge,
};
