/* Limits, and trying something in a short-lived child. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/posix/posix.h"

int64_t st_posix_limit_value(rlim_t value)
{
    if (value == RLIM_INFINITY)
        return -1;
    return (uintmax_t)value > (uintmax_t)INT64_MAX ? INT64_MAX : (int64_t)value;
}

int st_posix_try_in_child(int (*attempt)(int priority), int priority, int *ret_errno)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    const pid_t child = fork();
    if (child < 0) {
        const int r = -errno;
        close(ends[0]);
        close(ends[1]);
        return r;
    }
    if (child == 0) {
        const unsigned char result = (unsigned char)attempt(priority);
        _exit(write(ends[1], &result, 1) == 1 ? 0 : 1);
    }
    close(ends[1]);
    unsigned char result;
    ssize_t got;
    do {
        got = read(ends[0], &result, 1);
    } while (got < 0 && errno == EINTR);
    close(ends[0]);
    /* the answer came through the pipe: a process that ignores SIGCHLD gets ECHILD here */
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    if (got != 1)
        return -EIO;
    *ret_errno = result;
    return 0;
}
