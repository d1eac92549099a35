/* The lock beside a history. SQLite's own locks let two writers take turns. */
#include "daemon/history/history_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES_MAX 10 /* the file can be removed between open and lock, by a daemon that ends */

static bool make_path(const char *path, char *buf, size_t buf_bytes)
{
    const int n = snprintf(buf, buf_bytes, "%s.lock", path);
    return n > 0 && (size_t)n < buf_bytes;
}

static int open_lock(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    return fd < 0 && (errno == EACCES || errno == EROFS || errno == EPERM)
               ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
               : fd;
}

static bool is_file(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* Is the file that is open the one at the path? */
static bool is_at_path(int fd, const char *path)
{
    struct stat open_one, there;
    return fstat(fd, &open_one) == 0 && lstat(path, &there) == 0 && open_one.st_dev == there.st_dev &&
           open_one.st_ino == there.st_ino;
}

static void say_who(int fd, char *error, size_t error_bytes)
{
    char text[32] = "";
    const ssize_t len = pread(fd, text, sizeof(text) - 1, 0);
    const long pid = len > 0 ? strtol(text, NULL, 10) : 0;
    if (pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM))
        snprintf(error, error_bytes, "another sleeptuned (process %ld) writes it", pid);
    else
        snprintf(error, error_bytes, "another process uses its lock file");
}

int st_history_lock(const char *path, int *fd, char *error, size_t error_bytes)
{
    char lock_path[4096], pid[32];
    if (!make_path(path, lock_path, sizeof(lock_path)))
        return 0;
    if (*fd >= 0 && is_at_path(*fd, lock_path))
        return 0;
    if (*fd >= 0)
        close(*fd); /* it was removed: another one can be made there */
    *fd = -1;
    for (int i = 0; i < TRIES_MAX; i++) {
        const int lock_fd = open_lock(lock_path);
        if (lock_fd < 0)
            return 0;
        if (!is_file(lock_fd)) { /* st_history_open tells; so it does of a link */
            close(lock_fd);
            return 0;
        }
        if (flock(lock_fd, LOCK_EX | LOCK_NB) != 0) {
            const int r = errno == EWOULDBLOCK ? -EBUSY : 0;
            if (r < 0)
                say_who(lock_fd, error, error_bytes);
            close(lock_fd);
            return r;
        }
        if (is_at_path(lock_fd, lock_path)) {
            const int len = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
            if (ftruncate(lock_fd, 0) == 0) /* who cannot write its name has the lock all the same */
                (void)!pwrite(lock_fd, pid, (size_t)len, 0);
            *fd = lock_fd;
            return 0;
        }
        close(lock_fd);
    }
    snprintf(error, error_bytes, "another process keeps removing its lock file");
    return -EBUSY;
}

void st_history_lock_release(const char *path, int *fd)
{
    char lock_path[4096];
    if (*fd < 0)
        return;
    if (make_path(path, lock_path, sizeof(lock_path)) && is_at_path(*fd, lock_path))
        (void)unlink(lock_path); /* before the release: no other process can hold this one */
    close(*fd);
    *fd = -1;
}
