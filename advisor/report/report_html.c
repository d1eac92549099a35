/* A report as one HTML page without anything to load: for a browser by day and night, and for paper. */
#include <string.h>

#include "advisor/facts/place.h"
#include "advisor/report/report_format.h"
#include "advisor/report/report_trials.h"
#include "advisor/report/report_words.h"
#include "advisor/report/verdict.h"
#include "core/xml_text.h"

static const char style[] =
    ":root{color-scheme:light dark;--text:#1d2127;--soft:#5b6470;--page:#fff;--card:#f6f7f9;--line:#dfe3e8;"
    "--problem:#c0262d;--advice:#b35c00;--unknown:#6b4fbb;--ok:#1a7f4b;--none:#7a828c}\n"
    "@media (prefers-color-scheme:dark){:root{--text:#e6e8eb;--soft:#a0a8b2;--page:#15181c;--card:#1e2227;"
    "--line:#343a42;--problem:#ff6b6b;--advice:#f0a44b;--unknown:#b39dff;--ok:#4cc38a;--none:#8b939d}}\n"
    "*{box-sizing:border-box}\n"
    "body{font:1rem/1.5 system-ui,sans-serif;color:var(--text);background:var(--page);max-width:56rem;"
    "margin:0 auto;padding:2rem 1rem}\n"
    "h1{font-size:1.1rem;color:var(--soft);margin:0}\nh2{font-size:1.25rem;margin:2.5rem 0 .75rem}\n"
    "h3{font-size:1.05rem;margin:0;display:flex;gap:.6rem;align-items:baseline;flex-wrap:wrap}\n"
    "h3 strong{margin-left:auto;font-variant-numeric:tabular-nums}\n"
    ".verdict{font-size:1.2rem;margin:.5rem 0 1.25rem}\n.soft,.id{color:var(--soft);font-size:.9rem}\n"
    ".bar{display:flex;height:.9rem;border-radius:.45rem;overflow:hidden;background:var(--line);"
    "print-color-adjust:exact;-webkit-print-color-adjust:exact}\n"
    ".bar i{background:var(--advice);border-right:2px solid var(--page)}\n.bar i.problem{background:var(--"
    "problem)}\n"
    ".status{font-size:.75rem;font-weight:600;padding:.05rem .5rem;border-radius:1rem;border:1px solid;"
    "white-space:nowrap}\n"
    ".problem>h3 .status,td.problem{color:var(--problem)}.advice>h3 .status,td.advice{color:var(--advice)}\n"
    "td.unknown{color:var(--unknown)}td.ok{color:var(--ok)}td.not-applicable{color:var(--none)}\n"
    "section.problem,section.advice{background:var(--card);border:1px solid var(--line);border-left:.3rem "
    "solid "
    "var(--advice);border-radius:.4rem;padding:.9rem 1.1rem;margin:0 0 1rem}\n"
    "section.problem{border-left-color:var(--problem)}\nsection p{margin:.4rem 0 .6rem}\n"
    "dl{display:grid;grid-template-columns:6rem 1fr;gap:.3rem .9rem;margin:0}\n"
    "dt{color:var(--soft);font-size:.9rem}\ndd{margin:0;min-width:0}\n"
    "pre,code{font:.85rem/1.45 ui-monospace,monospace}\n"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;background:var(--page);border:1px solid "
    "var(--line);border-radius:.3rem;padding:.4rem .6rem}\n"
    "pre.facts,pre.sources{background:none;border:0;padding:0;color:var(--soft)}\npre.sources{font-family:"
    "inherit}\n"
    "table{border-collapse:collapse;width:100%;font-size:.92rem}\n"
    "td{border-top:1px solid var(--line);padding:.35rem .6rem .35rem 0;vertical-align:top}\n"
    "td:first-child{white-space:nowrap;font-weight:600;font-size:.8rem;padding-top:.45rem}\n"
    "footer{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:.75rem}\n"
    "td{overflow-wrap:anywhere}.id{margin-top:.6rem}td .id{margin:0}\n"
    "@media (max-width:36rem){dl{grid-template-columns:1fr}dt{margin-top:.3rem}td:first-child{white-space:"
    "normal}}\n"
    "@media "
    "print{:root{font-size:9pt;--text:#000;--soft:#444;--page:#fff;--card:#fff;--line:#bbb;--problem:#a00;"
    "--advice:#840;--unknown:#448;--ok:#063;--none:#555}body{max-width:none;padding:0}"
    "tr,pre{break-inside:avoid}h2,h3,dt{break-after:avoid}}\n";

/** <tag class>text</tag>, nothing for an empty text. class may be NULL. */
static void element(FILE *out, const char *tag, const char *class, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    fprintf(out, "<%s", tag);
    if (class != NULL)
        fprintf(out, " class=\"%s\"", class);
    fputc('>', out);
    st_xml_put_lines(out, text);
    fprintf(out, "</%s>\n", tag);
}

static void definition(FILE *out, const char *term, const char *tag, const char *class, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    fprintf(out, "<dt>%s</dt><dd>", term);
    element(out, tag, class, text);
    fputs("</dd>\n", out);
}

/** The period, and the share of it that each known cost takes. */
static void period_bar(const struct st_report *report, FILE *out)
{
    const double period_us = (double)report->wish.period_ns / 1000, sum_us = st_report_sum_us(report);
    const double whole_us = sum_us > period_us ? sum_us : period_us;
    if (sum_us <= 0)
        return;
    fprintf(out, "<div class=\"bar\" role=\"img\" aria-label=\"known costs: %.1f of %.1f µs\">", sum_us,
            period_us);
    for (size_t i = 0; i < report->findings_n; i++) {
        const struct st_finding *finding = &report->findings[i];
        if (!st_finding_bears(finding) || !finding->effect_known)
            continue;
        fprintf(out, "<i class=\"%s\" style=\"width:%.2f%%\" title=\"", st_status_name(finding->status),
                100 * finding->effect_us / whole_us);
        st_xml_put_lines(out, finding->rule->id);
        fputs("\"></i>", out);
    }
    fputs("</div>\n", out);
    if (sum_us > period_us)
        fprintf(out, "<p class=\"soft\">The bar is %.1f µs: more than the period of %.1f µs.</p>\n", sum_us,
                period_us);
    else
        fprintf(out,
                "<p class=\"soft\">The bar is your period of %.1f µs; coloured is what known costs may "
                "take.</p>\n",
                period_us);
}

static void evidence(const struct st_finding *finding, FILE *out)
{
    if (finding->evidence_n == 0)
        return;
    fputs("<dt>Seen</dt><dd><pre class=\"facts\">", out);
    for (size_t i = 0; i < finding->evidence_n; i++) {
        char text[ST_FACT_TEXT_BYTES];
        if (i > 0)
            fputc('\n', out);
        st_xml_put_lines(out, st_fact_text(finding->evidence[i], text, sizeof(text)));
    }
    fputs("</pre></dd>\n", out);
}

/** A setting to change, with all that is known about it. */
static void finding_html(const struct st_report *report, const struct st_finding *finding, FILE *out)
{
    const struct st_rule *rule = finding->rule;
    const char *status = st_status_name(finding->status);
    char effect[96];
    fprintf(out, "<section id=\"%s\" class=\"%s\">\n<h3><span class=\"status\">%s</span> ", rule->id, status,
            status);
    st_xml_put_lines(out, rule->title);
    if (st_finding_costs(finding))
        element(out, "strong", NULL, st_effect_text(finding, &report->wish, effect, sizeof(effect)));
    fputs("</h3>\n", out);
    element(out, "p", NULL, finding->summary);
    fputs("<dl>\n", out);
    definition(out, "Now", "pre", NULL, finding->fix_now);
    definition(out, "For ever", "pre", NULL, finding->fix_persistent);
    if (finding->fix_now != NULL || finding->fix_persistent != NULL) {
        definition(out, "Needs", "span", NULL, st_needs_text(finding->needs));
        definition(out, "Rights", "span", NULL, rule->privilege);
        definition(out, "Cost", "span", NULL, rule->cost);
        definition(out, "Not when", "span", NULL, rule->when_not);
    }
    definition(out, "Why", "span", NULL, rule->mechanism);
    const struct st_trial *trial;
    for (size_t at = 0; (trial = st_finding_trial(report, finding, &at)) != NULL;) {
        char text[ST_TRIAL_TEXT_BYTES];
        definition(out, "Measured", "span", NULL, st_trial_text(trial, text, sizeof(text)));
    }
    definition(out, "Formula", "span", NULL, finding->formula);
    evidence(finding, out);
    definition(out, "Sources", "pre", "sources", rule->sources);
    fputs("</dl>\n", out);
    fprintf(out, "<div class=\"id\"><code>sleeptune explain %s</code></div>\n</section>\n", rule->id);
}

/** A row for a rule that gives nothing to do. */
static void row_html(const struct st_report *report, const struct st_finding *finding, FILE *out)
{
    char left_out[512];
    const char *status = st_status_name(finding->status);
    fprintf(out, "<tr id=\"%s\"><td class=\"%s\">%s</td><td>", finding->rule->id, status, status);
    st_xml_put_lines(out, finding->rule->title);
    fprintf(out, "<div class=\"id\"><code>%s</code></div></td><td>", finding->rule->id);
    st_xml_put_lines(out, finding->summary != NULL ? finding->summary : "");
    if (st_left_out_text(report, finding, left_out, sizeof(left_out)) != NULL)
        element(out, "div", "soft", left_out);
    fputs("</td></tr>\n", out);
}

static void head(const struct st_report *report, FILE *out)
{
    char verdict[ST_VERDICT_BYTES], notes[ST_PLACE_NOTES_MAX][ST_PLACE_NOTE_BYTES];
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>sleeptune report</title>\n<style>\n",
        out);
    fputs(style, out);
    fputs("</style>\n</head>\n<body>\n<h1>sleeptune report</h1>\n", out);
    element(out, "p", "verdict", st_report_verdict(report, verdict, sizeof(verdict)));
    period_bar(report, out);
    const size_t notes_n = st_place_notes(report->facts, notes);
    for (size_t i = 0; i < notes_n; i++)
        element(out, "p", NULL, notes[i]);
    fprintf(out,
            "<p class=\"soft\">%zu problem, %zu advice, %zu unknown, %zu ok, %zu not applicable. "
            "%zu of %zu facts could not be read. Profile: %s.</p>\n",
            st_report_count(report, ST_STATUS_PROBLEM), st_report_count(report, ST_STATUS_ADVICE),
            st_report_count(report, ST_STATUS_UNKNOWN), st_report_count(report, ST_STATUS_OK),
            st_report_count(report, ST_STATUS_NOT_APPLICABLE), report->unreadable_n,
            st_facts_count(report->facts), st_profile_name(report->profile));
}

/** The settings that `wanted` picks, under a heading. @return how many. */
static size_t settings(const struct st_report *report, const char *heading,
                       bool (*wanted)(const struct st_finding *finding), FILE *out)
{
    size_t n = 0;
    for (size_t i = 0; i < report->findings_n; i++) {
        if (!wanted(&report->findings[i]))
            continue;
        if (n++ == 0)
            fprintf(out, "<h2>%s</h2>\n", heading);
        finding_html(report, &report->findings[i], out);
    }
    return n;
}

static void trials_html(const struct st_trials *trials, FILE *out)
{
    char text[ST_TRIAL_TEXT_BYTES];
    fputs("<h2 id=\"tried\">Tried on this machine</h2>\n", out);
    element(out, "p", NULL, st_trials_heading(trials, text, sizeof(text)));
    fputs("<ul>\n", out);
    for (size_t i = 0; i < trials->n; i++)
        element(out, "li", NULL, st_trial_text(&trials->rows[i], text, sizeof(text)));
    fputs("</ul>\n", out);
}

static int write(const struct st_report *report, FILE *out, const struct st_report_view *view)
{
    (void)view;
    head(report, out);
    const size_t n = settings(report, "What to change", st_finding_bears, out) +
                     settings(report, "Not about lateness", st_finding_harmless, out);
    if (report->trials != NULL)
        trials_html(report->trials, out);
    if (n < report->findings_n)
        fputs("<h2>Everything else</h2>\n<table>\n", out);
    for (size_t i = 0; i < report->findings_n; i++) {
        if (!st_finding_fired(&report->findings[i]))
            row_html(report, &report->findings[i], out);
    }
    if (n < report->findings_n)
        fputs("</table>\n", out);
    fputs("<footer class=\"soft\">An effect is an upper bound for one period. Take a change back with "
          "<code>sleeptune revert</code>.</footer>\n</body>\n</html>\n",
          out);
    return 0;
}

const struct st_report_format st_report_html = {"html", write};
