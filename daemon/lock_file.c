/* Locks a file with flock. The kernel releases the lock when the process ends. */
#include "daemon/lock_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/text.h"
#include "platform/posix/posix.h"

#define PATH_BYTES 4096
/* attempts, since another process may remove the file between open and flock */
#define TRIES 10

static bool make_path(const char *path, char buf[PATH_BYTES])
{
    const int n = snprintf(buf, PATH_BYTES, "%s.lock", path);
    return n > 0 && n < PATH_BYTES;
}

/* Is the open file still the one at this path? */
static bool is_at_path(int fd, const char *path)
{
    struct stat open_one, there;
    return fstat(fd, &open_one) == 0 && lstat(path, &there) == 0 &&
           open_one.st_dev == there.st_dev && open_one.st_ino == there.st_ino;
}

/* Checks that a lock file is safe to overwrite: it must belong to this process's user or to the
 * owner of its folder, and have no second hard link. A file with 0 links is accepted: the previous
 * holder of the lock has just removed it. */
static int look(int fd, const char *path)
{
    struct stat file, folder;
    const char *slash = strrchr(path, '/');
    const char *dir = slash != NULL ? st_text("%.*s/", (int)(slash - path), path) : ".";
    if (fstat(fd, &file) != 0 || stat(dir, &folder) != 0)
        return -errno;
    if (!S_ISREG(file.st_mode) || file.st_nlink > 1)
        return -EINVAL;
    return file.st_uid == geteuid() || file.st_uid == folder.st_uid ? 0 : -EPERM;
}

/* Opens the lock file, or creates it, and locks it. @return a locked descriptor; -EBUSY: *ret_pid
 * is the process that holds the lock; or another error. */
static int open_and_lock(const char *path, long *ret_pid)
{
    char text[32] = "";
    const int fd =
        st_posix_opened(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (fd < 0)
        return fd;
    int r = look(fd, path);
    if (r == 0 && flock(fd, LOCK_EX | LOCK_NB) != 0)
        r = errno == EWOULDBLOCK ? -EBUSY : -errno;
    const ssize_t len = pread(fd, text, sizeof(text) - 1, 0);
    *ret_pid = len > 0 ? strtol(text, NULL, 10) : 0;
    if (r == -EBUSY && (*ret_pid <= 0 || (kill((pid_t)*ret_pid, 0) != 0 && errno != EPERM)))
        *ret_pid = 0; /* the file names a process that has ended, so the holder is not known */
    if (r < 0)
        close(fd);
    return r < 0 ? r : fd;
}

int st_lock_file_take(const char *path, int *fd, long *ret_pid)
{
    char lock_path[PATH_BYTES], pid[32];
    *ret_pid = 0;
    if (!make_path(path, lock_path))
        return -ENAMETOOLONG;
    if (*fd >= 0 && is_at_path(*fd, lock_path))
        return 0;
    if (*fd >= 0)
        close(*fd); /* the lock file was removed, so another process could lock a new one: take it
                       again */
    *fd = -1;
    int r = -EBUSY;
    for (int i = 0; i < TRIES; i++) {
        r = open_and_lock(lock_path, ret_pid);
        if (r < 0 || is_at_path(r, lock_path))
            break;
        close(r);
        r = -EBUSY;
    }
    if (r < 0)
        return r;
    const int len = ST_PRINT(pid, "%ld\n", (long)getpid());
    if (ftruncate(r, 0) != 0 || pwrite(r, pid, (size_t)len, 0) != len) {
        const int error = -errno;
        close(r);
        return error;
    }
    *fd = r;
    return 0;
}

void st_lock_file_release(const char *path, int *fd)
{
    char lock_path[PATH_BYTES];
    if (*fd < 0)
        return;
    if (make_path(path, lock_path) && is_at_path(*fd, lock_path))
        (void)unlink(lock_path); /* before the release, while no other process can hold its lock */
    close(*fd);
    *fd = -1;
}
