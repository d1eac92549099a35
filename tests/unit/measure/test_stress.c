/* Load of other programs: it is there, it is not more than was said, and nothing of it stays.
 * Real clock: real processes compute for a third of a second. */
#include <sys/types.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/stress.h"
#include "platform/posix/posix.h"
#include "tests/unit/unit.h"

static bool has_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static double children_cpu_s(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void each_phase_works_and_leaves_nothing(void **state)
{
    const struct timespec nap = {.tv_nsec = 300000000};
    for (int phase = 0; phase < ST_STRESS_PHASES; phase++) {
        struct st_stress *stress;
        const double before_s = children_cpu_s();
        assert_int_equal(st_stress_start((enum st_stress_phase)phase, &stress), 0);
        assert_true(has_children() == (phase != ST_STRESS_IDLE));
        nanosleep(&nap, NULL);
        siginfo_t ended = {0};
        if (phase != ST_STRESS_IDLE) {
            assert_int_equal(waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
            assert_int_equal(ended.si_pid, 0); /* none of them gave up */
        }
        assert_int_equal(st_stress_stop(stress), 0);
        assert_false(has_children());
        if (phase == ST_STRESS_IDLE)
            assert_true(children_cpu_s() <= before_s);
        else
            assert_true(children_cpu_s() > before_s);
    }
}

static void names_are_found(void **state)
{
    enum st_stress_phase found;
    for (int phase = 0; phase < ST_STRESS_PHASES; phase++) {
        assert_int_equal(st_stress_find(st_stress_name((enum st_stress_phase)phase), &found), 0);
        assert_int_equal(found, phase);
        assert_true(strlen(st_stress_says(found)) > 0);
    }
    assert_int_equal(st_stress_find("sauna", &found), -ENOENT);
    assert_int_equal(st_stress_stop(NULL), 0);
}

static void load_that_ended_before_is_told(void **state)
{
    struct st_stress *stress;
    struct rlimit before, least;
    siginfo_t info;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    least = before;
    least.rlim_cur = 1; /* as on a full disk: the file cannot grow */
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &least), 0);
    const int r = st_stress_start(ST_STRESS_DISK, &stress);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(r, 0);
    assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(st_stress_stop(stress), -ECHILD);
    assert_false(has_children());
}

static void it_ends_when_its_parent_is_killed(void **state)
{
    int pipe_fds[2], status, ended_n = 0;
    char byte;
    st_posix_reap_begin(); /* the children that are left become ours, so that their end is seen */
    assert_int_equal(pipe(pipe_fds), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct st_stress *stress;
        if (st_stress_start(ST_STRESS_CPU, &stress) != 0)
            _exit(1);
        (void)!write(pipe_fds[1], "x", 1);
        for (;;)
            pause();
    }
    close(pipe_fds[1]);
    assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
    close(pipe_fds[0]);
    assert_int_equal(kill(pid, SIGKILL), 0);
    while (wait(&status) > 0) {
        assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGKILL);
        ended_n++;
    }
    assert_int_equal(errno, ECHILD);
    assert_true(ended_n >= 2); /* it, and its load */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_phase_works_and_leaves_nothing),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(load_that_ended_before_is_told),
        cmocka_unit_test(it_ends_when_its_parent_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
