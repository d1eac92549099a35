/* The rings of the sound devices that are open, beside the server's quantum. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define PREFIX      "linux.alsa."
#define BUFFER      ".buffer_frames"
#define QUANTUM     "linux.pipewire.quantum"
#define MAX         "linux.pipewire.max_quantum"
#define FORCED      "linux.pipewire.force_quantum"
#define PIPE_RATE   "linux.pipewire.rate_hz"
#define FORCED_RATE "linux.pipewire.force_rate_hz"

/** PipeWire's own, when no file sets them (pipewire.conf(5)). */
#define QUANTUM_DEFAULT   1024
#define PIPE_RATE_DEFAULT 48000

#define NOW(frames) "pw-metadata -n settings 0 clock.force-quantum " frames "   # 0 takes it back"
#define EVER(frames)                                                                                         \
    "# /etc/pipewire/pipewire.conf.d/90-sleeptune.conf\n"                                                    \
    "context.properties = { default.clock.max-quantum = " frames " }"

#define FRAMES_MAX 8192 /* PipeWire's own limit, default.clock.quantum-limit */

#define KEY_BYTES 192

struct scan {
    const struct st_facts *facts;
    struct st_finding *finding;
    size_t open_n;
    size_t unread_n;
    double worst_gap_us; /* what the ring lacks of a quantum */
    double worst_ring_us, worst_quantum_us;
    double shortest_us; /* ring; 0: none */
    bool one_period;    /* some ring holds less than two periods */
    char stream[KEY_BYTES];
};

static void key_of(char *key, const char *stream, const char *what)
{
    snprintf(key, KEY_BYTES, "%.120s.%s", stream, what);
}

/** The opener's thread: PipeWire's main or data thread. */
static bool is_pipewire(const char *owner)
{
    return strncmp(owner, "pipewire", 8) == 0 || strncmp(owner, "data-loop", 9) == 0;
}

static double positive_or(const struct st_facts *facts, const char *key, double fallback)
{
    const int64_t value = st_machine_int_or(facts, key, 0);
    return value > 0 ? (double)value : fallback;
}

static double rate_hz(const struct st_facts *facts)
{
    return positive_or(facts, FORCED_RATE, positive_or(facts, PIPE_RATE, PIPE_RATE_DEFAULT));
}

/** The longest cycle of PipeWire: what was forced at run time, or the default one within its maximum. */
static double quantum_us(const struct st_facts *facts)
{
    const double usual =
        fmin(positive_or(facts, QUANTUM, QUANTUM_DEFAULT), positive_or(facts, MAX, QUANTUM_DEFAULT));
    return positive_or(facts, FORCED, usual) * 1e6 / rate_hz(facts);
}

static bool is_quantum_unread(const struct st_facts *facts)
{
    static const char *const keys[] = {QUANTUM, MAX, FORCED, PIPE_RATE, FORCED_RATE};
    for (size_t i = 0; i < ST_ARRAY_LEN(keys); i++) {
        if (st_machine_is_unread(facts, keys[i]))
            return true;
    }
    return false;
}

/** The longest quantum of a power of two of which the ring holds two. */
static void fix_quantum(const struct st_facts *facts, double ring_us, struct st_finding *finding)
{
    char now[96], persistent[128];
    int frames = 1;
    while (frames < FRAMES_MAX && 4e6 * frames / rate_hz(facts) <= ring_us)
        frames *= 2;
    snprintf(now, sizeof(now), NOW("%d"), frames);
    snprintf(persistent, sizeof(persistent), EVER("%d"), frames);
    st_finding_fix(finding, now, persistent, ST_NEEDS_REOPEN);
}

static void quote_stream(struct scan *scan, const char *stream)
{
    static const char *const leaves[] = {"buffer_frames", "period_frames", "rate_hz", "owner"};
    char key[KEY_BYTES];
    for (size_t i = 0; i < ST_ARRAY_LEN(leaves); i++) {
        key_of(key, stream, leaves[i]);
        st_finding_quote(scan->finding, scan->facts, key);
    }
}

static void look(void *ctx, const struct st_fact *fact)
{
    struct scan *scan = ctx;
    char stream[KEY_BYTES], key[KEY_BYTES];
    const char *owner;
    int64_t buffer, rate, period;
    snprintf(stream, sizeof(stream), "%.*s", (int)(strlen(fact->key) - (sizeof(BUFFER) - 1)), fact->key);
    if (fact->state == ST_FACT_ABSENT)
        return;
    key_of(key, stream, "rate_hz");
    if (st_facts_int(scan->facts, fact->key, &buffer) != 0 || st_facts_int(scan->facts, key, &rate) != 0 ||
        buffer <= 0 || rate <= 0) {
        quote_stream(scan, stream);
        scan->unread_n++;
        return;
    }
    scan->open_n++;
    const double ring_us = (double)buffer * 1e6 / (double)rate;
    key_of(key, stream, "owner");
    const bool of_pipewire = st_facts_text(scan->facts, key, &owner) == 0 && is_pipewire(owner);
    const bool quantum_unread = is_quantum_unread(scan->facts);
    bool unread = st_machine_is_unread(scan->facts, key) || (of_pipewire && quantum_unread);
    const double gap_us = of_pipewire && !quantum_unread ? quantum_us(scan->facts) - ring_us : 0;
    key_of(key, stream, "period_frames");
    const bool one_period = st_facts_int(scan->facts, key, &period) == 0 && period > 0 && buffer / 2 < period;
    if (gap_us > scan->worst_gap_us) {
        scan->worst_gap_us = gap_us;
        scan->worst_ring_us = ring_us;
        scan->worst_quantum_us = quantum_us(scan->facts);
        snprintf(scan->stream, sizeof(scan->stream), "%s", stream);
    } else if (scan->worst_gap_us <= 0 && one_period && !scan->one_period) {
        snprintf(scan->stream, sizeof(scan->stream), "%s", stream);
    }
    unread = unread || st_machine_is_unread(scan->facts, key);
    scan->unread_n += unread;
    scan->one_period = scan->one_period || one_period;
    if (scan->open_n == 1 || ring_us < scan->shortest_us)
        scan->shortest_us = ring_us;
    if (scan->stream[0] == '\0' && scan->open_n == 1)
        quote_stream(scan, stream);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct scan scan = {.facts = facts, .finding = finding};
    st_facts_each(facts, PREFIX, BUFFER, look, &scan);
    if (scan.stream[0] != '\0')
        quote_stream(&scan, scan.stream);
    if (scan.worst_gap_us > 0) {
        st_finding_quote(finding, facts, QUANTUM);
        st_finding_quote(finding, facts, FORCED);
        st_finding_set(
            finding, ST_STATUS_PROBLEM,
            "%.40s has a ring of %.1f ms, less than PipeWire's quantum of %.1f ms: each full quantum "
            "runs dry",
            scan.stream + sizeof(PREFIX) - 1, scan.worst_ring_us / 1e3, scan.worst_quantum_us / 1e3);
        const double period_us = (double)wish->period_ns / 1e3;
        st_finding_effect(
            finding, scan.worst_gap_us < period_us ? scan.worst_gap_us : period_us,
            "quantum %.1f µs - ring %.1f µs = %.1f µs of silence in each quantum; of one period at most "
            "all of it",
            scan.worst_quantum_us, scan.worst_ring_us, scan.worst_gap_us);
        fix_quantum(facts, scan.worst_ring_us, finding);
    } else if (scan.one_period) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "%.40s holds less than two periods: there is no time at all to fill the next one",
                       scan.stream + sizeof(PREFIX) - 1);
        st_finding_fix(finding, NULL,
                       "# give that program two or three periods a buffer (jackd: -n 2 or -n 3)",
                       ST_NEEDS_REOPEN);
    } else if (scan.unread_n > 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "what %zu open stream%s could not all be read",
                       scan.unread_n, scan.unread_n == 1 ? " needs" : "s need");
    } else if (scan.open_n == 0) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "no sound device is open at the moment");
    } else {
        st_finding_set(finding, ST_STATUS_OK, "%zu open stream%s, the shortest ring holds %.1f ms",
                       scan.open_n, scan.open_n == 1 ? "" : "s", scan.shortest_us / 1e3);
        st_finding_effect(finding, 0, "each ring holds two periods and the server's quantum");
    }
}

const struct st_rule st_rule_linux_alsa_buffer = {
    .id = "linux-alsa-buffer",
    .os = ST_OS_LINUX,
    .title = "Rings of the open sound devices",
    .mechanism =
        "The card plays from a ring of some periods while the server fills the next ones. A ring shorter "
        "than what the server writes at a time runs dry in each cycle.",
    .privilege = "none",
    .cost = "none",
    .when_not =
        "the quantum follows the programs: with a program that asks for less it may be below the ring",
    .sources =
        "/proc/asound/card*/pcm*/sub*/hw_params: Linux sound/core/pcm.c\n"
        "field report: ring of 512 frames under a quantum of 1024: about 24 errors a second in pw-top\n"
        "PipeWire's defaults (quantum 1024, rate 48000): pipewire.conf(5)",
    .guide =
        {
            .now = NOW("256"),
            .persistent = EVER("256"),
            .needs = ST_NEEDS_REOPEN,
            .check = "cat /proc/asound/card*/pcm*/sub*/hw_params   # buffer_size is two or more of "
                     "period_size, and not below the quantum",
            .undo = "pw-metadata -n settings 0 clock.force-quantum 0; delete the file",
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){"linux.alsa.*.buffer_frames", "linux.alsa.*.period_frames",
                                   "linux.alsa.*.rate_hz", "linux.alsa.*.owner", QUANTUM, MAX, FORCED,
                                   PIPE_RATE, FORCED_RATE, NULL},
    .judge = judge,
};
