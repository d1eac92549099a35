/* Judges every rule and puts the findings into order. */
#include "advisor/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/facts/partial.h"

/** Within a status: a problem without a bound comes first, anything else without one behind those with a
 * bound, and what costs this loop nothing last. */
static double effect_for_order(const struct st_finding *finding)
{
    if (finding->effect_known)
        return finding->effect_us > 0 ? finding->effect_us : -2;
    return finding->status == ST_STATUS_PROBLEM ? 1e300 : -1;
}

static int by_importance(const void *left, const void *right)
{
    const struct st_finding *a = left, *b = right;
    const int rank_a = st_finding_status_rank(a->status), rank_b = st_finding_status_rank(b->status);
    if (rank_a != rank_b)
        return rank_a > rank_b ? -1 : 1;
    const double effect_a = effect_for_order(a), effect_b = effect_for_order(b);
    if (effect_a > effect_b || effect_a < effect_b)
        return effect_a > effect_b ? -1 : 1;
    const size_t place_a = st_rule_place(a->rule), place_b = st_rule_place(b->rule);
    if (place_a != place_b)
        return place_a < place_b ? -1 : 1;
    return strcmp(a->rule->id, b->rule->id);
}

int st_report_make(const struct st_facts *facts, uint32_t frames, uint32_t rate_hz, struct st_report *ret)
{
    struct st_report report = {.facts = facts, .unreadable_n = st_facts_unreadable(facts)};
    report.wish.frames = frames;
    report.wish.rate_hz = rate_hz;
    const int r = st_period_init(&report.wish.period, frames, rate_hz);
    if (r != 0)
        return r;
    report.wish.period_ns = st_period_ns(&report.wish.period);
    report.findings = calloc(st_rules_n + 1, sizeof(*report.findings));
    if (report.findings == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < st_rules_n; i++) {
        if (st_rules[i]->os != st_facts_os(facts))
            continue;
        struct st_finding *finding = &report.findings[report.findings_n++];
        finding->rule = st_rules[i];
        st_rule_judge(st_rules[i], facts, &report.wish, finding);
        st_partial_doubt(facts, finding);
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
    for (size_t i = 0; i < report->findings_n; i++)
        st_finding_finish(&report->findings[i]);
    free(report->findings);
    report->findings = NULL;
    report->findings_n = 0;
}

size_t st_report_count(const struct st_report *report, enum st_status status)
{
    size_t n = 0;
    for (size_t i = 0; i < report->findings_n; i++)
        n += report->findings[i].status == status && st_finding_counts(&report->findings[i]);
    return n;
}

double st_report_sum_us(const struct st_report *report)
{
    double sum_us = 0;
    for (size_t i = 0; i < report->findings_n; i++) {
        if (st_finding_fired(&report->findings[i]) && report->findings[i].effect_known)
            sum_us += report->findings[i].effect_us;
    }
    return sum_us;
}

void st_report_set_trials(struct st_report *report, const struct st_trials *trials)
{
    report->trials = trials;
}

void st_report_set_profile(struct st_report *report, enum st_profile profile)
{
    report->profile = profile;
    for (size_t i = 0; i < report->findings_n; i++) {
        struct st_finding *finding = &report->findings[i];
        const bool has_fix = finding->fix_now != NULL || finding->fix_persistent != NULL;
        finding->set_aside = finding->status == ST_STATUS_ADVICE && has_fix
                                 ? st_profile_refuses(profile, finding->rule->cost)
                                 : NULL;
    }
}

void st_report_mute(struct st_report *report, const struct st_mute *mutes, size_t mutes_n, const char *today)
{
    for (size_t m = 0; m < mutes_n; m++) {
        /* days in this shape sort as text */
        if (mutes[m].until != NULL && strcmp(today, mutes[m].until) >= 0)
            continue;
        for (size_t i = 0; i < report->findings_n; i++) {
            if (strcmp(report->findings[i].rule->id, mutes[m].id) == 0)
                report->findings[i].mute = &mutes[m];
        }
    }
}

static struct st_finding *find(const struct st_report *report, const char *id, size_t len)
{
    for (size_t i = 0; i < report->findings_n; i++) {
        const char *its = report->findings[i].rule->id;
        if (strlen(its) == len && memcmp(its, id, len) == 0)
            return &report->findings[i];
    }
    return NULL;
}

const struct st_finding *st_report_find(const struct st_report *report, const char *id)
{
    return find(report, id, strlen(id));
}

int st_report_only(struct st_report *report, const char *ids, char *ret_id, size_t id_bytes)
{
    bool *keep = calloc(report->findings_n + 1, sizeof(*keep));
    if (keep == NULL)
        return -ENOMEM;
    for (const char *id = ids;;) {
        const size_t len = strcspn(id, ",");
        const struct st_finding *finding = find(report, id, len);
        if (finding == NULL) {
            snprintf(ret_id, id_bytes, "%.*s", (int)(len < 200 ? len : 200), id);
            free(keep);
            return -ENOENT;
        }
        keep[finding - report->findings] = true;
        if (id[len] == '\0')
            break;
        id += len + 1;
    }
    size_t n = 0;
    for (size_t i = 0; i < report->findings_n; i++) {
        if (keep[i])
            report->findings[n++] = report->findings[i];
        else
            st_finding_finish(&report->findings[i]);
    }
    report->findings_n = n;
    free(keep);
    return 0;
}

int st_report_exit_status(const struct st_report *report, enum st_status threshold)
{
    bool unknown = false;
    for (size_t i = 0; i < report->findings_n; i++) {
        const enum st_status status = report->findings[i].status;
        if (!st_finding_counts(&report->findings[i]))
            continue;
        if (st_finding_status_rank(status) >= st_finding_status_rank(threshold))
            return 1;
        if (status == ST_STATUS_UNKNOWN &&
            st_finding_status_rank(report->findings[i].rule->worst) >= st_finding_status_rank(threshold))
            unknown = true;
    }
    return unknown ? 2 : 0;
}
