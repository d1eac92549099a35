/* jackd -p, -n: the period and the ring. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "advisor/rules/jack_command.h"

#define USB    "linux.usb_audio.*.control"
#define FRAMES "linux.jack.buffer_frames"
#define RATE   "linux.jack.rate_hz"

#define FRAMES_MIN 16
#define FRAMES_MAX 8192  /* as the ALSA driver's -p */
#define ROUNDED    1.001 /* a period this much longer is the same one */

/** What the running server says instead of its command line. @return false: it was asked and nobody knows;
 * the finding is set. */
static bool told(struct st_finding *finding, const struct st_facts *facts, const char *key, int64_t *ret)
{
    int64_t value;
    const int r = st_facts_int(facts, key, &value);
    if (r == -ENOENT)
        return true;
    if (st_finding_need_int(finding, facts, key, &value) != 0)
        return false;
    if (value > 0 && value <= 1000000)
        *ret = value;
    return true;
}

static void note(void *ctx, const struct st_fact *fact)
{
    if (fact->state == ST_FACT_OK)
        *(const struct st_fact **)ctx = fact;
}

/** The longest period of a power of two that is not longer than the wished one; JACK has 16 to 8192. */
static void fix(const struct st_jack_command *jack, double wish_us, bool usb, struct st_finding *finding)
{
    char now[64], persistent[96];
    int64_t frames = FRAMES_MIN;
    while (frames < FRAMES_MAX && 2e6 * (double)frames / (double)jack->rate_hz <= wish_us * ROUNDED)
        frames *= 2;
    snprintf(now, sizeof(now), "jack_bufsize %" PRId64, frames);
    snprintf(persistent, sizeof(persistent),
             "# in ~/.jackdrc or QjackCtl's settings: -p %" PRId64 " -n %" PRId64, frames,
             usb && jack->periods_n < 3 ? 3 : jack->periods_n);
    st_finding_fix(finding, jack->running ? now : NULL, persistent, ST_NEEDS_REOPEN);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct st_jack_command jack;
    const struct st_fact *usb = NULL;
    if (!st_jack_command_need(finding, facts, &jack))
        return;
    if (!jack.is_alsa) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "JACK does not use the ALSA driver here");
        return;
    }
    if (jack.running &&
        (!told(finding, facts, FRAMES, &jack.frames) || !told(finding, facts, RATE, &jack.rate_hz)))
        return;
    const double period_us = (double)jack.frames * 1e6 / (double)jack.rate_hz;
    const double wish_us = (double)wish->period_ns / 1e3;
    const double ring_ms = period_us * (double)jack.periods_n / 1e3;
    st_facts_each(facts, "linux.usb_audio.", ".control", note, &usb);
    if (period_us > wish_us * ROUNDED) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "JACK's period is %" PRId64 " frames at %" PRId64
                       " Hz (%.2f ms), longer than the wished %.2f ms",
                       jack.frames, jack.rate_hz, period_us / 1e3, wish_us / 1e3);
        fix(&jack, wish_us, usb != NULL, finding);
    } else if (usb != NULL && jack.periods_n < 3) {
        st_finding_quote(finding, facts, usb->key);
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "JACK has %" PRId64
                       " periods, and a USB interface is connected: its 1 ms packets want three",
                       jack.periods_n);
        st_finding_fix(finding, NULL, "# in ~/.jackdrc or QjackCtl's settings: -n 3", ST_NEEDS_REOPEN);
    } else {
        st_finding_set(finding, ST_STATUS_OK, "JACK's period is %.2f ms, its ring holds %.2f ms",
                       period_us / 1e3, ring_ms);
        st_finding_effect(finding, 0, "%" PRId64 " / %" PRId64 " Hz = %.1f µs <= %.1f µs", jack.frames,
                          jack.rate_hz, period_us, wish_us);
    }
}

const struct st_rule st_rule_linux_jack_period = {
    .id = "linux-jack-period",
    .os = ST_OS_LINUX,
    .title = "JACK's period and ring",
    .mechanism =
        "JACK's latency is period × periods / rate, and the machine has one period to compute each cycle. "
        "USB moves sound in packets that do not divide the usual periods, so a ring of two runs dry by "
        "rounding alone.",
    .privilege = "none",
    .cost = "latency: each period more adds one",
    .when_not = "mixing and listening, where latency does not matter: a longer period is safer",
    .sources = "jackd(1) 1.9.21, ALSA driver: -p 1024, -n 2, -r 48000; -n 3 recommended for USB\n"
               "why three: usual reasoning, not measured here",
    .guide =
        {
            .now = "jack_bufsize 128   # 2.7 ms at 48000 Hz, or what is wished",
            .persistent = "# in ~/.jackdrc or QjackCtl's settings: -p 128 -n 3",
            .needs = ST_NEEDS_REOPEN,
            .check = "jack_bufsize; jack_samplerate   # the period is the one by the other",
            .undo = "jack_bufsize with the old number, and the options of before",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){ST_JACK_COMMAND, ST_JACK_JACKDRC, ST_JACK_OTHER, USB, FRAMES, RATE, NULL},
    .judge = judge,
};
