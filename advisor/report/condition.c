/* Findings that depend on one fact that was not read. */
#include "advisor/report/condition.h"

#include "core/text/text.h"

#include <fnmatch.h>

#define VALUES_MAX 2

/** A fact of which few values are usual. Defaults: those of the kernels that the rules name as their
 * sources. */
struct premise {
    const char *key;
    const char *ask; /* the command that shows it */
    bool all;        /* it has no other values: where they agree, the finding is certain */
    struct {
        const char *when, *value;
        const char *and_key, *and_value; /* what comes with it; NULL: nothing */
    } values[VALUES_MAX];
    const char *rule;    /* only for this one; NULL: for each rule that lists the key */
    bool default_counts; /* usually a fact is asked for only if it is not the rule's subject (its first fact),
                            and the subject is known. This one may be the subject, if another fact of the rule
                            is known: its default says enough */
};

static const struct premise premises[] = {
    {ST_KEY_FREEBSD_KERN_OSRELDATE,
     "sysctl kern.osreldate",
     true,
     {{"on FreeBSD 14 and older", "1400000"},
      {"on FreeBSD 15", "1500000", ST_KEY_FREEBSD_KERN_TIMECOUNTER_NANOSLEEP_PRECISE, "1"}}},
    {ST_KEY_FREEBSD_KERN_TIMECOUNTER_NANOSLEEP_PRECISE,
     "sysctl kern.timecounter.nanosleep_precise",
     true,
     {{"with nanosleep_precise 0", "0"}, {"with 1, the default", "1"}}},
    {ST_KEY_FREEBSD_KERN_TIMECOUNTER_ALLOWEDDEVIATION,
     "sysctl kern.timecounter.alloweddeviation",
     false,
     {{"with alloweddeviation 5, the default", "5"}, {"with 0", "0"}},
     .default_counts = true},
    {ST_KEY_FREEBSD_KERN_EVENTTIMER_PERIODIC,
     "sysctl kern.eventtimer.periodic",
     true,
     {{"with a periodic event timer", "1"}, {"with a one-shot one, the default", "0"}}},
    {ST_KEY_FREEBSD_KERN_HZ,
     "sysctl kern.hz",
     false,
     {{"with kern.hz 100", "100"}, {"with kern.hz 1000", "1000"}}},
    {ST_KEY_FREEBSD_HW_SND_LATENCY_PROFILE,
     "sysctl hw.snd.latency_profile",
     true,
     {{"with latency_profile 1, the default", "1"}, {"with 0", "0"}}},
    {ST_KEY_FREEBSD_POWERD_RUNNING,
     "service powerd status",
     true,
     {{"with powerd", "1"}, {"without it", "0"}}},
    {ST_KEY_CMDLINE,
     "cat /proc/cmdline",
     true,
     {{"without threadirqs on the kernel command line", ""}, {"with it", "threadirqs"}},
     "linux-threaded-irqs"},
    {ST_KEY_CMDLINE,
     "cat /proc/cmdline",
     true,
     {{"with highres=off on the kernel command line", "highres=off"}, {"without it", ""}},
     "linux-high-res-timers"},
    {ST_KEY_PREEMPT_DEBUGFS,
     "sudo cat /sys/kernel/debug/sched/preempt",
     false,
     {{"in the mode none or voluntary", "(none or voluntary)"},
      {"in the mode full or lazy", "(full or lazy)"}}},
    {ST_KEY_RT_FIFO_ERRNO,
     "chrt -f 10 true   # as the user who plays",
     true,
     {{"without the right to real-time priority", "1"}, {"with it", "0"}}},
    {ST_KEY_CONFIG_RT_GROUP_SCHED,
     "grep RT_GROUP_SCHED= /boot/config-$(uname -r)",
     true,
     {{"with real-time group scheduling", "y"}, {"without it", "n"}}},
    {ST_KEY_KERNEL_RELEASE,
     "uname -a",
     true,
     {{"on Linux 6.11 and older", "6.11.0"},
      {"on 6.12 and newer", "6.12.0", ST_KEY_CONFIG_RT_GROUP_SCHED, "n"}},
     "linux-rt-throttling"},
    {ST_KEY_SWAP_OTHER_N,
     "swapon --show",
     false,
     {{"with swap on a disk", "1", ST_KEY_SWAP_ZRAM_N, "0"},
      {"with zram or no swap", "0", ST_KEY_SWAP_ZRAM_N, "1"}}},
    {ST_KEY_THP_DEFRAG,
     "cat /sys/kernel/mm/transparent_hugepage/defrag",
     false,
     {{"with defrag always", "[always]"}, {"with madvise, the default", "[madvise]"}}},
};

/** Does this finding miss this fact, and not what the rule is about, its first fact? */
static bool is_missing(const struct st_finding *finding, const struct premise *premise)
{
    const struct st_rule *rule = finding->rule;
    const struct st_fact *fact = st_facts_find(finding->facts, premise->key);
    bool listed = false, known = false;
    for (size_t i = 0; rule->facts[i] != NULL; i++) {
        const bool is_it = fnmatch(rule->facts[i], premise->key, 0) == 0;
        listed = listed || (is_it && (i > 0 || premise->default_counts));
        for (size_t f = 0; f < finding->facts->n && !known && !is_it && (i == 0 || premise->default_counts);
             f++)
            known = fnmatch(rule->facts[i], finding->facts->rows[f]->key, 0) == 0;
    }
    return (premise->rule == NULL || st_text_is(premise->rule, rule->id)) && listed && known &&
           (fact == NULL || fact->state == ST_FACT_UNREADABLE);
}

/** @return 0 or -ENOMEM. */
static int judge_with(const struct st_finding *finding, const struct st_wish *wish,
                      st_condition_judge_fn judge, const struct premise *premise, size_t i,
                      struct st_finding *ret)
{
    struct st_facts both, *assumed = st_facts_new(finding->facts->os);
    int r = assumed == NULL
                ? -ENOMEM
                : st_facts_put_text(assumed, premise->key, premise->values[i].value, NULL, premise->ask);
    if (r == 0 && premise->values[i].and_key != NULL)
        r = st_facts_put_text(assumed, premise->values[i].and_key, premise->values[i].and_value, NULL,
                              premise->ask);
    if (r == 0)
        r = st_facts_overlay(finding->facts, assumed, &both);
    if (r == 0) {
        judge(finding->rule, &both, wish, ret);
        free(both.rows);
    }
    st_facts_free(assumed);
    ret->facts = finding->facts;
    ret->evidence_n = 0; /* it may be what was assumed */
    ret->when = premise->values[i].when;
    return r == 0 && ret->summary == NULL ? -ENOMEM : r;
}

static int by_harm(const void *left, const void *right)
{
    const struct st_finding *a = left, *b = right;
    const int order = st_finding_by_status(a, b);
    return order != 0 ? order : (a->effect_us < b->effect_us) - (a->effect_us > b->effect_us);
}

static bool same(const char *left, const char *right)
{
    return left == right || (left != NULL && right != NULL && st_text_is(left, right));
}

static bool has_reading(const struct st_finding *finding)
{
    size_t n = 0;
    ST_EACH_OF (quoted, finding->evidence, finding->evidence_n)
        n += (*quoted)->state == ST_FACT_OK;
    return n > 0;
}

/** Whatever the fact is: nothing to change, or the same change. Where the worst is "not applicable", a second
 * fact may be missing. */
static bool do_agree(const struct st_finding *finding, const struct premise *premise,
                     const struct st_finding *branches, size_t n)
{
    const struct st_finding *worst = &branches[0], *other = &branches[n - 1];
    if (!premise->all || n < VALUES_MAX || worst->status == ST_STATUS_NOT_APPLICABLE || !has_reading(finding))
        return false;
    return !st_finding_has_fired(worst) ||
           (worst->status == other->status && same(worst->fix_now, other->fix_now) &&
            same(worst->fix_persistent, other->fix_persistent));
}

static const char *fix_of(const struct st_finding *finding)
{
    return finding->fix_persistent != NULL ? finding->fix_persistent : finding->fix_now;
}

/** Takes the branches over, the worst first. agree: the finding is certain, whatever the fact is. If only
 * what to change depends on it, the status is certain, too. */
static void take(struct st_finding *finding, const struct premise *premise, struct st_finding *branches,
                 size_t n, bool agree)
{
    const struct st_finding *worst = &branches[0], *other = &branches[n - 1];
    const bool both = !agree && n == VALUES_MAX && st_finding_has_fired(other) &&
                      worst->status == other->status && fix_of(worst) != NULL && fix_of(other) != NULL;
    const enum st_status status = agree || both ? worst->status : ST_STATUS_UNKNOWN;
    if (n == 1 || (agree && same(worst->summary, other->summary)))
        st_finding_set(finding, status, "%s%s%s", agree ? "" : worst->when, agree ? "" : ": ",
                       worst->summary);
    else
        st_finding_set(finding, status, "%s: %s; %s: %s", worst->when, worst->summary, other->when,
                       other->summary);
    finding->effect_known = agree && worst->effect_known && other->effect_known;
    finding->effect_us = finding->effect_known ? worst->effect_us : 0; /* an upper bound */
    free(finding->formula);
    finding->formula = worst->formula != NULL ? strdup(worst->formula) : NULL;
    st_finding_fix(finding, worst->fix_now, worst->fix_persistent, worst->needs);
    if (both) {
        st_finding_fix(finding, NULL, NULL, ST_NEEDS_NOTHING);
        st_finding_fix_persistent(finding, other->needs,
                                  ST_CONDITION_FIX "%s\n%s\n" ST_CONDITION_FIX "%s\n%s", worst->when,
                                  fix_of(worst), other->when, fix_of(other));
    }
    for (size_t i = 0; i < worst->changes_n && agree; i++)
        st_finding_change(finding, worst->changes[i].kind, worst->changes[i].key, worst->changes[i].value);
    finding->branches = branches;
    finding->branches_n = n;
    finding->ask = premise->ask;
}

/** Judges with each value. @return how many are known, the worst first. */
static size_t judge_all(const struct st_finding *finding, const struct st_wish *wish,
                        st_condition_judge_fn judge, const struct premise *premise,
                        struct st_finding *branches)
{
    size_t n = 0;
    for (size_t i = 0; i < VALUES_MAX && premise->values[i].when != NULL; i++) {
        if (judge_with(finding, wish, judge, premise, i, &branches[n]) == 0 &&
            branches[n].status != ST_STATUS_UNKNOWN)
            n++;
        else
            st_finding_finish(&branches[n]);
    }
    qsort(branches, n, sizeof(*branches), by_harm);
    return n;
}

void st_condition_add(struct st_finding *finding, const struct st_wish *wish, st_condition_judge_fn judge)
{
    ST_EACH (premise, premises) {
        struct st_finding *branches =
            is_missing(finding, premise) ? calloc(VALUES_MAX, sizeof(*branches)) : NULL;
        if (branches == NULL)
            continue;
        const size_t n = judge_all(finding, wish, judge, premise, branches);
        const bool agree = n > 0 && do_agree(finding, premise, branches, n);
        if (n > 0 && (agree || st_finding_has_fired(&branches[0]))) {
            take(finding, premise, branches, n, agree);
            return;
        }
        ST_EACH_OF (branch, branches, n)
            st_finding_finish(branch);
        free(branches);
    }
}
