/* Whose an xrun of JACK was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "xruns/helpers/jack_log.h"
#include "xruns/helpers/jack_xrun.h"

#define PERIOD_US 21333

#define LONG_AGO 20000000

/* The xrun after_us after one that left figure `before`, or after watching began with it. @return "device",
 * "client?" ... */
static const char *judged(float before_us, float delayed_us, int64_t after_us, int64_t late_us)
{
    struct st_jack_xrun_judge judge;
    st_jack_xrun_begin(&judge, before_us);
    judge.at_us = judge.device_us = 1000000;
    const struct st_jack_cycle now = {
        .delayed_us = delayed_us, .at_us = 1000000 + after_us, .period_us = PERIOD_US, .late_us = late_us};
    const struct st_jack_xrun xrun = st_jack_xrun_conclude(&judge, &now);
    return xrun.client ? xrun.probable ? "client?" : "client" : xrun.probable ? "device?" : "device";
}

static void a_figure_that_is_renewed_is_the_devices(void **state)
{
    (void)state;
    assert_string_equal(judged(9, 10, 500000, 0), "device");
    assert_string_equal(judged(10, 9, 500000, INT64_MIN), "device");
    assert_string_equal(judged(0, 9, 500000, 30000), "device");
}

static void without_any_xrun_of_the_device_it_is_a_clients(void **state)
{
    (void)state;
    assert_string_equal(judged(0, 0, 500000, 0), "client");
    assert_string_equal(judged(0, 0, 100, 30000), "client");
}

static void two_equal_small_figures_of_a_driver_that_is_late_are_two_xruns_of_it(void **state)
{
    (void)state;
    assert_string_equal(judged(10, 10, LONG_AGO, 4000), "device?");
    assert_string_equal(judged(10, 10, LONG_AGO, 100), "client?");
    assert_string_equal(judged(10, 10, LONG_AGO, -4000), "client?");
    assert_string_equal(judged(10, 10, LONG_AGO, INT64_MIN), "client?");
    assert_string_equal(judged(10, 10, 54000, 100), "device?"); /* it lately had one */
}

static void two_that_are_told_at_once_share_the_figure_of_the_second(void **state)
{
    (void)state;
    assert_string_equal(judged(11, 11, 121, 0), "device?");
    assert_string_equal(judged(600123, 600123, 121, INT64_MIN), "device?");
}

static void a_long_silence_is_not_repeated_to_the_microsecond(void **state)
{
    (void)state;
    assert_string_equal(judged(600123, 600123, 500000, 4000), "client");
}

static void what_was_there_before_watching_was_told_to_nobody(void **state)
{
    (void)state;
    struct st_jack_xrun_judge judge;
    st_jack_xrun_begin(&judge, 10);
    struct st_jack_cycle now = {.delayed_us = 10, .at_us = 5, .period_us = PERIOD_US, .late_us = 0};
    assert_true(st_jack_xrun_conclude(&judge, &now).client);
    now.at_us += LONG_AGO;
    assert_true(st_jack_xrun_conclude(&judge, &now).client); /* a client's is none of the device */
    now.delayed_us = 11;
    assert_false(st_jack_xrun_conclude(&judge, &now).client);
}

static void messages_name_the_client(void **state)
{
    (void)state;
    char name[ST_JACK_LOG_NAME_BYTES];
    char longest[200], line[400];
    assert_true(
        st_jack_log_parse("JackEngine::XRun: client = Heavy Reverb was not finished, state = Running", name));
    assert_string_equal(name, "Heavy Reverb");
    /* jackdbus: time, and colour */
    assert_true(
        st_jack_log_parse("Sun Nov 22 03:37:50 2026: \033[1m\033[31mERROR: JackEngine::XRun: client = a=b "
                          "was not finished, state = Triggered\033[0m",
                          name));
    assert_string_equal(name, "a=b");
    assert_true(st_jack_log_parse("JackEngine::XRun: client late finished after current callback", name));
    assert_string_equal(name, "late");
    assert_false(st_jack_log_parse("JackEngine::XRun: client =  was not finished, state = Running", name));
    assert_false(st_jack_log_parse("JackEngine::XRun: client = cut off", name));
    assert_false(st_jack_log_parse("JackAudioDriver::ProcessGraphAsyncMaster: Process error", name));
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    snprintf(line, sizeof(line), "JackEngine::XRun: client = %s was not finished, state = Running", longest);
    assert_false(st_jack_log_parse(line, name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_figure_that_is_renewed_is_the_devices),
        cmocka_unit_test(without_any_xrun_of_the_device_it_is_a_clients),
        cmocka_unit_test(two_equal_small_figures_of_a_driver_that_is_late_are_two_xruns_of_it),
        cmocka_unit_test(two_that_are_told_at_once_share_the_figure_of_the_second),
        cmocka_unit_test(a_long_silence_is_not_repeated_to_the_microsecond),
        cmocka_unit_test(what_was_there_before_watching_was_told_to_nobody),
        cmocka_unit_test(messages_name_the_client),
    };
    return cmocka_run_group_tests_name("observe_jack", tests, NULL, NULL);
}
