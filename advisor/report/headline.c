/* The first sentences of a report, made from its figures: the answer, and what was measured. */
#include "advisor/report/headline.h"

#include <inttypes.h>
#include <string.h>

#include "advisor/facts/measured.h"
#include "advisor/facts/text.h"
#include "advisor/rules/buffer.h"
#include "core/ns.h"
#include "core/text/text_buffer.h"
#include "evidence/miss_events.h"

/** "64 frames at 48 kHz (1.3 ms)" */
static const char *period_text(const struct st_wish *wish, char *buf, size_t buf_bytes)
{
    struct st_wish alone = *wish;
    char period[ST_BUFFER_TEXT_BYTES];
    const bool short_one = wish->period_ns < 1000000;
    alone.why[0] = '\0'; /* a row of its own says that */
    snprintf(buf, buf_bytes, "%s (%.1f %s)", st_buffer_text(&alone, period, sizeof(period)),
             (double)wish->period_ns / (short_one ? 1e3 : 1e6), short_one ? "µs" : "ms");
    return buf;
}

static bool is_problem(const struct st_finding *finding)
{
    return finding->status == ST_STATUS_PROBLEM && st_finding_may_delay(finding);
}

/** The one that matters most; NULL: there is no problem. */
static const struct st_finding *first_problem(const struct st_report *report)
{
    for (size_t i = 0; i < report->findings_n; i++) {
        if (is_problem(&report->findings[i]))
            return &report->findings[i];
    }
    return NULL;
}

/** "0 of 7500 periods missed"; brief: for the first screen. */
static void say_misses(struct st_text_buffer *s, const struct st_measured *m, bool brief)
{
    char latest[32], events[200];
    const double seconds = (double)m->periods_n * (double)m->frames / (double)m->rate_hz;
    st_ns_format(m->latest_ns, latest, sizeof(latest));
    st_text_buffer_printf(s, "%" PRId64 " of %" PRId64 " periods missed", m->misses_n, m->periods_n);
    if (!brief)
        st_text_buffer_printf(
            s, "%s",
            st_miss_events_text(m->events_n, (uint64_t)m->misses_n, seconds, events, sizeof(events)));
    st_text_buffer_printf(s, ", worst wake-up %s late", latest);
    if (brief && m->misses_n == 0)
        st_text_buffer_printf(
            s,
            ". How sure: this computer alone makes at most %s dropouts per hour (95 %% sure; dropouts less "
            "than " ST_MISS_EVENTS_GAP " apart count as one). A longer run lowers that",
            st_miss_events_rate_text(st_miss_events_per_hour_max95(0, seconds), events, sizeof(events)));
    if (!brief && m->degraded != NULL) {
        /* "no right to ... (Operation not permitted): runs as ...; memory ...": the first clause */
        size_t len = strcspn(m->degraded, "(;:");
        while (len > 0 && m->degraded[len - 1] == ' ')
            len--;
        const size_t cut = (size_t)st_text_cut(m->degraded, 80);
        st_text_buffer_printf(s, "; degraded: %.*s", (int)(len < cut ? len : cut), m->degraded);
    }
}

/** What measures it: check takes the same period by itself, unless the user chose it. */
static void say_check(struct st_text_buffer *s, const struct st_wish *wish)
{
    st_text_buffer_printf(s, ": run sleeptune check");
    if (wish->why[0] != '\0')
        return;
    st_text_buffer_printf(s, " --frames %u", (unsigned)wish->frames);
    if (wish->rate_hz != 48000)
        st_text_buffer_printf(s, " --rate %u", (unsigned)wish->rate_hz);
}

/** What was measured, and how sure that is. m: NULL: nothing was. */
static void say_measured(struct st_text_buffer *s, const struct st_report *report,
                         const struct st_measured *m, bool brief)
{
    const int source = m != NULL ? st_text_cut(m->source, 80) : 0;
    char time[32], period[96];
    period_text(&report->wish, period, sizeof(period));
    if (m == NULL) {
        const bool named = first_problem(report) == NULL; /* the answer has the period */
        st_text_buffer_printf(s, "Not measured%s%s", named ? "" : " at ", named ? "" : period);
        if (report->own_machine)
            say_check(s, &report->wish);
    } else if (!m->of_this_period) {
        st_text_buffer_printf(s, "Not measured at %s, only at %" PRId64 " frames at %" PRId64 " Hz (%.*s)",
                              period, m->frames, m->rate_hz, source, m->source);
    } else if (m->periods_n == 0) {
        st_text_buffer_printf(s, "Not measured: %.*s ended before the first counted period", source,
                              m->source);
    } else if (!m->valid) {
        st_text_buffer_printf(s, "The measurement (%.*s) is invalid: it says nothing about this machine",
                              source, m->source);
    } else {
        if (!brief) {
            st_ns_format(m->duration_ns, time, sizeof(time));
            st_text_buffer_printf(s, "Measured for %s (%.*s, %.*s): ", time, source, m->source,
                                  st_text_cut(m->policy, 40), m->policy);
        }
        say_misses(s, m, brief);
    }
    st_text_buffer_printf(s, ".");
}

/* --- the answer --- */

#define NO_RIGHTS "any busy program can delay the audio thread"

static bool is_about_rights(const struct st_finding *finding)
{
    return finding != NULL && strstr(finding->rule->id, "-rt-permission") != NULL;
}

/** The summary of the problem as a sentence. */
static void say_problem(struct st_text_buffer *s, const struct st_finding *problem)
{
    if (is_about_rights(problem)) {
        st_text_buffer_printf(s, "No real-time rights: " NO_RIGHTS ".");
    } else {
        const char letter = problem->summary[0];
        const bool lower = letter >= 'a' && letter <= 'z';
        st_text_buffer_printf(s, "%c%s.", lower ? letter - 'a' + 'A' : letter, problem->summary + 1);
    }
}

/** By a measurement that counts. */
static void answer_measured(struct st_text_buffer *s, const struct st_measured *m, const char *period,
                            const struct st_finding *problem, size_t bearing_n)
{
    char time[32];
    st_ns_format(m->duration_ns, time, sizeof(time));
    if (m->misses_n > 0 && m->degraded != NULL && is_about_rights(problem)) {
        st_text_buffer_printf(s, "No real-time rights: this is why this computer misses deadlines at %s.",
                              period);
    } else if (m->misses_n > 0) {
        st_text_buffer_printf(s, "This computer misses deadlines at %s.%s", period,
                              problem != NULL ? " Look at this first: "
                              : bearing_n > 0 ? ""
                                              : " No setting that sleeptune read explains this.");
        if (problem != NULL)
            say_problem(s, problem);
    } else if (is_about_rights(problem)) {
        st_text_buffer_printf(
            s, "This computer kept up with %s for %s, but without real-time rights " NO_RIGHTS ".", period,
            time);
    } else {
        st_text_buffer_printf(s, "This computer kept up with %s for %s.%s", period, time,
                              problem != NULL ? " One problem: " : "");
        if (problem != NULL)
            say_problem(s, problem);
    }
}

/** By the settings alone. */
static void answer_by_settings(struct st_text_buffer *s, const struct st_report *report, const char *period,
                               size_t bearing_n)
{
    const bool judged =
        st_report_count(report, ST_STATUS_OK) + st_report_count_if(report, st_finding_has_fired) > 0;
    const bool risky = st_report_sum_us(report) >= (double)report->wish.period_ns / 1000;
    const char *plural = bearing_n == 1 ? "" : "s";
    if (bearing_n > 0 && risky)
        st_text_buffer_printf(s, "%zu setting%s put%s %s at risk.", bearing_n, plural,
                              bearing_n == 1 ? "s" : "", period);
    else if (bearing_n > 0)
        st_text_buffer_printf(s, "%zu setting%s may disturb %s.", bearing_n, plural, period);
    else if (judged)
        st_text_buffer_printf(s, "sleeptune found no setting that disturbs %s.", period);
    else
        st_text_buffer_printf(s, "sleeptune could judge no setting for %s.", period);
}

const char *st_headline(const struct st_report *report, bool brief, char *buf, size_t buf_bytes)
{
    struct st_text_buffer s = st_text_buffer_on(buf, buf_bytes);
    struct st_measured measured;
    char period[96];
    const struct st_finding *problem = first_problem(report);
    const size_t bearing_n = st_report_count_if(report, st_finding_may_delay);
    period_text(&report->wish, period, sizeof(period));
    const bool given = st_measured_read(report->facts, &report->wish, &measured);
    const bool counts = given && measured.of_this_period && measured.valid;
    if (counts)
        answer_measured(&s, &measured, period, problem, bearing_n);
    else if (problem != NULL)
        say_problem(&s, problem);
    else
        answer_by_settings(&s, report, period, bearing_n);
    st_text_buffer_printf(&s, brief ? "\n" : " ");
    say_measured(&s, report, given ? &measured : NULL, brief);
    return buf;
}
