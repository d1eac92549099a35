/* A report as Markdown, to paste into a forum or an issue: what to do first, the rest folded below. */
#include "advisor/facts/place.h"
#include "advisor/report/report_format.h"
#include "advisor/rules/buffer.h"
#include "core/text/safe.h"

/** Text in a paragraph: what Markdown or HTML would act on is escaped, lines are joined. */
static void put(FILE *out, const char *text)
{
    while (*text != '\0') {
        const size_t plain = strcspn(text, "\\`*_[]<>#|~&\n");
        st_safe_print(out, text, plain);
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
    st_safe_print_lines(out, text, ST_TEXT_TO_NUL);
    fprintf(out, "\n%s\n", fence);
}

/** What to do comes first, why is folded below. */
static void finding_markdown(const struct st_report *report, const struct st_finding *finding, FILE *out)
{
    const struct st_rule *rule = finding->rule;
    fprintf(out, "\n## %s: ", st_finding_statuses[finding->status].name);
    put(out, rule->title);
    fprintf(out, "\n\n`%s`: ", rule->id);
    put(out, finding->summary);
    fputs("\n\n", out);
    if (st_finding_shows_effect(finding))
        field(out, "May cost", st_report_format_effect(finding, &report->wish, ST_ROOM(96)));
    const struct st_tuned_row *row = st_report_tuned(report, finding);
    if (row != NULL)
        field(out, "Measured", st_tuned_text(report->tuned, row, ST_ROOM(ST_TUNED_TEXT_BYTES)));
    if (finding->fix_now != NULL || finding->fix_persistent != NULL) {
        field(out, "Cost", rule->cost);
        field(out, "Needs", st_report_format_needs(finding->needs));
        field(out, "Not when", rule->when_not);
        code(out, "Now", finding->fix_now);
        code(out, "For ever", finding->fix_persistent);
    }
    fputs("\n<details><summary>Why</summary>\n\n", out);
    field(out, "Why", rule->mechanism);
    field(out, "Formula", finding->formula);
    field(out, "Rights", st_rule_privilege(rule));
    field(out, "Sources", rule->sources);
    fputs("\n</details>\n", out);
}

/** The settings that `wanted` picks. */
static void settings(const struct st_report *report, bool (*wanted)(const struct st_finding *finding),
                     FILE *out)
{
    ST_EACH_OF (finding, report->findings, report->findings_n) {
        if (wanted(finding))
            finding_markdown(report, finding, out);
    }
}

/** One line for each rule that gives nothing to do. */
static void other_rules(const struct st_report *report, FILE *out)
{
    ST_EACH_OF (finding, report->findings, report->findings_n) {
        char left_out[512];
        if (st_finding_has_fired(finding))
            continue;
        fprintf(out, "- %s: `%s`: ", st_finding_statuses[finding->status].name, finding->rule->id);
        put(out, finding->summary);
        if (st_report_format_left_out(report, finding, left_out, sizeof(left_out)) != NULL) {
            fputs(" (", out);
            put(out, left_out);
            fputc(')', out);
        }
        fputc('\n', out);
    }
}

/** Is this fact among the evidence of one of the findings? */
static bool is_quoted(const struct st_report *report, const struct st_fact *fact)
{
    ST_EACH_OF (finding, report->findings, report->findings_n) {
        ST_EACH_OF (quoted, finding->evidence, finding->evidence_n) {
            if (*quoted == fact)
                return true;
        }
    }
    return false;
}

/** What the findings rest on, each fact once, a line each. */
static void quoted_facts(const struct st_report *report, FILE *out)
{
    char *text = NULL;
    size_t bytes;
    FILE *memory = open_memstream(&text, &bytes);
    if (memory == NULL)
        return;
    ST_EACH_OF (row, report->facts->rows, report->facts->n) {
        const struct st_fact *fact = *row;
        if (!is_quoted(report, fact))
            continue;
        char line[ST_REPORT_FORMAT_FACT_BYTES];
        st_report_format_fact(fact, line, sizeof(line));
        for (char *at = line; *at != '\0'; at++)
            *at = *at == '\n' ? ' ' : *at;
        fprintf(memory, "%s\n", line);
    }
    if (fclose(memory) == 0 && bytes > 0) {
        text[bytes - 1] = '\0';
        code(out, "Facts", text);
    }
    free(text);
}

static int write(const struct st_report *report, FILE *out, ST_UNUSED const struct st_report_view *view)
{
    fputs("# sleeptune report\n\n", out);
    put(out, st_report_format_headline(report, ST_ROOM(ST_REPORT_FORMAT_HEADLINE_BYTES)));
    if (report->wish.why[0] != '\0') {
        fputs("\n\nBuffer: ", out);
        put(out, st_buffer_text(&report->wish, ST_ROOM(ST_REPORT_FORMAT_HEADLINE_BYTES)));
        fputc('.', out);
    }
    fprintf(out, "\n\n%zu of %zu facts could not be read.\n", report->unreadable_n, report->facts->n);
    char notes[ST_DROPOUT_AT_NOTES_MAX][ST_DROPOUT_AT_NOTE_BYTES];
    const size_t notes_n = st_place_notes(report->facts, notes);
    ST_EACH_OF (note, notes, notes_n) {
        fputc('\n', out);
        put(out, *note);
        fputc('\n', out);
    }
    fprintf(out, "\nProfile: %s.\n", st_report_profile_names[report->profile]);
    settings(report, st_finding_may_delay, out);
    settings(report, st_finding_is_harmless, out);
    fputs("\n<details>\n<summary>Other rules, and the facts</summary>\n\n", out);
    other_rules(report, out);
    quoted_facts(report, out);
    fputs("\n</details>\n", out);
    return 0;
}

const struct st_report_format st_report_markdown = {"markdown", write};
