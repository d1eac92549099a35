

#include "core/ns.h"
#include "lab/syscall/call.h"
#include "tests/fake/lab_fake.h"
#include "tests/unit/unit.h"

/* Holds for every row of this system's table and of the fake's. */
static void check_row(struct st_lab *lab, const struct st_call_method *m)
{
    assert_non_null(m->name);
    assert_int_equal(strspn(m->name, "abcdefghijklmnopqrstuvwxyz0123456789_-"), strlen(m->name));
    assert_ptr_equal(st_lab_find(lab, lab->call_method, m->name), m); /* names are unique */
    assert_non_null(m->summary);
    assert_non_null(m->call);
}

static void rows_are_complete(void **state)
{
    struct st_lab *const labs[] = {st_lab_native(), *state};
    ST_EACH (lab, labs) {
        const struct st_call_method *m;
        size_t j = 0;
        for (; (m = (*lab)->call_method(*lab, j)) != NULL; j++)
            check_row(*lab, m);
        assert_non_null(st_lab_find(*lab, (*lab)->call_method, "empty"));
        assert_non_null(st_lab_find(*lab, (*lab)->call_method, "getppid"));
        assert_non_null(st_lab_find(*lab, (*lab)->call_method, "clock_gettime-monotonic"));
        assert_null((*lab)->call_method(*lab, j + 1));
    }
    assert_null(st_lab_find(st_lab_native(), st_lab_native()->call_method, "no-such-call"));
}

/* The real thing, by the C library and by syscall(2). */
static void every_call_here_works_or_says_why_not(void **state)
{
    struct st_lab *lab = st_lab_native();
    const struct st_call_method *m;
    size_t worked_n = 0;
    for (size_t i = 0; (m = lab->call_method(lab, i)) != NULL; i++) {
        struct st_call c;
        int r = st_call_open(&c, lab, m);
        if (r != 0)
            continue;
        r = m->call(&c);
        if (r == 0 && m->raw != NULL)
            r = m->raw(&c);
        st_call_close(&c);
        if (r == 0)
            worked_n++;
        else /* an alarm clock needs a real-time clock chip */
            print_message("# %s: %s\n", m->name, strerror(-r));
        assert_true(r == 0 || r == -EINVAL);
    }
    assert_true(worked_n >= 15);
}

static void the_fake_costs_as_scripted(void **state)
{
    struct st_lab *lab = *state;
    const int64_t cost[] = {500, 100};
    struct st_call c;
    assert_int_equal(st_lab_fake_script_call(lab, "getppid", cost, 2, 90), 0);
    assert_int_equal(st_lab_fake_script_call(lab, "empty", cost, 2, 90), -ENOENT);
    assert_int_equal(st_call_open(&c, lab, st_lab_find(lab, lab->call_method, "getppid")), 0);
    assert_int_equal(c.method->call(&c), 0);
    assert_int_equal(lab->platform->now_ns(lab->platform), ST_NS_PER_S + 500);
    assert_int_equal(c.method->call(&c), 0);
    assert_int_equal(c.method->call(&c), 0);
    assert_int_equal(lab->platform->now_ns(lab->platform), ST_NS_PER_S + 700);
    assert_int_equal(c.method->raw(&c), 0);
    assert_int_equal(lab->platform->now_ns(lab->platform), ST_NS_PER_S + 790);
    st_call_close(&c);
    assert_int_equal(st_lab_fake_fail_call(lab, "getppid", -EPERM), 0);
    assert_int_equal(st_call_open(&c, lab, st_lab_find(lab, lab->call_method, "getppid")), -EPERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_complete, st_lab_fake_setup, st_lab_fake_teardown),
        cmocka_unit_test_setup_teardown(every_call_here_works_or_says_why_not, st_lab_fake_setup,
                                        st_lab_fake_teardown),
        cmocka_unit_test_setup_teardown(the_fake_costs_as_scripted, st_lab_fake_setup,
                                        st_lab_fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
