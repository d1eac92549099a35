/* Judges every rule and puts the findings into order. */
#include "advisor/report/report.h"

#include <fnmatch.h>

#include "advisor/post/posted.h"
#include "advisor/rules/buffer.h"
#include "platform/proc.h"

/** Replaces the finding by that of another computer, if the facts come from the output of `share`:
 * status and effect are that computer's, title and usual fix the rule's. A rule with `cases` that
 * comes to the same status keeps its own sentence, since the number is known. */
static void take_shared(const struct st_facts *facts, struct st_finding *finding)
{
    const struct st_rule *rule = finding->rule;
    enum st_status status;
    int64_t us;
    const char *rest = st_facts_has_int(facts, ST_KEY_SHARED_WHOLE) ? "not-applicable" : "";
    const char *text = st_facts_text_or(facts, st_text(ST_KEYS_SHARED "%s", rule->id), rest);
    if (st_finding_status_parse(text, &status) != 0 ||
        (status == finding->status && rule->cases != NULL))
        return;
    st_finding_finish(finding);
    finding->rule = rule;
    finding->facts = facts;
    st_rule_quote(finding);
    st_finding_set(finding, status, "%s: %s on that computer", rule->title, text);
    if (st_facts_int(facts, st_text(ST_KEYS_SHARED_EFFECT "%s", rule->id), &us) == 0)
        st_finding_effect(finding, (double)us, "as 'sleeptune share' said on that computer");
    if (st_finding_has_fired(finding))
        st_rule_fix(finding);
}

/** Judges one rule. The finding becomes unknown if a posted text, which shows only a part of a
 * machine, has none of the rule's facts, or if a saved tree lacks the rule's file. */
void st_report_judge(const struct st_rule *rule, const struct st_facts *facts,
                     const struct st_wish *wish, struct st_finding *finding)
{
    const char *input = st_facts_text_or(facts, ST_KEY_SYSTEM_INPUT, ST_POSTED_ALL);
    const bool text = strstr(input, ST_POSTED_ALL) == NULL,
               tree = st_facts_has(facts, ST_KEY_SYSTEM_LACKS);
    st_rule_judge(rule, facts, wish, finding);
    const bool seen = finding->evidence_n > 0 && finding->evidence[0]->state != ST_FACT_ABSENT;
    bool has_subject = false; /* does any fact match the rule's first key? */
    ST_EACH_OF (row, facts->rows, facts->n)
        has_subject = has_subject || fnmatch(rule->facts[0], (*row)->key, 0) == 0;
    if (text && !has_subject && !(facts->partial && seen && st_finding_has_fired(finding))) {
        st_finding_finish(finding);
        *finding =
            (struct st_finding){.rule = rule, .facts = facts, .status = ST_STATUS_NOT_APPLICABLE};
    }
    if (finding->status == ST_STATUS_NOT_APPLICABLE && (text || (tree && !seen)))
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "the given text or files do not show this setting");
    take_shared(facts, finding);
}

static size_t place_of(const struct st_rule *rule)
{
    size_t i = 0;
    while (i < st_rules_n && st_rules[i] != rule)
        i++;
    return i;
}

/** Number that orders findings of one status, largest first: findings that may cost the whole
 * period come first, then known costs, then costs without a bound, and last findings that cost this
 * loop nothing. */
static double effect_for_order(const struct st_finding *finding)
{
    if (finding->status == ST_STATUS_UNKNOWN)
        return -1;
    if (finding->effect_known)
        return finding->effect_us > 0 ? finding->effect_us : -2;
    /* the rules before linux-memlock in the table decide which thread may run at once, so they may
     * cost the whole period */
    const bool may_take_all = finding->status == ST_STATUS_PROBLEM || finding->takes_all ||
                              place_of(finding->rule) < place_of(st_rule_find("linux-memlock"));
    return may_take_all ? 1e300 : -1;
}

static int by_importance(const void *left, const void *right)
{
    double keys[2][5];
    const struct st_finding *const sides[] = {left, right};
    for (size_t i = 0; i < 2; i++) {
        const struct st_finding *finding = sides[i];
        /* findings are ordered by these keys; what `apply` can change precedes manual changes */
        const double order[] = {st_finding_statuses[finding->status].rank, finding->measured,
                                effect_for_order(finding), st_rule_can_apply(finding),
                                -(double)place_of(finding->rule)};
        memcpy(keys[i], order, sizeof(order));
    }
    size_t k = 0;
    while (k + 1 < ST_ARRAY_LEN(keys[0]) && !(keys[0][k] < keys[1][k]) &&
           !(keys[0][k] > keys[1][k]))
        k++;
    return (keys[0][k] < keys[1][k]) - (keys[0][k] > keys[1][k]);
}

int st_report_make(const struct st_facts *facts, int64_t frames, int64_t rate_hz,
                   struct st_report *ret)
{
    struct st_report report = {.facts = facts, .unreadable_n = st_facts_unreadable(facts)};
    const int r = st_buffer_choose(facts, frames, rate_hz, &report.wish);
    if (r != 0)
        return r;
    report.findings = calloc(st_rules_n + 1, sizeof(*report.findings));
    if (report.findings == NULL)
        return -ENOMEM;
    ST_EACH_OF (rule, st_rules, st_rules_n) {
        if (st_rule_os(*rule) != facts->os)
            continue;
        struct st_finding *finding = &report.findings[report.findings_n++];
        st_report_judge(*rule, facts, &report.wish, finding);
        if (finding->summary == NULL) {
            st_report_finish(&report);
            return -ENOMEM;
        }
    }
    qsort(report.findings, report.findings_n, sizeof(*report.findings), by_importance);
    *ret = report;
    return 0;
}

void st_report_finish(struct st_report *report)
{
    ST_REPORT_EACH (finding, report)
        st_finding_finish(finding);
    free(report->findings);
    report->findings = NULL;
    report->findings_n = 0;
}

size_t st_report_count(const struct st_report *report, enum st_status status)
{
    size_t n = 0;
    ST_REPORT_EACH (finding, report)
        n += finding->status == status && st_finding_counts(finding);
    return n;
}

size_t st_report_count_if(const struct st_report *report,
                          bool (*wanted)(const struct st_finding *finding))
{
    size_t n = 0;
    ST_REPORT_EACH (each, report)
        n += wanted(each);
    return n;
}

double st_report_sum_us(const struct st_report *report)
{
    double sum_us = 0;
    ST_REPORT_EACH (finding, report) {
        if (st_finding_has_fired(finding) && finding->effect_known)
            sum_us += finding->effect_us;
    }
    return sum_us;
}

/* --- findings that need no action --- */

struct st_finding *st_report_find(const struct st_report *report, const char *id)
{
    ST_REPORT_EACH (finding, report) {
        if (st_text_is(finding->rule->id, id))
            return finding;
    }
    return NULL;
}

/** Does this machine have a sound server, a card or a USB audio interface? true also if the facts
 * do not show that. */
static bool has_sound(const struct st_facts *facts)
{
    static const char *const found[] = {ST_KEY_DAEMON_JACKD, ST_KEY_DAEMON_JACKDBUS,
                                        ST_KEY_DAEMON_PIPEWIRE, ST_KEY_DAEMON_PULSEAUDIO};
    const char *lacks = st_facts_text_or(facts, ST_KEY_SYSTEM_LACKS, "");
    int64_t n;
    if (facts->os != ST_OS_LINUX || !st_facts_has_int(facts, ST_KEY_PROCESSES_N) ||
        !st_facts_has(facts, ST_KEY_CARDS_N) || st_facts_has(facts, ST_KEY_SYSTEM_INPUT) ||
        st_proc_has_word(lacks, ST_LACKS_USB) || st_proc_has_word(lacks, ST_LACKS_CARDS))
        return true;
    ST_EACH (key, found) {
        if (st_facts_has_int(facts, *key))
            return true;
    }
    if (st_facts_any(facts, ST_KEYS_USB_AUDIO, "", NULL))
        return true;
    const int r = st_facts_int(facts, ST_KEY_CARDS_N, &n);
    return (r == 0 && n > 0) || (r != 0 && r != -ENOENT);
}

/** If the finding `first` fired and has a fix, the finding `id` needs no action. */
static const struct {
    const char *first, *id, *why;
    const char *const *of; /* only if the fix of `id` has one of these words; NULL: always */
} firsts[] = {
    {"linux-power-daemons", "linux-cpu-frequency",
     "a power daemon would overwrite this setting: see 'sleeptune report linux-power-daemons'",
     (const char *const[]){"scaling_governor", "energy_performance_preference", NULL}},
    {"freebsd-rt-permission", "freebsd-mac-priority",
     "the fix of freebsd-rt-permission solves this problem, too", NULL},
    {"freebsd-eventtimer", "freebsd-hz",
     "this setting has no effect any more once freebsd-eventtimer is fixed", NULL},
    {"freebsd-alloweddeviation", "freebsd-nanosleep-precise",
     "the fix of freebsd-alloweddeviation solves this problem, too", NULL},
};

/** The finding of the rule with this id; NULL: it did not fire, or does not exist. */
static struct st_finding *fired(const struct st_report *report, const char *id)
{
    struct st_finding *finding = st_report_find(report, id);
    return finding != NULL && st_finding_has_fired(finding) ? finding : NULL;
}

/* Findings that another fix solves, or that mean nothing here. */
static void leave_out_done(struct st_report *report, bool right_too)
{
    /* findings that the right to real-time priority solves, too: real-time threads have no timer
     * slack, the fix also raises the limit of locked memory, and the right is more than rtkit
     * gives */
    static const char *const of_right[] = {"linux-timer-slack", "linux-rtkit", "linux-memlock",
                                           "linux-server-priority"};
    report->no_sound =
        report->answer == NULL && report->wish.why[0] != '\0' && !has_sound(report->facts);
    for (size_t i = 0; i < report->findings_n && report->no_sound; i++)
        report->findings[i].needless = "nothing here plays sound";
    ST_EACH (row, firsts) {
        const struct st_finding *first = fired(report, row->first);
        struct st_finding *second = fired(report, row->id);
        if (first != NULL && second != NULL && st_finding_has_fix(first) &&
            (row->of == NULL || st_text_has_among(st_text_or(second->fix_persistent, ""), row->of)))
            second->needless = row->why;
    }
    const struct st_finding *permission = right_too ? fired(report, "linux-rt-permission") : NULL;
    if (permission == NULL || !(st_rule_can_apply(permission) || permission->in_place))
        return;
    ST_EACH (id, of_right) {
        struct st_finding *finding = fired(report, *id);
        /* a finding that is worse than linux-rt-permission keeps its own reason: if rtkit gives the
         * right, linux-rt-permission is only advice, but a server without real-time priority stays
         * a problem */
        if (finding != NULL &&
            !(permission->in_place && st_text_is(*id, "linux-memlock") && !finding->in_place) &&
            st_finding_statuses[finding->status].rank <=
                st_finding_statuses[permission->status].rank)
            finding->needless = "the fix of linux-rt-permission solves this problem, too";
    }
    struct st_finding *group = st_report_find(report, "linux-audio-group");
    if (group != NULL && strstr(st_text_or(group->fix_persistent, ""), "usermod") != NULL)
        group->needless = "the fix of linux-rt-permission gives the same right";
}

void st_report_leave_out(struct st_report *report, bool all, bool right_too)
{
    /* plays_well: sleeptuned watched and counted no dropout, and the period is at least 5 ms. The
     * limit is a choice of the report. */
    const bool plays_well = all && report->wish.in_use &&
                            report->wish.period_ns >= ST_RULE_LONG_NS &&
                            st_facts_int_or(report->facts, ST_MUSIC_COUNTED, -1) == 0 &&
                            st_facts_int_or(report->facts, ST_MUSIC_DROPOUTS, 0) == 0;
    ST_REPORT_EACH (finding, report) {
        if (plays_well && finding->status == ST_STATUS_ADVICE && st_finding_may_delay(finding))
            finding->needless = "not needed: sleeptuned has counted no dropout";
    }
    leave_out_done(report, all && right_too);
}

/* --- results of `tune` --- */

const struct st_tuned_row *st_report_tuned(const struct st_report *report,
                                           const struct st_finding *finding)
{
    if (report->tuned == NULL || report->tuned->frames != report->wish.frames)
        return NULL;
    return st_tuned_find(report->tuned, finding->rule->id);
}

/* Settings that `tune` did not try are sorted between those that help and those that do not. */
void st_report_rank(struct st_report *report, const struct st_tuned *tuned)
{
    report->tuned = tuned;
    ST_REPORT_EACH (finding, report) {
        const struct st_tuned_row *row = st_report_tuned(report, finding);
        finding->measured = row == NULL;
        if (row != NULL && row->outcome == ST_TUNING_HELPS)
            finding->measured = 1 + row->fold;
    }
    qsort(report->findings, report->findings_n, sizeof(*report->findings), by_importance);
}

/* --- profiles: a table of costs that are not accepted --- */

/* Costs that each profile does not accept. Power counts on battery; fairness and throughput on a
 * server, which others use, too; security everywhere but on a studio machine, which is used for
 * nothing else. */
static const char *const refused[][4] = {
    [ST_REPORT_PROFILE_DESKTOP] = {"security", NULL},
    [ST_REPORT_PROFILE_STUDIO] = {NULL},
    [ST_REPORT_PROFILE_LAPTOP] = {"power", "security", NULL},
    [ST_REPORT_PROFILE_SERVER] = {"fairness", "security", "throughput", NULL},
};

const char *const st_report_profile_names[ST_REPORT_PROFILE_SERVER + 1] = {
    [ST_REPORT_PROFILE_DESKTOP] = "desktop",
    [ST_REPORT_PROFILE_STUDIO] = "studio",
    [ST_REPORT_PROFILE_LAPTOP] = "laptop",
    [ST_REPORT_PROFILE_SERVER] = "server",
};

int st_report_profile_parse(const char *text, enum st_report_profile *ret)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(st_report_profile_names); i++) {
        if (st_text_is(text, st_report_profile_names[i])) {
            *ret = (enum st_report_profile)i;
            return 0;
        }
    }
    return -EINVAL;
}

const char *st_report_profile_refuses(enum st_report_profile profile, const char *cost)
{
    const int head = (int)strcspn(cost, ":");
    for (const char *const *word = refused[profile]; *word != NULL; word++) {
        ST_TEXT_EACH (one, st_text("%.*s", head, cost), ", ") {
            if (st_text_is(one, *word))
                return *word;
        }
    }
    return NULL;
}

void st_report_set_profile(struct st_report *report, enum st_report_profile profile)
{
    report->profile = profile;
    ST_REPORT_EACH (finding, report) {
        finding->set_aside = NULL;
        if (finding->status == ST_STATUS_ADVICE && st_finding_has_fix(finding))
            finding->set_aside = st_report_profile_refuses(profile, st_rule_cost(finding->rule));
    }
}

const struct st_finding *st_report_first_problem(const struct st_report *report)
{
    ST_REPORT_EACH (finding, report) {
        if (finding->status == ST_STATUS_PROBLEM && st_finding_may_delay(finding))
            return finding;
    }
    return NULL;
}

int st_report_exit_status(const struct st_report *report, enum st_status threshold)
{
    int unknown = 0;
    ST_REPORT_EACH (finding, report) {
        const enum st_status status = finding->status;
        if (!st_finding_counts(finding))
            continue;
        if (st_finding_statuses[status].rank >= st_finding_statuses[threshold].rank)
            return 1;
        if (status == ST_STATUS_UNKNOWN && st_finding_statuses[st_rule_worst(finding->rule)].rank >=
                                               st_finding_statuses[threshold].rank)
            unknown = 2;
    }
    return unknown;
}
