#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "platform/call_method.h"
#include "platform/fake/fake.h"

static int prepare(void **state)
{
    *state = st_fake_new(ST_OS_LINUX, 1000);
    return *state == NULL ? -1 : 0;
}

static int finish(void **state)
{
    st_fake_free(*state);
    return 0;
}

/* Holds for every row of this system's table and of the fake's. */
static void check_row(struct st_platform *p, const struct st_call_method *m)
{
    assert_non_null(m->name);
    assert_int_equal(strspn(m->name, "abcdefghijklmnopqrstuvwxyz0123456789_-"), strlen(m->name));
    assert_ptr_equal(st_call_find(p, m->name), m); /* names are unique */
    if (m->absent != NULL) {
        assert_null(m->call);
        assert_null(m->open);
        return;
    }
    assert_non_null(m->summary);
    assert_non_null(m->call);
}

static void rows_are_complete(void **state)
{
    struct st_platform *const platforms[] = {st_platform_native(), *state};
    for (size_t i = 0; i < ST_ARRAY_LEN(platforms); i++) {
        const struct st_call_method *m;
        size_t absent_n = 0, j = 0;
        for (; (m = platforms[i]->call_method(platforms[i], j)) != NULL; j++) {
            check_row(platforms[i], m);
            absent_n += m->absent != NULL;
        }
        assert_true(absent_n >= 1);
        assert_non_null(st_call_find(platforms[i], "empty"));
        assert_non_null(st_call_find(platforms[i], "getppid"));
        assert_non_null(st_call_find(platforms[i], "clock_gettime-monotonic"));
        assert_null(platforms[i]->call_method(platforms[i], j + 1));
    }
    assert_null(st_call_find(st_platform_native(), "no-such-call"));
}

/* The real thing, by the C library and by syscall(2). */
static void every_call_here_works_or_says_why_not(void **state)
{
    (void)state;
    struct st_platform *p = st_platform_native();
    const struct st_call_method *m;
    size_t worked_n = 0;
    for (size_t i = 0; (m = p->call_method(p, i)) != NULL; i++) {
        struct st_call c;
        int r = st_call_open(&c, p, m);
        if (m->absent != NULL)
            assert_int_equal(r, -ENOTSUP);
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
    struct st_platform *p = *state;
    const int64_t cost[] = {500, 100};
    struct st_call c;
    assert_int_equal(st_fake_script_call(p, "getppid", cost, 2, 90), 0);
    assert_int_equal(st_fake_script_call(p, "empty", cost, 2, 90), -ENOENT);
    assert_int_equal(st_call_open(&c, p, st_call_find(p, "getppid")), 0);
    assert_int_equal(c.method->call(&c), 0);
    assert_int_equal(p->now_ns(p), 1500);
    assert_int_equal(c.method->call(&c), 0);
    assert_int_equal(c.method->call(&c), 0);
    assert_int_equal(p->now_ns(p), 1700);
    assert_int_equal(c.method->raw(&c), 0);
    assert_int_equal(p->now_ns(p), 1790);
    st_call_close(&c);
    assert_int_equal(st_fake_fail_call(p, "getppid", -EPERM), 0);
    assert_int_equal(st_call_open(&c, p, st_call_find(p, "getppid")), -EPERM);
    assert_int_equal(st_call_open(&c, p, st_call_find(p, "umtx-wake")), -ENOTSUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_complete, prepare, finish),
        cmocka_unit_test_setup_teardown(every_call_here_works_or_says_why_not, prepare, finish),
        cmocka_unit_test_setup_teardown(the_fake_costs_as_scripted, prepare, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
