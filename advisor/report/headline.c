/* The first sentence of a report, made from its figures. */
#include "advisor/report/headline.h"

#include <inttypes.h>
#include <string.h>

#include "advisor/facts/measured.h"
#include "advisor/facts/text.h"
#include "advisor/report/words.h"
#include "core/ns.h"
#include "core/text/text_buffer.h"

#define NAMED_MAX 3 /* settings that the verdict names */

/** The findings that cost something known, dearest first. @return how many are in `ret`, at most `max`. */
static size_t dearest(const struct st_report *report, const struct st_finding **ret, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < report->findings_n; i++) {
        const struct st_finding *finding = &report->findings[i];
        if (!st_finding_has_fired(finding) || !finding->effect_known || finding->effect_us <= 0)
            continue;
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

static bool is_boundless(const struct st_finding *finding)
{
    return st_finding_has_fired(finding) && !finding->effect_known;
}

/** The findings to act on whose cost has no known bound, problems first. */
static void name_boundless(struct st_text_buffer *s, const struct st_report *report, const char *before)
{
    size_t n = 0;
    for (size_t i = 0; i < report->findings_n; i++) {
        const struct st_finding *finding = &report->findings[i];
        if (!is_boundless(finding))
            continue;
        if (n < NAMED_MAX)
            st_text_buffer_printf(s, "%s%s", n == 0 ? before : ", ", finding->rule->id);
        n++;
    }
    if (n > NAMED_MAX)
        st_text_buffer_printf(s, " and %zu more", n - NAMED_MAX);
}

/** "3 days ago"; nothing for what has just been measured. */
static void say_age(struct st_text_buffer *s, int64_t age_s)
{
    static const struct {
        int64_t s;
        const char *name;
    } units[] = {{86400, "day"}, {3600, "hour"}};
    for (size_t i = 0; i < ST_ARRAY_LEN(units); i++) {
        const int64_t n = age_s / units[i].s;
        if (n > 0) {
            st_text_buffer_printf(s, ", %" PRId64 " %s%s ago", n, units[i].name, n == 1 ? "" : "s");
            return;
        }
    }
}

/** "0 of 7500 periods missed (95 %: at most 1078 per hour), worst wake-up 35.1 µs late" */
static void say_misses(struct st_text_buffer *s, const struct st_measured *m)
{
    char latest[32];
    st_ns_format(m->latest_ns, latest, sizeof(latest));
    st_text_buffer_printf(s,
                          "%" PRId64 " of %" PRId64
                          " periods missed (95%% confidence: at most %.*s per hour), worst wake-up %s late",
                          m->misses_n, m->periods_n, st_text_cut(m->bound, 20), m->bound, latest);
    if (m->degraded != NULL) {
        /* "no right to ... (Operation not permitted): runs as ...; memory ...": the first clause */
        size_t len = strcspn(m->degraded, "(;:");
        while (len > 0 && m->degraded[len - 1] == ' ')
            len--;
        const size_t cut = (size_t)st_text_cut(m->degraded, 80);
        st_text_buffer_printf(s, "; degraded: %.*s", (int)(len < cut ? len : cut), m->degraded);
    }
}

/** What was measured, and how sure that is. */
static void say_measured(struct st_text_buffer *s, const struct st_measured *m, const char *period)
{
    const int source = st_text_cut(m->source, 80);
    char time[32];
    st_ns_format(m->duration_ns, time, sizeof(time));
    if (!m->of_this_period) {
        st_text_buffer_printf(s, "%s: not measured, only %" PRId64 " frames at %" PRId64 " Hz (%.*s)", period,
                              m->frames, m->rate_hz, source, m->source);
    } else if (!m->valid) {
        st_text_buffer_printf(s, "%s: unknown, because the measurement (%.*s) is invalid", period, source,
                              m->source);
    } else if (m->elsewhere) {
        st_text_buffer_printf(s, "%s: not measured on this kernel: the measurement (%.*s", period, source,
                              m->source);
        say_age(s, m->age_s);
        st_text_buffer_printf(s, ") is from kernel %.*s, and this is %.*s; there ",
                              st_text_cut(m->kernel, 60), m->kernel, st_text_cut(m->kernel_here, 60),
                              m->kernel_here);
        say_misses(s, m);
    } else {
        st_text_buffer_printf(s, "%s %s for %s (%.*s, %.*s",
                              m->misses_n == 0 ? "This machine held" : "This machine did not hold", period,
                              time, source, m->source, st_text_cut(m->policy, 40), m->policy);
        say_age(s, m->age_s);
        st_text_buffer_printf(s, "): ");
        say_misses(s, m);
    }
}

static size_t count(const struct st_report *report, bool (*wanted)(const struct st_finding *finding))
{
    size_t n = 0;
    for (size_t i = 0; i < report->findings_n; i++)
        n += wanted(&report->findings[i]);
    return n;
}

static bool is_problem(const struct st_finding *finding)
{
    return finding->status == ST_STATUS_PROBLEM && st_finding_may_delay(finding);
}

/** @param verb NULL: after a verb that needs no other one */
static void say_cost(struct st_text_buffer *s, const struct st_report *report, const char *verb)
{
    const double period_us = (double)report->wish.period_ns / 1000, sum_us = st_report_sum_us(report);
    st_text_buffer_printf(s, "%s by up to %.1f µs of %.1f µs (%.1f %%)", verb != NULL ? verb : "", sum_us,
                          period_us, 100 * sum_us / period_us);
}

/** " by up to ...: linux-a (250.0 µs); no bound is known for linux-b" */
static void say_costs_named(struct st_text_buffer *s, const struct st_report *report, const char *verb)
{
    const struct st_finding *named[NAMED_MAX];
    const size_t named_n = dearest(report, named, NAMED_MAX);
    if (named_n > 0)
        say_cost(s, report, verb);
    for (size_t i = 0; i < named_n; i++)
        st_text_buffer_printf(s, "%s%s (%.1f µs)", i == 0 ? ": " : ", ", named[i]->rule->id,
                              named[i]->effect_us);
    name_boundless(s, report, named_n > 0 ? "; no bound is known for " : ": no bound is known for ");
}

/** The same without names: ": 1 by up to ..., 2 without a known bound" */
static void say_costs(struct st_text_buffer *s, const struct st_report *report, size_t bounded,
                      size_t boundless, const char *verb)
{
    if (boundless == 0) {
        say_cost(s, report, verb);
    } else if (bounded == 0) {
        st_text_buffer_printf(s, "; no bound is known");
    } else {
        st_text_buffer_printf(s, ": %zu", bounded);
        say_cost(s, report, NULL);
        st_text_buffer_printf(s, ", %zu without a known bound", boundless);
    }
}

/** missed: a measurement says that the period is not held. named: with the ids of the settings. */
static void say_settings(struct st_text_buffer *s, const struct st_report *report, bool missed, bool named)
{
    const size_t bearing = count(report, st_finding_may_delay), boundless = count(report, is_boundless);
    if (bearing == 0) {
        const bool judged = st_report_count(report, ST_STATUS_OK) + count(report, st_finding_has_fired) > 0;
        st_text_buffer_printf(s, !judged  ? "no setting could be judged"
                                 : missed ? "no setting that was read explains it"
                                          : "no setting that was read is in the way");
        return;
    }
    const bool risky =
        count(report, is_problem) > 0 || st_report_sum_us(report) >= (double)report->wish.period_ns / 1000;
    const char *verb = risky ? " and may delay it" : NULL;
    st_text_buffer_printf(s, "%zu setting%s ", bearing, bearing == 1 ? "" : "s");
    if (risky)
        st_text_buffer_printf(s, "put%s it at risk", bearing == 1 ? "s" : "");
    else
        st_text_buffer_printf(s, boundless > 0 ? "may disturb it" : "may delay it");
    if (named)
        say_costs_named(s, report, verb);
    else
        say_costs(s, report, bearing - boundless, boundless, verb);
}

static void say_verdict(struct st_text_buffer *s, const struct st_report *report, bool named)
{
    struct st_measured measured;
    char period[96];
    st_words_period(&report->wish, period, sizeof(period));
    const bool given = st_measured_read(report->facts, &report->wish, &measured);
    const bool counts = given && measured.of_this_period && measured.valid && !measured.elsewhere;
    if (given)
        say_measured(s, &measured, period);
    else
        st_text_buffer_printf(s, "%s: not measured on this machine", period);
    st_text_buffer_printf(s, "; ");
    say_settings(s, report, counts && measured.misses_n > 0, named);
    const size_t unknown = st_report_count(report, ST_STATUS_UNKNOWN);
    if (unknown > 0)
        st_text_buffer_printf(s, "; %zu of %zu rules could not be judged", unknown, report->findings_n);
    st_text_buffer_printf(s, ".");
}

const char *st_headline(const struct st_report *report, char *buf, size_t buf_bytes)
{
    struct st_text_buffer s = st_text_buffer_on(buf, buf_bytes);
    say_verdict(&s, report, true);
    return buf;
}

const char *st_headline_short(const struct st_report *report, char *buf, size_t buf_bytes)
{
    struct st_text_buffer s = st_text_buffer_on(buf, buf_bytes);
    say_verdict(&s, report, false);
    return buf;
}
