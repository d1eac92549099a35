/* What tune prints below its result. */
#include <unistd.h>

#include "cli/tune/tune_output.h"
#include "tests/unit/unit.h"

static enum st_tuning_outcome outcome = ST_TUNING_HELPS;
static enum st_tuning_end end = ST_TUNING_DONE;

/* Of a setting with that outcome. elsewhere: why the machine does not keep it in /etc; NULL: it
 * does. */
static void expect_text(const struct st_wish *wish, const char *elsewhere,
                        void (*print)(const struct st_tune_output *, FILE *), const char *wanted)
{
    const struct st_rule *rule = st_rule_find("linux-swap");
    struct st_change change = rule->changes[0];
    struct st_facts *facts = st_facts_new(ST_OS_LINUX);
    struct st_finding finding = {.rule = rule, .facts = facts, .changes = &change, .changes_n = 1};
    struct st_candidates candidates = {.rows = {{.finding = &finding}}, .n = 1, .late_share = 10};
    const struct st_tuning tuning = {
        .rows = {{.outcome = outcome,
                  .evidence = {.log_product = {{5}}},
                  .mean = {{.late_n = 7}, {.late_n = 2, .events_n = 1, .others_n = 3}}}},
        .n = 1,
        .end = end,
        .why = "stopped"};
    const struct st_tune_output output = {.budget_ns = 10 * ST_NS_PER_MINUTE,
                                          .candidates = &candidates,
                                          .plan = &tuning,
                                          .tuning = &tuning,
                                          .wish = wish,
                                          .width = 200};
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    if (elsewhere != NULL)
        assert_int_equal(st_facts_put_text(facts, ST_KEY_SETTINGS_ELSEWHERE, elsewhere, "/"), 0);
    print(&output, out);
    fclose(out);
    if (strstr(text, wanted) == NULL)
        fail_msg("'%s' is not in '%s'", wanted, text);
    st_facts_free(facts);
    free(text);
}

static void a_size_that_was_asked_for_is_passed_on(void **state)
{
    expect_text(&(struct st_wish){.frames = 64, .rate_hz = 48000}, NULL, st_tune_output_next,
                "sleeptune apply linux-swap --frames 64\n");
    expect_text(
        &(struct st_wish){.frames = 1024, .in_use = true, .why = "PipeWire's buffer size now"},
        NULL, st_tune_output_next, "sleeptune apply linux-swap\n");
}

/* It was tried by this process, so that it needs no other rights. */
static void a_setting_is_given_more_time_at_the_same_size(void **state)
{
    outcome = ST_TUNING_UNDECIDED;
    expect_text(&(struct st_wish){.frames = 64, .rate_hz = 48000}, NULL, st_tune_output_next,
                "sleeptune tune --budget 30m --only linux-swap --frames 64\n");
    if (geteuid() != 0)
        expect_text(&(struct st_wish){.frames = 64, .rate_hz = 48000}, NULL, st_tune_output_next,
                    "Next: give this setting more time: sleeptune tune ");
    outcome = ST_TUNING_HELPS;
}

static void a_session_that_was_stopped_counts_no_results(void **state)
{
    outcome = ST_TUNING_UNDECIDED;
    end = ST_TUNING_STOPPED;
    expect_text(&(struct st_wish){.frames = 64, .rate_hz = 48000}, NULL, st_tune_output_result,
                "Ended early: stopped.\nlinux-swap: undecided");
    outcome = ST_TUNING_HELPS;
    end = ST_TUNING_DONE;
}

static void what_apply_cannot_write_is_by_hand(void **state)
{
    const struct st_wish wish = {.frames = 64, .rate_hz = 48000};
    expect_text(&wish, "this is NixOS", st_tune_output_result,
                "by hand: 'sleeptune report linux-swap' shows how");
    expect_text(&wish, "this is NixOS", st_tune_output_next,
                "Next: sleeptune report --frames 64\n");
    expect_text(&wish, NULL, st_tune_output_result, "0.0)\nAll settings are");
}

static void print_json(const struct st_tune_output *output, FILE *out)
{
    json_t *document = st_tune_output_json(output);
    assert_int_equal(json_dumpf(document, out, JSON_COMPACT), 0);
    json_decref(document);
}

static void json_has_what_was_counted_without_and_with_the_setting(void **state)
{
    const struct st_wish wish = {.frames = 64, .rate_hz = 48000};
    expect_text(&wish, NULL, print_json, "\"without\":{\"blocks\":0,\"late\":7,\"dropouts\":0}");
    expect_text(&wish, NULL, print_json, "\"with\":{\"blocks\":0,\"late\":2,\"dropouts\":4}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_that_was_asked_for_is_passed_on),
        cmocka_unit_test(a_setting_is_given_more_time_at_the_same_size),
        cmocka_unit_test(a_session_that_was_stopped_counts_no_results),
        cmocka_unit_test(what_apply_cannot_write_is_by_hand),
        cmocka_unit_test(json_has_what_was_counted_without_and_with_the_setting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
