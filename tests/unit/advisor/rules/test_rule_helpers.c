/* What several rules share: CPU lists, JACK's command line, choices and words. */
#include "advisor/rules/linux_jack.h"
#include "advisor/rules/machine.h"
#include "core/cpu_list.h"
#include "core/text/text.h"
#include "tests/unit/unit.h"

static void a_cpu_list_has_ranges_and_single_cpus(void **state)
{
    struct st_cpu_list list;
    assert_int_equal(st_cpu_list_parse("0-2,5,5,4095", &list), 0);
    assert_int_equal(list.n, 5);
    assert_true(st_cpu_list_has(&list, 2));
    assert_false(st_cpu_list_has(&list, 3));
    assert_true(st_cpu_list_has(&list, 4095));
    assert_false(st_cpu_list_has(&list, 4096));
    assert_int_equal(st_cpu_list_parse("", &list), 0);
    assert_int_equal(list.n, 0);
    assert_int_equal(st_cpu_list_parse("(null)", &list), 0);
}

static void what_is_no_cpu_list_is_refused(void **state)
{
    struct st_cpu_list list;
    assert_int_equal(st_cpu_list_parse("3-1", &list), -EBADMSG);
    assert_int_equal(st_cpu_list_parse("1-", &list), -EBADMSG);
    assert_int_equal(st_cpu_list_parse("1,", &list), -EBADMSG);
    assert_int_equal(st_cpu_list_parse("-1", &list), -EBADMSG);
    assert_int_equal(st_cpu_list_parse("1 2", &list), -EBADMSG);
    assert_int_equal(st_cpu_list_parse("4096", &list), -ERANGE);
    assert_int_equal(st_cpu_list_parse("99999999999999999999", &list), -ERANGE);
}

static void jack_options_stand_before_and_behind_the_driver(void **state)
{
    struct st_jack_command jack;
    jack = st_linux_jack_parse(
        "/usr/bin/jackd -P80 -t 500 -d alsa -dhw:1 -r44100 -p 64 --nperiods=3 -s");
    assert_true(jack.realtime && jack.is_alsa && jack.soft_mode);
    assert_int_equal(jack.priority, 80);
    assert_int_equal(jack.frames, 64);
    assert_int_equal(jack.periods_n, 3);
    assert_int_equal(jack.rate_hz, 44100);
}

static void jack_defaults_stay_where_nothing_is_said(void **state)
{
    struct st_jack_command jack;
    jack = st_linux_jack_parse("jackd -r -d dummy -p 0 -n");
    assert_false(jack.realtime || jack.is_alsa || jack.soft_mode);
    assert_int_equal(jack.priority, 10);
    assert_int_equal(jack.frames, 1024);
    assert_int_equal(jack.periods_n, 2);
    assert_int_equal(jack.rate_hz, 48000);
}

static void only_whole_words_are_found(void **state)
{
    static const char *const names[] = {"jackd", "pipewire", NULL};
    assert_true(st_text_is_among("pipewire", names));
    assert_false(st_text_is_among("pipewire-pulse", names));
    assert_true(st_machine_is_plain("1-2.3"));
    assert_false(st_machine_is_plain("a;b"));
    assert_false(st_machine_is_plain(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cpu_list_has_ranges_and_single_cpus),
        cmocka_unit_test(what_is_no_cpu_list_is_refused),
        cmocka_unit_test(jack_options_stand_before_and_behind_the_driver),
        cmocka_unit_test(jack_defaults_stay_where_nothing_is_said),
        cmocka_unit_test(only_whole_words_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
