/* FreeBSD: who may use real-time priority and lock memory. */
#include <strings.h>

#include "advisor/rules/machine.h"
#include "platform/proc.h"

/** How to give the members of group realtime the right to real-time priority, from FreeBSD 13.1 on:
 * until reboot, and permanently. */
#define MAC_PRIORITY_NOW(user) "kldload mac_priority\npw groupmod realtime -m " user
#define MAC_PRIORITY_EVER      "# /boot/loader.conf\nmac_priority_load=\"YES\""

/** The name of the user who plays, for a command that root pastes: the user of a live report;
 * "NAME" if that user is root or not known. */
static const char *user_name(const struct st_facts *facts)
{
    const char *name = st_facts_text_or(facts, ST_KEY_USER_NAME, "root");
    return !st_text_is(name, "root") && st_machine_is_plain(name) ? name : "NAME";
}

/* --- freebsd-rt-permission: May this user ask for a real-time priority (rtprio, SCHED_FIFO)?
 * --- */

#define REALTIME "freebsd.security.mac.priority.realtime"
#define NO_RIGHT " may not use real-time priority, so any busy program can delay the audio thread"

static void fix_rt_permission(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    st_rule_fix_with(finding, "NAME", user_name(facts));
    if (st_facts_has_int(facts, REALTIME)) {
        st_finding_fix(finding, NULL, NULL, ST_NEEDS_RELOGIN);
        st_finding_fix_now(finding, "%spw groupmod realtime -m %s",
                           st_facts_int_or(facts, REALTIME, 0) == 0
                               ? "sysctl security.mac.priority.realtime=1\n"
                               : "",
                           user_name(facts));
    }
}

/** Judges another user, for whom real-time priority cannot be tried, by that user's groups. */
static void judge_by_groups(const char *groups, struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    if (st_rule_say(
            finding,
            {st_machine_is_unread(facts, REALTIME), ST_STATUS_UNKNOWN,
             "sleeptune could not read whether mac_priority gives a group real-time priority"},
            {st_machine_is_root(facts), ST_STATUS_OK, "root may use real-time priority", NULL,
             true},
            {st_facts_int_or(facts, REALTIME, 0) == 1 && st_proc_has_word(groups, "realtime"),
             ST_STATUS_OK,
             st_text("user %s is in group realtime, which may use real-time priority",
                     user_name(facts)),
             NULL, true},
            {true, ST_STATUS_PROBLEM, st_text("user %s" NO_RIGHT, user_name(facts))}))
        fix_rt_permission(finding);
}

static void judge_rt_permission(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    int64_t error;
    const char *groups;
    const int r = st_finding_need_int(finding, ST_KEY_FREEBSD_RT_FIFO_ERRNO, &error);
    const bool may_know = r == -ENOENT || (r == -ENOMSG && st_facts_has(facts, REALTIME)),
               jailed = st_machine_is_jailed(facts);
    if (may_know && st_facts_text(facts, ST_KEY_USER_GROUPS, &groups) == 0)
        judge_by_groups(groups, finding);
    if (r != 0 ||
        !st_rule_say(finding,
                     {error == 0 && st_machine_is_root(facts), ST_STATUS_OK,
                      "the kernel gave root a real-time priority; other users may not get it: run "
                      "the report as the user who plays"},
                     {error == 0, ST_STATUS_OK, "the kernel gave this user a real-time priority"},
                     {error != EPERM, ST_STATUS_PROBLEM,
                      st_text("the kernel gave no real-time priority: %s", strerror((int)error))},
                     {true, ST_STATUS_PROBLEM,
                      jailed ? "users of this jail" NO_RIGHT : "this user" NO_RIGHT}))
        return;
    if (error == EPERM && jailed)
        st_finding_fix(finding, NULL,
                       "# no setting gives a jail this right: start the program on the host",
                       ST_NEEDS_NOTHING);
    else if (error == EPERM)
        fix_rt_permission(finding);
}

const struct st_rule st_rule_freebsd_rt_permission = {
    .id = "freebsd-rt-permission",
    .title = "Right to real-time priority (rtprio)",
    .mechanism =
        "A thread with a real-time priority (0 is the best, 31 the last) runs before every normal "
        "thread. Without it an audio thread may wait behind other threads, however long.",
    .cost = "fairness: a real-time thread that never sleeps keeps its CPU from all other threads",
    .when_not = "accounts that other people use",
    .sources =
        "manuals: rtprio(1), rtprio(2), mac_priority(4)\n"
        "sleeptune tries the right in a short-lived process; on 13.2 and 15.1 the kernel refused "
        "it to a normal user and gave it to members of group realtime with mac_priority loaded\n"
        "FreeBSD keeps SCHED_FIFO as rtprio of type FIFO, with priorities 0 to 31",
    .history = "13.1: the module mac_priority can give real-time priority to a group; before that "
               "only root had it (mac_priority(4))",
    .now = MAC_PRIORITY_NOW("NAME"),
    .persistent = MAC_PRIORITY_EVER,
    .needs = ST_NEEDS_RELOGIN,
    .check = "su -l NAME -c 'id; rtprio 10 true && echo granted'   # prints the group realtime, "
             "and: granted",
    .undo = "pw groupmod realtime -d NAME; take the line out of /boot/loader.conf, and kldunload "
            "mac_priority",
    .worst = ST_STATUS_PROBLEM,
    .facts =
        ST_RULE_KEYS(ST_KEY_FREEBSD_RT_FIFO_ERRNO, REALTIME, ST_KEY_FREEBSD_SECURITY_JAIL_JAILED,
                     ST_KEY_USER_UID, ST_KEY_USER_GROUPS, ST_KEY_USER_NAME),
    .of_user = true,
    .judge = judge_rt_permission,
};

/* --- freebsd-mac-priority: does mac_priority(4) give real-time priority to the members of a group?
 * --- */

#define GID          "freebsd.security.mac.priority.realtime_gid"
#define LOADER       "freebsd.loader.mac_priority_load"
#define KLD_LIST     "freebsd.rc.kld_list"
#define GID_REALTIME 47

static void judge_mac_priority(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    int64_t realtime = -1;
    const bool jailed = st_machine_is_jailed(facts);
    if (!jailed && st_finding_need_int(finding, REALTIME, &realtime) != 0 &&
        (finding->status != ST_STATUS_NOT_APPLICABLE || !st_facts_has(facts, REALTIME)))
        return;
    const int64_t gid = st_facts_int_or(facts, GID, GID_REALTIME);
    /* will the next boot load mac_priority? Counts as true if that could not be read */
    const bool is_kept = st_facts_text_or(facts, ST_KEY_FREEBSD_FILE_LOADER_CONF, NULL) == NULL ||
                         st_machine_is_unread(facts, KLD_LIST) ||
                         strcasecmp(st_facts_text_or(facts, LOADER, ""), "YES") == 0 ||
                         strstr(st_facts_text_or(facts, KLD_LIST, ""), "mac_priority") != NULL,
               needless = st_facts_int_or(facts, ST_KEY_FREEBSD_RT_FIFO_ERRNO, -1) == 0 &&
                          st_facts_int_or(facts, ST_KEY_USER_UID, 0) != 0;
    if (!st_rule_say(finding,
                     {jailed, ST_STATUS_NOT_APPLICABLE,
                      "a jail gives no real-time priority, also with mac_priority"},
                     {realtime < 0 && needless, ST_STATUS_OK,
                      "mac_priority is not loaded and not needed: this user gets real-time "
                      "priority without it"},
                     {realtime < 0, ST_STATUS_ADVICE,
                      "the module mac_priority is not loaded: only root gets real-time priority"},
                     {realtime == 0, ST_STATUS_ADVICE,
                      "mac_priority is loaded, but its part for real-time priority is switched "
                      "off: only root gets real-time priority"},
                     {true, ST_STATUS_OK,
                      st_text("members of group %jd%s may use real-time priority%s", gid,
                              gid == GID_REALTIME ? " (realtime)" : "",
                              is_kept ? ""
                                      : "; loader.conf does not load mac_priority, so they may "
                                        "lose this right at the next restart")}))
        return;
    if (realtime < 0)
        st_finding_fix(finding, st_text(MAC_PRIORITY_NOW("%s"), user_name(facts)),
                       MAC_PRIORITY_EVER, ST_NEEDS_RELOGIN);
    else
        st_finding_fix(finding, "sysctl security.mac.priority.realtime=1",
                       "# remove from /boot/loader.conf and /etc/sysctl.conf (1 is the default):\n"
                       "# security.mac.priority.realtime=0",
                       ST_NEEDS_NOTHING);
}

const struct st_rule st_rule_freebsd_mac_priority = {
    .id = "freebsd-mac-priority",
    .title = "Real-time priority for a group (mac_priority)",
    .mechanism = "The kernel module mac_priority gives the right to real-time priority to the "
                 "members of group realtime (gid 47). Without it only root has that right.",
    .cost = "fairness: members of the group can take a CPU for themselves",
    .when_not = "root starts the sound server with rtprio: then users need no such right",
    .sources = "manual mac_priority(4)\n"
               "tried on 13.2: with the module and the group a normal user may use rtprio\n"
               "FreeBSD's source code, sys/kern/kern_jail.c, prison_priv_check(): a jail does not "
               "allow PRIV_SCHED_RTPRIO",
    .history = "13.1: the module mac_priority is new (mac_priority(4))",
    .persistent = MAC_PRIORITY_EVER,
    .needs = ST_NEEDS_RELOGIN,
    .check = "kldstat -q -m mac_priority && echo loaded\n"
             "sysctl security.mac.priority.realtime   # 1",
    .undo = "pw groupmod realtime -d NAME; take the line out of /boot/loader.conf, and kldunload "
            "mac_priority",
    .facts = ST_RULE_KEYS(REALTIME, GID, LOADER, ST_KEY_FREEBSD_FILE_LOADER_CONF, KLD_LIST,
                          ST_KEY_FREEBSD_RT_FIFO_ERRNO, ST_KEY_FREEBSD_SECURITY_JAIL_JAILED,
                          ST_KEY_USER_UID, ST_KEY_USER_NAME),
    .judge = judge_mac_priority,
};

/* --- freebsd-memlock: how much memory a user may lock: limits of the login class and of the whole
 * machine
 * --- */

#define WIRED   "freebsd.vm.max_user_wired"
#define PAGE    "freebsd.hw.pagesize"
#define ALLOWED "freebsd.security.bsd.unprivileged_mlock"

#define LOGIN_CLASS(user)                                                                          \
    "# /etc/login.conf\naudio:\\\n    :memorylocked=unlimited:\\\n    :tc=default:\n"              \
    "# then\n" LOGIN_STEPS(user)
#define LOGIN_STEPS(user) "cap_mkdb /etc/login.conf\npw usermod " user " -L audio"

#define WAITS ", so an audio program may have to wait for the disk in the middle of a cycle"
#define MIB   (1024 * 1024)

/** The rule gives no advice from this limit on, which FreeBSD's login class daemon has. mlockall
 * counts the whole address space of a program. */
#define ENOUGH_BYTES (INT64_C(128) * MIB)
#define PAGE_MAX     (1 << 30)
#define PAGES_MAX    (INT64_MAX / PAGE_MAX)

/** Bytes that all users together may lock (vm.max_user_wired, which is in pages). -1: not known. */
static int64_t wired_bytes(const struct st_facts *facts)
{
    const int64_t pages = st_facts_int_or(facts, WIRED, -1),
                  page = st_facts_int_or(facts, PAGE, -1);
    if (pages < 0 || pages > PAGES_MAX || page < 1 || page > PAGE_MAX)
        return -1;
    return pages * page;
}

/** Sets the fix: the steps that are still needed. A login reads login.conf.db, which cap_mkdb makes
 * from login.conf. A user with a login class other than default and audio keeps that class, since
 * it may set other things. */
static void fix_user(struct st_finding *finding)
{
    const char *class = st_facts_text_or(finding->facts, ST_KEY_USER_CLASS, "default");
    const bool written = st_facts_int_or(finding->facts, ST_KEY_FREEBSD_LOGIN_AUDIO, 0) == 1,
               audio = st_text_is(class, "audio");
    if (written && audio) {
        st_finding_fix_persistent(finding, ST_NEEDS_RELOGIN, "cap_mkdb /etc/login.conf");
    } else if (!audio && !st_text_is(class, "default")) {
        st_finding_fix_persistent(
            finding, ST_NEEDS_RELOGIN,
            "# /etc/login.conf, in class %s, in place of the old memorylocked\n"
            "    :memorylocked=unlimited:\\\n# then\ncap_mkdb /etc/login.conf",
            st_machine_is_plain(class) ? class : "CLASS");
    } else {
        st_finding_fix_persistent(finding, ST_NEEDS_RELOGIN,
                                  written ? LOGIN_STEPS("%s") : LOGIN_CLASS("%s"),
                                  user_name(finding->facts));
    }
}

static void judge_memlock(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    int64_t limit;
    if (st_facts_int_or(facts, ST_KEY_FREEBSD_SECURITY_JAIL_MLOCK, 1) == 0) {
        st_finding_advice(finding, "this jail may not lock memory" WAITS);
        st_finding_fix_persistent(finding, ST_NEEDS_NOTHING,
                                  "# /etc/jail.conf on the host, in the jail's part\nallow.mlock;\n"
                                  "# then, on the host\nservice jail restart NAME");
        return;
    }
    const int r = st_finding_need_in(finding, ST_KEY_FREEBSD_LIMITS_MEMORYLOCKED_BYTES,
                                     ST_UNLIMITED, INT64_MAX, &limit);
    if (r == -ENOENT && st_facts_int_or(facts, ST_KEY_USER_UID, -1) > 0)
        st_finding_unknown(
            finding, "how much memory user %s may lock is unknown; run the report as that user",
            user_name(facts));
    if (r != 0)
        return;
    if (st_facts_int_or(facts, ALLOWED, 1) == 0 && !st_machine_is_root(facts)) {
        st_finding_advice(finding,
                          "only root may lock memory (unprivileged_mlock is 0), so an audio "
                          "program may have to wait for the disk in the middle of a cycle");
        st_finding_fix(finding, "sysctl security.bsd.unprivileged_mlock=1",
                       "# remove from /etc/sysctl.conf (1 is the default):\n# "
                       "security.bsd.unprivileged_mlock=0",
                       ST_NEEDS_NOTHING);
        return;
    }
    const int64_t wired = wired_bytes(facts);
    const bool by_machine = wired >= 0 && (limit == ST_UNLIMITED || wired < limit),
               root = st_machine_is_root(facts);
    const int64_t bytes = by_machine ? wired : limit == ST_UNLIMITED ? INT64_MAX : limit;
    const char *unread = st_machine_first_unread(facts, ST_RULE_KEYS(ALLOWED, WIRED, PAGE)),
               *whose = by_machine ? " (all users together)" : "";
    if (bytes >= ENOUGH_BYTES && unread != NULL) {
        st_finding_unknown(finding,
                           "this user's limit of locked memory is enough, but the setting %s, "
                           "which may forbid locking, could not be read",
                           unread + strlen(ST_KEYS_FREEBSD));
    } else if (bytes >= ENOUGH_BYTES) {
        const char *amount = bytes == INT64_MAX ? "any amount of"
                                                : st_text("up to %.0f MiB of", (double)bytes / MIB);
        st_finding_fine(finding,
                        root ? "root may lock %s memory%s; for the user who plays add --user NAME"
                             : "this user may lock %s memory%s",
                        amount, whose);
    } else {
        const bool small = bytes < MIB;
        st_finding_advice(finding, "this user may lock only %.3g %s of memory%s" WAITS,
                          (double)bytes / (small ? 1024 : MIB), small ? "KiB" : "MiB", whose);
        if (by_machine)
            st_machine_fix_sysctl(
                finding, "vm.max_user_wired", /* a number of pages */
                st_text("%jd", 4 * ENOUGH_BYTES / st_facts_int_or(facts, PAGE, 4096)));
        else
            fix_user(finding);
    }
}

const struct st_rule st_rule_freebsd_memlock = {
    .id = "freebsd-memlock",
    .title = "Limit of locked memory",
    ST_MACHINE_MEMLOCK,
    .when_not = "machines that others use, too: set a size instead of 'unlimited'. If the user has "
                "a login class of their own ('pw usershow NAME', field 5), put memorylocked there",
    .sources = "manuals: login.conf(5) (memorylocked), mlockall(2), limits(1), jail(8) "
               "(allow.mlock); for vm.max_user_wired: sysctl -d\n"
               "FreeBSD's source code, sys/vm/vm_mmap.c, sys_mlockall(): all memory of the program "
               "counts, and root has a limit, too\n"
               "login.conf of 13.2 and 15.1: 64 KiB in class default, 128 MiB in class daemon; "
               "sleeptune chose the larger one as its limit",
    .persistent = LOGIN_CLASS("NAME"),
    .needs = ST_NEEDS_RELOGIN,
    .check = "limits -l   # after a new login: infinity, or 131072 kB and more",
    .undo = "pw usermod NAME -L ''; take the class out of /etc/login.conf and run cap_mkdb "
            "/etc/login.conf",
    .facts = ST_RULE_KEYS(ST_KEY_FREEBSD_LIMITS_MEMORYLOCKED_BYTES, WIRED, PAGE, ALLOWED,
                          ST_KEY_USER_UID, ST_KEY_USER_NAME, ST_KEY_USER_CLASS,
                          ST_KEY_FREEBSD_LOGIN_AUDIO, ST_KEY_FREEBSD_SECURITY_JAIL_MLOCK),
    .targets = ST_RULE_KEYS("vm.max_user_wired"),
    .of_user = true,
    .judge = judge_memlock,
};

/* --- freebsd-jail: inside a jail the settings are those of the host --- */

const struct st_rule st_rule_freebsd_jail = {
    .id = "freebsd-jail",
    .title = "Do these settings belong to this system? (jail)",
    .mechanism = "A jail shows the host's sysctls, but can change almost none of them. It sees "
                 "only the devices that its devfs rules allow. Its threads run like all other "
                 "threads, but the host may refuse them real-time priority.",
    .privilege = "root of the host",
    .cost = "none, but a jail with sound devices can use the microphone, too",
    .when_not = "the program does not need to be in a jail: then start it on the host",
    .sources = "manuals: jail(8), devfs.rules(5); for security.jail.jailed: sysctl -d",
    .persistent =
        "# on the host: run 'sleeptune report' and follow its advice\n"
        "# for sound in the jail: /etc/devfs.rules on the host, in the rules of the jail\n"
        "add path 'dsp*' unhide\n"
        "add path 'mixer*' unhide",
    .check = "sysctl security.jail.jailed   # 0 on the host",
    .undo = "take the lines out of /etc/devfs.rules on the host and run service devfs restart",
    .facts = ST_RULE_KEYS(ST_KEY_FREEBSD_SECURITY_JAIL_JAILED),
    .cases = ST_RULE_CASES(
        {0, ST_STATUS_OK, "this is not a jail: the settings belong to this system"},
        {0, ST_STATUS_ADVICE,
         "this is a jail: the settings belong to the host, and only root of the host can change "
         "them",
         "a jail uses the host's kernel, timers and scheduler, so it adds no lateness"}),
};
