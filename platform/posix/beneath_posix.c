/* Opens files of a tree that is not trusted. */
#include <fcntl.h>
#include <unistd.h>

#include "core/text/text.h"
#include "platform/posix/posix.h"

#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW)
#define LINKS_MAX  40 /* symbolic links in one path, as on Linux */

/** Takes the next component of *path, and moves *path behind it. @return its length, 0 at the end,
 * -ENAMETOOLONG. */
static int next_component(const char **path, char ret[NAME_MAX + 1])
{
    *path += strspn(*path, "/");
    const size_t len = strcspn(*path, "/");
    if (!st_text_copy(ret, NAME_MAX + 1, *path, len))
        return -ENAMETOOLONG;
    *path += len;
    return (int)len;
}

/** Opens a path without links or "..", one component at a time: a link that someone puts there
 * meanwhile is not followed. */
static int open_resolved(int dir_fd, const char *path, int flags)
{
    char name[NAME_MAX + 1];
    int fd = st_posix_result(openat(dir_fd, ".", OPEN_FLAGS | O_DIRECTORY));
    while (fd >= 0) {
        int next = next_component(&path, name);
        if (next == 0)
            break;
        const bool last = path[strspn(path, "/")] == '\0';
        if (next > 0)
            next =
                st_posix_opened(openat(fd, name, last ? OPEN_FLAGS | flags : ST_POSIX_OPEN_FOLDER));
        close(fd);
        fd = next;
    }
    return fd;
}

/** Appends "/name". @return 0, -ENAMETOOLONG. */
static int append(char path[PATH_MAX], const char *name)
{
    if (strlen(path) + strlen(name) + 2 > PATH_MAX)
        return -ENAMETOOLONG;
    st_text_append(path, PATH_MAX, "/%s", name);
    return 0;
}

/** Reads the target of the link `name` in the folder `path`; "": it is not a link. @return 0, or
 * the error of open. */
static int read_link(int dir_fd, const char *path, const char *name, char ret[PATH_MAX])
{
    const int parent = open_resolved(dir_fd, path, ST_POSIX_OPEN_FOLDER);
    if (parent < 0)
        return parent;
    const ssize_t len = readlinkat(parent, name, ret, PATH_MAX - 1);
    close(parent);
    ret[ST_MAX(len, 0)] = '\0';
    return 0;
}

int st_posix_open_beneath(int dir_fd, const char *path, int flags)
{
    char done[PATH_MAX] = "", rest[PATH_MAX] = "", target[PATH_MAX], name[NAME_MAX + 1],
         linked[PATH_MAX] = "";
    int links = 0, r = append(rest, path), len;
    const char *at = rest;
    while (r == 0 && (len = next_component(&at, name)) != 0) {
        if (len < 0)
            return len;
        if (st_text_is(name, "."))
            continue;
        if (st_text_is(name, "..")) { /* ".." at the top of the tree stays there, as after chroot */
            char *slash = strrchr(done, '/');
            if (slash != NULL)
                *slash = '\0';
            continue;
        }
        r = read_link(dir_fd, done, name, target);
        if (r != 0)
            break;
        if (target[0] == '\0') {
            r = append(done, name);
            continue;
        }
        const bool refused = (flags & O_NOFOLLOW) != 0 && at[strspn(at, "/")] == '\0';
        if (refused || ++links > LINKS_MAX)
            return -ELOOP;
        if (target[0] == '/')
            done[0] = '\0';
        memcpy(linked, done, sizeof(linked));
        r = append(linked, target);
        if (r == 0)
            r = append(target, at);
        memcpy(rest, target, sizeof(rest));
        at = rest;
    }
    if (r == 0)
        r = open_resolved(dir_fd, done, flags);
    if (r != -ENOENT || linked[0] == '\0')
        return r;
    /* a link whose target is not in the tree gives -EXDEV; other missing files give -ENOENT */
    r = st_posix_open_beneath(dir_fd, linked, 0);
    if (r >= 0)
        close(r);
    return r == -ENOENT ? -EXDEV : -ENOENT;
}
