/* A report for the terminal: the first screen says what matters, the rest says why. */
#include <errno.h>
#include <string.h>

#include "advisor/print.h"
#include "advisor/render.h"

#define INDENT       2
#define TEXT_INDENT  13
#define STATUS_WIDTH 9

static const char *colour_of(enum st_status status)
{
    switch (status) {
    case ST_STATUS_PROBLEM:
        return "\033[1;31m";
    case ST_STATUS_ADVICE:
        return "\033[1;33m";
    case ST_STATUS_UNKNOWN:
        return "\033[1;35m";
    case ST_STATUS_OK:
        return "\033[32m";
    case ST_STATUS_NOT_APPLICABLE:
        return "\033[2m";
    }
    return "";
}

static void print_status(const struct st_printer *printer, enum st_status status, int width)
{
    if (printer->colour)
        fputs(colour_of(status), printer->out);
    fprintf(printer->out, "%-*s", width, st_status_name(status));
    if (printer->colour)
        fputs("\033[0m", printer->out);
}

/** One line: status, title, what it may cost; the cost on a line of its own where the terminal is narrow. */
static void print_row(const struct st_printer *printer, const struct st_finding *finding)
{
    char effect[32] = "";
    if (finding->effect_known)
        snprintf(effect, sizeof(effect), "%.*f µs", finding->effect_us > 0 ? 1 : 0, finding->effect_us);
    else if (finding->status != ST_STATUS_UNKNOWN)
        snprintf(effect, sizeof(effect), "no bound");
    const int title = st_print_columns(finding->rule->title);
    const int pad = printer->width - STATUS_WIDTH - title - st_print_columns(effect);
    print_status(printer, finding->status, STATUS_WIDTH);
    if (printer->width == 0 || pad >= 1) {
        fprintf(printer->out, "%s%*s%s\n", finding->rule->title,
                effect[0] == '\0'     ? 0
                : printer->width == 0 ? 2
                                      : pad,
                "", effect);
        return;
    }
    st_print_wrapped(printer, 0, "", 0, finding->rule->title);
    if (effect[0] != '\0')
        fprintf(printer->out, "%*s%s\n", STATUS_WIDTH, "", effect);
}

/** "ok       linux-hz, linux-clocksource": the ids of one status. */
static void print_ids(const struct st_printer *printer, const struct st_report *report, enum st_status status)
{
    int column = STATUS_WIDTH;
    bool first = true;
    for (size_t i = 0; i < report->findings_n; i++) {
        const struct st_finding *finding = &report->findings[i];
        if (finding->status != status)
            continue;
        const int len = (int)strlen(finding->rule->id);
        if (first) {
            print_status(printer, status, STATUS_WIDTH - 1);
            fputc(' ', printer->out);
            if (strlen(st_status_name(status)) >= STATUS_WIDTH)
                column = (int)strlen(st_status_name(status)) + 1;
        } else if (printer->width > 0 && column + 2 + len + 1 > printer->width) {
            fprintf(printer->out, ",\n%*s", STATUS_WIDTH, "");
            column = STATUS_WIDTH;
        } else {
            fputs(", ", printer->out);
            column += 2;
        }
        fputs(finding->rule->id, printer->out);
        column += len;
        first = false;
    }
    if (!first)
        fputc('\n', printer->out);
}

/** Which sources were not read, each once, and why. */
static void print_unread(const struct st_printer *printer, const struct st_report *report)
{
    char text[1024], previous[300] = "";
    size_t used = 0;
    if (report->unreadable_n == 0)
        return;
    used += (size_t)snprintf(text, sizeof(text), "%zu of %zu facts could not be read:", report->unreadable_n,
                             st_facts_count(report->facts));
    size_t sources_n = 0, left_out_n = 0;
    for (size_t i = 0; i < st_facts_count(report->facts); i++) {
        const struct st_fact *fact = st_facts_at(report->facts, i);
        if (fact->state != ST_FACT_UNREADABLE && fact->state != ST_FACT_MALFORMED)
            continue;
        char source[300];
        snprintf(source, sizeof(source), "%.150s (%.100s)", fact->source != NULL ? fact->source : fact->key,
                 fact->state == ST_FACT_MALFORMED ? "malformed" : strerror(fact->error));
        if (strcmp(source, previous) == 0)
            continue;
        memcpy(previous, source, sizeof(previous));
        if (sources_n == 3) {
            left_out_n++;
            continue;
        }
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%s %s", sources_n == 0 ? "" : ",", source);
        sources_n++;
    }
    if (left_out_n > 0)
        snprintf(text + used, sizeof(text) - used, ", %zu more (--format json lists them)", left_out_n);
    st_print_wrapped(printer, 0, "", 0, text);
}

static void print_field(const struct st_printer *printer, const char *label, const char *text)
{
    if (text != NULL && text[0] != '\0')
        st_print_wrapped(printer, INDENT, label, TEXT_INDENT, text);
}

static void print_fix(const struct st_printer *printer, const struct st_finding *finding)
{
    if (finding->fix_now != NULL)
        st_print_verbatim(printer, INDENT, "Now:", TEXT_INDENT, finding->fix_now);
    if (finding->fix_persistent != NULL)
        st_print_verbatim(printer, INDENT, "For ever:", TEXT_INDENT, finding->fix_persistent);
    if (finding->fix_now == NULL && finding->fix_persistent == NULL)
        return;
    char text[256];
    snprintf(text, sizeof(text), "%s; rights: %s", st_needs_text(finding->needs), finding->rule->privilege);
    print_field(printer, "Needs:", text);
    print_field(printer, "Cost:", finding->rule->cost);
    print_field(printer, "Not when:", finding->rule->when_not);
}

static void print_evidence(const struct st_printer *printer, const struct st_finding *finding)
{
    for (size_t i = 0; i < finding->evidence_n; i++) {
        char text[ST_FACT_TEXT_BYTES];
        print_field(printer, i == 0 ? "Seen:" : "", st_fact_text(finding->evidence[i], text, sizeof(text)));
    }
}

static void print_details(const struct st_printer *printer, const struct st_report *report,
                          const struct st_finding *finding)
{
    char effect[96];
    fputc('\n', printer->out);
    print_status(printer, finding->status, 0);
    fprintf(printer->out, ": %s [%s]\n", finding->rule->title, finding->rule->id);
    st_print_wrapped(printer, INDENT, "", INDENT, finding->summary);
    if (st_finding_costs(finding))
        print_field(printer, "May cost:", st_effect_text(finding, &report->wish, effect, sizeof(effect)));
    print_field(printer, "Formula:", finding->formula);
    print_evidence(printer, finding);
    print_fix(printer, finding);
}

void st_render_text(const struct st_report *report, FILE *out, const struct st_view *view)
{
    const struct st_printer printer = {out, view->width, view->colour};
    char verdict[ST_VERDICT_BYTES];
    st_print_wrapped(&printer, 0, "", 0, st_report_verdict(report, verdict, sizeof(verdict)));
    print_unread(&printer, report);
    fputc('\n', out);
    for (size_t i = 0; i < report->findings_n; i++) {
        if (st_status_rank(report->findings[i].status) >= st_status_rank(ST_STATUS_UNKNOWN))
            print_row(&printer, &report->findings[i]);
    }
    print_ids(&printer, report, ST_STATUS_OK);
    print_ids(&printer, report, ST_STATUS_NOT_APPLICABLE);
    for (size_t i = 0; i < report->findings_n; i++) {
        if (view->all || st_status_rank(report->findings[i].status) >= st_status_rank(ST_STATUS_UNKNOWN))
            print_details(&printer, report, &report->findings[i]);
    }
    fputc('\n', out);
    st_print_wrapped(
        &printer, 0, "", 0,
        "Why a rule says so: sleeptune explain ID. What this machine really does: sleeptune measure.");
}

int st_report_explain(const struct st_rule *rule, const struct st_finding *finding, FILE *out, int width)
{
    const struct st_printer printer = {out, width, false};
    fprintf(out, "%s: %s\n\n", rule->id, rule->title);
    st_print_wrapped(&printer, INDENT, "", INDENT, rule->mechanism);
    fputc('\n', out);
    if (finding != NULL) {
        char text[96];
        snprintf(text, sizeof(text), "%s", st_status_name(finding->status));
        print_field(&printer, "Here:", text);
        print_field(&printer, "", finding->summary);
        if (finding->effect_known) {
            snprintf(text, sizeof(text), "up to %.1f µs", finding->effect_us);
            print_field(&printer, "May cost:", text);
        }
        print_field(&printer, "Formula:", finding->formula);
        print_evidence(&printer, finding);
        if (finding->fix_now != NULL)
            st_print_verbatim(&printer, INDENT, "Now:", TEXT_INDENT, finding->fix_now);
        if (finding->fix_persistent != NULL)
            st_print_verbatim(&printer, INDENT, "For ever:", TEXT_INDENT, finding->fix_persistent);
        fputc('\n', out);
    }
    print_field(&printer, "Rights:", rule->privilege);
    print_field(&printer, "Cost:", rule->cost);
    print_field(&printer, "Not when:", rule->when_not);
    print_field(&printer, "Risk:", st_applicability_text(rule->applicability));
    print_field(&printer, "True from:", rule->first_version);
    print_field(&printer, "True up to:", rule->last_version);
    print_field(&printer, "Sources:", rule->sources);
    return fflush(out) == 0 && ferror(out) == 0 ? 0 : -EIO;
}
