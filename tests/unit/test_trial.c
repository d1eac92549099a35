#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/ns.h"
#include "core/stats/distribution.h"
#include "evidence/trial.h"

/* What is known of a figure: both values, and the 99 % interval. */
static void set(struct st_trial *trial, enum st_figure_id id, double a, double b, double low, double high)
{
    const double error = (high - low) / (2 * 2.5758);
    trial->figures[id] = (struct st_figure){
        .known = {true, true},
        .value = {a, b},
        .difference = {true, b - a, low, high},
        .error = error,
        .p_value = st_distribution_normal_p((b - a) / error),
    };
}

static struct st_trial sample(void)
{
    struct st_trial trial = {
        .id = "timer-slack",
        .title = "Timer slack of a normal thread",
        .rules = {"linux-timer-slack", "linux-other"},
        .arms = {{.name = "slack 50.0 µs as found", .n = 260}, {.name = "slack 1 ns", .n = 260}},
        .pairs_n = 13,
    };
    set(&trial, ST_FIGURE_MEDIAN, 65100, 15300, -50900, -48700);
    return trial;
}

static const char *judged(struct st_trial *trial, char *text)
{
    struct st_trials trials = {.rows = trial, .n = 1};
    st_trials_judge(&trials);
    return st_trial_text(trial, text, ST_TRIAL_TEXT_BYTES);
}

static void an_effect_is_said_with_all_its_figures(void **state)
{
    (void)state;
    char text[ST_TRIAL_TEXT_BYTES];
    struct st_trial trial = sample();
    assert_string_equal(
        judged(&trial, text),
        "Timer slack of a normal thread: B wakes earlier on the median, -49.8 µs (99 %: -50.9 .. -48.7). A "
        "(slack "
        "50.0 µs as found): median 65.1 µs late; B (slack 1 ns): 15.3 µs; n = 260 and 260 in 13 "
        "pairs.");
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_EFFECT);
    assert_true(st_trial_gain_us(&trial) > 49.79 && st_trial_gain_us(&trial) < 49.81);
}

static void no_effect_says_how_small_a_one_would_have_been_seen(void **state)
{
    (void)state;
    char text[ST_TRIAL_TEXT_BYTES];
    struct st_trial trial = sample();
    set(&trial, ST_FIGURE_MEDIAN, 65100, 65000, -400, 200);
    assert_non_null(strstr(
        judged(&trial, text),
        ": no effect shown on the median: -0.10 µs (99 %: -0.40 .. +0.20); an effect of 0.43 µs would have "
        "been visible. "));
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_NO_EFFECT);
    assert_true(st_trial_gain_us(&trial) <= 0);
    set(&trial, ST_FIGURE_MEDIAN, 65100, 64100, -16000, 14000);
    assert_non_null(strstr(judged(&trial, text),
                           ": too noisy to see an effect on the median: -1.0 µs (99 %: -16.0 .. "
                           "+14.0); an effect of 21.3 µs would have been visible. "));
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_NOISY);
    set(&trial, ST_FIGURE_MEDIAN, 65100, 70100, 4000, 6000); /* B is later: nothing is gained */
    assert_non_null(
        strstr(judged(&trial, text), ": B wakes later on the median, +5.0 µs (99 %: +4.0 .. +6.0)."));
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_EFFECT);
    assert_true(st_trial_gain_us(&trial) <= 0);
    trial.figures[ST_FIGURE_MEDIAN].drifts = 7000;
    assert_non_null(strstr(judged(&trial, text),
                           ": too noisy to see an effect on the median: +5.0 µs (99 %: +4.0 .. +6.0); "
                           "the difference drifts by 7.0 µs. "));
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_NOISY);
}

static void what_is_not_known_is_not_said(void **state)
{
    (void)state;
    char text[ST_TRIAL_TEXT_BYTES];
    struct st_trial trial = sample();
    trial.figures[ST_FIGURE_MEDIAN].difference = (struct st_estimate){0};
    assert_non_null(strstr(judged(&trial, text), ": too few values for an interval. A (slack 50"));
    assert_int_equal(st_trial_outcome(&trial), ST_TRIAL_TOO_FEW);
    assert_null(strstr(text, "p99"));
    set(&trial, ST_FIGURE_P99, 80000, 31000, 0, 0);
    trial.figures[ST_FIGURE_P99].difference = (struct st_estimate){0};
    trial.arms[1].skipped_n = 2;
    assert_non_null(strstr(judged(&trial, text), "; p99 80.0 and 31.0 µs; n ="));
    set(&trial, ST_FIGURE_P99, 80000, 31000, -60000, -30000);
    assert_non_null(strstr(judged(&trial, text),
                           "; p99 80.0 and 31.0 µs, lower with B, -49.0 µs (99 %: -60.0 .. -30.0); n ="));
    set(&trial, ST_FIGURE_P99, 31000, 80000, 30000, 60000);
    assert_non_null(strstr(judged(&trial, text), " µs, higher with B, +49.0 µs"));
    set(&trial, ST_FIGURE_P99, 80000, 31000, -150000, 51000);
    set(&trial, ST_FIGURE_P999, 90000, 41000, -60000, -30000);
    assert_non_null(strstr(judged(&trial, text), " µs, no difference shown with B, -49.0"));
    assert_non_null(strstr(text, "; p99.9 90.0 and 41.0 µs, lower with B, -49.0"));
    assert_non_null(strstr(text, "; 0 and 2 periods were skipped."));
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
    set(&rows[0], ST_FIGURE_MEDIAN, 20000, 20000, -300, 300);
    rows[2].rules[0] = "linux-last";
    rows[2].rules[1] = NULL;
    struct st_trials trials = {.rows = rows,
                               .n = 3,
                               .period_ns = 2666667,
                               .duration_ns = 10 * ST_NS_PER_S,
                               .conditions = "kernel 6.1"};
    st_trials_judge(&trials);
    assert_ptr_equal(st_trials_gain(&trials, "linux-timer-slack"), &rows[1]);
    assert_ptr_equal(st_trials_gain(&trials, "linux-last"), &rows[2]);
    assert_null(st_trials_gain(&trials, "linux-none"));
    assert_null(st_trials_gain(NULL, "linux-last"));
    assert_string_equal(
        st_trials_heading(&trials, text, sizeof(text)),
        "Tried for 10.00 s at a period of 2666.7 µs, A and B in turn; kernel 6.1. All 3 intervals "
        "are correct at the same time with at least 97 % confidence; a difference counts if it is significant at "
        "5 %, corrected for all tests (Holm). To get a p99 (n >= 1000 each), use --measure=39s.");
    for (size_t i = 0; i < 3; i++)
        rows[i].figures[ST_FIGURE_P99].known[0] = rows[i].figures[ST_FIGURE_P99].known[1] = true;
    set(&rows[1], ST_FIGURE_P99, 40000, 40000, -300, 300);
    st_trials_judge(&trials);
    assert_non_null(strstr(st_trials_heading(&trials, text, sizeof(text)),
                           "All 4 intervals are correct at the same time with at least "
                           "96 % confidence"));
    rows[2].figures[ST_FIGURE_P99].known[0] = false;
    trials.duration_ns = 1000 * ST_NS_PER_S;
    assert_non_null(strstr(st_trials_heading(&trials, text, sizeof(text)), "more than an hour"));
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
