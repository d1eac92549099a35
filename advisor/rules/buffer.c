#include "advisor/rules/buffer.h"

#include "advisor/facts/owner.h"
#include "advisor/rules/linux_jack.h"
#include "advisor/rules/machine.h"
#include "core/ns.h"
#include "core/text/safe.h"
#include "xruns/xrun.h"

/* buffer size (frames) and rate (Hz) for which the rules judge if sleeptune finds none in use */
#define FRAMES  128
#define RATE_HZ 48000

#define PULSE_RATE_HZ 44100 /* Hz; default of pulse-daemon.conf(5) */

/* What a program does to PipeWire's cycle or rate; index: 1 if it forces them. */
static const char *const verbs[] = {"asked for", "forces"};

static bool take(struct st_wish *ret, int64_t frames, int64_t rate_hz, const char *why)
{
    /* refuses sizes and rates that sleeptune's own cycle loop cannot run */
    if (frames < 1 || frames > 1 << 20 || rate_hz < 1000 || rate_hz > 768000 ||
        frames * 20000 < rate_hz || frames > 10 * rate_hz)
        return false;
    *ret =
        (struct st_wish){.frames = (uint32_t)frames, .rate_hz = (uint32_t)rate_hz, .in_use = true};
    st_safe_copy(ret->why, sizeof(ret->why), why, ST_TEXT_TO_NUL);
    return true;
}

/* --- a program that has a card for itself --- */

/** Finds the shortest period among programs that use a card without a sound server, and says in
 * `why` which program it is: "as ardour uses card0". @return false: there is no such program. */
static bool of_program(const struct st_facts *facts, struct st_wish *ret)
{
    static const char prefix[] = ST_KEYS_ALSA;
    /* owners of streams that do not count as programs with a card for themselves: sound servers,
     * wireplumber (it only tests what a card can do), sleeptuned (its own stream is no music) */
    static const char *const servers[] = {"pipewire",    "data-loop", "pw-data-loop",
                                          "wireplumber", "jackd",     "pulseaudio",
                                          "alsa-",       "sleeptune", NULL},
                             *const unknown[] = {"alsa-", "a program"};
    *ret = (struct st_wish){0};
    ST_FACTS_EACH (fact, facts, prefix, ".period_frames") {
        struct st_wish found;
        const char *owner = st_fact_beside_text_or(fact, "owner", unknown[facts->partial]),
                   *card = fact->key + sizeof(prefix) - 1;
        if (st_text_begins_among(owner, servers))
            continue;
        const char *why = st_text("the buffer size of %.40s on %.*s", owner,
                                  (int)(strcspn(card, ".") % 20), card);
        if (take(&found, fact->i64, st_fact_beside_int_or(fact, "rate_hz", 0), why) &&
            (ret->frames == 0 ||
             (uint64_t)found.frames * ret->rate_hz < (uint64_t)ret->frames * found.rate_hz))
            *ret = found;
    }
    return ret->frames > 0;
}

/* --- the sound servers --- */

static bool of_jack(const struct st_facts *facts, struct st_wish *ret)
{
    struct st_jack_command jack = {.frames = 0, .rate_hz = RATE_HZ};
    const char *command = st_facts_text_or(facts, ST_KEY_JACK_COMMAND, NULL);
    if (command != NULL)
        jack = st_linux_jack_parse(command);
    const int64_t frames = st_facts_positive_or(facts, ST_KEY_JACK_BUFFER_FRAMES, jack.frames);
    const int64_t rate_hz = st_facts_positive_or(facts, ST_KEY_JACK_RATE_HZ, jack.rate_hz);
    return take(ret, frames, rate_hz,
                frames == jack.frames && jack.frames_given
                    ? st_text("set by JACK's option -p %jd", frames)
                : facts->partial ? "JACK's buffer size in this text"
                                 : "JACK's buffer size now");
}

static bool of_pulse(const struct st_facts *facts, struct st_wish *ret)
{
    const int64_t rate_hz =
        st_facts_positive_or(facts, ST_KEY_PULSE_DEFAULT_SAMPLE_RATE, PULSE_RATE_HZ);
    int64_t ms = st_xrun_sources_find("pulseaudio")->usual_ns / ST_NS_PER_MS;
    if (st_facts_has_int(facts, ST_KEY_DAEMON_PIPEWIRE_PULSE))
        return false;
    const char *why = st_text("PulseAudio must refill the card within %jd ms", ms);
    if (st_facts_is(facts, ST_KEY_PULSE_TSCHED, "0")) {
        ms = st_facts_positive_or(facts, ST_KEY_PULSE_DEFAULT_FRAGMENT_SIZE_MSEC,
                                  ST_BUFFER_PULSE_FRAGMENT_MS);
        why = st_text("the length of a part (fragment) of PulseAudio's buffer, %jd ms", ms);
    }
    return take(ret, ms * rate_hz / 1000, rate_hz, why);
}

/** Parses "360/48000". @return false: not a fraction. */
static bool is_fraction(const char *text, int64_t *ret_over, int64_t *ret_under)
{
    int end = 0;
    return sscanf(text, "%6jd/%6jd%n", ret_over, ret_under, &end) == 2 && text[end] == '\0' &&
           *ret_over > 0 && *ret_under > 0;
}

bool st_buffer_is_playing(const struct st_fact *fact)
{
    return st_fact_beside_is(fact, "state", "running");
}

const char *st_buffer_program(const struct st_fact *node)
{
    const char *name = st_fact_beside_text_or(node, "name", "a program");
    return st_fact_beside_text_or(node, "application", name);
}

/** The first playing node whose property has this text. NULL: none. */
static const struct st_fact *find_node(const struct st_facts *facts, const char *leaf,
                                       const char *wanted)
{
    ST_FACTS_EACH (node, facts, ST_KEYS_PIPEWIRE_NODE, ".state") {
        if (st_buffer_is_playing(node) && st_fact_beside_is(node, leaf, wanted))
            return node;
    }
    return NULL;
}

/** The node that forces this rate; NULL: none. */
static const struct st_fact *find_forcer(const struct st_facts *facts, int64_t hz)
{
    return find_node(facts, "force_rate", st_text("%jd", hz));
}

/** Can a device's rate be the rate of the graph? Yes for the default, a rate that PipeWire may use
 * ("[ 44100, 48000 ]"), or one that a program forces. */
static bool is_graph_rate(const struct st_facts *facts, int64_t hz, int64_t default_hz)
{
    const char *allowed = st_facts_text_or(facts, ST_KEY_PIPEWIRE_ALLOWED_RATES, "");
    return hz > 0 && (hz == default_hz || find_forcer(facts, hz) != NULL ||
                      strstr(allowed, st_text(" %jd", hz)) != NULL);
}

/** Did a playing program ask for a rate that PipeWire may use, other than the default? */
static bool wants_other_rate(const struct st_facts *facts, int64_t default_hz)
{
    int64_t over, hz;
    ST_FACTS_EACH (node, facts, ST_KEYS_PIPEWIRE_NODE, ".state") {
        if (st_buffer_is_playing(node) &&
            is_fraction(st_fact_beside_text_or(node, "rate", ""), &over, &hz) && hz != default_hz &&
            is_graph_rate(facts, hz, default_hz))
            return true;
    }
    return false;
}

static void find_rate(const struct st_facts *facts, struct st_buffer_asked *ret)
{
    const int64_t forced_hz = st_facts_positive_or(facts, ST_KEY_PIPEWIRE_FORCE_RATE_HZ, 0),
                  set = st_facts_positive_or(
                      facts, ST_KEY_PIPEWIRE_FORCE_RATE_HZ,
                      st_facts_positive_or(facts, ST_KEY_PIPEWIRE_RUNNING_RATE_HZ, 0));
    ret->default_hz =
        st_facts_positive_or(facts, ST_KEY_PIPEWIRE_RATE_HZ, ST_BUFFER_PIPEWIRE_RATE_HZ);
    ST_FACTS_EACH (node, facts, ST_KEYS_PIPEWIRE_NODE, ".format_rate_hz") {
        const int64_t hz = st_facts_positive_or(facts, node->key, 0);
        if (!st_buffer_is_playing(node) || !st_fact_beside_is(node, "driver", "true") ||
            !is_graph_rate(facts, hz, ret->default_hz))
            continue;
        if (ret->running_hz != 0 && ret->running_hz != hz)
            ret->rate_unknown = "PipeWire's cycle is unknown: devices run at different rates, and "
                                "pw-dump does not show which program plays on which device";
        ret->running_hz = hz;
    }
    if (ret->running_hz == 0 || ret->rate_unknown != NULL)
        ret->running_hz = ret->default_hz;
    if (set != 0)
        ret->running_hz = set;
    /* running_hz may be wrong if it is the default rate: a sink without a card reports the default
     * rate whatever rate the graph uses (seen with PipeWire 1.4.2), and so does a card that has
     * only this rate */
    if (set == 0 && ret->rate_unknown == NULL && ret->running_hz == ret->default_hz &&
        wants_other_rate(facts, ret->default_hz))
        ret->rate_unknown =
            "PipeWire's cycle is unknown: a program asked for another rate than the default, and "
            "pw-dump does not show which one PipeWire chose (pw-top does, in column RATE)";
    const struct st_fact *asker = find_forcer(facts, ret->running_hz);
    ret->rate_forced = asker != NULL || forced_hz > 0;
    ret->rate_verb = verbs[ret->rate_forced];
    if (asker == NULL)
        asker = find_node(facts, "rate", st_text("1/%jd", ret->running_hz));
    if (ret->running_hz != ret->default_hz && (asker != NULL || forced_hz > 0))
        ret->rate_program = forced_hz > 0 ? "clock.force-rate" : st_buffer_program(asker);
}

int st_buffer_pipewire_version(const struct st_facts *facts)
{
    int major, minor, micro;
    const char *text = st_facts_text_or(facts, ST_KEY_PIPEWIRE_VERSION, "");
    if (sscanf(text, "%2d.%2d.%4d", &major, &minor, &micro) != 3)
        return -ENODATA;
    return 10000 * major + 100 * minor + ST_MIN(micro, 99);
}

bool st_buffer_is_forced(const struct st_facts *facts)
{
    return st_facts_positive_or(facts, ST_KEY_PIPEWIRE_FORCE_QUANTUM, 0) > 0 ||
           st_facts_positive_or(facts, ST_KEY_PIPEWIRE_FORCE_RATE_HZ, 0) > 0;
}

bool st_buffer_is_pipewires(const struct st_fact *fact)
{
    const char *owner = st_fact_beside_text_or(fact, "owner", "");
    return st_text_begins(owner, "pipewire") || strstr(owner, "data-loop") != NULL;
}

/** Does PipeWire fill this ring when the card interrupts, not by a timer? Its cycle may then be
 * longer than half of the ring (spa/plugins/alsa/alsa-pcm.c, since 1.4.9). */
static bool is_by_interrupts(const struct st_fact *ring)
{
    int64_t card;
    ST_FACTS_EACH (node, ring->facts, ST_KEYS_PIPEWIRE_NODE, ".disable_tsched") {
        if (st_fact_beside_is(node, "disable_tsched", "true") &&
            st_fact_beside_int(node, "card", &card) == 0 &&
            st_text_begins(ring->key, st_text(ST_KEYS_ALSA "card%jd.", card)))
            return true;
    }
    return false;
}

/** Limits `frames` to half of the shortest ring that PipeWire has open (node.max-latency,
 * spa/plugins/alsa/alsa-pcm.c). */
static int64_t within_rings(const struct st_facts *facts, int64_t frames, int64_t hz)
{
    if (st_buffer_is_forced(facts))
        return frames;
    ST_FACTS_EACH (ring, facts, ST_KEYS_ALSA, ".buffer_frames") {
        const int64_t ring_hz = st_fact_beside_int_or(ring, "rate_hz", 0);
        if (ring->i64 > 1 && ring->i64 < 1 << 30 && ring_hz > 0 && st_buffer_is_pipewires(ring) &&
            !is_by_interrupts(ring))
            frames = ST_MIN(frames, ring->i64 * hz / ring_hz / 2);
    }
    return ST_MAX(frames, 1);
}

/** PipeWire's cycle at `hz` if a program asks for `frames` at `frames_hz`: PipeWire scales its
 * limits with the rate, and rounds down to a power of two. */
int64_t st_buffer_cycle(const struct st_facts *facts, int64_t frames, int64_t frames_hz, int64_t hz,
                        int64_t default_hz)
{
    const int64_t now =
        st_facts_positive_or(facts, ST_KEY_PIPEWIRE_RUNNING_FRAMES, ST_BUFFER_PIPEWIRE_MIN);
    /* a limit that is not known does not exclude the cycle that runs now */
    const int64_t min = st_facts_positive_or(facts, ST_KEY_PIPEWIRE_MIN_QUANTUM,
                                             ST_MIN(now, ST_BUFFER_PIPEWIRE_MIN));
    const int64_t max = st_facts_positive_or(facts, ST_KEY_PIPEWIRE_MAX_QUANTUM,
                                             ST_MAX(now, ST_BUFFER_PIPEWIRE_MAX));
    int64_t cycle = 1;
    frames = ST_MAX(frames * hz / frames_hz, min * hz / default_hz);
    frames = within_rings(facts, ST_MIN(frames, max * hz / default_hz), hz);
    while (2 * cycle <= frames)
        cycle *= 2;
    return cycle;
}

/* The shortest request of a playing program counts; a forced one takes precedence (PipeWire
 * src/pipewire/context.c). */
struct st_buffer_asked st_buffer_asked(const struct st_facts *facts)
{
    const int64_t forced = st_facts_positive_or(facts, ST_KEY_PIPEWIRE_FORCE_QUANTUM, 0),
                  max = st_facts_positive_or(facts, ST_KEY_PIPEWIRE_MAX_QUANTUM, INT64_MAX);
    int64_t frames = ST_MIN(
        st_facts_positive_or(facts, ST_KEY_PIPEWIRE_QUANTUM, ST_BUFFER_PIPEWIRE_FRAMES), max);
    struct st_buffer_asked best = {.frames = frames};
    find_rate(facts, &best);
    const int64_t hz = best.running_hz, default_hz = best.default_hz;
    if (hz != default_hz || within_rings(facts, frames, hz) < frames)
        frames = st_buffer_cycle(facts, frames, default_hz, hz, default_hz);
    best.rate_hz = default_hz;
    best.usual_frames = best.cycle_frames = best.default_frames =
        st_facts_positive_or(facts, ST_KEY_PIPEWIRE_FORCE_QUANTUM, frames);
    if (forced > 0)
        return best; /* if the quantum is forced, requests of programs have no effect */
    ST_FACTS_EACH (node, facts, ST_KEYS_PIPEWIRE_NODE, ".state") {
        struct st_buffer_asked one = best;
        one.node = node;
        one.rate_hz = hz;
        one.forced = st_fact_beside_int(node, "force_quantum", &one.frames) == 0 &&
                     one.frames > 0 && one.frames <= 1000000;
        if (!st_buffer_is_playing(node) ||
            (!one.forced &&
             !is_fraction(st_fact_beside_text_or(node, "latency", ""), &one.frames, &one.rate_hz)))
            continue;
        one.program = st_buffer_program(node);
        one.cycle_frames = one.forced
                               ? one.frames
                               : st_buffer_cycle(facts, one.frames, one.rate_hz, hz, default_hz);
        if (best.node == NULL || one.forced > best.forced ||
            (one.forced == best.forced &&
             (one.cycle_frames < best.cycle_frames ||
              (one.cycle_frames == best.cycle_frames &&
               one.frames * best.rate_hz < best.frames * one.rate_hz))))
            best = one;
    }
    best.verb = verbs[best.forced];
    best.default_frames =
        best.forced ? best.frames
                    : st_buffer_cycle(facts, best.frames, best.rate_hz, default_hz, default_hz);
    return best;
}

static bool of_pipewire(const struct st_facts *facts, struct st_wish *ret)
{
    const char *why = NULL;
    const bool is_seen = st_facts_has(facts, ST_KEY_PIPEWIRE_RUNNING_FRAMES);
    const struct st_buffer_asked asked = st_buffer_asked(facts);
    if (asked.rate_unknown != NULL && !is_seen)
        return take(ret, asked.cycle_frames, asked.running_hz,
                    "if PipeWire runs at that sample rate (pw-top shows it)");
    const int64_t usual = asked.usual_frames, hz = asked.running_hz;
    const int64_t now = st_facts_positive_or(facts, ST_KEY_PIPEWIRE_RUNNING_FRAMES, usual);
    const bool by_rate = asked.rate_program != NULL &&
                         asked.cycle_frames * asked.default_hz < asked.default_frames * hz;
    if (by_rate || (asked.node == NULL && asked.rate_program != NULL))
        why = st_text("%.40s %s %jd Hz", asked.rate_program, asked.rate_verb, hz);
    else if (asked.node != NULL)
        why = st_text("%.40s %s %jd frames", asked.program, asked.verb, asked.frames);
    if (why != NULL && (!is_seen || now == asked.cycle_frames) &&
        take(ret, asked.cycle_frames, hz, why))
        return true;
    const bool forced = st_facts_positive_or(facts, ST_KEY_PIPEWIRE_FORCE_QUANTUM, 0) != 0;
    if (((is_seen && !forced) || now != usual || hz != asked.default_hz) &&
        take(ret, now, hz, "PipeWire's buffer size now"))
        return true;
    return take(ret, usual, hz,
                forced ? "forced by PipeWire's setting clock.force-quantum"
                : usual < asked.frames && hz == asked.default_hz
                    ? "half the card's buffer, which is PipeWire's limit"
                    : "PipeWire's default buffer size (quantum)");
}

bool st_buffer_need_nodes(struct st_finding *finding)
{
    const struct st_fact *any =
        st_facts_next(finding->facts, ST_KEYS_PIPEWIRE_NODE, ".state", NULL);
    st_finding_quote(finding, any);
    if (any != NULL && any->state == ST_FACT_OK)
        return true;
    st_finding_set(finding,
                   any == NULL && !st_facts_has(finding->facts, ST_KEY_SYSTEM_LACKS)
                       ? ST_STATUS_NOT_APPLICABLE
                       : ST_STATUS_UNKNOWN,
                   "what plays through PipeWire is unknown: the program pw-dump did not list it");
    return false;
}

/* Sound servers: the size of the first one that runs counts. JACK is first, since it runs only if
 * the user started it. PulseAudio precedes PipeWire: if both run, PulseAudio has the sound
 * cards. */
static const struct {
    bool (*find)(const struct st_facts *facts, struct st_wish *ret);
    const char *daemon;
    /* the fact that says whether the server answered. A server that did not answer hangs, or
     * belongs to another user */
    const char *asked;
} servers[] = {
    {of_jack, ST_KEY_DAEMON_JACKD, ST_KEY_ASK_JACK_BUFSIZE},
    {of_jack, ST_KEY_DAEMON_JACKDBUS, ST_KEY_ASK_JACK_BUFSIZE},
    {of_pulse, ST_KEY_DAEMON_PULSEAUDIO, ST_KEY_ASK_PULSEAUDIO},
    {of_pipewire, ST_KEY_DAEMON_PIPEWIRE, ST_KEY_ASK_PIPEWIRE},
};

/** Finds the buffer size in use: of a program that has a card for itself, of the text of a forum
 * post, or of the first sound server that answers. If none is found, the size is assumed: FRAMES
 * at RATE_HZ. */
static void in_use(const struct st_facts *facts, struct st_wish *ret)
{
    static const char not_found[] = "the buffer size in use is unknown";
    const char *why = not_found;
    if (st_facts_has_int(facts, ST_KEY_PROCESSES_N) && !st_facts_has(facts, ST_KEY_THREADS_PART) &&
        !st_facts_has(facts, ST_KEY_SYSTEM_INPUT))
        why = "no sound server runs here";
    /* FreeBSD: the length of a block of the buffer, from a posted /dev/sndstat */
    const struct st_fact *block =
        st_facts_next(facts, ST_KEYS_FREEBSD_SNDSTAT, ".play.block_us", NULL);
    if (of_program(facts, ret) ||
        (facts->partial && block != NULL &&
         take(ret, (block->i64 * RATE_HZ + 500000) / 1000000, RATE_HZ,
              "the block of the sound driver (/dev/sndstat)")) ||
        take(ret, st_facts_int_or(facts, ST_KEYS_SHARED "frames", 0),
             st_facts_int_or(facts, ST_KEYS_SHARED "rate_hz", 0),
             "the buffer size of that computer"))
        return;
    ST_EACH (row, servers) {
        if (!st_facts_has_int(facts, row->daemon))
            continue;
        if (st_owner_other(facts, row->daemon) != NULL) {
            why = "the running sound server belongs to another user";
            continue;
        }
        /* a posted text may show that PipeWire runs, but none of its settings: its size is then
         * unknown */
        if (row->find == of_pipewire && st_facts_has(facts, ST_KEY_SYSTEM_INPUT) &&
            !st_facts_has(facts, ST_KEY_PIPEWIRE_QUANTUM) &&
            !st_facts_has(facts, ST_KEY_PIPEWIRE_FORCE_QUANTUM) &&
            !st_facts_has(facts, ST_KEY_PIPEWIRE_RUNNING_FRAMES)) {
            why = not_found;
            continue;
        }
        if (!st_machine_is_unread(facts, row->asked) && row->find(facts, ret))
            return;
        why = "no sound server answers here";
    }
    (void)take(ret, FRAMES, RATE_HZ, why);
    ret->in_use = false;
}

int st_buffer_choose(const struct st_facts *facts, int64_t frames, int64_t rate_hz,
                     struct st_wish *ret)
{
    struct st_wish wish;
    in_use(facts, &wish);
    if (frames != 0)
        wish.frames = (uint32_t)frames;
    if (rate_hz != 0)
        wish.rate_hz = (uint32_t)rate_hz;
    if (frames != 0 || rate_hz != 0) {
        wish.in_use = false;
        wish.why[0] = '\0';
    }
    const int r = st_period_init(&wish.period, wish.frames, wish.rate_hz);
    if (r != 0)
        return r;
    wish.period_ns = st_period_ns(&wish.period);
    *ret = wish;
    return 0;
}

const char *st_buffer_options(const struct st_wish *wish)
{
    const char *frames = st_text(" --frames %u", wish->frames);
    if (wish->why[0] != '\0')
        return "";
    return wish->rate_hz == RATE_HZ ? frames : st_text("%s --rate %u", frames, wish->rate_hz);
}

const char *st_buffer_text(const struct st_wish *wish)
{
    static const char *const between[] = {": ", ", "};
    return st_text("%u frame%s at %g kHz%s", wish->frames, ST_PLURAL(wish->frames),
                   wish->rate_hz / 1000.0, st_text_with(between[wish->in_use], wish->why));
}
