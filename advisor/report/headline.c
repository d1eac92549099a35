/* The first sentences of a report, made from its findings. */
#include "advisor/report/report_format.h"

#include <ctype.h>

#include "advisor/rules/buffer.h"

#define SEEN_MAX 5 /* most sentences about a posted text */

/** The summary of the problem as a sentence, with a capital letter. */
static const char *problem_text(const struct st_finding *problem)
{
    char *text = st_text("%s.", problem->summary);
    /* a name at the beginning, such as "jack.service" or "/etc/jackdrc", keeps its small letter */
    if (strcspn(text, "./") >= strcspn(text, " "))
        text[0] = (char)toupper((unsigned char)text[0]);
    return text;
}

/** The first sentence if no problem and no measurement exist: how many settings may disturb the
 * period.
 * @param bearing_n number of findings that may make the loop late. */
static const char *answer_by_settings(const struct st_report *report, const char *period,
                                      size_t bearing_n)
{
    const size_t judged_n =
        st_report_count(report, ST_STATUS_OK) + st_report_count_if(report, st_finding_has_fired);
    const size_t unknown_n = st_report_count(report, ST_STATUS_UNKNOWN);
    const bool risky = st_report_sum_us(report) >= (double)report->wish.period_ns / 1000;
    if (bearing_n > 0 && risky)
        return st_text("%zu setting%s put%s %s at risk.", bearing_n, ST_PLURAL(bearing_n),
                       bearing_n == 1 ? "s" : "", period);
    if (bearing_n > 0)
        return st_text("%zu setting%s may disturb %s.", bearing_n, ST_PLURAL(bearing_n), period);
    if (judged_n > 0 && unknown_n > judged_n)
        return st_text("Too little is known: %zu of %zu settings could not be judged for %s.",
                       unknown_n, unknown_n + judged_n, period);
    if (judged_n > 0)
        return st_text("sleeptune found no setting that disturbs %s.", period);
    if (report->facts->partial && !report->wish.in_use)
        return "sleeptune found no fault in this text, and too little to judge a setting.";
    return st_text("sleeptune could not judge any setting for %s.", period);
}

/** " Not measured: run sleeptune check", with options for the period if the user chose it;
 * otherwise check uses the same period by itself. */
static const char *unmeasured_text(const struct st_report *report, const char *at)
{
    const char *text = st_text(" Not measured%s", at);
    if (report->own_machine)
        text = st_text("%s: run sleeptune check%s", text, st_buffer_options(&report->wish));
    return st_text("%s.", text);
}

const char *st_report_format_headline(const struct st_report *report)
{
    if (report->answer != NULL)
        return report->answer->text;
    if (report->no_sound)
        return "Nothing plays here: there is no sound card, and no sound server runs. For a "
               "program of yours that runs in periods: sleeptune report --frames 128.";
    const struct st_finding *problem = st_report_first_problem(report);
    const size_t bearing_n = st_report_count_if(report, st_finding_may_delay);
    const char *said = "";
    size_t seen_n = 0;
    ST_FACTS_EACH (seen, report->facts, ST_KEYS_SYSTEM_SEEN, "") {
        if (seen->state == ST_FACT_OK && seen_n++ < SEEN_MAX)
            said = st_text_joined(said, "\n", st_text("%s.", seen->text));
    }
    /* if a posted text shows what happened and no finding may make the loop late, these sentences
     * are the answer */
    if (seen_n > 0 && bearing_n == 0)
        return said;
    struct st_wish alone = report->wish;
    alone.why[0] = '\0'; /* `alone` leaves out who set the period: another sentence says that */
    const bool is_short = alone.period_ns < 1000000;
    const char *period =
        st_text("%s (%.1f %s)", st_buffer_text(&alone),
                (double)alone.period_ns / (is_short ? 1e3 : 1e6), is_short ? "µs" : "ms");
    said = st_text_joined(said, "\n",
                          problem != NULL ? problem_text(problem)
                                          : answer_by_settings(report, period, bearing_n));
    const int64_t counted_n = st_facts_int_or(report->facts, ST_MUSIC_COUNTED, 0);
    if (report->facts->partial)
        return said;
    if (counted_n > 0)
        return st_text("%s sleeptuned has counted %jd dropout%s: sleeptune status says whose.",
                       said, counted_n, ST_PLURAL(counted_n));
    return st_text("%s%s", said,
                   unmeasured_text(report, problem != NULL ? st_text(" at %s", period) : ""));
}
