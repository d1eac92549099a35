/* Linux: the command line of a JACK server, and what its options cost. */
#include "advisor/rules/linux_jack.h"

#include "advisor/facts/owner.h"
#include "advisor/rules/machine.h"
#include "core/text/number.h"

/** Options of jackd that sleeptune reads: row 0 has those of the server, row 1 those of its driver,
 * after -d. `flags` has all options without a value, since such options may share a word (jack2's
 * common/Jackdmp.cpp, linux/alsa/JackAlsaDriver.cpp). */
static const struct {
    const char *flags, *with_value;
    struct {
        const char *name;
        char letter;
    } names[4];
} parts[] = {
    {"uvshrRSTFm",
     "Pd",
     {{"no-realtime", 'r'}, {"realtime", 'R'}, {"realtime-priority", 'P'}, {"driver", 'd'}}},
    {"DMHmSs", "pnr", {{"softmode", 's'}, {"period", 'p'}, {"nperiods", 'n'}, {"rate", 'r'}}},
};

static void take(struct st_jack_command *jack, bool *driver, char letter, const char *value)
{
    const struct {
        bool driver;
        char letter;
        int64_t *number;
    } numbers[] = {{false, 'P', &jack->priority},
                   {true, 'p', &jack->frames},
                   {true, 'n', &jack->periods_n},
                   {true, 'r', &jack->rate_hz}};
    ST_EACH (row, numbers) {
        if (row->driver == *driver && row->letter == letter && /* an invalid number is ignored */
            st_number_i64(value, 1, 1000000, row->number) == 0)
            jack->frames_given = jack->frames_given || letter == 'p';
    }
    if (*driver) {
        jack->soft_mode = jack->soft_mode || letter == 's';
    } else if (letter == 'd') {
        jack->is_alsa = st_text_is(value, "alsa");
        *driver = true;
    } else if (letter == 'r' || letter == 'R') {
        jack->realtime = letter == 'R';
    }
}

struct st_jack_command st_linux_jack_parse(const char *text)
{
    struct st_jack_command jack = {
        .realtime = true, .priority = 10, .frames = 1024, .periods_n = 2, .rate_hz = 48000};
    bool driver = false;
    ST_TEXT_EACH (word, st_text("%s", text), " \t") {
        if (word[0] != '-' || word[1] == '\0')
            continue;
        char letter = word[1];
        const char *value = word + 2;
        if (letter == '-') { /* a long option: "--period=128", "--period 128" */
            const char *name = value;
            value = name + strcspn(name, "=");
            ST_EACH (row, parts[driver].names) {
                if (strlen(row->name) == (size_t)(value - name) && st_text_begins(name, row->name))
                    letter = row->letter;
            }
            value += *value == '=';
        }
        /* "-vr" means "-v -r": options without a value may share a word, as getopt(3) reads it */
        while (letter != '\0' && strchr(parts[driver].flags, letter) != NULL) {
            take(&jack, &driver, letter, "");
            letter = *value;
            value += letter != '\0';
        }
        if (letter == '\0' || strchr(parts[driver].with_value, letter) == NULL)
            continue;
        if (*value == '\0')
            value = strtok_r(NULL, " \t", &word_rest);
        take(&jack, &driver, letter, st_text_or(value, ""));
    }
    return jack;
}

/** Begins a rule about JACK. @return true: a server runs; false: the finding is set. */
static bool need_jack(struct st_finding *finding, struct st_jack_command *ret)
{
    const char *text;
    if (st_facts_text(finding->facts, ST_KEY_JACK_COMMAND, &text) == -ENOENT) {
        st_finding_not_applicable(finding, "no JACK server runs");
        return false;
    }
    if (st_finding_is_of_other(finding, ST_KEY_DAEMON_JACKD, "JACK server") ||
        st_finding_need_text(finding, ST_KEY_JACK_COMMAND, &text) != 0)
        return false;
    *ret = st_linux_jack_parse(text);
    return true;
}

/* --- linux-jack-realtime: does JACK run with real-time priority (no -r), and with which one (-P)?
 * --- */

#define WHERE "# in ~/.jackdrc, QjackCtl's settings or the service that starts JACK: "

/** Highest priority of JACK that needs no advice. The kernel's migration and watchdog threads are
 * at 99, interrupt threads of sound at 90 with rtirq. */
#define PRIORITY_HIGHEST 94

static void judge_jack_realtime(struct st_finding *finding)
{
    struct st_jack_command jack;
    if (!need_jack(finding, &jack))
        return;
    if (!jack.realtime) {
        st_finding_problem(
            finding,
            "JACK%s runs without real-time priority (-r), so any busy program can delay all sound",
            st_owner_text(finding->facts, ST_KEY_DAEMON_JACKD));
        st_rule_fix(finding);
    } else if (jack.priority > PRIORITY_HIGHEST) {
        st_finding_advice(finding,
                          "JACK runs at real-time priority %jd, as high as the kernel's own "
                          "threads, which it may hold up; 70 to 80 is enough",
                          jack.priority);
        st_finding_fix(finding, NULL, WHERE "-P 80", ST_NEEDS_REOPEN);
    } else {
        st_finding_fine(finding, "JACK runs with real-time priority %jd", jack.priority);
    }
}

const struct st_rule st_rule_linux_jack_realtime = {
    .id = "linux-jack-realtime",
    .title = "JACK's real-time priority",
    .mechanism =
        "jackd uses a real-time priority unless it is started with the option -r. Without "
        "real-time priority each cycle waits until busy programs leave a CPU free, however long.",
    .privilege =
        "none (for the right to real-time priority see 'sleeptune report linux-rt-permission')",
    .when_not = "you use JACK only for tests with its dummy driver: then real-time priority does "
                "not matter",
    .sources = "manual jackd(1) of 1.9.21: real-time priority (-R) is the default, -r turns it "
               "off, -P sets the priority (at its start jackd prints 10)",
    .persistent = "# remove -r (--no-realtime) from the options before -d: in ~/.jackdrc, or in "
                  "QjackCtl's settings (Realtime)",
    .needs = ST_NEEDS_REOPEN,
    .check = "ps -eLo cls,rtprio,comm | grep jackd   # FF and a priority",
    .undo = "start JACK with its old options",
    .worst = ST_STATUS_PROBLEM,
    .facts = ST_RULE_KEYS(ST_KEY_JACK_COMMAND, ST_OWNER_KEYS),
    .judge = judge_jack_realtime,
};

/* --- linux-jack-period: JACK's period (-p), and the periods in its buffer (-n) --- */

#define USB        ST_KEYS_USB_AUDIO "*.control"
#define FRAMES_MIN 16
#define FRAMES_MAX 8192 /* limit of -p of the ALSA driver */
/* factor; a period up to 0.1 % longer than the wished one counts as equal */
#define ROUNDED 1.001

/** Replaces a value from the command line by the value that the running server reported. @return
 * false: the server did not answer; the finding is set. */
static bool take_running_value(struct st_finding *finding, const char *key, int64_t *ret)
{
    if (st_machine_is_unread(finding->facts, key))
        return st_finding_need_int(finding, key, NULL) == 0;
    *ret = st_facts_positive_or(finding->facts, key, *ret);
    return true;
}

static bool need_alsa(struct st_finding *finding, struct st_jack_command *ret)
{
    if (!need_jack(finding, ret))
        return false;
    if (!ret->is_alsa)
        st_finding_not_applicable(finding, "JACK plays through another driver than ALSA here, for "
                                           "which sleeptune does not judge the buffer");
    return ret->is_alsa;
}

static void judge_jack_period(struct st_finding *finding)
{
    struct st_jack_command jack;
    const struct st_fact *usb = NULL;
    if (!need_alsa(finding, &jack))
        return;
    if (!take_running_value(finding, ST_KEY_JACK_BUFFER_FRAMES, &jack.frames) ||
        !take_running_value(finding, ST_KEY_JACK_RATE_HZ, &jack.rate_hz))
        return;
    const double period_us = st_rule_us(jack.frames, jack.rate_hz);
    const double wish_us = st_rule_period_us(finding);
    const double ring_ms = period_us * (double)jack.periods_n / 1e3;
    ST_FACTS_EACH (fact, finding->facts, ST_KEYS_USB_AUDIO, ".control")
        usb = st_fact_or(usb, fact);
    if (period_us > wish_us * ROUNDED && !finding->wish->in_use) {
        st_finding_advice(finding,
                          "JACK's period is %jd frames at %jd Hz (%.2f ms), longer than the %.2f "
                          "ms that you asked for",
                          jack.frames, jack.rate_hz, period_us / 1e3, wish_us / 1e3);
        /* becomes the largest power of two that is not above the wished period; JACK accepts 16 to
         * 8192 */
        int64_t frames = FRAMES_MIN;
        while (frames < FRAMES_MAX && st_rule_us(2 * frames, jack.rate_hz) <= wish_us * ROUNDED)
            frames *= 2;
        st_finding_fix_now(finding, "jack_bufsize %jd", frames);
        st_finding_fix_persistent(finding, ST_NEEDS_REOPEN, WHERE "-p %jd -n %jd", frames,
                                  ST_MAX(jack.periods_n, 3 * (usb != NULL)));
    } else if (usb != NULL && jack.periods_n < 3) {
        st_finding_quote(finding, usb);
        st_finding_advice(
            finding,
            "JACK's buffer has %jd periods; with a USB interface three are recommended (-n 3)",
            jack.periods_n);
        st_finding_fix(finding, NULL, WHERE "-n 3", ST_NEEDS_REOPEN);
    } else {
        st_finding_fine(finding,
                        "JACK's period is %jd frames at %jd Hz (%.2f ms), its whole buffer %.2f ms",
                        jack.frames, jack.rate_hz, period_us / 1e3, ring_ms);
    }
}

const struct st_rule st_rule_linux_jack_period = {
    .id = "linux-jack-period",
    .title = "JACK's period and buffer",
    .mechanism = "JACK's latency is period × periods / rate; each cycle must be computed within "
                 "one period. USB sends sound in packets of 1 ms, which do not fit evenly into the "
                 "usual periods: with only two the buffer may run empty.",
    .privilege = "none",
    .cost = "latency: each additional period adds one period of delay",
    .when_not = "you only mix or listen, so latency does not matter: a longer period is safer",
    .sources = "manual jackd(1) of 1.9.21, ALSA driver: defaults -p 1024, -n 2, -r 48000; it "
               "recommends -n 3 for USB\n"
               "why three: the usual explanation, which was not measured here",
    .now = "jack_bufsize 128   # 2.7 ms at 48000 Hz, or the period you want",
    .persistent = WHERE "-p 128 -n 3",
    .needs = ST_NEEDS_REOPEN,
    .check = "jack_bufsize; jack_samplerate   # period = bufsize / samplerate",
    .undo = "run jack_bufsize with the old number of frames, and start JACK with its old options",
    .facts = ST_RULE_KEYS(ST_KEY_JACK_COMMAND, USB, ST_KEY_JACK_BUFFER_FRAMES, ST_KEY_JACK_RATE_HZ,
                          ST_OWNER_KEYS),
    .judge = judge_jack_period,
};

/* --- linux-jack-soft-mode: does JACK hide xruns (jackd -d alsa -s)? --- */

static void judge_jack_soft_mode(struct st_finding *finding)
{
    struct st_jack_command jack;
    if (!need_alsa(finding, &jack))
        return;
    if (!jack.soft_mode) {
        st_finding_fine(finding, "JACK reports the xruns of the sound card, as it should");
        return;
    }
    st_finding_advice(finding, "JACK runs in soft mode (-s): it does not report xruns, so you do "
                               "not see the gaps in the sound");
    st_finding_effect(finding, 0, "soft mode only hides xruns; it delays no thread");
    st_rule_fix(finding);
}

const struct st_rule st_rule_linux_jack_soft_mode = {
    .id = "linux-jack-soft-mode",
    .title = "JACK's soft mode",
    .mechanism = "With -s the ALSA driver of JACK ignores xruns that the sound card reports. You "
                 "still hear the gaps, but no counter shows them.",
    .privilege = "none",
    .when_not = "on stage, if a restart of the sound would be worse than a gap",
    .sources =
        "manual jackd(1) of 1.9.21, ALSA driver, -s: \"ignore xruns reported by the ALSA driver\"",
    .persistent = "# remove -s (--softmode) from the options after -d alsa: in ~/.jackdrc, or in "
                  "QjackCtl's settings (Soft Mode)",
    .needs = ST_NEEDS_REOPEN,
    .check = "ps -eo args | grep '[j]ackd'   # no -s after -d alsa",
    .undo = "add the option -s again",
    .facts = ST_RULE_KEYS(ST_KEY_JACK_COMMAND, ST_OWNER_KEYS),
    .judge = judge_jack_soft_mode,
};
