/* A report as JSON: sleeptune-report/1 (docs/schema/sleeptune-report-1.json). */
#include "advisor/facts/place.h"
#include "advisor/facts/snapshot.h"
#include "advisor/report/report_format.h"
#include "core/text/json.h"
#include "st_config.h"

/** The lines of a text as a list. */
static json_t *lines_json(const char *text)
{
    json_t *array = json_array();
    for (const char *line = text; *line != '\0'; line = st_text_next_line(line)) {
        const size_t len = strcspn(line, "\n");
        if (len > 0)
            st_json_append(&array, json_stringn(line, len));
    }
    return array;
}

/** Facts as a list. @param only_unread only unreadable and malformed facts. */
static json_t *facts_json(const struct st_fact *const *rows, size_t n, bool only_unread)
{
    json_t *array = json_array();
    ST_EACH_OF (fact, rows, n) {
        if (!only_unread || st_fact_is_unread(*fact))
            st_json_append(&array, st_snapshot_fact(*fact));
    }
    return array;
}

/* --- findings --- */

static json_t *measured_json(const struct st_report *report, const struct st_finding *finding)
{
    const struct st_tuned_row *row = st_report_tuned(report, finding);
    if (row == NULL)
        return NULL;
    return st_json_object("outcome:t text:t fold:o day:t", st_tuning_outcome_name(row->outcome),
                          st_tuned_text(report->tuned, row),
                          st_json_real_or_null(row->outcome == ST_TUNING_HELPS, row->fold),
                          report->tuned->day);
}

static json_t *finding_json(const struct st_report *report, const struct st_finding *finding)
{
    const struct st_rule *rule = finding->rule;
    json_t *fix = st_json_object("now:t persistent:t needs:t privilege:t", finding->fix_now,
                                 finding->fix_persistent, st_finding_needs[finding->needs].name,
                                 st_rule_privilege(rule));
    return st_json_object(
        "id:t status:t title:t summary:t mechanism:t effect_us:o formula:t evidence:o fix:o cost:t "
        "when_not:t sources:o applicability:t set_aside:t needless:t measured:o ask:t",
        rule->id, st_finding_statuses[finding->status].name, rule->title, finding->summary,
        rule->mechanism, st_json_real_or_null(finding->effect_known, finding->effect_us),
        finding->formula, facts_json(finding->evidence, finding->evidence_n, false), fix,
        st_rule_cost(rule), rule->when_not, lines_json(rule->sources),
        st_rule_is_applied(rule) ? "auto" : "manual", finding->set_aside, finding->needless,
        measured_json(report, finding), finding->status == ST_STATUS_UNKNOWN ? rule->check : NULL);
}

/** Number of findings of each status that count, and of findings that the profile sets aside. */
static json_t *counts_json(const struct st_report *report)
{
    size_t set_aside_n = 0;
    json_t *counts = json_object();
    for (enum st_status status = ST_STATUS_UNKNOWN; status <= ST_STATUS_NOT_APPLICABLE; status++) {
        const size_t n = st_report_count(report, status);
        (void)json_object_set_new(counts, st_finding_statuses[status].name,
                                  json_integer((json_int_t)n));
    }
    ST_REPORT_EACH (finding, report)
        set_aside_n += finding->set_aside != NULL;
    return st_json_add(counts, "set-aside:i", (int64_t)set_aside_n);
}

/** What `check` saw of the music: the facts with ST_MUSIC_PREFIX, named without it; NULL: the music
 * was not watched. */
static json_t *music_json(const struct st_facts *facts)
{
    const size_t prefix = strlen(ST_MUSIC_PREFIX);
    json_t *music = NULL;
    ST_FACTS_EACH (fact, facts, ST_MUSIC_PREFIX, "") {
        music = music != NULL ? music : json_object();
        json_object_set_new(music, fact->key + prefix,
                            fact->is_int ? json_integer(fact->i64) : json_string(fact->text));
    }
    return music;
}

json_t *st_report_format_json(const struct st_report *report)
{
    const struct st_wish *wish = &report->wish;
    const struct st_facts *facts = report->facts;
    json_t *findings = json_array();
    ST_REPORT_EACH (finding, report)
        st_json_append(&findings, finding_json(report, finding));
    if (findings == NULL)
        return NULL;
    json_t *document = st_json_object(
        "schema:t sleeptune:t os:t verdict:t period:o facts:i facts_unreadable:i unread:o "
        "findings:o profile:t effect_sum_us:d counts:o notes:o music:o",
        "sleeptune-report/1", ST_VERSION, st_os_rows[facts->os].name,
        st_report_format_headline(report),
        st_json_object("frames:u rate_hz:u period_ns:i set_by:t", wish->frames, wish->rate_hz,
                       wish->period_ns, st_text_or(wish->why, NULL)),
        (int64_t)facts->n, (int64_t)report->unreadable_n,
        facts_json((const struct st_fact *const *)facts->rows, facts->n, true), findings,
        st_report_profile_names[report->profile], st_report_sum_us(report), counts_json(report),
        lines_json(st_place_notes(facts)), music_json(facts));
    if (document != NULL && report->answer != NULL &&
        json_object_update(document, report->answer->json) != 0) {
        json_decref(document);
        document = NULL;
    }
    return document;
}

int st_report_json(const struct st_report *report, FILE *out,
                   ST_UNUSED const struct st_report_view *view)
{
    json_t *document = st_report_format_json(report);
    char *text = st_json_dump(document);
    json_decref(document);
    if (text == NULL)
        return -ENOMEM;
    const bool written = fputs(text, out) >= 0 && fputc('\n', out) != EOF;
    free(text);
    return written ? 0 : -EIO;
}
