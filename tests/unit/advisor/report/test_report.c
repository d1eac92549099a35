/* Order, verdict, exit status and formats of a report. */
#include "advisor/collect/collect.h"
#include "advisor/facts/snapshot.h"
#include "advisor/report/report_format.h"
#include "tests/unit/shown.h"

#define HOSTILE "<b>&\"'</b> `x` *y* [z](u) \033[2J \xC2\x9B"

static const struct st_rule first = {
    .id = "linux-first",
    .worst = ST_STATUS_PROBLEM,
    .title = "First",
    .mechanism = "Why it is so.",
    .privilege = "root",
    .cost = "none",
    .when_not = "never",
    .sources = "one\ntwo",
};
static const struct st_rule second = {
    .id = "linux-second",
    .worst = ST_STATUS_PROBLEM,
    .title = "Second",
    .mechanism = "Why it is so.",
    .privilege = "none",
    .cost = "none",
    .when_not = "never",
    .sources = "one",
};

/* A report of two findings, made by hand: its texts are static. */
static char summary[] = "what is seen here";
static char fix[] = "sysctl a=1";
static struct st_finding findings[2];
static struct st_report report;

static int setup(void **state)
{
    struct st_facts *facts = st_facts_new(ST_OS_LINUX);
    findings[0] = (struct st_finding){
        .rule = &first, .facts = facts, .status = ST_STATUS_OK, .summary = summary};
    findings[1] = (struct st_finding){
        .rule = &second, .facts = facts, .status = ST_STATUS_OK, .summary = summary};
    report = (struct st_report){
        .facts = facts,
        .wish = {.frames = 64, .rate_hz = 48000, .period_ns = 1333333},
        .findings = findings,
        .findings_n = 2,
    };
    return report.facts != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    /* made in setup, held as const like any report's */
    struct st_facts *facts;
    memcpy(&facts, &report.facts, sizeof(facts));
    st_facts_free(facts);
    return 0;
}

static struct st_facts *own_facts(void)
{
    struct st_facts *facts;
    memcpy(&facts, &report.facts, sizeof(facts));
    return facts;
}

static void costs(struct st_finding *finding, enum st_status status, double effect_us)
{
    static char formula[] = "a * b";
    finding->status = status;
    finding->effect_known = effect_us >= 0;
    finding->effect_us = effect_us >= 0 ? effect_us : 0;
    finding->formula = effect_us >= 0 ? formula : NULL;
}

static void check_verdict(const char *expected)
{
    assert_string_equal(st_report_format_headline(&report), expected);
}

#define PERIOD "64 frames at 48 kHz (1.3 ms)"

static void the_verdict_is_made_from_the_figures(void **state)
{
    check_verdict("sleeptune found no setting that disturbs " PERIOD ". Not measured.");
    report.own_machine = true;
    check_verdict("sleeptune found no setting that disturbs " PERIOD
                  ". Not measured: run sleeptune check --frames 64.");
    report.own_machine = false;
    costs(&findings[0], ST_STATUS_ADVICE, 33.35);
    check_verdict("1 setting may disturb " PERIOD ". Not measured.");
    costs(&findings[1], ST_STATUS_ADVICE, 100);
    check_verdict("2 settings may disturb " PERIOD ". Not measured.");
    costs(&findings[1], ST_STATUS_PROBLEM, -1);
    check_verdict("What is seen here. Not measured at " PERIOD ".");
    static char name[] = "jack.service runs twice";
    findings[1].summary = name;
    check_verdict("jack.service runs twice. Not measured at " PERIOD ".");
}

static void advice_that_takes_the_whole_period_is_a_risk(void **state)
{
    costs(&findings[0], ST_STATUS_ADVICE, 1333.4);
    check_verdict("1 setting puts " PERIOD " at risk. Not measured.");
    costs(&findings[0], ST_STATUS_ADVICE, 1333.2);
    check_verdict("1 setting may disturb " PERIOD ". Not measured.");
}

static void nothing_read_is_never_fine(void **state)
{
    findings[0].status = ST_STATUS_UNKNOWN;
    findings[1].status = ST_STATUS_NOT_APPLICABLE;
    check_verdict("sleeptune could not judge any setting for " PERIOD ". Not measured.");
}

static void advice_without_an_effect_on_the_loop_does_not_bear_on_it(void **state)
{
    costs(&findings[0], ST_STATUS_ADVICE, 0);
    check_verdict("sleeptune found no setting that disturbs " PERIOD ". Not measured.");
    findings[1].status = ST_STATUS_UNKNOWN;
    check_verdict("sleeptune found no setting that disturbs " PERIOD ". Not measured.");
}

static void advice_without_a_bound_is_never_room(void **state)
{
    costs(&findings[0], ST_STATUS_ADVICE, -1);
    check_verdict("1 setting may disturb " PERIOD ". Not measured.");
    costs(&findings[1], ST_STATUS_ADVICE, 100);
    check_verdict("2 settings may disturb " PERIOD ". Not measured.");
}

static void rates_are_printed_short_and_exact(void **state)
{
    static const struct {
        uint32_t rate_hz;
        const char *text;
    } rows[] = {
        {48000, " 48 kHz "}, {44100, " 44.1 kHz "}, {22050, " 22.05 kHz "}, {192000, " 192 kHz "}};
    ST_EACH (row, rows) {
        report.wish.rate_hz = row->rate_hz;
        assert_has(st_report_format_headline(&report), row->text);
    }
}

static void exit_status_follows_the_threshold(void **state)
{
    static const struct {
        enum st_status status;
        enum st_status threshold;
        int exit;
    } rows[] = {
        {ST_STATUS_OK, ST_STATUS_PROBLEM, 0},      {ST_STATUS_NOT_APPLICABLE, ST_STATUS_PROBLEM, 0},
        {ST_STATUS_ADVICE, ST_STATUS_PROBLEM, 0},  {ST_STATUS_PROBLEM, ST_STATUS_PROBLEM, 1},
        {ST_STATUS_UNKNOWN, ST_STATUS_PROBLEM, 2}, {ST_STATUS_ADVICE, ST_STATUS_ADVICE, 1},
        {ST_STATUS_UNKNOWN, ST_STATUS_ADVICE, 2},  {ST_STATUS_UNKNOWN, ST_STATUS_UNKNOWN, 1},
        {ST_STATUS_OK, ST_STATUS_UNKNOWN, 0},      {ST_STATUS_OK, ST_STATUS_OK, 1},
    };
    findings[0].status = ST_STATUS_NOT_APPLICABLE;
    ST_EACH (row, rows) {
        findings[1].status = row->status;
        assert_int_equal(st_report_exit_status(&report, row->threshold), row->exit);
    }
    /* 1 wins over 2 */
    findings[0].status = ST_STATUS_UNKNOWN;
    findings[1].status = ST_STATUS_PROBLEM;
    assert_int_equal(st_report_exit_status(&report, ST_STATUS_PROBLEM), 1);
}

static void an_unknown_that_could_not_have_mattered_is_no_failure(void **state)
{
    struct st_rule mild = second;
    mild.worst = ST_STATUS_ADVICE;
    findings[1] =
        (struct st_finding){.rule = &mild, .status = ST_STATUS_UNKNOWN, .summary = summary};
    assert_int_equal(st_report_exit_status(&report, ST_STATUS_PROBLEM), 0);
    assert_int_equal(st_report_exit_status(&report, ST_STATUS_ADVICE), 2);
}

static char *print(st_report_format *format, int width, bool colour, bool all)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    const struct st_report_view view = {.width = width, .colour = colour, .all = all};
    assert_int_equal(format(&report, out, &view), 0);
    fclose(out);
    return text;
}

static void hostile_facts(void)
{
    static char hostile[] = HOSTILE;
    struct st_facts *facts = own_facts();
    assert_int_equal(st_facts_put_text(facts, "linux.k", HOSTILE, HOSTILE), 0);
    costs(&findings[0], ST_STATUS_PROBLEM, 5);
    findings[0].summary = hostile;
    findings[0].fix_now = hostile;
    findings[0].fix_persistent = fix;
    findings[0].evidence[0] = report.facts->rows[0];
    findings[0].evidence_n = 1;
}

static void colour_is_there_only_when_asked_for(void **state)
{
    costs(&findings[0], ST_STATUS_PROBLEM, 5);
    char *text = print(st_report_text, 80, true, false);
    assert_has(text, "\033[1;31mproblem");
    free(text);
    text = print(st_report_text, 80, false, false);
    assert_null(strchr(text, '\033'));
    free(text);
}

static void the_right_comes_before_what_it_makes_needless(void **state)
{
    static const struct {
        const char *key;
        int64_t value;
    } rows[] = {{"linux.rt.fifo_errno", 1},
                {"linux.rt.fifo_priority", 70},
                {"linux.rt.rtprio_limit", 0},
                {"user.uid", 1000},
                {"linux.rt.memlock_limit_bytes", 65536},
                {"linux.rtkit.installed", 1},
                {"linux.processes_n", 100},
                {"linux.timer_slack_ns", 50000}};
    struct st_facts *facts = st_facts_new(ST_OS_LINUX);
    struct st_report judged;
    ST_EACH (row, rows)
        assert_int_equal(st_facts_put_int(facts, row->key, row->value, "a file"), 0);
    assert_int_equal(st_facts_put_text(facts, "user.name", "ann", "a file"), 0);
    assert_int_equal(st_report_make(facts, 64, 48000, &judged), 0);
    assert_string_equal(judged.findings[0].rule->id, "linux-rt-permission");
    st_report_leave_out(&judged, true, true);
    assert_int_equal(st_report_count_if(&judged, st_finding_has_fired), 1);
    assert_non_null(st_report_find(&judged, "linux-timer-slack")->needless);
    assert_non_null(st_report_find(&judged, "linux-memlock")->needless);
    assert_false(judged.no_sound);
    st_report_finish(&judged);
    /* apply wrote the line, and this session is older: what is left to do is a login */
    assert_int_equal(st_facts_put_int(facts, "linux.limits.ann.rtprio", 90, "a file"), 0);
    assert_int_equal(st_report_make(facts, 64, 48000, &judged), 0);
    st_report_leave_out(&judged, true, true);
    assert_int_equal(st_report_count_if(&judged, st_finding_has_fired), 2);
    assert_null(st_report_find(&judged, "linux-memlock")->needless); /* that limit is not set up */
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(st_report_text(&judged, out, &(struct st_report_view){.width = 80}), 0);
    fclose(out);
    assert_has(text, "\n  log out and in again\n  linux-rt-permission: costs fairness\n");
    assert_has(text, "sleeptune apply linux-memlock --frames 64\n");
    assert_lacks(text, "sleeptune apply linux-rt-permission");
    free(text);
    st_report_finish(&judged);
    /* its other line is there, too */
    assert_int_equal(st_facts_put_int(facts, "linux.limits.ann.memlock", 4194304, "a file"), 0);
    assert_int_equal(st_report_make(facts, 64, 48000, &judged), 0);
    st_report_leave_out(&judged, true, true);
    assert_true(st_report_find(&judged, "linux-memlock")->in_place);
    assert_int_equal(st_report_count_if(&judged, st_finding_has_fired), 1);
    st_report_finish(&judged);
    /* neither a card nor a server: nothing counts, unless a period is given */
    st_facts_put_state(facts, "linux.cards_n", ST_FACT_ABSENT, 0, NULL, "/proc/asound/cards");
    assert_int_equal(st_report_make(facts, 0, 0, &judged), 0);
    st_report_leave_out(&judged, true, true);
    assert_true(judged.no_sound);
    assert_int_equal(st_report_count_if(&judged, st_finding_has_fired), 0);
    assert_int_equal(st_report_exit_status(&judged, ST_STATUS_ADVICE), 0);
    st_report_finish(&judged);
    st_facts_free(facts);
}

static void details_of_fine_rules_come_with_all(void **state)
{
    char *text = print(st_report_text, 80, false, false);
    assert_lacks(text, "what is seen here");
    assert_has(text, "2 ok, 0 not applicable, 0 left out, 0 unknown.");
    free(text);
    text = print(st_report_text, 80, false, true);
    assert_has(text, "what is seen here");
    free(text);
}

static void unread_facts_are_named_on_the_first_screen(void **state)
{
    struct st_facts *facts = own_facts();
    assert_int_equal(st_facts_put_state(facts, "a", ST_FACT_UNREADABLE, EACCES, NULL, "/x/proc/a"),
                     0);
    assert_int_equal(st_facts_put_state(facts, "aa", ST_FACT_UNREADABLE, EACCES, NULL, "/proc/a"),
                     0);
    assert_int_equal(st_facts_put_state(facts, "b", ST_FACT_UNREADABLE, EACCES, NULL, "/proc/a"),
                     0);
    assert_int_equal(st_facts_put_state(facts, "c", ST_FACT_MALFORMED, 0, "?", "/proc/c"), 0);
    assert_int_equal(st_facts_put_int(facts, "d", 1, "/proc/d"), 0);
    report.unreadable_n = 3;
    char *text = print(st_report_text, 0, false, false);
    assert_has(text, "\nNot read: /x/proc/a (Permission denied), /proc/a (Permission denied), "
                     "/proc/c (not understood).\n");
    free(text);
    assert_int_equal(st_facts_put_state(facts, "e", ST_FACT_UNREADABLE, EPERM, NULL,
                                        "busctl --user --auto-start=no get-property "
                                        "org.freedesktop.portal.Desktop /org/freedesktop"),
                     0);
    text = print(st_report_text, 0, false, false);
    assert_has(text, "/proc/c (not understood) and 1 more.\n");
    free(text);
    text = print(st_report_text, 0, false, true);
    assert_has(text, "/proc/c (not understood), busctl --user --auto-start=no get-property "
                     "org.freedesktop.portal.Desktop /org/freedesktop (Operation not "
                     "permitted).\n");
    free(text);
}

static void every_format_tells_the_same(void **state)
{
    static const struct {
        const char *name;
        st_report_format *write;
    } formats[] = {
        {"text", st_report_text}, {"json", st_report_json}, {"prometheus", st_report_prometheus}};
    hostile_facts();
    ST_EACH (format, formats) {
        char *text = print(format->write, 80, false, true);
        assert_null(strchr(text, '\033'));
        assert_true(format->write == st_report_json || strstr(text, "\xC2\x9B") == NULL);
        char *version = strstr(text, "  \"sleeptune\": "); /* the only line that has one */
        show("%.*s%s", version != NULL ? (int)(version - text) : 0, text,
             version != NULL ? strchr(version, '\n') + 1 : text);
        free(text);
        shown_is(format->name);
    }
}

/* --- whole path: capture, rules, report --- */

static void make(const char *capture, struct st_facts **ret_facts, struct st_report *ret)
{
    char dir[4096];
    ST_PRINT(dir, "%s/%s", ST_CAPTURES_DIR, capture);
    assert_int_equal(st_collect_dir(dir, ret_facts), 0);
    assert_int_equal(st_report_make(*ret_facts, 64, 48000, ret), 0);
}

static const struct st_finding *find(const struct st_report *made, const char *id)
{
    const struct st_finding *found = st_report_find(made, id);
    if (found == NULL)
        fail_msg("no finding %s", id);
    return found;
}

static void check_stretched_sleeps(const struct st_report *made)
{
    const struct st_finding *finding = find(made, "freebsd-alloweddeviation");
    assert_true(finding->status == ST_STATUS_ADVICE || finding->status == ST_STATUS_PROBLEM);
    assert_true(finding->effect_known);
    assert_float_equal(finding->effect_us, 83.333, 0.05);
    assert_has(finding->summary, "83.3");
    assert_has(finding->summary, "78");
    assert_has(finding->summary, "with the value 0 it does not");
    assert_has(finding->fix_now, "kern.timecounter.alloweddeviation=0");
}

static void freebsd_13_stretches_sleeps_by_up_to_83_us(void **state)
{
    struct st_facts *facts;
    struct st_report made;
    make("freebsd-13.2", &facts, &made);
    check_stretched_sleeps(&made);
    assert_float_equal(st_report_find(&made, "freebsd-alloweddeviation")->effect_us, 83.3, 0.05);
    st_report_finish(&made);
    /* the same machine as 14.2 */
    assert_int_equal(st_facts_put_int(facts, "freebsd.kern.osreldate", 1402000, NULL), 0);
    assert_int_equal(st_report_make(facts, 64, 48000, &made), 0);
    check_stretched_sleeps(&made);
    st_report_finish(&made);
    /* and with the fix applied */
    assert_int_equal(st_facts_put_int(facts, "freebsd.kern.timecounter.alloweddeviation", 0, NULL),
                     0);
    assert_int_equal(st_report_make(facts, 64, 48000, &made), 0);
    assert_int_equal(find(&made, "freebsd-alloweddeviation")->status, ST_STATUS_OK);
    st_report_finish(&made);
    st_facts_free(facts);
}

static void freebsd_15_sleeps_are_not_touched(void **state)
{
    struct st_facts *facts;
    struct st_report made;
    make("freebsd-15.1", &facts, &made);
    const struct st_finding *finding = find(&made, "freebsd-alloweddeviation");
    assert_true(finding->effect_known);
    assert_float_equal(finding->effect_us, 0, 0);
    assert_has(finding->summary, "poll");
    st_report_finish(&made);
    assert_int_equal(st_facts_put_int(facts, "freebsd.kern.timecounter.nanosleep_precise", 0, NULL),
                     0);
    assert_int_equal(st_report_make(facts, 64, 48000, &made), 0);
    assert_float_equal(find(&made, "freebsd-alloweddeviation")->effect_us, 83.333, 0.05);
    st_report_finish(&made);
    st_facts_free(facts);
}

/** No capture of a working machine may read as broken; of a whole one only rights are unknown. */
static void real_captures_have_no_problem_and_show_all_but_rights(void **state)
{
    static const char *const captures[] = {"freebsd-13.2", "freebsd-15.1", "freebsd-13.2-usb",
                                           "freebsd-15.1-usb"};
    for (size_t c = 0; c < ST_ARRAY_LEN(captures); c++) {
        struct st_facts *facts;
        struct st_report made;
        make(captures[c], &facts, &made);
        for (size_t i = 0; i < made.findings_n; i++) {
            const struct st_finding *finding = &made.findings[i];
            const bool whole = strstr(captures[c], "-usb") == NULL &&
                               strstr(finding->summary, "as the user who plays") == NULL;
            if (finding->status == ST_STATUS_PROBLEM ||
                (whole && finding->status == ST_STATUS_UNKNOWN))
                fail_msg("%s: %s: %s", captures[c], finding->rule->id, finding->summary);
        }
        st_report_finish(&made);
        st_facts_free(facts);
    }
}

/** The device's blocks are what /dev/sndstat says, whatever buffer_ms says by now. */
static void usb_blocks_follow_buffer_ms_once_reopened(void **state)
{
    static const char key[] = "freebsd.hw.usb.uaudio.buffer_ms";
    struct st_facts *facts;
    struct st_report made;
    make("freebsd-15.1-usb", &facts, &made);
    assert_int_equal(find(&made, "freebsd-uaudio-buffer")->status, ST_STATUS_UNKNOWN);
    st_report_finish(&made);
    assert_int_equal(st_facts_put_int(facts, "freebsd.kern.osreldate", 1501000, NULL), 0);
    assert_int_equal(st_facts_put_int(facts, key, 1, NULL), 0);
    assert_int_equal(st_report_make(facts, 64, 48000, &made), 0);
    const struct st_finding *finding = find(&made, "freebsd-uaudio-buffer");
    assert_int_equal(finding->status, ST_STATUS_ADVICE);
    assert_has(finding->summary, "still uses blocks of 4.0 ms");
    st_report_finish(&made);
    assert_int_equal(st_facts_put_int(facts, key, 4, NULL), 0);
    assert_int_equal(st_report_make(facts, 256, 48000, &made), 0);
    assert_int_equal(find(&made, "freebsd-uaudio-buffer")->status, ST_STATUS_OK);
    st_report_finish(&made);
    st_facts_free(facts);
}

/** In the table of the rules. */
static size_t place_of(const struct st_rule *rule)
{
    size_t i = 0;
    while (i < st_rules_n && st_rules[i] != rule)
        i++;
    return i;
}

static void findings_are_in_order_of_status_and_effect(void **state)
{
    static const char *const captures[] = {"freebsd-13.2", "freebsd-15.1", "linux-laptop"};
    ST_EACH (capture, captures) {
        struct st_facts *facts;
        struct st_report made;
        make(*capture, &facts, &made);
        assert_true(made.findings_n >= 6);
        for (size_t i = 0; i < made.findings_n; i++) {
            const struct st_finding *b = &made.findings[i];
            assert_int_equal(st_rule_os(b->rule), facts->os);
            if (i == 0)
                continue;
            const struct st_finding *a = b - 1;
            assert_true(st_finding_statuses[a->status].rank >= st_finding_statuses[b->status].rank);
            if (a->status == b->status && a->effect_known && b->effect_known)
                assert_true(a->effect_us >= b->effect_us);
            if (a->status == b->status && a->effect_known == b->effect_known &&
                (!a->effect_known || fabs(a->effect_us - b->effect_us) < 1e-9))
                assert_true(place_of(a->rule) < place_of(b->rule));
        }
        st_report_finish(&made);
        st_facts_free(facts);
    }
}

/** Where system calls of others may take the whole period, the kernel comes before what has a
 * bound. */
static void a_preemptible_kernel_comes_behind_what_has_a_bound(void **state)
{
    static const char *const modes[] = {"none voluntary (full)", "(none) voluntary full"};
    for (size_t i = 0; i < ST_ARRAY_LEN(modes); i++) {
        struct st_facts *facts = st_facts_new(ST_OS_LINUX);
        struct st_report made;
        assert_int_equal(st_facts_put_text(facts, "linux.preempt.debugfs", modes[i], NULL), 0);
        assert_int_equal(st_facts_put_int(facts, "linux.rt.fifo_errno", EPERM, NULL), 0);
        assert_int_equal(st_facts_put_int(facts, "linux.timer_slack_ns", 50000, NULL), 0);
        assert_int_equal(st_report_make(facts, 64, 48000, &made), 0);
        assert_int_equal(find(&made, "linux-preemption") < find(&made, "linux-timer-slack"),
                         i == 1);
        st_report_finish(&made);
        st_facts_free(facts);
    }
}

static void a_snapshot_of_a_capture_gives_the_same_report(void **state)
{
    static const char *const captures[] = {"freebsd-13.2", "freebsd-15.1", "linux-laptop"};
    ST_EACH (capture, captures) {
        struct st_facts *facts, *again;
        struct st_report made, remade;
        make(*capture, &facts, &made);
        json_t *snapshot = st_snapshot_json(facts);
        char *text = json_dumps(snapshot, 0);
        assert_non_null(text);
        assert_null(st_snapshot_parse(text, strlen(text), &again));
        assert_int_equal(st_report_make(again, 64, 48000, &remade), 0);
        json_t *a = st_report_format_json(&made), *b = st_report_format_json(&remade);
        assert_true(json_equal(a, b));
        json_decref(a);
        json_decref(b);
        json_decref(snapshot);
        free(text);
        st_report_finish(&made);
        st_report_finish(&remade);
        st_facts_free(facts);
        st_facts_free(again);
    }
}

static void a_rule_has_its_sources_and_this_machines_numbers(void **state)
{
    /* the second one is about delay */
    static const char *const ids[] = {"freebsd-alloweddeviation", "freebsd-snd-latency"};
    struct st_facts *facts;
    struct st_report made;
    make("freebsd-13.2", &facts, &made);
    ST_EACH (id, ids) {
        const struct st_finding *finding = find(&made, *id);
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        assert_non_null(out);
        st_report_format_rule(finding->rule, finding, &made.wish, out, 80);
        fclose(out);
        show("%s", text);
        free(text);
        shown_is(*id);
    }
    st_report_finish(&made);
    st_facts_free(facts);
}

static void odd_periods_are_refused(void **state)
{
    struct st_report made;
    assert_int_equal(st_report_make(report.facts, 1 << 22, 1, &made), -ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_verdict_is_made_from_the_figures),
        TEST(advice_that_takes_the_whole_period_is_a_risk),
        TEST(advice_without_a_bound_is_never_room),
        TEST(nothing_read_is_never_fine),
        TEST(advice_without_an_effect_on_the_loop_does_not_bear_on_it),
        TEST(rates_are_printed_short_and_exact),
        TEST(exit_status_follows_the_threshold),
        TEST(an_unknown_that_could_not_have_mattered_is_no_failure),
        TEST(colour_is_there_only_when_asked_for),
        TEST(details_of_fine_rules_come_with_all),
        TEST(the_right_comes_before_what_it_makes_needless),
        TEST(unread_facts_are_named_on_the_first_screen),
        TEST(every_format_tells_the_same),
        cmocka_unit_test(freebsd_13_stretches_sleeps_by_up_to_83_us),
        cmocka_unit_test(freebsd_15_sleeps_are_not_touched),
        cmocka_unit_test(real_captures_have_no_problem_and_show_all_but_rights),
        cmocka_unit_test(usb_blocks_follow_buffer_ms_once_reopened),
        cmocka_unit_test(findings_are_in_order_of_status_and_effect),
        cmocka_unit_test(a_preemptible_kernel_comes_behind_what_has_a_bound),
        cmocka_unit_test(a_snapshot_of_a_capture_gives_the_same_report),
        cmocka_unit_test(a_rule_has_its_sources_and_this_machines_numbers),
        TEST(odd_periods_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
