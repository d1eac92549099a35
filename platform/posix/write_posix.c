/* Changing files so that a crash at any moment leaves the old or the new one. */
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif
#include <unistd.h>

#include "core/text/text.h"
#include "platform/posix/posix.h"
#include "platform/tree.h"

/* The last component of a path, and the folder it is in. */
struct place {
    int error;  /* 0, or the error of opening the folder */
    int dir_fd; /* -1: not open, and system calls on it fail */
    char name[NAME_MAX + 1];
    char temporary[NAME_MAX + 1];
};

/* Refuses a path that ends with a slash, "." or "..". */
static struct place place_open(struct st_platform *platform, const char *path)
{
    struct place place = {.error = -EINVAL, .dir_fd = -1};
    char dir[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (path[0] != '/' || slash[1] == '\0' || st_text_is(slash + 1, ".") ||
        st_text_is(slash + 1, ".."))
        return place;
    place.error = -ENAMETOOLONG;
    if (!st_text_copy(dir, sizeof(dir), path, (size_t)ST_MAX(slash - path, 1)) ||
        !st_text_copy(place.name, sizeof(place.name), slash + 1, strlen(slash + 1)) ||
        ST_PRINT(place.temporary, ST_REPLACE_PREFIX "%s" ST_REPLACE_SUFFIX, place.name) >=
            (int)sizeof(place.temporary))
        return place;
    const int fd = platform->open_path(platform, dir, O_RDONLY | O_DIRECTORY);
    place.error = ST_MIN(fd, 0);
    place.dir_fd = ST_MAX(fd, -1);
    return place;
}

/* Writes a changed folder to the disk. @param r result of the system call that changed the folder;
 * -1: that call failed, and errno says why. */
static int synced(const struct place *place, int r)
{
    if (r == 0)
        r = fsync(place->dir_fd);
    return st_posix_result(r);
}

/* Closes the folder of a place. @param r result of what was done there. @return r, or the error of
 * place_open. */
static int closed(const struct place *place, int r)
{
    if (place->error < 0)
        return place->error;
    close(place->dir_fd);
    return r;
}

/* Is the file that `place` names a regular one? @return 0, -ENOENT, -ELOOP (a link), -EISDIR,
 * -EINVAL (neither file nor folder). */
static int regular_at(const struct place *place, struct stat *ret)
{
    if (fstatat(place->dir_fd, place->name, ret, AT_SYMLINK_NOFOLLOW) != 0)
        return -errno;
    if (S_ISLNK(ret->st_mode))
        return -ELOOP;
    if (S_ISDIR(ret->st_mode))
        return -EISDIR;
    return S_ISREG(ret->st_mode) ? 0 : -EINVAL;
}

int st_posix_write_fd(int fd, const void *from, size_t bytes)
{
    const char *text = from;
    while (bytes > 0) {
        errno = EIO; /* the error if write takes no byte and reports none */
        const ssize_t n = write(fd, text, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -errno;
        text += n;
        bytes -= (size_t)n;
    }
    return 0;
}

static int clean_at(const struct place *place)
{
    return st_posix_result(unlinkat(place->dir_fd, place->temporary, 0));
}

#ifdef __linux__
/* Copies the ACL (rights of further users) and SELinux' label, which can differ within one folder
 * (/etc/default/grub). */
static int copy_attributes(int from_fd, int to_fd)
{
    static const char *const names[] = {"security.selinux", "system.posix_acl_access"};
    char value[4096];
    ST_EACH (name, names) {
        const ssize_t n = fgetxattr(from_fd, *name, value, sizeof(value));
        if (n < 0 && (errno == ENODATA || errno == ENOTSUP))
            continue;
        if (n < 0 || fsetxattr(to_fd, *name, value, (size_t)n, 0) != 0)
            return -errno;
    }
    return 0;
}
#else
static int copy_attributes(ST_UNUSED int from_fd, ST_UNUSED int to_fd)
{
    return 0;
}
#endif

/* Keeps the attributes of the old file that fchmod does not set. */
static int keep_attributes(const struct place *place, int fd)
{
    const int old_fd = st_posix_opened(
        openat(place->dir_fd, place->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (old_fd < 0)
        return old_fd;
    const int r = copy_attributes(old_fd, fd);
    close(old_fd);
    return r;
}

/* Makes the temporary file and writes it to the disk. old: the file that it will replace, or
 * NULL. */
static int make_temporary(const struct place *place, const char *text, size_t bytes, mode_t mode,
                          const struct stat *old)
{
    int r = clean_at(place);
    if (r < 0 && r != -ENOENT)
        return r;
    r = 0;
    const int fd = openat(place->dir_fd, place->temporary,
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    if (old != NULL)
        mode = old->st_mode & 07777;
    if (old != NULL && fchown(fd, old->st_uid, old->st_gid) != 0)
        r = -errno;
    if (r == 0 && fchmod(fd, mode) != 0)
        r = -errno;
    if (r == 0 && old != NULL)
        r = keep_attributes(place, fd);
    if (r == 0)
        r = st_posix_write_fd(fd, text, bytes);
    if (r == 0 && fsync(fd) != 0)
        r = -errno;
    if (close(fd) != 0 && r == 0)
        r = -errno;
    return r;
}

static int replace_at(const struct place *place, const char *text, size_t bytes, mode_t mode)
{
    struct stat old;
    int r = regular_at(place, &old);
    if (r < 0 && r != -ENOENT)
        return r;
    r = make_temporary(place, text, bytes, mode, r == 0 ? &old : NULL);
    if (r == 0 && renameat(place->dir_fd, place->temporary, place->dir_fd, place->name) == 0)
        return synced(place, 0);
    if (r == 0)
        r = -errno;
    (void)clean_at(place);
    return r;
}

int st_posix_replace_file(struct st_platform *platform, const char *path, const char *text,
                          size_t bytes, mode_t mode)
{
    const struct place place = place_open(platform, path);
    return closed(&place, replace_at(&place, text, bytes, mode));
}

int st_posix_clean_file(struct st_platform *platform, const char *path)
{
    const struct place place = place_open(platform, path);
    const int r = closed(&place, clean_at(&place));
    return r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

int st_posix_remove_file(struct st_platform *platform, const char *path)
{
    const struct place place = place_open(platform, path);
    struct stat info;
    int r = clean_at(&place);
    if (r == 0 || r == -ENOENT)
        r = regular_at(&place, &info);
    if (r == 0)
        r = synced(&place, unlinkat(place.dir_fd, place.name, 0));
    return closed(&place, r);
}

int st_posix_make_folder(struct st_platform *platform, const char *path, mode_t mode)
{
    const struct place place = place_open(platform, path);
    return closed(&place, synced(&place, mkdirat(place.dir_fd, place.name, mode)));
}

int st_posix_remove_folder(struct st_platform *platform, const char *path)
{
    const struct place place = place_open(platform, path);
    const int r = closed(&place, synced(&place, unlinkat(place.dir_fd, place.name, AT_REMOVEDIR)));
    return r == -EEXIST ? -ENOTEMPTY : r; /* POSIX allows both */
}

int st_posix_write_value(struct st_platform *platform, const char *path, const char *text)
{
    struct stat info;
    char line[1024];
    const int n = ST_PRINT(line, "%s\n", text);
    if (n < 0 || (size_t)n >= sizeof(line))
        return -E2BIG;
    /* O_TRUNC means nothing to procfs and sysfs; in a captured tree the old value may be longer */
    const int fd = platform->open_path(platform, path,
                                       O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return fd;
    int r = st_posix_result(fstat(fd, &info));
    if (r == 0 && !S_ISREG(info.st_mode))
        r = -EINVAL;
    errno = EIO; /* error of a write that takes only a part */
    if (r == 0 && write(fd, line, (size_t)n) != n)
        r = -errno;
    if (close(fd) != 0 && r == 0)
        r = -errno;
    return r;
}

static int allowed(const struct place *place, bool in_place)
{
    struct stat info;
    const int r = regular_at(place, &info);
    if (r < 0 && (in_place || r != -ENOENT))
        return r;
    if (in_place)
        return st_posix_result(faccessat(place->dir_fd, place->name, W_OK, AT_EACCESS));
    return st_posix_result(faccessat(place->dir_fd, ".", W_OK | X_OK, AT_EACCESS));
}

int st_posix_can_write(struct st_platform *platform, const char *path, bool in_place)
{
    char file[PATH_MAX];
    if (!st_text_copy(file, sizeof(file), path, strlen(path)))
        return -ENAMETOOLONG;
    struct place place = place_open(platform, file);
    /* a missing folder will be made: check the nearest folder that exists */
    while (place.error == -ENOENT && !in_place) {
        char *slash = strrchr(file, '/');
        if (slash == file)
            return -ENOENT;
        *slash = '\0';
        place = place_open(platform, file);
    }
    return closed(&place, allowed(&place, in_place));
}

/* A dangling link that names the holder of the lock; a link needs no space on a full disk. It only
 * informs people: flock decides. */
#define HOLDER "holder"

static void name_holder(int fd)
{
    const char *text = st_text("%d", (int)getpid());
    if (unlinkat(fd, HOLDER, 0) == 0 || errno == ENOENT)
        (void)!symlinkat(text, fd, HOLDER);
}

int st_posix_lock_folder(struct st_platform *platform, const char *path)
{
    struct stat info;
    const int fd = platform->open_path(platform, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (fd < 0)
        return fd;
    int r = st_posix_result(fstat(fd, &info));
    if (r == 0 && (info.st_uid != geteuid() || (info.st_mode & 022) != 0))
        r = -EPERM;
    if (r == 0 && (info.st_mode & 066) != 0 && fchmod(fd, info.st_mode & 0711) != 0)
        r = -errno; /* take the right to read the folder away from others, since whoever can read it
                       can lock it */
    if (r == 0 && flock(fd, LOCK_EX | LOCK_NB) != 0)
        r = -errno;
    if (r == 0) {
        name_holder(fd);
        return fd;
    }
    close(fd);
    return r;
}

/** Is the process a sleeptune? The link stays if its writer was killed, and another process may
 * have that id by now. */
static bool is_sleeptune(pid_t pid)
{
    const char *comm = st_tree_text(st_platform_native(), st_text("/proc/%ld/comm", (long)pid));
    /* without /proc the name is unknown: believe the link */
    return comm[0] == '\0' || st_text_begins(comm, "sleeptune");
}

int st_posix_folder_holder(struct st_platform *platform, const char *path)
{
    char text[16] = "";
    int fd = platform->open_path(platform, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const bool may_lock = fd != -EACCES;
    if (!may_lock)
        fd = platform->open_path(platform, path, ST_POSIX_OPEN_FOLDER);
    if (fd < 0)
        return fd;
    (void)!readlinkat(fd, HOLDER, text, sizeof(text) - 1);
    const pid_t pid = (pid_t)strtol(text, NULL, 10);
    bool held;
    if (may_lock)
        held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    else
        held = pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) && is_sleeptune(pid);
    close(fd);
    return held ? ST_MAX(pid, 0) : -ENOENT;
}

void st_posix_unlock_folder(ST_UNUSED struct st_platform *platform, int handle)
{
    (void)unlinkat(handle, HOLDER, 0);
    close(handle);
}
