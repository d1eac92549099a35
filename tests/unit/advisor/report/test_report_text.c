/* What the first screen shows, and that it fits. */
#include "advisor/report/report_format.h"
#include "core/text/text.h"
#include "tests/unit/shown.h"

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

static void check_fits(const char *text)
{
    int lines = 0;
    for (const char *line = text; *line != '\0'; lines++) {
        const size_t bytes = strcspn(line, "\n");
        char copy[1024];
        assert_true(bytes < sizeof(copy));
        ST_PRINT(copy, "%.*s", (int)bytes, line);
        /* a command is not wrapped, so that it can be copied */
        if (st_text_columns(copy) > 80 && !st_text_begins(copy, "Next: sudo "))
            fail_msg("too wide: %s", copy);
        line += bytes + (line[bytes] == '\n');
    }
    assert_true(lines <= 23);
}

/* The first screen; in 0 columns: not wrapped. */
static void look(int width)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    const struct st_report_view view = {.width = width};
    assert_int_equal(st_report_text(&report, out, &view), 0);
    fclose(out);
    if (width == 80)
        check_fits(text);
    show("%s--", text);
    free(text);
}

static void fires(size_t i, enum st_status status, double effect_us, char *fix)
{
    findings[i].status = status;
    findings[i].effect_known = effect_us >= 0;
    findings[i].effect_us = effect_us;
    findings[i].fix_now = fix;
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
        assert_int_equal(st_facts_put_state(facts, key, ST_FACT_UNREADABLE, EACCES, NULL, source),
                         0);
    }
    report.unreadable_n = 9;
    st_report_set_profile(&report, ST_REPORT_PROFILE_LAPTOP);
    look(80);
}

/* The lines of the worst setting are more than a narrow screen has left. */
static void a_narrow_screen_shows_the_worst_setting(void **state)
{
    static char fix[] = "sudo sysctl a=1";
    fires(3, ST_STATUS_PROBLEM, 1234.5, fix);
    assert_int_equal(st_facts_put_text(facts, "system.container", "docker", NULL), 0);
    assert_int_equal(st_facts_put_int(facts, "linux.virtual", 1, NULL), 0);
    look(20);
}

static void at_most_five_settings_are_shown(void **state)
{
    static char fix[] = "# a comment\nsudo sysctl a=1";
    for (size_t i = 0; i < 6; i++)
        fires(i, ST_STATUS_ADVICE, 1, fix);
    look(80);
}

static void advice_that_costs_nothing_takes_no_row(void **state)
{
    static char fix[] = "sudo sysctl a=1";
    fires(0, ST_STATUS_ADVICE, 0, fix);
    fires(1, ST_STATUS_ADVICE, 0, fix);
    fires(2, ST_STATUS_ADVICE, -1, fix);
    look(0);
    fires(1, ST_STATUS_PROBLEM, 0, fix); /* no rule says that; if one did, it would have its row */
    look(0);
}

static void what_apply_can_do_is_offered_where_the_command_is_long(void **state)
{
    static char fix[] = "sudo one\nsudo two";
    fires(0, ST_STATUS_ADVICE, 1, fix);
    static struct st_change change = {ST_CHANGE_SYSCTL, "vm.swappiness", "1"};
    findings[0].changes = &change;
    findings[0].changes_n = 1;
    rules[0].changes = &change;
    look(80);
    /* a command for one shell is none */
    static char shell_fix[] = "sudo prlimit --pid $$ --nice=31:31";
    findings[0].changes_n = 0;
    findings[0].fix_now = shell_fix;
    look(80);
    findings[0].changes_n = 1;
    /* it lasts, so it is offered where a command for now is short, too */
    static char short_fix[] = "sudo one";
    findings[0].fix_now = short_fix;
    findings[0].needs = ST_NEEDS_RELOGIN;
    look(80);
    /* another command that lasts comes before one for now, a line of a file does not */
    static char lasting[] = "sudo usermod -aG audio $USER", line[] = "# /etc/a.conf\na = 1";
    findings[0].changes_n = 0;
    findings[0].fix_persistent = lasting;
    look(80);
    findings[0].fix_persistent = line;
    look(80);
    findings[0].fix_persistent = NULL;
    findings[0].changes_n = 1;
    /* apply only shows what a rule does not promise to change */
    rules[0].changes = NULL;
    look(80);
    findings[0].changes_n = 0;
}

static void a_command_of_several_lines_is_left_to_the_report_of_its_rule(void **state)
{
    static char fix[] = "sudo one\nsudo two";
    fires(0, ST_STATUS_ADVICE, 1, fix);
    look(80);
    /* a step may be words, before the command or behind it; a heading is none */
    static char before[] = "# remove a=1 from /etc/a, then\nsudo one",
                behind[] = "sudo one\n# then choose it";
    static char heading[] = "# for ever:\nsudo one";
    findings[0].fix_persistent = before;
    look(80);
    findings[0].fix_persistent = behind;
    look(80);
    findings[0].fix_persistent = heading;
    look(80);
    findings[0].fix_persistent = NULL;
    /* so may be a name to be filled in */
    static char blank[] = "taskset -apc 4-7 $(pgrep -o PROGRAM)";
    findings[0].fix_now = blank;
    look(80);
    /* what the next start undoes */
    static char for_now[] = "echo performance | sudo tee /sys/firmware/acpi/platform_profile";
    findings[0].fix_now = for_now;
    look(80);
}

static void a_finding_without_a_fix_says_so(void **state)
{
    fires(0, ST_STATUS_PROBLEM, 1, NULL);
    look(80);
}

static void unknown_rules_are_counted_by_reason(void **state)
{
    assert_int_equal(st_facts_put_state(facts, "k", ST_FACT_UNREADABLE, EACCES, NULL, "/k"), 0);
    assert_int_equal(st_facts_put_state(facts, "m", ST_FACT_MALFORMED, 0, "?", "/m"), 0);
    for (size_t i = 0; i < 3; i++)
        findings[i].status = ST_STATUS_UNKNOWN;
    findings[0].evidence[findings[0].evidence_n++] = st_facts_find(facts, "k");
    findings[2].evidence[findings[2].evidence_n++] = st_facts_find(facts, "m");
    look(0);
    for (size_t i = 3; i < 6; i++)
        findings[i].status = ST_STATUS_UNKNOWN;
    look(0);
}

static void what_another_finding_does_too_is_not_shown(void **state)
{
    static char fix[] = "sudo one";
    fires(0, ST_STATUS_ADVICE, 100, fix);
    fires(1, ST_STATUS_ADVICE, -1, fix);
    findings[0].needless = "the fix of linux-rt-permission solves this problem, too";
    look(80);
    look(0);
}

static void without_sound_nothing_is_judged(void **state)
{
    static char fix[] = "sudo one";
    fires(0, ST_STATUS_PROBLEM, 100, fix);
    findings[0].needless = "nothing here plays sound";
    ST_PRINT(report.wish.why, "no sound server runs here");
    report.no_sound = true;
    look(80);
    report.no_sound = false;
    report.wish.why[0] = '\0';
}

static void what_the_daemon_counted_is_measured(void **state)
{
    assert_int_equal(st_facts_put_int(facts, ST_MUSIC_COUNTED, 283, "sleeptuned"), 0);
    look(0);
    assert_int_equal(st_facts_put_int(facts, ST_MUSIC_COUNTED, 0, "sleeptuned"), 0);
    look(0);
}

static void what_is_left_out_is_counted_and_not_summed(void **state)
{
    static char fix[] = "sudo one";
    fires(0, ST_STATUS_ADVICE, 100, fix);
    fires(1, ST_STATUS_PROBLEM, 200, fix);
    fires(2, ST_STATUS_PROBLEM, 300, fix);
    st_report_set_profile(&report, ST_REPORT_PROFILE_LAPTOP);
    look(0);
    /* a problem costs power and is a problem all the same */
    assert_float_equal(st_report_sum_us(&report), 500, 0.05);
}

static void the_first_sentence_names_the_one_thing_that_matters(void **state)
{
    static char fix[] = "sudo one";
    rules[0].id = "linux-rt-permission";
    fires(0, ST_STATUS_PROBLEM, -1, fix);
    assert_string_equal(st_report_format_headline(&report),
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
    assert_int_equal(st_report_text(&report, out, &view), 0);
    fclose(out);
    assert_lacks(text, "ok  linux-a-rule-with-a-long-name-00");
    assert_lacks(text, "ok  linux-a-rule-with-a-long-name-01");
    assert_has(text, "\nok  linux-a-rule-with-a-long-name-02 A title that is as long");
    free(text);
}

static void seven_rows(const void *ctx, FILE *out, int width, bool colour)
{
    for (int i = 0; i < 8; i++)
        fprintf(out, "a row\n");
}

static void an_answer_leaves_room_for_settings_and_one_step(void **state)
{
    static char fix[] = "sudo sysctl a=1";
    struct st_report_answer answer = {
        .text = "64 frames were enough: no dropout in 7 s.",
        .table = seven_rows,
        .next = "a command that is so long that it does not fit into a line of "
                "eighty columns"};
    for (size_t i = 0; i < 6; i++)
        fires(i, ST_STATUS_ADVICE, 1, fix);
    report.answer = &answer;
    look(80);
    answer.next = "sudo sleeptune apply "
                  "linux-a-rule-with-a-name-that-is-too-long-for-a-line-of-eighty-columns "
                  "(lets programs go before others)";
    look(80);
    answer.next = "a command";
    answer.fine = true;
    look(80);
    fires(0, ST_STATUS_PROBLEM, 1, fix);
    look(80);
    /* as in the row above and in the report */
    struct st_change change = {ST_CHANGE_SYSCTL, "a", "1"};
    rules[0].changes = findings[0].changes = &change;
    findings[0].changes_n = 1;
    look(80);
    rules[0].changes = findings[0].changes = NULL;
    findings[0].changes_n = 0;
    /* music without a dropout comes behind it, with one before it */
    assert_int_equal(st_facts_put_text(facts, ST_MUSIC_ANSWER, "What was heard.", NULL), 0);
    assert_int_equal(st_facts_put_text(facts, ST_MUSIC_SERVER, "PipeWire", NULL), 0);
    look(80);
    assert_int_equal(st_facts_put_int(facts, ST_MUSIC_DROPOUTS, 1, NULL), 0);
    look(80);
    report.answer = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_worst_case_fits_80_columns_and_23_lines),
        TEST(a_narrow_screen_shows_the_worst_setting),
        TEST(at_most_five_settings_are_shown),
        TEST(advice_that_costs_nothing_takes_no_row),
        TEST(what_apply_can_do_is_offered_where_the_command_is_long),
        TEST(a_command_of_several_lines_is_left_to_the_report_of_its_rule),
        TEST(a_finding_without_a_fix_says_so),
        TEST(unknown_rules_are_counted_by_reason),
        TEST(what_another_finding_does_too_is_not_shown),
        TEST(without_sound_nothing_is_judged),
        TEST(what_the_daemon_counted_is_measured),
        TEST(what_is_left_out_is_counted_and_not_summed),
        TEST(the_first_sentence_names_the_one_thing_that_matters),
        TEST(what_is_fine_is_listed_by_name),
        TEST(an_answer_leaves_room_for_settings_and_one_step),
    };
    return shown_run(tests);
}
