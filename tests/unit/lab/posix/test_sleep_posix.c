

#include "core/ns.h"
#include "lab/posix/sleep_posix.h"
#include "tests/fake/lab_fake.h"
#include "tests/unit/unit.h"

/* Holds for every row of this system's table and of the fake's. */
static void check_row(struct st_lab *lab, const struct st_sleep_method *m)
{
    assert_non_null(m->name);
    assert_int_equal(strspn(m->name, "abcdefghijklmnopqrstuvwxyz0123456789_-"), strlen(m->name));
    assert_ptr_equal(st_lab_find(lab, lab->sleep_method, m->name), m); /* names are unique */
    assert_non_null(m->summary);
    assert_non_null(m->clock);
    assert_non_null(m->open);
    assert_non_null(m->sleep);
    assert_true(m->unit_ns >= 1);
}

static void rows_are_complete(void **state)
{
    struct st_lab *const labs[] = {st_lab_native(), *state};
    ST_EACH (lab, labs) {
        const struct st_sleep_method *m;
        size_t j = 0;
        for (; (m = (*lab)->sleep_method(*lab, j)) != NULL; j++)
            check_row(*lab, m);
        assert_true(j >= 3);
        assert_null((*lab)->sleep_method(*lab, j + 1));
    }
    assert_null(st_lab_find(st_lab_native(), st_lab_native()->sleep_method, "no-such-method"));
}

/* The real thing: no method wakes early by more than its clock's step, and the due time is what was
 * asked for. */
static void every_method_here_sleeps_or_says_why_not(void **state)
{
    struct st_lab *lab = st_lab_native();
    struct st_platform *p = lab->platform;
    const int64_t requested_ns = 2 * ST_NS_PER_MS;
    const struct st_sleep_method *m;
    size_t slept_n = 0;
    for (size_t i = 0; (m = lab->sleep_method(lab, i)) != NULL; i++) {
        struct st_sleep s;
        const int r = st_sleep_open(&s, p, m);
        if (r != 0) {
            print_message("# %s: %s\n", m->name, strerror(-r));
            assert_true(r < 0);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            const int64_t start_ns = st_platform_now_ns(p);
            const int slept = st_sleep_once(&s, start_ns, requested_ns);
            const int64_t woke_ns = st_platform_now_ns(p);
            const int64_t earliest_ns = start_ns + requested_ns;
            if (slept != 0)
                fail_msg("%s: %s", m->name, strerror(-slept));
            if (woke_ns <
                earliest_ns - ST_NS_PER_US) /* the realtime clock may be slewed meanwhile */
                fail_msg("%s woke %lld ns early", m->name, (long long)(earliest_ns - woke_ns));
            assert_int_equal(s.due_ns, start_ns + requested_ns);
        }
        slept_n++;
        st_sleep_close(&s);
    }
    assert_true(slept_n >= 9);
}

static void the_fake_sleeps_as_scripted(void **state)
{
    struct st_lab *lab = *state;
    struct st_platform *p = lab->platform;
    const int64_t late[] = {10, 20, INT64_MIN};
    struct st_sleep s;
    assert_int_equal(st_fake_script_method(p, "nanosleep", late, 3), 0);
    assert_int_equal(st_fake_script_method(p, "nonsense", late, 3), -ENOENT);
    assert_int_equal(st_sleep_open(&s, p, st_fake_sleep_method(p, "nanosleep")), 0);
    assert_int_equal(st_sleep_once(&s, ST_NS_PER_S, 500), 0);
    assert_int_equal(st_platform_now_ns(p), ST_NS_PER_S + 500 + 10);
    assert_int_equal(st_sleep_once(&s, ST_NS_PER_S + 510, 500), 0);
    assert_int_equal(st_platform_now_ns(p), ST_NS_PER_S + 510 + 500 + 20);
    assert_int_equal(st_sleep_once(&s, st_platform_now_ns(p), 500), -EINTR);
    st_sleep_close(&s);
    assert_int_equal(st_fake_fail_method(p, "nanosleep", -EPERM), 0);
    assert_int_equal(st_sleep_open(&s, p, st_fake_sleep_method(p, "nanosleep")), -EPERM);
    assert_null(st_fake_sleep_method(p, "umtx")); /* FreeBSD's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_complete, st_lab_fake_setup, st_lab_fake_teardown),
        cmocka_unit_test_setup_teardown(every_method_here_sleeps_or_says_why_not, st_lab_fake_setup,
                                        st_lab_fake_teardown),
        cmocka_unit_test_setup_teardown(the_fake_sleeps_as_scripted, st_lab_fake_setup,
                                        st_lab_fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
