/* A report for the terminal. The first screen has what is important, and fits 80 columns and 24
 * lines with a prompt; all other settings and details follow it on request. */
#include <unistd.h>

#include "advisor/facts/place.h"
#include "advisor/report/print.h"
#include "advisor/report/report_format.h"
#include "advisor/rules/buffer.h"
#include "advisor/rules/machine.h"
#include "st_config.h"

#define SCREEN_LINES 23 /* lines of a terminal, without the one for the prompt */
/* further lines for the fix itself, which the author of a posted text cannot look up */
#define POSTED_LINES 12
#define SETTINGS_MAX 5
#define BELOW_MAX    3 /* most settings below the answer of `check`; their costs are not printed */
#define STATUS_WIDTH 9
#define INDENT       2
#define TEXT_INDENT  13
#define NEXT_INDENT  6
#define OK_COLUMNS   32

/** The status in its colour, padded to `width`. */
static void print_status(const struct st_printer *printer, enum st_status status, int width)
{
    const char *colour = "", *plain = "";
    if (printer->colour) {
        colour = st_finding_statuses[status].colour;
        plain = "\033[0m";
    }
    fprintf(printer->out, "%s%-*s%s", colour, width, st_finding_statuses[status].name, plain);
}

/** Prints text, wrapped, with this indentation. */
static void print_text(const struct st_printer *printer, int indent, const char *text)
{
    st_print_lines(printer, indent, "", indent, text, true);
}

/** Prints `text` beside the label without wrapping its lines; text NULL: prints nothing. */
static void print_lines(const struct st_printer *printer, const char *label, const char *text)
{
    if (text != NULL)
        st_print_lines(printer, INDENT, label, label[0] != '\0' ? TEXT_INDENT : INDENT, text,
                       false);
}

/* --- the settings of the first screen --- */

/** Prints status, problem and possible cost. For the problem that the headline has explained, the
 * rule's title replaces the problem. */
static void print_row(const struct st_printer *printer, const struct st_finding *finding)
{
    const struct st_tuned_row *tuned = st_report_tuned(printer->report, finding);
    /* effect "": no upper bound of the cost is known, or the summary contains the cost */
    const char *what = finding->summary, *effect = "";
    const char *cost =
        st_text("%.*f µs", finding->effect_us != floor(finding->effect_us), finding->effect_us);
    if (printer->report->answer == NULL && finding == st_report_first_problem(printer->report))
        what = finding->rule->title;
    if (tuned != NULL && tuned->outcome == ST_TUNING_HELPS)
        effect = st_text(" (tried: %.1f times fewer late wake-ups)", tuned->fold);
    else if (tuned != NULL)
        effect = tuned->outcome == ST_TUNING_HARMFUL ? " (tried: harmful here)"
                                                     : " (tried: no effect here)";
    else if (finding->effect_known && finding->effect_us > 0 && strstr(what, cost) == NULL)
        effect = st_text(" (%.1f µs)", finding->effect_us);
    print_status(printer, finding->status, STATUS_WIDTH);
    st_print_on(printer, STATUS_WIDTH, st_text("%.*s%s", st_text_cut(what, 350), what, effect));
}

/** Does the command have a word in capitals to be filled in, such as TID in
 * /proc/TID/timerslack_ns? */
static bool has_blank(const char *command)
{
    ST_TEXT_EACH (word, st_text("%s", command), " /)") {
        if (strlen(word) > 1 && word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0')
            return true;
    }
    return false;
}

/** The only line of a command that is not a comment. NULL: the line is not the whole fix (a comment
 * is a step: "# remove X from FILE, then", "# then unplug it"), does not fit, has a word to be
 * filled in, or works in the current shell only ("$$"), since players are started from a menu. */
static const char *one_command(const char *text, int width)
{
    const char *command = NULL;
    ST_TEXT_EACH (line, st_text("%s", st_text_or(text, "")), "\n") {
        const bool is_comment = line[0] == '#';
        if (!is_comment && command == NULL)
            command = line;
        else if (!is_comment || st_text_begins(line, "# then") || st_text_ends(line, "then"))
            return NULL;
    }
    if (command == NULL || (width != 0 && strlen(command) + INDENT > (size_t)width) ||
        strstr(command, "$$") != NULL || has_blank(command))
        return NULL;
    return command;
}

/** The command that applies the fix. For a posted text it is not printed: that machine may lack
 * sleeptune, and the command would change this machine instead. */
static const char *apply_command(const struct st_printer *printer, const struct st_finding *finding)
{
    return st_text("%ssleeptune apply %s%s", st_os_rows[st_rule_os(finding->rule)].sudo,
                   finding->rule->id, st_buffer_options(printer->wish));
}

/** What the user can do about a setting now, in one line. */
struct step {
    const char *command; /* the command; "": the user makes the change by hand */
    const char *then;    /* text after a semicolon: what has to follow, or how long the command's
                            effect lasts */
};

/** The `apply` command if there is one, else the permanent command, else the one until reboot.
 * @param width columns; 0: any. */
static struct step step_of(const struct st_printer *printer, const struct st_finding *finding,
                           int width)
{
    const char *then = st_finding_needs[finding->needs].then;
    /* a permanent fix of one line without sudo is a line of a file, not a command */
    const char *command = one_command(finding->fix_persistent, width);
    const bool lasts = command != NULL && st_text_begins(command, "sudo ");
    if (!lasts)
        command = one_command(finding->fix_now, width);
    if (st_rule_can_apply(finding))
        return (struct step){apply_command(printer, finding), then};
    if (finding->in_place)
        return (struct step){st_finding_needs[finding->needs].text, ""};
    if (command == NULL && finding->needs == ST_NEEDS_NOTHING)
        then = "";
    if (command == NULL)
        return (struct step){"", then};
    /* what such a command sets is lost when the machine or PipeWire restarts */
    if (!lasts && (finding->fix_persistent != NULL || st_text_begins(command, "pw-metadata ") ||
                   strstr(command, "| sudo tee /sys/") != NULL))
        then = "; works at once, until the next restart";
    if (st_machine_is_jailed(finding->facts))
        command = st_text("%s   # on the host", command);
    return (struct step){command, then};
}

static void print_command(const struct st_printer *printer, const struct st_finding *finding)
{
    const struct step step = step_of(printer, finding, printer->width);
    const char *elsewhere = st_facts_text_or(finding->facts, ST_KEY_SETTINGS_ELSEWHERE, NULL);
    if (finding->facts->partial && st_finding_has_fix(finding)) {
        print_lines(printer, "", finding->fix_now);
        if (elsewhere != NULL && finding->changes_n > 0)
            print_text(printer, INDENT, elsewhere);
        print_lines(printer, "", finding->fix_persistent);
    } else if (!finding->facts->partial && step.command[0] != '\0') {
        print_lines(printer, "", step.command);
    } else {
        print_text(printer, INDENT,
                   st_text(st_finding_has_fix(finding)
                               ? "change it by hand: 'sleeptune report %s' shows how"
                               : "no fix is known: see 'sleeptune report %s'",
                           finding->rule->id));
    }
}

/** Prints what the fix costs and needs, and the rule's id. */
static void print_cost(const struct st_printer *printer, const struct st_finding *finding)
{
    const struct st_rule *rule = finding->rule;
    const char *cost = st_rule_cost(rule), *root = "";
    if (st_text_begins(cost, "none"))
        cost = "nothing";
    /* on Linux, the command contains sudo */
    if (st_os_rows[st_rule_os(rule)].sudo[0] == '\0' &&
        st_text_is(st_rule_privilege(rule), "root") && !st_machine_is_jailed(finding->facts))
        root = "; as root";
    if (st_finding_has_fix(finding))
        print_text(printer, INDENT,
                   st_text("%s: costs %.*s%s%s", rule->id, (int)strcspn(cost, ":,\n"), cost,
                           step_of(printer, finding, printer->width).then, root));
}

/** The worst setting, if the screen must show it before the answer's next step; NULL: none. */
static const struct st_finding *problem_before_next(const struct st_report *report)
{
    return report->answer != NULL && report->answer->fine ? st_report_first_problem(report) : NULL;
}

static void print_setting(const struct st_printer *printer, const struct st_finding *finding)
{
    const struct st_report_answer *answer = printer->report->answer;
    print_row(printer, finding);
    /* the command of the next step is printed below the settings, not here as well */
    if (finding != problem_before_next(printer->report) &&
        (answer == NULL ||
         !st_text_begins(st_text_or(answer->next, ""), apply_command(printer, finding))))
        print_command(printer, finding);
    if (answer == NULL)
        print_cost(printer, finding);
}

static int lines(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

/** Calls `print` and returns as a text what it prints: of the report (finding NULL) or of one
 * finding.
 */
static const char *printed(const struct st_printer *printer, const struct st_finding *finding,
                           void (*print)(const struct st_printer *printer,
                                         const struct st_finding *finding))
{
    char *text = st_text_room(ST_TEXT_MAX_BYTES);
    struct st_printer inner = *printer;
    text[0] = text[ST_TEXT_MAX_BYTES - 1] = '\0'; /* a longer text is cut */
    inner.out = fmemopen(text, ST_TEXT_MAX_BYTES - 1, "w");
    if (inner.out == NULL) /* out of memory */
        return text;
    print(&inner, finding);
    fclose(inner.out);
    return text;
}

/** Prints settings: at least one, which on a narrow terminal may need more lines than there are.
 * @param room lines on the screen. @return number of settings printed. */
static size_t print_settings(const struct st_printer *printer, int room)
{
    const size_t max = printer->report->answer != NULL ? BELOW_MAX : SETTINGS_MAX;
    size_t n = 0;
    bool fits = true;
    ST_REPORT_EACH (finding, printer->report) {
        /* for a posted text, a shorter setting further down may still fit */
        if (n == max || (!fits && !finding->facts->partial))
            break;
        if (!st_finding_may_delay(finding))
            continue;
        const char *text = printed(printer, finding, print_setting);
        fits = n == 0 || lines(text) <= room;
        if (fits) {
            fputs(text, printer->out);
            room -= lines(text);
            n++;
        }
    }
    return n;
}

/* --- the counts of the first screen --- */

#define NAMES_MAX 3 /* most names in a list; further ones are only counted */

/** Names for a sentence: `text` has the first NAMES_MAX of them, or all; `n` counts all. */
struct names {
    const char *text;
    size_t n;
    bool all;
};

static void add_name(struct names *names, const char *name)
{
    if (names->n++ < NAMES_MAX || names->all)
        names->text = st_text_joined(names->text, ", ", name);
}

/** Makes a sentence: `before`, the first names, the number of further names, `behind`. "": there
 * are none. */
static const char *names_text(const char *before, const struct names *names, const char *behind)
{
    const char *more = "";
    if (names->n > NAMES_MAX && !names->all)
        more = st_text(" and %zu more", names->n - NAMES_MAX);
    return names->n > 0 ? st_text("%s%s%s%s.\n", before, names->text, more, behind) : "";
}

/** Which files and system calls could not be read, each named once, and whether root can read
 * more. @param all names them all. */
static const char *unread_text(const struct st_report *report, bool all)
{
    struct names names = {.all = all};
    const char *said = "", *root = "";
    ST_EACH_OF (row, report->facts->rows, report->facts->n) {
        const struct st_fact *fact = *row;
        if (!st_fact_is_unread(fact))
            continue;
        const char *why =
            fact->state == ST_FACT_MALFORMED ? "not understood" : strerror(fact->error);
        const char *name = st_text("%.200s (%s)", st_text_or(fact->source, fact->key), why);
        /* compare whole lines, since /etc/x is also the end of /usr/local/etc/x */
        const char *line = st_text("\n%s\n", name);
        if ((fact->error == EACCES || fact->error == EPERM) && report->own_machine &&
            geteuid() != 0)
            root = ". Root can read more: run the report as root";
        if (strstr(said, line) != NULL)
            continue;
        said = st_text("%s%s", said, line);
        add_name(&names, name);
    }
    return names_text("Not read: ", &names, root);
}

/** Makes the sentences below the settings: "8 ok, 2 not applicable, 2 unknown: linux-hz,
 * linux-heat"; how many are left out; rules whose advice is not about lateness; what could not be
 * read; how many settings the profile leaves out. */
static const char *counts_text(const struct st_report *report, bool all)
{
    struct names unknown = {0}, harmless = {0};
    const char *aside = "";
    size_t aside_n = 0;
    ST_REPORT_EACH (finding, report) {
        aside_n += finding->set_aside != NULL;
        if (finding->status == ST_STATUS_UNKNOWN && st_finding_counts(finding))
            add_name(&unknown, finding->rule->id);
        if (st_finding_has_fired(finding) && !st_finding_may_delay(finding))
            add_name(&harmless, finding->rule->id);
    }
    if (unknown.n > NAMES_MAX)
        unknown.text = "";
    if (aside_n > 0 || report->profile != ST_REPORT_PROFILE_DESKTOP)
        aside = st_text("Profile %s leaves out %zu setting%s that would cost too much (power, "
                        "fairness, security ...).\n",
                        st_report_profile_names[report->profile], aside_n, ST_PLURAL(aside_n));
    return st_text("Settings: %zu ok, %zu not applicable, %zu left out, %zu unknown%s.\n"
                   "%s%s%s",
                   st_report_count(report, ST_STATUS_OK),
                   st_report_count(report, ST_STATUS_NOT_APPLICABLE),
                   report->findings_n - st_report_count_if(report, st_finding_counts), unknown.n,
                   st_text_with(": ", unknown.text),
                   names_text("Advice about other things than late audio threads: ", &harmless, ""),
                   unread_text(report, all), aside);
}

/* --- the first screen --- */

/** Prints the next step, given as "COMMAND (reason)": the command as a line of its own, of any
 * length, so that it can be copied; the reason below it. */
static void print_next(const struct st_printer *printer, const char *next)
{
    const struct st_finding *problem = problem_before_next(printer->report);
    if (next == NULL)
        return;
    if (problem != NULL)
        next = st_text("sleeptune report %s", problem->rule->id);
    if (problem != NULL && (st_rule_can_apply(problem) || problem->in_place))
        next = step_of(printer, problem, 0).command;
    const char *why = strstr(next, " (");
    if (!st_text_ends(next, ")"))
        why = NULL;
    if (why != NULL)
        next = st_text("%.*s", (int)(why - next), next);
    st_print_lines(printer, 0, "Next:", NEXT_INDENT, next, why == NULL);
    if (why != NULL)
        print_text(printer, NEXT_INDENT, st_text("%.*s", (int)strlen(why) - 3, why + 2));
}

/** Prints what follows the settings: the next step of the answer, and the counts. Below an answer
 * the counts appear only with --details. */
static void print_below(const struct st_printer *printer, ST_UNUSED const struct st_finding *none)
{
    const struct st_report *report = printer->report;
    if (report->answer != NULL)
        print_next(printer, report->answer->next);
    if ((report->answer == NULL || printer->all) && !report->no_sound)
        print_text(
            printer, 0,
            st_text("%s%s", counts_text(report, printer->all), st_place_notes(report->facts)));
}

/** Prints what precedes the settings: the headline, and the table of the answer. */
static void print_above(const struct st_printer *printer, ST_UNUSED const struct st_finding *none)
{
    const struct st_report *report = printer->report;
    const struct st_facts *facts = report->facts;
    const struct st_wish *wish = &report->wish;
    const char *music = st_facts_text_or(facts, ST_MUSIC_ANSWER, ""),
               *verdict = st_report_format_headline(report);
    const bool asked = wish->why[0] == '\0', unknown = !asked && !wish->in_use,
               has_server = st_facts_has(facts, ST_MUSIC_SERVER);
    /* true: no sentence about the buffer size follows, since a posted text with a size in use
     * already says what happened, or since the verdict on a text without such a size names no
     * size */
    const bool says_itself =
        facts->partial && (wish->in_use ? st_facts_any(facts, ST_KEYS_SYSTEM_SEEN, "", NULL)
                                        : strstr(verdict, " kHz (") == NULL);
    if (has_server && unknown) /* the sentence about the music already names the server */
        verdict =
            st_text("%s\n"
                    "The buffer size in use is unknown: the settings are checked for %u frames.",
                    verdict, wish->frames);
    else if (!asked && !report->no_sound && !says_itself)
        verdict = st_text("%s\n%s.", verdict, st_buffer_text(wish));
    /* no server runs: the row about the buffer says so, and the sentence about the music is left
     * out */
    if (unknown && !has_server)
        music = "";
    if (st_facts_int_or(facts, ST_MUSIC_DROPOUTS, 0) > 0)
        print_text(printer, 0, st_text_joined(music, "\n", verdict));
    else
        print_text(printer, 0, st_text_joined(verdict, "\n", music));
    if (report->answer != NULL) {
        fputc('\n', printer->out);
        report->answer->table(report->answer->ctx, printer->out, printer->width, printer->colour);
    }
    fputc('\n', printer->out);
}

/** Prints the answer, at most five settings with cost and command, and counts of all findings. It
 * prints fewer settings if the counts need the lines. */
static void print_first_screen(const struct st_printer *printer)
{
    const char *above = printed(printer, NULL, print_above),
               *below = printed(printer, NULL, print_below);
    const size_t fired = st_report_count_if(printer->report, st_finding_may_delay);
    /* lines that are not for settings: above, below, a blank line and the hint */
    const int rest = lines(above) + lines(below) + 2;
    fputs(above, printer->out);
    const size_t shown = print_settings(
        printer, SCREEN_LINES - rest + POSTED_LINES * printer->report->facts->partial);
    if (shown > 0)
        fputc('\n', printer->out);
    fputs(below, printer->out);
    const char *more = "";
    if (shown < fired)
        more = st_text("%zu more setting%s. ", fired - shown, ST_PLURAL(fired - shown));
    print_text(printer, 0,
               st_text("%sAll about a setting: sleeptune report ID.",
                       printer->all ? "" : st_text("%sMore: --details, --ok. ", more)));
}

/* --- the details of all findings --- */

static void print_field(const struct st_printer *printer, const char *label, const char *text)
{
    if (st_text_or(text, "")[0] != '\0')
        st_print_lines(printer, INDENT, label, TEXT_INDENT, text, true);
}

/** Prints how to fix the setting: with `apply`, permanently, and until reboot. */
static void print_commands(const struct st_printer *printer, const struct st_finding *finding)
{
    if (st_rule_can_apply(finding) && !finding->facts->partial)
        print_lines(printer, "Apply:", apply_command(printer, finding));
    else if (finding->changes_n > 0)
        print_field(printer,
                    "By hand:", st_facts_text_or(finding->facts, ST_KEY_SETTINGS_ELSEWHERE, NULL));
    print_lines(printer, "For ever:", finding->fix_persistent);
    print_lines(printer, "For now:", finding->fix_now);
}

static void print_evidence(const struct st_printer *printer, const struct st_finding *finding)
{
    ST_EACH_OF (place, finding->evidence, finding->evidence_n) {
        const struct st_fact *fact = *place;
        /* the value may contain control characters */
        const char *value = st_text_or(fact->text, "");
        const char *const says[ST_FACT_STATES_N] = {
            [ST_FACT_OK] = st_text("= %.*s", st_text_cut(value, 200), value),
            [ST_FACT_ABSENT] = "is absent",
            [ST_FACT_UNREADABLE] = st_text("could not be read: %s", strerror(fact->error)),
            [ST_FACT_MALFORMED] = st_text("is malformed: \"%.*s\"", st_text_cut(value, 60), value)};
        print_field(printer, place == finding->evidence ? "Seen:" : "",
                    st_text("%s %s", fact->key, says[fact->state]));
    }
}

static void print_effect(const struct st_printer *printer, const struct st_finding *finding,
                         const struct st_wish *wish)
{
    const double period_us = (double)wish->period_ns / 1000;
    const char *text = st_text("0 µs of lateness in each period of %.1f µs", period_us);
    if (!finding->effect_known)
        text = "how much is unknown";
    else if (finding->effect_us > 0)
        text = st_text("up to %.1f µs of lateness in each period of %.1f µs (%.1f %%)",
                       finding->effect_us, period_us, 100 * finding->effect_us / period_us);
    /* an unknown effect is printed only if the finding asks for a change */
    if (finding->effect_known || st_finding_asks(finding))
        print_field(printer, "May cost:", text);
}

static void print_details(const struct st_printer *printer, const struct st_finding *finding)
{
    const struct st_report *report = printer->report;
    const struct st_tuned_row *tuned = st_report_tuned(report, finding);
    const char *left_out = finding->needless;
    if (finding->set_aside != NULL)
        left_out = st_text("not recommended by the profile %s, because it costs %s",
                           st_report_profile_names[report->profile], finding->set_aside);
    fputc('\n', printer->out);
    print_status(printer, finding->status, 0);
    fprintf(printer->out, ": %s [%s]\n", finding->rule->title, finding->rule->id);
    print_text(printer, INDENT, finding->summary);
    print_field(printer, "Left out:", left_out);
    print_effect(printer, finding, &report->wish);
    if (tuned != NULL)
        print_field(printer, "Measured:", st_tuned_text(report->tuned, tuned));
    print_field(printer, "Formula:", finding->formula);
    print_evidence(printer, finding);
    if (finding->status == ST_STATUS_UNKNOWN)
        print_lines(printer, "To know it:", finding->rule->check);
    print_commands(printer, finding);
    if (!st_finding_has_fix(finding))
        return;
    print_field(printer, "Needs:",
                st_text("%s; rights: %s", st_finding_needs[finding->needs].text,
                        st_rule_privilege(finding->rule)));
    print_field(printer, "Cost:", st_rule_cost(finding->rule));
    print_field(printer, "Not when:", finding->rule->when_not);
}

int st_report_text(const struct st_report *report, FILE *out, const struct st_report_view *view)
{
    const struct st_printer printer = {out,       view->width, view->colour,
                                       view->all, report,      &report->wish};
    const char *others = st_facts_text_or(report->facts, ST_KEY_SYSTEM_INPUT_OTHERS, NULL);
    print_first_screen(&printer);
    if (view->all && others != NULL) {
        fputs("\nLines of the text that were not understood:\n", out);
        print_lines(&printer, "", others);
    }
    if (view->ok)
        fputc('\n', out);
    ST_REPORT_EACH (finding, report) { /* prints a line for each setting that is as it should be */
        if (view->ok && finding->status == ST_STATUS_OK && st_finding_counts(finding))
            st_print_lines(&printer, 0, st_text("ok  %s", finding->rule->id), OK_COLUMNS,
                           finding->rule->title, true);
    }
    ST_REPORT_EACH (finding, report) {
        if (view->all)
            print_details(&printer, finding);
    }
    return 0;
}

void st_report_format_rule(const struct st_rule *rule, const struct st_finding *finding,
                           const struct st_wish *wish, FILE *out, int width)
{
    const struct st_printer printer = {.out = out, .width = width, .wish = wish};
    fprintf(out, "%s: %s\n\n", rule->id, rule->title);
    print_text(&printer, INDENT, rule->mechanism);
    fputc('\n', out);
    if (finding != NULL) {
        print_field(&printer, "Here:", st_finding_statuses[finding->status].name);
        print_field(&printer, "", finding->summary);
        print_effect(&printer, finding, wish);
        print_field(&printer, "Formula:", finding->formula);
        print_evidence(&printer, finding);
        print_commands(&printer, finding);
        fputc('\n', out);
    }
    print_field(&printer, "Rights:", st_rule_privilege(rule));
    print_field(&printer, "Cost:", st_rule_cost(rule));
    print_field(&printer, "Not when:", rule->when_not);
    print_field(&printer, "Risk:",
                st_rule_is_applied(rule)
                    ? "safe: 'sleeptune revert' can undo this change"
                    : "the effect depends on the machine: make this change by hand only");
    print_lines(&printer, "Check:", rule->check);
    print_field(&printer, "Undo:", rule->undo);
    print_field(&printer, "History:", rule->history);
    print_field(&printer, "Sources:", rule->sources);
    print_field(&printer, "Manual:", st_text("man sleeptune-rules, entry %s", rule->id));
    /* a page that is a file may not be installed */
    const bool is_file = st_text_begins(ST_DOCS_URL, "file://");
    const char *url = st_text("%s/rules/%s.html", ST_DOCS_URL, rule->id);
    if (ST_DOCS_URL[0] != '\0' && (!is_file || access(url + 7, R_OK) == 0))
        print_field(&printer, "Page:", url);
}
