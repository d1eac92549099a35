/* advisor/rules/machine: kernel command line, guest, container. */
#include "advisor/facts/place.h"
#include "advisor/rules/machine.h"
#include "tests/unit/unit.h"

static struct st_facts *facts_with(const char *key, const char *value)
{
    struct st_facts *facts = st_facts_new(ST_OS_LINUX);
    assert_non_null(facts);
    if (value != NULL)
        assert_int_equal(st_facts_put_text(facts, key, value, key), 0);
    return facts;
}

/** want NULL: it is not given. */
static void option_is(const char *cmdline, const char *name, const char *want)
{
    struct st_facts *facts = facts_with(ST_KEY_CMDLINE, cmdline);
    assert_string_equal(st_machine_boot_option(facts, name, "none"), want != NULL ? want : "none");
    st_facts_free(facts);
}

static void boot_option_is_the_last_one_given(void **state)
{
    option_is("quiet preempt=lazy ro preempt=full", "preempt", "full");
    option_is("preempt=full", "preempt", "full");
    option_is("threadirqs quiet", "threadirqs", "");
    option_is("highres=", "highres", "");
    option_is("a\tpreempt=lazy\n", "preempt", "lazy");
}

static void boot_option_is_a_whole_word(void **state)
{
    option_is("nopreempt=full preempt_x=1 preempted", "preempt", NULL);
    option_is("", "preempt", NULL);
}

static void options_of_init_are_not_the_kernels(void **state)
{
    option_is("quiet -- preempt=full", "preempt", NULL);
    option_is("preempt=lazy -- preempt=full", "preempt", "lazy");
}

static void a_long_value_is_not_cut(void **state)
{
    option_is("preempt=voluntary", "preempt", "voluntary");
}

static void an_unknown_command_line_is_not_an_empty_one(void **state)
{
    option_is(NULL, "preempt", NULL);
}

static void guest_and_container_need_a_reading(void **state)
{
    struct st_facts *facts = facts_with(ST_KEY_VIRTUAL, NULL);
    assert_false(st_machine_is_guest(facts));
    assert_null(st_place_container(facts));
    assert_int_equal(st_facts_int_or(facts, ST_KEY_VIRTUAL, -7), -7);
    assert_int_equal(st_facts_put_int(facts, ST_KEY_VIRTUAL, 1, "test"), 0);
    assert_int_equal(st_facts_put_text(facts, ST_KEY_SYSTEM_CONTAINER, "docker", "test"), 0);
    assert_true(st_machine_is_guest(facts));
    assert_non_null(st_place_container(facts));
    assert_int_equal(st_facts_put_text(facts, ST_KEY_SYSTEM_CONTAINER, "none", "test"), 0);
    assert_null(st_place_container(facts));
    st_facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boot_option_is_the_last_one_given),
        cmocka_unit_test(boot_option_is_a_whole_word),
        cmocka_unit_test(options_of_init_are_not_the_kernels),
        cmocka_unit_test(a_long_value_is_not_cut),
        cmocka_unit_test(an_unknown_command_line_is_not_an_empty_one),
        cmocka_unit_test(guest_and_container_need_a_reading),
    };
    return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
