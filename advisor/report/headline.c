/* The first sentences of a report, made from its figures. */
#include "advisor/report/report_format.h"

#include "advisor/rules/buffer.h"
#include "core/text/text.h"
#include "core/text/text_buffer.h"

#define SEEN_MAX 5 /* sentences of a posted text */

/** The summary of the problem as a sentence. */
static void say_problem(struct st_text_buffer *s, const struct st_finding *problem)
{
    const char letter = problem->summary[0];
    /* "jack.service", "/etc/jackdrc" are names */
    const bool name = strcspn(problem->summary, "./") < strcspn(problem->summary, " ");
    const bool lower = letter >= 'a' && letter <= 'z' && !name;
    st_text_buffer_printf(s, "%c%s.", lower ? letter - 'a' + 'A' : letter, problem->summary + 1);
}

/** By the settings alone. */
static void answer_by_settings(struct st_text_buffer *s, const struct st_report *report, const char *period,
                               size_t bearing_n)
{
    const size_t judged_n =
        st_report_count(report, ST_STATUS_OK) + st_report_count_if(report, st_finding_has_fired);
    const size_t unknown_n = st_report_count(report, ST_STATUS_UNKNOWN);
    const bool risky = st_report_sum_us(report) >= (double)report->wish.period_ns / 1000;
    if (bearing_n > 0 && risky)
        st_text_buffer_printf(s, "%zu setting%s put%s %s at risk.", bearing_n, ST_PLURAL(bearing_n),
                              bearing_n == 1 ? "s" : "", period);
    else if (bearing_n > 0)
        st_text_buffer_printf(s, "%zu setting%s may disturb %s.", bearing_n, ST_PLURAL(bearing_n), period);
    else if (judged_n > 0 && unknown_n > judged_n)
        st_text_buffer_printf(s, "Too little is known: %zu of %zu settings could not be judged for %s.",
                              unknown_n, unknown_n + judged_n, period);
    else if (judged_n > 0)
        st_text_buffer_printf(s, "sleeptune found no setting that disturbs %s.", period);
    else if (report->facts->partial && !report->wish.in_use)
        st_text_buffer_printf(s, "What sleeptune knows in this text shows no fault and decides no setting.");
    else
        st_text_buffer_printf(s, "sleeptune could not judge any setting for %s.", period);
}

const char *st_report_format_headline(const struct st_report *report)
{
    char *text = st_text_room(ST_REPORT_FORMAT_HEADLINE_BYTES);
    struct st_text_buffer s = st_text_buffer_on(text, ST_REPORT_FORMAT_HEADLINE_BYTES);
    if (report->answer != NULL) {
        st_text_buffer_printf(&s, "%s", report->answer->text);
        return text;
    }
    if (report->no_sound) {
        st_text_buffer_printf(
            &s, "Nothing plays here: there is no sound card, and no sound server runs. For a program of "
                "yours that runs in periods: sleeptune report --frames 128.");
        return text;
    }
    const struct st_finding *problem = st_report_first_problem(report);
    size_t seen_n = 0;
    ST_FACTS_EACH (seen, report->facts, ST_KEYS_SYSTEM_SEEN, "") {
        if (seen->state == ST_FACT_OK && seen_n < SEEN_MAX)
            st_text_buffer_printf(&s, "%s%s.", seen_n++ > 0 ? "\n" : "", seen->text);
    }
    const bool fires = st_report_count_if(report, st_finding_may_delay) > 0;
    if (seen_n > 0 && problem == NULL && !fires) /* the text's own answer */
        return text;
    st_text_buffer_printf(&s, "%s", seen_n > 0 ? "\n" : "");
    struct st_wish alone = report->wish;
    alone.why[0] = '\0'; /* a row of its own says that */
    const bool is_short = alone.period_ns < 1000000;
    const char *period = st_text("%s (%.1f %s)", st_buffer_text(&alone),
                                 (double)alone.period_ns / (is_short ? 1e3 : 1e6), is_short ? "µs" : "ms");
    if (problem != NULL)
        say_problem(&s, problem);
    else
        answer_by_settings(&s, report, period, st_report_count_if(report, st_finding_may_delay));
    if (report->facts->partial)
        return text;
    const int64_t counted_n = st_facts_int_or(report->facts, ST_MUSIC_COUNTED, 0);
    if (counted_n > 0) {
        st_text_buffer_printf(&s, " sleeptuned has counted %jd dropout%s: sleeptune status says whose.",
                              counted_n, ST_PLURAL(counted_n));
        return text;
    }
    st_text_buffer_printf(&s, " Not measured%s%s", problem != NULL ? " at " : "",
                          problem != NULL ? period : "");
    /* check takes the same period by itself, unless the user chose it */
    if (report->own_machine)
        st_text_buffer_printf(&s, ": run sleeptune check");
    if (report->own_machine && report->wish.why[0] == '\0')
        st_text_buffer_printf(&s, " --frames %u", report->wish.frames);
    if (report->own_machine && report->wish.why[0] == '\0' && report->wish.rate_hz != 48000)
        st_text_buffer_printf(&s, " --rate %u", report->wish.rate_hz);
    st_text_buffer_printf(&s, ".");
    return text;
}
