/* Runs a program to its end and measures its time from outside. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ns.h"
#include "lab/posix/lab_posix.h"
#include "platform/child_env.h"

static int64_t timeval_ns(const struct timeval *tv)
{
    struct timespec time;
    TIMEVAL_TO_TIMESPEC(tv, &time);
    return st_ns_from_timespec(&time);
}

/* Starts a program. No signal is blocked in it, even if some are blocked in this process. */
static int spawn(const char *path, char *const argv[], char *const env[], pid_t *ret)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none;
    int r = posix_spawn_file_actions_init(&files);
    if (r != 0)
        return -r;
    r = posix_spawnattr_init(&attr);
    if (r != 0) {
        posix_spawn_file_actions_destroy(&files);
        return -r;
    }
    sigemptyset(&none);
    r = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (r == 0)
        r = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (r == 0)
        r = posix_spawnattr_setsigmask(&attr, &none);
    if (r == 0)
        r = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    if (r == 0)
        r = posix_spawn(ret, path, &files, &attr, argv, env);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return -r;
}

/* running: the process id of the program that runs; 0: none. early: a signal that came before the
 * program ran; 0: none. Outside of signal handlers, both change only while the signals are blocked
 * whose handlers use them. */
static volatile sig_atomic_t running, early;

void st_lab_posix_signal_program(ST_UNUSED struct st_lab *lab, int signal_number)
{
    const int error = errno;
    if (running > 0)
        (void)kill((pid_t)running, signal_number);
    else
        early = signal_number;
    errno = error;
}

/* Blocks the signals whose handlers may call st_lab_posix_signal_program. @param ret_before the
 * signal mask to restore. */
static void hold(sigset_t *ret_before)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &held, ret_before);
}

/* Waits for the end of the program. The program stays a zombie, so that no other process gets its
 * process id, until the signal handlers no longer use the id.
 * @return its exit status, or 128 + the signal that ended it, or a negative errno value. */
static int wait_for_end(pid_t child, int64_t *ret_end_ns, struct st_platform *platform,
                        struct rusage *ret_usage)
{
    siginfo_t info;
    sigset_t before;
    int status = 0;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) != 0) {
        if (errno != EINTR)
            break;
    }
    *ret_end_ns = st_platform_now_ns(platform);
    hold(&before);
    running = early = 0;
    const pid_t waited = wait4(child, &status, 0, ret_usage);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (waited < 0)
        return -error;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int time_path(struct st_platform *platform, const char *path, char *const argv[],
                     char *const env[], struct st_program_time *ret)
{
    struct rusage usage;
    sigset_t before;
    pid_t child;
    int64_t end_ns;
    hold(&before);
    const int64_t begin_ns = st_platform_now_ns(platform);
    const int r = spawn(path, argv, env, &child);
    if (r == 0) {
        running = child;
        if (early != 0)
            (void)kill(child, (int)early);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (r != 0)
        return r;
    const int status = wait_for_end(child, &end_ns, platform, &usage);
    if (status < 0)
        return status;
    *ret = (struct st_program_time){
        .wall_ns = end_ns - begin_ns,
        .user_ns = timeval_ns(&usage.ru_utime),
        .system_ns = timeval_ns(&usage.ru_stime),
        .status = status,
    };
    return 0;
}

int st_lab_posix_time_program(struct st_lab *lab, char *const argv[], struct st_program_time *ret)
{
    char path[PATH_MAX];
    struct st_child_env env;
    int r = st_child_env_open(&env, geteuid(), NULL);
    if (r == 0)
        r = st_child_env_find((const char *const *)env.vars, argv[0], path, sizeof(path));
    if (r == 0)
        r = time_path(lab->platform, path, argv, env.vars, ret);
    st_child_env_close(&env);
    return r;
}
