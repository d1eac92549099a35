/* PipeWire: may its cycle be as short as wished? */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define DAEMON      "linux.daemon.pipewire"
#define QUANTUM     "linux.pipewire.quantum"
#define MIN         "linux.pipewire.min_quantum"
#define MAX         "linux.pipewire.max_quantum"
#define RATE        "linux.pipewire.rate_hz"
#define VM_MIN      "linux.pipewire.vm_min_quantum"
#define FORCED      "linux.pipewire.force_quantum"
#define FORCED_RATE "linux.pipewire.force_rate_hz"
#define ASKED       "linux.ask.pipewire"

/** What PipeWire takes when no file says anything (pipewire.conf(5)). */
#define QUANTUM_DEFAULT 1024
#define MIN_DEFAULT     32
#define MAX_DEFAULT     2048
#define RATE_DEFAULT    48000
#define MIN_FLOOR       4 /* default.clock.quantum-floor */

#define NOW(frames) "pw-metadata -n settings 0 clock.min-quantum " frames
#define EVER(before, frames, behind)                                                                         \
    "# /etc/pipewire/pipewire.conf.d/90-sleeptune.conf\n"                                                    \
    "context.properties = { " before "default.clock.min-quantum = " frames behind " }"

/** What was forced at run time holds for all programs; 0: nothing. */
static int64_t forced(const struct st_facts *facts, const char *key)
{
    const int64_t value = st_machine_int_or(facts, key, 0);
    return value > 0 && value <= 1000000 ? value : 0;
}

static void no_cost(const struct st_wish *wish, int64_t frames, int64_t rate, struct st_finding *finding)
{
    st_finding_effect(finding, 0, "%" PRId64 " / %" PRId64 " Hz = %.1f µs <= %.1f µs", frames, rate,
                      (double)frames * 1e6 / (double)rate, (double)wish->period_ns / 1e3);
}

static void judge_forced(const struct st_wish *wish, int64_t quantum, int64_t rate,
                         struct st_finding *finding)
{
    const double cycle_us = (double)quantum * 1e6 / (double)rate, wish_us = (double)wish->period_ns / 1e3;
    if (cycle_us > wish_us * 1.001) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "PipeWire's cycle was forced to %" PRId64
                       " frames (%.2f ms), so one of %.2f ms cannot be "
                       "had through it",
                       quantum, cycle_us / 1e3, wish_us / 1e3);
        st_finding_fix(finding, "pw-metadata -n settings 0 clock.force-quantum 0", NULL, ST_NEEDS_NOTHING);
        return;
    }
    st_finding_set(finding, ST_STATUS_OK,
                   "PipeWire's cycle was forced to %" PRId64 " frames (%.2f ms) for all programs", quantum,
                   cycle_us / 1e3);
    no_cost(wish, quantum, rate, finding);
}

/** @return 0, or what the fact said if it is there and not a positive number; the finding is set then. */
static int setting(struct st_finding *finding, const struct st_facts *facts, const char *key,
                   int64_t fallback, int64_t *ret)
{
    *ret = fallback;
    if (st_facts_int(facts, key, ret) == -ENOENT)
        return 0;
    const int r = st_finding_need_int(finding, facts, key, ret);
    if (r == 0 && (*ret <= 0 || *ret > 1000000)) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "%s of %" PRId64 " cannot be", key, *ret);
        return -ERANGE;
    }
    return r;
}

/** PipeWire's own minimum, or less where even that is longer than the wish. */
static void fix(bool guest, int64_t rate, double wish_us, struct st_finding *finding)
{
    char now[80], persistent[160];
    int min = MIN_DEFAULT;
    while (min > MIN_FLOOR && (double)min * 1e6 / (double)rate > wish_us * 1.001)
        min /= 2;
    snprintf(now, sizeof(now), NOW("%d"), min);
    snprintf(persistent, sizeof(persistent),
             guest ? EVER("vm.overrides = { ", "%d", " }") : EVER("", "%d", ""), min);
    st_finding_fix(finding, now, persistent, ST_NEEDS_REOPEN);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t pid, quantum, min, max, rate, vm_min;
    if (st_facts_int(facts, DAEMON, &pid) != 0) {
        st_finding_quote(finding, facts, DAEMON);
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "PipeWire does not run here");
        return;
    }
    st_finding_quote(finding, facts, DAEMON);
    if (setting(finding, facts, QUANTUM, QUANTUM_DEFAULT, &quantum) != 0 ||
        setting(finding, facts, MIN, MIN_DEFAULT, &min) != 0 ||
        setting(finding, facts, MAX, MAX_DEFAULT, &max) != 0 ||
        setting(finding, facts, RATE, RATE_DEFAULT, &rate) != 0 ||
        setting(finding, facts, VM_MIN, min, &vm_min) != 0)
        return;
    const char *answer;
    const bool running = st_facts_text(facts, ASKED, &answer) == 0 && strcmp(answer, "answered") == 0;
    st_finding_quote(finding, facts, running ? MIN : ASKED);
    st_finding_quote(finding, facts, FORCED);
    if (forced(facts, FORCED_RATE) > 0)
        rate = forced(facts, FORCED_RATE);
    if (forced(facts, FORCED) > 0) {
        judge_forced(wish, forced(facts, FORCED), rate, finding);
        return;
    }
    const bool guest = st_machine_is_guest(facts) && vm_min > min;
    if (guest) {
        st_finding_quote(finding, facts, ST_MACHINE_VIRTUAL);
        min = vm_min;
    }
    const double min_us = (double)min * 1e6 / (double)rate, wish_us = (double)wish->period_ns / 1e3;
    if (min_us > wish_us * 1.001) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "PipeWire never goes below %" PRId64
                       " frames (%.2f ms)%s, so a cycle of %.2f ms cannot be "
                       "had through it",
                       min, min_us / 1e3, guest ? " in a virtual machine" : "", wish_us / 1e3);
        fix(guest, rate, wish_us, finding);
        return;
    }
    st_finding_set(
        finding, ST_STATUS_OK,
        "PipeWire%s cycles of %.2f ms and goes down to %.2f ms for programs that ask: PIPEWIRE_LATENCY=%u/%u",
        running ? " runs" : " is configured for", (double)quantum * 1e3 / (double)rate, min_us / 1e3,
        (unsigned)wish->frames, (unsigned)wish->rate_hz);
    no_cost(wish, min, rate, finding);
}

const struct st_rule st_rule_linux_pipewire_quantum = {
    .id = "linux-pipewire-quantum",
    .os = ST_OS_LINUX,
    .title = "PipeWire's shortest cycle",
    .mechanism = "PipeWire's cycle is quantum / rate. It takes the smallest that a program asks for, between "
                 "min-quantum and max-quantum, and the default quantum when nobody asks.",
    .privilege = "root, or none in ~/.config/pipewire",
    .cost = "power, CPU: a shorter cycle wakes all programs more often",
    .when_not = "for all programs at once: let those that need a short cycle ask for it. In virtual machines "
                "1024 is there because the host may not keep up.",
    .sources =
        "pipewire.conf(5) and the packaged pipewire.conf of 0.3.65 (rate 48000, quantum 1024, min 32 or 16, "
        "max 2048, vm.overrides min-quantum 1024)\n"
        "a running PipeWire is asked by pw-metadata -n settings; where that cannot be, its files count, and "
        "of "
        "those the form in which newer versions write the rule for virtual machines is not read",
    .guide =
        {
            .now = NOW("32"),
            .persistent = EVER("", "32", ""),
            .needs = ST_NEEDS_REOPEN,
            .check = "pw-top   # QUANT and RATE: the cycle is the one by the other",
            .undo = "delete the file and run systemctl --user restart pipewire",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){DAEMON, QUANTUM, MIN, MAX, RATE, VM_MIN, FORCED, FORCED_RATE, ASKED,
                                   ST_MACHINE_VIRTUAL, NULL},
    .judge = judge,
};
