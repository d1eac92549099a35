/* sleeptune apply: changes the settings that the advisor found, so that `sleeptune revert` can undo
 * the changes. */
#include <unistd.h>

#include "advisor/rules/machine.h"
#include "cli/change/before_after.h"
#include "cli/change/change_output.h"
#include "cli/report/report_run.h"
#include "core/ns.h"
#include "core/text/safe.h"
#include "platform/program/stop.h"
#include "xruns/xrun.h"

#define PIPEWIRE_RULE "linux-pipewire-quantum"
#define HEADROOM_RULE "linux-device-headroom"
#define MEASURE_NS    (30 * ST_NS_PER_S)

struct work {
    struct st_facts_input input;
    int64_t frames;
    int64_t rate_hz;
    bool dry_run;
    bool yes;
    bool run_generators;
    int64_t measure_ns; /* how long the loop is measured before the first change; 0: not at all */
    const char *const *ids; /* ids of the rules to apply, ended with NULL; no id: every rule */
    size_t ids_n;
    const char *own_ids[2];
    int64_t quantum;  /* N of linux-pipewire-quantum=N; 0: not given */
    const char *card; /* CARD of linux-device-headroom=CARD; NULL: not given */

    struct st_change_target target;
    struct st_journal plan;
    size_t by_hand_n;
};

static const char help[] =
    "Usage: sleeptune apply [OPTION...] [ID...]\n"
    "Change the settings that 'sleeptune report' found, in files of sleeptune's own\n"
    "and in the running system; 'sleeptune revert' undoes all of it. Without ID:\n"
    "every problem or advice that is safe to change. Changes that depend on how you\n"
    "use the machine are shown and never applied.\n"
    "\n"
    "linux-pipewire-quantum=N sets N frames for all programs of your PipeWire, and\n"
    "linux-device-headroom=CARD gives a card (CARD: how its name in pw-top begins) a\n"
    "reserve of 512 frames, in a file in your home folder. Run it as the user who\n"
    "plays, without sudo.\n"
    "\n"
    "  --dry-run          show what would change; change nothing\n"
    "  -y, --yes          do not ask\n"
    "  -f, --frames N     frames per period (as in the sound server, else 128)\n"
    "  -r, --rate RATE    sample rate, as in 48000 or 44.1k (server's, else 48k)\n"
    "  --run-generators   run the commands that make changed files take effect;\n"
    "                     without it they are printed\n"
    "  --measure TIME     measure the timing for TIME first, 1s .. 10m (30s); verify\n"
    "                     compares with it. Not with --dry-run, --root or ID=...\n"
    "  --no-measure       do not measure\n"
    "  --user NAME        give NAME the rights of linux-rt-permission and\n"
    "                     linux-memlock (the user who logged in); FreeBSD: whose\n"
    "                     login class freebsd-memlock judges\n"
    "  --root DIR         change a saved copy of a machine, not this one\n"
    "  -h, --help         this text\n"
    "\n"
    "Examples (settings of the system need root):\n"
    "  sleeptune apply --dry-run\n"
    "  sleeptune apply linux-cpu-frequency\n"
    "  sleeptune apply linux-pipewire-quantum=128\n"
    "  sleeptune revert --all\n"
    "\n"
    "Exit status: 0 done, also if it takes effect at the next login or start, or\n"
    "nothing to do; 1 a change was shown, or one must be made by hand, or a\n"
    "named rule does not apply here or cannot be judged; 3 usage; 4 failure:\n"
    "nothing was changed, or the files are written and a command of --run-generators\n"
    "failed.\n";

/* Reads the value of an id such as "linux-pipewire-quantum=128"; two ids take a value. @return an
 * st_exit. */
static int take_value(struct work *work)
{
    const char *value = work->ids_n > 0 ? strchr(work->ids[0], '=') : NULL;
    const char *id =
        value != NULL ? st_text("%.*s", (int)(value - work->ids[0]), work->ids[0]) : "";
    const bool is_card = st_text_is(id, HEADROOM_RULE);
    if (!is_card && !st_text_is(id, PIPEWIRE_RULE))
        return st_report_run_check_ids(work->ids, work->ids_n);
    if (work->ids_n > 1)
        return st_failure_usage("an ID with a value (%s=) must be given alone, without other IDs",
                                id);
    if (work->input.root != NULL || geteuid() == 0)
        return st_failure_usage("%s=... writes into the home folder of the user who plays. Run it "
                                "as that user, not as root, and without --root.",
                                id);
    if (work->measure_ns > 0)
        return st_failure_usage("--measure cannot be used with %s=...: the timing test does not "
                                "depend on this setting",
                                id);
    work->own_ids[0] = id;
    work->ids = work->own_ids;
    if (is_card) {
        work->card = value + 1;
        return ST_EXIT_DONE;
    }
    const int status = st_option_i64(st_text("%s=", id), value + 1, 16, 8192, &work->quantum);
    if (status == ST_EXIT_DONE && (work->quantum & (work->quantum - 1)) != 0)
        return st_failure_usage("%s=N: N must be a power of two from 16 to 8192 frames, because "
                                "PipeWire accepts no other size",
                                id);
    return status;
}

/** Reads the options. @return -1 to go on, or an st_exit. */
static int parse_options(int argc, char **argv, struct work *work)
{
    int first;
    bool no_measure = false;
    const struct st_option table[] = {
        {"dry-run", .flag = &work->dry_run},
        {"yes", 'y', .flag = &work->yes},
        ST_OPTION_ROWS_BUFFER(&work->frames, &work->rate_hz),
        {"root", .text = &work->input.root},
        {"user", .text = &work->input.user},
        {"run-generators", .flag = &work->run_generators},
        {"measure", .time_ns = &work->measure_ns, .min = ST_NS_PER_S, .max = 600 * ST_NS_PER_S},
        {"no-measure", .flag = &no_measure},
    };
    int r = st_options_read(table, ST_ARRAY_LEN(table), help, argc, argv, &first);
    if (r != -1)
        return r;
    if (no_measure)
        work->measure_ns = 0;
    if ((work->run_generators || work->measure_ns > 0) && work->input.root != NULL)
        return st_failure_usage("--run-generators and --measure work only on this machine: leave "
                                "out --root");
    work->ids = (const char *const *)argv + first;
    work->ids_n = (size_t)(argc - first);
    r = take_value(work);
    if (work->measure_ns == 0 && !no_measure && work->ids != work->own_ids)
        work->measure_ns = MEASURE_NS;
    return r != 0 ? r : -1;
}

/* --- planning the changes --- */

static void print_head(const struct st_rule *rule, const char *text)
{
    st_change_output_row(4, st_text("%s:", rule->id), text);
}

static void print_by_hand(const struct st_finding *finding, const char *why)
{
    print_head(finding->rule, why);
    if (finding->fix_now != NULL)
        st_change_output_lines(finding->fix_now);
    if (finding->fix_persistent != NULL)
        st_change_output_lines(finding->fix_persistent);
}

/* Has `apply` already made this rule's change? No, if the earlier change gave a right to another
 * user. No, if it is a setting of the user's own programs, since a new value replaces the earlier
 * one. */
static bool is_applied(const struct work *work, const struct st_finding *finding)
{
    ST_EACH_OF (entry, work->target.journal.entries, work->target.journal.entries_n) {
        if (entry->phase == ST_PHASE_DONE && st_text_is(entry->rule, finding->rule->id) &&
            (entry->kind != ST_CHANGE_LIMITS || finding->changes_n == 0 ||
             st_text_begins(finding->changes[0].key, st_text("%s ", entry->part))))
            return !work->target.own;
    }
    return false;
}

/* Does the rule give a right to one user, while no user is named? Root has the right anyway. */
static bool needs_user(const struct work *work, const struct st_rule *rule)
{
    const struct st_facts *facts = work->target.facts;
    return rule->changes != NULL && rule->changes[0].kind == ST_CHANGE_LIMITS &&
           work->input.user == NULL &&
           (st_facts_text_or(facts, ST_KEY_USER_NAME, NULL) == NULL ||
            st_facts_int_or(facts, ST_KEY_USER_UID, -1) == 0);
}

/* Prints costs and side effects of planned changes, so that the user can decide. */
static void print_planned(const struct work *work, const struct st_finding *finding,
                          size_t first_step)
{
    st_change_output_row(14, "    cost:", st_rule_cost(finding->rule));
    st_change_output_row(14, "    not when:", finding->rule->when_not);
    for (size_t i = first_step; i < work->plan.entries_n; i++) {
        const struct st_entry *step = &work->plan.entries[i];
        const char *others = st_change_others(work->target.p, step);
        if (step->file && step->kind == ST_CHANGE_LIMITS)
            st_change_output_row(
                14, "    for:", st_text("user %s, from the next login on", step->part));
        if (others[0] != '\0')
            st_change_output_row(14, "    also in:", others);
    }
}

/* Plans the changes of a finding and prints the reason, or prints why nothing is planned. asked:
 * the user named this rule. */
static void look_at(struct work *work, const struct st_finding *finding, bool asked)
{
    const struct st_rule *rule = finding->rule;
    const bool needless = !st_finding_has_fired(finding), fired = st_finding_asks(finding);
    const char *because = fired && finding->needless != NULL ? finding->needless : finding->summary;
    const size_t steps_n = work->plan.entries_n;
    const char *why;
    if (needs_user(work, rule)) {
        work->by_hand_n += asked;
        if (asked || work->target.live || !needless)
            print_head(rule, st_text("this change gives one user a right that root has anyway. "
                                     "Name the user who plays: sleeptune apply %s --user NAME",
                                     rule->id));
    } else if ((asked || !needless) && is_applied(work, finding)) {
        print_head(rule, "this change is already made. Check it with 'sleeptune verify', or undo "
                         "it first with 'sleeptune revert'.");
    } else if (needless &&
               !(asked && finding->status != ST_STATUS_UNKNOWN && st_rule_can_apply(finding))) {
        work->by_hand_n += asked && finding->status != ST_STATUS_OK;
        if (asked) {
            print_head(rule, finding->status == ST_STATUS_OK ? "this setting needs no change"
                             : finding->status == ST_STATUS_UNKNOWN
                                 ? "it is unknown whether this setting needs a change"
                                 : "this setting does not matter on this machine");
            st_change_output_row(14, "    because:", because);
        }
    } else if (!st_rule_can_apply(finding) && (!work->target.own || finding->changes_n == 0)) {
        work->by_hand_n += asked || finding->changes_n > 0;
        if (asked || st_rule_is_applied(rule))
            print_by_hand(finding, "make this change by hand");
    } else if ((why = st_plan_add(&work->plan, work->target.p, finding, false)) != NULL) {
        work->by_hand_n++;
        print_by_hand(finding, why);
    } else {
        print_head(rule,
                   needless ? "this setting needs no change, but you named it" : finding->summary);
        if (needless)
            st_change_output_row(14, "    because:", because);
        print_planned(work, finding, steps_n);
    }
}

/* Puts the planned values into the facts: FreeBSD's timer settings depend on each other, so the
 * next rule is judged as if the planned changes were made. */
static int put_planned(struct st_facts *facts, const struct st_finding *finding)
{
    int r = 0;
    ST_EACH_OF (change, finding->changes, finding->changes_n) {
        const char *key = st_text(ST_KEYS_FREEBSD "%s", change->key);
        if (r == 0 && st_facts_has(facts, key))
            r = st_facts_put_text(facts, key, change->value, "what apply plans");
    }
    return r;
}

static int look(struct work *work)
{
    struct st_report *report = &work->target.report;
    int r = 0;
    st_report_leave_out(report, work->ids_n == 0,
                        !needs_user(work, st_rule_find("linux-rt-permission")));
    ST_EACH_OF (id, work->ids, work->ids_n) {
        if (st_report_find(report, *id) == NULL)
            return st_failure("rule %s is for a different operating system", *id);
    }
    ST_REPORT_EACH (finding, report) {
        const size_t steps_n = work->plan.entries_n;
        if (r != 0 || !(work->ids_n == 0 ? finding->needless == NULL
                                         : st_text_is_among(finding->rule->id, work->ids)))
            continue;
        if (steps_n > 0) {
            struct st_finding now = {.rule = NULL};
            st_report_judge(finding->rule, report->facts, &report->wish, &now);
            now.needless = finding->needless;
            st_finding_finish(finding);
            *finding = now;
            if (now.summary == NULL)
                return st_failure("out of memory");
        }
        look_at(work, finding, work->ids_n > 0);
        if (work->plan.entries_n > steps_n)
            r = put_planned(work->target.facts, finding);
    }
    return r == 0 ? ST_EXIT_DONE : st_failure("%s", strerror(-r));
}

/* --- making the changes --- */

static int carry_out(struct work *work)
{
    struct st_applied applied;
    const char *why =
        st_applied_open(&applied, work->target.p, work->target.folder, st_change_output_event);
    int r = applied.lock;
    if (why == NULL) {
        if (work->measure_ns > 0 && work->target.live)
            st_before_after_keep(&work->target, &applied.journal, &work->plan, work->measure_ns);
        if (st_stop_asked())
            why = "stopped: nothing was changed";
        /* remove the files that earlier runs wrote for the same rules, since they have an earlier
         * value */
        if (why == NULL && work->target.own)
            why = st_applied_revert(&applied, false, work->ids);
        if (why == NULL && (r = st_applied_add(&applied, &work->plan)) < 0)
            why = st_journal_is_interrupted(&applied.journal)
                      ? "some changes could not be undone. Run: sleeptune revert --all"
                      : "none of these changes was made";
        if (why != NULL)
            (void)st_before_after_forget(&work->target, &applied.journal);
        st_applied_close(&applied);
    }
    /* this user may not write: print the files and their new text */
    if (r == -EROFS || r == -EACCES || r == -EPERM) {
        puts("make these changes by hand:");
        st_change_output_plan(&work->plan);
    }
    if (why != NULL)
        return st_failure("%s", why);
    const int status = st_change_output_then(&applied, false, work->run_generators);
    if (work->quantum > 0)
        st_change_output_row(10, "now",
                             st_text("to use this size until PipeWire ends: %s",
                                     st_xrun_sources_set_frames("pipewire", work->quantum)));
    st_change_output_row(
        6, "Next:", "'sleeptune verify' checks the changes, 'sleeptune revert --all' undoes them.");
    return status;
}

static int decide(struct work *work)
{
    const int rest = work->by_hand_n > 0 ? ST_EXIT_FINDINGS : ST_EXIT_DONE;
    fflush(stdout); /* so that it appears before text on standard error */
    const char *refusal =
        work->target.own ? NULL
                         : st_facts_text_or(work->target.facts, ST_KEY_SETTINGS_ELSEWHERE, NULL);
    if (refusal != NULL && work->by_hand_n > 0 && !work->dry_run)
        return st_failure("nothing was changed: %s", refusal);
    if (work->plan.entries_n == 0) {
        if (rest == ST_EXIT_DONE)
            puts(work->target.report.no_sound && work->ids_n == 0
                     ? "nothing to apply: nothing here plays sound"
                     : "nothing to apply");
        return rest;
    }
    const bool asks = !work->yes && isatty(STDIN_FILENO) == 1;
    if (work->dry_run || asks)
        st_change_output_plan(&work->plan);
    if (work->dry_run)
        return ST_EXIT_FINDINGS;
    if (st_change_target_needs_root(&work->target))
        return ST_EXIT_FAILURE;
    if (!work->yes && !asks)
        return st_failure_usage("cannot ask for confirmation without a terminal: add --yes");
    if (asks && !st_change_output_ask("Apply this?"))
        return st_failure("nothing was changed");
    const int status = carry_out(work);
    return status == ST_EXIT_DONE ? rest : status;
}

int st_cmd_apply(int argc, char **argv)
{
    struct work work = {0};
    struct st_change_target *target = &work.target;
    int status = parse_options(argc, argv, &work);
    if (status >= 0)
        return status;
    status = st_change_target_open(work.input.root, work.quantum > 0 || work.card != NULL, target);
    if (status != ST_EXIT_DONE)
        return status;
    target->quantum = work.quantum;
    target->card = work.card;
    /* undo an interrupted run's changes before settings are judged: a value that such a run left
     * may look right, but will be undone */
    if (work.dry_run && st_journal_is_interrupted(&target->journal))
        status = st_failure("an earlier run was interrupted. The next 'sleeptune apply' or "
                            "'sleeptune revert' undoes its changes.");
    else
        status = st_change_target_recover(target, false);
    if (status == ST_EXIT_DONE)
        status = st_change_target_judge(&work.input, work.frames, work.rate_hz, target);
    if (status == ST_EXIT_DONE)
        status = look(&work);
    ST_EACH_OF (step, work.plan.entries, work.plan.entries_n) {
        step->frames = (uint32_t)target->quantum; /* own settings: the requested quantum; 0: none */
        if (target->own)
            continue;
        step->frames = target->report.wish.frames;
        step->rate_hz = target->report.wish.rate_hz;
    }
    if (status == ST_EXIT_DONE)
        status = decide(&work);
    st_journal_finish(&work.plan);
    st_change_target_close(target);
    return status;
}
