/* Real clock: how the kernel wakes threads is what is tried. */
#include "core/ns.h"
#include "lab/posix/lab_posix.h"
#include "lab/wake/wake.h"
#include "tests/fake/lab_fake.h"
#include "tests/unit/unit.h"

#define SLICE_NS (2 * ST_NS_PER_MS)

static int wake_open(struct st_wake *w, struct st_lab *lab, const struct st_wake_method *method,
                     const struct st_wake_setting *setting)
{
    *w = (struct st_wake){.method = method, .platform = lab->platform, .lab = lab};
    return lab->wake_open(w, setting);
}

static void rows_are_complete(void **state)
{
    struct st_lab *const labs[] = {st_lab_native(), *state};
    ST_EACH (lab, labs) {
        const struct st_wake_method *m;
        size_t j = 0;
        for (; (m = (*lab)->wake_method(*lab, j)) != NULL; j++) {
            assert_int_equal(strspn(m->name, "abcdefghijklmnopqrstuvwxyz0123456789_-"),
                             strlen(m->name));
            assert_ptr_equal(st_lab_find(*lab, (*lab)->wake_method, m->name),
                             m); /* names are unique */
            assert_non_null(m->summary);
        }
        assert_true(j >= 3);
    }
    assert_null(st_lab_find(st_lab_native(), st_lab_native()->wake_method, "no-such-way"));
}

/* The real thing: woken after the signal, but not before; a timed wait ends behind its time. */
static void try_method(struct st_lab *lab, const struct st_wake_method *m, int cpu,
                       size_t *ret_worked_n)
{
    const struct st_wake_setting setting = {.sender_cpu = cpu, .sleeper_cpu = cpu};
    struct st_wake_stamps stamps;
    struct st_wake w;
    int r = wake_open(&w, lab, m, &setting);
    if (r != 0) {
        print_message("# %s: %s\n", m->name, strerror(-r));
        assert_true(r < 0);
        return;
    }
    for (int k = 0; k < 3; k++) {
        r = lab->wake_round(&w, SLICE_NS, true, &stamps);
        if (k == 0 && (r == -ENOSYS || r == -ENOTSUP)) { /* an older kernel, qemu; musl */
            print_message("# %s: %s\n", m->name, strerror(-r));
            lab->wake_close(&w);
            return;
        }
        if (r != 0)
            fail_msg("%s: %s", m->name, strerror(-r));
        assert_true(stamps.woke_ns > stamps.signal_ns);
        assert_true(stamps.sent_ns > stamps.signal_ns);
        r = lab->wake_round(&w, SLICE_NS, false, &stamps);
        if (r != 0)
            fail_msg("%s, timed out: %s", m->name, strerror(-r));
        else if (stamps.woke_ns <
                 stamps.due_ns - ST_NS_PER_US) /* the realtime clock may be slewed */
            fail_msg("%s: %lld ns early", m->name, (long long)(stamps.due_ns - stamps.woke_ns));
    }
    lab->wake_close(&w);
    (*ret_worked_n)++;
}

static void every_way_here_wakes_or_says_why_not(void **state)
{
    struct st_lab *lab = st_lab_native();
    const struct st_wake_method *m;
    size_t worked_n = 0;
    int cpu;
    assert_true(lab->platform->cpus_allowed(lab->platform, &cpu, 1) >= 1);
    for (size_t i = 0; (m = lab->wake_method(lab, i)) != NULL; i++)
        try_method(lab, m, cpu, &worked_n);
    assert_true(worked_n >= 3);
}

static void a_cpu_that_is_not_there_is_refused(void **state)
{
    struct st_lab *lab = st_lab_native();
    int cpu;
    assert_true(lab->platform->cpus_allowed(lab->platform, &cpu, 1) >= 1);
    const struct st_wake_setting setting = {.sender_cpu = cpu, .sleeper_cpu = 8000};
    struct st_wake w;
    assert_int_equal(wake_open(&w, lab, st_lab_find(lab, lab->wake_method, "channel"), &setting),
                     -EINVAL);
}

static void the_fake_wakes_as_scripted(void **state)
{
    struct st_lab *lab = *state;
    const int64_t delays[] = {3000, 12000, INT64_MIN};
    const struct st_wake_setting setting = {0};
    struct st_wake_stamps stamps;
    struct st_wake w;
    assert_int_equal(st_lab_fake_script_wake(lab, "condvar", delays, 3, 700, 0), 0);
    assert_int_equal(st_lab_fake_script_wake(lab, "umtx", delays, 3, 700, 0), -ENOENT);
    assert_int_equal(wake_open(&w, lab, st_lab_find(lab, lab->wake_method, "condvar"), &setting),
                     0);
    assert_int_equal(lab->wake_round(&w, SLICE_NS, true, &stamps), 0);
    assert_int_equal(stamps.signal_ns, ST_NS_PER_S + SLICE_NS);
    assert_int_equal(stamps.sent_ns - stamps.signal_ns, 700);
    assert_int_equal(stamps.woke_ns - stamps.signal_ns, 3000);
    assert_int_equal(lab->wake_round(&w, SLICE_NS, false, &stamps), 0);
    assert_int_equal(stamps.woke_ns - stamps.due_ns, 12000);
    assert_int_equal(lab->wake_round(&w, SLICE_NS, true, &stamps), -ETIMEDOUT);
    lab->wake_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_complete, st_lab_fake_setup, st_lab_fake_teardown),
        cmocka_unit_test_setup_teardown(every_way_here_wakes_or_says_why_not, st_lab_fake_setup,
                                        st_lab_fake_teardown),
        cmocka_unit_test_setup_teardown(a_cpu_that_is_not_there_is_refused, st_lab_fake_setup,
                                        st_lab_fake_teardown),
        cmocka_unit_test_setup_teardown(the_fake_wakes_as_scripted, st_lab_fake_setup,
                                        st_lab_fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
