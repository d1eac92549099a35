/* A report for the terminal: the first screen has what is important (it fits 80 columns and 24 lines with
 * a prompt), the rest explains it. */
#include <unistd.h>

#include "advisor/facts/place.h"
#include "advisor/facts/text.h"
#include "advisor/report/print.h"
#include "advisor/report/report_format.h"
#include "advisor/rules/buffer.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "st_config.h"

#define SCREEN_LINES 23 /* without the prompt */
#define POSTED_LINES                                                                                         \
    12 /* further lines for the fix itself, which the author of a posted text cannot look up */
#define SETTINGS_MAX 5
#define BELOW_MAX    3 /* settings below an answer, without their costs */
#define STATUS_WIDTH 9
#define INDENT       2
#define TEXT_INDENT  13
#define NEXT_INDENT  6
#define OK_COLUMNS   32

/** The status in its colour, padded to `width`. */
static void print_status(const struct st_printer *printer, enum st_status status, int width)
{
    if (printer->colour)
        fputs(st_finding_statuses[status].colour, printer->out);
    fprintf(printer->out, "%-*s", width, st_finding_statuses[status].name);
    if (printer->colour)
        fputs("\033[0m", printer->out);
}

/** Prints lines unchanged; NULL: none. */
static void print_lines(const struct st_printer *printer, const char *label, const char *text)
{
    if (text != NULL)
        st_print_verbatim(printer, INDENT, label, label[0] != '\0' ? TEXT_INDENT : INDENT, text);
}

/* --- settings --- */

/** Prints status, problem and possible cost. For the problem that the headline has explained, the rule's
 * title replaces the problem. */
static void print_row(const struct st_printer *printer, const struct st_report *report,
                      const struct st_finding *finding)
{
    const bool is_said = report->answer == NULL && finding == st_report_first_problem(report);
    const struct st_tuned_row *tuned = st_report_tuned(report, finding);
    const char *what = is_said ? finding->rule->title : finding->summary;
    const char *effect = ""; /* "": no bound is known, or the sentence has it */
    const char *cost =
        st_text("%.*f µs", finding->effect_us != floor(finding->effect_us), finding->effect_us);
    if (tuned != NULL && tuned->outcome == ST_TUNING_HELPS)
        effect = st_text(" (tried: %.1f times fewer late)", tuned->fold);
    else if (tuned != NULL)
        effect = tuned->outcome == ST_TUNING_HARMFUL ? " (tried: harmful here)" : " (tried: no effect here)";
    else if (finding->effect_known && finding->effect_us > 0 && strstr(what, cost) == NULL)
        effect = st_text(" (%.1f µs)", finding->effect_us);
    print_status(printer, finding->status, STATUS_WIDTH);
    st_print_on(printer, STATUS_WIDTH, st_text("%.*s%s", st_text_cut(what, 350), what, effect));
}

/** Does the command have a word in capitals to be filled in, such as TID in /proc/TID/timerslack_ns? */
static bool has_blank(const char *command)
{
    size_t n;
    for (const char *at = command; *at != '\0'; at += n > 0 ? n : 1) {
        n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (n > 1 && (at == command || strchr(" /", at[-1]) != NULL) && strchr(" /)", at[n]) != NULL)
            return true;
    }
    return false;
}

/** The only line of a command that is not a comment. NULL: the line is not the whole fix (a comment is a
 * step: "# remove X from FILE, then", "# then unplug it"), does not fit, has a word to be filled in, or
 * works in the current shell only ("$$"), since players are started from a menu. */
static const char *one_command(const char *text, int width)
{
    const char *command = NULL;
    ST_TEXT_EACH (line, st_text("%s", st_text_or(text, "")), "\n") {
        if (line[0] == '#' ? st_text_begins(line, "# then") || st_text_ends(line, "then") : command != NULL)
            return NULL;
        command = line[0] == '#' ? command : line;
    }
    if (command == NULL || (width != 0 && strlen(command) + INDENT > (size_t)width) ||
        strstr(command, "$$") != NULL || has_blank(command))
        return NULL;
    return command;
}

/** Is the finding about a posted text? That machine may lack sleeptune, and `apply` would change this
 * machine instead. */
static bool is_posted(const struct st_finding *finding)
{
    return finding->facts->partial;
}

static const char *apply_command(const struct st_finding *finding)
{
    return st_text("%ssleeptune apply %s", st_os_rows[st_rule_os(finding->rule)].sudo, finding->rule->id);
}

static bool is_jailed(const struct st_finding *finding)
{
    return st_facts_int_or(finding->facts, ST_KEY_FREEBSD_SECURITY_JAIL_JAILED, 0) != 0;
}

/** What the user can do about a setting, in one line. */
struct step {
    const char *command; /* "": by hand */
    const char *then; /* text after a semicolon: what has to follow, or how long the command's effect lasts */
};

/** The `apply` command if there is one, else the permanent command, else the one until reboot. @param
 * width columns; 0: any. */
static struct step step_of(const struct st_finding *finding, int width)
{
    struct step step = {"", st_finding_needs[finding->needs].then};
    /* other single lines of a permanent fix are lines of a file */
    const char *command = one_command(finding->fix_persistent, width);
    const bool lasts = command != NULL && st_text_begins(command, "sudo ");
    if (!lasts)
        command = one_command(finding->fix_now, width);
    if (st_rule_can_apply(finding)) {
        step.command = apply_command(finding);
    } else if (finding->in_place) {
        step.command = st_finding_needs[finding->needs].text;
        step.then = "";
    } else if (command != NULL) {
        step.command = st_text("%s%s", command, is_jailed(finding) ? "   # on the host" : "");
        /* lost at the next start of the machine or of PipeWire */
        if (!lasts && (finding->fix_persistent != NULL || st_text_begins(command, "pw-metadata ") ||
                       strstr(command, "| sudo tee /sys/") != NULL))
            step.then = "; works at once, does not last";
    } else if (finding->needs == ST_NEEDS_NOTHING) {
        step.then = "";
    }
    return step;
}

static void print_command(const struct st_printer *printer, const struct st_finding *finding)
{
    const struct step step = step_of(finding, printer->width);
    if (is_posted(finding) && st_finding_has_fix(finding)) {
        print_lines(printer, "", finding->fix_now);
        print_lines(printer, "", finding->fix_persistent);
    } else if (is_posted(finding)) {
        st_print_wrapped(printer, INDENT, "", INDENT, "no fix is known");
    } else if (step.command[0] != '\0') {
        print_lines(printer, "", step.command);
    } else {
        const char *text = st_text(st_finding_has_fix(finding) ? "by hand: 'sleeptune report %s' shows how"
                                                               : "no fix is known: see 'sleeptune report %s'",
                                   finding->rule->id);
        st_print_wrapped(printer, INDENT, "", INDENT, text);
    }
}

/** Prints what the fix costs and needs, and the rule's id. */
static void print_cost(const struct st_printer *printer, const struct st_finding *finding)
{
    const char *cost = st_rule_cost(finding->rule);
    /* on Linux the command includes sudo */
    const char *root = st_os_rows[st_rule_os(finding->rule)].sudo[0] == '\0' &&
                               st_text_is(st_rule_privilege(finding->rule), "root") && !is_jailed(finding)
                           ? "; as root"
                           : "";
    if (!st_finding_has_fix(finding))
        return;
    if (st_text_begins(cost, "none"))
        cost = "nothing";
    const char *text = st_text("%s: costs %.*s%s%s", finding->rule->id, (int)strcspn(cost, ":,\n"), cost,
                               step_of(finding, printer->width).then, root);
    st_print_wrapped(printer, INDENT, "", INDENT, text);
}

/** @return the worst setting, if it must be shown before the answer's next step; NULL: none. */
static const struct st_finding *problem_before_next(const struct st_report *report)
{
    const bool before = report->answer != NULL && report->answer->fine;
    return before ? st_report_first_problem(report) : NULL;
}

/** Is the finding's command the same as the next step, which is printed below? */
static bool is_next(const struct st_report *report, const struct st_finding *finding)
{
    const char *next = report->answer != NULL ? report->answer->next : NULL;
    return finding == problem_before_next(report) ||
           (next != NULL && st_text_begins(next, apply_command(finding)));
}

static void print_setting(const struct st_printer *printer, const struct st_report *report,
                          const struct st_finding *finding)
{
    print_row(printer, report, finding);
    if (!is_next(report, finding))
        print_command(printer, finding);
    if (report->answer == NULL)
        print_cost(printer, finding);
}

static int lines(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

/** What `print` prints of the report, or of one of its findings. @return NULL: out of memory. */
typedef void print_fn(const struct st_printer *printer, const struct st_report *report,
                      const struct st_finding *finding);

static const char *printed(const struct st_printer *printer, const struct st_report *report,
                           const struct st_finding *finding, print_fn *print)
{
    char *text = NULL;
    size_t bytes;
    struct st_printer inner = *printer;
    inner.out = open_memstream(&text, &bytes);
    if (inner.out == NULL)
        return NULL;
    print(&inner, report, finding);
    text = st_text_take(inner.out, &text);
    const char *copy = text != NULL ? st_text("%s", text) : NULL;
    free(text);
    return copy;
}

/** Prints settings. @param room lines on the screen. @return number of settings printed. */
static size_t print_settings(const struct st_printer *printer, const struct st_report *report, int room)
{
    const size_t max = report->answer != NULL ? BELOW_MAX : SETTINGS_MAX;
    size_t n = 0;
    bool fits = true;
    ST_REPORT_EACH (finding, report) {
        if (n == max ||
            (!fits && !is_posted(finding))) /* in a posted text, a later, shorter setting may fit */
            break;
        if (!st_finding_may_delay(finding))
            continue;
        const char *text = printed(printer, report, finding, print_setting);
        fits = text != NULL && lines(text) <= room;
        if (fits) {
            fputs(text, printer->out);
            room -= lines(text);
            n++;
        }
    }
    return n;
}

/* --- counts --- */

#define NAMES_MAX 3 /* names in a list; the rest is counted */

static bool needs_root(const struct st_fact *fact)
{
    return fact->state == ST_FACT_UNREADABLE && (fact->error == EACCES || fact->error == EPERM);
}

static bool is_set_aside(const struct st_finding *finding)
{
    return finding->set_aside != NULL;
}

/** A list of names: the first ones, and the number of further ones. */
struct names {
    const char *text;
    size_t n;
};

static void add_name(struct names *names, const char *name)
{
    if (names->n++ < NAMES_MAX)
        names->text = st_text_joined(names->text, ", ", st_text("%.*s", st_text_cut(name, 70), name));
}

static const char *names_text(const struct names *names)
{
    return names->n > NAMES_MAX ? st_text("%s and %zu more", names->text, names->n - NAMES_MAX) : names->text;
}

/** "8 ok, 2 not applicable, 2 unknown: linux-hz, linux-heat". */
static const char *counts_text(const struct st_report *report)
{
    struct names unknown = {0};
    ST_REPORT_EACH (finding, report) {
        if (finding->status == ST_STATUS_UNKNOWN && st_finding_counts(finding))
            add_name(&unknown, finding->rule->id);
    }
    return st_text("%zu ok, %zu not applicable, %zu unknown%s.\n", st_report_count(report, ST_STATUS_OK),
                   st_report_count(report, ST_STATUS_NOT_APPLICABLE), unknown.n,
                   st_text_with(": ", unknown.n <= NAMES_MAX ? unknown.text : NULL));
}

/** Text about advice that concerns delay, comfort or display only. */
static const char *harmless_text(const struct st_report *report)
{
    struct names names = {0};
    ST_REPORT_EACH (finding, report) {
        if (st_finding_has_fired(finding) && !st_finding_may_delay(finding))
            add_name(&names, finding->rule->id);
    }
    return names.n > 0 ? st_text("Advice that is not about lateness: %s.\n", names_text(&names)) : "";
}

/** Text about what could not be read, each once, and what to do. */
static const char *unread_text(const struct st_report *report)
{
    struct names names = {0};
    const char *said = "";
    bool root_helps = false;
    ST_EACH_OF (row, report->facts->rows, report->facts->n) {
        const struct st_fact *fact = *row;
        if (!st_fact_is_unread(fact))
            continue;
        const char *why = fact->state == ST_FACT_MALFORMED ? "not understood" : strerror(fact->error);
        const char *name = st_text("%.60s (%.40s)", st_text_or(fact->source, fact->key), why);
        const char *line = st_text("\n%s\n", name); /* full lines, since /etc/x is not /usr/local/etc/x */
        root_helps = root_helps || (needs_root(fact) && report->own_machine && geteuid() != 0);
        if (strstr(said, line) != NULL)
            continue;
        said = st_text("%s%s", said, line);
        add_name(&names, name);
    }
    if (names.n == 0)
        return "";
    return st_text("Not read: %s%s.\n", names_text(&names), root_helps ? ". Root can read more" : "");
}

/** Text about findings that the profile does not recommend. */
static const char *left_out_text(const struct st_report *report)
{
    const size_t aside = st_report_count_if(report, is_set_aside);
    if (aside == 0 && report->profile == ST_REPORT_PROFILE_DESKTOP)
        return "";
    return st_text("Profile %s leaves out %zu setting%s because of the cost.\n",
                   st_report_profile_names[report->profile], aside, ST_PLURAL(aside));
}

/* --- the screen --- */

/** Prints "COMMAND (why)". The command is a separate line of any length, so that it can be copied. */
static void print_next(const struct st_printer *printer, const struct st_report *report)
{
    const struct st_finding *problem = problem_before_next(report);
    const char *next = report->answer != NULL ? st_text_or(report->answer->next, "") : "";
    if (next[0] != '\0' && problem != NULL)
        next = st_rule_can_apply(problem) || problem->in_place
                   ? step_of(problem, 0).command
                   : st_text("sleeptune report %s", problem->rule->id);
    const char *why = strstr(next, " (");
    if (why != NULL && st_text_ends(next, ")")) {
        fputs("Next: ", printer->out);
        st_safe_print(printer->out, next, (size_t)(why - next));
        fputc('\n', printer->out);
        const char *inside = st_text("%.*s", (int)strlen(why) - 3, why + 2);
        st_print_wrapped(printer, NEXT_INDENT, "", NEXT_INDENT, inside);
    } else if (next[0] != '\0') {
        st_print_wrapped(printer, 0, "Next:", NEXT_INDENT, next);
    }
}

/** Prints what follows the settings: the next step, and the counts; below an answer, counts only with
 * details. */
static void print_below(const struct st_printer *printer, const struct st_report *report,
                        ST_UNUSED const struct st_finding *none)
{
    print_next(printer, report);
    if ((report->answer == NULL || printer->all) && !report->no_sound)
        st_print_wrapped(printer, 0, "", 0,
                         st_text("%s%s%s%s%s", counts_text(report), harmless_text(report),
                                 unread_text(report), left_out_text(report), st_place_notes(report->facts)));
}

/** Prints a line for each setting that is right, below the first screen. */
static void print_ok(const struct st_printer *printer, const struct st_report *report)
{
    fputc('\n', printer->out);
    ST_REPORT_EACH (finding, report) {
        if (finding->status != ST_STATUS_OK || !st_finding_counts(finding))
            continue;
        const char *label = st_text("ok  %s", finding->rule->id);
        st_print_wrapped(printer, 0, label, OK_COLUMNS, finding->rule->title);
    }
}

/** Prints what precedes the settings: the answer, and what an answer has below its sentences. */
static void print_above(const struct st_printer *printer, const struct st_report *report,
                        ST_UNUSED const struct st_finding *none)
{
    const char *music, *server, *verdict = st_report_format_headline(report);
    /* the posted text shows what happened, or the verdict has no size */
    const bool says_itself =
        report->facts->partial &&
        (report->wish.in_use ? st_facts_next(report->facts, ST_KEYS_SYSTEM_SEEN, "", NULL) != NULL
                             : strstr(verdict, " kHz (") == NULL);
    if (st_facts_text(report->facts, ST_MUSIC_SERVER, &server) == 0 && !report->wish.in_use &&
        report->wish.why[0] != '\0') /* the sentence about the music already says that the server runs */
        verdict = st_text("%s\nThe size in use is not known: the settings are judged for %u frames.", verdict,
                          report->wish.frames);
    else if (report->wish.why[0] != '\0' && !report->no_sound && !says_itself)
        verdict = st_text("%s\n%s.", verdict, st_buffer_text(&report->wish));
    /* if nothing runs, the row about the buffer says so */
    const bool watched =
        st_facts_text(report->facts, ST_MUSIC_ANSWER, &music) == 0 &&
        (report->wish.in_use || st_facts_has(report->facts, ST_MUSIC_SERVER) || report->wish.why[0] == '\0');
    const bool harmed = watched && st_facts_int_or(report->facts, ST_MUSIC_DROPOUTS, 0) > 0;
    st_print_wrapped(printer, 0, "", 0, harmed ? music : verdict);
    if (watched)
        st_print_wrapped(printer, 0, "", 0, harmed ? verdict : music);
    if (report->answer != NULL) {
        fputc('\n', printer->out);
        report->answer->table(report->answer->ctx, printer->out, printer->width != 0 ? printer->width : 80,
                              printer->colour);
    }
    fputc('\n', printer->out);
}

/** Prints the answer, at most five settings with cost and command, and counts of the rest; fewer settings
 * if the counts need room. @return 0 or -ENOMEM. */
static int print_first_screen(const struct st_printer *printer, const struct st_report *report)
{
    const char *hint = printer->all ? "One setting: sleeptune report ID."
                                    : "More: --details, --ok. One setting: sleeptune report ID.";
    const char *above = printed(printer, report, NULL, print_above),
               *below = printed(printer, report, NULL, print_below);
    if (above == NULL || below == NULL)
        return -ENOMEM;
    const size_t fired = st_report_count_if(report, st_finding_may_delay);
    const int rest = lines(above) + lines(below) + 2, /* 2: a blank line, and the hint */
        more = report->facts->partial ? POSTED_LINES : 0;
    fputs(above, printer->out);
    const size_t shown = print_settings(printer, report, SCREEN_LINES - rest + more);
    fprintf(printer->out, "%s%s", shown > 0 ? "\n" : "", below);
    if (shown < fired && !printer->all)
        hint = st_text("%zu more setting%s. %s", fired - shown, ST_PLURAL(fired - shown), hint);
    st_print_wrapped(printer, 0, "", 0, hint);
    return 0;
}

/* --- details --- */

static void print_field(const struct st_printer *printer, const char *label, const char *text)
{
    if (text != NULL && text[0] != '\0')
        st_print_wrapped(printer, INDENT, label, TEXT_INDENT, text);
}

/** Prints what sleeptune can do, and what the user can do. */
static void print_commands(const struct st_printer *printer, const struct st_finding *finding)
{
    if (st_rule_can_apply(finding) && !is_posted(finding))
        print_lines(printer, "Apply:", apply_command(finding));
    else if (finding->changes_n > 0)
        print_field(printer, "By hand:", st_facts_text_or(finding->facts, ST_KEY_SETTINGS_ELSEWHERE, NULL));
    print_lines(printer, "For ever:", finding->fix_persistent);
    print_lines(printer, "For now:", finding->fix_now);
}

static void print_fix(const struct st_printer *printer, const struct st_finding *finding)
{
    print_commands(printer, finding);
    if (!st_finding_has_fix(finding))
        return;
    const char *text =
        st_text("%s; rights: %s", st_finding_needs[finding->needs].text, st_rule_privilege(finding->rule));
    print_field(printer, "Needs:", text);
    print_field(printer, "Cost:", st_rule_cost(finding->rule));
    print_field(printer, "Not when:", finding->rule->when_not);
}

static void print_evidence(const struct st_printer *printer, const struct st_finding *finding)
{
    for (size_t i = 0; i < finding->evidence_n; i++) {
        const struct st_fact *fact = finding->evidence[i];
        const char *value = st_text_or(fact->text, ""), *text = ""; /* may contain control characters */
        switch (fact->state) {
        case ST_FACT_OK:
            text = st_text("%s = %.*s", fact->key, st_text_cut(value, 200), value);
            break;
        case ST_FACT_ABSENT:
            text = st_text("%s is absent", fact->key);
            break;
        case ST_FACT_UNREADABLE:
            text = st_text("%s could not be read: %s", fact->key, strerror(fact->error));
            break;
        case ST_FACT_MALFORMED:
            text = st_text("%s is malformed: \"%.*s\"", fact->key, st_text_cut(value, 60), value);
            break;
        }
        print_field(printer, i == 0 ? "Seen:" : "", text);
    }
}

static void print_effect(const struct st_printer *printer, const struct st_finding *finding,
                         const struct st_wish *wish)
{
    const char *text = "no upper limit is known";
    const double period_us = (double)wish->period_ns / 1000;
    /* print only a known effect, or that of a rule that asks for a change */
    if (!finding->effect_known && finding->status != ST_STATUS_PROBLEM && finding->status != ST_STATUS_ADVICE)
        return;
    if (finding->effect_known && finding->effect_us > 0)
        text = st_text("up to %.1f µs of lateness in each period of %.1f µs (%.1f %%)", finding->effect_us,
                       period_us, 100 * finding->effect_us / period_us);
    else if (finding->effect_known)
        text = st_text("0 µs of lateness in each period of %.1f µs", period_us);
    print_field(printer, "May cost:", text);
}

static void print_details(const struct st_printer *printer, const struct st_report *report,
                          const struct st_finding *finding)
{
    const struct st_tuned_row *tuned = st_report_tuned(report, finding);
    fputc('\n', printer->out);
    print_status(printer, finding->status, 0);
    fprintf(printer->out, ": %s [%s]\n", finding->rule->title, finding->rule->id);
    st_print_wrapped(printer, INDENT, "", INDENT, finding->summary);
    print_field(printer, "Left out:",
                finding->set_aside == NULL
                    ? finding->needless
                    : st_text("not recommended by the profile %s, because it costs %s",
                              st_report_profile_names[report->profile], finding->set_aside));
    print_effect(printer, finding, &report->wish);
    if (tuned != NULL)
        print_field(printer, "Measured:", st_tuned_text(report->tuned, tuned));
    print_field(printer, "Formula:", finding->formula);
    print_evidence(printer, finding);
    if (finding->status == ST_STATUS_UNKNOWN)
        print_lines(printer, "To know it:", finding->rule->check);
    print_fix(printer, finding);
}

static int write_text(const struct st_report *report, FILE *out, const struct st_report_view *view)
{
    const struct st_printer printer = {out, view->width, view->colour, view->all};
    const int r = print_first_screen(&printer, report);
    const char *others = st_facts_text_or(report->facts, ST_KEY_SYSTEM_INPUT_OTHERS, NULL);
    if (view->all && others != NULL && r == 0) {
        fputs("\nLines of the text that were not understood:\n", out);
        print_lines(&printer, "", others);
    }
    if (view->ok && r == 0)
        print_ok(&printer, report);
    ST_EACH_OF (finding, report->findings, view->all && r == 0 ? report->findings_n : 0)
        print_details(&printer, report, finding);
    return r;
}

const struct st_report_format st_report_text = {"text", write_text};

/* The entry of the rule in the manual, and its page of the documentation unless this machine has the program
 * without it. */
static void print_page(const struct st_printer *printer, const char *id)
{
    print_field(printer, "Manual:", st_text("man sleeptune-rules, entry %s", id));
    const bool is_file = st_text_begins(ST_DOCS_URL, "file://");
    const char *url = st_text("%s/rules/%s.html", ST_DOCS_URL, id);
    if (ST_DOCS_URL[0] != '\0' && (!is_file || access(url + 7, R_OK) == 0))
        print_field(printer, "Page:", url);
}

void st_report_format_rule(const struct st_rule *rule, const struct st_finding *finding,
                           const struct st_wish *wish, FILE *out, int width)
{
    const struct st_printer printer = {.out = out, .width = width};
    fprintf(out, "%s: %s\n\n", rule->id, rule->title);
    st_print_wrapped(&printer, INDENT, "", INDENT, rule->mechanism);
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
    const struct {
        const char *label, *text;
        bool lines;
    } rows[] = {
        {"Rights:", st_rule_privilege(rule)},
        {"Cost:", st_rule_cost(rule)},
        {"Not when:", rule->when_not},
        {"Risk:",
         st_rule_is_applied(rule) ? "safe: revert can undo it" : "by hand only: it depends on the machine"},
        {"Check:", rule->check, true},
        {"Undo:", rule->undo},
        {"History:", rule->history},
        {"Sources:", rule->sources},
    };
    ST_EACH (row, rows)
        (row->lines ? print_lines : print_field)(&printer, row->label, row->text);
    print_page(&printer, rule->id);
}
