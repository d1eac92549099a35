/* The first sentence of a report, made from its figures. */
#include <inttypes.h>
#include <string.h>

#include "advisor/measured.h"
#include "advisor/render.h"
#include "advisor/text.h"
#include "lib/ns.h"

#define NAMED_MAX 3 /* settings that the verdict names */

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

/** The findings that cost something known, dearest first. @return how many are in `ret`, at most `max`. */
static size_t dearest(const struct st_report *report, const struct st_finding **ret, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < report->findings_n; i++) {
        const struct st_finding *finding = &report->findings[i];
        if (!st_finding_fired(finding) || !finding->effect_known || finding->effect_us <= 0)
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

/** The findings to act on whose cost has no known bound, problems first. @return how many. */
static size_t name_boundless(struct sentence *s, const struct st_report *report, const char *before)
{
    size_t n = 0;
    for (size_t i = 0; i < report->findings_n; i++) {
        const struct st_finding *finding = &report->findings[i];
        if (!st_finding_fired(finding) || finding->effect_known)
            continue;
        if (n < NAMED_MAX)
            say(s, "%s%s", n == 0 ? before : ", ", finding->rule->id);
        n++;
    }
    if (n > NAMED_MAX)
        say(s, " and %zu more", n - NAMED_MAX);
    return n;
}

/** What was measured, and how sure that is. */
static void say_measured(struct sentence *s, const struct st_measured *m, const char *period)
{
    char time[32], latest[32];
    st_ns_format(m->duration_ns, time, sizeof(time));
    st_ns_format(m->latest_ns, latest, sizeof(latest));
    if (!m->valid) {
        say(s, "Whether this machine holds %s is not known, as the measurement (%.*s) is invalid", period,
            st_text_cut(m->source, 80), m->source);
        return;
    }
    say(s,
        "%s %s for %s (%.*s, %.*s): %" PRId64 " of %" PRId64
        " periods missed (95 %%: at most %.*s per hour), latest wake %s",
        m->misses_n == 0 ? "This machine held" : "This machine did not hold", period, time,
        st_text_cut(m->source, 80), m->source, st_text_cut(m->policy, 40), m->policy, m->misses_n,
        m->periods_n, st_text_cut(m->bound, 20), m->bound, latest);
    if (m->degraded != NULL) {
        /* "no right to ... (Operation not permitted): runs as ...; memory ...": the first clause */
        size_t len = strcspn(m->degraded, "(;:");
        while (len > 0 && m->degraded[len - 1] == ' ')
            len--;
        const size_t cut = (size_t)st_text_cut(m->degraded, 80);
        say(s, "; degraded: %.*s", (int)(len < cut ? len : cut), m->degraded);
    }
}

/** missed: a measurement says that the period is not held. */
static void say_settings(struct sentence *s, const struct st_report *report, bool missed)
{
    const struct st_finding *named[NAMED_MAX];
    const double period_us = (double)report->wish.period_ns / 1000, sum_us = st_report_sum_us(report);
    const size_t named_n = dearest(report, named, NAMED_MAX);
    const size_t problems = st_report_count(report, ST_STATUS_PROBLEM);
    const size_t fired = problems + st_report_count(report, ST_STATUS_ADVICE);
    const char *one = fired == 1 ? "s" : "";
    if (fired == 0) {
        say(s, st_report_count(report, ST_STATUS_OK) == 0 ? "nothing could be judged"
               : missed                                   ? "nothing that was read explains it"
                                                          : "nothing that was read speaks against it");
        return;
    }
    say(s, "%zu setting%s ", fired, fired == 1 ? "" : "s");
    if (problems > 0 || sum_us >= period_us)
        say(s, "put%s it at risk", one);
    else
        say(s, "leave%s room for it", one);
    if (named_n > 0)
        say(s, " and may cost you up to %.1f µs of your %.1f µs (%.1f %%): ", sum_us, period_us,
            100 * sum_us / period_us);
    for (size_t i = 0; i < named_n; i++)
        say(s, "%s%s (%.1f µs)", i == 0 ? "" : ", ", named[i]->rule->id, named[i]->effect_us);
    const size_t boundless =
        name_boundless(s, report, named_n > 0 ? "; no bound is known for " : ": no bound is known for ");
    if (named_n + boundless == 0)
        say(s, ": what is advised costs this loop nothing");
}

const char *st_report_verdict(const struct st_report *report, char *buf, size_t buf_bytes)
{
    struct sentence s = {buf, buf_bytes, 0};
    struct st_measured measured;
    char period[96];
    buf[0] = '\0';
    st_report_period_text(&report->wish, period, sizeof(period));
    const bool given = st_measured_read(report->facts, &report->wish, &measured);
    if (given)
        say_measured(&s, &measured, period);
    else
        say(&s, "Whether this machine holds %s was not measured", period);
    say(&s, "; ");
    say_settings(&s, report, given && measured.valid && measured.misses_n > 0);
    const size_t unknown = st_report_count(report, ST_STATUS_UNKNOWN);
    if (unknown > 0)
        say(&s, "; %zu of %zu rules could not be judged", unknown, report->findings_n);
    say(&s, ".");
    return buf;
}
