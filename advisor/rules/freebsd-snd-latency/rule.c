/* hw.snd.latency and its profile: the ring that sound(4) gives to programs that ask for none. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "advisor/rules/rule.h"

#define LATENCY "freebsd.hw.snd.latency"
#define PROFILE "freebsd.hw.snd.latency_profile"

#define LATENCY_MAX 10
#define PROFILE_MAX 1

#define NOW(latency, profile) "sysctl hw.snd.latency=" latency " hw.snd.latency_profile=" profile
#define EVER(latency, profile)                                                                               \
    "# /etc/sysctl.conf\nhw.snd.latency=" latency "\nhw.snd.latency_profile=" profile

#define BYTES_PER_S 192000 /* the tables' reference: 48 kHz, stereo, 16 bit */

/** Playback: the ring is 2^ring bytes, of 2^blocks blocks. sys/dev/sound/pcm/channel.c */
static const struct {
    uint8_t ring;
    uint8_t blocks;
} table[PROFILE_MAX + 1][LATENCY_MAX + 1] = {
    {{7, 1}, {9, 2}, {12, 3}, {13, 4}, {14, 5}, {15, 5}, {15, 4}, {15, 3}, {15, 2}, {15, 1}, {16, 1}},
    {{11, 1}, {12, 2}, {13, 3}, {14, 4}, {15, 5}, {16, 5}, {16, 4}, {16, 3}, {16, 2}, {16, 1}, {17, 1}},
};

static double block_ms(int64_t profile, int64_t latency)
{
    return (double)(1 << (table[profile][latency].ring - table[profile][latency].blocks)) * 1e3 / BYTES_PER_S;
}

static double ring_ms(int64_t profile, int64_t latency)
{
    return (double)(1 << table[profile][latency].ring) * 1e3 / BYTES_PER_S;
}

/** Suggests the shortest ring of at least two periods whose blocks are not longer than a period. */
static void suggest(double period_ms, struct st_finding *finding)
{
    char now[96], persistent[128];
    int64_t best_profile = 0, best_latency = 0;
    double best_ms = HUGE_VAL;
    for (int64_t profile = 0; profile <= PROFILE_MAX; profile++) {
        for (int64_t latency = 0; latency <= LATENCY_MAX; latency++) {
            const double ring = ring_ms(profile, latency);
            if (ring < 2 * period_ms || block_ms(profile, latency) > period_ms || ring >= best_ms)
                continue;
            best_ms = ring;
            best_profile = profile;
            best_latency = latency;
        }
    }
    snprintf(now, sizeof(now), NOW("%d", "%d"), (int)best_latency, (int)best_profile);
    snprintf(persistent, sizeof(persistent), EVER("%d", "%d"), (int)best_latency, (int)best_profile);
    st_finding_fix(finding, now, persistent, ST_NEEDS_REOPEN);
    snprintf(now, sizeof(now), "%d", (int)best_latency);
    st_finding_change(finding, ST_CHANGE_SYSCTL, "hw.snd.latency", now);
    snprintf(now, sizeof(now), "%d", (int)best_profile);
    st_finding_change(finding, ST_CHANGE_SYSCTL, "hw.snd.latency_profile", now);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t latency, profile;
    const double period_ms = st_period_seconds(&wish->period) * 1e3;
    if (st_finding_need_int(finding, facts, LATENCY, &latency) != 0 ||
        st_finding_need_int(finding, facts, PROFILE, &profile) != 0)
        return;
    if (latency < 0 || latency > LATENCY_MAX || profile < 0 || profile > PROFILE_MAX) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "latency %" PRId64 " with profile %" PRId64
                       " is beyond the known tables (0..%d, 0..%d)",
                       latency, profile, LATENCY_MAX, PROFILE_MAX);
        return;
    }
    const double block = block_ms(profile, latency), ring = ring_ms(profile, latency);
    if (block > period_ms) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "programs that set no buffer get %.1f ms in blocks of %.2f ms, longer than your "
                       "period of %.2f ms",
                       ring, block, period_ms);
        suggest(period_ms, finding);
    } else {
        st_finding_set(
            finding, ST_STATUS_OK,
            "programs that set no buffer get %.1f ms in blocks of %.2f ms, not longer than your period of "
            "%.2f ms",
            ring, block, period_ms);
    }
    st_finding_effect(
        finding, 0,
        "adds delay, not lateness: latency %" PRId64 ", profile %" PRId64 " is a ring of %d bytes in %d "
        "blocks, %.2f ms at 48 kHz stereo 16 bit",
        latency, profile, 1 << table[profile][latency].ring, 1 << table[profile][latency].blocks, ring);
}

const struct st_rule st_rule_freebsd_snd_latency = {
    .id = "freebsd-snd-latency",
    .os = ST_OS_FREEBSD,
    .title = "Default sound buffer (hw.snd.latency)",
    .mechanism =
        "A program that does not set its own fragments gets a ring from a table by hw.snd.latency and "
        "hw.snd.latency_profile. It is woken once a block, and what it plays is heard up to a whole ring "
        "later.",
    .privilege = "root",
    .cost = "CPU: more interrupts and context switches; programs that are slow to refill may crackle",
    .when_not = "programs set their fragments themselves (JACK, virtual_oss): they are not touched; desktops "
                "that crackle: they want a larger value",
    .sources = "sound(4); FreeBSD sys/dev/sound/pcm/channel.c (reference tables for playback)\n"
               "hardware limits round these sizes up; other formats scale to the next power of two",
    .guide =
        {
            .now = NOW("1", "0"),
            .persistent = EVER("1", "0"),
            .needs = ST_NEEDS_REOPEN,
            .check = "sysctl hw.snd.latency hw.snd.latency_profile",
            .undo = "take the lines out of /etc/sysctl.conf; sysctl hw.snd.latency=5 "
                    "hw.snd.latency_profile=1, the defaults, for now",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){LATENCY, PROFILE, NULL},
    .targets = (const char *const[]){"hw.snd.latency", "hw.snd.latency_profile", NULL},
    .judge = judge,
};
