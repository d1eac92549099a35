#include "advisor/change/candidate.h"
#include "core/text/text.h"

#define LATENCY_FILE "/dev/cpu_dma_latency"
#define LATENCY_US   "0" /* the strongest: no idle state */
#define SLACK_NS     "1"
#define NEEDS_ROOT   "needs root"

#define LATE_SHARE 10
#define LATE_SHARE_FREEBSD                                                                                   \
    20 /* alloweddeviation 5, its default, makes a sleep 6.25 % longer (core/tick.h)                         \
        */

/* Safe both ways while audio plays, undone by writing the old value, and felt by a thread that sleeps until a
 * deadline. Devices, permissions and real-time throttling are not in it. */
static const struct {
    const char *rule;
    enum st_candidate_kind kind;
} knobs[] = {
    {"linux-cpu-frequency", ST_CANDIDATE_VALUES},
    {"linux-idle-states", ST_CANDIDATE_LATENCY},
    {"linux-timer-slack", ST_CANDIDATE_SLACK},
    {"linux-preemption", ST_CANDIDATE_VALUES},
    {"linux-huge-pages", ST_CANDIDATE_VALUES},
    {"linux-swap", ST_CANDIDATE_VALUES},
    {"linux-numa-balancing", ST_CANDIDATE_VALUES},
    {"linux-watchdogs", ST_CANDIDATE_VALUES},
    /* FreeBSD */
    {"freebsd-alloweddeviation", ST_CANDIDATE_VALUES},
    {"freebsd-nanosleep-precise", ST_CANDIDATE_VALUES},
    {"freebsd-eventtimer", ST_CANDIDATE_VALUES},
    {"freebsd-timecounter", ST_CANDIDATE_VALUES},
    {"freebsd-cpu-idle", ST_CANDIDATE_VALUES},
    {"freebsd-cpu-frequency", ST_CANDIDATE_VALUES},
    {"freebsd-epp", ST_CANDIDATE_VALUES},
};

static const char *const writers[] = {"power-profiles-daemon", "tuned", "auto-cpufreq", "system76-power",
                                      "powerd"};

/* --- what is switched --- */

static void describe(const struct st_journal *plan, struct st_candidate *row)
{
    const struct st_entry *step = &plan->entries[row->first_step];
    char more[32] = "";
    if (row->steps_n > 1)
        ST_PRINT(more, " and %zu more", row->steps_n - 1);
    ST_PRINT(row->setting, "%.150s%s", step->target, more);
    ST_PRINT(row->now, "%s", step->old_value);
    ST_PRINT(row->trial, "%s", step->new_value);
}

/* The steps of this finding that write running values; lines in files are for `apply`. */
static int add_values(struct st_candidates *ret, struct st_platform *machine, bool as_root,
                      struct st_candidate *row)
{
    struct st_journal *plan = &ret->plan;
    row->first_step = plan->entries_n;
    const char *why = st_plan_add(plan, machine, row->finding, true);
    if (why != NULL) {
        ST_PRINT(row->setting, "%s", row->finding->rule->title);
        ST_PRINT(row->not_tried, "%s", why);
        return 0;
    }
    row->steps_n = plan->entries_n - row->first_step;
    if (row->steps_n == 0)
        return -ENODATA;
    describe(plan, row);
    if (st_facts_int_or(row->finding->facts, ST_KEY_FREEBSD_SECURITY_JAIL_JAILED, 0) != 0)
        ST_PRINT(row->not_tried, "it is the setting of this jail's host");
    else if (!as_root)
        ST_PRINT(row->not_tried, NEEDS_ROOT);
    return 0;
}

static void add_latency(struct st_platform *platform, struct st_candidate *row)
{
    ST_PRINT(row->setting, LATENCY_FILE);
    ST_PRINT(row->now, "as found");
    ST_PRINT(row->trial, LATENCY_US " us");
    const int handle = platform->hold_latency(platform, 0);
    if (handle >= 0)
        platform->release_latency(platform, handle);
    else
        ST_PRINT(row->not_tried, handle == -EACCES ? NEEDS_ROOT : LATENCY_FILE ": %s", strerror(-handle));
}

static void add_slack(struct st_platform *platform, bool counts, struct st_candidate *row)
{
    int64_t ns = 0;
    ST_PRINT(row->setting, "timer slack of the test loop");
    ST_PRINT(row->trial, SLACK_NS " ns");
    const int r = platform->timer_slack_ns(platform, &ns);
    ST_PRINT(row->now, "%lld ns", (long long)ns);
    if (r < 0)
        ST_PRINT(row->not_tried, "timer slack: %s", strerror(-r));
    else if (!counts)
        ST_PRINT(row->not_tried, "real-time threads have no timer slack");
}

/* --- which findings --- */

static bool find_kind(const char *rule, enum st_candidate_kind *ret)
{
    ST_EACH (knob, knobs) {
        if (st_text_is(knob->rule, rule)) {
            *ret = knob->kind;
            return true;
        }
    }
    return false;
}

static bool has_fired(const struct st_finding *finding)
{
    return finding->status == ST_STATUS_PROBLEM || finding->status == ST_STATUS_ADVICE;
}

static int add(struct st_candidates *ret, struct st_platform *p, const struct st_report *report,
               const struct st_finding *finding, bool as_root, bool slack_counts)
{
    struct st_candidate row = {.finding = finding};
    int r = find_kind(finding->rule->id, &row.kind) && ret->n < ST_CANDIDATES_MAX ? 0 : -ENODATA;
    if (r == 0 && row.kind == ST_CANDIDATE_VALUES)
        r = add_values(ret, p, as_root, &row);
    else if (r == 0 && row.kind == ST_CANDIDATE_LATENCY)
        add_latency(p, &row);
    else if (r == 0)
        add_slack(p, slack_counts, &row);
    if (r == 0) {
        row.refused = st_report_profile_refuses(report->profile, st_rule_cost(finding->rule));
        ret->needs_root |= st_text_is(row.not_tried, NEEDS_ROOT);
        ret->rows[ret->n++] = row;
    }
    if (r == -ENODATA && ret->later_n < ST_CANDIDATES_MAX)
        ret->later[ret->later_n++] = finding;
    return r == -ENODATA ? 0 : r;
}

static void find_writers(struct st_candidates *ret, const struct st_facts *facts)
{
    ST_EACH (writer, writers) {
        const char *key = st_text("%s.daemon.%s", st_os_rows[facts->os].name, *writer);
        const struct st_fact *fact = st_facts_find(facts, key);
        if (fact != NULL && fact->state == ST_FACT_OK)
            st_text_join(ret->writers, sizeof(ret->writers), ", ", "%s", *writer);
    }
}

int st_candidates_late_share(enum st_os os)
{
    return os == ST_OS_FREEBSD ? LATE_SHARE_FREEBSD : LATE_SHARE;
}

int st_candidates_find(struct st_candidates *ret, struct st_platform *p, const struct st_report *report,
                       bool as_root, bool slack_counts)
{
    int r = 0;
    *ret = (struct st_candidates){.late_share = st_candidates_late_share(report->facts->os)};
    ST_EACH_OF (finding, report->findings, report->findings_n) {
        if (r == 0 && has_fired(finding))
            r = add(ret, p, report, finding, as_root, slack_counts);
    }
    find_writers(ret, report->facts);
    if (r != 0)
        st_candidates_finish(ret);
    return r;
}

void st_candidates_finish(struct st_candidates *candidates)
{
    st_journal_finish(&candidates->plan);
}
