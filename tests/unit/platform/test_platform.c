/* The real system. Real clock: that is what it is about. */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/platform.h"
#include "tests/unit/seam_filled.h"
#include "tests/unit/unit.h"

/* The real system this runs on: only what cannot depend on its speed or its settings. */

static void every_function_of_the_seam_is_there(void **state)
{
    seam_filled(st_platform_native());
}

static void the_clock_never_goes_back(void **state)
{
    struct st_platform *p = st_platform_native();
    int64_t last_ns = st_platform_now_ns(p);
    assert_true(last_ns > 0);
    for (int i = 0; i < 10000; i++) {
        const int64_t now_ns = st_platform_now_ns(p);
        assert_true(now_ns >= last_ns);
        last_ns = now_ns;
    }
    assert_true(st_platform_wall_ns(p) > INT64_C(1577836800000000000)); /* 2020 */
}

static void a_sleep_never_ends_early(void **state)
{
    struct st_platform *p = st_platform_native();
    for (int i = 0; i < 20; i++) {
        const int64_t due_ns = st_platform_now_ns(p) + 200000;
        assert_int_equal(p->sleep_until_ns(p, due_ns), 0);
        assert_true(st_platform_now_ns(p) >= due_ns);
    }
}

static void a_sleep_into_the_past_succeeds(void **state)
{
    struct st_platform *p = st_platform_native();
    assert_int_equal(p->sleep_until_ns(p, st_platform_now_ns(p) - 1), 0);
    assert_int_equal(p->sleep_until_ns(p, 1), 0);
    assert_int_equal(p->sleep_until_ns(p, 0), 0);
    assert_int_equal(p->sleep_until_ns(p, -1), 0);
    assert_int_equal(p->sleep_until_ns(p, INT64_MIN), 0);
}

static void the_precise_wait_exists_only_where_it_is_needed(void **state)
{
    struct st_platform *p = st_platform_native();
    const int64_t due_ns = st_platform_now_ns(p) + 100000;
    const int r = p->sleep_until_precise_ns(p, due_ns);
    if (p->os == ST_OS_LINUX) {
        assert_int_equal(r, -ENOTSUP);
    } else {
        assert_int_equal(r, 0);
        assert_true(st_platform_now_ns(p) >= due_ns);
        assert_int_equal(p->sleep_until_precise_ns(p, -1), 0);
    }
}

static void policy_is_read_back(void **state)
{
    struct st_platform *p = st_platform_native();
    enum st_policy policy = ST_POLICY_RR;
    int priority = -1;
    assert_int_equal(p->set_policy(p, ST_POLICY_OTHER, 70), 0);
    assert_int_equal(p->get_policy(p, &policy, &priority), 0);
    assert_int_equal(policy, ST_POLICY_OTHER);
    assert_int_equal(priority, 0);
    assert_int_equal(p->set_policy(p, ST_POLICY_FIFO, 100), -EINVAL);
    const int r = p->set_policy(p, ST_POLICY_FIFO, 1);
    assert_true(r == 0 || r == -EPERM);
    if (r == 0) {
        assert_int_equal(p->get_policy(p, &policy, &priority), 0);
        assert_int_equal(policy, ST_POLICY_FIFO);
        assert_int_equal(p->demote(p, p->thread_id(p)), 0);
    }
    assert_int_equal(p->get_policy(p, &policy, &priority), 0);
    assert_int_equal(policy, ST_POLICY_OTHER);
}

static void a_pinned_thread_may_use_that_cpu_only(void **state)
{
    struct st_platform *p = st_platform_native();
    int cpus[2];
    const int n = p->cpus_allowed(p, cpus, 2);
    assert_true(n >= 1);
    assert_int_equal(p->pin(p, cpus[0]), 0);
    const int first = cpus[0];
    assert_int_equal(p->cpus_allowed(p, cpus, 2), 1);
    assert_int_equal(cpus[0], first);
    assert_int_equal(p->pin(p, -1), -EINVAL);
    assert_int_equal(p->pin(p, 1000000), -EINVAL);
    assert_int_equal(p->pin(p, 1023), -EINVAL); /* no such CPU here */
}

static void a_name_of_16_bytes_is_refused(void **state)
{
    struct st_platform *p = st_platform_native();
    assert_int_equal(p->set_name(p, "123456789012345"), 0);
    assert_int_equal(p->set_name(p, "1234567890123456"), -ERANGE);
}

static void timer_slack_is_set_and_read(void **state)
{
    struct st_platform *p = st_platform_native();
    int64_t ns = -1;
    if (p->os == ST_OS_FREEBSD) {
        assert_int_equal(p->timer_slack_ns(p, &ns), -ENOTSUP);
        return;
    }
    assert_int_equal(p->set_timer_slack_ns(p, 12345), 0);
    assert_int_equal(p->timer_slack_ns(p, &ns), 0);
    assert_int_equal(ns, 12345);
    assert_int_equal(p->set_timer_slack_ns(p, 0),
                     -EINVAL); /* the kernel would take it as "default" */
    assert_int_equal(p->set_timer_slack_ns(p, INT64_MAX), -EINVAL);
}

#define ALWAYS_COUNTED                                                                             \
    (ST_COUNTER_CPU | ST_COUNTER_SWITCHES | ST_COUNTER_FAULTS | ST_COUNTER_CPU_NUMBER)

static void counters_of_self_and_other_agree(void **state)
{
    struct st_platform *p = st_platform_native();
    struct st_counters_handle handle;
    struct st_thread_counters before, other, after;
    assert_int_equal(p->counters_open(p, &handle), 0);
    assert_int_equal(handle.tid, p->thread_id(p));
    assert_int_equal(p->counters_self(p, &handle, &before), 0);
    assert_int_equal(p->counters_other(p, &handle, &other), 0);
    assert_int_equal(p->counters_self(p, &handle, &after), 0);
    assert_int_equal(before.valid & ALWAYS_COUNTED, ALWAYS_COUNTED);
    assert_int_equal(other.valid, before.valid);
    assert_true(other.faults_minor_n >= before.faults_minor_n &&
                other.faults_minor_n <= after.faults_minor_n);
    assert_true(other.faults_major_n >= before.faults_major_n &&
                other.faults_major_n <= after.faults_major_n);
    assert_true(other.switches_involuntary_n >= before.switches_involuntary_n);
    assert_true(other.switches_involuntary_n <= after.switches_involuntary_n);
    assert_true(after.cpu_ns > 0 && after.cpu_ns >= before.cpu_ns);
    if (p->os == ST_OS_LINUX) { /* FreeBSD counts a running thread's time at its next switch */
        assert_true(other.cpu_ns >= before.cpu_ns && other.cpu_ns <= after.cpu_ns);
        assert_true(after.runq_wait_ns >= before.runq_wait_ns);
    }
    p->counters_close(p, &handle);
}

static void zeros_of_a_kernel_that_does_not_count_are_no_reading(void **state)
{
    struct st_platform *p = st_platform_native();
    if (p->os != ST_OS_LINUX) {
        print_message("# not tried: Linux only\n");
        return;
    }
    struct st_thread_counters counters;
    FILE *file = tmpfile();
    assert_non_null(file);
    const struct st_counters_handle handle = {
        .fd_schedstat = fileno(file), .fd_stat = -1, .fd_status = -1};
    assert_int_equal(pwrite(handle.fd_schedstat, "5 7 1\n", 6, 0), 6);
    assert_int_equal(p->counters_self(p, &handle, &counters), 0);
    assert_int_equal(counters.valid & ST_COUNTER_RUNQ_WAIT, ST_COUNTER_RUNQ_WAIT);
    assert_int_equal(counters.runq_wait_ns, 7);
    assert_int_equal(pwrite(handle.fd_schedstat, "0 0 0\n", 6, 0), 6);
    assert_int_equal(p->counters_self(p, &handle, &counters), 0);
    assert_int_equal(counters.valid & ST_COUNTER_RUNQ_WAIT, 0);
    fclose(file);
}

static void touched_pages_are_counted_as_faults(void **state)
{
    struct st_platform *p = st_platform_native();
    struct st_counters_handle handle;
    struct st_thread_counters before, after;
    assert_int_equal(p->counters_open(p, &handle), 0);
    const size_t bytes = (size_t)64 << 20; /* huge pages of 2 MiB still make 31 of it */
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    volatile char *memory = pages;
    assert_int_equal(p->counters_self(p, &handle, &before), 0);
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
    assert_int_equal(p->counters_self(p, &handle, &after), 0);
    assert_true(after.faults_minor_n - before.faults_minor_n >= 16);
    assert_int_equal(munmap(pages, bytes), 0);
    p->counters_close(p, &handle);
}

struct other {
    struct st_counters_handle handle;
    int opened[2], done[2]; /* pipes */
};

static void *open_and_wait(void *arg)
{
    struct other *other = arg;
    struct st_platform *p = st_platform_native();
    int cpu = 0;
    char c = 0;
    const int allowed_n = p->cpus_allowed(p, &cpu, 1);
    (void)p->counters_open(p, &other->handle);
    (void)p->pin(p, cpu);
    if (write(other->opened[1], &c, 1) != 1 || read(other->done[0], &c, 1) != 1)
        return other;
    return p->cpus_allowed(p, &cpu, 1) == allowed_n ? NULL : other; /* unpinned meanwhile */
}

static void another_threads_counters_are_its_own(void **state)
{
    struct st_platform *p = st_platform_native();
    struct other other;
    pthread_t thread;
    char c;
    void *failed;
    assert_int_equal(pipe(other.opened), 0);
    assert_int_equal(pipe(other.done), 0);
    assert_int_equal(pthread_create(&thread, NULL, open_and_wait, &other), 0);
    assert_int_equal(read(other.opened[0], &c, 1), 1);
    struct st_thread_counters counters, mine;
    struct st_counters_handle own;
    assert_int_not_equal(other.handle.tid, p->thread_id(p));
    assert_int_equal(p->counters_open(p, &own), 0);
    const int64_t until_ns =
        st_platform_now_ns(p) + INT64_C(20000000); /* 20 ms of work in this thread */
    while (st_platform_now_ns(p) < until_ns) {
    }
    assert_int_equal(p->counters_other(p, &other.handle, &counters), 0);
    assert_int_equal(p->counters_self(p, &own, &mine), 0);
    assert_true(counters.cpu_ns < mine.cpu_ns); /* it did nothing, and began later */
    assert_int_equal(p->demote(p, other.handle.tid), 0);
    assert_int_equal(p->unpin(p, other.handle.tid), 0);
    assert_int_equal(write(other.done[1], &c, 1), 1);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    int gone = 0; /* the kernel wakes the joiner a moment before the thread is gone */
    for (int i = 0; i < 5000 && gone == 0; i++) {
        gone = p->counters_other(p, &other.handle, &counters);
        (void)p->sleep_until_ns(p, st_platform_now_ns(p) + 1000000);
    }
    assert_int_equal(gone, -ESRCH);
    p->counters_close(p, &other.handle);
    p->counters_close(p, &own);
    for (int i = 0; i < 2; i++) {
        close(other.opened[i]);
        close(other.done[i]);
    }
}

static void special_files_are_refused_at_once(void **state)
{
    struct st_platform *p = st_platform_native();
    char dir[] = "/tmp/st_native.XXXXXX", fifo[64], buf[64];
    size_t len = 99;
    assert_non_null(mkdtemp(dir));
    ST_PRINT(fifo, "%s/fifo", dir);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(p->read_text(p, fifo, buf, sizeof(buf), &len), -EINVAL);
    assert_int_equal(p->read_text(p, dir, buf, sizeof(buf), &len), -EISDIR);
    assert_int_equal(p->read_text(p, "/dev/zero", buf, sizeof(buf), &len), -EINVAL);
    assert_int_equal(p->read_text(p, "/nowhere/at/all", buf, sizeof(buf), &len), -ENOENT);
    assert_int_equal(len, 99);
    unlink(fifo);
    rmdir(dir);
}

static void text_that_just_fits_is_whole(void **state)
{
    struct st_platform *p = st_platform_native();
    char path[] = "/tmp/st_native.XXXXXX", buf[8];
    size_t len = 99;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "1234567", 7), 7);
    assert_int_equal(p->read_text(p, path, buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, "1234567");
    assert_int_equal(len, 7);
    assert_int_equal(p->read_text(p, path, buf, 7, &len), -EFBIG);
    assert_string_equal(buf, "123456");
    assert_int_equal(len, 6);
    close(fd);
    unlink(path);
}

static void sysctls_are_read(void **state)
{
    struct st_platform *p = st_platform_native();
    char buf[256];
    size_t len;
    const char *name = p->os == ST_OS_LINUX ? "kernel.osrelease" : "kern.osrelease";
    assert_int_equal(p->read_sysctl(p, name, buf, sizeof(buf), &len), 0);
    assert_int_equal(len, strlen(buf));
    assert_null(strchr(buf, '\n'));
    assert_int_equal(p->read_sysctl(p, "kern.no.such.thing", buf, sizeof(buf), &len), -ENOENT);
}

static void remember(void *ctx, const char *key, const char *value)
{
    unsigned *seen = ctx;
    assert_true(value[0] != '\0');
    for (const char *s = key; *s != '\0'; s++)
        assert_true((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || *s == '_');
    if (strcmp(key, "os") == 0)
        *seen |= 1;
    if (strcmp(key, "kernel_release") == 0)
        *seen |= 2;
}

static void conditions_have_keys_and_values(void **state)
{
    struct st_platform *p = st_platform_native();
    unsigned seen = 0;
    p->conditions(p, 0, remember, &seen);
    assert_int_equal(seen, 3);
}

static void the_program_knows_where_it_lies(void **state)
{
    struct st_platform *p = st_platform_native();
    char path[4096], cut[8];
    assert_int_equal(p->program_path(p, path, sizeof(path)), 0);
    assert_int_equal(path[0], '/');
    assert_has(path, "/test_platform");
    assert_int_equal(access(path, X_OK), 0);
    assert_int_equal(p->program_path(p, cut, sizeof(cut)), -ENAMETOOLONG);
}

static void rights_are_tried_without_changing_this_process(void **state)
{
    struct st_platform *p = st_platform_native();
    struct st_rt_rights rights;
    enum st_policy policy;
    int priority;
    assert_int_equal(p->rt_rights(p, 70, &rights), 0);
    assert_true(rights.fifo_errno == 0 || rights.fifo_errno == EPERM);
    assert_int_equal(rights.fifo_priority, 70);
    assert_int_equal(p->rt_rights(p, 100, &rights), 0);
    assert_int_equal(rights.fifo_errno, EINVAL);
    assert_int_equal(p->get_policy(p, &policy, &priority), 0);
    assert_int_equal(policy, ST_POLICY_OTHER);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* the child was reaped */
}

static void ignored_children_do_not_hide_the_answer(void **state)
{
    struct st_platform *p = st_platform_native();
    struct st_rt_rights rights;
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(p->rt_rights(p, 100, &rights), 0);
    assert_int_equal(rights.fifo_errno, EINVAL);
    signal(SIGCHLD, SIG_DFL);
}

/* AddressSanitizer and ThreadSanitizer replace mlockall by nothing at all, which succeeds. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define MLOCKALL_REPLACED true
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MLOCKALL_REPLACED true
#endif
#ifndef MLOCKALL_REPLACED
#define MLOCKALL_REPLACED false
#endif

#define NOBODY 65534

/* Runs in a child that has given up all rights. @return 0 or the line that failed. */
static int without_rights(void)
{
    struct st_platform *p = st_platform_native();
    const struct rlimit none = {0, 0};
#ifdef RLIMIT_RTPRIO
    if (setrlimit(RLIMIT_RTPRIO, &none) != 0)
        return __LINE__;
#endif
    if (setrlimit(RLIMIT_MEMLOCK, &none) != 0)
        return __LINE__;
    if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
        return __LINE__;
    struct st_rt_rights rights;
    enum st_lock lock = ST_LOCK_NONE;
    if (p->set_policy(p, ST_POLICY_FIFO, 70) != -EPERM)
        return __LINE__;
    if (p->rt_rights(p, 70, &rights) != 0 || rights.fifo_errno != EPERM ||
        rights.memlock_limit_bytes != 0)
        return __LINE__;
    const int r = p->lock_memory(p, &lock);
    if (!MLOCKALL_REPLACED && ((r != -EPERM && r != -ENOMEM) || lock != ST_LOCK_NONE))
        return __LINE__;
    return 0;
}

/* In a child without rights: what is locked within a limit leaves room for what is allocated
 * later. */
static int locked_within_a_limit(void)
{
    struct st_platform *p = st_platform_native();
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return __LINE__;
    const rlim_t most = (rlim_t)64 << 20; /* more than this program, less than is allocated below */
    limit.rlim_cur = limit.rlim_max < most ? limit.rlim_max : most;
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return __LINE__;
    if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
        return __LINE__;
    if (p->lock_memory(p, NULL) != 0)
        return 0; /* a limit below this program's size */
    for (int i = 0; i < 10; i++) {
        if (mmap(NULL, 16 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0) == MAP_FAILED)
            return __LINE__;
    }
    return 0;
}

static void memory_that_is_locked_within_a_limit_can_grow(void **state)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(locked_within_a_limit() % 256);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status),
                     0); /* else a line number of locked_within_a_limit, modulo 256 */
}

static void without_rights_fifo_and_mlock_are_refused(void **state)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(without_rights() % 256);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0); /* else a line number of without_rights, modulo 256 */
}

/* The signal must come before the kill, and a lower limit that was inherited stays. */
static int rttime_child(struct st_platform *p)
{
#ifdef RLIMIT_RTTIME
    struct rlimit limit;
    if (p->set_rttime_limit_ns(p, INT64_C(200000000)) != 0)
        return __LINE__ % 256;
    if (getrlimit(RLIMIT_RTTIME, &limit) != 0 || limit.rlim_max > 200000 ||
        limit.rlim_cur > limit.rlim_max / 2)
        return __LINE__ % 256;
    if (p->set_rttime_limit_ns(p, INT64_C(1000000000)) != 0)
        return __LINE__ % 256;
    if (getrlimit(RLIMIT_RTTIME, &limit) != 0 || limit.rlim_max > 200000 || limit.rlim_cur > 100000)
        return __LINE__ % 256;
    return 0;
#else
    return __LINE__ % 256;
#endif
}

static void the_limit_on_real_time_work_is_set(void **state)
{
    struct st_platform *p = st_platform_native();
    if (p->os == ST_OS_FREEBSD) {
        assert_int_equal(p->set_rttime_limit_ns(p, 1000), -ENOTSUP);
        return;
    }
    assert_int_equal(p->set_rttime_limit_ns(p, 0), -EINVAL);
    fflush(NULL);
    const pid_t child = fork(); /* the hard limit cannot be raised again without rights */
    assert_true(child >= 0);
    if (child == 0)
        _exit(rttime_child(p));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0); /* else a line number of rttime_child, modulo 256 */
}

static void policies_have_names(void **state)
{
    assert_string_equal(st_platform_policy_name(ST_POLICY_OTHER), "other");
    assert_string_equal(st_platform_policy_name(ST_POLICY_FIFO), "fifo");
    assert_string_equal(st_platform_policy_name(ST_POLICY_RR), "rr");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            memory_that_is_locked_within_a_limit_can_grow), /* first: before threads enlarge it */
        cmocka_unit_test(every_function_of_the_seam_is_there),
        cmocka_unit_test(the_clock_never_goes_back),
        cmocka_unit_test(a_sleep_never_ends_early),
        cmocka_unit_test(a_sleep_into_the_past_succeeds),
        cmocka_unit_test(the_precise_wait_exists_only_where_it_is_needed),
        cmocka_unit_test(policy_is_read_back),
        cmocka_unit_test(a_name_of_16_bytes_is_refused),
        cmocka_unit_test(timer_slack_is_set_and_read),
        cmocka_unit_test(counters_of_self_and_other_agree),
        cmocka_unit_test(zeros_of_a_kernel_that_does_not_count_are_no_reading),
        cmocka_unit_test(touched_pages_are_counted_as_faults),
        cmocka_unit_test(another_threads_counters_are_its_own),
        cmocka_unit_test(special_files_are_refused_at_once),
        cmocka_unit_test(text_that_just_fits_is_whole),
        cmocka_unit_test(sysctls_are_read),
        cmocka_unit_test(conditions_have_keys_and_values),
        cmocka_unit_test(the_program_knows_where_it_lies),
        cmocka_unit_test(rights_are_tried_without_changing_this_process),
        cmocka_unit_test(ignored_children_do_not_hide_the_answer),
        cmocka_unit_test(without_rights_fifo_and_mlock_are_refused),
        cmocka_unit_test(the_limit_on_real_time_work_is_set),
        cmocka_unit_test(policies_have_names),
        cmocka_unit_test(a_pinned_thread_may_use_that_cpu_only), /* last: it stays pinned */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
