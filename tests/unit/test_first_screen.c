/* What the first screen shows, and that it fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/facts/measured.h"
#include "advisor/report/headline.h"
#include "advisor/report/report_format.h"
#include "core/text/text.h"

#define RULES_N 40

static char ids[RULES_N][40], summary[] = "what is seen here";
static struct st_rule rules[RULES_N];
static struct st_finding findings[RULES_N];
static struct st_facts *facts;
static struct st_report report;

static int setup(void **state)
{
    (void)state;
    facts = st_facts_new(ST_OS_LINUX);
    for (size_t i = 0; i < RULES_N; i++) {
        snprintf(ids[i], sizeof(ids[i]), "linux-a-rule-with-a-long-name-%02zu", i);
        rules[i] = (struct st_rule){
            .id = ids[i],
            .title = "A title that is as long as a title may be: sixty columns....",
            .cost = "power, heat: several watts",
            .privilege = "root",
            .worst = ST_STATUS_PROBLEM,
        };
        findings[i] = (struct st_finding){.rule = &rules[i], .status = ST_STATUS_OK, .summary = summary};
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
    (void)state;
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

static void measured(const char *key, int64_t value)
{
    assert_int_equal(st_facts_put_int(facts, key, value, NULL, NULL), 0);
}

static void a_measurement(int64_t misses_n)
{
    measured(ST_MEASURED_FRAMES, 64);
    measured(ST_MEASURED_RATE_HZ, 48000);
    measured(ST_MEASURED_PERIODS, 7500);
    measured(ST_MEASURED_MISSES, misses_n);
    measured(ST_MEASURED_DURATION_NS, INT64_C(10000000000));
    measured(ST_MEASURED_LATEST_NS, 35100);
    measured(ST_MEASURED_BOOKS_BALANCE, 1);
    assert_int_equal(st_facts_put_text(facts, ST_MEASURED_BOUND, "1078", NULL, NULL), 0);
    assert_int_equal(st_facts_put_text(facts, ST_MEASURED_POLICY, "fifo 70", NULL, NULL), 0);
    assert_int_equal(st_facts_put_text(facts, ST_MEASURED_SOURCE, "sleeptune check", NULL, NULL), 0);
}

static void check_fits(const char *text)
{
    int lines = 0;
    for (const char *line = text; *line != '\0'; lines++) {
        const size_t bytes = strcspn(line, "\n");
        char copy[1024];
        assert_true(bytes < sizeof(copy));
        snprintf(copy, sizeof(copy), "%.*s", (int)bytes, line);
        if (st_text_columns(copy) > 80)
            fail_msg("too wide: %s", copy);
        line += bytes + (line[bytes] == '\n');
    }
    assert_true(lines <= 23);
}

static void the_worst_case_fits_80_columns_and_23_lines(void **state)
{
    (void)state;
    static char fix[] =
        "sudo sh -c 'a command that is far longer than the eighty columns of a terminal, by a lot'";
    static char reason[] = "a reason that somebody wrote down at length so that it would not be forgotten";
    static char until[] = "2027-01-01";
    static const struct st_mute mute = {NULL, reason, until};
    for (size_t i = 0; i < 12; i++)
        fires(i, ST_STATUS_PROBLEM, 1234.5, fix);
    for (size_t i = 12; i < 24; i++)
        findings[i].status = ST_STATUS_UNKNOWN;
    for (size_t i = 24; i < 30; i++)
        fires(i, ST_STATUS_ADVICE, 10, fix);
    findings[30].mute = &mute;
    a_measurement(12);
    assert_int_equal(
        st_facts_put_text(facts, ST_MEASURED_DEGRADED,
                          "no right to SCHED_FIFO at priority 70 (Operation not permitted): runs as a "
                          "normal thread; memory is not locked",
                          NULL, NULL),
        0);
    assert_int_equal(st_facts_put_text(facts, "system.container", "docker", NULL, NULL), 0);
    assert_int_equal(st_facts_put_int(facts, "linux.virtual", 1, NULL, NULL), 0);
    for (int i = 0; i < 9; i++) {
        char key[16], source[80];
        snprintf(key, sizeof(key), "k%d", i);
        snprintf(source, sizeof(source), "/sys/devices/system/cpu/cpufreq/policy%d/scaling_governor", i);
        assert_int_equal(st_facts_put_state(facts, key, ST_FACT_UNREADABLE, EACCES, NULL, source), 0);
    }
    report.unreadable_n = 9;
    st_report_set_profile(&report, ST_REPORT_PROFILE_LAPTOP);
    char *text = screen(80);
    check_fits(text);
    assert_int_equal(
        strncmp(text, "This computer misses deadlines at 64 frames at 48 kHz (1.3 ms). Look at this\n", 77),
        0);
    assert_non_null(strstr(text, "\n12 of 7500 periods missed, worst wake-up 35.1 µs late.\n"));
    assert_non_null(strstr(text, "more settings."));
    assert_non_null(strstr(text, "linux-a-rule-with-a-long-name-00: costs power\n"));
    free(text);
}

static void at_most_five_settings_are_shown(void **state)
{
    (void)state;
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
    (void)state;
    static char fix[] = "sudo sysctl a=1";
    fires(0, ST_STATUS_ADVICE, 0, fix);
    fires(1, ST_STATUS_ADVICE, 0, fix);
    fires(2, ST_STATUS_ADVICE, -1, fix);
    char *text = screen(0);
    const char *row = strstr(text, "\n  sudo sysctl a=1\n");
    assert_non_null(row);
    assert_null(strstr(row + 1, "\n  sudo sysctl a=1\n"));
    assert_non_null(strstr(text, "1 setting may disturb 64 frames at 48 kHz (1.3 ms).\n"));
    assert_non_null(strstr(text, "\n2 settings with advice that is not about lateness.\n"));
    assert_null(strstr(text, "more setting"));
    free(text);
    fires(1, ST_STATUS_PROBLEM, 0, fix); /* no rule says that; if one did, it would have its row */
    text = screen(0);
    assert_non_null(strstr(text, "\n1 setting with advice that is not about lateness.\n"));
    assert_non_null(strstr(text, "\nproblem  "));
    free(text);
}

static void what_apply_can_do_is_offered_where_the_command_is_long(void **state)
{
    (void)state;
    static char fix[] = "sudo one\nsudo two";
    fires(0, ST_STATUS_ADVICE, 1, fix);
    findings[0].changes_n = 1;
    rules[0].applicability = ST_APPLY_AUTO;
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
    /* apply only shows what is dangerous */
    rules[0].applicability = ST_APPLY_DANGEROUS;
    text = screen(80);
    assert_non_null(strstr(text, "\n  sudo one\n"));
    free(text);
    findings[0].changes_n = 0;
}

static void a_command_of_several_lines_is_left_to_the_report_of_its_rule(void **state)
{
    (void)state;
    static char fix[] = "sudo one\nsudo two";
    fires(0, ST_STATUS_ADVICE, 1, fix);
    char *text = screen(80);
    assert_null(strstr(text, "sudo one"));
    assert_non_null(
        strstr(text, "\n  by hand: 'sleeptune report linux-a-rule-with-a-long-name-00' shows how\n"));
    free(text);
}

static void a_finding_without_a_fix_says_so(void **state)
{
    (void)state;
    fires(0, ST_STATUS_PROBLEM, 1, NULL);
    char *text = screen(80);
    assert_non_null(
        strstr(text, "\n  no fix is known: see 'sleeptune report linux-a-rule-with-a-long-name-00'\n"));
    assert_null(strstr(text, "costs"));
    free(text);
}

static void unknown_rules_are_counted_by_reason(void **state)
{
    (void)state;
    assert_int_equal(st_facts_put_state(facts, "k", ST_FACT_UNREADABLE, EACCES, NULL, "/k"), 0);
    assert_int_equal(st_facts_put_state(facts, "m", ST_FACT_MALFORMED, 0, "?", "/m"), 0);
    for (size_t i = 0; i < 3; i++)
        findings[i].status = ST_STATUS_UNKNOWN;
    findings[0].evidence[findings[0].evidence_n++] = st_facts_find(facts, "k");
    findings[2].evidence[findings[2].evidence_n++] = st_facts_find(facts, "m");
    char *text = screen(0);
    assert_non_null(
        strstr(text, "\n37 ok, 0 not applicable, 3 unknown: need root, not visible here, not understood.\n"));
    free(text);
}

static void what_is_left_out_is_counted_and_not_summed(void **state)
{
    (void)state;
    static char fix[] = "sudo one";
    static char reason[] = "known", until[] = "2027-01-01", id[] = "linux-a-rule-with-a-long-name-01";
    static const struct st_mute mutes[] = {{id, reason, until}};
    fires(0, ST_STATUS_ADVICE, 100, fix);
    fires(1, ST_STATUS_PROBLEM, 200, fix);
    fires(2, ST_STATUS_PROBLEM, 300, fix);
    st_report_set_profile(&report, ST_REPORT_PROFILE_LAPTOP);
    st_report_mute(&report, mutes, 1, "2026-12-31");
    char *text = screen(0);
    assert_float_equal(st_report_sum_us(&report), 300, 0.05);
    assert_non_null(strstr(text, "\n1 muted: known, until 2027-01-01.\n"));
    assert_non_null(strstr(text, "\nProfile laptop leaves out 1 because of their cost.\n"));
    free(text);
    /* from its day on the mute is void; the problem costs power and is a problem all the same */
    findings[1].mute = NULL;
    st_report_mute(&report, mutes, 1, "2027-01-01");
    text = screen(0);
    assert_float_equal(st_report_sum_us(&report), 500, 0.05);
    assert_null(strstr(text, "muted"));
    free(text);
}

static void the_sentence_says_what_was_measured_and_how_sure(void **state)
{
    (void)state;
    char verdict[ST_HEADLINE_BYTES];
    a_measurement(0);
    assert_string_equal(
        st_headline(&report, false, verdict, sizeof(verdict)),
        "This computer kept up with 64 frames at 48 kHz (1.3 ms) for 10.00 s. Measured for 10.00 s (sleeptune check, fifo 70): "
        "0 of 7500 periods missed (95% confidence: at most 1080 events per hour; misses less than 100 ms apart are one event), worst wake-up 35.1 µs late.");
    assert_string_equal(
        st_headline(&report, true, verdict, sizeof(verdict)),
        "This computer kept up with 64 frames at 48 kHz (1.3 ms) for 10.00 s.\n"
        "0 of 7500 periods missed, worst wake-up 35.1 µs late. How sure: this computer alone makes at most 1080 dropouts per hour (95 % sure; dropouts less than 100 ms apart count as one). A longer "
        "run lowers that.");
    a_measurement(3);
    assert_non_null(strstr(
        st_headline(&report, false, verdict, sizeof(verdict)),
        "This computer misses deadlines at 64 frames at 48 kHz (1.3 ms). No setting that sleeptune read explains this. Measured for"));
    measured(ST_MEASURED_BOOKS_BALANCE, 0);
    assert_non_null(
        strstr(st_headline(&report, false, verdict, sizeof(verdict)), "(sleeptune check) is invalid"));
    a_measurement(0);
    measured(ST_MEASURED_PERIODS, 0);
    assert_non_null(strstr(st_headline(&report, false, verdict, sizeof(verdict)),
                           "Not measured: sleeptune check ended before the first counted period."));
    /* of another period */
    a_measurement(0);
    measured(ST_MEASURED_FRAMES, 128);
    assert_string_equal(
        st_headline(&report, false, verdict, sizeof(verdict)),
        "sleeptune found no setting that disturbs 64 frames at 48 kHz (1.3 ms). Not measured at 64 "
        "frames at 48 kHz (1.3 ms), only at 128 frames at 48000 Hz (sleeptune check).");
}

static void the_first_sentence_names_the_one_thing_that_matters(void **state)
{
    (void)state;
    char verdict[ST_HEADLINE_BYTES];
    static char fix[] = "sudo one";
    rules[0].id = "linux-rt-permission";
    fires(0, ST_STATUS_PROBLEM, -1, fix);
    assert_string_equal(st_headline(&report, true, verdict, sizeof(verdict)),
                        "No real-time rights: any busy program can delay the audio thread.\n"
                        "Not measured at 64 frames at 48 kHz (1.3 ms).");
    a_measurement(0);
    assert_non_null(strstr(
        st_headline(&report, false, verdict, sizeof(verdict)),
        "kept up with 64 frames at 48 kHz (1.3 ms) for 10.00 s, but without real-time rights any busy"));
    /* it is the reason only if the loop ran without the right */
    a_measurement(12);
    assert_non_null(strstr(
        st_headline(&report, false, verdict, sizeof(verdict)),
        "misses deadlines at 64 frames at 48 kHz (1.3 ms). Look at this first: No real-time rights: "));
    assert_int_equal(st_facts_put_text(
                         facts, ST_MEASURED_DEGRADED,
                         "no right to SCHED_FIFO at priority 70 (Operation not permitted): runs", NULL, NULL),
                     0);
    assert_string_equal(
        st_headline(&report, true, verdict, sizeof(verdict)),
        "No real-time rights: this is why this computer misses deadlines at 64 frames at 48 kHz (1.3 ms).\n"
        "12 of 7500 periods missed, worst wake-up 35.1 µs late.");
}

static void what_is_fine_is_listed_by_name(void **state)
{
    (void)state;
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

#define SCREEN(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

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
        SCREEN(what_is_left_out_is_counted_and_not_summed),
        SCREEN(the_sentence_says_what_was_measured_and_how_sure),
        SCREEN(the_first_sentence_names_the_one_thing_that_matters),
        SCREEN(what_is_fine_is_listed_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
