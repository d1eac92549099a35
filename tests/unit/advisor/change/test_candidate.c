/* Which findings can be tried, and the trial of them: FreeBSD with the values of a real capture,
 * Linux as a laptop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/change/applied.h"
#include "advisor/change/candidate.h"
#include "advisor/collect/collect.h"
#include "core/tick.h"
#include "tests/fake/fake.h"

#define FOLDER    "/changes"
#define DEVIATION "kern.timecounter.alloweddeviation"

/* The sysctls of the capture. */
static struct st_platform *fake_freebsd(const char *capture)
{
    char path[512], line[4096];
    struct st_platform *p = st_fake_new(ST_OS_FREEBSD, 0);
    snprintf(path, sizeof(path), ST_CAPTURES_DIR "/%s/sysctl-a.txt", capture);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        char *value = strstr(line, ": ");
        line[strcspn(line, "\n")] = '\0';
        if (value == NULL || strchr(line, ' ') < value)
            continue;
        *value = '\0';
        assert_int_equal(st_fake_set_sysctl(p, line, value + 2, 0), 0);
    }
    fclose(file);
    return p;
}

static const struct st_candidate *find(const struct st_candidates *candidates, const char *id)
{
    size_t i = 0;
    while (i < candidates->n && strcmp(candidates->rows[i].finding->rule->id, id) != 0)
        i++;
    assert_true(i < candidates->n);
    return &candidates->rows[i];
}

static void assert_sysctl(struct st_platform *p, const char *name, const char *wanted)
{
    char text[64];
    size_t len;
    assert_int_equal(p->read_sysctl(p, name, text, sizeof(text), &len), 0);
    assert_string_equal(text, wanted);
}

/* Of the capture, with another value of one sysctl. */
static struct st_facts *find_freebsd(struct st_platform *p, const char *key, int64_t value,
                                     struct st_report *report, struct st_candidates *candidates)
{
    struct st_facts *facts;
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/freebsd-13.2", &facts), 0);
    assert_int_equal(st_facts_put_int(facts, key, value, "test"), 0);
    assert_int_equal(st_report_make(facts, 64, 48000, report), 0);
    st_candidates_find(candidates, p, report, true, false);
    return facts;
}

/* freebsd-run-4.md D10 */
static void a_jail_tries_nothing_of_its_host(void **state)
{
    struct st_platform *p = fake_freebsd("freebsd-13.2");
    struct st_report report;
    struct st_candidates candidates;
    struct st_facts *facts =
        find_freebsd(p, "freebsd.security.jail.jailed", 1, &report, &candidates);
    assert_string_equal(find(&candidates, "freebsd-alloweddeviation")->not_tried,
                        "only the host of this jail can change this setting");
    st_candidates_finish(&candidates);
    st_report_finish(&report);
    st_facts_free(facts);
    st_fake_free(p);
}

static void freebsd_is_tried_with_the_values_of_a_capture(void **state)
{
    struct st_platform *p = fake_freebsd("freebsd-13.2");
    struct st_report report;
    struct st_candidates candidates;
    struct st_facts *facts =
        find_freebsd(p, "freebsd.kern.timecounter.fast_gettime", 0, &report, &candidates);
    const struct st_candidate *row = find(&candidates, "freebsd-alloweddeviation");
    assert_string_equal(row->setting, DEVIATION);
    assert_string_equal(row->now, "5");
    assert_string_equal(row->trial, "0");
    assert_string_equal(row->not_tried, "");
    bool said = false; /* what tune leaves out */
    for (size_t i = 0; i < candidates.later_n; i++)
        said |= strcmp(candidates.later[i]->rule->id, "freebsd-fast-gettime") == 0;
    assert_true(said);
    for (double period_ns = 16e9 / 48000; period_ns < 8192e9 / 48000; period_ns *= 2) {
        struct st_tick_late late; /* what alloweddeviation 5 adds counts as late */
        assert_int_equal(st_tick_late(5, 100, period_ns, &late), 0);
        assert_true(late.settled_ns > period_ns / candidates.late_share);
    }
    for (size_t i = 0; i < candidates.plan.entries_n; i++) /* files are for apply */
        assert_false(candidates.plan.entries[i].file);

    struct st_applied applied;
    const char *target;
    const struct st_journal plan = {.entries = &candidates.plan.entries[row->first_step],
                                    .entries_n = row->steps_n};
    assert_null(st_applied_open(&applied, p, FOLDER, NULL));
    assert_int_equal(st_applied_begin(&applied, &plan), 0);
    assert_sysctl(p, DEVIATION, "5"); /* the journal comes first */
    assert_int_equal(st_applied_switch(&applied, "freebsd-alloweddeviation", false, true, &target),
                     0);
    assert_sysctl(p, DEVIATION, "0");
    assert_int_equal(st_applied_switch(&applied, "freebsd-alloweddeviation", true, false, &target),
                     0);
    assert_sysctl(p, DEVIATION, "5");
    assert_int_equal(st_applied_switch(&applied, "freebsd-alloweddeviation", false, true, &target),
                     0);
    assert_null(st_applied_revert(&applied, false, NULL));
    assert_sysctl(p, DEVIATION, "5");
    assert_int_equal(applied.journal.entries_n, 0);

    /* another program writes it */
    assert_int_equal(st_applied_begin(&applied, &plan), 0);
    assert_int_equal(st_applied_switch(&applied, "freebsd-alloweddeviation", false, true, &target),
                     0);
    assert_int_equal(st_fake_set_sysctl(p, DEVIATION, "3", 0), 0);
    assert_int_equal(st_applied_switch(&applied, "freebsd-alloweddeviation", true, true, &target),
                     -EBUSY);
    assert_string_equal(target, DEVIATION);
    st_applied_end_trial(&applied, "freebsd-alloweddeviation");
    assert_sysctl(p, DEVIATION, "3");
    assert_int_equal(applied.journal.entries_n, 0);
    st_applied_close(&applied);
    st_candidates_finish(&candidates);
    st_report_finish(&report);
    st_facts_free(facts);
    st_fake_free(p);
}

/* What apply wrote stays when a trial is taken back. */
static void what_apply_wrote_is_not_the_trials(void **state)
{
    struct st_platform *p = fake_freebsd("freebsd-13.2");
    struct st_facts *facts;
    struct st_report report;
    struct st_candidates candidates;
    struct st_applied applied;
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/freebsd-13.2", &facts), 0);
    assert_int_equal(st_report_make(facts, 64, 48000, &report), 0);
    st_candidates_find(&candidates, p, &report, true, false);
    const struct st_candidate *row = find(&candidates, "freebsd-alloweddeviation");
    const struct st_journal plan = {.entries = &candidates.plan.entries[row->first_step],
                                    .entries_n = row->steps_n};
    assert_null(st_applied_open(&applied, p, FOLDER, NULL));
    assert_int_equal(st_applied_add(&applied, &plan), 0);
    assert_int_equal(st_applied_begin(&applied, &plan), -EALREADY);
    st_applied_end_trial(&applied, "freebsd-alloweddeviation");
    assert_null(st_applied_revert(&applied, false, NULL));
    assert_sysctl(p, DEVIATION, "0");
    assert_int_equal(applied.journal.entries_n, 1);
    st_applied_close(&applied);
    st_candidates_finish(&candidates);
    st_report_finish(&report);
    st_facts_free(facts);
    st_fake_free(p);
}

/* The user set ACPI-fast although the kernel trusts the TSC (values of
 * tests/fixtures/rules/freebsd-timecounter.facts). */
static void a_slow_clock_is_tried(void **state)
{
    static const char *const values[][2] = {
        {"kern.timecounter.hardware", "ACPI-fast"},
        {"kern.timecounter.choice",
         "TSC-low(1000) HPET(950) i8254(0) ACPI-fast(900) dummy(-1000000)"}};
    struct st_platform *p = fake_freebsd("freebsd-13.2");
    struct st_facts *facts;
    struct st_report report;
    struct st_candidates candidates;
    char key[64];
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/freebsd-13.2", &facts), 0);
    for (size_t i = 0; i < ST_ARRAY_LEN(values); i++) {
        snprintf(key, sizeof(key), "freebsd.%s", values[i][0]);
        assert_int_equal(st_facts_put_text(facts, key, values[i][1], "test"), 0);
        assert_int_equal(st_fake_set_sysctl(p, values[i][0], values[i][1], 0), 0);
    }
    assert_int_equal(st_report_make(facts, 64, 48000, &report), 0);
    st_candidates_find(&candidates, p, &report, true, false);
    const struct st_candidate *row = find(&candidates, "freebsd-timecounter");
    assert_string_equal(row->setting, "kern.timecounter.hardware");
    assert_string_equal(row->now, "ACPI-fast");
    assert_string_equal(row->trial, "TSC-low");
    assert_string_equal(row->not_tried, "");
    st_candidates_finish(&candidates);
    st_report_finish(&report);
    st_facts_free(facts);
    st_fake_free(p);
}

static void without_root_the_plan_says_so(void **state)
{
    struct st_platform *p;
    struct st_facts *facts;
    struct st_report report;
    struct st_candidates candidates;
    assert_int_equal(st_platform_root_new(ST_CAPTURES_DIR "/linux-laptop", &p), 0);
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/linux-laptop", &facts), 0);
    assert_int_equal(st_report_make(facts, 64, 48000, &report), 0);
    st_report_set_profile(&report, ST_REPORT_PROFILE_LAPTOP);
    st_candidates_find(&candidates, p, &report, false, false);
    const struct st_candidate *row = find(&candidates, "linux-cpu-frequency");
    assert_string_equal(row->not_tried, "needs root");
    assert_string_equal(row->now, "balance_performance");
    assert_string_equal(row->trial, "performance");
    assert_string_equal(row->refused, "power"); /* tried, and not kept */
    for (size_t i = 0; i < candidates.n; i++) {
        if (candidates.rows[i].kind == ST_CANDIDATE_VALUES)
            assert_string_not_equal(candidates.rows[i].not_tried, "");
    }
    st_candidates_finish(&candidates);
    st_report_finish(&report);
    st_facts_free(facts);
    st_platform_root_free(p);
}

/* The running value takes it at once: whether a file could be written for the next boot does not
 * matter. */
static void a_value_is_tried_though_its_file_cannot_be_written(void **state)
{
    struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
    struct st_facts *facts = st_facts_new(ST_OS_LINUX);
    struct st_report report;
    struct st_candidates candidates;
    static const char path[] = "/sys/kernel/debug/sched/preempt",
                      models[] = "none (voluntary) full";
    assert_int_equal(st_fake_set_file(p, path, models, 0),
                     0); /* and there is no /etc/default/grub */
    assert_int_equal(st_facts_put_text(facts, "linux.kernel.version",
                                       "#1 SMP PREEMPT_DYNAMIC Debian 6.1.140-1 (2025-05-22)",
                                       "test"),
                     0);
    assert_int_equal(st_facts_put_text(facts, "linux.preempt.debugfs", models, path), 0);
    assert_int_equal(st_report_make(facts, 64, 48000, &report), 0);
    st_candidates_find(&candidates, p, &report, true, false);
    const struct st_candidate *row = find(&candidates, "linux-preemption");
    assert_string_equal(row->not_tried, "");
    assert_string_equal(row->now, "voluntary");
    assert_string_equal(row->trial, "full");
    assert_int_equal(row->steps_n, 1);
    st_candidates_finish(&candidates);
    st_report_finish(&report);
    st_facts_free(facts);
    st_fake_free(p);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jail_tries_nothing_of_its_host),
        cmocka_unit_test(freebsd_is_tried_with_the_values_of_a_capture),
        cmocka_unit_test(what_apply_wrote_is_not_the_trials),
        cmocka_unit_test(a_slow_clock_is_tried),
        cmocka_unit_test(without_root_the_plan_says_so),
        cmocka_unit_test(a_value_is_tried_though_its_file_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
