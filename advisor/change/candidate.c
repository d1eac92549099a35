#include "advisor/change/candidate.h"

#include "advisor/rules/machine.h"

#define LATENCY_FILE "/dev/cpu_dma_latency"
#define NEEDS_ROOT   "needs root"

/* Rules that `tune` can try, at most ST_CANDIDATES_MAX. Their settings can be switched on and off
 * while audio plays, are undone by writing the old value, and affect a thread that sleeps until a
 * deadline. Devices, permissions and real-time throttling are left out. */
#define IDLE_RULE  "linux-idle-states"
#define SLACK_RULE "linux-timer-slack"
static const char *const knobs[] = {
    IDLE_RULE, SLACK_RULE, "linux-cpu-frequency", "linux-preemption", "linux-huge-pages",
    "linux-swap", "linux-numa-balancing", "linux-watchdogs",
    /* FreeBSD */
    "freebsd-alloweddeviation", "freebsd-nanosleep-precise", "freebsd-eventtimer",
    "freebsd-timecounter", "freebsd-cpu-idle", "freebsd-cpu-frequency", "freebsd-epp", NULL};

static const char *const writers[] = {"power-profiles-daemon", "tuned", "auto-cpufreq",
                                      "system76-power", "powerd"};

/* --- what a trial switches --- */

/* Adds the writes of running values that this finding needs to the plan of the trial; only `apply`
 * writes lines in files. @return false: there is nothing to switch. */
static bool add_values(struct st_candidates *ret, struct st_platform *machine, bool as_root,
                       struct st_candidate *row)
{
    const struct st_finding *finding = row->finding;
    row->first_step = ret->plan.entries_n;
    const char *why = st_plan_add(&ret->plan, machine, finding, true);
    row->steps_n = ret->plan.entries_n - row->first_step;
    if (why != NULL) {
        ST_PRINT(row->setting, "%s", finding->rule->title);
        ST_PRINT(row->not_tried, "%s", why);
    }
    if (row->steps_n == 0)
        return why != NULL;
    const struct st_entry *step = &ret->plan.entries[row->first_step];
    ST_PRINT(row->setting, "%.150s", step->target);
    if (row->steps_n > 1)
        ST_APPEND(row->setting, " and %zu more", row->steps_n - 1);
    ST_PRINT(row->now, "%s", step->old_value);
    ST_PRINT(row->trial, "%s", step->new_value);
    if (st_machine_is_jailed(finding->facts))
        ST_PRINT(row->not_tried, "only the host of this jail can change this setting");
    else if (!as_root)
        ST_PRINT(row->not_tried, NEEDS_ROOT);
    return true;
}

static void add_latency(struct st_platform *platform, struct st_candidate *row)
{
    ST_PRINT(row->setting, LATENCY_FILE);
    ST_PRINT(row->now, "as found");
    ST_PRINT(row->trial, "0 us"); /* the strictest limit: no idle state is used */
    const int handle = platform->hold_latency(platform, 0);
    if (handle >= 0)
        platform->release_latency(platform, handle);
    else
        ST_PRINT(row->not_tried, handle == -EACCES ? NEEDS_ROOT : LATENCY_FILE ": %s",
                 strerror(-handle));
}

static void add_slack(struct st_platform *platform, bool counts, struct st_candidate *row)
{
    int64_t ns = 0;
    ST_PRINT(row->setting, "timer slack of sleeptune's own test");
    ST_PRINT(row->trial, "1 ns");
    const int r = platform->timer_slack_ns(platform, &ns);
    ST_PRINT(row->now, "%lld ns", (long long)ns);
    if (r < 0)
        ST_PRINT(row->not_tried, "timer slack: %s", strerror(-r));
    else if (!counts)
        ST_PRINT(row->not_tried, "no effect: real-time threads have no timer slack");
}

/* --- which findings are candidates --- */

/* Adds the finding as a candidate. @return false: it has no setting that can be switched. */
static bool add(struct st_candidates *ret, struct st_platform *p, const struct st_report *report,
                const struct st_finding *finding, bool as_root, bool slack_counts)
{
    const char *id = finding->rule->id;
    struct st_candidate row = {.finding = finding,
                               .kind = st_text_is(id, IDLE_RULE)    ? ST_CANDIDATE_LATENCY
                                       : st_text_is(id, SLACK_RULE) ? ST_CANDIDATE_SLACK
                                                                    : ST_CANDIDATE_VALUES};
    if (!st_text_is_among(id, knobs) ||
        (row.kind == ST_CANDIDATE_VALUES && !add_values(ret, p, as_root, &row)))
        return false;
    if (row.kind == ST_CANDIDATE_LATENCY)
        add_latency(p, &row);
    if (row.kind == ST_CANDIDATE_SLACK)
        add_slack(p, slack_counts, &row);
    row.refused = st_report_profile_refuses(report->profile, st_rule_cost(finding->rule));
    ret->needs_root |= st_text_is(row.not_tried, NEEDS_ROOT);
    ret->rows[ret->n++] = row;
    return true;
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
    /* FreeBSD's default alloweddeviation 5 makes a sleep 6.25 % longer (core/tick.h). With 1/20 of
     * the period as the limit such a sleep counts as late, with 1/10 it does not */
    return os == ST_OS_FREEBSD ? 20 : 10;
}

void st_candidates_find(struct st_candidates *ret, struct st_platform *p,
                        const struct st_report *report, bool as_root, bool slack_counts)
{
    *ret = (struct st_candidates){.late_share = st_candidates_late_share(report->facts->os)};
    ST_REPORT_EACH (finding, report) {
        if (st_finding_asks(finding) && !add(ret, p, report, finding, as_root, slack_counts) &&
            ret->later_n < ST_CANDIDATES_MAX)
            ret->later[ret->later_n++] = finding;
    }
    find_writers(ret, report->facts);
}

void st_candidates_finish(struct st_candidates *candidates)
{
    st_journal_finish(&candidates->plan);
}
