/* How much memory a program may lock: its login class, and the machine's limit for all users. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define LIMIT   "freebsd.limits.memorylocked_bytes"
#define WIRED   "freebsd.vm.max_user_wired"
#define PAGE    "freebsd.hw.pagesize"
#define ALLOWED "freebsd.security.bsd.unprivileged_mlock"
#define UID     "user.uid"

#define LOGIN_CLASS(user)                                                                                    \
    "# /etc/login.conf\naudio:\\\n    :memorylocked=unlimited:\\\n    :tc=default:\n"                        \
    "# then\ncap_mkdb /etc/login.conf\npw usermod " user " -L audio"

#define UNLIMITED (-1)
#define MIB       (1024 * 1024)

/** What login class default has. mlockall counts the whole address space of a program. */
#define ENOUGH_BYTES (INT64_C(128) * MIB)

#define PAGE_MAX  (1 << 30)
#define PAGES_MAX (INT64_MAX / PAGE_MAX)

/** What all users together may lock, vm.max_user_wired pages. -1: not known. */
static int64_t wired_bytes(const struct st_facts *facts)
{
    const int64_t pages = st_machine_int_or(facts, WIRED, -1), page = st_machine_int_or(facts, PAGE, -1);
    if (pages < 0 || pages > PAGES_MAX || page < 1 || page > PAGE_MAX)
        return -1;
    return pages * page;
}

/** What limits the user beside the login class and could not be read; NULL: nothing. */
static const char *first_unread(const struct st_facts *facts)
{
    static const char *const keys[] = {ALLOWED, WIRED, PAGE};
    for (size_t i = 0; i < ST_ARRAY_LEN(keys); i++) {
        if (st_machine_is_unread(facts, keys[i]))
            return keys[i];
    }
    return NULL;
}

static void fix_user(const struct st_facts *facts, struct st_finding *finding)
{
    char persistent[256];
    snprintf(persistent, sizeof(persistent), LOGIN_CLASS("%s"), st_freebsd_user(facts));
    st_finding_fix(finding, NULL, persistent, ST_NEEDS_RELOGIN);
    st_finding_change(finding, ST_CHANGE_LOGIN_CLASS, "audio", "memorylocked=unlimited");
}

static void fix_machine(int64_t page, struct st_finding *finding)
{
    char now[96], persistent[96], value[24];
    const int64_t pages = 4 * ENOUGH_BYTES / page;
    snprintf(now, sizeof(now), "sysctl vm.max_user_wired=%" PRId64, pages);
    snprintf(persistent, sizeof(persistent), "# /etc/sysctl.conf (in pages)\nvm.max_user_wired=%" PRId64,
             pages);
    st_finding_fix(finding, now, persistent, ST_NEEDS_NOTHING);
    snprintf(value, sizeof(value), "%" PRId64, pages);
    st_finding_change(finding, ST_CHANGE_SYSCTL, "vm.max_user_wired", value);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t limit;
    (void)wish;
    if (st_finding_need_int(finding, facts, LIMIT, &limit) != 0) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                           "a limit belongs to a user, and this capture has none (the output of limits)");
        return;
    }
    if (limit < UNLIMITED) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "a limit of %" PRId64 " bytes cannot be", limit);
        return;
    }
    st_finding_quote(finding, facts, ALLOWED);
    st_finding_quote(finding, facts, WIRED);
    st_finding_quote(finding, facts, PAGE);
    if (st_machine_int_or(facts, ALLOWED, 1) == 0 && st_machine_int_or(facts, UID, -1) != 0) {
        st_finding_set(finding, ST_STATUS_ADVICE, "unprivileged_mlock is 0: only root may lock memory");
        st_finding_fix(
            finding, "sysctl security.bsd.unprivileged_mlock=1",
            "# remove from /etc/sysctl.conf (1 is the default):\n# security.bsd.unprivileged_mlock=0",
            ST_NEEDS_NOTHING);
        return;
    }
    const int64_t wired = wired_bytes(facts);
    const bool by_machine = wired >= 0 && (limit == UNLIMITED || wired < limit);
    const int64_t bytes = by_machine ? wired : limit;
    const char *unread = first_unread(facts);
    if ((bytes == UNLIMITED || bytes >= ENOUGH_BYTES) && unread != NULL) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "this user's own limit is enough, but %s, which may forbid it, could not be read",
                       unread + strlen("freebsd."));
    } else if (bytes == UNLIMITED) {
        st_finding_set(finding, ST_STATUS_OK, "memory may be locked without limit");
        st_finding_effect(finding, 0, "locked memory is not paged out");
    } else if (bytes >= ENOUGH_BYTES) {
        st_finding_set(finding, ST_STATUS_OK, "up to %.0f MiB may be locked%s", (double)bytes / MIB,
                       by_machine ? ", by all users together" : "");
        st_finding_effect(finding, 0, "locked memory is not paged out; a program of up to %.0f MiB fits",
                          (double)bytes / MIB);
    } else {
        const bool small = bytes < MIB;
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "only %.3g %s may be locked%s, so an audio program may wait for a page in the middle of a cycle",
            (double)bytes / (small ? 1024 : MIB), small ? "KiB" : "MiB",
            by_machine ? " by all users together" : "");
        if (by_machine)
            fix_machine(st_machine_int_or(facts, PAGE, 4096), finding);
        else
            fix_user(facts, finding);
    }
}

const struct st_rule st_rule_freebsd_memlock = {
    .id = "freebsd-memlock",
    .os = ST_OS_FREEBSD,
    .title = "Limit of locked memory",
    .mechanism =
        "Memory that is not locked can be paged out or not yet be there, and the thread that touches it "
        "waits for "
        "the disk; there is no upper bound for that. mlockall fails for a program larger than its limit.",
    .privilege = "root",
    .cost = "memory: what is locked is not available to others",
    .when_not = "shared machines: give a size rather than 'unlimited'",
    .sources =
        "login.conf(5) memorylocked, mlockall(2), limits(1); vm.max_user_wired: sysctl -d\n"
        "FreeBSD sys/vm/vm_mmap.c sys_mlockall(): the whole address space counts, and root's limit, too\n"
        "seen on 13.2 and 15.1: 128 MiB in login class default; the line is drawn there",
    .guide =
        {
            .persistent = LOGIN_CLASS("NAME"),
            .needs = ST_NEEDS_RELOGIN,
            .check = "limits -l   # after a new login: infinity, or 131072 kB and more",
            .undo = "pw usermod NAME -L ''; take the class out of /etc/login.conf and run cap_mkdb "
                    "/etc/login.conf",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){LIMIT, WIRED, PAGE, ALLOWED, UID, ST_FREEBSD_USER_NAME, NULL},
    .targets = (const char *const[]){"vm.max_user_wired", NULL},
    .judge = judge,
};
