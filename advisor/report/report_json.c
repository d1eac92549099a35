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
    const char *text;
    if (row == NULL)
        return json_null();
    return json_pack("{s:s, s:s, s:o, s:s}", "outcome", st_tuning_outcome_name(row->outcome),
                     "text", (text = st_tuned_text(report->tuned, row)), "fold",
                     st_json_real_or_null(row->outcome == ST_TUNING_HELPS, row->fold), "day",
                     report->tuned->day);
}

static json_t *finding_json(const struct st_report *report, const struct st_finding *finding)
{
    const struct st_rule *rule = finding->rule;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:s?, s:o, s:{s:s?, s:s?, s:s, s:s}, s:s, "
                     "s:s, s:o, s:s, s:s?, s:s?, s:o, s:s?}",
                     "id", rule->id, "status", st_finding_statuses[finding->status].name, "title",
                     rule->title, "summary", finding->summary, "mechanism", rule->mechanism,
                     "effect_us", st_json_real_or_null(finding->effect_known, finding->effect_us),
                     "formula", finding->formula, "evidence",
                     facts_json(finding->evidence, finding->evidence_n, false), "fix", "now",
                     finding->fix_now, "persistent", finding->fix_persistent, "needs",
                     st_finding_needs[finding->needs].name, "privilege", st_rule_privilege(rule),
                     "cost", st_rule_cost(rule), "when_not", rule->when_not, "sources",
                     lines_json(rule->sources), "applicability",
                     st_rule_is_applied(rule) ? "auto" : "manual", "set_aside", finding->set_aside,
                     "needless", finding->needless, "measured", measured_json(report, finding),
                     "ask", finding->status == ST_STATUS_UNKNOWN ? rule->check : NULL);
}

/** Number of findings of each status that count, and of findings that the profile sets aside. */
static json_t *counts_json(const struct st_report *report)
{
    size_t set_aside_n = 0;
    json_t *counts = json_object();
    for (enum st_status status = ST_STATUS_UNKNOWN; status <= ST_STATUS_NOT_APPLICABLE; status++) {
        const size_t n = st_report_count(report, status);
        json_object_set_new(counts, st_finding_statuses[status].name, json_integer((json_int_t)n));
    }
    ST_REPORT_EACH (finding, report)
        set_aside_n += finding->set_aside != NULL;
    json_object_set_new(counts, "set-aside", json_integer((json_int_t)set_aside_n));
    return counts;
}

/** What `check` saw of the music: the facts with ST_MUSIC_PREFIX, named without it; null: the music
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
    return music != NULL ? music : json_null();
}

json_t *st_report_format_json(const struct st_report *report)
{
    const char *verdict;
    json_t *findings = json_array();
    ST_REPORT_EACH (finding, report)
        st_json_append(&findings, finding_json(report, finding));
    if (findings == NULL)
        return NULL;
    json_t *document = json_pack(
        "{s:s, s:s, s:s, s:s, s:{s:I, s:I, s:I, s:s?}, s:I, s:I, s:o, s:o, s:s, s:f, s:o, s:o, "
        "s:o}",
        "schema", "sleeptune-report/1", "sleeptune", ST_VERSION, "os",
        st_os_rows[report->facts->os].name, "verdict",
        (verdict = st_report_format_headline(report)), "period", "frames",
        (json_int_t)report->wish.frames, "rate_hz", (json_int_t)report->wish.rate_hz, "period_ns",
        (json_int_t)report->wish.period_ns, "set_by", st_text_or(report->wish.why, NULL), "facts",
        (json_int_t)report->facts->n, "facts_unreadable", (json_int_t)report->unreadable_n,
        "unread",
        facts_json((const struct st_fact *const *)report->facts->rows, report->facts->n, true),
        "findings", findings, "profile", st_report_profile_names[report->profile], "effect_sum_us",
        st_report_sum_us(report), "counts", counts_json(report), "notes",
        lines_json(st_place_notes(report->facts)), "music", music_json(report->facts));
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
