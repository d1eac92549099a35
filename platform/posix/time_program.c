/* Running a program to its end, timed from outside. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/ns.h"
#include "platform/posix/posix.h"

static int64_t timeval_ns(const struct timeval *tv)
{
    return (int64_t)tv->tv_sec * ST_NS_PER_S + (int64_t)tv->tv_usec * ST_NS_PER_US;
}

#ifdef __FreeBSD__
extern char **environ; /* no header has it there */
#endif

/* No signal is blocked in it, whatever is here. */
static int spawn(char *const argv[], pid_t *ret)
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
        r = posix_spawnp(ret, argv[0], &files, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return -r;
}

int st_posix_time_program(struct st_platform *p, char *const argv[], struct st_program_time *ret)
{
    struct rusage usage;
    pid_t child;
    int status;
    const int64_t begin_ns = p->now_ns(p);
    const int r = spawn(argv, &child);
    if (r != 0)
        return r;
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) /* Ctrl-C went to the program too */
            return -errno;
    }
    *ret = (struct st_program_time){
        .wall_ns = p->now_ns(p) - begin_ns,
        .cpu_ns = timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime),
        .status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
    };
    return 0;
}
