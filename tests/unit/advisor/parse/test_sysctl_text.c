/* The text of `sysctl -a`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/parse/sysctl_text.h"

static int setup(void **state)
{
    *state = st_facts_new(ST_OS_FREEBSD);
    return *state != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    st_facts_free(*state);
    return 0;
}

static void check(struct st_facts *facts, const char *text, int r)
{
    assert_int_equal(st_sysctl_text_freebsd(facts, text, strlen(text), "sysctl-a.txt"), r);
}

static const char *value(const struct st_facts *facts, const char *key)
{
    const char *text = "(none)";
    (void)!st_facts_text(facts, key, &text);
    return text;
}

static void both_separators_are_read(void **state)
{
    struct st_facts *facts = *state;
    check(facts,
          "kern.hz: 1000\nhw.snd.latency=5\nkern.eventtimer.et.i8254.flags: 1\ndev.cpu.0.%desc: ACPI CPU\n",
          0);
    assert_int_equal(facts->n, 4);
    assert_string_equal(value(facts, "freebsd.kern.hz"), "1000");
    assert_string_equal(value(facts, "freebsd.hw.snd.latency"), "5");
    assert_string_equal(value(facts, "freebsd.dev.cpu.0.%desc"), "ACPI CPU");
    const struct st_fact *fact = st_facts_find(facts, "freebsd.kern.hz");
    assert_true(fact->is_int);
    assert_string_equal(fact->source, "sysctl kern.hz (sysctl-a.txt)");
}

static void a_carriage_return_is_not_part_of_the_value(void **state)
{
    struct st_facts *facts = *state;
    int64_t hz;
    check(facts, "kern.hz: 100\r\nkern.empty:\r\nkern.osreldate: 1302001\r\n", 0);
    assert_int_equal(st_facts_int(facts, "freebsd.kern.hz", &hz), 0);
    assert_int_equal(hz, 100);
    assert_string_equal(value(facts, "freebsd.kern.empty"), "");
    assert_string_equal(value(facts, "freebsd.kern.osreldate"), "1302001");
}

static void a_missing_last_newline_loses_nothing(void **state)
{
    struct st_facts *facts = *state;
    check(facts, "kern.ostype: FreeBSD\nkern.hz: 1000", 0);
    assert_string_equal(value(facts, "freebsd.kern.hz"), "1000");
}

static void a_value_may_go_on_over_lines(void **state)
{
    struct st_facts *facts = *state;
    check(facts,
          "kern.version: FreeBSD 13.2\n    root@host:/usr\n\nkern.hz: 100\nkern.msgbuf: CPU: QEMU\n"
          "Hypervisor: Origin\nnot.a name: 1\nkern.last: 1\n",
          0);
    assert_string_equal(value(facts, "freebsd.kern.version"), "FreeBSD 13.2\n    root@host:/usr");
    assert_string_equal(value(facts, "freebsd.kern.msgbuf"), "CPU: QEMU\nHypervisor: Origin\nnot.a name: 1");
    assert_int_equal(facts->n, 4);
}

static void the_later_of_two_lines_counts(void **state)
{
    struct st_facts *facts = *state;
    check(facts, "kern.hz: 100\nkern.a: 1\nkern.hz: 1000\n", 0);
    assert_string_equal(value(facts, "freebsd.kern.hz"), "1000");
}

static void text_without_a_sysctl_is_refused(void **state)
{
    struct st_facts *facts = *state;
    static const char *const texts[] = {
        "",          "\n\n",      "hello",      "{\"schema\": 1}", "kern: 1\n",   ".kern.hz: 1\n",
        "9a.b: 1\n", "kern.hz\n", "kern.: 1\n", "kern.hz:1000\n",  "\xFF\xFEk\n",
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(texts); i++)
        check(facts, texts[i], -EBADMSG);
    assert_int_equal(facts->n, 0);
}

static void nul_bytes_make_a_value_malformed_and_spare_the_rest(void **state)
{
    struct st_facts *facts = *state;
    static const char text[] = "kern.a: 1\0002\nkern.hz: 100\n\0\0\nkern.b: \xFF\n";
    assert_int_equal(st_sysctl_text_freebsd(facts, text, sizeof(text) - 1, "x"), 0);
    assert_int_equal(st_facts_find(facts, "freebsd.kern.a")->state, ST_FACT_MALFORMED);
    assert_int_equal(st_facts_find(facts, "freebsd.kern.hz")->state, ST_FACT_MALFORMED);
    assert_string_equal(value(facts, "freebsd.kern.b"), "\xEF\xBF\xBD");
}

static void a_value_beyond_64_kib_is_unreadable(void **state)
{
    struct st_facts *facts = *state;
    const size_t bytes = 10 * 1024 * 1024;
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, 'x', bytes);
    memcpy(text, "kern.hz: 100\nkern.big: ", 23);
    assert_int_equal(st_sysctl_text_freebsd(facts, text, bytes, "x"), 0);
    assert_string_equal(value(facts, "freebsd.kern.hz"), "100");
    const struct st_fact *fact = st_facts_find(facts, "freebsd.kern.big");
    assert_int_equal(fact->state, ST_FACT_UNREADABLE);
    assert_int_equal(fact->error, EFBIG);
    free(text);
}

static void ten_megabytes_of_names_are_read_or_refused(void **state)
{
    struct st_facts *facts = *state;
    const size_t room = 12 * 1024 * 1024;
    char *text = malloc(room);
    assert_non_null(text);
    size_t used = 0;
    /* against the order of the keys, in long lines */
    for (int i = 99999; i >= 0; i--)
        used += (size_t)snprintf(text + used, room - used, "dev.%05d.name: %0100d\n", i, i);
    assert_true(used > 10 * 1000 * 1000);
    assert_int_equal(st_sysctl_text_freebsd(facts, text, used, "x"), 0);
    assert_int_equal(facts->n, 100000);
    used = 0;
    for (int i = 0; i < 300000; i++)
        used += (size_t)snprintf(text + used, room - used, "dev.%06d.name: %d\n", i, i);
    assert_int_equal(st_sysctl_text_freebsd(facts, text, used, "x"), -E2BIG);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_separators_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(a_carriage_return_is_not_part_of_the_value, setup, teardown),
        cmocka_unit_test_setup_teardown(a_missing_last_newline_loses_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_value_may_go_on_over_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(the_later_of_two_lines_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(text_without_a_sysctl_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(nul_bytes_make_a_value_malformed_and_spare_the_rest, setup, teardown),
        cmocka_unit_test_setup_teardown(a_value_beyond_64_kib_is_unreadable, setup, teardown),
        cmocka_unit_test_setup_teardown(ten_megabytes_of_names_are_read_or_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
