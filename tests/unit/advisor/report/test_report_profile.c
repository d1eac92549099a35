/* Which costs a profile accepts. */
#include "advisor/report/report.h"
#include "advisor/rules/rule.h"
#include "tests/unit/unit.h"

static void profiles_are_known_by_name(void **state)
{
    static const char *const names[] = {"studio", "desktop", "laptop", "server"};
    ST_EACH (name, names) {
        enum st_report_profile profile;
        assert_int_equal(st_report_profile_parse(*name, &profile), 0);
        assert_string_equal(st_report_profile_names[profile], *name);
    }
    enum st_report_profile profile = ST_REPORT_PROFILE_STUDIO;
    assert_int_equal(st_report_profile_parse("Studio", &profile), -EINVAL);
    assert_int_equal(profile, ST_REPORT_PROFILE_STUDIO);
}

static void a_cost_is_a_word_before_the_colon(void **state)
{
    assert_string_equal(st_report_profile_refuses(ST_REPORT_PROFILE_LAPTOP, "power: several watts"),
                        "power");
    assert_string_equal(st_report_profile_refuses(ST_REPORT_PROFILE_LAPTOP, "heat, power"),
                        "power");
    assert_null(st_report_profile_refuses(ST_REPORT_PROFILE_LAPTOP,
                                          "none: one-shot is the default and saves power"));
    assert_null(st_report_profile_refuses(ST_REPORT_PROFILE_LAPTOP, "powerful"));
    assert_null(st_report_profile_refuses(ST_REPORT_PROFILE_LAPTOP, "none"));
    assert_null(st_report_profile_refuses(ST_REPORT_PROFILE_LAPTOP, ""));
}

static void each_profile_refuses_what_its_row_says(void **state)
{
    static const struct {
        enum st_report_profile profile;
        const char *cost;
        bool refused;
    } rows[] = {
        {ST_REPORT_PROFILE_STUDIO, "power", false},
        {ST_REPORT_PROFILE_STUDIO, "security", false},
        {ST_REPORT_PROFILE_DESKTOP, "power", false},
        {ST_REPORT_PROFILE_DESKTOP, "security", true},
        {ST_REPORT_PROFILE_DESKTOP, "fairness", false},
        {ST_REPORT_PROFILE_LAPTOP, "power", true},
        {ST_REPORT_PROFILE_LAPTOP, "fairness", false},
        {ST_REPORT_PROFILE_SERVER, "fairness", true},
        {ST_REPORT_PROFILE_SERVER, "throughput", true},
        {ST_REPORT_PROFILE_SERVER, "power", false},
        {ST_REPORT_PROFILE_SERVER, "memory: x", false},
    };
    ST_EACH (row, rows)
        assert_int_equal(st_report_profile_refuses(row->profile, row->cost) != NULL, row->refused);
}

/** A typing error in a rule's cost would make every profile accept it. */
static void every_rule_names_a_known_cost(void **state)
{
    static const char *const known[] = {"none",       "power",   "fairness",  "security",
                                        "throughput", "memory",  "CPU",       "heat",
                                        "disk",       "latency", "bandwidth", "convenience"};
    for (size_t i = 0; i < st_rules_n; i++) {
        const char *cost = st_rule_cost(st_rules[i]);
        const size_t len = strcspn(cost, ",:; ");
        bool found = false;
        for (size_t k = 0; k < ST_ARRAY_LEN(known); k++)
            found = found || (strlen(known[k]) == len && strncmp(cost, known[k], len) == 0);
        if (!found)
            fail_msg("%s: \"%s\" begins with no known cost", st_rules[i]->id, cost);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_are_known_by_name),
        cmocka_unit_test(a_cost_is_a_word_before_the_colon),
        cmocka_unit_test(each_profile_refuses_what_its_row_says),
        cmocka_unit_test(every_rule_names_a_known_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
