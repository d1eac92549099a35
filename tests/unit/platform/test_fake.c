

#include "tests/fake/fake.h"
#include "tests/unit/seam_filled.h"
#include "tests/unit/unit.h"

#define START INT64_C(1000000000)

static struct st_platform *p;

static int linux_fake(void **state)
{
    p = st_fake_new(ST_OS_LINUX, START);
    return p == NULL;
}

static int freebsd_fake(void **state)
{
    p = st_fake_new(ST_OS_FREEBSD, START);
    return p == NULL;
}

static int finish(void **state)
{
    st_fake_free(p);
    return 0;
}

static void every_function_of_the_seam_is_there(void **state)
{
    seam_filled(p);
}

static void time_moves_only_by_script(void **state)
{
    assert_int_equal(st_platform_now_ns(p), START);
    assert_int_equal(st_platform_now_ns(p), START);
    st_fake_advance(p, 500);
    assert_int_equal(st_platform_now_ns(p), START + 500);
    st_fake_advance(p, -1500);
    assert_int_equal(st_platform_now_ns(p), START - 1000);
    assert_int_equal(st_fake_clock_reads_n(p), 4);
}

static void time_saturates(void **state)
{
    st_fake_advance(p, INT64_MAX);
    assert_int_equal(st_platform_now_ns(p), INT64_MAX);
    assert_int_equal(p->sleep_until_ns(p, INT64_MAX), 0);
    assert_int_equal(st_platform_now_ns(p), INT64_MAX);
}

static void a_late_sleep_near_the_end_of_time_saturates(void **state)
{
    assert_int_equal(st_fake_script_sleeps(p, NULL, 0, INT64_MAX), 0);
    assert_int_equal(p->sleep_until_ns(p, START + 1), 0);
    assert_int_equal(st_platform_now_ns(p), INT64_MAX);
}

static void a_clock_read_costs_what_was_scripted_after_it(void **state)
{
    st_fake_set_clock_cost_ns(p, 40);
    assert_int_equal(st_platform_now_ns(p), START);
    assert_int_equal(st_platform_now_ns(p), START + 40);
}

static void sleeps_wake_as_late_as_scripted(void **state)
{
    const int64_t late[] = {100, -30, INT64_MIN};
    assert_int_equal(st_fake_script_sleeps(p, late, ST_ARRAY_LEN(late), 7), 0);
    assert_int_equal(p->sleep_until_ns(p, START + 1000), 0);
    assert_int_equal(st_platform_now_ns(p), START + 1100);
    assert_int_equal(p->sleep_until_ns(p, START + 2000), 0);
    assert_int_equal(st_platform_now_ns(p), START + 1970);
    assert_int_equal(p->sleep_until_ns(p, START + 3970), -EINTR);
    assert_int_equal(st_platform_now_ns(p), START + 2970);
    assert_int_equal(p->sleep_until_ns(p, START + 5000), 0);
    assert_int_equal(st_platform_now_ns(p), START + 5007);
    assert_int_equal(st_fake_sleeps_n(p), 4);
}

static void a_sleep_into_the_past_returns_at_once(void **state)
{
    assert_int_equal(st_fake_script_sleeps(p, NULL, 0, 100), 0);
    assert_int_equal(p->sleep_until_ns(p, START - 1), 0);
    assert_int_equal(p->sleep_until_ns(p, START), 0);
    assert_int_equal(st_platform_now_ns(p), START);
}

static void an_early_wake_never_goes_back_in_time(void **state)
{
    const int64_t late[] = {-5000};
    assert_int_equal(st_fake_script_sleeps(p, late, 1, 0), 0);
    assert_int_equal(p->sleep_until_ns(p, START + 1000), 0);
    assert_int_equal(st_platform_now_ns(p), START);
}

static void linux_has_no_precise_wait(void **state)
{
    assert_int_equal(p->sleep_until_precise_ns(p, START + 1), -ENOTSUP);
    int64_t ns;
    assert_int_equal(p->timer_slack_ns(p, &ns), 0);
    assert_int_equal(p->suspended_ns(p, &ns), 0);
}

static void freebsd_has_a_precise_wait_and_no_slack(void **state)
{
    assert_int_equal(st_fake_script_sleeps(p, NULL, 0, 3), 0);
    assert_int_equal(p->sleep_until_precise_ns(p, START + 1), 0);
    assert_int_equal(st_platform_now_ns(p), START + 4);
    int64_t ns = -1;
    assert_int_equal(p->timer_slack_ns(p, &ns), -ENOTSUP);
    assert_int_equal(p->suspended_ns(p, &ns), -ENOTSUP);
    assert_int_equal(p->set_rttime_limit_ns(p, 1), -ENOTSUP);
    assert_int_equal(ns, -1);
}

static void policy_is_remembered_and_demoted(void **state)
{
    enum st_policy policy;
    int priority;
    assert_int_equal(p->set_policy(p, ST_POLICY_FIFO, 70), 0);
    assert_int_equal(p->get_policy(p, &policy, &priority), 0);
    assert_int_equal(policy, ST_POLICY_FIFO);
    assert_int_equal(priority, 70);
    assert_int_equal(p->set_policy(p, ST_POLICY_RR, 100), -EINVAL);
    assert_int_equal(p->demote(p, p->thread_id(p) + 1), -ESRCH);
    assert_int_equal(p->demote(p, p->thread_id(p)), 0);
    assert_int_equal(p->get_policy(p, &policy, &priority), 0);
    assert_int_equal(policy, ST_POLICY_OTHER);
    assert_int_equal(priority, 0);
}

static void a_pinned_thread_has_one_cpu(void **state)
{
    int cpus[4] = {-1, -1, -1, -1};
    assert_int_equal(p->cpus_allowed(p, cpus, 4), 2);
    assert_int_equal(p->pin(p, 2), -EINVAL);
    assert_int_equal(p->pin(p, 1), 0);
    assert_int_equal(p->cpus_allowed(p, cpus, 4), 1);
    assert_int_equal(cpus[0], 1);
}

static void counters_are_the_scripted_ones(void **state)
{
    struct st_counters_handle handle;
    const struct st_thread_counters set = {.valid = ST_COUNTER_CPU, .cpu_ns = 77};
    struct st_thread_counters got = {0};
    st_fake_set_counters(p, &set);
    assert_int_equal(p->counters_open(p, &handle), 0);
    assert_int_equal(handle.tid, p->thread_id(p));
    assert_int_equal(p->counters_self(p, &handle, &got), 0);
    assert_int_equal(got.cpu_ns, 77);
    got.cpu_ns = 0;
    assert_int_equal(p->counters_other(p, &handle, &got), 0);
    assert_int_equal(got.cpu_ns, 77);
    p->counters_close(p, &handle);
}

static void files_are_read_cut_and_refused(void **state)
{
    char buf[8];
    size_t len = 99;
    assert_int_equal(st_fake_set_file(p, "/a", "first", 0), 0);
    assert_int_equal(st_fake_set_file(p, "/a", "1234567", 0), 0); /* replaces */
    assert_int_equal(p->read_text(p, "/a", buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, "1234567");
    assert_int_equal(len, 7);
    assert_int_equal(p->read_text(p, "/a", buf, 4, &len), -EFBIG);
    assert_string_equal(buf, "123");
    len = 99;
    assert_int_equal(st_fake_set_file(p, "/b", "x", -EACCES), 0);
    assert_int_equal(p->read_text(p, "/b", buf, sizeof(buf), &len), -EACCES);
    assert_int_equal(p->read_text(p, "/c", buf, sizeof(buf), &len), -ENOENT);
    assert_int_equal(len, 99);
}

static void linux_sysctls_are_also_files(void **state)
{
    char buf[32];
    size_t len;
    assert_int_equal(st_fake_set_file(p, "/proc/sys/kernel/sched_rt_runtime_us", "950000\n", 0), 0);
    assert_int_equal(p->read_sysctl(p, "kernel.sched_rt_runtime_us", buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, "950000");
    assert_int_equal(st_fake_set_sysctl(p, "kernel.sched_rt_runtime_us", "1", 0), 0);
    assert_int_equal(p->read_sysctl(p, "kernel.sched_rt_runtime_us", buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, "1");
    assert_int_equal(p->read_sysctl(p, "kernel.nothing", buf, sizeof(buf), &len), -ENOENT);
    assert_int_equal(p->read_sysctl(p, "../../etc/passwd", buf, sizeof(buf), &len), -ENOENT);
}

static void freebsd_sysctls_are_not_files(void **state)
{
    char buf[32];
    size_t len;
    assert_int_equal(st_fake_set_file(p, "/proc/sys/kern/hz", "1", 0), 0);
    assert_int_equal(p->read_sysctl(p, "kern.hz", buf, sizeof(buf), &len), -ENOENT);
    assert_int_equal(st_fake_set_sysctl(p, "kern.hz", "1000", 0), 0);
    assert_int_equal(p->read_sysctl(p, "kern.hz", buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, "1000");
}

static int join(void *ctx, const char *name)
{
    char *names = ctx;
    strcat(names, name);
    strcat(names, " ");
    return strcmp(name, "stop") == 0;
}

static void folders_are_listed_sorted_and_once(void **state)
{
    static const char *const paths[] = {"/d/cpu10/x", "/d/cpu1/x", "/d/cpu1-a/x",
                                        "/d/cpu1/y",  "/d/zero",   "/dx/no"};
    ST_EACH (path, paths)
        assert_int_equal(st_fake_set_file(p, *path, "", 0), 0);
    char names[128] = "";
    assert_int_equal(p->list(p, "/d", join, names), 0);
    assert_string_equal(names, "cpu1 cpu1-a cpu10 zero ");
    names[0] = '\0';
    assert_int_equal(p->list(p, "/d/cpu1/", join, names), 0);
    assert_string_equal(names, "x y ");
    assert_int_equal(p->list(p, "/none", join, names), -ENOENT);
    assert_int_equal(p->list(p, "/d/zero", join, names), -ENOTDIR);
}

static void listing_ends_when_asked(void **state)
{
    assert_int_equal(st_fake_set_file(p, "/d/go", "", 0), 0);
    assert_int_equal(st_fake_set_file(p, "/d/stop", "", 0), 0);
    assert_int_equal(st_fake_set_file(p, "/d/tail", "", 0), 0);
    char names[64] = "";
    assert_int_equal(p->list(p, "/d", join, names), 0);
    assert_string_equal(names, "go stop ");
}

static void the_nth_call_fails_and_later_ones_succeed(void **state)
{
    assert_int_equal(st_fake_fail_at(p, "lock_memory", 2, -ENOMEM), 0);
    assert_int_equal(p->lock_memory(p, NULL), 0);
    assert_int_equal(p->lock_memory(p, NULL), -ENOMEM);
    assert_int_equal(p->lock_memory(p, NULL), 0);
}

static void with_n_0_every_call_fails(void **state)
{
    assert_int_equal(st_fake_fail_at(p, "set_policy", 0, -EPERM), 0);
    assert_int_equal(p->set_policy(p, ST_POLICY_FIFO, 70), -EPERM);
    assert_int_equal(p->set_policy(p, ST_POLICY_FIFO, 70), -EPERM);
}

static void every_function_that_can_fail_can_be_made_to(void **state)
{
    static const char *const names[] = {"sleep_until_ns",
                                        "sleep_until_precise_ns",
                                        "suspended_ns",
                                        "set_policy",
                                        "get_policy",
                                        "demote",
                                        "pin",
                                        "unpin",
                                        "cpus_allowed",
                                        "set_name",
                                        "timer_slack_ns",
                                        "set_timer_slack_ns",
                                        "counters_open",
                                        "counters_self",
                                        "counters_other",
                                        "lock_memory",
                                        "set_rttime_limit_ns",
                                        "rt_rights",
                                        "program_path",
                                        "read_text",
                                        "list",
                                        "read_sysctl"};
    ST_EACH (name, names)
        assert_int_equal(st_fake_fail_at(p, *name, 1, -EIO), 0);
    enum st_policy policy;
    struct st_counters_handle handle;
    struct st_thread_counters counters;
    struct st_rt_rights rights;
    char text[8];
    size_t len;
    int64_t ns;
    int cpu;
    assert_int_equal(p->sleep_until_ns(p, START + 1), -EIO);
    assert_int_equal(p->sleep_until_precise_ns(p, START + 1), -EIO);
    assert_int_equal(p->suspended_ns(p, &ns), -EIO);
    assert_int_equal(p->set_policy(p, ST_POLICY_FIFO, 1), -EIO);
    assert_int_equal(p->get_policy(p, &policy, &cpu), -EIO);
    assert_int_equal(p->demote(p, 1), -EIO);
    assert_int_equal(p->pin(p, 0), -EIO);
    assert_int_equal(p->unpin(p, 1), -EIO);
    assert_int_equal(p->cpus_allowed(p, &cpu, 1), -EIO);
    assert_int_equal(p->set_name(p, "x"), -EIO);
    assert_int_equal(p->timer_slack_ns(p, &ns), -EIO);
    assert_int_equal(p->set_timer_slack_ns(p, 1), -EIO);
    assert_int_equal(p->counters_open(p, &handle), -EIO);
    assert_int_equal(p->counters_self(p, &handle, &counters), -EIO);
    assert_int_equal(p->counters_other(p, &handle, &counters), -EIO);
    assert_int_equal(p->lock_memory(p, NULL), -EIO);
    assert_int_equal(p->set_rttime_limit_ns(p, 1), -EIO);
    assert_int_equal(p->rt_rights(p, 70, &rights), -EIO);
    assert_int_equal(p->program_path(p, text, sizeof(text)), -EIO);
    assert_int_equal(p->read_text(p, "/x", text, sizeof(text), &len), -EIO);
    assert_int_equal(p->list(p, "/x", join, text), -EIO);
    assert_int_equal(p->read_sysctl(p, "x", text, sizeof(text), &len), -EIO);
}

static void an_unknown_function_or_error_cannot_be_injected(void **state)
{
    assert_int_equal(st_fake_fail_at(p, "now_ns", 1, -EIO), -ENOENT); /* a clock read never fails */
    assert_int_equal(st_fake_fail_at(p, "pin", 1, EIO), -EINVAL);
}

#define LINUX_TEST(f)   cmocka_unit_test_setup_teardown(f, linux_fake, finish)
#define FREEBSD_TEST(f) cmocka_unit_test_setup_teardown(f, freebsd_fake, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINUX_TEST(every_function_of_the_seam_is_there),
        LINUX_TEST(time_moves_only_by_script),
        LINUX_TEST(time_saturates),
        LINUX_TEST(a_late_sleep_near_the_end_of_time_saturates),
        LINUX_TEST(a_clock_read_costs_what_was_scripted_after_it),
        LINUX_TEST(sleeps_wake_as_late_as_scripted),
        LINUX_TEST(a_sleep_into_the_past_returns_at_once),
        LINUX_TEST(an_early_wake_never_goes_back_in_time),
        LINUX_TEST(linux_has_no_precise_wait),
        FREEBSD_TEST(freebsd_has_a_precise_wait_and_no_slack),
        LINUX_TEST(policy_is_remembered_and_demoted),
        LINUX_TEST(a_pinned_thread_has_one_cpu),
        LINUX_TEST(counters_are_the_scripted_ones),
        LINUX_TEST(files_are_read_cut_and_refused),
        LINUX_TEST(linux_sysctls_are_also_files),
        FREEBSD_TEST(freebsd_sysctls_are_not_files),
        LINUX_TEST(folders_are_listed_sorted_and_once),
        LINUX_TEST(listing_ends_when_asked),
        LINUX_TEST(the_nth_call_fails_and_later_ones_succeed),
        LINUX_TEST(with_n_0_every_call_fails),
        LINUX_TEST(every_function_that_can_fail_can_be_made_to),
        LINUX_TEST(an_unknown_function_or_error_cannot_be_injected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
