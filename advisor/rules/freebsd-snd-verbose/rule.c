/* hw.snd.verbose: can underruns be seen at all? */
#include <inttypes.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define VERBOSE "freebsd.hw.snd.verbose"
#define SNDSTAT "freebsd.sndstat.pcm"

#define COUNTERS_FROM 2
#define VERBOSE_MAX   4
#define FIRST_SNDCTL  1500000

struct sum {
    struct st_finding *finding;
    const struct st_facts *facts;
    int64_t xruns;
};

static void see(void *ctx, const struct st_fact *fact)
{
    struct sum *sum = ctx;
    if (fact->state != ST_FACT_OK || !fact->is_int || fact->i64 <= 0 || sum->xruns > INT64_MAX - fact->i64)
        return;
    sum->xruns += fact->i64;
    st_finding_quote(sum->finding, sum->facts, fact->key);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t verbose;
    struct sum sum = {.finding = finding, .facts = facts};
    (void)wish;
    if (st_finding_need_int(finding, facts, VERBOSE, &verbose) != 0)
        return;
    if (verbose < 0 || verbose > VERBOSE_MAX) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "hw.snd.verbose %" PRId64 " is beyond the known range (0 to %d)", verbose,
                       VERBOSE_MAX);
        return;
    }
    st_finding_quote(finding, facts, ST_FREEBSD_OSRELDATE);
    st_facts_each(facts, SNDSTAT, ".xruns", see, &sum);
    if (verbose >= COUNTERS_FROM && sum.xruns > 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "/dev/sndstat counts underruns of open devices: %" PRId64 " when this was read",
                       sum.xruns);
    } else if (verbose >= COUNTERS_FROM) {
        st_finding_set(finding, ST_STATUS_OK, "/dev/sndstat counts underruns of open devices");
    } else if (st_machine_int_or(facts, ST_FREEBSD_OSRELDATE, 0) >= FIRST_SNDCTL) {
        st_finding_set(finding, ST_STATUS_OK,
                       "/dev/sndstat does not show underruns, but 'sndctl -v' does, at any verbosity");
    } else {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "underruns cannot be seen: /dev/sndstat shows them from verbosity 2 on, and it is %" PRId64,
            verbose);
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_SYSCTL, "hw.snd.verbose", "2");
    }
    st_finding_effect(finding, 0, "what is shown, not how it sounds");
}

const struct st_rule st_rule_freebsd_snd_verbose = {
    .id = "freebsd-snd-verbose",
    .os = ST_OS_FREEBSD,
    .title = "Are underruns visible? (hw.snd.verbose)",
    .mechanism =
        "The kernel counts underruns for each open channel. /dev/sndstat shows the counters from verbosity 2 "
        "on, "
        "on the line of the virtual channel when there is one; they begin at 0 with each start of a stream.",
    .privilege = "root",
    .cost = "none",
    .when_not = "from 15.0 on, where 'sndctl -v' shows them, too",
    .sources =
        "sound(4) (hw.snd.verbose, statistics), sndctl(8)\n"
        "measured on 13.2 and 15.1: one underrun for each missed fragment, also when a program just stops "
        "writing; SNDCTL_DSP_GETERROR clears the counter",
    .history = "15.0: sndctl -v shows the counters at any verbosity (sndctl(8))",
    .guide =
        {
            .now = "sysctl hw.snd.verbose=2",
            .persistent = "# /etc/sysctl.conf\nhw.snd.verbose=2",
            .needs = ST_NEEDS_NOTHING,
            .check = "cat /dev/sndstat   # underruns is among the words while something plays",
            .undo = "take the line out of /etc/sysctl.conf; sysctl hw.snd.verbose=0, the default, for now",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){VERBOSE, ST_FREEBSD_OSRELDATE, SNDSTAT "*", NULL},
    .targets = (const char *const[]){"hw.snd.verbose", NULL},
    .judge = judge,
};
