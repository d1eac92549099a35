/* A report for the terminal: the first screen says what matters, the rest says why. */
#include <errno.h>

#include "advisor/report/first_screen.h"
#include "advisor/report/report_format.h"
#include "advisor/report/words.h"

#define INDENT      2
#define TEXT_INDENT 13

static void print_field(const struct st_printer *printer, const char *label, const char *text)
{
    if (text != NULL && text[0] != '\0')
        st_print_wrapped(printer, INDENT, label, TEXT_INDENT, text);
}

/** What sleeptune can do, what the user can do. */
static void print_commands(const struct st_printer *printer, const struct st_finding *finding)
{
    char text[128];
    snprintf(text, sizeof(text), "%ssleeptune apply %s",
             st_rule_os(finding->rule) == ST_OS_LINUX ? "sudo " : "", finding->rule->id);
    if (st_rule_can_apply(finding))
        st_print_verbatim(printer, INDENT, "Apply:", TEXT_INDENT, text);
    if (finding->fix_persistent != NULL)
        st_print_verbatim(printer, INDENT, "For ever:", TEXT_INDENT, finding->fix_persistent);
    if (finding->fix_now != NULL)
        st_print_verbatim(printer, INDENT, "For now:", TEXT_INDENT, finding->fix_now);
}

static void print_fix(const struct st_printer *printer, const struct st_finding *finding)
{
    print_commands(printer, finding);
    if (finding->fix_now == NULL && finding->fix_persistent == NULL)
        return;
    char text[256];
    snprintf(text, sizeof(text), "%s; rights: %s", st_words_needs(finding->needs),
             st_rule_privilege(finding->rule));
    print_field(printer, "Needs:", text);
    print_field(printer, "Cost:", finding->rule->cost);
    print_field(printer, "Not when:", finding->rule->when_not);
}

/** What was tried here for it. */
static void print_measured(const struct st_printer *printer, const struct st_report *report,
                           const struct st_finding *finding)
{
    const struct st_trial *trial;
    for (size_t at = 0; (trial = st_report_trial(report, finding, &at)) != NULL;) {
        char text[ST_TRIAL_TEXT_BYTES];
        print_field(printer, "Measured:", st_trial_text(trial, text, sizeof(text)));
    }
}

/** All that was tried, on its own. */
static void print_trials(const struct st_printer *printer, const struct st_trials *trials)
{
    char text[ST_TRIAL_TEXT_BYTES];
    fputc('\n', printer->out);
    st_print_wrapped(printer, 0, "", 0, st_trials_heading(trials, text, sizeof(text)));
    for (size_t i = 0; i < trials->n; i++)
        st_print_wrapped(printer, 0, "-", INDENT, st_trial_text(&trials->rows[i], text, sizeof(text)));
}

static void print_evidence(const struct st_printer *printer, const struct st_finding *finding)
{
    for (size_t i = 0; i < finding->evidence_n; i++) {
        char text[ST_WORDS_FACT_BYTES];
        print_field(printer, i == 0 ? "Seen:" : "", st_words_fact(finding->evidence[i], text, sizeof(text)));
    }
}

/** Why it does not count, if so. */
static void print_left_out(const struct st_printer *printer, const struct st_report *report,
                           const struct st_finding *finding)
{
    char text[512];
    if (st_words_left_out(report, finding, text, sizeof(text)) != NULL)
        print_field(printer, "Left out:", text);
}

static void print_details(const struct st_printer *printer, const struct st_report *report,
                          const struct st_finding *finding)
{
    char effect[96];
    fputc('\n', printer->out);
    st_first_screen_status(printer, finding->status, 0);
    fprintf(printer->out, ": %s [%s]\n", finding->rule->title, finding->rule->id);
    st_print_wrapped(printer, INDENT, "", INDENT, finding->summary);
    print_left_out(printer, report, finding);
    if (st_finding_shows_effect(finding))
        print_field(printer, "May cost:", st_words_effect(finding, &report->wish, effect, sizeof(effect)));
    print_measured(printer, report, finding);
    print_field(printer, "Formula:", finding->formula);
    print_evidence(printer, finding);
    print_fix(printer, finding);
}

static int write(const struct st_report *report, FILE *out, const struct st_report_view *view)
{
    const struct st_printer printer = {out, view->width, view->colour};
    const int r = st_first_screen_print(&printer, report);
    if (view->ok && r == 0)
        st_first_screen_ok(&printer, report);
    if (report->trials != NULL && r == 0)
        print_trials(&printer, report->trials);
    for (size_t i = 0; i < report->findings_n && view->all && r == 0; i++)
        print_details(&printer, report, &report->findings[i]);
    return r;
}

const struct st_report_format st_report_text = {"text", write};

int st_report_format_rule(const struct st_rule *rule, const struct st_finding *finding,
                          const struct st_wish *wish, FILE *out, int width)
{
    const struct st_printer printer = {out, width, false};
    fprintf(out, "%s: %s\n\n", rule->id, rule->title);
    st_print_wrapped(&printer, INDENT, "", INDENT, rule->mechanism);
    fputc('\n', out);
    if (finding != NULL) {
        char text[96];
        snprintf(text, sizeof(text), "%s", st_finding_status_name(finding->status));
        print_field(&printer, "Here:", text);
        print_field(&printer, "", finding->summary);
        if (st_finding_shows_effect(finding))
            print_field(&printer, "May cost:", st_words_effect(finding, wish, text, sizeof(text)));
        print_field(&printer, "Formula:", finding->formula);
        print_evidence(&printer, finding);
        print_commands(&printer, finding);
        fputc('\n', out);
    }
    print_field(&printer, "Rights:", st_rule_privilege(rule));
    print_field(&printer, "Cost:", rule->cost);
    print_field(&printer, "Not when:", rule->when_not);
    print_field(&printer, "Risk:", st_words_applicability(rule->applicability));
    if (rule->guide.check != NULL)
        st_print_verbatim(&printer, INDENT, "Check:", TEXT_INDENT, rule->guide.check);
    print_field(&printer, "Undo:", rule->guide.undo);
    print_field(&printer, "True from:", rule->first_version);
    print_field(&printer, "True up to:", rule->last_version);
    print_field(&printer, "History:", rule->history);
    print_field(&printer, "Sources:", rule->sources);
    return fflush(out) == 0 && ferror(out) == 0 ? 0 : -EIO;
}
