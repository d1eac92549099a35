/* A report as JSON: sleeptune-report/1 (docs/schema/sleeptune-report-1.json). */
#include <errno.h>
#include <string.h>

#include "advisor/json.h"
#include "advisor/render.h"
#include "st_config.h"

/** The lines of a text as a list. */
static json_t *lines_json(const char *text)
{
    json_t *array = json_array();
    for (const char *line = text; array != NULL && line != NULL && *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        if (len > 0 && json_array_append_new(array, json_stringn(line, len)) != 0) {
            json_decref(array);
            return NULL;
        }
        line += len + (line[len] == '\n');
    }
    return array;
}

static json_t *evidence_json(const struct st_finding *finding)
{
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < finding->evidence_n; i++) {
        if (json_array_append_new(array, st_fact_json(finding->evidence[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *finding_json(const struct st_finding *finding)
{
    const struct st_rule *rule = finding->rule;
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:{s:o, s:o, s:s, s:s}, s:s, s:s, s:o, s:s, s:o, s:o}",
        "id", rule->id, "status", st_status_name(finding->status), "title", rule->title, "summary",
        finding->summary, "mechanism", rule->mechanism, "effect_us",
        finding->effect_known ? json_real(finding->effect_us) : json_null(), "formula",
        st_json_text(finding->formula), "evidence", evidence_json(finding), "fix", "now",
        st_json_text(finding->fix_now), "persistent", st_json_text(finding->fix_persistent), "needs",
        st_needs_name(finding->needs), "privilege", rule->privilege, "cost", rule->cost, "when_not",
        rule->when_not, "sources", lines_json(rule->sources), "applicability",
        st_applicability_name(rule->applicability), "first_version", st_json_text(rule->first_version),
        "last_version", st_json_text(rule->last_version));
}

/** The facts that were unreadable or malformed. */
static json_t *unread_json(const struct st_facts *facts)
{
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < st_facts_count(facts); i++) {
        const struct st_fact *fact = st_facts_at(facts, i);
        if (fact->state != ST_FACT_UNREADABLE && fact->state != ST_FACT_MALFORMED)
            continue;
        if (json_array_append_new(array, st_fact_json(fact)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *st_report_json(const struct st_report *report)
{
    char verdict[ST_VERDICT_BYTES];
    json_t *findings = json_array();
    for (size_t i = 0; findings != NULL && i < report->findings_n; i++) {
        if (json_array_append_new(findings, finding_json(&report->findings[i])) != 0) {
            json_decref(findings);
            findings = NULL;
        }
    }
    if (findings == NULL)
        return NULL;
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:{s:I, s:I, s:I}, s:I, s:I, s:o, s:o}", "schema", "sleeptune-report/1",
        "sleeptune", ST_VERSION, "os", st_os_name(st_facts_os(report->facts)), "verdict",
        st_report_verdict(report, verdict, sizeof(verdict)), "period", "frames",
        (json_int_t)report->wish.frames, "rate_hz", (json_int_t)report->wish.rate_hz, "period_ns",
        (json_int_t)report->wish.period_ns, "facts", (json_int_t)st_facts_count(report->facts),
        "facts_unreadable", (json_int_t)report->unreadable_n, "unread", unread_json(report->facts),
        "findings", findings);
}

int st_render_json(const struct st_report *report, FILE *out)
{
    json_t *document = st_report_json(report);
    if (document == NULL)
        return -ENOMEM;
    const int r = json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(document);
    fputc('\n', out);
    return r == 0 ? 0 : -EIO;
}
