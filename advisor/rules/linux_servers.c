/* Linux: buffers and scheduling of PipeWire, PulseAudio and whatever has a device open. */
#include "advisor/facts/owner.h"
#include "advisor/rules/buffer.h"
#include "advisor/rules/machine.h"

/** Begins a rule about a sound server. @return true: the server runs for this user; false: it does
 * not, or this is not known; the finding is set. */
static bool need_server(struct st_finding *finding, const char *key, const char *name)
{
    const int r = st_finding_need_int(finding, key, NULL);
    if (finding->status == ST_STATUS_NOT_APPLICABLE)
        st_finding_not_applicable(finding, "%s does not run here", name);
    return r == 0 && !st_finding_is_of_other(finding, key, name);
}

/* --- linux-alsa-buffer: ring buffers of the open sound devices, compared with the server's quantum
 * --- */

#define FORCE_QUANTUM "pw-metadata -n settings 0 clock.force-quantum %jd   # 0 lets programs choose"

#define FRAMES_MAX 8192 /* frames; PipeWire's own limit, default.clock.quantum-limit */

static void say_too_short(struct st_finding *finding, const struct st_fact *worst, double ring_us,
                          double forced_us, int64_t running_hz)
{
    const bool known = st_buffer_pipewire_version(finding->facts) > 0;
    const double gap_us = forced_us - ring_us;
    int64_t frames = 1; /* becomes the largest power of two of which two quanta fit into the ring */
    st_finding_set(
        finding, known ? ST_STATUS_PROBLEM : ST_STATUS_ADVICE,
        "the sound card's buffer of %.40s holds %.1f ms, less than PipeWire's forced quantum of "
        "%.1f ms: from PipeWire 0.3.84 on it runs empty before the next quantum arrives",
        st_machine_stream_name(worst), ring_us / 1e3, forced_us / 1e3);
    st_finding_effect(finding, fmin(gap_us, st_rule_period_us(finding)),
                      "%.1f µs of silence in each quantum: the quantum lasts %.1f µs, the buffer "
                      "%.1f µs. The effect shown is at most one period",
                      gap_us, forced_us, ring_us);
    while (frames < FRAMES_MAX && 2 * st_rule_us(2 * frames, running_hz) <= ring_us)
        frames *= 2;
    st_finding_fix_now(finding, FORCE_QUANTUM, frames);
}

/* keys of the settings that decide how long PipeWire's cycle is */
static const char *const cycle_keys[] = {ST_KEY_PIPEWIRE_QUANTUM,       ST_KEY_PIPEWIRE_MAX_QUANTUM,
                                         ST_KEY_PIPEWIRE_FORCE_QUANTUM, ST_KEY_PIPEWIRE_RATE_HZ,
                                         ST_KEY_PIPEWIRE_FORCE_RATE_HZ, NULL};

static void judge_alsa_buffer(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    /* first: any open ring buffer, for evidence; one_period: a ring buffer of less than two
     * periods; worst: the shortest of PipeWire's ring buffers that is shorter than the forced
     * quantum */
    const struct st_fact *first = NULL, *one_period = NULL, *worst = NULL;
    double worst_us = HUGE_VAL, shortest_us = HUGE_VAL, forced_us = 0;
    size_t open_n = 0, unread_n = 0;
    const struct st_buffer_asked asked = st_buffer_asked(facts);
    /* follows_ring: before PipeWire 0.3.84 the cycle is at most half the card's ring buffer, even
     * if the quantum is forced */
    const bool quantum_unread = st_machine_first_unread(facts, cycle_keys) != NULL,
               follows_ring =
                   st_buffer_pipewire_version(facts) > 0 && st_buffer_pipewire_version(facts) < 384;
    if (st_buffer_is_forced(facts) && !follows_ring && !quantum_unread)
        forced_us = st_rule_us(asked.usual_frames, asked.running_hz);
    ST_FACTS_EACH (stream, facts, ST_KEYS_ALSA, ".buffer_frames") {
        const int64_t buffer = stream->i64, rate = st_fact_beside_int_or(stream, "rate_hz", 0);
        if (buffer <= 0 || rate <= 0) {
            st_finding_quote(finding, stream);
            unread_n++;
            continue;
        }
        const double ring_us = st_rule_us(buffer, rate);
        const bool of_pipewire = st_buffer_is_pipewires(stream);
        shortest_us = fmin(shortest_us, ring_us);
        first = st_fact_or(first, stream);
        open_n++;
        if (one_period == NULL && buffer / 2 < st_fact_beside_int_or(stream, "period_frames", 0))
            one_period = stream;
        if (of_pipewire && ring_us < forced_us && ring_us < worst_us) {
            worst = stream;
            worst_us = ring_us;
        }
        unread_n += (of_pipewire && quantum_unread) ||
                    st_fact_is_unread(st_fact_beside(stream, "owner")) ||
                    st_fact_is_unread(st_fact_beside(stream, "period_frames"));
    }
    st_finding_quote(finding, first);
    st_finding_quote(finding, st_fact_or(worst, one_period));
    if (worst != NULL) {
        say_too_short(finding, worst, worst_us, forced_us, asked.running_hz);
    } else if (one_period != NULL) {
        st_finding_advice(finding,
                          "the sound card's buffer of %.40s is shorter than two periods: while one "
                          "plays, there is no room for the next",
                          st_machine_stream_name(one_period));
        st_finding_fix_persistent(
            finding, ST_NEEDS_REOPEN,
            "# set two or three periods for each buffer of that program (jackd: -n 2 or -n 3)");
    } else if (unread_n > 0) {
        st_finding_unknown(finding,
                           "the buffer of %zu open sound stream%s could not be read completely",
                           unread_n, ST_PLURAL(unread_n));
    } else if (open_n == 0) {
        st_finding_not_applicable(finding, "no sound device is open at the moment");
    } else {
        st_finding_fine(finding,
                        "the buffers of sound cards in use are long enough (%zu open stream%s; the "
                        "shortest buffer lasts %.1f ms)",
                        open_n, ST_PLURAL(open_n), shortest_us / 1e3);
    }
}

const struct st_rule st_rule_linux_alsa_buffer = {
    .id = "linux-alsa-buffer",
    .title = "Buffers of the open sound devices",
    .mechanism = "The card plays from a ring buffer of some periods, while the server fills the "
                 "next ones. PipeWire's cycle is at most half this buffer, unless its quantum is "
                 "forced (from 0.3.84 on): then a shorter buffer runs empty in each cycle.",
    .privilege = "none",
    .when_not = "you need the forced quantum for another device",
    .sources =
        "what /proc/asound/card*/pcm*/sub*/hw_params shows: Linux source code, sound/core/pcm.c\n"
        "PipeWire's source code: spa/plugins/alsa/alsa-pcm.c (a cycle is at most half the buffer: "
        "node.max-latency), src/pipewire/context.c (from 0.3.84 on a forced quantum or rate "
        "ignores this limit, commit 2ff62641b)",
    .now = "pw-metadata -n settings 0 clock.force-quantum 256   # 0 lets programs choose",
    .check = "cat /proc/asound/card*/pcm*/sub*/hw_params   # buffer_size is at least two times "
             "period_size, and not below the quantum",
    .undo = "pw-metadata -n settings 0 clock.force-quantum 0",
    .worst = ST_STATUS_PROBLEM,
    .facts = ST_RULE_KEYS(ST_BUFFER_ASKED_KEYS, ST_KEYS_ALSA "*.period_frames",
                          ST_KEYS_CARD "*.name", ST_KEY_PIPEWIRE_QUANTUM,
                          ST_KEY_PIPEWIRE_FORCE_QUANTUM, ST_KEY_PIPEWIRE_VERSION),
    .judge = judge_alsa_buffer,
};

/* --- linux-pipewire-quantum: can PipeWire's cycle be as short as the wished period? --- */

#define MIN_FLOOR                    4 /* frames: PipeWire's default.clock.quantum-floor */
#define PIPEWIRE_QUANTUM_NOW(frames) "pw-metadata -n settings 0 clock.min-quantum " frames

#define PIPEWIRE_QUANTUM_EVER(before, frames, behind)                                              \
    "# /etc/pipewire/pipewire.conf.d/90-sleeptune.conf\n"                                          \
    "context.properties = { " before "default.clock.min-quantum = " frames behind                  \
    " }\n# then\nsystemctl --user restart pipewire"

static void no_cost(int64_t frames, int64_t rate, struct st_finding *finding)
{
    st_finding_effect(finding, 0, "%jd / %jd Hz = %.1f µs", frames, rate, st_rule_us(frames, rate));
}

static void judge_forced(int64_t quantum, int64_t rate, struct st_finding *finding)
{
    const double cycle_us = st_rule_us(quantum, rate), wish_us = st_rule_period_us(finding);
    if (cycle_us > wish_us * 1.001 && !finding->wish->in_use) {
        st_finding_advice(finding,
                          "PipeWire's cycle is forced to %jd frames (%.2f ms), longer than the "
                          "%.2f ms that you asked for",
                          quantum, cycle_us / 1e3, wish_us / 1e3);
        st_finding_fix_now(finding, FORCE_QUANTUM, (int64_t)(wish_us * (double)rate / 1e6 + 0.01));
        return;
    }
    st_finding_ok(finding, "PipeWire's cycle is forced to %jd frames (%.2f ms) for all programs",
                  quantum, cycle_us / 1e3);
    no_cost(quantum, rate, finding);
}

/** Reads a setting; a missing one has the value `fallback`. @return 0, or the error of a fact that
 * is there but is not a positive number, with the finding set. */
static int need_setting(struct st_finding *finding, const char *key, int64_t fallback, int64_t *ret)
{
    *ret = fallback;
    if (st_facts_int(finding->facts, key, ret) == -ENOENT)
        return 0;
    return st_finding_need_in(finding, key, 1, 1000000, ret);
}

/* Does PipeWire run at the size that `sleeptune apply linux-pipewire-quantum=N` sets for all
 * programs? */
static void judge_wish(struct st_finding *finding, int64_t wish, int64_t quantum, int64_t min,
                       int64_t max, int64_t rate)
{
    if (quantum == wish && min == wish && max == wish) {
        st_finding_ok(finding, "PipeWire is set to cycles of %jd frames (%.2f ms) for all programs",
                      wish, st_rule_us(wish, rate) / 1e3);
        no_cost(wish, rate, finding);
        return;
    }
    st_finding_advice(finding,
                      "PipeWire's quantum is %jd frames (and %jd to %jd if programs ask for it); "
                      "you want %jd frames (%.2f ms) for all programs",
                      quantum, min, max, wish, st_rule_us(wish, rate) / 1e3);
    const char *of_guest =
        st_machine_is_guest(finding->facts)
            ? st_text(" vm.overrides = { default.clock.min-quantum = %jd }", wish)
            : "";
    st_finding_change(finding, ST_CHANGE_PIPEWIRE,
                      st_facts_text_or(finding->facts, ST_BUFFER_PIPEWIRE_FOLDER, ""),
                      st_text("default.clock.quantum = %jd default.clock.min-quantum = %jd "
                              "default.clock.max-quantum = %jd%s",
                              wish, wish, wish, of_guest));
    st_finding_fix(finding, NULL, NULL, ST_NEEDS_RELOGIN);
}

static void judge_pipewire_quantum(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    int64_t quantum, min, max, rate, wish;
    if (!need_server(finding, ST_KEY_DAEMON_PIPEWIRE, "PipeWire"))
        return;
    const struct st_fact *asked = st_facts_find(facts, ST_KEY_ASK_PIPEWIRE);
    if (asked != NULL && asked->state == ST_FACT_UNREADABLE && asked->error == ECONNREFUSED) {
        st_finding_not_applicable(finding, "the running PipeWire belongs to another user or "
                                           "another session: run the report there");
        return;
    }
    if (need_setting(finding, ST_KEY_PIPEWIRE_QUANTUM, ST_BUFFER_PIPEWIRE_FRAMES, &quantum) != 0 ||
        need_setting(finding, ST_KEY_PIPEWIRE_MIN_QUANTUM, ST_BUFFER_PIPEWIRE_MIN, &min) != 0 ||
        need_setting(finding, ST_KEY_PIPEWIRE_MAX_QUANTUM, ST_BUFFER_PIPEWIRE_MAX, &max) != 0 ||
        need_setting(finding, ST_KEY_PIPEWIRE_RATE_HZ, ST_BUFFER_PIPEWIRE_RATE_HZ, &rate) != 0)
        return;
    if (st_facts_int(facts, ST_BUFFER_PIPEWIRE_WISH, &wish) == 0) {
        judge_wish(finding, wish, quantum, min, max, rate);
        return;
    }
    const int64_t forced = st_facts_positive_or(facts, ST_KEY_PIPEWIRE_FORCE_QUANTUM, 0);
    if (forced > 0) {
        judge_forced(forced, st_facts_positive_or(facts, ST_KEY_PIPEWIRE_FORCE_RATE_HZ, rate),
                     finding);
        return;
    }
    /* in a guest, the file of PipeWire's package overrides the minimum; what pw-metadata shows,
     * here or in a posted text, includes that already */
    const bool guest = st_machine_is_guest(facts),
               running = facts->partial || st_facts_is(facts, ST_KEY_ASK_PIPEWIRE, "answered");
    if (guest)
        min = st_facts_positive_or(facts, ST_KEY_PIPEWIRE_VM_MIN_QUANTUM, min);
    const double min_us = st_rule_us(min, rate), wish_us = st_rule_period_us(finding);
    if (min_us > wish_us * 1.001 && !finding->wish->in_use) {
        st_finding_advice(finding,
                          "PipeWire never goes below %jd frames (%.2f ms)%s, so a cycle of %.2f ms "
                          "is not possible",
                          min, min_us / 1e3, guest ? " in a virtual machine" : "", wish_us / 1e3);
        min = ST_BUFFER_PIPEWIRE_MIN; /* start value, which the loop below halves if it lasts longer
                                         than the wished period */
        while (min > MIN_FLOOR && st_rule_us(min, rate) > wish_us * 1.001)
            min /= 2;
        if (running)
            st_finding_fix_now(finding, PIPEWIRE_QUANTUM_NOW("%jd"), min);
        st_finding_fix_persistent(finding, ST_NEEDS_REOPEN,
                                  guest ? PIPEWIRE_QUANTUM_EVER("vm.overrides = { ", "%jd", " }")
                                        : PIPEWIRE_QUANTUM_EVER("", "%jd", ""),
                                  min);
        return;
    }
    st_finding_ok(finding,
                  "PipeWire is set to cycles of %.2f ms; programs can ask for cycles down to %.2f "
                  "ms: start them with PIPEWIRE_LATENCY=%u/%u",
                  st_rule_us(quantum, rate) / 1e3, min_us / 1e3, finding->wish->frames,
                  finding->wish->rate_hz);
    no_cost(min, rate, finding);
}

const struct st_rule st_rule_linux_pipewire_quantum = {
    .id = "linux-pipewire-quantum",
    .title = "PipeWire's shortest cycle",
    .mechanism = "PipeWire's cycle lasts quantum / rate: 256 frames at 48000 Hz are 5.3 ms. "
                 "PipeWire uses the smallest quantum that a program asks for, between min-quantum "
                 "and max-quantum. If no program asks, it uses the default quantum.",
    .privilege = "root, except for a file in ~/.config/pipewire",
    .cost = "power, CPU: a shorter cycle wakes all programs more often; a longer one delays what "
            "you hear",
    .when_not = "only some programs need a short cycle: then let these ask for it. In virtual "
                "machines the minimum is 1024 because the host may be too slow for less.",
    .sources = "manual pipewire.conf(5); defaults of the packaged pipewire.conf of 0.3.65: rate "
               "48000, quantum 1024, min-quantum 32 or 16, max-quantum 2048, in virtual machines "
               "min-quantum 1024 (vm.overrides)\n"
               "PipeWire 1.2 and later use context.properties.rules with cpu.vm.name for virtual "
               "machines; vm.overrides still works (src/pipewire/context.c)\n"
               "sleeptune asks a running PipeWire with pw-metadata -n settings; if that fails, it "
               "reads PipeWire's files",
    .now = PIPEWIRE_QUANTUM_NOW("32"),
    .persistent = PIPEWIRE_QUANTUM_EVER("", "32", ""),
    .needs = ST_NEEDS_REOPEN,
    .check = "pw-top   # QUANT and RATE: cycle = QUANT / RATE",
    .undo = "delete 90-sleeptune.conf and run systemctl --user restart pipewire",
    .facts = ST_RULE_KEYS(ST_KEY_DAEMON_PIPEWIRE, ST_KEY_PIPEWIRE_QUANTUM,
                          ST_KEY_PIPEWIRE_MIN_QUANTUM, ST_KEY_PIPEWIRE_MAX_QUANTUM,
                          ST_KEY_PIPEWIRE_RATE_HZ, ST_KEY_PIPEWIRE_VM_MIN_QUANTUM,
                          ST_KEY_PIPEWIRE_FORCE_QUANTUM, ST_KEY_PIPEWIRE_FORCE_RATE_HZ,
                          ST_KEY_ASK_PIPEWIRE, ST_KEY_VIRTUAL, ST_OWNER_KEYS),
    .judge = judge_pipewire_quantum,
};

/* --- linux-pipewire-clients: which program shortened PipeWire's cycle, according to pw-dump --- */

#define CLIENTS_NOW(frames)                                                                        \
    "pw-metadata -n settings 0 clock.min-quantum " frames "   # or the cycle that you want"
#define CLIENTS_EVER(ms, frames, hz)                                                               \
    "# start that program with\nPIPEWIRE_LATENCY=" frames "/" hz                                   \
    "\n# or, if the program plays through PulseAudio's library, as games "                         \
    "do:\nPULSE_LATENCY_MSEC=" ms "\n# or, for all programs that play through that library:\n"     \
    "# /etc/pipewire/pipewire-pulse.conf.d/90-sleeptune.conf\npulse.properties = { pulse.min.req " \
    "= " frames "/" hz " pulse.min.quantum = " frames "/" hz                                       \
    " }\n# then\nsystemctl --user restart pipewire-pulse"

/** Is the cycle in use, and does it disturb no one: did a program of JACK's library set it, in
 * which people choose the buffer size, or does no other program play? */
static bool is_own_cycle(const struct st_finding *finding, const struct st_buffer_asked *asked)
{
    if (!finding->wish->in_use || st_fact_beside_is(asked->node, "api", "jack"))
        return finding->wish->in_use;
    ST_FACTS_EACH (node, finding->facts, ST_KEYS_PIPEWIRE_NODE, ".name") {
        const char *program = st_buffer_program(node);
        if (st_buffer_is_playing(node) && !st_fact_beside_is(node, "plays", "false") &&
            !st_text_begins(program, "alsa_") && !st_text_is(program, asked->program))
            return false;
    }
    return true;
}

/** Finds the smallest min-quantum (frames at the default rate) that makes a cycle last wish_ns, or
 * as long as max-quantum allows. @return that cycle, in frames at the running rate. */
static int64_t find_cycle(const struct st_facts *facts, const struct st_buffer_asked *asked,
                          double wish_ns, int64_t *ret_quantum)
{
    const int64_t hz = asked->running_hz, default_hz = asked->default_hz;
    int64_t longest = 0;
    for (int64_t quantum = 16;
         quantum <= FRAMES_MAX && (double)longest * 1e9 / (double)hz < wish_ns * 0.999;
         quantum *= 2) {
        const int64_t frames = st_buffer_cycle(facts, quantum, default_hz, hz, default_hz);
        if (frames > longest) {
            *ret_quantum = quantum;
            longest = frames;
        }
    }
    return longest;
}

static void judge_pipewire_clients(struct st_finding *finding)
{
    if (!need_server(finding, ST_KEY_DAEMON_PIPEWIRE, "PipeWire") || !st_buffer_need_nodes(finding))
        return;
    const struct st_buffer_asked asked = st_buffer_asked(finding->facts);
    const double frame_ns = 1e9 / (double)asked.running_hz,
                 cycle_ns = (double)asked.cycle_frames * frame_ns,
                 wish_ns = finding->wish->in_use ? (double)asked.usual_frames * frame_ns
                                                 : (double)finding->wish->period_ns;
    if (asked.node == NULL) {
        st_finding_fine(finding, "no program that plays changes PipeWire's cycle");
        return;
    }
    if (asked.rate_unknown != NULL) {
        st_finding_unknown(finding, "%s", asked.rate_unknown);
        return;
    }
    const int64_t now =
        st_facts_positive_or(finding->facts, ST_KEY_PIPEWIRE_RUNNING_FRAMES, asked.cycle_frames);
    if (now > asked.cycle_frames) {
        st_finding_fine(finding,
                        "%.40s asked for a buffer of %jd frames, but PipeWire still runs with %jd",
                        asked.program, asked.frames, now);
        return;
    }
    /* if the program asked for a cycle that is long enough, the running rate made the cycle
     * shorter: that is the subject of rule linux-pipewire-rates */
    const double asked_ns = (double)asked.frames * 1e9 / (double)asked.rate_hz;
    int64_t quantum = 0;
    const int64_t frames = find_cycle(finding->facts, &asked, wish_ns, &quantum),
                  hz = asked.running_hz;
    const bool shorter = cycle_ns < wish_ns * 0.999 && asked_ns < wish_ns * 0.999 &&
                         frames > asked.cycle_frames && !is_own_cycle(finding, &asked);
    st_finding_quote(finding, asked.node);
    st_finding_set(finding, shorter ? ST_STATUS_ADVICE : ST_STATUS_OK,
                   "%.40s %s %jd frames at %jd Hz, so PipeWire's cycle is %jd frames (%.2f ms) for "
                   "all programs",
                   asked.program, asked.verb, asked.frames, asked.rate_hz, asked.cycle_frames,
                   cycle_ns / 1e6);
    if (shorter &&
        asked.forced) { /* min-quantum and PULSE_LATENCY_MSEC do not change a forced quantum */
        st_finding_fix_now(finding, FORCE_QUANTUM, frames);
    } else if (shorter) {
        /* PULSE_LATENCY_MSEC that gives a cycle of `frames`: from a latency of up to 80 ms PipeWire
         * makes a cycle of a quarter of it, from a longer one a cycle of half of it minus 20 ms
         * (PipeWire src/modules/module-protocol-pulse/pulse-server.c) */
        const int64_t four_ms = 4000 * frames / hz,
                      pulse_ms = 1 + ST_MIN(four_ms, 40 + four_ms / 2);
        st_finding_fix_now(finding, CLIENTS_NOW("%jd"), quantum);
        st_finding_fix_persistent(finding, ST_NEEDS_REOPEN, CLIENTS_EVER("%jd", "%jd", "%jd"),
                                  frames, hz, pulse_ms, frames, hz, frames, hz);
    }
}

const struct st_rule st_rule_linux_pipewire_clients = {
    .id = "linux-pipewire-clients",
    .title = "Programs that shorten PipeWire's cycle",
    .mechanism =
        "PipeWire's cycle is as short as the shortest that a running program asks for, and it is "
        "the same for all. A voice chat that asks for 256 frames gives your DAW 256 frames, too.",
    .privilege = "none",
    .cost = "latency: the program that asked for a short cycle hears and speaks later",
    .when_not = "you need the short cycle yourself, or set it in a program of JACK's library",
    .sources =
        "PipeWire's source code, src/pipewire/context.c: the cycle is the smallest size "
        "that a running program asks for (node.latency), rounded down to a power of two; a "
        "forced one (node.force-quantum) goes before it\n"
        "its stream.c and pipewire-jack.c read PIPEWIRE_LATENCY; manual pipewire-pulse(1): only "
        "PulseAudio's library reads PULSE_LATENCY_MSEC\n"
        "users' reports: EasyEffects issue 1567 (Discord asked for 360 frames: 512 became "
        "256), us.zoom.Zoom issue 385 (1024 became 256)",
    .now = CLIENTS_NOW("1024"),
    .persistent = CLIENTS_EVER("83", "1024", "48000"),
    .needs = ST_NEEDS_REOPEN,
    .check = "pw-top   # QUANT of each program: what it asked for",
    .undo = "pw-metadata -n settings 0 clock.min-quantum 32; start the program without "
            "PULSE_LATENCY_MSEC and PIPEWIRE_LATENCY",
    .facts = ST_RULE_KEYS(ST_KEY_DAEMON_PIPEWIRE, ST_BUFFER_ASKED_KEYS,
                          ST_KEYS_PIPEWIRE_NODE "*.latency",
                          ST_KEYS_PIPEWIRE_NODE "*.force_quantum", ST_OWNER_KEYS),
    .judge = judge_pipewire_clients,
};

/* --- linux-pipewire-rates: which program or device set PipeWire's rate, which scales the cycle
 * --- */

/* Hz; lower rates, as of headsets, are no reason to change PipeWire's rate */
#define MUSIC_HZ 44100

/** Finds a sink or stream that plays at another rate than PipeWire. @return its name; NULL:
 * none. */
static const char *find_converted(struct st_finding *finding, const char *class, int64_t running_hz,
                                  int64_t *ret_hz)
{
    const char *name;
    ST_FACTS_EACH (rate, finding->facts, ST_KEYS_PIPEWIRE_NODE, ".format_rate_hz") {
        if (!st_buffer_is_playing(rate) ||
            !st_text_begins(st_fact_beside_text_or(rate, "media_class", ""), class) ||
            st_fact_beside_text(rate, "name", &name) != 0 || st_text_begins(name, "bluez_") ||
            !rate->is_int || rate->i64 < MUSIC_HZ || rate->i64 == running_hz)
            continue;
        st_finding_quote(finding, rate);
        *ret_hz = rate->i64;
        return name;
    }
    return NULL;
}

static void fix_rate(struct st_finding *finding, int64_t hz, bool forced)
{
    st_rule_fix_with(finding, "48000", st_text("%jd", hz));
    if (forced) { /* a forced rate takes precedence over the file of the permanent fix, so that fix
                     is dropped */
        free(finding->fix_persistent);
        finding->fix_persistent = NULL;
        finding->needs = ST_NEEDS_NOTHING;
    }
}

static void judge_other_rate(struct st_finding *finding, const struct st_buffer_asked *asked)
{
    const double cycle_ms = st_rule_us(asked->cycle_frames, asked->running_hz) / 1e3,
                 default_ms = st_rule_us(asked->default_frames, asked->default_hz) / 1e3,
                 wish_ms = finding->wish->in_use
                               ? ST_BUFFER_PIPEWIRE_FRAMES * 1e3 / ST_BUFFER_PIPEWIRE_RATE_HZ
                               : st_rule_period_us(finding) / 1e3;
    const bool shorter = cycle_ms < wish_ms * 0.999 && cycle_ms < default_ms * 0.999;
    const char *who =
        asked->rate_program != NULL
            ? st_text("%.40s %s %jd Hz", asked->rate_program, asked->rate_verb, asked->running_hz)
            : st_text("PipeWire runs at %jd Hz, although no program that plays now asks for it",
                      asked->running_hz);
    st_finding_set(finding, shorter ? ST_STATUS_ADVICE : ST_STATUS_OK,
                   "%s, so PipeWire's cycle is %jd frames (%.2f ms) for all programs, instead of "
                   "%jd (%.2f ms) at %jd Hz",
                   who, asked->cycle_frames, cycle_ms, asked->default_frames, default_ms,
                   asked->default_hz);
    if (shorter)
        fix_rate(finding, asked->default_hz, asked->rate_forced);
}

static void judge_pipewire_rates(struct st_finding *finding)
{
    const char *name;
    int64_t hz = 0;
    if (!need_server(finding, ST_KEY_DAEMON_PIPEWIRE, "PipeWire") || !st_buffer_need_nodes(finding))
        return;
    const struct st_buffer_asked asked = st_buffer_asked(finding->facts);
    if (st_facts_has(finding->facts, ST_KEY_SYSTEM_INPUT) &&
        !st_facts_has(finding->facts, ST_KEY_PIPEWIRE_RATE_HZ)) {
        st_finding_unknown(finding, "the given text does not show PipeWire's default rate");
    } else if (asked.rate_unknown != NULL) {
        st_finding_unknown(finding, "%s", asked.rate_unknown);
    } else if ((name = find_converted(finding, "Audio/Sink", asked.running_hz, &hz)) != NULL &&
               hz != asked.default_hz) {
        st_finding_advice(
            finding,
            "the device %.40s runs at %jd Hz, so PipeWire must convert the sound from %jd Hz", name,
            hz, asked.running_hz);
        fix_rate(finding, hz, false);
    } else if (asked.running_hz != asked.default_hz) {
        judge_other_rate(finding, &asked);
    } else if ((name = find_converted(finding, "Stream/", asked.running_hz, &hz)) != NULL) {
        st_finding_ok(
            finding,
            "PipeWire runs at %jd Hz and converts the %jd Hz of %.40s, which takes CPU time",
            asked.running_hz, hz, name);
    } else {
        st_finding_fine(finding, "PipeWire runs at its default rate, %jd Hz", asked.running_hz);
    }
}

const struct st_rule st_rule_linux_pipewire_rates = {
    .id = "linux-pipewire-rates",
    .title = "PipeWire's sample rate",
    .mechanism = "PipeWire runs at one sample rate for all. If several are allowed "
                 "(clock.allowed-rates), the first program that plays chooses one, until nothing "
                 "plays any more. The cycle is scaled with the rate, then rounded down to a power "
                 "of two: 1024 frames at 48 kHz (21.3 ms) become 512 at 44.1 kHz (11.6 ms). Sound "
                 "of another rate is converted, which takes CPU time.",
    .privilege = "none",
    .cost = "CPU: the sound of programs with another rate is converted",
    .when_not = "you want each recording at its own rate, and the shorter cycle has no dropouts",
    .sources =
        "PipeWire's source code, src/pipewire/context.c (0.3.65, 1.6; later "
        "src/modules/module-scheduler-v1.c): a running device keeps its rate unless one is forced; "
        "quantum, min-quantum and max-quantum are scaled by rate / clock.rate\n"
        "users' reports: UnleashedRecomp issue 818 (crackle only if others played first), "
        "pipewire-module-xrdp issue 4 (an output of 44100 Hz: cured when that rate was allowed)",
    .now = "pw-metadata -n settings 0 clock.force-rate 48000   # 0 lets programs choose",
    .persistent = "# /etc/pipewire/pipewire.conf.d/90-sleeptune.conf\n"
                  "context.properties = { default.clock.rate = 48000\n"
                  "  default.clock.allowed-rates = [ 48000 ] }",
    .needs = ST_NEEDS_RELOGIN,
    .check = "pw-top   # QUANT and RATE: cycle = QUANT / RATE",
    .undo = "pw-metadata -n settings 0 clock.force-rate 0; delete 90-sleeptune.conf",
    .facts = ST_RULE_KEYS(ST_KEY_DAEMON_PIPEWIRE, ST_BUFFER_ASKED_KEYS, ST_OWNER_KEYS,
                          ST_KEY_PIPEWIRE_ALLOWED_RATES),
    .judge = judge_pipewire_rates,
};

/* --- linux-pulseaudio: do PulseAudio's own settings allow real-time priority? --- */

/* default of default-fragments in daemon.conf */
#define FRAGMENTS_DEFAULT 4

static void judge_pulseaudio(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    static const char *const keys[] = {ST_KEY_PULSE_REALTIME_SCHEDULING, ST_KEY_PULSE_TSCHED};
    const char *text;
    if (!need_server(finding, ST_KEY_DAEMON_PULSEAUDIO, "PulseAudio"))
        return;
    if (st_machine_is_off(st_facts_text_or(facts, ST_KEY_PULSE_REALTIME_SCHEDULING, ""))) {
        st_rule_advise(finding, "PulseAudio's settings turn off real-time priority, so any busy "
                                "program can delay all sound");
        return;
    }
    ST_EACH (key, keys) {
        if (st_facts_text(facts, *key, &text) != -ENOENT &&
            st_finding_need_text(finding, *key, &text) != 0)
            return;
    }
    if (st_facts_is(facts, ST_KEY_PULSE_TSCHED, "0")) {
        const int64_t n = st_facts_positive_or(facts, ST_KEY_PULSE_DEFAULT_FRAGMENTS,
                                               FRAGMENTS_DEFAULT),
                      ms = st_facts_positive_or(facts, ST_KEY_PULSE_DEFAULT_FRAGMENT_SIZE_MSEC,
                                                ST_BUFFER_PULSE_FRAGMENT_MS);
        st_finding_ok(finding,
                      "PulseAudio refills its buffer when the sound card asks for it: %jd "
                      "fragments of %jd ms each, %jd ms in all (tsched=0)",
                      n, ms, n * ms);
    } else {
        st_finding_ok(finding, "PulseAudio refills its buffer in time by its own timers, and asks "
                               "for real-time priority (both are defaults)");
    }
}

const struct st_rule st_rule_linux_pulseaudio = {
    .id = "linux-pulseaudio",
    .title = "PulseAudio: real-time priority and timers",
    .mechanism = "PulseAudio fills a large buffer, and a timer wakes it up before the buffer runs "
                 "empty (tsched=1); or, with tsched=0, the sound card wakes it up each time a part "
                 "(fragment) of the buffer is done. Its threads ask for real-time priority 5 "
                 "unless its configuration forbids it.",
    .privilege = "root, except for a file in ~/.config/pulse",
    .when_not = "you want tsched=0 for a lower latency: it makes the latency fixed, not lower, and "
                "is for drivers that report wrong positions",
    .sources = "manual pulse-daemon.conf(5); its defaults: realtime-scheduling yes, "
               "realtime-priority 5, default-fragments 4, default-fragment-size-msec 25",
    .persistent = "# /etc/pulse/daemon.conf.d/90-sleeptune.conf\nrealtime-scheduling = yes",
    .needs = ST_NEEDS_RELOGIN,
    .check = "ps -eLo cls,rtprio,comm | grep alsa-   # RR 5",
    .undo = "delete 90-sleeptune.conf and run systemctl --user restart pulseaudio",
    .facts = ST_RULE_KEYS(ST_KEY_DAEMON_PULSEAUDIO, ST_KEY_PULSE_REALTIME_SCHEDULING,
                          ST_KEY_PULSE_TSCHED, ST_KEY_PULSE_DEFAULT_FRAGMENTS,
                          ST_KEY_PULSE_DEFAULT_FRAGMENT_SIZE_MSEC, ST_OWNER_KEYS),
    .judge = judge_pulseaudio,
};
