/* A report as Markdown, to paste into a forum or an issue. */
#include <string.h>

#include "advisor/place.h"
#include "advisor/print.h"
#include "advisor/render.h"

/** Text in a paragraph: what Markdown or HTML would act on is escaped, lines are joined. */
static void put(FILE *out, const char *text)
{
    while (*text != '\0') {
        const size_t plain = strcspn(text, "\\`*_[]<>#|~&\n");
        st_print_safe(out, text, plain);
        text += plain;
        if (*text == '\0')
            break;
        if (*text == '\n')
            fputs(text[1] == '\0' ? "" : "; ", out);
        else
            fprintf(out, "\\%c", *text);
        text++;
    }
}

static void field(FILE *out, const char *label, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    fprintf(out, "- %s: ", label);
    put(out, text);
    fputc('\n', out);
}

/** A block of code; its fence is longer than any row of backticks in it. */
static void code(FILE *out, const char *label, const char *text)
{
    size_t longest = 2, row = 0;
    if (text == NULL)
        return;
    for (const char *p = text; *p != '\0'; p++) {
        row = *p == '`' ? row + 1 : 0;
        longest = row > longest ? row : longest;
    }
    char fence[64];
    const size_t n = longest + 1 < sizeof(fence) ? longest + 1 : sizeof(fence) - 1;
    memset(fence, '`', n);
    fence[n] = '\0';
    fprintf(out, "\n%s:\n\n%s\n", label, fence);
    st_print_safe(out, text, strlen(text));
    fprintf(out, "\n%s\n", fence);
}

static void finding_markdown(const struct st_report *report, const struct st_finding *finding, FILE *out)
{
    const struct st_rule *rule = finding->rule;
    char effect[96];
    fprintf(out, "\n## %s: ", st_status_name(finding->status));
    put(out, rule->title);
    fprintf(out, "\n\n`%s`: ", rule->id);
    put(out, finding->summary);
    fputs("\n\n", out);
    char left_out[512];
    field(out, "Left out", st_left_out_text(report, finding, left_out, sizeof(left_out)));
    if (st_finding_costs(finding))
        field(out, "May cost", st_effect_text(finding, &report->wish, effect, sizeof(effect)));
    field(out, "Formula", finding->formula);
    field(out, "Why", rule->mechanism);
    for (size_t i = 0; i < finding->evidence_n; i++) {
        char text[ST_FACT_TEXT_BYTES];
        field(out, "Seen", st_fact_text(finding->evidence[i], text, sizeof(text)));
    }
    field(out, "Sources", rule->sources);
    if (finding->fix_now == NULL && finding->fix_persistent == NULL)
        return;
    field(out, "Needs", st_needs_text(finding->needs));
    field(out, "Rights", rule->privilege);
    field(out, "Cost", rule->cost);
    field(out, "Not when", rule->when_not);
    code(out, "Now", finding->fix_now);
    code(out, "For ever", finding->fix_persistent);
}

void st_render_markdown(const struct st_report *report, FILE *out)
{
    char verdict[ST_VERDICT_BYTES];
    fputs("# sleeptune report\n\n", out);
    put(out, st_report_verdict(report, verdict, sizeof(verdict)));
    fprintf(out, "\n\n%zu of %zu facts could not be read.\n", report->unreadable_n,
            st_facts_count(report->facts));
    char notes[ST_PLACE_NOTES_MAX][ST_PLACE_NOTE_BYTES];
    const size_t notes_n = st_place_notes(report->facts, notes);
    for (size_t i = 0; i < notes_n; i++) {
        fputc('\n', out);
        put(out, notes[i]);
        fputc('\n', out);
    }
    fprintf(out, "\nProfile: %s.\n", st_profile_name(report->profile));
    for (size_t i = 0; i < report->findings_n; i++)
        finding_markdown(report, &report->findings[i], out);
}
