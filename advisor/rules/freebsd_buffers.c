/* FreeBSD: the buffers between a program and the card. */
#include <strings.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"
#include "core/text/text.h"

/* --- freebsd-snd-latency: the ring of programs that ask for none --- */

#define LATENCY               "freebsd.hw.snd.latency"
#define LATENCY_MAX           10
#define PROFILE_MAX           1
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
    st_finding_fix_now(finding, NOW("%d", "%d"), (int)best_latency, (int)best_profile);
    st_finding_fix_persistent(finding, ST_NEEDS_REOPEN, EVER("%d", "%d"), (int)best_latency,
                              (int)best_profile);
    st_finding_change(finding, ST_CHANGE_SYSCTL, "hw.snd.latency", ST_TEXT(96, "%d", (int)best_latency));
    st_finding_change(finding, ST_CHANGE_SYSCTL, "hw.snd.latency_profile",
                      ST_TEXT(96, "%d", (int)best_profile));
}

static void judge_snd_latency(struct st_finding *finding)
{
    int64_t latency, profile;
    const double period_ms = st_period_seconds(&finding->wish->period) * 1e3;
    if (st_finding_need_int(finding, LATENCY, &latency) != 0 ||
        st_finding_need_int(finding, ST_KEY_FREEBSD_HW_SND_LATENCY_PROFILE, &profile) != 0)
        return;
    if (latency < 0 || latency > LATENCY_MAX || profile < 0 || profile > PROFILE_MAX) {
        st_finding_unknown(finding,
                           "hw.snd.latency is %" PRId64 " and hw.snd.latency_profile %" PRId64 "; sleeptune "
                           "knows only the values 0..%d and 0..%d",
                           latency, profile, LATENCY_MAX, PROFILE_MAX);
        return;
    }
    const double block = block_ms(profile, latency), ring = ring_ms(profile, latency);
    if (block > period_ms) {
        st_finding_advice(finding,
                          "programs that do not set a buffer size get a buffer of %.1f ms in blocks of "
                          "%.2f ms; a block is longer than your period of %.2f ms",
                          ring, block, period_ms);
        suggest(period_ms, finding);
    } else {
        st_finding_ok(finding,
                      "programs that do not set a buffer size get a buffer of %.1f ms in blocks of %.2f "
                      "ms, which suits your period of %.2f ms",
                      ring, block, period_ms);
    }
    st_finding_effect(finding, 0,
                      "adds delay to the sound; threads do not wake later. hw.snd.latency %" PRId64 " with "
                      "profile %" PRId64 " means a buffer of %d bytes in %d blocks, %.2f ms at 48 kHz "
                      "stereo 16 bit",
                      latency, profile, 1 << table[profile][latency].ring,
                      1 << table[profile][latency].blocks, ring);
}

const struct st_rule st_rule_freebsd_snd_latency = {
    .id = "freebsd-snd-latency",
    .title = "Default sound buffer (hw.snd.latency)",
    .mechanism = "hw.snd.latency and hw.snd.latency_profile set the buffer of programs that do not choose a "
                 "size themselves. The kernel wakes the program once for each block, and its sound is heard "
                 "up to one whole buffer later.",
    .cost = "CPU: more interrupts and context switches; programs that are slow to refill may crackle",
    .when_not = "your programs choose their own buffer size (JACK, virtual_oss). If sound crackles on"
                " a desktop, choose a larger value",
    .sources = "sound(4); FreeBSD sys/dev/sound/pcm/channel.c (reference tables for playback)\n"
               "hardware limits round these sizes up; other formats scale to the next power of two",
    .now = NOW("1", "0"),
    .persistent = EVER("1", "0"),
    .needs = ST_NEEDS_REOPEN,
    .check = "sysctl hw.snd.latency hw.snd.latency_profile",
    .undo = "take the lines out of /etc/sysctl.conf; to undo it at once, set the defaults: sysctl "
            "hw.snd.latency=2 hw.snd.latency_profile=1",
    .facts = ST_RULE_KEYS(LATENCY, ST_KEY_FREEBSD_HW_SND_LATENCY_PROFILE),
    .targets = ST_RULE_KEYS("hw.snd.latency", "hw.snd.latency_profile"),
    .judge = judge_snd_latency,
};

/* --- freebsd-virtual-oss: virtual_oss(8): a mixing server with a buffer and a priority of its own. --- */

#define ENABLE "freebsd.rc.virtual_oss_enable"
#define DSP    "freebsd.rc.virtual_oss_dsp"
#define CUSE   "freebsd.kern.features.cuse"

#define VIRTUAL_OSS_EVER(rate, frames)                                                                       \
    "# /etc/rc.conf, at the start of virtual_oss_dsp\n-i 8 -r " rate " -s " frames                           \
    "\n# then\nservice virtual_oss restart"

#define BLOCK_MAX_MS 10000.0
#define RATE_MAX     1e7

struct options {
    double block_ms; /* of -s; 0: not given */
    bool priority;   /* -i */
};

/** The value of option `letter` at `word`: attached or the next word, which is then taken from *rest. */
static const char *value_of(const char *word, char **rest)
{
    return word[2] != '\0' ? word + 2 : strtok_r(NULL, " \t", rest);
}

/** "-s 4ms" or "-s 192" frames at the rate of the -r before it. @return 0, -EINVAL, -ENOMEM. */
static int read_options(const char *args, uint32_t rate_hz, struct options *ret)
{
    struct options options = {0};
    double rate = rate_hz;
    char *copy = strdup(args), *rest = NULL;
    int r = copy != NULL ? 0 : -ENOMEM;
    for (char *word = r == 0 ? strtok_r(copy, " \t", &rest) : NULL; word != NULL && r == 0;
         word = strtok_r(NULL, " \t", &rest)) {
        if (word[0] != '-' || word[1] == '\0' || strchr("sri", word[1]) == NULL) {
            /* a variable may stand for the value of an option, but not for options */
            if (word[0] == '$' || word[0] == '`')
                r = -EINVAL;
            else if (word[0] == '-' && strchr("BS", word[1]) == NULL)
                (void)value_of(word, &rest);
            continue;
        }
        const char letter = word[1];
        const char *value = value_of(word, &rest);
        char *end = NULL;
        const double number = value != NULL ? strtod(value, &end) : -1;
        if (value == NULL || end == value || !(number >= 0) || number > RATE_MAX)
            r = -EINVAL;
        else if (letter == 'i')
            options.priority = true;
        else if (letter == 'r')
            rate = number;
        else
            options.block_ms = st_text_is(end, "ms") ? number : rate > 0 ? number * 1e3 / rate : -1;
        if (r == 0 && (options.block_ms < 0 || options.block_ms > BLOCK_MAX_MS))
            r = -EINVAL;
    }
    free(copy);
    if (r == 0)
        *ret = options;
    return r;
}

static void judge_options(const struct options *options, struct st_finding *finding)
{
    const double period_ms = st_period_seconds(&finding->wish->period) * 1e3;
    const bool slow = options->block_ms > period_ms, unknown = options->block_ms == 0;
    if (!slow && !unknown && options->priority) {
        st_finding_ok(finding, "virtual_oss uses blocks of %.4g ms and has a real-time priority",
                      options->block_ms);
    } else {
        if (slow)
            st_finding_advice(finding,
                              "virtual_oss uses blocks of %.4g ms, which is longer than your period of %.2f "
                              "ms%s",
                              options->block_ms, period_ms,
                              options->priority ? "" : ", and without real-time priority");
        else if (!options->priority)
            st_finding_advice(finding, "virtual_oss runs without a real-time priority (-i)%s",
                              unknown ? " and with its default block (no -s)" : "");
        else
            st_finding_advice(finding, "virtual_oss has no option -s, so it uses its default block size");
        st_finding_fix_persistent(finding, ST_NEEDS_REOPEN, VIRTUAL_OSS_EVER("%u", "%u"),
                                  (unsigned)finding->wish->rate_hz, (unsigned)finding->wish->frames);
    }
    if (!options->priority)
        return; /* behind whatever else is busy: no bound is known */
    if (unknown)
        st_finding_effect(
            finding, 0,
            "adds a delay of at least one block to the sound; no thread wakes up late because of it");
    else
        st_finding_effect(finding, 0,
                          "adds a delay of at least one block (%.2f ms) to the sound; threads do not wake "
                          "later",
                          options->block_ms);
}

static void judge_virtual_oss(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    const char *args = NULL, *enable;
    struct options options;
    st_finding_quote(finding, ENABLE);
    const int r = st_facts_text(facts, ENABLE, &enable);
    if (r == -EACCES || r == -EBADMSG) {
        st_finding_unknown(finding, "sleeptune could not read whether virtual_oss is started");
        return;
    }
    if (r != 0 || strcasecmp(enable, "YES") != 0) {
        st_finding_not_applicable(finding, "virtual_oss is not in use");
        return;
    }
    st_finding_quote(finding, DSP);
    const struct st_fact *dsp = st_facts_find(facts, DSP);
    if (dsp != NULL && dsp->state == ST_FACT_MALFORMED)
        args = dsp->raw; /* has variables in it */
    else
        (void)!st_facts_text(facts, DSP, &args);
    if (args == NULL) {
        st_finding_unknown(finding,
                           "virtual_oss is started, but its options (virtual_oss_dsp) could not be read");
        return;
    }
    st_finding_quote(finding, CUSE);
    if (read_options(args, finding->wish->rate_hz, &options) != 0)
        st_finding_unknown(finding, "sleeptune does not understand the options of virtual_oss: \"%.40s\"",
                           args);
    else
        judge_options(&options, finding);
}

const struct st_rule st_rule_freebsd_virtual_oss = {
    .id = "freebsd-virtual-oss",
    .title = "Block and priority of virtual_oss",
    .mechanism = "virtual_oss mixes, resamples and routes sound in its own blocks (option -s), at the "
                 "priority that option -i sets. All sound through virtual_oss is delayed by at least one "
                 "block.",
    .cost = "CPU: shorter blocks mean more wake-ups",
    .when_not = "you only play back, and a longer delay does no harm",
    .sources = "virtual_oss(8) (-s frames or milliseconds with \"ms\", -i real-time priority, -r rate)\n"
               "rc.conf(5) (virtual_oss_enable, virtual_oss_dsp); the default block: not verified",
    .persistent = VIRTUAL_OSS_EVER("48000", "128"),
    .needs = ST_NEEDS_REOPEN,
    .check = "ps -axo args | grep '[v]irtual_oss'   # shows the options -i and -s",
    .undo = "set virtual_oss_dsp to the old options with sysrc, then: service virtual_oss restart",
    .facts = ST_RULE_KEYS(ENABLE, DSP, CUSE),
    .judge = judge_virtual_oss,
};
