/* What the first screen shows, and that it fits. */
#include "advisor/report/report_format.h"
#include "core/text/text.h"
#include "tests/unit/unit.h"

#define RULES_N 40

static char ids[RULES_N][40], summary[] = "what is seen here";
#define ID(number) "linux-a-rule-with-a-long-name-" number

static struct st_rule rules[RULES_N];
static struct st_finding findings[RULES_N];
static struct st_facts *facts;
static struct st_report report;

static int setup(void **state)
{
    facts = st_facts_new(ST_OS_LINUX);
    for (size_t i = 0; i < RULES_N; i++) {
        ST_PRINT(ids[i], "linux-a-rule-with-a-long-name-%02zu", i);
        rules[i] = (struct st_rule){
            .id = ids[i],
            .title = "A title that is as long as a title may be: sixty columns....",
            .cost = "power, heat: several watts",
            .privilege = "root",
            .worst = ST_STATUS_PROBLEM,
        };
        findings[i] = (struct st_finding){
            .rule = &rules[i], .facts = facts, .status = ST_STATUS_OK, .summary = summary};
    }
    report = (struct st_report){
        .facts = facts,
        .wish = {.frames = 64, .rate_hz = 48000, .period_ns = 1333333},
        .findings = findings,
        .findings_n = RULES_N,
    };
    return facts != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    st_facts_free(facts);
    return 0;
}

static char *screen(int width)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    const struct st_report_view view = {.width = width};
    assert_int_equal(st_report_format_write(&st_report_text, &report, out, &view), 0);
    fclose(out);
    return text;
}

static void fires(size_t i, enum st_status status, double effect_us, char *fix)
{
    findings[i].status = status;
    findings[i].effect_known = effect_us >= 0;
    findings[i].effect_us = effect_us;
    findings[i].fix_now = fix;
}

static void check_fits(const char *text)
{
    int lines = 0;
    for (const char *line = text; *line != '\0'; lines++) {
        const size_t bytes = strcspn(line, "\n");
        char copy[1024];
        assert_true(bytes < sizeof(copy));
        ST_PRINT(copy, "%.*s", (int)bytes, line);
        if (st_text_columns(copy) > 80)
            fail_msg("too wide: %s", copy);
        line += bytes + (line[bytes] == '\n');
    }
    assert_true(lines <= 23);
}

static void the_worst_case_fits_80_columns_and_23_lines(void **state)
{
    static char fix[] =
        "sudo sh -c 'a command that is far longer than the eighty columns of a terminal, by a lot'";
    for (size_t i = 0; i < 12; i++)
        fires(i, ST_STATUS_PROBLEM, 1234.5, fix);
    for (size_t i = 12; i < 24; i++)
        findings[i].status = ST_STATUS_UNKNOWN;
    for (size_t i = 24; i < 30; i++)
        fires(i, ST_STATUS_ADVICE, 10, fix);
    assert_int_equal(st_facts_put_text(facts, "system.container", "docker", NULL), 0);
    assert_int_equal(st_facts_put_int(facts, "linux.virtual", 1, NULL), 0);
    for (int i = 0; i < 9; i++) {
        char key[16], source[80];
        ST_PRINT(key, "k%d", i);
        ST_PRINT(source, "/sys/devices/system/cpu/cpufreq/policy%d/scaling_governor", i);
        assert_int_equal(st_facts_put_state(facts, key, ST_FACT_UNREADABLE, EACCES, NULL, source), 0);
    }
    report.unreadable_n = 9;
    st_report_set_profile(&report, ST_REPORT_PROFILE_LAPTOP);
    char *text = screen(80);
    check_fits(text);
    assert_memory_equal(text, "What is seen here. Not measured at 64 frames at 48 kHz (1.3 ms).\n", 65);
    assert_non_null(strstr(text, "more settings."));
    assert_non_null(strstr(text, "linux-a-rule-with-a-long-name-00: costs power\n"));
    free(text);
}

static void at_most_five_settings_are_shown(void **state)
{
    static char fix[] = "# a comment\nsudo sysctl a=1";
    for (size_t i = 0; i < 6; i++)
        fires(i, ST_STATUS_ADVICE, 1, fix);
    char *text = screen(80);
    int shown = 0;
    for (const char *at = text; (at = strstr(at, "\n  sudo sysctl a=1\n")) != NULL; at++)
        shown++;
    assert_int_equal(shown, 5);
    assert_non_null(strstr(text, "\n1 more setting. "));
    check_fits(text);
    free(text);
}

static void advice_that_costs_nothing_takes_no_row(void **state)
{
    static char fix[] = "sudo sysctl a=1";
    fires(0, ST_STATUS_ADVICE, 0, fix);
    fires(1, ST_STATUS_ADVICE, 0, fix);
    fires(2, ST_STATUS_ADVICE, -1, fix);
    char *text = screen(0);
    const char *row = strstr(text, "\n  sudo sysctl a=1\n");
    assert_non_null(row);
    assert_null(strstr(row + 1, "\n  sudo sysctl a=1\n"));
    assert_non_null(strstr(text, "1 setting may disturb 64 frames at 48 kHz (1.3 ms). "));
    assert_non_null(strstr(text, "\nAdvice that is not about lateness: " ID("00") ", " ID("01") ".\n"));
    assert_null(strstr(text, "more setting"));
    free(text);
    fires(1, ST_STATUS_PROBLEM, 0, fix); /* no rule says that; if one did, it would have its row */
    text = screen(0);
    assert_non_null(strstr(text, "\nAdvice that is not about lateness: " ID("00") ".\n"));
    assert_non_null(strstr(text, "\nproblem  "));
    free(text);
}

static void what_apply_can_do_is_offered_where_the_command_is_long(void **state)
{
    static char fix[] = "sudo one\nsudo two";
    fires(0, ST_STATUS_ADVICE, 1, fix);
    static struct st_change change = {ST_CHANGE_SYSCTL, "vm.swappiness", "1"};
    findings[0].changes = &change;
    findings[0].changes_n = 1;
    rules[0].changes = &change;
    char *text = screen(80);
    assert_non_null(strstr(text, "\n  sudo sleeptune apply linux-a-rule-with-a-long-name-00\n"));
    free(text);
    /* a command for one shell is none */
    static char shell_fix[] = "sudo prlimit --pid $$ --nice=31:31";
    findings[0].changes_n = 0;
    findings[0].fix_now = shell_fix;
    text = screen(80);
    assert_null(strstr(text, "prlimit"));
    assert_non_null(strstr(text, "  by hand: "));
    free(text);
    findings[0].changes_n = 1;
    /* it lasts, so it is offered where a command for now is short, too */
    static char short_fix[] = "sudo one";
    findings[0].fix_now = short_fix;
    findings[0].needs = ST_NEEDS_RELOGIN;
    text = screen(80);
    assert_null(strstr(text, "sudo one"));
    assert_non_null(
        strstr(text, "\n  linux-a-rule-with-a-long-name-00: costs power; then log out and in again\n"));
    free(text);
    /* another command that lasts comes before one for now, a line of a file does not */
    static char lasting[] = "sudo usermod -aG audio $USER", line[] = "# /etc/a.conf\na = 1";
    findings[0].changes_n = 0;
    findings[0].fix_persistent = lasting;
    text = screen(80);
    assert_non_null(strstr(text, "\n  sudo usermod -aG audio $USER\n"));
    assert_non_null(strstr(text, "; then log out and in again\n"));
    free(text);
    findings[0].fix_persistent = line;
    text = screen(80);
    assert_non_null(strstr(text, "\n  sudo one\n"));
    assert_non_null(strstr(text, "; works at once, does not last\n"));
    free(text);
    findings[0].fix_persistent = NULL;
    findings[0].changes_n = 1;
    /* apply only shows what a rule does not promise to change */
    rules[0].changes = NULL;
    text = screen(80);
    assert_non_null(strstr(text, "\n  sudo one\n"));
    free(text);
    findings[0].changes_n = 0;
}

static void a_command_of_several_lines_is_left_to_the_report_of_its_rule(void **state)
{
    static char fix[] = "sudo one\nsudo two";
    fires(0, ST_STATUS_ADVICE, 1, fix);
    char *text = screen(80);
    assert_null(strstr(text, "sudo one"));
    assert_non_null(
        strstr(text, "\n  by hand: 'sleeptune report linux-a-rule-with-a-long-name-00' shows how\n"));
    free(text);
    /* a step may be words, before the command or behind it; a heading is none */
    static char before[] = "# remove a=1 from /etc/a, then\nsudo one",
                behind[] = "sudo one\n# then choose it";
    static char heading[] = "# for ever:\nsudo one";
    findings[0].fix_persistent = before;
    text = screen(80);
    assert_non_null(strstr(text, "\n  by hand: "));
    free(text);
    findings[0].fix_persistent = behind;
    text = screen(80);
    assert_non_null(strstr(text, "\n  by hand: "));
    free(text);
    findings[0].fix_persistent = heading;
    text = screen(80);
    assert_non_null(strstr(text, "\n  sudo one\n"));
    free(text);
    findings[0].fix_persistent = NULL;
    /* so may be a name to be filled in */
    static char blank[] = "taskset -apc 4-7 $(pgrep -o PROGRAM)";
    findings[0].fix_now = blank;
    text = screen(80);
    assert_non_null(strstr(text, "\n  by hand: "));
    free(text);
    /* what the next start undoes */
    static char for_now[] = "echo performance | sudo tee /sys/firmware/acpi/platform_profile";
    findings[0].fix_now = for_now;
    text = screen(80);
    assert_non_null(strstr(text, "; works at once, does not last\n"));
    free(text);
}

static void a_finding_without_a_fix_says_so(void **state)
{
    fires(0, ST_STATUS_PROBLEM, 1, NULL);
    char *text = screen(80);
    assert_non_null(
        strstr(text, "\n  no fix is known: see 'sleeptune report linux-a-rule-with-a-long-name-00'\n"));
    assert_null(strstr(text, "costs"));
    free(text);
}

static void unknown_rules_are_counted_by_reason(void **state)
{
    assert_int_equal(st_facts_put_state(facts, "k", ST_FACT_UNREADABLE, EACCES, NULL, "/k"), 0);
    assert_int_equal(st_facts_put_state(facts, "m", ST_FACT_MALFORMED, 0, "?", "/m"), 0);
    for (size_t i = 0; i < 3; i++)
        findings[i].status = ST_STATUS_UNKNOWN;
    findings[0].evidence[findings[0].evidence_n++] = st_facts_find(facts, "k");
    findings[2].evidence[findings[2].evidence_n++] = st_facts_find(facts, "m");
    char *text = screen(0);
    assert_non_null(strstr(text, "\n37 ok, 0 not applicable, 3 unknown: " ID("00") " (need root); " ID(
                                     "01") " (not in these files); " ID("02") " (not understood).\n"));
    free(text);
    for (size_t i = 3; i < 6; i++)
        findings[i].status = ST_STATUS_UNKNOWN;
    text = screen(0);
    assert_non_null(strstr(text, "6 unknown: " ID("00") " (need root); " ID("01") ", " ID("03") ", " ID(
                                     "04") " and 1 more (not in these files); " ID("02")));
    free(text);
}

static void what_another_finding_does_too_is_not_shown(void **state)
{
    static char fix[] = "sudo one";
    fires(0, ST_STATUS_ADVICE, 100, fix);
    fires(1, ST_STATUS_ADVICE, -1, fix);
    findings[0].needless = "linux-rt-permission does it, too";
    char *text = screen(0);
    assert_null(strstr(text, "(100.0 µs)"));
    assert_non_null(strstr(text, "1 setting may disturb"));
    free(text);
}

static void without_sound_nothing_is_judged(void **state)
{
    static char fix[] = "sudo one";
    fires(0, ST_STATUS_PROBLEM, 100, fix);
    findings[0].needless = "nothing here plays sound";
    ST_PRINT(report.wish.why, "no sound server runs here");
    report.no_sound = true;
    char *text = screen(80);
    assert_string_equal(text, "Nothing plays here: there is no sound card, and no sound server runs. For a\n"
                              "program of yours that runs in periods: sleeptune report --frames 128.\n\n"
                              "Settings that are fine: --ok. All: --details. One: sleeptune report ID.\n");
    free(text);
    report.no_sound = false;
    report.wish.why[0] = '\0';
}

static void what_the_daemon_counted_is_measured(void **state)
{
    assert_int_equal(st_facts_put_int(facts, ST_MUSIC_COUNTED, 283, "sleeptuned"), 0);
    char *text = screen(0);
    assert_non_null(strstr(text, "sleeptuned has counted 283 dropouts: sleeptune status says whose."));
    assert_null(strstr(text, "Not measured"));
    free(text);
    assert_int_equal(st_facts_put_int(facts, ST_MUSIC_COUNTED, 0, "sleeptuned"), 0);
    text = screen(0);
    assert_non_null(strstr(text, "Not measured"));
    free(text);
}

static void what_is_left_out_is_counted_and_not_summed(void **state)
{
    static char fix[] = "sudo one";
    fires(0, ST_STATUS_ADVICE, 100, fix);
    fires(1, ST_STATUS_PROBLEM, 200, fix);
    fires(2, ST_STATUS_PROBLEM, 300, fix);
    st_report_set_profile(&report, ST_REPORT_PROFILE_LAPTOP);
    char *text = screen(0);
    /* a problem costs power and is a problem all the same */
    assert_float_equal(st_report_sum_us(&report), 500, 0.05);
    assert_non_null(strstr(text, "\nProfile laptop leaves out 1 of the settings because of their cost.\n"));
    free(text);
}

static void the_first_sentence_names_the_one_thing_that_matters(void **state)
{
    char verdict[ST_REPORT_FORMAT_HEADLINE_BYTES];
    static char fix[] = "sudo one";
    rules[0].id = "linux-rt-permission";
    fires(0, ST_STATUS_PROBLEM, -1, fix);
    assert_string_equal(st_report_format_headline(&report, verdict, sizeof(verdict)),
                        "What is seen here. "
                        "Not measured at 64 frames at 48 kHz (1.3 ms).");
}

static void what_is_fine_is_listed_by_name(void **state)
{
    static char fix[] = "sudo one";
    fires(0, ST_STATUS_ADVICE, 1, fix);
    findings[1].status = ST_STATUS_UNKNOWN;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    const struct st_report_view view = {.ok = true};
    assert_int_equal(st_report_format_write(&st_report_text, &report, out, &view), 0);
    fclose(out);
    assert_null(strstr(text, "ok  linux-a-rule-with-a-long-name-00"));
    assert_null(strstr(text, "ok  linux-a-rule-with-a-long-name-01"));
    assert_non_null(strstr(text, "\nok  linux-a-rule-with-a-long-name-02 A title that is as long"));
    free(text);
}

#define SCREEN(name) TEST(name)

static void seven_rows(const void *ctx, FILE *out, int width, bool colour)
{
    (void)ctx;
    (void)width;
    (void)colour;
    for (int i = 0; i < 8; i++)
        fprintf(out, "a row\n");
}

static void an_answer_leaves_room_for_settings_and_one_step(void **state)
{
    static char fix[] = "sudo sysctl a=1";
    struct st_report_answer answer = {.text = "64 frames held: no dropout in 7 s.",
                                      .table = seven_rows,
                                      .next = "a command that is so long that it does not fit into a line of "
                                              "eighty columns"};
    for (size_t i = 0; i < 6; i++)
        fires(i, ST_STATUS_ADVICE, 1, fix);
    report.answer = &answer;
    char *text = screen(80);
    check_fits(text);
    assert_memory_equal(text, "64 frames held: no dropout in 7 s.\n\na row\n", 42);
    int shown = 0;
    for (const char *at = text; (at = strstr(at, "\n  sudo sysctl a=1\n")) != NULL; at++)
        shown++;
    assert_int_equal(shown, 3);
    assert_non_null(strstr(text, "\nNext: a command"));
    assert_non_null(strstr(text, "\n3 more settings. More: --details."));
    assert_null(strstr(text, "ok, "));
    free(text);
    /* a command is not wrapped, so that it can be copied */
    answer.next =
        "sudo sleeptune apply linux-a-rule-with-a-name-that-is-too-long-for-a-line-of-eighty-columns "
        "(lets programs go before others)";
    text = screen(80);
    assert_non_null(strstr(text,
                           "\nNext: sudo sleeptune apply linux-a-rule-with-a-name-that-is-too-long-for-a-"
                           "line-of-eighty-columns\n      lets programs go before others\n"));
    free(text);
    answer.next = "a command";
    answer.fine = true;
    text = screen(80);
    assert_non_null(strstr(text, "\nNext: a command"));
    free(text);
    fires(0, ST_STATUS_PROBLEM, 1, fix);
    text = screen(80);
    assert_non_null(strstr(text, "\nNext: sleeptune report linux-a-rule-with-a-long-name-00\n"));
    free(text);
    /* as in the row above and in the report */
    struct st_change change = {ST_CHANGE_SYSCTL, "a", "1"};
    rules[0].changes = findings[0].changes = &change;
    findings[0].changes_n = 1;
    text = screen(80);
    assert_non_null(strstr(text, "\nNext: sudo sleeptune apply linux-a-rule-with-a-long-name-00\n"));
    free(text);
    rules[0].changes = findings[0].changes = NULL;
    findings[0].changes_n = 0;
    /* music without a dropout comes behind it, with one before it */
    assert_int_equal(st_facts_put_text(facts, ST_MUSIC_ANSWER, "What was heard.", NULL), 0);
    assert_int_equal(st_facts_put_text(facts, ST_MUSIC_SERVER, "PipeWire", NULL), 0);
    text = screen(80);
    assert_non_null(strstr(text, " 7 s.\nWhat was heard.\n"));
    free(text);
    assert_int_equal(st_facts_put_int(facts, ST_MUSIC_DROPOUTS, 1, NULL), 0);
    text = screen(80);
    assert_non_null(strstr(text, "What was heard.\n64 frames"));
    check_fits(text);
    free(text);
    report.answer = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCREEN(the_worst_case_fits_80_columns_and_23_lines),
        SCREEN(at_most_five_settings_are_shown),
        SCREEN(advice_that_costs_nothing_takes_no_row),
        SCREEN(what_apply_can_do_is_offered_where_the_command_is_long),
        SCREEN(a_command_of_several_lines_is_left_to_the_report_of_its_rule),
        SCREEN(a_finding_without_a_fix_says_so),
        SCREEN(unknown_rules_are_counted_by_reason),
        SCREEN(what_another_finding_does_too_is_not_shown),
        SCREEN(without_sound_nothing_is_judged),
        SCREEN(what_the_daemon_counted_is_measured),
        SCREEN(what_is_left_out_is_counted_and_not_summed),
        SCREEN(the_first_sentence_names_the_one_thing_that_matters),
        SCREEN(what_is_fine_is_listed_by_name),
        SCREEN(an_answer_leaves_room_for_settings_and_one_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
