/* FreeBSD: timers and clocks. */
#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "core/tick.h"

/* --- freebsd-alloweddeviation: how much the kernel may stretch a sleep --- */

/** The osreldate of the first version with nanosleep_precise (15.0; early 15-CURRENT had this
 * number without the sysctl). */
#define OSRELDATE_PRECISE 1500000

enum nanosleep { NANOSLEEP_STRETCHED, NANOSLEEP_PRECISE, NANOSLEEP_UNKNOWN };

/** Does clock_nanosleep obey alloweddeviation on this kernel? The sysctl nanosleep_precise takes
 * precedence over the version of the kernel. If both are unknown, sets the finding. */
static enum nanosleep nanosleep_kind(struct st_finding *finding)
{
    static const char key[] = ST_KEY_FREEBSD_KERN_TIMECOUNTER_NANOSLEEP_PRECISE;
    int64_t value = NANOSLEEP_UNKNOWN;
    const struct st_fact *fact = st_facts_find(finding->facts, key);
    if (fact != NULL && fact->state != ST_FACT_ABSENT) {
        (void)!st_finding_need_in(finding, key, NANOSLEEP_STRETCHED, NANOSLEEP_PRECISE, &value);
        return (enum nanosleep)value;
    }
    if (st_facts_int_or(finding->facts, ST_KEY_FREEBSD_KERN_OSRELDATE, INT64_MAX) <
        OSRELDATE_PRECISE)
        return NANOSLEEP_STRETCHED;
    st_finding_unknown(
        finding,
        "whether the kernel makes sleeps too long is unknown: from FreeBSD 15 on "
        "kern.timecounter.nanosleep_precise decides, and its value or the version is unknown");
    return NANOSLEEP_UNKNOWN;
}

/** Computes how late a sleep of one whole period may end. @return false: kern.hz is needed but not
 * known; the finding is set. */
static bool lateness(int64_t percent, struct st_finding *finding, struct st_tick_late *ret)
{
    int64_t hz;
    const double period_ns = st_period_seconds(&finding->wish->period) * 1e9;
    if (st_facts_int(finding->facts, ST_KEY_FREEBSD_KERN_HZ, &hz) == 0 &&
        st_tick_late(percent, hz, period_ns, ret) == 0)
        return true;
    if (st_tick_late(percent, ST_TICK_HZ_WORST, period_ns, ret) != 0) {
        st_finding_unknown(
            finding,
            "kern.timecounter.alloweddeviation has a value that sleeptune does not understand: %jd",
            percent);
        return false;
    }
    if (ret->coarse_ns > 0) {
        st_finding_unknown(finding,
                           "each sleep may end %.1f µs late, or one clock tick later than that: "
                           "this depends on kern.hz, which is unknown",
                           ret->slop_ns / 1e3);
        return false;
    }
    return true;
}

static void judge_stretched(int64_t percent, const struct st_tick_late *late,
                            struct st_finding *finding)
{
    const double period_us = st_rule_period_us(finding);
    const double max_us = late->max_ns / 1e3;
    const double settled_us = late->settled_ns / 1e3;
    const bool is_coarse = late->coarse_ns > 0;
    st_finding_advice(
        finding,
        "with alloweddeviation %jd the kernel makes each sleep up to %.1f µs too long (%s); with "
        "the value 0 it does not",
        percent, max_us,
        is_coarse ? "this includes one clock tick"
                  : st_text("about %.0f µs in a program that wakes up regularly", settled_us));
    st_finding_effect(
        finding, max_us,
        "the kernel may make a sleep longer by up to 1/2^%d of its length: %.1f µs / 2^%d = %.1f "
        "µs%s",
        late->shift, period_us, late->shift, late->slop_ns / 1e3,
        is_coarse
            ? st_text(", plus %.1f µs because the kernel uses its coarse clock for sleeps of "
                      "%.1f ms or more",
                      late->coarse_ns / 1e3, late->threshold_ns / 1e6)
            : st_text("; for a program that wakes up regularly %.1f µs / (1 + 2^-%d) = %.1f µs",
                      max_us, late->shift, settled_us));
    st_rule_fix(finding);
}

/** A periodic timer ends a sleep at its first interrupt after the due time, so the permitted
 * deviation adds nothing. Only the coarse clock, which the kernel uses for long sleeps, adds
 * lateness. */
static void judge_periodic(int64_t percent, const struct st_tick_late *late,
                           struct st_finding *finding)
{
    const double period_us = st_rule_period_us(finding), coarse_us = late->coarse_ns / 1e3;
    if (coarse_us <= 0) {
        st_finding_fine(finding,
                        "alloweddeviation %jd makes no sleep longer here, but the periodic event "
                        "timer does: see 'sleeptune report freebsd-eventtimer'",
                        percent);
        return;
    }
    st_finding_advice(
        finding,
        "with alloweddeviation %jd the kernel measures sleeps of %.1f µs by its coarse clock and "
        "makes them up to %.1f µs too long; with the value 0 it does not",
        percent, period_us, coarse_us);
    st_finding_effect(
        finding, coarse_us,
        "up to %.1f µs: the kernel measures sleeps of %.1f ms or more by its coarse clock",
        coarse_us, late->threshold_ns / 1e6);
    st_rule_fix(finding);
}

static void judge_alloweddeviation(struct st_finding *finding, int64_t percent)
{
    struct st_tick_late late;
    const enum nanosleep kind = nanosleep_kind(finding);
    if (kind == NANOSLEEP_UNKNOWN || !lateness(percent, finding, &late))
        return;
    if (percent <= 0)
        st_finding_fine(finding, "alloweddeviation is %jd: the kernel does not make sleeps longer",
                        percent);
    else if (kind == NANOSLEEP_PRECISE)
        st_finding_fine(
            finding,
            "alloweddeviation %jd does not make sleeps longer on this kernel (clock_nanosleep); "
            "only programs that wait in poll, select or kevent may wake up to %.1f µs late",
            percent, late.max_ns / 1e3);
    else if (st_facts_int_or(finding->facts, ST_KEY_FREEBSD_KERN_EVENTTIMER_PERIODIC, 0) != 0)
        judge_periodic(percent, &late, finding);
    else
        judge_stretched(percent, &late, finding);
}

const struct st_rule st_rule_freebsd_alloweddeviation = {
    .id = "freebsd-alloweddeviation",
    .title = "Sleeps that are too long (kern.timecounter.alloweddeviation)",
    .mechanism = "To save power the kernel may end a sleep late, also of real-time threads: the "
                 "longer the sleep, the later. Up to FreeBSD 14 this affects nanosleep, "
                 "clock_nanosleep and usleep; on all versions poll, select and kevent. The setting "
                 "is not a permitted drift between clocks, as is often written.",
    .cost = "power: timers that are close together no longer share one wake-up",
    .when_not = "laptops on battery that play no music. For programmers: a wait with a kqueue "
                "timer (EVFILT_TIMER), a condition variable or a semaphore is exact at any value "
                "of this setting.",
    .sources = "FreeBSD's source code: sys/kern/kern_tc.c, tc_adjprecision(); "
               "sys/kern/kern_time.c, kern_clock_nanosleep(); for periodic timers "
               "sys/kern/kern_clocksource.c, handleevents(), nextcallopt\n"
               "manual nanosleep(2) of FreeBSD 15 (kern.timecounter.nanosleep_precise), commit "
               "626ea75ed2e9\n"
               "measured on 13.2 and 15.1 with periods of 1.3 to 10 ms: programs that wake up "
               "regularly are as late as calculated, within 0.5 µs\n"
               "a limit that sleeptune chose: a problem from a quarter of the period on",
    .history = "11.1: sleeps of clock_nanosleep and nanosleep last too long with all clocks "
               "(sys/kern/kern_time.c of 11.1 to 14)\n"
               "15.0: they end on time with the usual clocks, unless nanosleep_precise is 0; waits "
               "in poll, select and kevent and with the _FAST clocks still last too long "
               "(nanosleep(2) of May 2025, commit 626ea75ed2e9)",
    ST_FREEBSD_SYSCTL_FIX("kern.timecounter.alloweddeviation", "0",
                          ST_FREEBSD_UNDO_SYSCTL("kern.timecounter.alloweddeviation", "5")),
    .worst = ST_STATUS_PROBLEM,
    .problem_share = 0.25,
    .facts = ST_RULE_KEYS(ST_KEY_FREEBSD_KERN_TIMECOUNTER_ALLOWEDDEVIATION,
                          ST_KEY_FREEBSD_KERN_TIMECOUNTER_NANOSLEEP_PRECISE,
                          ST_KEY_FREEBSD_KERN_EVENTTIMER_PERIODIC, ST_KEY_FREEBSD_KERN_HZ,
                          ST_KEY_FREEBSD_KERN_OSRELDATE),
    .judge_number = judge_alloweddeviation,
};

/* --- freebsd-eventtimer: does the event timer interrupt when a sleep ends, or only at clock ticks?
 * --- */

#define EVENT_TIMER "kern.eventtimer.timer"
#define SINGLEMUL   "freebsd.kern.eventtimer.singlemul"

/* flags of an event timer: sys/sys/timeet.h */
#define ET_ONESHOT 0x02
#define ET_PERCPU  0x04

/** Finds a timer that supports one-shot mode on each CPU. NULL: none. */
static const char *find_alternative(const struct st_facts *facts)
{
    ST_FACTS_EACH (fact, facts, ST_KEYS_FREEBSD_KERN_EVENTTIMER_ET, ".flags") {
        const char *name = st_fact_part(fact, ST_KEYS_FREEBSD_KERN_EVENTTIMER_ET);
        /* the name becomes part of a command that the user pastes, so it must be safe in a shell: a
         * capture may come from a stranger */
        if (fact->is_int && (fact->i64 & (ET_ONESHOT | ET_PERCPU)) == (ET_ONESHOT | ET_PERCPU) &&
            strlen(name) < 32 && st_text_is_of(name, "_-"))
            return name;
    }
    return NULL;
}

static void judge_periodic_eventtimer(int64_t flags, struct st_finding *finding)
{
    int64_t hz, mul;
    if (st_finding_need_in(finding, ST_KEY_FREEBSD_KERN_HZ, 1, ST_TICK_HZ_MAX, &hz) != 0 ||
        st_finding_need_int(finding, SINGLEMUL, &mul) != 0) {
        st_finding_advice(finding, "the event timer is periodic, so each sleep waits for the next "
                                   "tick; the length of a tick is unknown");
    } else {
        mul = st_tick_singlemul(hz, mul);
        const double tick_us = 1e6 / ((double)hz * (double)mul);
        st_finding_advice(
            finding,
            "the event timer is periodic: each sleep waits for the next tick, up to %.0f µs",
            tick_us);
        st_finding_effect(finding, tick_us,
                          "at most one clock tick: 1 / (hz %jd * singlemul %jd) = %.1f µs", hz, mul,
                          tick_us);
    }
    const char *other = find_alternative(finding->facts);
    if (flags < 0 || (flags & ET_ONESHOT) != 0)
        st_rule_fix(finding);
    else if (other != NULL)
        st_machine_fix_sysctl(finding, EVENT_TIMER, other);
}

static void judge_eventtimer(struct st_finding *finding, int64_t periodic)
{
    const char *timer = st_facts_text_or(finding->facts, ST_KEY_FREEBSD_KERN_EVENTTIMER_TIMER,
                                         "of this machine"),
               *key = st_text(ST_KEYS_FREEBSD_KERN_EVENTTIMER_ET "%.32s.flags", timer),
               *other = find_alternative(finding->facts);
    const int64_t flags = st_facts_int_or(finding->facts, key, -1),
                  cpus = st_facts_int_or(finding->facts, ST_KEY_FREEBSD_KERN_SMP_CPUS, 1);
    st_finding_quote_key(finding, key);
    if (periodic != 0) {
        judge_periodic_eventtimer(flags, finding);
    } else if (flags >= 0 && (flags & ET_PERCPU) == 0 && cpus > 1 && other != NULL) {
        st_finding_advice(
            finding,
            "%jd CPUs share the event timer %s, so a thread may wake up late, because another CPU "
            "must pass on its wake-up; with the event timer %s each CPU has its own",
            cpus, timer, other);
        st_machine_fix_sysctl(finding, EVENT_TIMER, other);
    } else if (flags < 0 && cpus > 1) {
        st_finding_unknown(finding,
                           "sleeps do not wait for a clock tick (event timer in one-shot mode); it "
                           "is unknown whether the %jd CPUs share one event timer",
                           cpus);
    } else {
        st_finding_fine(
            finding,
            "sleeps end on time, not only at clock ticks (the event timer %s is in one-shot mode)",
            timer);
    }
}

const struct st_rule st_rule_freebsd_eventtimer = {
    .id = "freebsd-eventtimer",
    .title = "Event timer mode (kern.eventtimer)",
    .mechanism = "In one-shot mode the kernel sets the event timer for the end of the next sleep. "
                 "In periodic mode the timer interrupts hz * singlemul times a second, and a sleep "
                 "can end only at one of these interrupts.",
    .cost = "none: one-shot is the default and saves power",
    .when_not =
        "the computer's one-shot timers are broken: then raise kern.eventtimer.singlemul instead",
    .sources = "manual eventtimers(4)\n"
               "FreeBSD's source code: sys/kern/kern_clocksource.c, setuptimer(), handleevents(); "
               "sys/sys/timeet.h (flags)\n"
               "a limit that sleeptune chose: a problem if a tick is at least half the period; it "
               "assumes stathz 127",
    .now = "sysctl kern.eventtimer.periodic=0",
    .persistent = "# /etc/sysctl.conf, and no kern.eventtimer.periodic in /boot/loader.conf\n"
                  "kern.eventtimer.periodic=0",
    .check = "sysctl kern.eventtimer.periodic kern.eventtimer.timer   # 0, and a timer for each "
             "CPU such as LAPIC",
    .undo =
        "take the line out of /etc/sysctl.conf. 0 is the default, so there is nothing else to undo",
    .worst = ST_STATUS_PROBLEM,
    .problem_share = 0.5,
    .facts =
        ST_RULE_KEYS(ST_KEY_FREEBSD_KERN_EVENTTIMER_PERIODIC, ST_KEY_FREEBSD_KERN_EVENTTIMER_TIMER,
                     ST_KEY_FREEBSD_KERN_EVENTTIMER_CHOICE, SINGLEMUL, ST_KEY_FREEBSD_KERN_HZ,
                     ST_KEY_FREEBSD_KERN_SMP_CPUS, ST_KEYS_FREEBSD_KERN_EVENTTIMER_ET "*"),
    .targets = ST_RULE_KEYS("kern.eventtimer.timer"),
    .changes = ST_RULE_CHANGES({ST_CHANGE_SYSCTL, "kern.eventtimer.periodic", "0"}),
    .judge_number = judge_eventtimer,
};

/* --- freebsd-hz: which waits depend on kern.hz, and which do not any more --- */

#define HZ_USUAL 1000

static void judge_hz(struct st_finding *finding, int64_t hz)
{
    int64_t periodic;
    if (st_facts_int(finding->facts, ST_KEY_FREEBSD_KERN_EVENTTIMER_PERIODIC, &periodic) != 0)
        st_finding_unknown(finding,
                           "whether sleeps last until the next clock tick is unknown: kern.hz is "
                           "%jd, but kern.eventtimer.periodic could not be read",
                           hz);
    else if (periodic != 0 && hz < HZ_USUAL)
        st_rule_advise(finding,
                       "kern.hz is %jd and the event timer is periodic, so sleeps are rounded up "
                       "to clock ticks; see 'sleeptune report freebsd-eventtimer' for the lateness",
                       hz);
    else if (periodic != 0)
        st_finding_fine(finding,
                        "kern.hz is %jd, which is enough; sleeps wait for clock ticks because of "
                        "the periodic event timer: see 'sleeptune report freebsd-eventtimer'",
                        hz);
    else
        st_finding_fine(finding,
                        "short sleeps do not depend on kern.hz (%jd), because the event timer is "
                        "one-shot; 'sleeptune report freebsd-alloweddeviation' judges long sleeps; "
                        "POSIX timers (timer_settime) may be up to two ticks (%.0f ms) late",
                        hz, 2e3 / (double)hz);
}

const struct st_rule st_rule_freebsd_hz = {
    .id = "freebsd-hz",
    .title = "Clock ticks (kern.hz)",
    .mechanism = "kern.hz is the number of clock ticks in a second. With a one-shot event timer "
                 "(the default) short sleeps do not depend on it. Three kinds of waits do: all "
                 "sleeps with a periodic event timer; POSIX timers, which are rounded up to ticks; "
                 "and long sleeps, if the kernel uses its coarse clock for them (see 'sleeptune "
                 "report freebsd-alloweddeviation').",
    .cost = "power: more clock interrupts",
    .when_not = "the event timer is in one-shot mode (the default). Do not set more than 2000: in "
                "2009 users reported larger sleep errors with that",
    .sources = "FreeBSD's source code: sys/kern/kern_clocksource.c, sys/kern/kern_tc.c\n"
               "measured on 13.2 with hz 100 and 1000: clock_nanosleep was equally late; a POSIX "
               "timer of 2.667 ms was 17.3 ms late with hz 100\n"
               "the default in virtual machines is 100, as seen on 13.2 and 15.1",
    .persistent = "# /boot/loader.conf\nkern.hz=\"1000\"",
    .needs = ST_NEEDS_REBOOT,
    .check = "sysctl kern.hz   # 1000",
    .undo = "take the line out of /boot/loader.conf and restart",
    .facts = ST_RULE_KEYS(ST_KEY_FREEBSD_KERN_HZ, ST_KEY_FREEBSD_KERN_EVENTTIMER_PERIODIC,
                          ST_KEY_FREEBSD_KERN_VM_GUEST),
    .changes = ST_RULE_CHANGES({ST_CHANGE_LOADER, "kern.hz", "1000"}),
    .least = 1,
    .most = INT64_MAX,
    .judge_number = judge_hz,
};

/* --- freebsd-timecounter: kern.timecounter.hardware: how long a clock read takes --- */

#define TIMECOUNTER_CHOICE "freebsd.kern.timecounter.choice"
#define FAST               "freebsd.kern.timecounter.fast_gettime"

/** A clock of kern.timecounter.choice: "TSC-low(1000) HPET(950) ..." */
struct counter {
    char name[24]; /* "": no counter */
    int quality;   /* the kernel's rating; negative: never chosen automatically */
};

/** Finds the counter with the highest quality whose name begins with `prefix`. If there is none,
 * returns a counter with the name "". */
static struct counter find_counter(const char *choice, const char *prefix)
{
    struct counter best = {.quality = INT_MIN}, one;
    for (const char *at = choice; (at = strstr(at, prefix)) != NULL; at++) {
        if ((at == choice || at[-1] == ' ') &&
            sscanf(at, "%23[A-Za-z0-9-](%9d)", one.name, &one.quality) == 2 &&
            one.quality > best.quality)
            best = one;
    }
    return best;
}

/** Judges a slow counter: is there a better one that the kernel trusts? */
static void judge_slow(const char *hardware, struct st_finding *finding)
{
    const char *choice = st_facts_text_or(finding->facts, TIMECOUNTER_CHOICE, "");
    const struct counter tsc = find_counter(choice, "TSC"), now = find_counter(choice, hardware);
    if (choice[0] == '\0') {
        st_finding_unknown(finding,
                           "the system clock is %s, which is slow to read; the list of other "
                           "clocks could not be read",
                           hardware);
    } else if (tsc.name[0] == '\0') {
        st_finding_ok(finding,
                      "the system clock is %s, which is slow to read; the faster clock TSC is not "
                      "available here",
                      hardware);
    } else if (tsc.quality <= 0 || now.quality > tsc.quality) {
        st_finding_ok(finding,
                      "the system clock is %s, which is slow to read. Do not change it: the kernel "
                      "trusts the TSC of this machine less (quality %d)",
                      hardware, tsc.quality);
    } else {
        st_finding_advice(
            finding,
            "the system clock is %s, which is slow to read; the clock %s (quality %d) is faster",
            hardware, tsc.name, tsc.quality);
        st_machine_fix_sysctl(finding, "kern.timecounter.hardware", tsc.name);
    }
}

static void judge_timecounter(struct st_finding *finding, const char *hardware)
{
    static const char *const fast_clocks[] = {"TSC",        "kvmclock", "Hyper-V-TSC",
                                              "ARM MPCore", "RISC-V",   NULL};
    static const char *const slow_clocks[] = {"HPET", "ACPI-", "i8254", "dummy", NULL};
    int64_t fast = 1;
    const int r = st_facts_int(finding->facts, FAST, &fast);
    if (st_text_begins_among(hardware, slow_clocks))
        judge_slow(hardware, finding);
    else if (!st_text_begins_among(hardware, fast_clocks))
        st_finding_unknown(finding,
                           "sleeptune does not know the system clock %.40s; 'sleeptune-lab "
                           "syscall' prints how long a clock read takes",
                           hardware);
    else if (fast == 0)
        st_finding_ok(finding,
                      "the system clock is %s, which is fast; see 'sleeptune report "
                      "freebsd-fast-gettime' for how programs read it",
                      hardware);
    else if (r != 0 && r != -ENOENT)
        st_finding_unknown(finding,
                           "the system clock is %s; it is unknown whether programs can read it "
                           "fast, without a system call (fast_gettime)",
                           hardware);
    else
        st_finding_fine(finding,
                        "the system clock is %s, which programs read fast (without a system call)",
                        hardware);
}

const struct st_rule st_rule_freebsd_timecounter = {
    .id = "freebsd-timecounter",
    .title = "System clock (timecounter): how fast programs can read it",
    .mechanism = "A program reads the clock several times in each cycle. It reads the CPU's own "
                 "counter (TSC) directly; HPET, ACPI and i8254 are chips behind a bus, and each "
                 "read may take about a microsecond or more.",
    .cost = "none, if the kernel trusts the TSC most (highest quality)",
    .when_not = "the kernel trusts the TSC less (lower quality) than the clock in use",
    .sources = "manual timecounters(4); FreeBSD's source code: sys/kern/kern_tc.c (quality, "
               "fast_gettime), sys/dev/acpica/acpi_hpet.c\n"
               "how long a clock read takes was not measured on FreeBSD; 'sleeptune-lab syscall' "
               "prints it for this machine",
    .now = "sysctl kern.timecounter.hardware=TSC-low",
    .persistent = "# /etc/sysctl.conf\nkern.timecounter.hardware=TSC-low",
    .check =
        "sysctl kern.timecounter.choice   # TSC-low with a number above 0: the kernel trusts it\n"
        "sysctl kern.timecounter.hardware",
    .undo = "take the line out of /etc/sysctl.conf and restart: the kernel chooses by itself",
    .facts = ST_RULE_KEYS("freebsd.kern.timecounter.hardware", TIMECOUNTER_CHOICE, FAST),
    .targets = ST_RULE_KEYS("kern.timecounter.hardware"),
    .judge_text = judge_timecounter,
};

/* --- freebsd-nanosleep-precise: the sysctl that stretches sleeps again on FreeBSD 15 --- */

static void judge_nanosleep_precise(struct st_finding *finding, int64_t precise)
{
    const int64_t percent =
        st_facts_int_or(finding->facts, ST_KEY_FREEBSD_KERN_TIMECOUNTER_ALLOWEDDEVIATION, 1);
    if (precise == 1)
        st_finding_fine(
            finding,
            "sleeps end on time (clock_nanosleep), whatever the value of alloweddeviation");
    else if (percent <= 0)
        st_finding_fine(
            finding,
            "sleeps end on time because alloweddeviation is %jd, although nanosleep_precise is 0",
            percent);
    else
        st_rule_advise(finding,
                       "nanosleep_precise is 0, so the kernel makes sleeps too long, as on FreeBSD "
                       "14; 'sleeptune report freebsd-alloweddeviation' shows by how much");
}

const struct st_rule st_rule_freebsd_nanosleep_precise = {
    .id = "freebsd-nanosleep-precise",
    .title = "Exact sleeps (kern.timecounter.nanosleep_precise)",
    .mechanism = "From FreeBSD 15.0 on, sleeps by nanosleep and clock_nanosleep on the usual "
                 "clocks end on time by default. With kern.timecounter.nanosleep_precise=0 the "
                 "kernel makes them too long again, by what alloweddeviation allows. Waits in "
                 "poll, select and kevent are too long with both values.",
    .cost = "power: the CPU wakes up more often, because fewer sleeps end together; FreeBSD 15 "
            "does so by default",
    .when_not = "laptops on battery that play no music",
    .sources =
        "manual nanosleep(2) of FreeBSD 15, commit 626ea75ed2e9, review D50075\n"
        "measured on 15.1 with a period of 2667 µs: with the value 1, threads woke up 6.4 to 6.8 "
        "µs late at any alloweddeviation; with 0 and alloweddeviation 5, 162.9 µs late",
    .history =
        "15.0: the setting is new, and on by default (nanosleep(2) of May 2025, commit "
        "626ea75ed2e9)\n"
        "15.1: programs built for older releases sleep exactly, too (measured with one of 13.2)",
    ST_FREEBSD_SYSCTL_BACK("kern.timecounter.nanosleep_precise", "1"),
    .facts = ST_RULE_KEYS(ST_KEY_FREEBSD_KERN_TIMECOUNTER_NANOSLEEP_PRECISE,
                          ST_KEY_FREEBSD_KERN_TIMECOUNTER_ALLOWEDDEVIATION,
                          ST_KEY_FREEBSD_KERN_OSRELDATE),
    .most = 1,
    .judge_number = judge_nanosleep_precise,
    .absent = "this kernel does not have the setting nanosleep_precise, which came with FreeBSD "
              "15.0: see 'sleeptune report freebsd-alloweddeviation'",
};

/* --- freebsd-fast-gettime: can programs read the clock without a system call? --- */

const struct st_rule st_rule_freebsd_fast_gettime = {
    .id = "freebsd-fast-gettime",
    .title = "Clock reads without a system call (fast_gettime)",
    .mechanism = "Programs read the clock several times in a cycle. With fast_gettime the C "
                 "library reads the timecounter itself, from a page that the kernel shares; "
                 "without fast_gettime each clock read enters the kernel.",
    .when_not = "never: fast_gettime=1 is the default and the best value",
    .sources = "FreeBSD's source code: sys/kern/kern_tc.c, sys/kern/kern_sharedpage.c; how long "
               "the system call takes was not measured",
    ST_FREEBSD_SYSCTL_BACK("kern.timecounter.fast_gettime", "1"),
    .facts = ST_RULE_KEYS(FAST),
    .cases = ST_RULE_CASES(
        {0, ST_STATUS_ADVICE,
         "fast_gettime is 0: programs must ask the kernel for each clock read, which is slow"},
        {0, ST_STATUS_OK,
         "programs can read the clock without a system call; 'sleeptune report "
         "freebsd-timecounter' judges the clock itself"}),
};
