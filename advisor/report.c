/* Facts -> findings: judging, order, the verdict, the exit status. */
#include "advisor/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/render.h"
#include "advisor/text.h"

#define NAMED_MAX 3 /* settings that the verdict names */

/** Within a status: a problem without a bound comes first, anything else without one last. */
static double effect_for_order(const struct st_finding *finding)
{
    if (finding->effect_known)
        return finding->effect_us;
    return finding->status == ST_STATUS_PROBLEM ? 1e300 : -1;
}

static int by_importance(const void *left, const void *right)
{
    const struct st_finding *a = left, *b = right;
    const int rank_a = st_status_rank(a->status), rank_b = st_status_rank(b->status);
    if (rank_a != rank_b)
        return rank_a > rank_b ? -1 : 1;
    const double effect_a = effect_for_order(a), effect_b = effect_for_order(b);
    if (effect_a > effect_b || effect_a < effect_b)
        return effect_a > effect_b ? -1 : 1;
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
        st_rules[i]->judge(facts, &report.wish, finding);
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
        n += report->findings[i].status == status;
    return n;
}

/* A text that grows in a buffer of the caller's and stops at its end. */
struct sentence {
    char *buf;
    size_t bytes;
    size_t used;
};

static void ST_PRINTF(2, 3) say(struct sentence *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(s->buf + s->used, s->bytes - s->used, format, args);
    va_end(args);
    if (n > 0)
        s->used += (size_t)n < s->bytes - s->used ? (size_t)n : s->bytes - s->used - 1;
}

const char *st_report_period_text(const struct st_wish *wish, char *buf, size_t buf_bytes)
{
    const double khz = wish->rate_hz / 1000.0;
    char rate[32];
    if (wish->rate_hz % 100 == 0)
        snprintf(rate, sizeof(rate), "%.*f kHz", wish->rate_hz % 1000 == 0 ? 0 : 1, khz);
    else
        snprintf(rate, sizeof(rate), "%u Hz", (unsigned)wish->rate_hz);
    snprintf(buf, buf_bytes, "%u frames at %s (%.1f µs)", (unsigned)wish->frames, rate,
             (double)wish->period_ns / 1000);
    return buf;
}

static bool is_fired(const struct st_finding *finding)
{
    return finding->status == ST_STATUS_PROBLEM || finding->status == ST_STATUS_ADVICE;
}

/** The findings that cost something known, dearest first. @return how many are in `ret`, at most `max`. */
static size_t dearest(const struct st_report *report, const struct st_finding **ret, size_t max,
                      double *ret_sum_us)
{
    size_t n = 0;
    *ret_sum_us = 0;
    for (size_t i = 0; i < report->findings_n; i++) {
        const struct st_finding *finding = &report->findings[i];
        if (!is_fired(finding) || !finding->effect_known || finding->effect_us <= 0)
            continue;
        *ret_sum_us += finding->effect_us;
        size_t at = n;
        while (at > 0 && ret[at - 1]->effect_us < finding->effect_us)
            at--;
        if (at == max)
            continue;
        if (n < max)
            n++;
        memmove(&ret[at + 1], &ret[at], (n - at - 1) * sizeof(*ret));
        ret[at] = finding;
    }
    return n;
}

static void name_costs(struct sentence *s, const struct st_report *report, const struct st_finding **named,
                       size_t n, double sum_us)
{
    const double period_us = (double)report->wish.period_ns / 1000;
    say(s, "up to %.1f µs (%.1f %%) of each period may go to ", sum_us, 100 * sum_us / period_us);
    for (size_t i = 0; i < n; i++)
        say(s, "%s%s (%.1f µs)", i == 0 ? "" : ", ", named[i]->rule->id, named[i]->effect_us);
}

/** The findings to act on whose cost has no known bound, problems first. @return how many. */
static size_t name_boundless(struct sentence *s, const struct st_report *report, const char *before)
{
    size_t n = 0;
    for (size_t i = 0; i < report->findings_n; i++) {
        const struct st_finding *finding = &report->findings[i];
        if (!is_fired(finding) || finding->effect_known)
            continue;
        if (n < NAMED_MAX)
            say(s, "%s%s", n == 0 ? before : ", ", finding->rule->id);
        n++;
    }
    if (n > NAMED_MAX)
        say(s, " and %zu more", n - NAMED_MAX);
    return n;
}

const char *st_report_verdict(const struct st_report *report, char *buf, size_t buf_bytes)
{
    struct sentence s = {buf, buf_bytes, 0};
    const struct st_finding *named[NAMED_MAX];
    char period[96];
    double sum_us;
    buf[0] = '\0';
    const size_t named_n = dearest(report, named, NAMED_MAX, &sum_us);
    const size_t problems = st_report_count(report, ST_STATUS_PROBLEM);
    const size_t fired = problems + st_report_count(report, ST_STATUS_ADVICE);
    const size_t unknown = st_report_count(report, ST_STATUS_UNKNOWN);
    const bool too_much = sum_us * 1000 >= (double)report->wish.period_ns;
    st_report_period_text(&report->wish, period, sizeof(period));
    if (fired == 0 && st_report_count(report, ST_STATUS_OK) == 0)
        say(&s, "Nothing could be judged about %s", period);
    else if (fired == 0)
        say(&s, "Nothing that was read speaks against %s", period);
    else if (problems > 0 || too_much)
        say(&s, "These settings put %s at risk", period);
    else
        say(&s, "These settings leave room for %s", period);
    if (named_n > 0) {
        say(&s, ": ");
        name_costs(&s, report, named, named_n, sum_us);
    }
    const size_t boundless =
        name_boundless(&s, report, named_n > 0 ? "; no bound is known for " : ": no bound is known for ");
    if (fired > 0 && named_n + boundless == 0)
        say(&s, ": what is advised below costs this loop nothing");
    if (unknown > 0)
        say(&s, "; %zu of %zu rules could not be judged", unknown, report->findings_n);
    say(&s, ".");
    return buf;
}

int st_report_exit_status(const struct st_report *report, enum st_status threshold)
{
    bool unknown = false;
    for (size_t i = 0; i < report->findings_n; i++) {
        const enum st_status status = report->findings[i].status;
        if (st_status_rank(status) >= st_status_rank(threshold))
            return 1;
        if (status == ST_STATUS_UNKNOWN &&
            st_status_rank(report->findings[i].rule->worst) >= st_status_rank(threshold))
            unknown = true;
    }
    return unknown ? 2 : 0;
}

const char *st_needs_name(enum st_needs needs)
{
    static const char *const names[] = {
        [ST_NEEDS_NOTHING] = "nothing",
        [ST_NEEDS_REOPEN] = "reopen",
        [ST_NEEDS_RELOGIN] = "relogin",
        [ST_NEEDS_REBOOT] = "reboot",
    };
    return names[needs];
}

const char *st_needs_text(enum st_needs needs)
{
    static const char *const texts[] = {
        [ST_NEEDS_NOTHING] = "works at once",
        [ST_NEEDS_REOPEN] = "programs must open the sound device again",
        [ST_NEEDS_RELOGIN] = "log out and in again",
        [ST_NEEDS_REBOOT] = "reboot",
    };
    return texts[needs];
}

const char *st_applicability_name(enum st_applicability applicability)
{
    static const char *const names[] = {
        [ST_APPLY_AUTO] = "auto",
        [ST_APPLY_MANUAL] = "manual",
        [ST_APPLY_DANGEROUS] = "dangerous",
    };
    return names[applicability];
}

const char *st_applicability_text(enum st_applicability applicability)
{
    static const char *const texts[] = {
        [ST_APPLY_AUTO] = "safe: a setting of its own that can be taken back",
        [ST_APPLY_MANUAL] = "to be done by hand, with a look at the machine",
        [ST_APPLY_DANGEROUS] = "dangerous: read 'not when' first",
    };
    return texts[applicability];
}

bool st_finding_costs(const struct st_finding *finding)
{
    return finding->effect_known || is_fired(finding);
}

const char *st_effect_text(const struct st_finding *finding, const struct st_wish *wish, char *buf,
                           size_t buf_bytes)
{
    const double period_us = (double)wish->period_ns / 1000;
    if (!finding->effect_known)
        snprintf(buf, buf_bytes, "no bound is known");
    else if (finding->effect_us > 0)
        snprintf(buf, buf_bytes, "up to %.1f µs of %.1f µs (%.1f %%)", finding->effect_us, period_us,
                 100 * finding->effect_us / period_us);
    else
        snprintf(buf, buf_bytes, "0 µs of this loop's %.1f µs", period_us);
    return buf;
}

const char *st_fact_text(const struct st_fact *fact, char *buf, size_t buf_bytes)
{
    const char *raw = fact->raw != NULL ? fact->raw : "";
    switch (fact->state) {
    case ST_FACT_OK:
        snprintf(buf, buf_bytes, "%s = %.*s", fact->key, st_text_cut(fact->text, 200), fact->text);
        break;
    case ST_FACT_ABSENT:
        snprintf(buf, buf_bytes, "%s is absent", fact->key);
        break;
    case ST_FACT_UNREADABLE:
        snprintf(buf, buf_bytes, "%s could not be read: %s", fact->key, strerror(fact->error));
        break;
    case ST_FACT_MALFORMED:
        snprintf(buf, buf_bytes, "%s is malformed: \"%.*s\"", fact->key, st_text_cut(raw, 60), raw);
        break;
    }
    return buf;
}

int st_report_print(const struct st_report *report, enum st_format format, FILE *out,
                    const struct st_view *view)
{
    int r = 0;
    switch (format) {
    case ST_FORMAT_TEXT:
        st_render_text(report, out, view);
        break;
    case ST_FORMAT_JSON:
        r = st_render_json(report, out);
        break;
    case ST_FORMAT_HTML:
        st_render_html(report, out);
        break;
    case ST_FORMAT_MARKDOWN:
        st_render_markdown(report, out);
        break;
    }
    if (r != 0)
        return r;
    return fflush(out) == 0 && ferror(out) == 0 ? 0 : -EIO;
}
