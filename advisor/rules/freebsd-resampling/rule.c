/* hw.snd.feeder_rate_quality: how carefully the kernel resamples. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define QUALITY "freebsd.hw.snd.feeder_rate_quality"

#define QUALITY_MAX    4
#define QUALITY_COSTLY 3 /* 36 taps, 164 at 4; 8 at 2 */

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    static const char *const kinds[QUALITY_MAX + 1] = {"no interpolation", "linear interpolation",
                                                       "a filter of 8 taps", "a filter of 36 taps",
                                                       "a filter of 164 taps"};
    int64_t quality;
    (void)wish;
    if (st_finding_need_int(finding, facts, QUALITY, &quality) != 0)
        return;
    if (quality < 0 || quality > QUALITY_MAX) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "feeder_rate_quality %" PRId64 " is beyond the known range (0 to %d)", quality,
                       QUALITY_MAX);
        return;
    }
    if (quality >= QUALITY_COSTLY) {
        st_finding_set(finding, ST_STATUS_ADVICE, "the kernel resamples with %s: much work for each block",
                       kinds[quality]);
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_SYSCTL, "hw.snd.feeder_rate_quality", "1");
    } else {
        st_finding_set(finding, ST_STATUS_OK, "where the kernel has to resample it does so with %s",
                       kinds[quality]);
    }
    st_finding_effect(finding, 0,
                      "CPU time of the sound thread where rates differ, not lateness of this loop");
}

const struct st_rule st_rule_freebsd_resampling = {
    .id = "freebsd-resampling",
    .os = ST_OS_FREEBSD,
    .title = "Resampling in the kernel (feeder_rate_quality)",
    .mechanism =
        "Sound whose rate is not that of the device or the mixer is resampled by the kernel, block by block. "
        "Better filters take more CPU time for each block; where rates agree nothing is resampled at all.",
    .privilege = "root",
    .cost = "convenience: quality of sound that has another rate",
    .when_not = "listening, where nobody waits for the sound and the CPU has time",
    .sources = "sound(4) (hw.snd.feeder_rate_quality: kinds and numbers of taps)\n"
               "the CPU time was not measured",
    .guide =
        {
            .now = "sysctl hw.snd.feeder_rate_quality=1",
            .persistent = "# /etc/sysctl.conf\nhw.snd.feeder_rate_quality=1",
            .needs = ST_NEEDS_REOPEN,
            .check = "sysctl hw.snd.feeder_rate_quality   # 1",
            .undo = "take the line out of /etc/sysctl.conf",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){QUALITY, NULL},
    .targets = (const char *const[]){"hw.snd.feeder_rate_quality", NULL},
    .judge = judge,
};
