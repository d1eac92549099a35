/* sleeptune verify: checks whether what `sleeptune apply` wrote is still there and took effect. */
#include <unistd.h>

#include "advisor/rules/buffer.h"
#include "advisor/rules/machine.h"
#include "cli/change/before_after.h"
#include "cli/change/change_output.h"
#include "cli/report/report_run.h"
#include "core/text/json.h"
#include "platform/program/output.h"

static const char help[] =
    "Usage: sleeptune verify [OPTION...]\n"
    "Check that everything 'sleeptune apply' wrote is still in place and took\n"
    "effect; most useful after a reboot. Then measure the timing as long as apply\n"
    "did, and compare both measurements. Changes nothing. Needs no root, but the\n"
    "right to use the real-time priority that apply measured with.\n"
    "\n"
    "  --no-measure       do not measure\n"
    "  --user NAME        judge with the rights that NAME gets at login\n"
    "  --root DIR         check a saved copy of a machine, not this one\n"
    "  --json             print JSON of the schema sleeptune-verify/1\n"
    "  -h, --help         this text\n"
    "\n"
    "Example:\n"
    "  sleeptune verify\n"
    "\n"
    "Exit status: 0 all of it took effect, 1 something did not, or the timing is\n"
    "worse than before, 2 something could not be read (1 wins over 2); 3 usage, 4\n"
    "failure, 5 the measurement is invalid.\n";

/* Sorted from good to bad: the worst outcome sets the exit status. */
enum outcome { OUTCOME_GOOD, OUTCOME_UNKNOWN, OUTCOME_BAD };
static const int exits[] = {ST_EXIT_DONE, ST_EXIT_UNKNOWN, ST_EXIT_FINDINGS};

struct work {
    struct st_facts_input input;
    bool json, no_measure;
    struct st_change_target target;
    enum outcome worst;
    json_t *entries, *rules;
};

/* --- what apply wrote --- */

/* Results that `verify` prints. enum st_entry_state has the states of a write; these are further
 * states of a write, and the states of a rule. */
enum word {
    INTERRUPTED = ST_ENTRY_UNREAD + 1,
    FORGOTTEN,
    IN_EFFECT,
    NOT_NEEDED,
    NOT_KNOWN,
    NOT_YET
};

static const struct {
    const char *name;
    enum outcome outcome;
    const char *detail; /* text for a write; NULL: none */
} words[] = {
    [ST_ENTRY_IN_PLACE] = {"in place", OUTCOME_GOOD},
    [ST_ENTRY_DIFFERS] = {"differs", OUTCOME_BAD, "someone changed this setting"},
    [ST_ENTRY_GONE] = {"gone", OUTCOME_BAD},
    [ST_ENTRY_UNREAD] = {"not read", OUTCOME_UNKNOWN},
    [INTERRUPTED] = {"interrupted", OUTCOME_BAD, "run: sleeptune revert --all"},
    [FORGOTTEN] = {"forgotten", OUTCOME_GOOD, "a restart of the computer has undone this change"},
    [IN_EFFECT] = {"in effect", OUTCOME_GOOD},
    [NOT_NEEDED] = {"not needed", OUTCOME_GOOD},
    [NOT_KNOWN] = {"not known", OUTCOME_UNKNOWN},
    [NOT_YET] = {"not yet", OUTCOME_BAD},
};

/** Prints whether a file or value is still as `apply` wrote it, and which other files set it. */
static void verify_entry(struct work *work, const struct st_entry *entry)
{
    const char *others = st_change_others(work->target.p, entry);
    const struct st_look now = st_change_look(work->target.p, entry);
    unsigned word = now.state;
    if (entry->phase == ST_PHASE_FORGOTTEN)
        word = FORGOTTEN;
    else if (entry->phase == ST_PHASE_OPEN)
        word = INTERRUPTED;
    const char *detail = st_text_or(words[word].detail, "");
    if (word == ST_ENTRY_UNREAD)
        detail = strerror(-now.error);
    if (word == ST_ENTRY_DIFFERS && now.now != NULL)
        detail = st_text("the value is %s now", now.now);
    work->worst = ST_MAX(work->worst, words[word].outcome);
    json_array_append_new(
        work->entries,
        st_json_object("rule:t target:t old:t new:t state:t detail:t also_in:t", entry->rule,
                       entry->target, entry->file ? NULL : entry->old_value,
                       entry->file ? NULL : entry->new_value, words[word].name, detail, others));
    if (work->json)
        return;
    st_change_output_row(12, words[word].name,
                         st_text_joined(st_change_output_entry(entry), ": ", detail));
    if (others[0] != '\0')
        st_change_output_row(12, "also in", others);
}

/* --- the rules of the applied changes --- */

/* The user to whom this rule (NULL: any rule) gave a right, other than `user`. @return NULL: no
 * one, or `user` has the right as well. */
static const char *other_user(const struct st_journal *journal, const char *id, const char *user)
{
    const char *other = NULL;
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        if (entry->kind != ST_CHANGE_LIMITS || (id != NULL && !st_text_is(entry->rule, id)))
            continue;
        if (st_text_is(entry->part, user))
            return NULL;
        other = entry->part;
    }
    return other;
}

/* Prints whether the changes of a rule took effect, judged by what the rule finds now. */
static void verify_rule(struct work *work, const struct st_report *report, const char *id)
{
    const struct st_finding *finding = st_report_find(report, id);
    if (finding == NULL)
        return;
    const bool fired = st_finding_asks(finding);
    const struct st_change_target *target = &work->target;
    const char *other =
        other_user(&target->journal, id, st_facts_text_or(target->facts, ST_KEY_USER_NAME, ""));
    const char *summary = finding->summary, *needs = NULL, *unread = NULL;
    enum word state = IN_EFFECT;
    ST_EACH_OF (entry, target->journal.entries, target->journal.entries_n) {
        const struct st_look look = st_change_look(target->p, entry);
        if (look.state == ST_ENTRY_UNREAD && st_text_is(entry->rule, id))
            unread = st_text("%s cannot be read (%s)", entry->target, strerror(-look.error));
    }
    if (fired && other != NULL) {
        state = NOT_YET;
        needs = st_text("the right was given to another user, %s: sleeptune apply %s --user NAME",
                        other, id);
    } else if (finding->status == ST_STATUS_NOT_APPLICABLE) {
        state = NOT_NEEDED;
    } else if (fired && unread != NULL) { /* the written file cannot be read, so the rule judged by
                                             other facts, such as the kernel's options */
        state = NOT_KNOWN;
        summary = unread;
        needs = geteuid() != 0 ? "run sleeptune verify as root" : NULL;
    } else if (finding->status == ST_STATUS_UNKNOWN) {
        state = NOT_KNOWN;
    } else if (fired && st_text_is(id, "linux-pipewire-quantum") &&
               st_facts_positive_or(target->facts, ST_BUFFER_PIPEWIRE_WISH, -1) ==
                   st_facts_positive_or(target->facts, ST_KEY_PIPEWIRE_FORCE_QUANTUM, 0)) {
        summary = "this buffer size is in effect: it is forced until PipeWire ends, and the file "
                  "sets it afterwards";
    } else if (fired && finding->changes_n > 0) {
        const struct st_change_row *row = &st_change_rows[finding->changes[0].kind];
        state = NOT_YET;
        needs = row->users                           ? row->then
                : finding->needs != ST_NEEDS_NOTHING ? st_finding_needs[finding->needs].text
                                                     : NULL;
    } else if (fired) {
        needs = "'sleeptune apply' cannot change all that is needed; for the other changes see "
                "'sleeptune report'";
    }
    work->worst = ST_MAX(work->worst, words[state].outcome);
    json_array_append_new(work->rules,
                          st_json_object("id:t state:t summary:t needs:t frames:u rate_hz:u", id,
                                         words[state].name, summary, needs, report->wish.frames,
                                         report->wish.rate_hz));
    if (!work->json)
        st_change_output_row(4, st_text("%-10s  %s:", words[state].name, id),
                             st_text_joined(summary, "; ", needs));
}

/* Judges each rule for the buffer size for which `apply` judged it: a change for 128 frames that
 * waits for a login would look done while PipeWire idles at 1024 frames. A user's own settings of
 * PipeWire are judged for the size in use. */
static int verify_rules(struct work *work)
{
    const struct st_change_target *target = &work->target;
    struct st_wish last = {.frames = 0};
    struct st_report report;
    ST_EACH_OF (entry, target->journal.entries, target->journal.entries_n) {
        if (st_journal_find(&target->journal, entry->rule) != entry)
            continue;
        const int status = st_report_run_make(target->facts, target->own ? 0 : entry->frames,
                                              entry->rate_hz, &report);
        if (status != ST_EXIT_DONE)
            return status;
        if (!work->json &&
            (report.wish.frames != last.frames || report.wish.rate_hz != last.rate_hz))
            printf("settings checked for %s%s\n", st_buffer_text(&report.wish),
                   target->own ? "" : ", as 'sleeptune apply' did");
        last = report.wish;
        verify_rule(work, &report, entry->rule);
        st_report_finish(&report);
    }
    return ST_EXIT_DONE;
}

/* --- checking everything, and comparing the runs before and after --- */

static int verify(struct work *work)
{
    const struct st_change_target *target = &work->target;
    const struct st_journal *journal = &target->journal;
    const bool json = work->json, any = journal->entries_n > 0;
    struct st_before_after proof = {
        .why = !any            ? st_change_output_nothing(true)
               : !target->live ? "a saved copy of a machine (--root) cannot be measured"
               : target->own ? "a measurement does not show what settings in your home folder do: "
                               "compare the dropouts in 'sleeptune status --details'"
               : work->no_measure ? "not measured (--no-measure)"
                                  : NULL};
    /* root has each right anyway: check whether the user got it */
    if (target->live ? geteuid() == 0 && st_facts_input_player(&work->input) == NULL
                     : work->input.user == NULL)
        work->input.user = other_user(journal, NULL, "");
    int status = st_change_target_judge(&work->input, 0, 0, &work->target);
    if (status != ST_EXIT_DONE)
        return status;
    ST_EACH_OF (entry, journal->entries, journal->entries_n)
        verify_entry(work, entry);
    status = verify_rules(work);
    if (status != ST_EXIT_DONE)
        return status;
    if (!any && !json)
        printf(
            "%s\nFor a buffer size that you set yourself, 'sleeptune status --details' shows the "
            "dropouts with each size.\n",
            proof.why);
    fflush(stdout);
    if (proof.why == NULL)
        status = st_before_after_make(target, &proof);
    if (status == ST_EXIT_DONE)
        status = exits[proof.why == NULL && proof.late.verdict == ST_COUNTS_MORE ? OUTCOME_BAD
                                                                                 : work->worst];
    if (json &&
        st_output_json(st_json_object(
            "schema:t in_effect:o entries:o rules:o proof:o", "sleeptune-verify/1",
            work->worst == OUTCOME_UNKNOWN ? NULL : json_boolean(work->worst == OUTCOME_GOOD),
            json_incref(work->entries), json_incref(work->rules), st_before_after_json(&proof))) !=
            ST_EXIT_DONE)
        status = ST_EXIT_FAILURE;
    if (!json && any && target->live)
        st_before_after_print(&proof);
    st_before_after_finish(&proof);
    if (!json && target->own &&
        st_change_folder_look(target->p, st_os_rows[target->p->os].changes) != -ENOENT)
        st_change_output_row(0, "",
                             "These are your own settings. Run 'sleeptune verify' as root for the "
                             "changes that root applied.");
    return status;
}

int st_cmd_verify(int argc, char **argv)
{
    struct work work = {.entries = json_array(), .rules = json_array()};
    const struct st_option table[] = {
        {"root", .text = &work.input.root},
        {"user", .text = &work.input.user},
        {"no-measure", .flag = &work.no_measure},
        {.name = "json", .flag = &work.json},
    };
    int status = st_options_only(table, ST_ARRAY_LEN(table), help, argc, argv);
    if (status < 0) {
        const char *root = work.input.root;
        status = st_change_target_open(root, st_change_target_has_own(root), &work.target);
        if (status == ST_EXIT_DONE) {
            status = verify(&work);
            st_change_target_close(&work.target);
        }
    }
    json_decref(work.entries);
    json_decref(work.rules);
    return status;
}
