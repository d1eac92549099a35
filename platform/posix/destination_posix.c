#include "core/text/text.h"
#include "platform/destination.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/posix/posix.h"

#define LINKS_MAX 40 /* symbolic links in one path, as on Linux */

/* A path that is walked: the folder reached so far, the rest of the path, and the number of links
 * followed. */
struct walk {
    int fd;
    char rest[PATH_MAX];
    int links;
};

/* Enters the next folder; name "/": begins at the root again. */
static int enter(struct walk *walk, const char *name)
{
    const int fd = openat(walk->fd, name, ST_POSIX_OPEN_FOLDER);
    if (fd < 0)
        return -errno;
    if (walk->fd >= 0)
        close(walk->fd);
    walk->fd = fd;
    return 0;
}

/* May another user replace what root finds in this folder? @return 1 yes, 0 no, or a negative errno
 * value. */
static int is_shared(int dir_fd)
{
    struct stat info;
    if (geteuid() != 0)
        return 0;
    if (fstat(dir_fd, &info) != 0)
        return -errno;
    return info.st_uid != 0 ||
           ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (info.st_mode & S_ISVTX) == 0);
}

/* Puts the target of a link before the rest of the path. Root refuses a link that another user can
 * change
 * (-EXDEV). @return 0; 1: the target is not a path; or a negative errno value. */
static int follow(struct walk *walk, const char *name, const struct stat *link)
{
    char target[PATH_MAX];
    const int shared = is_shared(walk->fd);
    if (shared < 0)
        return shared;
    if (geteuid() == 0 && (shared || link->st_uid != 0))
        return -EXDEV;
    if (++walk->links > LINKS_MAX)
        return -ELOOP;
    const ssize_t len = readlinkat(walk->fd, name, target, sizeof(target) - 1);
    if (len < 0)
        return -errno;
    target[len] = '\0';
    if (target[0] != '/' && strstr(target, ":[") != NULL) /* "pipe:[123]" */
        return 1;
    const char *rest = st_text_joined(target, "/", walk->rest);
    if (!st_text_copy(walk->rest, sizeof(walk->rest), rest, strlen(rest)))
        return -ENAMETOOLONG;
    return target[0] == '/' ? enter(walk, "/") : 0;
}

/* Takes the first component off the rest. @return 0, -EISDIR: there is none, -ENAMETOOLONG. */
static int take_name(struct walk *walk, char name[NAME_MAX + 1])
{
    const char *s = walk->rest + strspn(walk->rest, "/");
    const size_t len = strcspn(s, "/");
    if (len == 0)
        return -EISDIR;
    if (!st_text_copy(name, NAME_MAX + 1, s, len))
        return -ENAMETOOLONG;
    memmove(walk->rest, s + len, strlen(s + len) + 1);
    return 0;
}

/* Walks over one component. @return 1: it is the file; 0: continue; or a negative errno value. */
static int step(struct walk *walk, struct st_destination *ret)
{
    struct stat info;
    int r = take_name(walk, ret->name);
    if (r < 0)
        return r;
    const bool last = walk->rest[0] == '\0';
    const bool is_there = fstatat(walk->fd, ret->name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (!is_there && (errno != ENOENT || !last))
        return -errno;
    if (is_there && S_ISLNK(info.st_mode)) {
        r = follow(walk, ret->name, &info);
        ret->open_file = r == 1;
        return r;
    }
    return last ? 1 : enter(walk, ret->name);
}

int st_destination_find(const char *path, struct st_destination *ret)
{
    struct walk walk = {.fd = AT_FDCWD};
    *ret = (struct st_destination){.dir_fd = -1};
    const size_t len = strlen(path);
    if (len == 0)
        return -ENOENT;
    if (len >= sizeof(walk.rest))
        return -ENAMETOOLONG;
    memcpy(walk.rest, path, len + 1);
    int r = enter(&walk, path[0] == '/' ? "/" : ".");
    while (r == 0)
        r = step(&walk, ret);
    if (r == 1)
        r = is_shared(walk.fd);
    if (r < 0) {
        if (walk.fd >= 0)
            close(walk.fd);
        return r;
    }
    ret->shared = r == 1;
    ret->dir_fd = walk.fd;
    return 0;
}

int st_destination_open(const struct st_destination *destination, int flags, mode_t mode)
{
    struct stat info;
    const int fd = st_posix_opened(
        openat(destination->dir_fd, destination->name,
               flags | O_CLOEXEC | O_NOCTTY | (destination->open_file ? 0 : O_NOFOLLOW), mode));
    int r = 0;
    if (fd < 0)
        return fd == -ELOOP ? -EXDEV : fd; /* a link was put there after st_destination_find */
    if (destination->shared && fstat(fd, &info) != 0)
        r = -errno;
    else if (destination->shared && S_ISREG(info.st_mode) && info.st_nlink > 1)
        r = -EXDEV;
    if (r == 0)
        return fd;
    close(fd);
    return r;
}

int st_destination_open_path(const char *path, int flags)
{
    struct st_destination destination;
    const int r = st_destination_find(path, &destination);
    if (r < 0)
        return r;
    const int fd = st_destination_open(&destination, flags, 0666);
    close(destination.dir_fd);
    return fd;
}

const char *st_destination_error(int r)
{
    if (r == -EXDEV)
        return "another user can change a symbolic link in this path, so root does not follow it. "
               "Use the path without the link, or run as that user";
    return strerror(-r);
}
