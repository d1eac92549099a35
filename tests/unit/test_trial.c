#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "lib/ns.h"
#include "lib/trial.h"

static struct st_trial sample(void)
{
    struct st_trial trial = {
        .id = "timer-slack",
        .title = "Timer slack of a normal thread",
        .rules = {"linux-timer-slack", "linux-other"},
        .arms = {{.name = "slack 50.0 µs as found", .n = 260, .median_ns = 65100},
                 {.name = "slack 1 ns", .n = 260, .median_ns = 15300}},
        .pairs_n = 13,
        .median = {true, -49800, -50900, -48700},
    };
    return trial;
}

static void an_effect_is_said_with_all_its_figures(void **state)
{
    (void)state;
    char text[ST_TRIAL_TEXT_BYTES];
    const struct st_trial trial = sample();
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_EFFECT);
    assert_string_equal(
        st_trial_text(&trial, text, sizeof(text)),
        "Timer slack of a normal thread: B wakes earlier on the median, -49.8 µs (99 %: -50.9 .. -48.7). A "
        "(slack "
        "50.0 µs as found): median 65.1 µs late; B (slack 1 ns): 15.3 µs; n = 260 and 260 in 13 "
        "pairs.");
    assert_true(st_trial_gain_us(&trial) > 49.79 && st_trial_gain_us(&trial) < 49.81);
}

static void no_effect_says_how_small_a_one_would_have_been_seen(void **state)
{
    (void)state;
    char text[ST_TRIAL_TEXT_BYTES];
    struct st_trial trial = sample();
    trial.median = (struct st_estimate){true, -100, -400, 200};
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_NO_EFFECT);
    st_trial_text(&trial, text, sizeof(text));
    assert_non_null(strstr(text, ": no effect shown on the median, -0.10 µs (99 %: -0.40 .. +0.20); beyond "
                                 "0.30 µs it would have been. "));
    assert_true(st_trial_gain_us(&trial) <= 0);
    trial.median = (struct st_estimate){true, -1000, -16000, 14000};
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_NOISY);
    st_trial_text(&trial, text, sizeof(text));
    assert_non_null(strstr(text, ": too noisy to tell on the median, -1.0 µs (99 %: -16.0 .. +14.0); beyond "
                                 "15.0 µs it would have been. "));
    trial.median = (struct st_estimate){true, 5000, 4000, 6000}; /* B is later: nothing is gained */
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_EFFECT);
    assert_non_null(strstr(st_trial_text(&trial, text, sizeof(text)),
                           ": B wakes later on the median, +5.0 µs (99 %: +4.0 .. +6.0)."));
    assert_true(st_trial_gain_us(&trial) <= 0);
}

static void what_is_not_known_is_not_said(void **state)
{
    (void)state;
    char text[ST_TRIAL_TEXT_BYTES];
    struct st_trial trial = sample();
    trial.median.known = false;
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_TOO_FEW);
    st_trial_text(&trial, text, sizeof(text));
    assert_non_null(strstr(text, ": too few values for an interval. A (slack 50"));
    assert_null(strstr(text, "p99"));
    trial.arms[0].p99_known = trial.arms[1].p99_known = true;
    trial.arms[0].p99_ns = 80000;
    trial.arms[1].p99_ns = 31000;
    trial.arms[1].skipped_n = 2;
    st_trial_text(&trial, text, sizeof(text));
    assert_non_null(strstr(text, "; p99 80.0 and 31.0 µs; n ="));
    trial.p99 = (struct st_estimate){true, -49000, -60000, -30000};
    st_trial_text(&trial, text, sizeof(text));
    assert_non_null(
        strstr(text, "; p99 80.0 and 31.0 µs, lower with B, -49.0 µs (99 %: -60.0 .. -30.0); n ="));
    trial.p99 = (struct st_estimate){true, 49000, 30000, 60000};
    assert_non_null(strstr(st_trial_text(&trial, text, sizeof(text)), " µs, higher with B, +49.0 µs"));
    trial.p99 = (struct st_estimate){true, -49000, -60000, 1000};
    assert_non_null(
        strstr(st_trial_text(&trial, text, sizeof(text)), " µs, no difference shown with B, -49.0"));
    assert_non_null(strstr(text, "; slept through 0 and 2 periods."));
    snprintf(trial.not_tried, sizeof(trial.not_tried), "no right to it");
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_NOT_TRIED);
    assert_string_equal(st_trial_text(&trial, text, sizeof(text)),
                        "Timer slack of a normal thread: not tried: no right to it");
}

static void the_gain_for_a_rule_is_found(void **state)
{
    (void)state;
    char text[ST_TRIAL_TEXT_BYTES];
    struct st_trial rows[3] = {sample(), sample(), sample()};
    rows[0].median = (struct st_estimate){true, 0, -300, 300};
    rows[2].rules[0] = "linux-last";
    rows[2].rules[1] = NULL;
    struct st_trials trials = {.rows = rows,
                               .n = 3,
                               .period_ns = 2666667,
                               .duration_ns = 10 * ST_NS_PER_S,
                               .circumstances = "kernel 6.1"};
    assert_ptr_equal(st_trials_gain(&trials, "linux-timer-slack"), &rows[1]);
    assert_ptr_equal(st_trials_gain(&trials, "linux-last"), &rows[2]);
    assert_null(st_trials_gain(&trials, "linux-none"));
    assert_null(st_trials_gain(NULL, "linux-last"));
    assert_string_equal(
        st_trials_heading(&trials, text, sizeof(text)),
        "Tried for 10.00 s at a period of 2666.7 µs, A and B in turn; kernel 6.1. All 3 intervals "
        "hold together with 97 % at least. For a p99 (n >= 1000 each): --measure=39s.");
    for (size_t i = 0; i < 3; i++)
        rows[i].arms[0].p99_known = rows[i].arms[1].p99_known = true;
    rows[1].p99 = (struct st_estimate){true, 0, -300, 300};
    assert_non_null(strstr(st_trials_heading(&trials, text, sizeof(text)),
                           "All 4 intervals hold together with "
                           "96 % at least."));
    rows[2].arms[0].p99_known = false;
    trials.duration_ns = 1000 * ST_NS_PER_S;
    assert_non_null(strstr(st_trials_heading(&trials, text, sizeof(text)), "longer than an hour"));
    trials.duration_ns = 10 * ST_NS_PER_S;
    trials.interrupted = true;
    st_trials_heading(&trials, text, sizeof(text));
    assert_int_equal(strncmp(text, "Interrupted: tried for", 22), 0);
}

static void a_small_buffer_ends_the_text(void **state)
{
    (void)state;
    const struct st_trial trial = sample();
    char text[24];
    assert_int_equal(strlen(st_trial_text(&trial, text, sizeof(text))), sizeof(text) - 1);
    assert_string_equal(st_trial_outcome_name(ST_TRIAL_NO_EFFECT), "no-effect");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_effect_is_said_with_all_its_figures),
        cmocka_unit_test(no_effect_says_how_small_a_one_would_have_been_seen),
        cmocka_unit_test(what_is_not_known_is_not_said),
        cmocka_unit_test(the_gain_for_a_rule_is_found),
        cmocka_unit_test(a_small_buffer_ends_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
