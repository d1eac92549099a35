

#include "advisor/rules/rule.h"
#include "tests/unit/unit.h"

struct fixture {
    struct st_facts *facts;
    struct st_finding finding;
};

static struct fixture fixture;

static int setup(void **state)
{
    fixture = (struct fixture){.facts = st_facts_new(ST_OS_LINUX)};
    fixture.finding.facts = fixture.facts;
    fixture.finding.rule = st_rules[0];
    *state = &fixture;
    return fixture.facts != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    st_finding_finish(&fixture.finding);
    st_facts_free(fixture.facts);
    return 0;
}

static void statuses_are_ranked_as_the_report_orders_them(void **state)
{
    static const char *const names[] = {"not-applicable", "ok", "unknown", "advice", "problem"};
    for (int rank = 0; rank < (int)ST_ARRAY_LEN(names); rank++) {
        enum st_status status;
        assert_int_equal(st_finding_status_parse(names[rank], &status), 0);
        assert_int_equal(st_finding_statuses[status].rank, rank);
        assert_string_equal(st_finding_statuses[status].name, names[rank]);
    }
    enum st_status status;
    assert_int_equal(st_finding_status_parse("fine", &status), -EINVAL);
    assert_int_equal(st_finding_status_parse("", &status), -EINVAL);
    assert_int_equal(ST_STATUS_UNKNOWN, 0);
}

static void an_absent_fact_is_not_applicable(void **state)
{
    struct fixture *f = *state;
    int64_t value = 42;
    assert_int_equal(st_facts_put_state(f->facts, "k", ST_FACT_ABSENT, 0, NULL, "/sys/k"), 0);
    f->finding.status = ST_STATUS_OK;
    assert_int_equal(st_finding_need_int(&f->finding, "k", &value), -ENOENT);
    assert_int_equal(f->finding.status, ST_STATUS_NOT_APPLICABLE);
    assert_string_equal(f->finding.summary, "nothing to judge: this machine has no /sys/k");
    assert_int_equal(f->finding.evidence_n, 1);
    assert_int_equal(value, 42);
    assert_int_equal(st_finding_need_int(&f->finding, "never-asked", &value), -ENOENT);
    assert_int_equal(f->finding.status, ST_STATUS_NOT_APPLICABLE);
}

static void an_unreadable_fact_is_unknown_and_says_what_would_help(void **state)
{
    struct fixture *f = *state;
    const char *text;
    assert_int_equal(st_facts_put_state(f->facts, "k", ST_FACT_UNREADABLE, EACCES, NULL, "/sys/k"),
                     0);
    assert_int_equal(st_finding_need_text(&f->finding, "k", &text), -EACCES);
    assert_int_equal(f->finding.status, ST_STATUS_UNKNOWN);
    assert_has(f->finding.summary, "/sys/k");
    assert_has(f->finding.summary, "Permission denied");
    assert_has(f->finding.summary, "as root");
    assert_int_equal(st_facts_put_state(f->facts, "k", ST_FACT_UNREADABLE, EIO, NULL, "/sys/k"), 0);
    assert_int_equal(st_finding_need_text(&f->finding, "k", &text), -EACCES);
    assert_lacks(f->finding.summary, "as root");
}

static void a_malformed_fact_is_unknown_and_quoted(void **state)
{
    struct fixture *f = *state;
    int64_t value;
    assert_int_equal(
        st_facts_put_state(f->facts, "k", ST_FACT_MALFORMED, 0, "gr\xC3\xBCn", "/sys/k"), 0);
    assert_int_equal(st_finding_need_int(&f->finding, "k", &value), -EBADMSG);
    assert_int_equal(f->finding.status, ST_STATUS_UNKNOWN);
    assert_has(f->finding.summary, "gr\xC3\xBCn");
    /* of another type than the rule needs */
    assert_int_equal(st_facts_put_text(f->facts, "k", "soon", "/sys/k"), 0);
    assert_int_equal(st_finding_need_int(&f->finding, "k", &value), -EBADMSG);
    assert_int_equal(f->finding.status, ST_STATUS_UNKNOWN);
    assert_has(f->finding.summary, "soon");
}

static void a_number_outside_of_its_range_is_not_understood(void **state)
{
    struct fixture *f = *state;
    int64_t value = 5;
    assert_int_equal(st_facts_put_int(f->facts, "k", 11, "/sys/k"), 0);
    assert_int_equal(st_finding_need_in(&f->finding, "k", 0, 10, &value), -EBADMSG);
    assert_int_equal(f->finding.status, ST_STATUS_UNKNOWN);
    assert_int_equal(value, 5);
    assert_int_equal(st_finding_need_in(&f->finding, "k", 12, INT64_MAX, &value), -EBADMSG);
    assert_int_equal(st_finding_need_in(&f->finding, "k", 0, 11, &value), 0);
    assert_int_equal(value, 11);
}

static void of_a_user_an_absent_fact_is_unknown(void **state)
{
    struct fixture *f = *state;
    const struct st_rule rule = {.facts = ST_RULE_KEYS("k", "other"), .of_user = true};
    f->finding.rule = &rule;
    assert_int_equal(st_finding_need_int(&f->finding, "k", NULL), -ENOENT);
    assert_int_equal(f->finding.status, ST_STATUS_UNKNOWN);
    assert_int_equal(st_finding_need_int(&f->finding, "other", NULL), -ENOENT);
    assert_int_equal(f->finding.status, ST_STATUS_NOT_APPLICABLE);
}

static void a_readable_fact_leaves_the_status_to_the_rule(void **state)
{
    struct fixture *f = *state;
    int64_t value;
    assert_int_equal(st_facts_put_int(f->facts, "k", 7, "/sys/k"), 0);
    assert_int_equal(st_finding_need_int(&f->finding, "k", &value), 0);
    assert_int_equal(value, 7);
    assert_int_equal(f->finding.status, ST_STATUS_UNKNOWN);
    assert_null(f->finding.summary);
    assert_int_equal(f->finding.evidence_n, 1);
}

static void a_fact_is_quoted_once_and_the_list_is_bounded(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 20; i++) {
        char key[8];
        ST_PRINT(key, "k%02d", i);
        assert_int_equal(st_facts_put_int(f->facts, key, i, NULL), 0);
    }
    st_finding_quote_key(&f->finding, "k00");
    st_finding_quote_key(&f->finding, "k00");
    st_finding_quote_key(&f->finding, "nobody");
    assert_int_equal(f->finding.evidence_n, 1);
    for (int i = 0; i < 20; i++) {
        char key[8];
        ST_PRINT(key, "k%02d", i);
        st_finding_quote_key(&f->finding, key);
    }
    assert_int_equal(f->finding.evidence_n, ST_FINDING_EVIDENCE_MAX);
}

static void texts_can_be_set_again_and_stay_valid_utf8(void **state)
{
    struct fixture *f = *state;
    st_finding_set(&f->finding, ST_STATUS_ADVICE, "%d us", 1);
    st_finding_set(&f->finding, ST_STATUS_PROBLEM, "%.2s", "a\xC3\xBC");
    assert_int_equal(f->finding.status, ST_STATUS_PROBLEM);
    assert_string_equal(f->finding.summary, "a\xEF\xBF\xBD");
    st_finding_effect(&f->finding, 1.0, "x");
    st_finding_effect(&f->finding, 83.3, "%d / 2^%d", 1333, 4);
    assert_true(f->finding.effect_known);
    assert_float_equal(f->finding.effect_us, 83.3, 1e-9);
    assert_string_equal(f->finding.formula, "1333 / 2^4");
    st_finding_fix(&f->finding, "a", "b", ST_NEEDS_REBOOT);
    st_finding_fix(&f->finding, NULL, "c", ST_NEEDS_NOTHING);
    assert_null(f->finding.fix_now);
    assert_string_equal(f->finding.fix_persistent, "c");
    assert_int_equal(f->finding.needs, ST_NEEDS_NOTHING);
}

/** The kernel refuses a runtime that is longer than the period. */
static void the_real_time_budget_never_exceeds_its_period(void **state)
{
    static const struct {
        const char *period, *runtime, *first;
    } rows[] = {{"2000000", "1500000", "kernel.sched_rt_runtime_us"},
                {"2000000", "2000000", "kernel.sched_rt_runtime_us"},
                {"100000", "50000", "kernel.sched_rt_period_us"}};
    struct fixture *f = *state;
    const struct st_wish wish = {0};
    assert_int_equal(st_facts_put_text(f->facts, ST_KEY_KERNEL_RELEASE, "6.1.0-37-amd64", "uname"),
                     0);
    ST_EACH (row, rows) {
        st_facts_put_number(f->facts, "linux.sysctl.kernel.sched_rt_period_us", row->period,
                            "/proc");
        st_facts_put_number(f->facts, "linux.sysctl.kernel.sched_rt_runtime_us", row->runtime,
                            "/proc");
        st_facts_put_text(f->facts, ST_KEY_CONFIG_RT_GROUP_SCHED, "n", "/boot");
        st_finding_finish(&f->finding);
        st_rule_judge(st_rule_find("linux-rt-throttling"), f->facts, &wish, &f->finding);
        assert_int_equal(f->finding.changes_n, 2);
        assert_string_equal(f->finding.changes[0].key, row->first);
        assert_true(strncmp(f->finding.fix_now + strlen("sudo sysctl "), row->first,
                            strlen(row->first)) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_are_ranked_as_the_report_orders_them),
        TEST(an_absent_fact_is_not_applicable),
        TEST(an_unreadable_fact_is_unknown_and_says_what_would_help),
        TEST(a_malformed_fact_is_unknown_and_quoted),
        TEST(a_number_outside_of_its_range_is_not_understood),
        TEST(of_a_user_an_absent_fact_is_unknown),
        TEST(a_readable_fact_leaves_the_status_to_the_rule),
        TEST(a_fact_is_quoted_once_and_the_list_is_bounded),
        TEST(texts_can_be_set_again_and_stay_valid_utf8),
        TEST(the_real_time_budget_never_exceeds_its_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
