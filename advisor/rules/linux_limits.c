/* Linux: the limits of a user, a service and the kernel on real-time programs. */
#include "advisor/facts/place.h"
#include "advisor/rules/linux_kernel.h"
#include "advisor/rules/machine.h"
#include "core/text/safe.h"

/* --- linux-memlock: may a program lock its memory (RLIMIT_MEMLOCK), so that it is never paged out?
 * --- */

#define MIB (1024 * 1024)

/** The rule gives no advice from this limit on: it is enough for a synthesizer or a client of a
 * sound server. A DAW with samples needs more. The limit is a choice of this rule. */
#define ENOUGH_BYTES (INT64_C(256) * MIB)

/** With the usual limit of 8 MiB (systemd, Linux since 5.16) mlockall() fails in each program that
 * maps more. The rule gives no advice for a period of 5 ms or more, as long as no dropout was
 * counted. */
#define USUAL_BYTES (INT64_C(8) * MIB)

static void judge_memlock(struct st_finding *finding, int64_t limit)
{
    const double mib = (double)limit / MIB;
    /* usual: may this process probably lock more memory than its limit? Used if CAP_IPC_LOCK, the
     * capability that allows this, was not read: root has it, but not in every container */
    const bool small = limit < MIB, usual = st_machine_is_root(finding->facts) &&
                                            st_place_container(finding->facts) == NULL;
    const double shown = small ? (double)limit / 1024 : mib;
    const char *unit = small ? "KiB" : "MiB";
    if (limit == ST_UNLIMITED) {
        st_finding_fine(finding, "this user may lock any amount of memory, so audio programs need "
                                 "not wait for the disk");
    } else if (limit >= ENOUGH_BYTES) {
        st_finding_fine(
            finding,
            "this user may lock up to %.0f MiB of memory, which is enough for audio programs", mib);
    } else if (limit >= USUAL_BYTES && st_rule_is_at_ease(finding)) {
        st_finding_ok(finding,
                      "this user may lock %.4g %s of memory: too little for a whole program, but "
                      "that seldom matters with a period of %.1f ms",
                      shown, unit, st_rule_period_us(finding) / 1e3);
    } else if (st_facts_int_or(finding->facts, ST_KEY_RT_IPC_LOCK, usual) != 0) {
        st_finding_fine(finding,
                        "this report ran with the right to lock any amount of memory, as root "
                        "does; other programs may lock only %.4g %s: run it as the user who plays",
                        shown, unit);
    } else {
        st_finding_advice(finding,
                          "this user may lock only %.4g %s of memory, so an audio program may have "
                          "to wait for the disk in the middle of a cycle",
                          shown, unit);
        if (st_place_container(finding->facts) != NULL) {
            st_finding_fix_persistent(
                finding, ST_NEEDS_NOTHING,
                "# start the container with\n--cap-add=IPC_LOCK --ulimit memlock=-1");
            return;
        }
        st_machine_fix_user(finding);
        if (!st_facts_has(finding->facts, ST_KEY_USER_LIMITS_FROM) &&
            st_machine_limit_at_login(finding->facts, "memlock") >= ENOUGH_BYTES / 1024)
            st_machine_say_in_place(finding);
    }
}

const struct st_rule st_rule_linux_memlock = {
    .id = "linux-memlock",
    .title = "Limit of locked memory",
    ST_MACHINE_MEMLOCK,
    .when_not =
        "others use this computer, too, and it has little memory: then choose a lower limit",
    .sources = "manuals: mlock(2), getrlimit(2), limits.conf(5), systemd.exec(5) LimitMEMLOCK=\n"
               "PipeWire's package gives 4194304 KiB (4 GiB), the package jackd2 'unlimited'\n"
               "limits that sleeptune chose: 256 MiB are enough; 8 MiB for periods of 5 ms or more "
               "without a dropout",
    .now = "# for this shell and the programs that it starts:\nsudo prlimit --pid $$ "
           "--memlock=4294967296:4294967296",
    .persistent = "# /etc/security/limits.d/90-sleeptune.conf (KiB: 4 GiB)\n" ST_MACHINE_ANY_USER
                  "- memlock 4194304\n"
                  "# services started by systemd, in the unit: LimitMEMLOCK=4G",
    .needs = ST_NEEDS_RELOGIN,
    .check = "ulimit -l   # after a new login: 4194304, in KiB",
    .undo = ST_MACHINE_UNDO_LIMITS,
    .facts = ST_RULE_KEYS(ST_KEY_RT_MEMLOCK_LIMIT_BYTES, ST_MUSIC_COUNTED, ST_KEY_RT_IPC_LOCK,
                          ST_KEY_USER_UID, ST_KEY_USER_LIMITS_FROM,
                          ST_MACHINE_LIMIT_AT_LOGIN("memlock"), ST_KEY_SYSTEM_CONTAINER),
    .changes = ST_RULE_CHANGES({ST_CHANGE_LIMITS, ST_MACHINE_ANY_USER "- memlock", "4194304"}),
    .least = ST_UNLIMITED,
    .most = INT64_MAX,
    .of_user = true,
    .judge_number = judge_memlock,
};

/* --- linux-cpu-quota: control groups whose programs may use only a part of a CPU --- */

#define CPU_MAX "/cpu.max"

/** Sets the fix of a group's quota. A unit's quota is set through the systemd that started the
 * unit: the system's or the user's. @param path of the group's cpu.max. */
static void fix_quota(struct st_finding *finding, const char *path)
{
    const char *word = st_safe_shell_word(path, ST_ROOM(1024));
    const char *group = st_text("%.*s", (int)(strlen(path) - strlen(CPU_MAX)), path);
    const char *unit = strrchr(group, '/') + 1, *user = strstr(group, "/user@");
    const bool is_unit = st_text_ends(unit, ".slice") || st_text_ends(unit, ".service"),
               of_user = user != NULL && user + 1 != unit;
    const char *unit_word = st_safe_shell_word(unit, ST_ROOM(1024));
    if (word != NULL)
        st_finding_fix_now(finding, "echo max | sudo tee %s", word);
    if (is_unit && unit_word != NULL)
        st_finding_fix_persistent(finding, ST_NEEDS_NOTHING, "%s set-property %s CPUQuota=",
                                  of_user ? "systemctl --user" : "sudo systemctl", unit_word);
    else
        st_finding_fix_persistent(
            finding, ST_NEEDS_NOTHING,
            "# start the program, or the container (--cpus), without its limit of CPU time");
}

static void judge_cpu_quota(struct st_finding *finding)
{
    const struct st_fact *least = NULL, *exempt = NULL, *free = NULL;
    ST_FACTS_EACH (fact, finding->facts, ST_KEYS_CPU_QUOTA, ".pct") {
        if (!fact->is_int)
            continue;
        if (fact->i64 < 0)
            free = fact;
        else if (st_facts_any(finding->facts, ST_KEYS_RT_THREAD, ".pid",
                              st_fact_part(fact, ST_KEYS_CPU_QUOTA)))
            exempt = fact; /* real-time threads have no quota: cpu.max "affects only processes under
                              the fair-class scheduler" (cgroup-v2.rst) */
        else if (least == NULL || fact->i64 < least->i64)
            least = fact;
    }
    const struct st_fact *fact = st_fact_or(least, st_fact_or(exempt, free));
    if (fact == NULL) {
        (void)!st_finding_need_int(finding, ST_KEYS_CPU_QUOTA "self.pct", NULL);
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_not_applicable(
                finding, "sleeptune found no group of programs (cgroup) with a limit of CPU time");
        return;
    }
    const char *name = st_fact_beside_text_or(fact, "name", "programs started here");
    st_finding_quote(finding, fact);
    if (fact == free) {
        st_finding_fine(finding, "programs started here have no limit of CPU time");
    } else if (fact == exempt) {
        st_finding_fine(
            finding,
            "%.40s may use %jd %% of a CPU, but this limit does not stop its real-time threads",
            name, fact->i64);
    } else {
        st_finding_advice(finding,
                          "%.40s may use %jd %% of a CPU (cpu.max); after that all its threads "
                          "without real-time priority stop for the rest of each %.0f ms",
                          name, fact->i64,
                          (double)st_fact_beside_int_or(fact, "period_us", 0) / 1e3);
        if (st_text_begins(st_text_or(fact->source, ""), "/sys/fs/cgroup/"))
            fix_quota(finding, fact->source);
    }
}

const struct st_rule st_rule_linux_cpu_quota = {
    .id = "linux-cpu-quota",
    .title = "Limit of CPU time",
    .mechanism = "A group of programs (cgroup) may have a limit of CPU time (CPUQuota= of systemd, "
                 "--cpus of containers). When its programs have used it up, all their threads but "
                 "real-time ones stop until new time is given, by default each 100 ms.",
    .cost = "fairness: the programs may use all CPUs",
    .when_not = "the limit is for programs that do not play",
    .sources = "Linux documentation: admin-guide/cgroup-v2.rst, cpu.max; manual "
               "systemd.resource-control(5), CPUQuota=\n"
               "sleeptune does not read control groups of version 1",
    .now = "echo max | sudo tee /sys/fs/cgroup/GROUP/cpu.max",
    .persistent = "# UNIT: user-1000.slice or the like; for a user's service: systemctl --user\n"
                  "sudo systemctl set-property UNIT CPUQuota=",
    .check = "cat /sys/fs/cgroup/user.slice/cpu.max /sys/fs/cgroup/user.slice/user-*/cpu.max   # "
             "max 100000",
    .undo = "with the name of the service for UNIT and its old limit for 50%: sudo systemctl "
            "set-property UNIT CPUQuota=50%",
    .facts = ST_RULE_KEYS(ST_KEYS_CPU_QUOTA "*.pct", ST_KEYS_CPU_QUOTA "*.name",
                          ST_KEYS_CPU_QUOTA "*.period_us", ST_KEYS_RT_THREAD "*.pid"),
    .judge = judge_cpu_quota,
};

/* --- linux-service-limits: audio programs that run as services, to which limits.d does not apply
 * --- */

#define RTPRIO                 "LimitRTPRIO=90"
#define SERVICE_LIMITS_MEMLOCK "LimitMEMLOCK=4G"

#define UNRESTRICTED "RestrictRealtime=no"

#define EVER(unit, lines)                                                                          \
    "# /etc/systemd/system/" unit ".service.d/90-sleeptune.conf\n[Service]\n" lines                \
    "\n# then\nsudo systemctl "                                                                    \
    "daemon-reload\nsudo systemctl restart " unit

enum fault { FAULT_NONE, FAULT_UNREAD, FAULT_LIMIT, FAULT_RESTRICTED };

static bool says_yes(const struct st_fact *program, const char *leaf)
{
    bool yes;
    return st_text_unit_boolean(st_fact_beside_text_or(program, leaf, ""), &yes) && yes;
}

/** What keeps a unit's program from real-time priority. @param program the fact of this program. */
static enum fault fault_of(const struct st_fact *program)
{
    /* a unit without User= runs as root */
    const char *user = st_fact_beside_text_or(program, "user", "");
    if (program->state != ST_FACT_OK)
        return FAULT_UNREAD;
    if (says_yes(program, "restrict_realtime"))
        return FAULT_RESTRICTED;
    const bool is_root = !says_yes(program, "dynamic_user") &&
                         (user[0] == '\0' || st_text_is(user, "root") || st_text_is(user, "0"));
    const char *nice = st_fact_beside_text_or(program, "cap_sys_nice", "");
    if (st_text_is(nice, "granted") || (is_root && !st_text_is(nice, "taken")) ||
        st_fact_beside_is(program, "policy", "fifo") || st_fact_beside_is(program, "policy", "rr"))
        return FAULT_NONE;
    const char *usual = st_facts_text_or(program->facts, ST_KEY_UNIT_DEFAULT_RTPRIO, "");
    int64_t soft; /* the soft limit in "95", "20:95" or "infinity" */
    if (st_text_unit_limit(st_fact_beside_text_or(program, "rtprio", usual), &soft) && soft != 0)
        return FAULT_NONE;
    return FAULT_LIMIT;
}

static void judge_service_limits(struct st_finding *finding)
{
    const struct st_fact *program = NULL; /* program of the unit with the worst fault */
    enum fault worst = FAULT_NONE;
    size_t units_n = 0;
    ST_FACTS_EACH (fact, finding->facts, ST_KEYS_UNIT, ".program") {
        units_n++;
        const enum fault fault = fault_of(fact);
        if (program == NULL || fault > worst) {
            program = fact;
            worst = fault;
        }
    }
    if (program == NULL) {
        st_finding_not_applicable(
            finding, "none of the services found in /etc/systemd/system starts an audio program");
        return;
    }
    st_finding_quote(finding, program);
    const char *unit = st_fact_part(program, ST_KEYS_UNIT);
    const bool plain = st_machine_is_plain(unit);
    const char *name = plain ? unit : "UNIT";
    switch (worst) {
    case FAULT_RESTRICTED:
        st_finding_problem(
            finding,
            "%.40s.service has RestrictRealtime=yes, so its program cannot get real-time priority",
            unit);
        st_finding_fix_persistent(finding, ST_NEEDS_NOTHING, EVER("%s", UNRESTRICTED), name, name);
        if (plain)
            st_finding_change(finding, ST_CHANGE_SYSTEMD, st_text("%s.service", unit),
                              UNRESTRICTED);
        break;
    case FAULT_LIMIT:
        st_finding_advice(
            finding,
            "%.40s.service runs without the right to real-time priority: it is not root and has no "
            "LimitRTPRIO=, and the limits in /etc/security do not apply to services",
            unit);
        st_rule_fix_with(finding, "UNIT", name);
        if (!plain)
            finding->changes_n = 0;
        break;
    case FAULT_UNREAD:
        st_finding_unknown(finding,
                           "sleeptune could not read %.40s.service, so whether it may use "
                           "real-time priority is unknown",
                           unit);
        break;
    case FAULT_NONE:
        st_finding_fine(finding, "%zu audio service%s may use real-time priority", units_n,
                        ST_PLURAL(units_n));
        break;
    }
}

const struct st_rule st_rule_linux_service_limits = {
    .id = "linux-service-limits",
    .title = "Audio services: right to real-time priority",
    .mechanism = "The limits in /etc/security apply to users who log in (PAM). A system service "
                 "has the limits in its unit, a file of systemd: without LimitRTPRIO= there its "
                 "program cannot get real-time priority; with RestrictRealtime=yes it never can.",
    .cost = "fairness: a program with real-time priority can keep others from a CPU",
    .when_not = "the program is a player with a buffer of some seconds",
    .sources =
        "manuals: systemd.exec(5) (LimitRTPRIO=, LimitMEMLOCK=, RestrictRealtime=, "
        "CPUSchedulingPolicy=, DynamicUser=, AmbientCapabilities=, CapabilityBoundingSet=); "
        "systemd-system.conf(5) (DefaultLimitRTPRIO=)\n"
        "systemd's source code: src/basic/parse-util.c, parse_boolean(); src/shared/conf-parser.c, "
        "config_parse_rlimit()\n"
        "a user's report: limits.d has no effect on a service (MPE-Sound-Module pull request 46)\n"
        "sleeptune reads only services in /etc/systemd/system, and packaged ones whose settings "
        "were changed there",
    .persistent = EVER("UNIT", RTPRIO "\n" SERVICE_LIMITS_MEMLOCK),
    .check = "systemctl show UNIT -p LimitRTPRIO -p LimitMEMLOCK -p RestrictRealtime   # 90, "
             "4294967296, no",
    .undo = "delete /etc/systemd/system/UNIT.service.d/90-sleeptune.conf, then run: sudo systemctl "
            "daemon-reload && sudo systemctl restart UNIT",
    .worst = ST_STATUS_PROBLEM,
    .changes = ST_RULE_CHANGES({ST_CHANGE_SYSTEMD, "UNIT.service", RTPRIO},
                               {ST_CHANGE_SYSTEMD, "UNIT.service", SERVICE_LIMITS_MEMLOCK}),
    .facts = ST_RULE_KEYS(ST_KEYS_UNIT "*.program", ST_KEYS_UNIT "*.user",
                          ST_KEYS_UNIT "*.dynamic_user", ST_KEYS_UNIT "*.rtprio",
                          ST_KEYS_UNIT "*.policy", ST_KEYS_UNIT "*.cap_sys_nice",
                          ST_KEYS_UNIT "*.restrict_realtime", ST_KEY_UNIT_DEFAULT_RTPRIO),
    .judge = judge_service_limits,
};

/* --- linux-rt-throttling: the kernel's protection against a real-time thread that never sleeps
 * --- */

#define PERIOD "linux.sysctl.kernel.sched_rt_period_us"

/** The kernel's default: real-time threads get 95 % of the time. */
#define SHARE_USUAL_PCT 95
#define PERIOD_USUAL_US 1000000

static void judge_rt_throttling(struct st_finding *finding, int64_t runtime)
{
    const char *groups = st_facts_text_or(finding->facts, ST_KEY_CONFIG_RT_GROUP_SCHED, NULL);
    const int server = st_linux_kernel_from(finding->facts, 6, 12);
    int64_t period = PERIOD_USUAL_US;
    if (st_facts_has(finding->facts, PERIOD) &&
        st_finding_need_in(finding, PERIOD, 1, INT64_MAX, &period) != 0)
        return;
    const double hole_ms = ((double)period - (double)runtime) / 1e3,
                 share_pct = 100 * (double)runtime / (double)period;
    const bool off = runtime == -1 || runtime == period, usual = share_pct >= SHARE_USUAL_PCT;
    if (st_rule_say(
            finding,
            {runtime < -1 || runtime > period, ST_STATUS_UNKNOWN,
             st_text("the kernel's limit for real-time threads, %jd µs of CPU time in %jd µs, is "
                     "not valid",
                     runtime, period)},
            /* since Linux 6.12 the kernel throttles only control groups that have real-time budgets
               (RT_GROUP_SCHED): commit "sched/rt: Remove default bandwidth control" */
            {server == 1 && (off || (groups != NULL ? !st_text_is(groups, "y") : usual)),
             ST_STATUS_OK,
             "this kernel does not stop real-time threads; it only keeps 5 % of each CPU for "
             "normal threads, unless root set another share (deadline server)"},
            {off && server < 0, ST_STATUS_UNKNOWN,
             "real-time throttling is off. This is harmless from Linux 6.12 on, but may hang an "
             "older kernel; the version of this one is unknown"},
            {off, ST_STATUS_ADVICE,
             "real-time throttling is off: a real-time thread that never sleeps keeps its CPU for "
             "ever and may hang the machine"},
            {!usual && server != 0 && groups == NULL, ST_STATUS_UNKNOWN,
             st_text("real-time threads may use %.1f %% of a CPU (usual: 95 %%); it is unknown "
                     "whether this kernel stops threads that use more: that depends on its version "
                     "and configuration",
                     share_pct)},
            {!usual, ST_STATUS_ADVICE,
             st_text("the kernel stops real-time threads for %.0f ms when they have used %.1f %% "
                     "of a CPU (usual: 95 %%)",
                     hole_ms, share_pct)},
            {true, ST_STATUS_OK,
             st_text("a real-time thread that uses more than %.1f %% of a CPU is stopped for up to "
                     "%.0f ms; an audio thread sleeps in each cycle, so the limit does not affect "
                     "audio",
                     share_pct, hole_ms)}))
        st_rule_fix(finding);
    /* the kernel refuses a runtime longer than the period: if the old runtime exceeds the new
     * period, the runtime is set first */
    if (runtime > PERIOD_USUAL_US && finding->changes_n == 2) {
        const struct st_change first = finding->changes[0];
        finding->changes[0] = finding->changes[1];
        finding->changes[1] = first;
        st_finding_fix_now(
            finding,
            "sudo sysctl kernel.sched_rt_runtime_us=950000 kernel.sched_rt_period_us=1000000");
    }
    if (off && st_finding_has_fired(finding))
        st_finding_effect(finding, 0, "sound does not get better without the throttling");
}

const struct st_rule st_rule_linux_rt_throttling = {
    .id = "linux-rt-throttling",
    .title = "Real-time throttling",
    .mechanism = "When real-time threads have used 95 % of a second on a CPU, the kernel stops "
                 "them for the rest of it, so that a thread that never sleeps does not hang the "
                 "machine. An audio thread that sleeps in each cycle does not reach this limit.",
    .cost = "none with the default values",
    .when_not =
        "special machines with isolated CPUs, where someone changed the limit on purpose. Before "
        "Linux 6.12 never set -1: a real-time thread that never sleeps can then hang the machine.",
    .sources = "Linux documentation: scheduler/sched-rt-group.rst; Linux source code: "
               "kernel/sched/rt.c (by default 950000 µs of each 1000000 µs)\n"
               "from Linux 6.12 on the kernel keeps CPU time for normal threads in another way, "
               "the deadline server (commits a110a81c52a9, 5f6bd380c7bd)",
    .history = "6.12: the kernel keeps a share of each CPU for normal threads (deadline server) "
               "and stops no real-time thread, except in control groups with a budget of real-time "
               "CPU time (CONFIG_RT_GROUP_SCHED; commit 5f6bd380c7bd)",
    .now = "sudo sysctl kernel.sched_rt_period_us=1000000 kernel.sched_rt_runtime_us=950000",
    .persistent = "# remove other values from /etc/sysctl.conf and /etc/sysctl.d, or write\n"
                  "# /etc/sysctl.d/90-sleeptune.conf\n"
                  "kernel.sched_rt_period_us = 1000000\n"
                  "kernel.sched_rt_runtime_us = 950000",
    .check = "sysctl kernel.sched_rt_runtime_us   # 950000",
    .undo = "nothing to undo: these values are the defaults",
    .facts = ST_RULE_KEYS("linux.sysctl.kernel.sched_rt_runtime_us", PERIOD, ST_KEY_KERNEL_RELEASE,
                          ST_KEY_CONFIG_RT_GROUP_SCHED),
    .changes = ST_RULE_CHANGES({ST_CHANGE_SYSCTL, "kernel.sched_rt_period_us", "1000000"},
                               {ST_CHANGE_SYSCTL, "kernel.sched_rt_runtime_us", "950000"}),
    .judge_number = judge_rt_throttling,
};
