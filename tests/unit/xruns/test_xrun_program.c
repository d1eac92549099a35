/* A source of xruns that is a helper program: real programs, which are shell scripts, well-behaved
 * and not. Real clock: the programs are real, and end or hang by themselves. */
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/platform.h"
#include "st_config.h"
#include "tests/unit/cannot.h"
#include "tests/unit/unit.h"
#include "xruns/xrun.h"

#define SCRIPT "sleeptune-observe-test"

static const struct st_xrun_source source = {.name = "test",
                                             .summary = "a script",
                                             .poll_ns = 4 * ST_NS_PER_S,
                                             .ops = &st_xrun_program_ops,
                                             .program = SCRIPT,
                                             .server_env = "TEST_SERVER"};
static char folder[] = "/tmp/sleeptune-xrun-XXXXXX";
static char path[64];
static struct st_xrun_watch watch;
static struct st_xrun_seen last;
static int64_t seen_n;

static int setup_folder(void **state)
{
    if (mkdtemp(folder) == NULL)
        return 1;
    ST_PRINT(path, "%s/" SCRIPT, folder);
    return setenv("SLEEPTUNE_OBSERVE_DIR", folder, 1);
}

static int teardown_folder(void **state)
{
    (void)unlink(path);
    return rmdir(folder);
}

static void on_seen(void *ctx, const struct st_xrun_seen *seen)
{
    last = *seen;
    seen_n += seen->event.count_n;
}

/* `exec` keeps it one process, whose end is the end of its output. */
static int open_script(const char *body, const char *server)
{
    struct st_xrun_setting setting = {{0}};
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return -errno;
    fprintf(file, "#!/bin/sh\n%s\n", body);
    if (fclose(file) != 0 || chmod(path, 0755) != 0)
        return -errno;
    seen_n = 0;
    ST_PRINT(setting.server, "%s", server);
    return st_xrun_open(&watch, st_platform_native(), &source, &setting, on_seen, NULL);
}

/** Polls whenever there is something to read, until poll says something else than `until_not`, or
 * `n` xruns were seen. Waits as long as it takes: the test's own time limit ends it. */
static int poll_until(int until_not, int64_t n)
{
    int r = until_not;
    while (r == until_not && (n == 0 || seen_n < n)) {
        struct pollfd fd = {.fd = watch.fd, .events = POLLIN};
        assert_int_equal(poll(&fd, 1, -1), 1);
        r = source.ops->poll(&watch);
    }
    return r;
}

static void lines_become_sightings(void **state)
{
    assert_int_equal(
        open_script("echo ready JACK server default\n"
                    "echo alive late=5\n"
                    "printf 'client-dropout certainty=exact '\nsleep 0.1\n" /* in two pieces */
                    "echo count_n=2 device=system client=a%20b\n"
                    "exec cat >/dev/null",
                    ""),
        0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    assert_string_equal(watch.why, "JACK server default");
    assert_int_equal(poll_until(0, 2), 0);
    assert_int_equal(last.event.kind, ST_EVENT_CLIENT_DROPOUT);
    assert_int_equal(last.event.count_n, 2);
    assert_string_equal(last.event.client, "a b");
    assert_int_equal(watch.silent_ns, 5);
    st_xrun_close(&watch);
}

static void program_learns_the_version_of_what_started_it(void **state)
{
    assert_int_equal(open_script("echo ready \"$*\"; exec cat", ""), 0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    assert_string_equal(watch.why, "-V" ST_VERSION);
    st_xrun_close(&watch);
}

static void server_is_told_by_its_variable(void **state)
{
    assert_int_equal(open_script("echo ready to \"$2\" ${HOME:+home}; exec cat", "unix:/a b"), 0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    assert_string_equal(
        watch.why,
        "to -eTEST_SERVER=unix:/a b home"); /* root's is not that of the environment: child_env.h */
    st_xrun_close(&watch);
}

static void absent_server_is_said_and_not_an_error_of_the_program(void **state)
{
    assert_int_equal(open_script("echo absent facts=1 no JACK server runs; exit 1", ""), 0);
    assert_int_equal(poll_until(-EAGAIN, 0), -ENOENT);
    assert_string_equal(watch.why, "no JACK server runs");
    assert_int_equal(watch.facts, ST_XRUN_FACT_NOT_RUNNING);
    st_xrun_close(&watch);
}

static void server_that_ends_is_not_watched_any_more_from_the_line_on_that_says_so(void **state)
{
    assert_int_equal(open_script("echo ready JACK server default\n"
                                 "while [ -e \"$0\" ]; do sleep 0.01; done\n"
                                 "echo absent JACK server default has ended\nexit 2",
                                 ""),
                     0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    assert_int_equal(unlink(path), 0); /* go on */
    assert_int_equal(poll_until(0, 0), -EAGAIN);
    assert_string_equal(watch.why, "JACK server default has ended");
    assert_int_equal(poll_until(-EAGAIN, 0), -ENOENT);
    st_xrun_close(&watch);
}

static void program_that_dies_says_how(void **state)
{
    assert_int_equal(open_script("exit 7", ""), 0);
    assert_int_equal(poll_until(-EAGAIN, 0), -EPIPE);
    assert_string_equal(watch.why, "the helper program " SCRIPT " ended with exit status 7");
    st_xrun_close(&watch);
    assert_int_equal(open_script("echo ready; kill -SEGV $$", ""), 0);
    assert_int_equal(poll_until(-EAGAIN, 0), -EBADMSG); /* ready without a text */
    st_xrun_close(&watch);
    assert_int_equal(open_script("kill -KILL $$", ""), 0);
    assert_int_equal(poll_until(-EAGAIN, 0), -EPIPE);
    assert_string_equal(watch.why, "signal 9 ended the helper program " SCRIPT);
    st_xrun_close(&watch);
}

static void rubbish_ends_it_and_is_quoted(void **state)
{
    assert_int_equal(open_script("printf 'ready x\\nSegm\\033entation\\n'; exec cat", ""), 0);
    int r = poll_until(-EAGAIN, 0);
    if (r == 0)
        r = poll_until(0, 0);
    assert_int_equal(r, -EBADMSG);
    assert_string_equal(watch.why,
                        "the helper program " SCRIPT
                        " printed a line that sleeptuned does not know: \"Segm?entation\"");
    st_xrun_close(&watch);
}

static void endless_line_ends_it(void **state)
{
    assert_int_equal(
        open_script(
            "while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", ""),
        0);
    assert_int_equal(poll_until(-EAGAIN, 0), -EBADMSG);
    assert_string_equal(watch.why, "the helper program " SCRIPT " printed a line that is too long");
    st_xrun_close(&watch);
}

static void flood_is_taken_in_bites(void **state)
{
    assert_int_equal(open_script("echo ready x\n"
                                 "line='device-dropout count_n=1 certainty=exact "
                                 "device=dddddddddddddddddddddddddddddd'\n"
                                 "lines=\"$line\n$line\n$line\n$line\"\n"
                                 "while :; do echo \"$lines\"; done",
                                 ""),
                     0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    while (seen_n < 2000) {
        const int64_t before_n = seen_n;
        struct pollfd fd = {.fd = watch.fd, .events = POLLIN};
        assert_int_equal(poll(&fd, 1, -1), 1);
        assert_int_equal(source.ops->poll(&watch), 0);
        assert_true(seen_n - before_n <= 16 * 1024 / 60);
    }
    st_xrun_close(&watch);
}

static void silent_program_is_taken_for_hung_after_ten_looks(void **state)
{
    assert_int_equal(open_script("exec sleep 1000", ""), 0);
    for (int i = 0; i < 9; i++)
        assert_int_equal(source.ops->poll(&watch), -EAGAIN);
    assert_int_equal(source.ops->poll(&watch), -ETIMEDOUT);
    assert_string_equal(watch.why,
                        "the helper program " SCRIPT " hangs: it printed nothing for 40 s");
    assert_int_equal(watch.silent_ns, 36 * ST_NS_PER_S); /* the looks that seemed to go well */
    st_xrun_close(&watch);
}

static void one_that_sees_nothing_is_looked_at_more_rarely(void **state)
{
    char go[80];
    ST_PRINT(go, "%s.go", path);
    assert_int_equal(
        open_script("echo ready as it is\nuntil [ -e \"$0.go\" ]; do sleep 0.05; done\n"
                    "echo device-dropout count_n=1 certainty=exact device=d\nexec cat",
                    ""),
        0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    for (int i = 0; i < 5; i++) { /* 24 s */
        assert_int_equal(watch.poll_ns, 0);
        assert_int_equal(source.ops->poll(&watch), 0);
    }
    assert_int_equal(watch.poll_ns, 20 * ST_NS_PER_S);
    fclose(fopen(go, "w"));
    assert_int_equal(poll_until(0, 1), 0);
    assert_int_equal(unlink(go), 0);
    assert_int_equal(watch.poll_ns, 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(source.ops->poll(&watch), 0);
    assert_int_equal(watch.poll_ns, 0);
    assert_int_equal(source.ops->poll(&watch), 0);
    assert_int_equal(watch.poll_ns, 20 * ST_NS_PER_S);
    assert_int_equal(source.ops->poll(&watch), 0); /* a line is due each 20 s */
    assert_int_equal(source.ops->poll(&watch), -ETIMEDOUT);
    st_xrun_close(&watch);
}

static void one_that_is_stopped_is_noticed_at_the_next_look(void **state)
{
    siginfo_t info;
    assert_int_equal(open_script("echo ready $$; read line; exec cat", ""), 0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    assert_int_equal(source.ops->poll(&watch), 0);
    const pid_t pid = (pid_t)strtol(watch.why, NULL, 10);
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT), 0);
    assert_int_equal(source.ops->poll(&watch), -EPIPE);
    assert_string_equal(watch.why, "the helper program " SCRIPT " was stopped (SIGSTOP)");
    assert_int_equal(watch.silent_ns, 0);
    st_xrun_close(&watch);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
    /* one that goes on meanwhile is as before */
    assert_int_equal(open_script("echo ready $$; kill -STOP $$; read line; exec cat", ""), 0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    const pid_t again = (pid_t)strtol(watch.why, NULL, 10);
    assert_int_equal(waitid(P_PID, (id_t)again, &info, WSTOPPED | WNOWAIT), 0);
    assert_int_equal(kill(again, SIGCONT), 0);
    assert_int_equal(waitid(P_PID, (id_t)again, &info, WCONTINUED | WNOWAIT), 0);
    assert_int_equal(source.ops->poll(&watch), 0);
    st_xrun_close(&watch);
}

/* --- what it gets, and what is left of it --- */

static void it_has_a_session_of_its_own_and_gains_no_rights(void **state)
{
    assert_int_equal(
        open_script(
            "echo ready $# $(cut -d' ' -f6 /proc/$$/stat 2>/dev/null || ps -o sid= -p $$) $$ $PWD "
            "$(sed -n 's/^NoNewPrivs:.//p' /proc/self/status 2>/dev/null)\nexec cat",
            ""),
        0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    char wanted[128];
    int sid, pid, n = 0;
    assert_int_equal(sscanf(watch.why, "1 %d %d%n", &sid, &pid, &n), 2);
    assert_int_equal(sid, pid);
    ST_PRINT(wanted, " /%s", st_platform_native()->os == ST_OS_LINUX ? " 1" : "");
    assert_string_equal(watch.why + n, wanted);
    st_xrun_close(&watch);
}

/** This program, started again: stays in another session. */
static int leave(void)
{
    const pid_t pid = fork();
    if (pid != 0)
        return pid < 0;
    printf("%d\n", (int)getpid());
    fflush(stdout);
    close(STDOUT_FILENO);
    (void)signal(SIGTERM, SIG_IGN);
    if (setsid() < 0)
        return 1;
    for (;;)
        (void)pause();
}

static void what_leaves_its_group_is_killed(void **state)
{
    static struct st_xrun_watch other;
    assert_int_equal(open_script("echo ready stays; exec cat", ""), 0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    other = watch;
    char body[4300], self[4096];
    assert_int_equal(st_platform_native()->program_path(st_platform_native(), self, sizeof(self)),
                     0);
    ST_PRINT(body, "echo ready $('%s' leave); exec cat", self);
    assert_int_equal(open_script(body, ""), 0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    const pid_t hidden = (pid_t)strtol(watch.why, NULL, 10);
    assert_true(hidden > 1 && kill(hidden, 0) == 0);
    st_xrun_close(&watch);
    assert_int_equal(kill(hidden, 0), -1);
    assert_int_equal(errno, ESRCH);
    assert_int_equal(source.ops->poll(&other), 0); /* another one is no rest */
    st_xrun_close(&other);
}

/* As libpulse starts PulseAudio, and ALSA the server of dmix: two forks and a session of its
 * own. */
static pid_t start_a_server(void)
{
    int ends[2], status;
    pid_t server = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t middle = fork();
    assert_true(middle >= 0);
    if (middle == 0) {
        if (fork() != 0)
            _exit(0);
        server = setsid();
        (void)!write(ends[1], &server, sizeof(server));
        close(ends[1]);
        for (;;)
            (void)pause();
    }
    assert_int_equal(waitpid(middle, &status, 0), middle);
    assert_int_equal(read(ends[0], &server, sizeof(server)), sizeof(server));
    close(ends[0]);
    close(ends[1]);
    return server;
}

static void what_a_library_started_is_left_alone(void **state)
{
    struct rlimit core;
    assert_int_equal(getrlimit(RLIMIT_CORE, &core), 0);
    assert_int_equal(open_script("echo ready it; exec cat", ""), 0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    const pid_t server = start_a_server();
    st_xrun_close(&watch);
    const bool lives = kill(server, 0) == 0;
    (void)kill(server, SIGKILL);
    (void)waitpid(server, NULL, 0);
    if (st_platform_native()->os != ST_OS_LINUX && core.rlim_max == 0)
        ST_CANNOT("FreeBSD cannot tell it then");
    assert_true(lives);
}

static void root_is_gone_before_it_runs(void **state)
{
    const struct st_xrun_setting setting = {.user = 65534};
    assert_int_equal(open_script("echo ready $(id -u) $(id -g) $(id -G) $#; exec cat", ""), 0);
    st_xrun_close(&watch);
    if (geteuid() != 0 || getpwuid(65534) == NULL)
        ST_CANNOT("only root becomes another user");
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(st_xrun_open(&watch, st_platform_native(), &source, &setting, on_seen, NULL),
                     0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    assert_string_equal(watch.why, "65534 65534 65534 1");
    st_xrun_close(&watch);
}

/* Shared pages that a fork write-protects are copied at the next write. */
static void it_costs_this_process_no_page_fault(void **state)
{
    enum { PAGE = 4096, PAGES = 512 };
    static char pages[PAGES * PAGE];
    struct rusage before, after;
    memset(pages, 1, sizeof(pages));
    assert_int_equal(open_script("echo ready; exec cat", ""), 0);
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    memset(pages, 2, sizeof(pages));
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(after.ru_minflt - before.ru_minflt < PAGES / 2);
    st_xrun_close(&watch);
}

static void program_that_ignores_its_end_is_killed(void **state)
{
    assert_int_equal(open_script("trap '' TERM\necho ready $$\nwhile :; do sleep 0.05; done", ""),
                     0);
    assert_int_equal(poll_until(-EAGAIN, 0), 0);
    const pid_t pid = (pid_t)strtol(watch.why, NULL, 10);
    assert_true(pid > 1 && kill(pid, 0) == 0);
    st_xrun_close(&watch);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

static void missing_program_is_not_installed(void **state)
{
    (void)unlink(path);
    const struct st_xrun_setting setting = {{0}};
    assert_int_equal(st_xrun_open(&watch, st_platform_native(), &source, &setting, on_seen, NULL),
                     -ENOENT);
    assert_string_equal(watch.why, SCRIPT " is not installed");
}

static void absent_source_says_why(void **state)
{
    static const struct st_xrun_source absent =
        ST_XRUN_ABSENT("other", "Other", "only others have it");
    const struct st_xrun_setting setting = {{0}};
    assert_int_equal(st_xrun_open(&watch, st_platform_native(), &absent, &setting, on_seen, NULL),
                     -ENOTSUP);
    assert_string_equal(watch.why, "only others have it");
}

static void every_source_of_this_system_has_its_texts(void **state)
{
    const struct st_xrun_source *row;
    size_t n = 0;
    for (; (row = st_xrun_sources[n]) != NULL; n++) {
        assert_true(row->name[0] != '\0' && row->summary[0] != '\0');
        assert_true(row->ops == NULL || row->poll_ns >= 100 * ST_NS_PER_MS);
    }
    assert_true(n >= 4);
}

int main(int argc, ST_UNUSED char **argv)
{
    if (argc > 1)
        return leave();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_sightings),
        cmocka_unit_test(program_learns_the_version_of_what_started_it),
        cmocka_unit_test(server_is_told_by_its_variable),
        cmocka_unit_test(absent_server_is_said_and_not_an_error_of_the_program),
        cmocka_unit_test(server_that_ends_is_not_watched_any_more_from_the_line_on_that_says_so),
        cmocka_unit_test(program_that_dies_says_how),
        cmocka_unit_test(rubbish_ends_it_and_is_quoted),
        cmocka_unit_test(endless_line_ends_it),
        cmocka_unit_test(flood_is_taken_in_bites),
        cmocka_unit_test(silent_program_is_taken_for_hung_after_ten_looks),
        cmocka_unit_test(one_that_sees_nothing_is_looked_at_more_rarely),
        cmocka_unit_test(one_that_is_stopped_is_noticed_at_the_next_look),
        cmocka_unit_test(it_has_a_session_of_its_own_and_gains_no_rights),
        cmocka_unit_test(what_leaves_its_group_is_killed),
        cmocka_unit_test(what_a_library_started_is_left_alone),
        cmocka_unit_test(root_is_gone_before_it_runs),
        cmocka_unit_test(it_costs_this_process_no_page_fault),
        cmocka_unit_test(program_that_ignores_its_end_is_killed),
        cmocka_unit_test(missing_program_is_not_installed),
        cmocka_unit_test(absent_source_says_why),
        cmocka_unit_test(every_source_of_this_system_has_its_texts),
    };
    return cmocka_run_group_tests(tests, setup_folder, teardown_folder);
}
