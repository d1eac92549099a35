/* Programs that are run for what they print: the real ones, whatever the machine's speed.
 * Real clock: started programs end when they end. */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/platform.h"
#include "tests/unit/unit.h"

#define LONG_NS  (60 * ST_NS_PER_S) /* never waited for in full */
#define SHORT_NS (50 * ST_NS_PER_MS)
#define BYTES    4096

static const char *const env[] = {"PATH=relative:/nonexistent:/usr/bin:/bin", "SAID=here", NULL};

/** Runs a script; its output is in buf (BYTES). @return the run's result. */
static int shell(const char *script, char *buf, size_t bytes, int64_t limit_ns, int *ret_status)
{
    struct st_platform *p = st_platform_native();
    const char *const argv[] = {"sh", "-c", script, NULL};
    const struct st_run_as as = {.env = env};
    struct st_run run = {.argv = argv, .buf = buf, .buf_bytes = bytes};
    assert_int_equal(p->run(p, &run, 1, &as, limit_ns), 0);
    if (ret_status != NULL)
        *ret_status = run.exit_status;
    assert_int_equal(strlen(buf), run.len);
    return run.result;
}

/** No child is left, not even a dead one. */
static void no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/** The killed ones are gone; where the machine was too busy for it within run's patience, once it
 * gets to it. */
static void none_survives(void)
{
    int status;
    while (waitpid(-1, &status, 0) > 0)
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    no_child();
}

/* --- programs that want more than to print: this one, started again with a word --- */

/** Takes the terminal of who started it, by every way there is. */
static int take_terminal(void)
{
    const int error = open("/dev/tty", O_RDWR | O_NOCTTY) < 0 ? errno : 0;
    printf("open %d\n", error);
    for (int i = 0; i < 64; i++) {
        (void)setpgid(0, 0);
        (void)signal(SIGTTOU, SIG_IGN);
#ifdef TIOCSTI
        if (ioctl(i, TIOCSTI, "x") == 0)
            printf("put a character into %d\n", i);
#endif
        if (isatty(i) == 1 &&
            tcsetpgrp(i, getpgrp()) == 0) /* FreeBSD: of a pipe it sets the owner of SIGIO */
            printf("is in the foreground of %d\n", i);
        if (isatty(i) == 1)
            printf("has terminal %d\n", i);
    }
    return error == ENXIO ? 0 : 1;
}

/** Leaves a process in another group and session, which ignores what it can; itself ends or
 * hangs. */
static int hide(bool hang)
{
    if (fork() == 0) {
        (void)setpgid(0, 0);
        if (fork() == 0) {
            (void)setsid();
            for (int number = 1; number < 32; number++)
                (void)signal(number, SIG_IGN);
            printf("%d\n", (int)getpid());
            fflush(stdout);
            close(STDOUT_FILENO);
            for (;;)
                (void)sleep(3600);
        }
        close(STDOUT_FILENO);
        for (;;)
            (void)sleep(3600);
    }
    (void)usleep(20000);
    while (hang)
        (void)sleep(3600);
    return 0;
}

/** What it has and can get: real-time priority, locked memory, core files, nice. */
static int show_limits(void)
{
    struct st_platform *p = st_platform_native(); /* musl's own functions for policies only fail */
    struct rlimit limit;
    enum st_policy policy;
    int priority;
    (void)getrlimit(RLIMIT_CORE, &limit);
    printf("core %d, policy %d", (int)limit.rlim_max,
           p->get_policy(p, &policy, &priority) == 0 && policy == ST_POLICY_OTHER);
    (void)getrlimit(RLIMIT_MEMLOCK, &limit);
    printf(", memlock %d", limit.rlim_max <= 65536);
#ifdef RLIMIT_RTPRIO
    (void)getrlimit(RLIMIT_RTPRIO, &limit);
    printf(", rtprio %d", (int)limit.rlim_max);
#endif
    printf(", fifo %d\n", p->set_policy(p, ST_POLICY_FIFO, 1) == 0 ? 0 : -1);
    return 0;
}

static const char *self; /* absolute path */

/** Runs this program with a word; its output is in buf (BYTES). @return the run's result. */
static int again(const char *word, bool as_other, char *buf, int64_t limit_ns)
{
    char path[4200];
    struct st_platform *p = st_platform_native();
    const char *slash = strrchr(self, '/');
    ST_PRINT(path, "PATH=%.*s", (int)(slash - self), self);
    const char *const vars[] = {path, NULL}, *const argv[] = {slash + 1, word, NULL};
    const struct st_run_as as = {.env = vars, .switch_user = as_other, .uid = 65534, .gid = 65534};
    struct st_run run = {.argv = argv, .buf = buf, .buf_bytes = BYTES};
    assert_int_equal(p->run(p, &run, 1, &as, limit_ns), 0);
    return run.result;
}

/** A process of its own, on a terminal of its own. @return its exit status: 0 is right. */
static int on_a_terminal(void)
{
    char buf[BYTES];
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (setsid() < 0 || master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return 2;
    const int terminal = open(ptsname(master), O_RDWR); /* makes it the session's, on Linux */
    (void)ioctl(terminal, TIOCSCTTY, 0);
    const int fd = open("/dev/tty", O_RDWR);
    if (terminal < 0 || fd < 0)
        return 3;
    close(fd);
    const int r = again("take-terminal", false, buf, LONG_NS);
    char wanted[32];
    ST_PRINT(wanted, "open %d\n", ENXIO);
    if (r == 0 && strcmp(buf, wanted) == 0)
        return 0;
    fprintf(stderr, "%d: %s", r, buf);
    return 4;
}

static void it_cannot_reach_the_terminal(void **state)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(on_a_terminal());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void what_it_hides_is_killed(void **state)
{
    char buf[BYTES];
    const int64_t limits_ns[] = {LONG_NS, 4 * ST_NS_PER_S};
    const clock_t began = clock();
    for (int hangs = 0; hangs < 2; hangs++) {
        const int r = again(hangs ? "hide-and-hang" : "hide", false, buf, limits_ns[hangs]);
        assert_int_equal(r, hangs ? -ETIMEDOUT : 0);
        const pid_t hidden = (pid_t)strtol(buf, NULL, 10);
        assert_true(hidden > 0);
        const bool lives = kill(hidden, 0) == 0;
        (void)kill(hidden, SIGKILL);
        assert_false(lives);
        no_child();
    }
    assert_true(clock() - began < CLOCKS_PER_SEC / 2); /* waiting takes no CPU time */
}

static void children_from_before_are_left_alone(void **state)
{
    char buf[BYTES];
    const pid_t before = fork();
    if (before == 0) {
        for (;;)
            (void)pause();
    }
    assert_int_equal(shell("echo told", buf, sizeof(buf), LONG_NS, NULL), 0);
    assert_int_equal(waitpid(before, NULL, WNOHANG), 0);
    (void)kill(before, SIGKILL);
    assert_int_equal(waitpid(before, NULL, 0), before);
}

/* Below root's home no other user can run this program: a copy is where anyone can. */
static void copy_for_others(char *ret_folder, char *ret_program, size_t bytes)
{
    struct st_platform *p = st_platform_native();
    char buf[BYTES];
    assert_non_null(mkdtemp(ret_folder));
    assert_int_equal(chmod(ret_folder, 0755), 0);
    snprintf(ret_program, bytes, "%s/test_run", ret_folder);
    const char *const argv[] = {"cp", "--", self, ret_program, NULL};
    const struct st_run_as as = {.env = env};
    struct st_run run = {.argv = argv, .buf = buf, .buf_bytes = sizeof(buf)};
    assert_int_equal(p->run(p, &run, 1, &as, LONG_NS), 0);
    assert_int_equal(run.result, 0);
    assert_int_equal(run.exit_status, 0);
    assert_int_equal(chmod(ret_program, 0755), 0);
}

static void it_gets_no_limit_that_harms(void **state)
{
    char buf[BYTES], folder[] = "/tmp/st-test-run-XXXXXX", copy[64];
    const char *const here = self;
    const bool other = geteuid() == 0;
    if (other) {
        copy_for_others(folder, copy, sizeof(copy));
        self = copy;
    }
    const int r = again("limits", other, buf, LONG_NS);
    self = here;
    if (other) {
        (void)unlink(copy);
        (void)rmdir(folder);
    }
    assert_int_equal(r, 0);
#ifdef RLIMIT_RTPRIO
    assert_string_equal(buf, "core 0, policy 1, memlock 1, rtprio 0, fifo -1\n");
    assert_int_equal(shell("grep ^NoNewPrivs: /proc/self/status", buf, sizeof(buf), LONG_NS, NULL),
                     0);
    assert_string_equal(buf, "NoNewPrivs:\t1\n");
#else
    assert_string_equal(buf, "core 0, policy 1, memlock 1, fifo -1\n");
#endif
}

static void output_and_status_are_told(void **state)
{
    char buf[BYTES];
    int status;
    assert_int_equal(shell("echo one; echo two; echo three >&2", buf, sizeof(buf), LONG_NS, NULL),
                     0);
    assert_string_equal(buf, "one\ntwo\n");
    assert_int_equal(shell("echo lost; exit 7", buf, sizeof(buf), LONG_NS, &status), -EIO);
    assert_int_equal(status, 7);
    assert_int_equal(shell("kill -9 $$", buf, sizeof(buf), LONG_NS, &status), -EIO);
    assert_int_equal(status, 128 + SIGKILL);
    /* output closed, and going on for a while */
    assert_int_equal(
        shell("echo early; exec >&-; sleep 0.05; exit 3", buf, sizeof(buf), LONG_NS, &status),
        -EIO);
    assert_int_equal(status, 3);
    no_child();
}

static void a_missing_program_is_told(void **state)
{
    struct st_platform *p = st_platform_native();
    char buf[2][BYTES];
    const struct st_run_as as = {.env = env};
    const char *const missing[] = {"sleeptune-no-such-program", NULL}, *const echo[] = {
                                                                           "echo", "there", NULL};
    struct st_run runs[] = {{.argv = missing, .buf = buf[0], .buf_bytes = BYTES},
                            {.argv = echo, .buf = buf[1], .buf_bytes = BYTES}};
    assert_int_equal(p->run(p, runs, 2, &as, LONG_NS), 0);
    assert_int_equal(runs[0].result, -ENOENT);
    assert_int_equal(runs[1].result, 0);
    assert_string_equal(buf[1], "there\n");
    no_child();
}

static void a_hung_one_is_killed_with_its_children(void **state)
{
    char buf[BYTES];
    assert_int_equal(
        shell("echo begun; sleep 3600 & echo $!; wait", buf, sizeof(buf), SHORT_NS, NULL),
        -ETIMEDOUT);
    none_survives();
    /* its own child is dead or dying; where it had printed nothing yet the limit came first */
    const char *line = strchr(buf, '\n');
    const pid_t grandchild = line != NULL ? (pid_t)strtol(line + 1, NULL, 10) : 0;
    for (int i = 0; grandchild > 0 && kill(grandchild, 0) == 0 && i < 5000; i++) {
        char path[64], text[256];
        size_t len;
        struct st_platform *p = st_platform_native();
        ST_PRINT(path, "/proc/%d/stat", (int)grandchild);
        if (p->read_text(p, path, text, sizeof(text), &len) == 0 && strstr(text, ") Z") != NULL)
            return; /* dead; whoever inherits it has to reap it */
        assert_true(i < 4999);
        (void)usleep(1000);
    }
    assert_int_equal(shell("trap '' TERM INT HUP; while :; do sleep 3600; done", buf, sizeof(buf),
                           SHORT_NS, NULL),
                     -ETIMEDOUT);
    none_survives();
}

static void all_share_one_limit(void **state)
{
    struct st_platform *p = st_platform_native();
    char buf[8][BYTES];
    const struct st_run_as as = {.env = env};
    const char *const sleeper[] = {"sleep", "3600", NULL}, *const echo[] = {"echo", "there", NULL};
    struct st_run runs[8];
    for (size_t i = 0; i < 8; i++)
        runs[i] =
            (struct st_run){.argv = i == 7 ? echo : sleeper, .buf = buf[i], .buf_bytes = BYTES};
    int tries = 0; /* echo may need longer where a machine is busy */
    do {
        assert_int_equal(p->run(p, runs, 8, &as, (ST_NS_PER_S + ST_NS_PER_S / 2) << tries * 2), 0);
        for (size_t i = 0; i < 7; i++)
            assert_int_equal(runs[i].result, -ETIMEDOUT);
        none_survives();
    } while (runs[7].result == -ETIMEDOUT && ++tries < 3);
    assert_int_equal(runs[7].result, 0); /* the hung ones did not take its time */
}

static void a_flood_ends_at_the_buffer(void **state)
{
    char buf[BYTES];
    assert_int_equal(shell("while :; do echo flood; done", buf, sizeof(buf), LONG_NS, NULL),
                     -EFBIG);
    assert_int_equal(strlen(buf), BYTES - 1);
    /* exactly full is no flood */
    assert_int_equal(shell("printf 0123456", buf, 8, LONG_NS, NULL), 0);
    assert_string_equal(buf, "0123456");
    assert_int_equal(shell("printf 01234567", buf, 8, LONG_NS, NULL), -EFBIG);
    none_survives();
}

static void it_gets_nothing_of_this_process(void **state)
{
    char buf[BYTES];
    /* as a shell leaves descriptors open */
    const int leaked = open("/dev/zero", O_RDONLY);
    assert_true(leaked >= 0);
    assert_int_equal(dup2(leaked, 40), 40);
    assert_int_equal(setenv("SECRET", "told", 1), 0);
    assert_int_equal(shell("(: <&40) 2>/dev/null && echo leaked; echo $SECRET$SAID; pwd; cat; trap",
                           buf, sizeof(buf), LONG_NS, NULL),
                     0);
    assert_string_equal(buf, "here\n/\n");
    close(40);
    close(leaked);
    no_child();
}

static void a_user_without_rights_stays_one(void **state)
{
    struct st_platform *p = st_platform_native();
    char buf[BYTES];
    const struct st_run_as as = {.env = env, .switch_user = true, .uid = 65534, .gid = 65534};
    const char *const argv[] = {"sh", "-c", "id -u; id -g; id -G", NULL};
    struct st_run run = {.argv = argv, .buf = buf, .buf_bytes = BYTES};
    assert_int_equal(p->run(p, &run, 1, &as, LONG_NS), 0);
    if (geteuid() == 0) {
        assert_int_equal(run.result, 0);
        assert_string_equal(buf, "65534\n65534\n65534\n");
    } else {
        assert_int_equal(run.result, -EIO); /* not run at all rather than with other rights */
        assert_string_equal(buf, "");
    }
    no_child();
}

static void it_works_where_sigchld_is_ignored(void **state)
{
    char buf[BYTES];
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    assert_int_equal(shell("echo told", buf, sizeof(buf), LONG_NS, NULL), 0);
    assert_string_equal(buf, "told\n");
    signal(SIGCHLD, before);
}

static void it_has_the_usual_signals(void **state)
{
    char buf[BYTES];
    int status;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    assert_int_equal(shell("kill -PIPE $$", buf, sizeof(buf), LONG_NS, &status), -EIO);
    assert_int_equal(status, 128 + SIGPIPE);
    signal(SIGPIPE, before);
}

static void too_many_are_refused(void **state)
{
    struct st_platform *p = st_platform_native();
    const struct st_run_as as = {.env = env};
    struct st_run runs[17] = {0};
    assert_int_equal(p->run(p, runs, 17, &as, LONG_NS), -EINVAL);
}

int main(int argc, char **argv)
{
    static char path[4096];
    if (argc > 1)
        return strcmp(argv[1], "take-terminal") == 0   ? take_terminal()
               : strcmp(argv[1], "hide") == 0          ? hide(false)
               : strcmp(argv[1], "hide-and-hang") == 0 ? hide(true)
                                                       : show_limits();
    if (st_platform_native()->program_path(st_platform_native(), path, sizeof(path)) != 0)
        return 1;
    self = path;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_and_status_are_told),
        cmocka_unit_test(a_missing_program_is_told),
        cmocka_unit_test(a_hung_one_is_killed_with_its_children),
        cmocka_unit_test(all_share_one_limit),
        cmocka_unit_test(it_cannot_reach_the_terminal),
        cmocka_unit_test(what_it_hides_is_killed),
        cmocka_unit_test(children_from_before_are_left_alone),
        cmocka_unit_test(it_gets_no_limit_that_harms),
        cmocka_unit_test(a_flood_ends_at_the_buffer),
        cmocka_unit_test(it_gets_nothing_of_this_process),
        cmocka_unit_test(a_user_without_rights_stays_one),
        cmocka_unit_test(it_works_where_sigchld_is_ignored),
        cmocka_unit_test(it_has_the_usual_signals),
        cmocka_unit_test(too_many_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
