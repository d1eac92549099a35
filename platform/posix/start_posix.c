/* Starts programs: all those that sleeptune runs for their output (run_posix.c, xrun_program.c).
 *
 * A program may run code of the user it runs as: PipeWire's clients start what the user's
 * configuration names, and JACK's map files that the user writes. Root queries a user's servers by
 * such programs, so they get nothing of root's that would help that user: no terminal (a session of
 * its own), no descriptor, no environment, no real-time limit. None of their instructions runs as
 * root, with one exception: a helper program that sleeptuned starts begins as root, with root's
 * environment, and becomes that user in its own code (helper_line.c) before it talks to a server.
 *
 * Other code that starts processes: measure/stress.c, cli/tune/tune_supervisor.c and
 * process_posix.c fork without exec; child_env.c runs the shell for a constant line of `apply`;
 * cli/cmd_status.c shows a page in the user's browser; lab/posix/time_program.c measures how long
 * posix_spawn takes, on programs that the user names; cli/cmd_lab.c becomes another program of
 * sleeptune. */
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/posix/posix.h"

#define STARTED_MAX 32
/* exit status after a failed execve, as in a shell; 127 is the loader's for a missing library */
#define EXEC_FAILED 126
/* tries, 1 ms apart, to kill processes that a program hid: these may start more meanwhile */
#define REST_NAPS 1000

static pid_t started[STARTED_MAX]; /* programs that are not reaped yet; 0: a free entry */

/* --- in the child: system calls only --- */

/* Sets SCHED_BATCH (on FreeBSD SCHED_OTHER), whatever the policy was before. By syscall() on Linux,
 * since musl's functions for this always fail. */
static void become_normal(void)
{
    const struct sched_param normal = {.sched_priority = 0};
#ifdef __linux__
    (void)syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &normal);
#else
    if (sched_getscheduler(0) != SCHED_OTHER)
        (void)sched_setscheduler(0, SCHED_OTHER, &normal);
#endif
}

/** Forbids core files and real-time priority and limits locked memory, whatever this process has
 * itself, by hard limits that the program cannot raise again. @param plays the real-time priority
 * and the limit of locked memory stay: the program plays sound. */
static void become_harmless(bool plays)
{
    const struct rlimit none = {0, 0}, little = {ST_RUN_LOCKED_BYTES, ST_RUN_LOCKED_BYTES};
    struct rlimit now;
    (void)setrlimit(RLIMIT_CORE, &none);
    if (!plays && getrlimit(RLIMIT_MEMLOCK, &now) == 0 &&
        (now.rlim_max == RLIM_INFINITY || now.rlim_max > ST_RUN_LOCKED_BYTES))
        (void)setrlimit(RLIMIT_MEMLOCK, &little);
#ifdef RLIMIT_RTPRIO
    if (!plays)
        (void)setrlimit(RLIMIT_RTPRIO, &none);
#endif
#ifdef RLIMIT_MSGQUEUE
    /* st_posix_reap_rest finds descendants of the program by this limit */
    (void)setrlimit(RLIMIT_MSGQUEUE, &none);
#endif
    if (!plays)
        become_normal();
}

/** Gives all signals their default action and unblocks them, since a handler of the parent would
 * run in memory that may still be the parent's. */
static int default_signals(void)
{
    const struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int number = 1; number < NSIG; number++) {
#ifdef __FreeBSD__ /* not sigaction(), since libthr notes handlers in memory */
        (void)syscall(SYS_sigaction, number, &action, NULL);
#else
        (void)sigaction(number, &action, NULL);
#endif
    }
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL);
}

/** Turns the child into the program. @return the errno value of what failed. */
static int become(const char *path, const char *const *argv, const struct st_run_as *as, int in,
                  int out)
{
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || setsid() < 0 || dup2(in >= 0 ? in : nothing, STDIN_FILENO) < 0 ||
        dup2(out, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0 || chdir("/") != 0 ||
        default_signals() != 0)
        return errno;
    become_harmless(as->plays && !as->switch_user);
    if (as->switch_user &&
        (setgroups(1, &as->gid) != 0 || setgid(as->gid) != 0 || setuid(as->uid) != 0))
        return errno;
    if (as->switch_user && setuid(0) == 0)
        return EPERM;
    /* kill the program with this process only if its input is no pipe: at the end of a pipe it ends
     * by itself */
    st_posix_child_alone(in < 0, as->switch_user);
    (void)execve(path, (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)as->env);
    return errno;
}

/* --- in the parent process --- */

static pid_t *place_of(pid_t pid)
{
    size_t i = 0;
    while (i < STARTED_MAX && started[i] != pid)
        i++;
    return i < STARTED_MAX ? &started[i] : NULL;
}

int st_posix_start(const char *path, const char *const *argv, const struct st_run_as *as, int in,
                   int out, pid_t *ret)
{
    sigset_t all, before;
    volatile int error = 0; /* written by the child after vfork, which shares memory */
    pid_t *place = place_of(0);
    if (place == NULL)
        return -EAGAIN;
    st_posix_reap_begin();
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    /* fork write-protects all pages of a locked process: the cycle loop would take a page fault on
     * each one that it writes next. vfork shares the memory and holds up this thread alone. But a
     * child that becomes another user must not share it: that user could stop the child before
     * execve, and this thread with it. So root forks for another user's servers: `check` and `tune`
     * before their loop runs; sleeptuned never. */
    const pid_t pid = as->switch_user ? fork() : vfork();
    if (pid == 0) {
        error = become(path, argv, as, in, out);
        _exit(EXEC_FAILED);
    }
    if (pid < 0)
        error = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        if (pid > 0)
            (void)waitpid(pid, NULL, 0);
        return -error;
    }
    *place = *ret = pid;
    return 0;
}

bool st_posix_start_ended(pid_t pid, int *ret_status)
{
    const pid_t ended = waitpid(pid, ret_status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return false;
    if (ended < 0) /* a process that ignores SIGCHLD does not learn how its children ended */
        *ret_status = 0;
    pid_t *place = place_of(pid);
    if (place != NULL)
        *place = 0;
    return true;
}

bool st_posix_start_is_ours(pid_t pid)
{
    return place_of(pid) != NULL;
}

void st_posix_start_clean(void)
{
    for (int naps = 0; st_posix_reap_rest() && naps < REST_NAPS; naps++)
        (void)poll(NULL, 0, 1);
}
