/* Linux: who may use real-time priority. */
#include "advisor/facts/place.h"
#include "advisor/rules/linux_kernel.h"
#include "advisor/rules/machine.h"

/* --- linux-rt-permission: the right to real-time priority, the setting that matters most --- */

static const char *beside_irqs(const struct st_facts *facts)
{
    return st_linux_kernel_has_irq_threads(facts)
               ? ", and the kernel's interrupt threads have priority 50"
               : "";
}

#define CUT_OFF "rtkit is installed, but programs cannot reach it: there is no D-Bus system bus"

/** Is rtkit installed, but not reachable for programs? */
static bool is_rtkit_cut_off(const struct st_facts *facts)
{
    return st_facts_has_int(facts, ST_KEY_RTKIT_INSTALLED) &&
           st_facts_has_int(facts, ST_KEY_RTKIT_NO_BUS) &&
           !st_facts_has_int(facts, ST_KEY_DAEMON_RTKIT_DAEMON);
}

/** Does rtkit give real-time priority to programs that ask? */
static bool has_rtkit(const struct st_facts *facts)
{
    return st_facts_has_int(facts, ST_KEY_DAEMON_RTKIT_DAEMON) ||
           (st_facts_has_int(facts, ST_KEY_RTKIT_INSTALLED) && !is_rtkit_cut_off(facts));
}

/** Judges a user without a limit for real-time priority, who may still get it from rtkit. Below 5
 * ms rtkit is not enough: interrupt threads have a higher priority than rtkit gives, and a short
 * cycle cannot wait for them. The 5 ms are a choice of these rules. @param who beginning of a
 * sentence: "this user may not use real-time priority". */
static void judge_without(struct st_finding *finding, const char *who)
{
    const bool rtkit = has_rtkit(finding->facts);
    const int64_t refused_n = st_facts_int_or(finding->facts, ST_KEY_RTKIT_REFUSED_N, 0);
    (void)st_rule_say(finding,
                      {rtkit && refused_n == 0 && st_rule_is_at_ease(finding), ST_STATUS_OK,
                       st_text("rtkit gives real-time priority to programs that ask for it, which "
                               "is enough for a period of %.1f ms",
                               st_rule_period_us(finding) / 1e3),
                       NULL, true},
                      {rtkit, ST_STATUS_ADVICE,
                       "this user gets real-time priority only through rtkit: sound servers ask "
                       "rtkit, most other programs do not"},
                      {true, ST_STATUS_PROBLEM,
                       st_text("%s, so any busy program can delay the audio thread%s", who,
                               is_rtkit_cut_off(finding->facts) ? ". " CUT_OFF : "")});
    /* also a finding that is ok gets the fix: a user may ask for this rule */
    st_machine_fix_user(finding);
}

static void judge_refused(int64_t error, int64_t priority, struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    const int64_t limit = st_facts_int_or(facts, ST_KEY_RT_RTPRIO_LIMIT, 0);
    const bool contained = st_place_container(facts) != NULL;
    if (limit > 0 && limit < priority && error == EPERM) {
        st_finding_advice(finding,
                          "real-time priority %jd was refused; this user's limit (rtprio) allows "
                          "only up to %jd%s",
                          priority, limit, beside_irqs(facts));
        st_machine_fix_user(finding);
    } else if (st_machine_is_root(facts) || limit == ST_UNLIMITED || limit >= priority) {
        st_finding_problem(
            finding, "real-time priority was refused (%s), although this user has the right: %s",
            strerror((int)error),
            contained ? "the container forbids it"
                      : "see 'sleeptune report linux-rt-group-sched'; a service may forbid "
                        "real-time priority, too (RestrictRealtime=, seccomp)");
        if (contained)
            st_finding_fix_persistent(
                finding, ST_NEEDS_NOTHING,
                "# start the container with\n--cap-add=SYS_NICE --ulimit rtprio=90");
    } else {
        judge_without(finding, "this user may not use real-time priority");
    }
}

/** Judges a user for whom SCHED_FIFO was not tried, by the limits that a login or a shell gives. */
static void judge_read(int64_t error, int64_t priority, struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    const char *name = st_facts_text_or(facts, ST_KEY_USER_NAME, "this user");
    const int64_t limit = st_facts_int_or(facts, ST_KEY_RT_RTPRIO_LIMIT, 0);
    const char *from = st_facts_text_or(facts, ST_KEY_USER_LIMITS_FROM, "");
    const bool files = st_text_is(from, ST_LIMITS_FROM_FILES),
               shell = files || st_text_is(from, "ulimit") || st_text_is(from, "rtcqs");
    const char *who = files   ? "in the shell that saved these files,"
                      : shell ? st_text("in the shell where %s ran,", from)
                              : "at login";
    if (error == 0 && st_machine_is_root(facts)) {
        st_finding_fine(
            finding, "%.40s is root, and root may use real-time priority (not tried here)", name);
    } else if (error == 0) {
        st_finding_fine(finding,
                        "%s %.40s gets the limit rtprio %s, which allows real-time priority %jd "
                        "(not tried here)",
                        who, name, limit == ST_UNLIMITED ? "unlimited" : st_text("%jd", limit),
                        priority);
    } else if (limit > 0) {
        st_finding_advice(finding,
                          "%s %.40s gets real-time priority only up to %jd (limit rtprio)%s", who,
                          name, limit, beside_irqs(facts));
        st_machine_fix_user(finding);
    } else if (shell && !(has_rtkit(facts) && finding->wish->period_ns >= ST_RULE_LONG_NS)) {
        st_finding_advice(finding,
                          "%s the limit rtprio is 0: unless root used that shell, programs get "
                          "real-time priority only from rtkit",
                          who);
        st_machine_fix_user(finding);
    } else {
        judge_without(
            finding,
            st_text("no configuration file gives %.40s real-time priority at login", name));
    }
}

/** Was SCHED_FIFO tried, by this process or by a login of another user? false: only limits were
 * read. */
static bool was_tried(const struct st_facts *facts)
{
    return st_text_is(st_facts_text_or(facts, ST_KEY_USER_LIMITS_FROM, ST_LIMITS_FROM_LOGIN),
                      ST_LIMITS_FROM_LOGIN);
}

static void judge_rt_permission(struct st_finding *finding, int64_t error)
{
    const int64_t priority =
        st_facts_int_or(finding->facts, ST_KEY_RT_FIFO_PRIORITY, ST_TRIED_PRIORITY);
    if (!was_tried(finding->facts))
        judge_read(error, priority, finding);
    else if (error == 0)
        st_finding_fine(
            finding, "real-time priority (SCHED_FIFO %jd) was granted to %s", priority,
            st_machine_is_root(finding->facts)
                ? "root; other users may not get it: run the report as the user who plays"
                : "this user");
    else
        judge_refused(error, priority, finding);
    if (finding->changes_n > 0 && !st_facts_has(finding->facts, ST_KEY_USER_LIMITS_FROM) &&
        st_place_container(finding->facts) == NULL && st_machine_right_at_login(finding->facts))
        st_machine_say_in_place(finding);
}

const struct st_rule st_rule_linux_rt_permission = {
    .id = "linux-rt-permission",
    .title = "Right to real-time priority",
    .mechanism =
        "A thread with real-time priority (SCHED_FIFO) runs as soon as it is due. A normal thread "
        "waits until busy programs leave a CPU free, however long. A user gets the right to "
        "real-time priority from the limit rtprio or from rtkit; root always has it.",
    .cost = "fairness: a program with this right can take a CPU for itself (the kernel keeps 5 % "
            "for others)",
    .when_not = "machines shared with users you do not trust. A limit of 90 is enough: 99 would be "
                "above the kernel's own threads.",
    .sources =
        "manuals: sched(7), limits.conf(5), systemd.exec(5) LimitRTPRIO=; rtkit-daemon "
        "--help (it gives at most priority 20)\n"
        "source code of PipeWire, src/modules/module-rt.c: without the right to a nice value "
        "of -11, it asks rtkit for real-time priority even if the limit rtprio allows it\n"
        "sleeptune tries the right in a short-lived process (sched_setscheduler(2))\n"
        "a limit that sleeptune chose: rtkit's priority is enough for periods from 5 ms on",
    .now =
        "# for this shell and the programs that it starts:\nsudo prlimit --pid $$ --rtprio=90:90",
    .persistent = ST_MACHINE_FIX_LIMITS
    "\n"
    "# services started by systemd, in the unit: LimitRTPRIO=90\n"
    "# or install rtkit and D-Bus: programs that ask get SCHED_RR, at most 20",
    .needs = ST_NEEDS_RELOGIN,
    .check = "ulimit -r   # after a new login: 90\n"
             "chrt -f 80 true && echo granted",
    .undo = ST_MACHINE_UNDO_LIMITS,
    .worst = ST_STATUS_PROBLEM,
    .facts = ST_RULE_KEYS(ST_MACHINE_RIGHT_AT_LOGIN, ST_MUSIC_COUNTED, ST_KEY_RT_FIFO_PRIORITY,
                          ST_KEY_USER_UID, ST_KEY_DAEMON_RTKIT_DAEMON, ST_KEY_RTKIT_INSTALLED,
                          ST_KEY_RTKIT_NO_BUS, ST_KEY_RTKIT_REFUSED_N, ST_KEY_USER_LIMITS_FROM,
                          ST_KEY_SYSTEM_CONTAINER, ST_LINUX_KERNEL_IRQ_THREAD_KEYS),
    .changes = ST_RULE_CHANGES({ST_CHANGE_LIMITS, ST_MACHINE_ANY_USER "- rtprio", "90"},
                               {ST_CHANGE_LIMITS, ST_MACHINE_ANY_USER "- nice", "-19"},
                               {ST_CHANGE_LIMITS, ST_MACHINE_ANY_USER "- memlock", "4194304"}),
    .of_user = true,
    .judge_number = judge_rt_permission,
};

/* --- linux-rt-group-sched: does real-time group scheduling refuse SCHED_FIFO although the limit
 * allows it?
 * --- */

#define CONFIG_DEFAULT "linux.config.RT_GROUP_SCHED_DEFAULT_DISABLED"

/** Does RT_GROUP_SCHED have no effect since boot? From 6.16 on, the boot option rt_group_sched=0 or
 * a default in the kernel's configuration switches it off. */
static bool off_at_boot(const struct st_facts *facts)
{
    const char *usual = st_facts_is(facts, CONFIG_DEFAULT, "y") ? "0" : "1";
    return st_text_is(st_machine_boot_option(facts, "rt_group_sched", usual), "0");
}

/** Is the limit rtprio alone a reason for the kernel to refuse SCHED_FIFO? */
static bool limit_refuses(const struct st_facts *facts)
{
    const int64_t limit = st_facts_int_or(facts, ST_KEY_RT_RTPRIO_LIMIT, INT64_MIN);
    return !st_machine_is_root(facts) && limit != ST_UNLIMITED &&
           limit < st_facts_int_or(facts, ST_KEY_RT_FIFO_PRIORITY, 1);
}

static void judge_rt_group_sched(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    const int64_t users_us = st_facts_int_or(facts, ST_KEY_CGROUP_USERS_RT_RUNTIME_US, -1),
                  runtime_us = st_facts_int_or(facts, ST_KEY_CGROUP_RT_RUNTIME_US, -1);
    int64_t error = 0;
    const char *config = "";
    const bool tried = st_facts_int(facts, ST_KEY_RT_FIFO_ERRNO, &error) == 0 && was_tried(facts);
    const int r = st_finding_need_text(finding, ST_KEY_CONFIG_RT_GROUP_SCHED, &config);
    /* cpu.rt_runtime_us of a control group shows that the kernel has RT_GROUP_SCHED, even if its
     * configuration is not known: only such a kernel has this file (kernel/sched/core.c,
     * cpu_legacy_files). */
    const bool no_config = r != 0 && users_us < 0 && runtime_us < 0,
               is_absent = finding->status == ST_STATUS_NOT_APPLICABLE;
    if (no_config && !(tried && error == 0) &&
        (!is_absent || (tried && (error != EPERM || limit_refuses(facts)))))
        return;
    if (st_rule_say(
            finding,
            {st_text_is(config, "n"), ST_STATUS_NOT_APPLICABLE,
             "this kernel has no real-time group scheduling, which could refuse real-time "
             "priority"},
            {r == 0 && !st_text_is(config, "y"), ST_STATUS_UNKNOWN,
             st_text("CONFIG_RT_GROUP_SCHED has a value that sleeptune does not understand: %.20s",
                     config)},
            {r == 0 && off_at_boot(facts), ST_STATUS_OK,
             "a boot option has switched real-time group scheduling off, so it refuses nothing"},
            {tried && error == 0, ST_STATUS_OK,
             "this user got real-time priority when sleeptune tried, so real-time group scheduling "
             "does no harm"},
            {no_config, ST_STATUS_UNKNOWN,
             "it is unknown whether this kernel has real-time group scheduling: its configuration "
             "was not found"},
            {!tried && users_us > 0, ST_STATUS_OK,
             st_text("users have a share of real-time CPU time (%jd µs), so real-time group "
                     "scheduling does not refuse them real-time priority",
                     users_us)},
            {!tried && users_us == 0, ST_STATUS_PROBLEM,
             "users have 0 µs of real-time CPU time (user.slice), so the kernel refuses them "
             "real-time priority"},
            {!tried, ST_STATUS_UNKNOWN,
             "this kernel has real-time group scheduling; it is unknown whether it refuses "
             "real-time priority. Run the report as the user who plays"},
            {error != EPERM, ST_STATUS_OK,
             "real-time priority is refused, but not because of real-time group scheduling: see "
             "'sleeptune report linux-rt-permission'",
             NULL, true},
            {runtime_us > 0, ST_STATUS_OK,
             st_text("real-time priority is refused, but not because of real-time group "
                     "scheduling: this program's control group has %jd µs of real-time CPU time",
                     runtime_us)},
            {runtime_us < 0 && limit_refuses(facts), ST_STATUS_UNKNOWN,
             "the kernel has real-time group scheduling, but already the limit rtprio refuses "
             "real-time priority: see 'sleeptune report linux-rt-permission' first"},
            {runtime_us == 0, ST_STATUS_PROBLEM,
             "the kernel refuses real-time priority, because the control group of this program has "
             "0 µs of real-time CPU time"},
            {true, ST_STATUS_PROBLEM,
             "real-time priority is refused although the limit rtprio allows it; this kernel has "
             "real-time group scheduling, which may be the cause"}))
        st_rule_fix(finding);
}

const struct st_rule st_rule_linux_rt_group_sched = {
    .id = "linux-rt-group-sched",
    .title = "Real-time group scheduling",
    .mechanism = "A kernel with CONFIG_RT_GROUP_SCHED gives each control group (cgroup) of "
                 "programs a budget of real-time CPU time, and a new group gets none. The kernel "
                 "then refuses real-time priority (SCHED_FIFO, EPERM) to programs in such a group, "
                 "even with the right limits and with rtkit.",
    .when_not =
        "machines whose administrator divides real-time CPU time between groups of programs",
    .sources = "Linux documentation: scheduler/sched-rt-group.rst; Linux source code: "
               "init/Kconfig, RT_GROUP_SCHED; systemd's README says to disable it\n"
               "the boot option rt_group_sched=: patches of M. Koutny, March 2025 "
               "(20250310170442.504716); in which release it came was not checked",
    .history = "6.16: the boot option rt_group_sched=0 switches it off (patches "
               "20250310170442.504716, Armbian issue 10218; the release was not checked)",
    .now = "# cgroup v1: for each group, from the top down to the group of the program:\necho "
           "950000 | sudo tee /sys/fs/cgroup/cpu/GROUP/cpu.rt_runtime_us",
    .persistent = "# Linux before 6.16: use a kernel without CONFIG_RT_GROUP_SCHED; from 6.16 "
                  "on:\n" ST_MACHINE_FIX_BOOT_OPTION(
                      "rt_group_sched=0") "\n"
                                          "# do not set kernel.sched_rt_runtime_us=-1: a real-time "
                                          "thread that never sleeps could hang the machine",
    .needs = ST_NEEDS_REBOOT,
    .check = "cat /proc/self/cgroup /sys/fs/cgroup/cpu/*/cpu.rt_runtime_us\n"
             "chrt -f 80 true && echo granted",
    .undo = ST_MACHINE_UNDO_BOOT_OPTION("rt_group_sched=0"),
    .worst = ST_STATUS_PROBLEM,
    .facts = ST_RULE_KEYS(ST_KEY_CONFIG_RT_GROUP_SCHED, CONFIG_DEFAULT, ST_KEY_RT_FIFO_ERRNO,
                          ST_KEY_RT_FIFO_PRIORITY, ST_KEY_RT_RTPRIO_LIMIT,
                          ST_KEY_CGROUP_RT_RUNTIME_US, ST_KEY_CGROUP_USERS_RT_RUNTIME_US,
                          ST_KEY_USER_UID, ST_KEY_USER_LIMITS_FROM, ST_KEY_CMDLINE),
    .judge = judge_rt_group_sched,
};

/* --- linux-rtkit: the daemon that gives real-time priority to programs that ask --- */

#define PRIORITY_DEFAULT 20 /* default of --max-realtime-priority in rtkit-daemon --help */

static void judge_rtkit(struct st_finding *finding, int64_t error)
{
    const struct st_facts *facts = finding->facts;
    const bool there = has_rtkit(facts);
    int64_t priority = PRIORITY_DEFAULT;
    const char *option =
        strstr(st_facts_text_or(facts, ST_KEY_RTKIT_COMMAND, ""), "--max-realtime-priority=");
    (void)sscanf(st_text_or(option, ""), "%*[^=]=%2jd", &priority);
    if (st_rule_say(
            finding,
            {error == 0, ST_STATUS_OK,
             "this user gets real-time priority without rtkit, so rtkit does not matter"},
            {!there && st_machine_is_unread(facts, ST_KEY_RTKIT_INSTALLED), ST_STATUS_UNKNOWN,
             "sleeptune could not read whether rtkit is installed"},
            {!there && st_facts_has(facts, ST_KEY_SYSTEM_LACKS), ST_STATUS_UNKNOWN,
             "the saved files do not show whether rtkit is installed"},
            {is_rtkit_cut_off(facts), ST_STATUS_NOT_APPLICABLE,
             CUT_OFF
             ". For other ways to real-time priority see 'sleeptune report linux-rt-permission'"},
            {!there, ST_STATUS_NOT_APPLICABLE,
             "rtkit is not installed; see 'sleeptune report linux-rt-permission' for other ways to "
             "real-time priority"},
            {st_facts_int_or(facts, ST_KEY_RTKIT_REFUSED_N, 0) > 0, ST_STATUS_ADVICE,
             "rtkit refused real-time priority to a program of this user"},
            {st_facts_int_or(facts, ST_KEY_RTKIT_FAILED_N, 0) > 0, ST_STATUS_ADVICE,
             "rtkit has failed since this computer was started, as the system's log says, so "
             "programs may lack real-time priority"},
            {finding->wish->period_ns < ST_RULE_LONG_NS && priority < ST_MACHINE_IRQ_PRIORITY &&
                 st_linux_kernel_has_irq_threads(facts),
             ST_STATUS_ADVICE,
             st_text(
                 "rtkit gives programs only real-time priority %jd, below the kernel's interrupt "
                 "threads (50); for a period of %.1f ms a limit rtprio in limits.d is better",
                 priority, st_rule_period_us(finding) / 1e3)},
            {true, ST_STATUS_OK,
             st_text("rtkit gives programs that ask for it real-time priority (SCHED_RR) up to %jd",
                     priority),
             NULL, true}))
        st_machine_fix_user(finding);
}

const struct st_rule st_rule_linux_rtkit = {
    .id = "linux-rtkit",
    .title = "rtkit, the daemon that grants real-time priority",
    .mechanism = "Desktop programs ask rtkit over D-Bus when the limits give them no real-time "
                 "priority. rtkit gives them a low real-time priority (SCHED_RR), if they promise "
                 "never to compute for more than 200 ms without a sleep. If a test thread of rtkit "
                 "gets no CPU time, rtkit takes the priority away from all programs.",
    .when_not = "rtkit is enough if your periods are 5 ms or more, or if interrupts have no "
                "threads; it is not needed if your limits allow real-time priority",
    .sources = "rtkit-daemon --help of version 0.13: priority at most 20 (SCHED_RR), at most "
               "200000 µs without a sleep, 25 threads for each user\n"
               "PipeWire's module-rt tries the user's limits first, then the portal, then rtkit\n"
               "a limit that sleeptune chose: rtkit is enough for periods from 5 ms on",
    .persistent = ST_MACHINE_FIX_LIMITS,
    .needs = ST_NEEDS_RELOGIN,
    .check = ST_MACHINE_CHECK_LIMITS,
    .undo = ST_MACHINE_UNDO_LIMITS,
    .facts = ST_RULE_KEYS(ST_KEY_RT_FIFO_ERRNO, ST_KEY_DAEMON_RTKIT_DAEMON, ST_KEY_RTKIT_INSTALLED,
                          ST_KEY_RTKIT_NO_BUS, ST_KEY_RTKIT_COMMAND, ST_KEY_RTKIT_FAILED_N,
                          ST_KEY_RTKIT_REFUSED_N, ST_KEY_USER_NAME, ST_KEY_PAM_MISSING,
                          ST_LINUX_KERNEL_IRQ_THREAD_KEYS),
    .of_user = true,
    .judge_number = judge_rtkit,
};

/* --- linux-audio-group: the group whose members may use real-time priority --- */

#define LIMITS ST_KEYS_LIMITS "@"

static void advise(struct st_finding *finding, const struct st_fact *limit, bool member)
{
    const char *group = st_fact_part(limit, LIMITS);
    st_finding_quote(finding, limit);
    st_finding_quote_key(finding, st_text(ST_KEYS_GROUP "%s", group));
    st_finding_advice(
        finding,
        member ? "this user is in group %.40s, which may use real-time priority %jd, but this "
                 "session does not have the right yet"
               : "this user is not in group %.40s, which may use real-time priority %jd here",
        group, ST_MIN(st_machine_limit(limit), 99));
    if (member)
        st_finding_fix_persistent(finding, ST_NEEDS_RELOGIN, ST_MACHINE_FIX_LOG_IN);
    else
        st_rule_fix_with(finding, "audio", st_machine_is_plain(group) ? group : "GROUP");
}

static void judge_audio_group(struct st_finding *finding, int64_t error)
{
    const struct st_facts *facts = finding->facts;
    const struct st_fact *best = NULL;
    const char *groups;
    bool member = false;
    int64_t highest = 0;
    const bool has_pam = !st_facts_has_int(facts, ST_KEY_PAM_MISSING);
    if (error != 0 && has_pam && st_finding_need_text(finding, ST_KEY_USER_GROUPS, &groups) != 0) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_unknown(finding,
                               "the saved files do not show which user plays: add --user NAME");
        return;
    }
    ST_FACTS_EACH (fact, facts, LIMITS, ".rtprio") {
        const bool of_user = st_machine_is_in_group(fact);
        const int64_t priority = st_machine_limit(fact);
        if (priority >= ST_TRIED_PRIORITY && (of_user != member ? of_user : priority > highest)) {
            best = fact;
            member = of_user;
            highest = priority;
        }
    }
    const struct st_fact *line = st_facts_find(
                             facts, st_text(ST_KEYS_LIMITS "%s.rtprio",
                                            st_facts_text_or(facts, ST_KEY_USER_NAME, ""))),
                         *any = st_facts_find(facts, ST_KEY_LIMITS_ANY_RTPRIO);
    const bool fires = st_rule_say(
        finding,
        {error == 0, ST_STATUS_OK,
         "this user has the right to real-time priority, so the group does not matter"},
        {!has_pam, ST_STATUS_NOT_APPLICABLE,
         "this system has no PAM, so nothing reads the limits of groups"},
        {line != NULL && st_machine_limit(line) < ST_TRIED_PRIORITY, ST_STATUS_NOT_APPLICABLE,
         "a group does not help: a line of limits.conf for this user overrides the lines for "
         "groups; see 'sleeptune report linux-rt-permission'",
         line},
        {best != NULL, ST_STATUS_ADVICE, ""},
        {any != NULL && any->state == ST_FACT_UNREADABLE, ST_STATUS_UNKNOWN,
         "it is unknown which group may use real-time priority: not all limits in /etc/security "
         "could be read",
         any},
        {true, ST_STATUS_NOT_APPLICABLE,
         st_text("no group may use real-time priority %d on this machine; see 'sleeptune report "
                 "linux-rt-permission'",
                 ST_TRIED_PRIORITY)});
    if (fires)
        advise(finding, best, member);
}

const struct st_rule st_rule_linux_audio_group = {
    .id = "linux-audio-group",
    .title = "Group that may use real-time priority",
    .mechanism = "Distributions give the real-time limit to a group (audio, realtime, pipewire, "
                 "jackuser) in /etc/security/limits.d. A user who joins the group gets the limit "
                 "at the next login, if the login uses PAM.",
    .cost = "fairness: members can take a CPU for themselves. Members of audio can also use the "
            "microphone while a different user is logged in",
    .when_not = "the user may use real-time priority already: then no group is needed",
    .sources = "manuals: limits.conf(5), pam_limits(8), group(5)\n"
               "usual groups, by the package that makes them: audio (jackd2), realtime "
               "(realtime-privileges), pipewire (PipeWire)",
    .persistent = "sudo usermod -aG audio $USER",
    .needs = ST_NEEDS_RELOGIN,
    .check = "grep -r rtprio /etc/security/limits.conf /etc/security/limits.d   # which group has "
             "the limit\nid -nG   # after a new login: contains that group",
    .undo = "sudo gpasswd -d $USER audio",
    .facts = ST_RULE_KEYS(ST_KEY_RT_FIFO_ERRNO, ST_MACHINE_LIMIT_AT_LOGIN("rtprio")),
    .of_user = true,
    .judge_number = judge_audio_group,
};
