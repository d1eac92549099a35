/* FreeBSD: the buffers between a program and the card. */
#include <strings.h>

#include "advisor/rules/rule.h"
#include "core/text/safe.h"

/* --- freebsd-snd-latency: the ring buffer of programs that do not choose a size --- */

#define LATENCY_MAX           10
#define PROFILE_MAX           1
#define NOW(latency, profile) "sysctl hw.snd.latency=" latency " hw.snd.latency_profile=" profile

#define EVER(latency, profile)                                                                     \
    "# /etc/sysctl.conf\nhw.snd.latency=" latency "\nhw.snd.latency_profile=" profile

#define BYTES_PER_S 192000 /* bytes/s of the table's format: 48 kHz, stereo, 16 bit */

/** Default playback buffers: a ring of 2^ring bytes, divided into 2^blocks blocks (FreeBSD
 * sys/dev/sound/pcm/channel.c). */
static const struct {
    uint8_t ring;
    uint8_t blocks;
} table[PROFILE_MAX + 1][LATENCY_MAX + 1] = {
    {{7, 1},
     {9, 2},
     {12, 3},
     {13, 4},
     {14, 5},
     {15, 5},
     {15, 4},
     {15, 3},
     {15, 2},
     {15, 1},
     {16, 1}},
    {{11, 1},
     {12, 2},
     {13, 3},
     {14, 4},
     {15, 5},
     {16, 5},
     {16, 4},
     {16, 3},
     {16, 2},
     {16, 1},
     {17, 1}},
};

static double block_ms(int64_t profile, int64_t latency)
{
    return (double)(1 << (table[profile][latency].ring - table[profile][latency].blocks)) * 1e3 /
           BYTES_PER_S;
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
    st_finding_fix_now(finding, NOW("%jd", "%jd"), best_latency, best_profile);
    st_finding_fix_persistent(finding, ST_NEEDS_REOPEN, EVER("%jd", "%jd"), best_latency,
                              best_profile);
    st_finding_change(finding, ST_CHANGE_SYSCTL, "hw.snd.latency", st_text("%jd", best_latency));
    st_finding_change(finding, ST_CHANGE_SYSCTL, "hw.snd.latency_profile",
                      st_text("%jd", best_profile));
}

static void judge_snd_latency(struct st_finding *finding, int64_t latency)
{
    int64_t profile;
    const double period_ms = st_rule_period_us(finding) / 1e3;
    if (st_finding_need_in(finding, ST_KEY_FREEBSD_HW_SND_LATENCY_PROFILE, 0, PROFILE_MAX,
                           &profile) != 0)
        return;
    const double block = block_ms(profile, latency), ring = ring_ms(profile, latency);
    if (block > period_ms) {
        st_finding_advice(finding,
                          "programs that do not set a buffer size get a buffer of %.1f ms in "
                          "blocks of %.2f ms; a block is longer than your period of %.2f ms",
                          ring, block, period_ms);
        suggest(period_ms, finding);
    } else {
        st_finding_ok(finding,
                      "programs that do not set a buffer size get a buffer of %.1f ms in blocks of "
                      "%.2f ms, which suits your period of %.2f ms",
                      ring, block, period_ms);
    }
    st_finding_effect(
        finding, 0,
        "this buffer delays the sound, not the audio threads. hw.snd.latency %jd with profile %jd "
        "means a buffer of %d bytes in %d blocks, %.2f ms at 48 kHz stereo 16 bit",
        latency, profile, 1 << table[profile][latency].ring, 1 << table[profile][latency].blocks,
        ring);
}

const struct st_rule st_rule_freebsd_snd_latency = {
    .id = "freebsd-snd-latency",
    .title = "Default sound buffer (hw.snd.latency)",
    .mechanism = "hw.snd.latency and hw.snd.latency_profile set the buffer of programs that do not "
                 "choose a size themselves. The kernel wakes the program once for each block, and "
                 "its sound is heard up to one whole buffer later.",
    .cost = "CPU: shorter blocks wake programs more often; programs that are slow to refill the "
            "buffer may crackle",
    .when_not = "your programs choose their own buffer size (JACK, virtual_oss). If sound crackles "
                "on a desktop, choose a larger value",
    .sources = "manual sound(4); FreeBSD's source code: sys/dev/sound/pcm/channel.c (tables of "
               "sizes for playback)\n"
               "the sound card may need larger sizes; for other sample formats the sizes are "
               "rounded to the next power of two",
    .now = NOW("1", "0"),
    .persistent = EVER("1", "0"),
    .needs = ST_NEEDS_REOPEN,
    .check = "sysctl hw.snd.latency hw.snd.latency_profile",
    .undo = "take the lines out of /etc/sysctl.conf; to undo it at once, set the defaults: sysctl "
            "hw.snd.latency=2 hw.snd.latency_profile=1",
    .facts = ST_RULE_KEYS("freebsd.hw.snd.latency", ST_KEY_FREEBSD_HW_SND_LATENCY_PROFILE),
    .targets = ST_RULE_KEYS("hw.snd.latency", "hw.snd.latency_profile"),
    .most = LATENCY_MAX,
    .judge_number = judge_snd_latency,
};

/* --- freebsd-virtual-oss: buffer and priority of the mixing server virtual_oss(8) --- */

#define DSP "freebsd.rc.virtual_oss_dsp"
/* default options, from FreeBSD's rc.d script */
#define DEFAULT "freebsd.rc.virtual_oss_default_args"

#define UNUSED "this system does not start virtual_oss"

#define BLOCK_MAX_MS 10000

#define VIRTUAL_OSS_EVER(set) "sysrc " set "\nservice virtual_oss restart"

/** `args` from the value of this option on; if the option is given more than once, the last value.
 * "": it is not given. */
static const char *value_of(const char *args, const char *option)
{
    const char *value = "";
    for (const char *at = args; (at = strstr(at, option)) != NULL; at++) {
        if (at == args || strchr(" \t", at[-1]) != NULL)
            value = at + 2 + strspn(at + 2, " \t");
    }
    return value;
}

static void judge_options(struct st_finding *finding, const char *args)
{
    const double period_ms = st_rule_period_us(finding) / 1e3,
                 hz = strtod(value_of(args, "-r"), NULL);
    const bool priority = value_of(args, "-i")[0] != '\0';
    const char *size = value_of(args, "-s");
    char command[2048], *end;
    const double number = strtod(size, &end),
                 block_ms = st_text_begins(end, "ms") ? number : number * 1e3 / hz;
    if (!(hz > 0 && block_ms > 0 && block_ms <= BLOCK_MAX_MS)) {
        st_finding_unknown(
            finding, "sleeptune does not understand the options of virtual_oss: \"%.40s\"", args);
        return;
    }
    const char *set =
        st_text("virtual_oss_dsp=%.*s%.0f%s%s", (int)(size - args), args, period_ms * hz / 1e3,
                end + strcspn(end, " \t"), priority ? "" : " -i 8");
    if (block_ms <= period_ms && priority) {
        st_finding_ok(finding,
                      "virtual_oss runs with real-time priority, in blocks of %.4g ms, which suit "
                      "your period",
                      block_ms);
    } else {
        if (block_ms > period_ms)
            st_finding_advice(
                finding,
                "virtual_oss uses blocks of %.4g ms, which is longer than your period of %.2f ms%s",
                block_ms, period_ms, priority ? "" : ", and without real-time priority");
        else
            st_finding_advice(finding, "virtual_oss runs without real-time priority (option -i), "
                                       "so any busy program can delay all sound");
        /* a shell reads rc.conf: no command is offered if the options have characters that a shell
         * expands */
        if (strpbrk(set, "$`\"\\") == NULL &&
            st_safe_shell_word(set, command, sizeof(command)) != NULL)
            st_finding_fix_persistent(finding, ST_NEEDS_REOPEN, VIRTUAL_OSS_EVER("%s"), command);
    }
    if (priority) /* without real-time priority no upper bound of the lateness is known */
        st_finding_effect(
            finding, 0,
            "virtual_oss delays the sound by at least one block (%.2f ms), not the audio threads",
            block_ms);
}

static void judge_virtual_oss(struct st_finding *finding, const char *enable)
{
    const struct st_fact *dsp = st_facts_find(finding->facts, DSP);
    if (dsp == NULL || dsp->state == ST_FACT_ABSENT)
        dsp = st_facts_find(finding->facts, DEFAULT);
    if (strcasecmp(enable, "YES") != 0)
        st_finding_not_applicable(finding, UNUSED);
    else if (dsp == NULL || dsp->text == NULL) /* a malformed value, one with shell variables, has a
                                                  text, too, and is judged */
        st_finding_unknown(
            finding, "virtual_oss is started, but its options (virtual_oss_dsp) could not be read");
    else
        judge_options(finding, dsp->text);
}

const struct st_rule st_rule_freebsd_virtual_oss = {
    .id = "freebsd-virtual-oss",
    .title = "Block size and priority of virtual_oss",
    .mechanism = "virtual_oss mixes, resamples and routes sound in its own blocks (option -s), at "
                 "the priority that option -i sets. All sound through virtual_oss is delayed by at "
                 "least one block.",
    .cost = "CPU: shorter blocks mean more wake-ups",
    .when_not = "you only play back, and a longer delay does no harm",
    .sources = "manuals: virtual_oss(8) (-s: frames, or milliseconds with \"ms\"; -i: real-time "
               "priority; -r: sample rate); rc.conf(5) (virtual_oss_enable, virtual_oss_dsp)\n"
               "if virtual_oss_dsp is not set, the options in rc.d/virtual_oss count",
    .persistent = VIRTUAL_OSS_EVER(
        "'virtual_oss_dsp=-S -C 2 -c 2 -r 48000 -b 32 -s 128 -i 8 -f /dev/dsp0 -d dsp'"),
    .needs = ST_NEEDS_REOPEN,
    .check = "ps -axo args | grep '[v]irtual_oss'   # shows the options -i and -s",
    .undo = "set virtual_oss_dsp to the old options with sysrc, then: service virtual_oss restart",
    .facts = ST_RULE_KEYS("freebsd.rc.virtual_oss_enable", DSP, DEFAULT),
    .judge_text = judge_virtual_oss,
    .absent = UNUSED,
};
