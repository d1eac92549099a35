/* What `tune` measured comes back in later reports, until another kernel runs. */
#include "advisor/collect/collect.h"
#include "advisor/report/report.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

#define FOLDER "/var/lib/sleeptune-changes"

static const struct st_tuned sample = {
    .rows = {{"linux-swap",
              ST_TUNING_HELPS,
              5,
              4,
              6.25,
              "vm.swappiness",
              "60",
              "10",
              {12, 1},
              {90, 90}},
             {"linux-huge-pages", ST_TUNING_NO_EFFECT, 0, 0, 0, "/sys/x", "always", "madvise"}},
    .n = 2,
    .day = "2026-11-22",
    .frames = 32,
};

static struct st_facts *facts_of(const char *kernel)
{
    struct st_facts *facts = st_facts_new(ST_OS_LINUX);
    assert_non_null(facts);
    assert_int_equal(st_facts_put_text(facts, "linux.kernel.release", kernel, "test"), 0);
    return facts;
}

static void it_comes_back_until_another_kernel_runs(void **state)
{
    struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
    struct st_facts *facts = facts_of("6.18.5"), *other = facts_of("6.19.0");
    struct st_tuned tuned;
    assert_int_equal(st_tuned_read(p, FOLDER, facts, &tuned), -ENOENT);
    assert_int_equal(st_tuned_write(p, FOLDER, facts, &sample), 0);
    assert_int_equal(st_tuned_read(p, FOLDER, facts, &tuned), 0);
    assert_int_equal(tuned.n, 2);
    assert_string_equal(st_tuned_text(&tuned, st_tuned_find(&tuned, "linux-swap")),
                        "60 -> 10: 5.0 times fewer late wake-ups (95 %: 4.0 .. 6.2), measured "
                        "2026-11-22 with 32 frames");
    assert_string_equal(
        st_tuned_text(&tuned, st_tuned_find(&tuned, "linux-huge-pages")),
        "always -> madvise: no effect was found, measured 2026-11-22 with 32 frames");
    assert_string_equal(tuned.rows[0].target, "vm.swappiness");
    assert_string_equal(st_tuned_per_hour(&tuned.rows[0]),
                        "; dropouts of the timing test: about 480 an hour without this setting, at "
                        "most 190 with it (95 %)");
    assert_string_equal(st_tuned_per_hour(&tuned.rows[1]), "");
    assert_null(st_tuned_find(&tuned, "linux-hz"));
    assert_int_equal(st_tuned_read(p, FOLDER, other, &tuned), -ESTALE);
    st_facts_free(facts);
    st_facts_free(other);
    st_fake_free(p);
}

static void it_is_kept_on_freebsd(void **state)
{
    struct st_platform *p = st_fake_new(ST_OS_FREEBSD, 0);
    struct st_facts *facts;
    struct st_tuned tuned;
    assert_int_equal(st_collect_dir(ST_CAPTURES_DIR "/freebsd-13.2", &facts), 0);
    assert_int_equal(st_tuned_write(p, FOLDER, facts, &sample), 0);
    assert_int_equal(st_tuned_read(p, FOLDER, facts, &tuned), 0);
    assert_int_equal(tuned.n, 2);
    st_facts_free(facts);
    st_fake_free(p);
}

#define DOCUMENT(day, rows)                                                                        \
    "{\"schema\": \"sleeptune-tuned/1\", \"day\": \"" day                                          \
    "\", \"kernel\": \"6.18.5\", \"frames\": 32, "                                                 \
    "\"rows\": [" rows "]}"
#define ROW(outcome, low, from)                                                                    \
    "{\"id\": \"x\", \"outcome\": \"" outcome "\", \"fold\": 3, \"low\": " low                     \
    ", \"high\": 5, \"target\": \"t\", \"from\": \"" from                                          \
    "\", \"to\": \"1\", \"runs\": [{\"dropouts\": 1, \"seconds\": 4}, {\"dropouts\": 0, "          \
    "\"seconds\": 4}]}"

static void what_is_no_such_document_is_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "[]",
                                      "{}",
                                      "{\"schema\": \"sleeptune-tuned/1\"}",
                                      DOCUMENT("d", "3"),
                                      DOCUMENT("a day that is far too long", ""),
                                      DOCUMENT("\\u001b[1m", ""),
                                      DOCUMENT("d", ROW("helps", "4", "0")),
                                      DOCUMENT("d", ROW("no-effect", "0", "\\u001b[1m")),
                                      DOCUMENT("d", ROW("perhaps", "0", "0"))};
    static const char *const good[] = {DOCUMENT("d", ""), DOCUMENT("d", ROW("helps", "2", "0")),
                                       DOCUMENT("d", ROW("no-effect", "0", "0"))};
    struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
    struct st_facts *facts = facts_of("6.18.5");
    struct st_tuned tuned;
    ST_EACH (text, bad) {
        assert_int_equal(st_fake_set_file(p, FOLDER "/tuned.json", *text, 0), 0);
        assert_int_equal(st_tuned_read(p, FOLDER, facts, &tuned), -EBADMSG);
    }
    ST_EACH (text, good) {
        assert_int_equal(st_fake_set_file(p, FOLDER "/tuned.json", *text, 0), 0);
        assert_int_equal(st_tuned_read(p, FOLDER, facts, &tuned), 0);
    }
    st_facts_free(facts);
    st_fake_free(p);
}

static void what_helps_comes_first_within_a_status(void **state)
{
    struct st_finding findings[4] = {
        {.rule = st_rule_find("linux-huge-pages"), .status = ST_STATUS_ADVICE},
        {.rule = st_rule_find("linux-watchdogs"), .status = ST_STATUS_ADVICE},
        {.rule = st_rule_find("linux-swap"), .status = ST_STATUS_ADVICE},
        {.rule = st_rule_find("linux-hz"), .status = ST_STATUS_OK}};
    struct st_report report = {.findings = findings, .findings_n = 4, .wish.frames = 64};
    st_report_rank(&report, NULL);
    assert_string_equal(findings[1].rule->id, "linux-huge-pages");
    st_report_rank(&report, &sample); /* that was with 32 frames */
    assert_string_equal(findings[1].rule->id, "linux-huge-pages");
    assert_null(st_report_tuned(&report, &findings[0]));
    report.wish.frames = 32;
    st_report_rank(&report, &sample);
    assert_non_null(st_report_tuned(&report, &findings[0]));
    assert_string_equal(findings[0].rule->id, "linux-swap");
    assert_string_equal(findings[1].rule->id, "linux-watchdogs");
    assert_string_equal(findings[2].rule->id, "linux-huge-pages");
    assert_string_equal(findings[3].rule->id, "linux-hz");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_kept_on_freebsd),
        cmocka_unit_test(it_comes_back_until_another_kernel_runs),
        cmocka_unit_test(what_is_no_such_document_is_refused),
        cmocka_unit_test(what_helps_comes_first_within_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
