/* A report as one plain HTML page without anything to load. */
#include <string.h>

#include "advisor/place.h"
#include "advisor/print.h"
#include "advisor/render.h"

/** Text, escaped; control characters become '?'. */
static void put(FILE *out, const char *text)
{
    static const struct {
        char character;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    while (*text != '\0') {
        const size_t plain = strcspn(text, "&<>\"'");
        st_print_safe(out, text, plain);
        text += plain;
        for (size_t i = 0; i < ST_ARRAY_LEN(entities) && *text != '\0'; i++) {
            if (*text == entities[i].character) {
                fputs(entities[i].entity, out);
                text++;
                break;
            }
        }
    }
}

/** <tag>text</tag>, nothing for an empty text. */
static void element(FILE *out, const char *tag, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    fprintf(out, "<%s>", tag);
    put(out, text);
    fprintf(out, "</%s>\n", tag);
}

static void definition(FILE *out, const char *term, const char *tag, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    fprintf(out, "<dt>%s</dt><dd>", term);
    element(out, tag, text);
    fputs("</dd>\n", out);
}

static void finding_html(const struct st_report *report, const struct st_finding *finding, FILE *out)
{
    const struct st_rule *rule = finding->rule;
    char effect[96];
    fprintf(out, "<section id=\"%s\" class=\"%s\">\n<h2><small>%s</small> ", rule->id,
            st_status_name(finding->status), st_status_name(finding->status));
    put(out, rule->title);
    fputs("</h2>\n", out);
    element(out, "p", finding->summary);
    fputs("<dl>\n", out);
    char left_out[512];
    definition(out, "Left out", "span", st_left_out_text(report, finding, left_out, sizeof(left_out)));
    if (st_finding_costs(finding))
        definition(out, "May cost", "span", st_effect_text(finding, &report->wish, effect, sizeof(effect)));
    definition(out, "Formula", "span", finding->formula);
    definition(out, "Why", "span", rule->mechanism);
    definition(out, "Now", "pre", finding->fix_now);
    definition(out, "For ever", "pre", finding->fix_persistent);
    if (finding->fix_now != NULL || finding->fix_persistent != NULL) {
        definition(out, "Needs", "span", st_needs_text(finding->needs));
        definition(out, "Rights", "span", rule->privilege);
        definition(out, "Cost", "span", rule->cost);
        definition(out, "Not when", "span", rule->when_not);
    }
    for (size_t i = 0; i < finding->evidence_n; i++) {
        char text[ST_FACT_TEXT_BYTES];
        definition(out, "Seen", "code", st_fact_text(finding->evidence[i], text, sizeof(text)));
    }
    definition(out, "Sources", "pre", rule->sources);
    fputs("</dl>\n</section>\n", out);
}

void st_render_html(const struct st_report *report, FILE *out)
{
    char verdict[ST_VERDICT_BYTES];
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>sleeptune report</title>\n"
          "<style>body{font-family:sans-serif;max-width:50em;margin:2em auto;padding:0 1em}"
          "pre{white-space:pre-wrap;margin:0}dt{font-weight:bold}section{border-left:.3em solid "
          "gray;padding-left:1em}"
          ".problem{border-color:#b00}.advice{border-color:#c80}.unknown{border-color:#808}.ok{border-color:#"
          "080}"
          "</style>\n</head>\n<body>\n<h1>sleeptune report</h1>\n",
          out);
    element(out, "p", st_report_verdict(report, verdict, sizeof(verdict)));
    fprintf(out, "<p>%zu of %zu facts could not be read.</p>\n", report->unreadable_n,
            st_facts_count(report->facts));
    char notes[ST_PLACE_NOTES_MAX][ST_PLACE_NOTE_BYTES];
    const size_t notes_n = st_place_notes(report->facts, notes);
    for (size_t i = 0; i < notes_n; i++)
        element(out, "p", notes[i]);
    fprintf(out, "<p>Profile: %s.</p>\n", st_profile_name(report->profile));
    for (size_t i = 0; i < report->findings_n; i++)
        finding_html(report, &report->findings[i], out);
    fputs("</body>\n</html>\n", out);
}
