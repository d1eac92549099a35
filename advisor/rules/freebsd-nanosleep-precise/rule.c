/* kern.timecounter.nanosleep_precise: FreeBSD 15's switch back to stretched sleeps. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define PRECISE   "freebsd.kern.timecounter.nanosleep_precise"
#define DEVIATION "freebsd.kern.timecounter.alloweddeviation"
#define OSRELDATE "freebsd.kern.osreldate"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t precise, percent;
    (void)wish;
    if (st_finding_need_int(finding, facts, PRECISE, &precise) != 0) {
        st_finding_quote(finding, facts, OSRELDATE);
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_set(
                finding, ST_STATUS_NOT_APPLICABLE,
                "this kernel has no such switch (it came with FreeBSD 15.0): alloweddeviation decides");
        return;
    }
    if (precise == 1) {
        st_finding_set(finding, ST_STATUS_OK, "clock_nanosleep ends on time, whatever alloweddeviation says");
        st_finding_effect(finding, 0, "nanosleep_precise = 1: the window has no width");
        return;
    }
    if (precise != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "nanosleep_precise is %" PRId64 ", neither 0 nor 1",
                       precise);
        return;
    }
    st_finding_quote(finding, facts, DEVIATION);
    if (st_facts_int(facts, DEVIATION, &percent) == 0 && percent <= 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "nanosleep_precise is 0, but alloweddeviation is %" PRId64
                       ", so sleeps are exact all the same",
                       percent);
        st_finding_effect(finding, 0, "alloweddeviation %" PRId64 ": less than 1 ns", percent);
        return;
    }
    st_finding_set(finding, ST_STATUS_ADVICE,
                   "nanosleep_precise is 0: sleeps are stretched as on FreeBSD 14; the µs are those of "
                   "freebsd-alloweddeviation, "
                   "counted there");
    st_finding_fix_usual(finding);
    st_finding_change(finding, ST_CHANGE_SYSCTL, "kern.timecounter.nanosleep_precise", "1");
}

const struct st_rule st_rule_freebsd_nanosleep_precise = {
    .id = "freebsd-nanosleep-precise",
    .os = ST_OS_FREEBSD,
    .title = "Exact sleeps (kern.timecounter.nanosleep_precise)",
    .mechanism =
        "From FreeBSD 15.0 on, nanosleep and clock_nanosleep on the usual clocks end on time by default. "
        "With "
        "kern.timecounter.nanosleep_precise=0 the kernel stretches them by alloweddeviation again; poll, "
        "select and kevent are stretched either way.",
    .privilege = "root",
    .cost = "power: the default of FreeBSD 15",
    .when_not = "machines that run on battery and play nothing",
    .sources = "nanosleep(2) of FreeBSD 15, commit 626ea75ed2e9, review D50075\n"
               "measured on 15.1: 6.4 to 6.8 µs late at any alloweddeviation with 1, 162.9 µs at 5 % with 0 "
               "(2667 µs)",
    .history = "15.0: the sysctl is new, and on (nanosleep(2) of May 2025, commit 626ea75ed2e9)\n"
               "15.1: programs built for older releases sleep exactly, too (measured with one of 13.2)",
    .guide =
        {
            .now = "sysctl kern.timecounter.nanosleep_precise=1",
            .persistent =
                "# remove from /etc/sysctl.conf (1 is the default):\n# kern.timecounter.nanosleep_precise=0",
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl kern.timecounter.nanosleep_precise   # 1",
            .undo = "nothing to undo: 1 is the default. sysctl kern.timecounter.nanosleep_precise=0 brings "
                    "the stretched sleeps of FreeBSD 14 back",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .first_version = "15.0",
    .facts = (const char *const[]){PRECISE, DEVIATION, OSRELDATE, NULL},
    .targets = (const char *const[]){"kern.timecounter.nanosleep_precise", NULL},
    .judge = judge,
};
