/* sleeptune verify: is what apply wrote still there, and did it take effect? */
#include <fnmatch.h>
#include <unistd.h>

#include "advisor/report/report_format.h"
#include "advisor/rules/buffer.h"
#include "advisor/rules/machine.h"
#include "cli/change/before_after.h"
#include "cli/change/change_output.h"
#include "cli/change/change_target.h"
#include "cli/command.h"
#include "core/text/text.h"
#include "core/text/text_buffer.h"
#include "platform/program/output.h"

struct options {
    struct st_facts_input input;
    int64_t frames, rate_hz;
    bool json;
    bool measure;
    int64_t measure_ns; /* 0: as long as before */
};

static const char help[] = "Usage: sleeptune verify [OPTION...]\n"
                           "Check that everything 'sleeptune apply' wrote is still in place and took\n"
                           "effect; most useful after a reboot. Then run the loop as long as apply\n"
                           "ran it, and compare both runs. Changes nothing. Needs no root, but the\n"
                           "right to use the real-time priority that apply measured with.\n\n"
                           "  -f, --frames N     frames per period (as apply judged)\n"
                           "  -r, --rate RATE    sample rate, as in 48000 or 44.1k (likewise)\n"
                           "  --measure TIME     run the loop for TIME, 1s .. 10m (as long as before)\n"
                           "  --no-measure       do not run the loop\n"
                           "  --user NAME        judge with the rights that NAME gets at login\n"
                           "  --root DIR         check a captured tree, not this machine\n"
                           "  --format FORMAT    text or json; --json is short for --format json\n"
                           "  -h, --help         this text\n\n"
                           "Example:\n"
                           "  sleeptune verify\n\n"
                           "Exit status: 0 all of it took effect, 1 something did not, or the loop runs\n"
                           "worse than before, 2 something could not be read (1 wins over 2); 3 usage, 4\n"
                           "failure, 5 the measurement is invalid.\n";

/* In rising order: the worst one decides. */
enum outcome { OUTCOME_GOOD, OUTCOME_UNKNOWN, OUTCOME_BAD };

struct output {
    bool json;
    json_t *entries, *rules; /* for JSON */
};

/** Is it as we wrote it, and does it count? */
static enum outcome verify_entry(struct st_machine *machine, const struct st_entry *entry,
                                 struct output *output)
{
    static const char *const names[] = {[ST_ENTRY_IN_PLACE] = "in place",
                                        [ST_ENTRY_DIFFERS] = "differs",
                                        [ST_ENTRY_GONE] = "gone",
                                        [ST_ENTRY_UNREAD] = "not read"};
    char now[ST_CHANGE_VALUE_BYTES] = "", others[1024] = "";
    const char *name = "interrupted", *detail = "run: sleeptune revert --all";
    int error = 0;
    enum outcome outcome = OUTCOME_BAD;
    if (entry->forgotten) {
        name = "forgotten";
        detail = "this system was started after that";
        outcome = OUTCOME_GOOD;
    } else if (entry->phase == ST_PHASE_DONE) {
        const enum st_entry_state state = st_change_state(machine, entry, now, sizeof(now), &error);
        name = names[state];
        detail = state == ST_ENTRY_DIFFERS  ? (entry->file ? "someone changed it" : now)
                 : state == ST_ENTRY_UNREAD ? strerror(-error)
                                            : "";
        if (state == ST_ENTRY_UNREAD)
            outcome = OUTCOME_UNKNOWN;
        else if (state == ST_ENTRY_IN_PLACE)
            outcome = OUTCOME_GOOD;
    }
    (void)st_change_others(machine, entry, others, sizeof(others));
    if (output->json) {
        json_array_append_new(output->entries,
                              json_pack("{s:s, s:s, s:s?, s:s?, s:s, s:s, s:s}", "rule", entry->rule,
                                        "target", entry->target, "old", entry->file ? NULL : entry->old_value,
                                        "new", entry->file ? NULL : entry->new_value, "state", name, "detail",
                                        detail, "also_in", others));
        return outcome;
    }
    st_change_output_row(12, name,
                         ST_TEXT(2048, "%s%s%s%s%s", st_change_output_entry(entry, ST_ROOM(1024)),
                                 detail == now || detail[0] != '\0' ? ": " : "",
                                 detail == now ? "it is " : "", detail, detail == now ? " now" : ""));
    if (others[0] != '\0')
        st_change_output_row(12, "also in", others);
    return outcome;
}

/* Would this change be the write of this entry? */
static bool is_written(struct st_machine *machine, const struct st_change *change,
                       const struct st_entry *entry)
{
    struct st_change_form form;
    char *text;
    if (!entry->file)
        return st_text_is(change->value, entry->new_value) &&
               fnmatch(change->key, entry->target, FNM_PATHNAME) == 0;
    if (st_change_form(machine->os, entry->rule, change, &form) != 0 ||
        !st_text_is(form.path, entry->target) || st_change_file_read(machine, form.path, &text) != 0)
        return false;
    const bool found = strstr(text, form.line) != NULL;
    free(text);
    return found;
}

/* Does the rule still ask for something that apply wrote? */
static bool asks_again(struct st_machine *machine, const struct st_finding *finding,
                       const struct st_journal *journal)
{
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        ST_EACH_OF (change, finding->changes, finding->changes_n) {
            if (st_text_is(entry->rule, finding->rule->id) && is_written(machine, change, entry))
                return true;
        }
    }
    return false;
}

/* Has the running PipeWire the size for now that the written file gives it later? */
static bool is_forced(const struct st_change_target *target, const struct st_finding *finding)
{
    int64_t wish;
    return finding->changes_n > 0 && finding->changes[0].kind == ST_CHANGE_PIPEWIRE &&
           st_facts_int(target->facts, ST_BUFFER_PIPEWIRE_WISH, &wish) == 0 &&
           st_facts_positive_or(target->facts, ST_KEY_PIPEWIRE_FORCE_QUANTUM, 0) == wish;
}

/* A running value of the rule that cannot be read here. @return NULL: none. */
static const struct st_entry *unread(struct st_machine *machine, const struct st_journal *journal,
                                     const char *id, int *ret_error)
{
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        *ret_error = 0;
        if (st_text_is(entry->rule, id))
            (void)st_change_state(machine, entry, ST_ROOM(ST_CHANGE_VALUE_BYTES), ret_error);
        if (*ret_error != 0)
            return entry;
    }
    return NULL;
}

/* FreeBSD's loader.conf counts from the next boot on, whatever a finding says that is fine. Has the kernel
 * other values than the files of this rule? */
static bool waits_for_boot(const struct st_change_target *target, const struct st_journal *journal,
                           const char *id)
{
    char *text, key[128], value[128];
    const char *now;
    bool waits = false;
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        if (!entry->file || entry->kind != ST_CHANGE_LOADER || !st_text_is(entry->rule, id) ||
            st_change_file_read(&target->p->machine, entry->target, &text) != 0)
            continue;
        for (const char *line = text; *line != '\0'; line = st_text_next_line(line)) {
            if (line[0] != '#' && sscanf(line, "%127[^=\n]=\"%127[^\"\n]\"", key, value) == 2 &&
                st_facts_text(target->facts, ST_TEXT(192, ST_KEYS_FREEBSD "%s", key), &now) == 0)
                waits = waits || !st_text_is(now, value);
        }
        free(text);
    }
    return waits;
}

/* The user whom this rule gave a right, as long as it is not `user`. @return "": no one, or `user`, too. */
static const char *other_user(const struct st_journal *journal, const char *id, const char *user)
{
    const char *other = "";
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        if (!entry->file || entry->kind != ST_CHANGE_LIMITS || (id != NULL && !st_text_is(entry->rule, id)))
            continue;
        if (st_text_is(entry->part, user))
            return "";
        other = entry->part;
    }
    return other;
}

/* What the rule says now. */
static enum outcome verify_rule(const struct st_change_target *target, const struct st_report *report,
                                const struct st_journal *journal, const char *id, struct output *output)
{
    const struct st_finding *finding = st_report_find(report, id);
    if (finding == NULL)
        return OUTCOME_GOOD;
    const bool fired = finding->status == ST_STATUS_PROBLEM || finding->status == ST_STATUS_ADVICE;
    int error = 0;
    const struct st_entry *hidden = unread(&target->p->machine, journal, id, &error);
    const char *summary = finding->summary;
    char not_read[700];
    enum outcome outcome = OUTCOME_GOOD;
    const char *state = "in effect", *more = "", *needs = NULL;
    const char *user = st_facts_text_or(target->facts, ST_KEY_USER_NAME, "");
    const char *other = other_user(journal, id, user);
    char other_needs[2 * ST_CHANGE_KEY_BYTES + 128];
    if (fired && other[0] != '\0') {
        outcome = OUTCOME_BAD;
        state = "not yet";
        more = "; ";
        needs = other_needs;
        ST_PRINT(other_needs, "the right was given to %s, not to %s: %ssleeptune apply %s --user %s", other,
                 user[0] != '\0' ? user : "this user", st_os_rows[target->p->machine.os].sudo, id,
                 st_machine_is_plain(user) ? user : "NAME");
    } else if (finding->status == ST_STATUS_NOT_APPLICABLE) {
        state = "not needed";
    } else if (fired && hidden != NULL) {
        outcome = OUTCOME_UNKNOWN;
        state = "not known";
        ST_PRINT(not_read, "%s cannot be read (%s)", hidden->target, strerror(-error));
        summary = not_read; /* the rule judged by less, such as the kernel's configuration */
        more = error == -EACCES || error == -EPERM ? "; " : "";
        needs = more[0] != '\0' ? "run sleeptune verify as root" : NULL;
    } else if (finding->status == ST_STATUS_UNKNOWN) {
        outcome = OUTCOME_UNKNOWN;
        state = "not known";
    } else if (fired && is_forced(target, finding) && asks_again(&target->p->machine, finding, journal)) {
        summary = "PipeWire's cycle is forced to this size until it ends; later by the file";
    } else if (fired && asks_again(&target->p->machine, finding, journal)) {
        outcome = OUTCOME_BAD;
        state = "not yet";
        more = finding->needs != ST_NEEDS_NOTHING ? "; " : "";
        needs = finding->needs == ST_NEEDS_NOTHING             ? NULL
                : st_change_is_users(finding->changes[0].kind) ? st_change_then(finding->changes[0].kind)
                                                               : st_finding_needs[finding->needs].text;
    } else if (fired) {
        more = "; the report finds more than apply can change, see: ";
        needs = "sleeptune report";
    } else if (waits_for_boot(target, journal, id)) {
        outcome = OUTCOME_BAD;
        state = "not yet";
        more = "; ";
        needs = st_finding_needs[ST_NEEDS_REBOOT].text;
    }
    if (output->json) {
        json_array_append_new(output->rules, json_pack("{s:s, s:s, s:s, s:s?, s:I, s:I}", "id", id, "state",
                                                       state, "summary", summary, "needs", needs, "frames",
                                                       (json_int_t)report->wish.frames, "rate_hz",
                                                       (json_int_t)report->wish.rate_hz));
        return outcome;
    }
    char *text;
    const char *label = ST_TEXT(96, "%-10s  %s:", state, id);
    if (asprintf(&text, "%s%s%s", summary, more, needs != NULL ? needs : "") >= 0) {
        st_change_output_text(0, label, text);
        free(text);
    }
    return outcome;
}

static bool is_first_of_rule(const struct st_journal *journal, size_t i)
{
    ST_EACH_OF (entry, journal->entries, i) {
        if (st_text_is(entry->rule, journal->entries[i].rule))
            return false;
    }
    return true;
}

/* Each rule is judged for the size that apply judged for, unless the user asks for another one: what waits
 * for a login at 128 frames would look done while PipeWire idles at 1024. */
static int verify_rules(const struct st_change_target *target, const struct st_journal *journal,
                        const struct options *options, struct output *output, enum outcome *worst)
{
    struct st_wish last = {.frames = 0};
    const bool asked = options->frames != 0 || options->rate_hz != 0;
    for (size_t i = 0; i < journal->entries_n; i++) {
        const struct st_entry *entry = &journal->entries[i];
        const bool by_apply = !asked && entry->frames > 0;
        const struct st_report *report = &target->report;
        struct st_report then;
        if (!is_first_of_rule(journal, i))
            continue;
        if (by_apply) {
            const int r = st_report_make(target->facts, entry->frames, entry->rate_hz, &then);
            if (r != 0)
                return st_failure("%s: %s", entry->rule, strerror(-r));
            report = &then;
        }
        if (!output->json && (report->wish.frames != last.frames || report->wish.rate_hz != last.rate_hz))
            printf("judged for %s%s\n", st_buffer_text(&report->wish, ST_ROOM(ST_BUFFER_TEXT_BYTES)),
                   by_apply ? ", as by apply" : "");
        last = report->wish;
        const enum outcome outcome = verify_rule(target, report, journal, entry->rule, output);
        *worst = ST_MAX(*worst, outcome);
        if (by_apply)
            st_report_finish(&then);
    }
    return ST_EXIT_DONE;
}

/* What tune measured of the values that are applied. @return whether there is any. */
static bool find_tuned(const struct st_change_target *target, const struct st_journal *journal, char *buf,
                       size_t buf_bytes)
{
    struct st_tuned tuned;
    struct st_text_buffer all = st_text_buffer_on(buf, buf_bytes);
    buf[0] = '\0';
    if (!target->live || target->own ||
        st_tuned_read(&target->p->machine, target->folder, target->facts, &tuned) != 0)
        return false;
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        const struct st_tuned_row *row = st_tuned_find(&tuned, entry->rule);
        if (row != NULL && row->outcome == ST_TUNING_HELPS && !entry->file &&
            st_text_is(entry->target, row->target) && st_text_is(entry->new_value, row->to))
            st_text_buffer_printf(&all, "%s%s, %s%s", buf[0] != '\0' ? "; " : "by tune: ", row->id,
                                  st_tuned_text(&tuned, row, ST_ROOM(ST_TUNED_TEXT_BYTES)),
                                  st_tuned_per_hour(row, ST_ROOM(160)));
    }
    return buf[0] != '\0';
}

/* Did it help? @return an st_exit. */
static int prove(const struct st_change_target *target, const struct st_journal *journal,
                 const struct options *options, struct st_before_after *ret)
{
    char tuned[sizeof(ret->why)];
    const char *why = journal->entries_n == 0 ? "nothing is applied"
                      : !target->live         ? "a saved copy of a machine (--root) cannot be measured"
                      : target->own ? "counted while music plays: sleeptune status --details, column Bursts/h"
                      : !st_before_after_is_kept(target) && find_tuned(target, journal, tuned, sizeof(tuned))
                          ? tuned
                      : !options->measure ? "not measured (--no-measure)"
                                          : NULL;
    if (why == NULL)
        return st_before_after_make(target, journal, options->measure_ns, ret);
    *ret = (struct st_before_after){0};
    ST_PRINT(ret->why, "%s", why);
    return ST_EXIT_DONE;
}

static int verify_all(const struct st_change_target *target, const struct st_journal *journal,
                      const struct options *options, struct output *output)
{
    struct st_before_after proof;
    enum outcome worst = OUTCOME_GOOD;
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        const enum outcome outcome = verify_entry(&target->p->machine, entry, output);
        worst = ST_MAX(worst, outcome);
    }
    int status = verify_rules(target, journal, options, output, &worst);
    if (status != ST_EXIT_DONE)
        return status;
    if (journal->entries_n == 0 && !output->json)
        puts("nothing is applied");
    fflush(stdout);
    status = prove(target, journal, options, &proof);
    if (status == ST_EXIT_DONE &&
        (worst == OUTCOME_BAD || (proof.compared && proof.late.verdict == ST_COUNTS_MORE)))
        status = ST_EXIT_FINDINGS;
    if (status == ST_EXIT_DONE && worst == OUTCOME_UNKNOWN)
        status = ST_EXIT_UNKNOWN;
    if (output->json &&
        st_output_json(json_pack("{s:s, s:o, s:O, s:O, s:o}", "schema", "sleeptune-verify/1", "in_effect",
                                 worst == OUTCOME_UNKNOWN ? json_null() : json_boolean(worst == OUTCOME_GOOD),
                                 "entries", output->entries, "rules", output->rules, "proof",
                                 st_before_after_json(&proof))) != ST_EXIT_DONE)
        status = ST_EXIT_FAILURE;
    if (!output->json && journal->entries_n > 0 && target->live)
        st_before_after_print(&proof);
    st_before_after_finish(&proof);
    if (!output->json && target->own &&
        st_change_folder_look(&target->p->machine, st_os_rows[target->p->machine.os].changes) != -ENOENT)
        st_change_output_row(
            0, "",
            "These are your own settings. Run 'sleeptune verify' as root for the changes that root applied.");
    return status;
}

static int verify(struct st_change_target *target, const struct options *options)
{
    struct st_journal journal;
    struct st_facts_input input = options->input;
    int status = st_change_target_journal(target, &journal);
    if (status != ST_EXIT_DONE)
        return status;
    struct output output = {.json = options->json, .entries = json_array(), .rules = json_array()};
    /* root has each right: the question is whether the user got it */
    const bool any_user =
        target->live ? geteuid() == 0 && st_facts_input_player(&input) == NULL : input.user == NULL;
    const char *given = any_user ? other_user(&journal, NULL, "") : "";
    if (given[0] != '\0')
        input.user = given;
    status = st_change_target_judge(&input, options->frames, options->rate_hz, target);
    if (status == ST_EXIT_DONE)
        status = verify_all(target, &journal, options, &output);
    st_journal_finish(&journal);
    json_decref(output.entries);
    json_decref(output.rules);
    return status;
}

/** @return -1 to go on, or an st_exit. */
static int parse_options(int argc, char **argv, struct options *options)
{
    bool no_measure = false;
    const struct st_option table[] = {
        ST_OPTION_ROWS_BUFFER(&options->frames, &options->rate_hz),
        {"root", .text = &options->input.root},
        {"user", .text = &options->input.user},
        ST_BEFORE_AFTER_OPTION(&options->measure_ns),
        {"no-measure", .flag = &no_measure},
        ST_OPTION_ROWS_JSON(&options->json),
    };
    const int r = st_options_only(table, ST_ARRAY_LEN(table), help, argc, argv);
    options->measure = !no_measure;
    return r;
}

int st_cmd_verify(int argc, char **argv)
{
    struct options options = {0};
    struct st_change_target target;
    int status = parse_options(argc, argv, &options);
    if (status >= 0)
        return status;
    status = st_change_target_open(options.input.root,
                                   options.input.root == NULL && st_change_target_has_own(), &target);
    if (status != ST_EXIT_DONE)
        return status;
    status = verify(&target, &options);
    st_change_target_close(&target);
    return status;
}
