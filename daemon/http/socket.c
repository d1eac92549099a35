/* Opens the status socket safely beside other daemons, dead ones included. */
#include "daemon/http/socket.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/lock_file.h"
#include "platform/destination.h"
#include "st_config.h"

/* Makes the last folder of a path that we chose ourselves. @return true when it can be written to. */
static bool make_folder(const char *folder)
{
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return false;
    struct stat status;
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && access(folder, W_OK | X_OK) == 0;
}

int st_socket_choose(const struct st_config *config, char *ret_path, size_t path_bytes, char *error,
                     size_t error_bytes)
{
    const char *wish = getenv("SLEEPTUNE_SOCKET");
    if (wish == NULL || wish[0] == '\0')
        wish = config->socket.path;
    if (wish[0] != '\0') {
        snprintf(ret_path, path_bytes, "%s", wish);
        return 0;
    }
    const char *folder = ST_RUN_DIR, *xdg = getenv("XDG_RUNTIME_DIR");
    snprintf(ret_path, path_bytes, "%s/sleeptune", folder);
    bool usable = make_folder(ret_path);
    if (!usable && (xdg == NULL || xdg[0] != '/' || strlen(xdg) > ST_SOCKET_PATH_BYTES / 2)) {
        snprintf(error, error_bytes,
                 "cannot write to %s/sleeptune, and XDG_RUNTIME_DIR is not set. Set socket.path.",
                 ST_RUN_DIR);
        return -EACCES;
    }
    if (!usable) {
        folder = xdg;
        snprintf(ret_path, path_bytes, "%s/sleeptune", folder);
        usable = make_folder(ret_path);
    }
    if (!usable) {
        const int r = errno != 0 ? -errno : -EACCES;
        snprintf(error, error_bytes, "cannot write to %s: set socket.path", ret_path);
        return r;
    }
    snprintf(ret_path, path_bytes, "%s/sleeptune/sleeptuned.sock", folder);
    return 0;
}

static int take_lock(const char *path, int *ret_fd, char *error, size_t error_bytes)
{
    long pid;
    const int r = st_lock_file_take(path, ret_fd, &pid);
    if (r == -EBUSY && pid > 0)
        snprintf(error, error_bytes, "another sleeptuned (PID %ld) uses the socket %s", pid, path);
    else if (r == -EBUSY)
        snprintf(error, error_bytes, "another sleeptuned uses the socket %s", path);
    else if (r < 0)
        snprintf(error, error_bytes,
                 "cannot lock %s.lock: %s. Set socket.path to a folder that exists and can be written to.",
                 path, strerror(-r));
    return r == -EBUSY ? -EADDRINUSE : r;
}

/* A socket of a daemon that was killed is removed; anything else is left alone. We hold the lock. */
static int remove_stale(const struct sockaddr_un *address, char *error, size_t error_bytes)
{
    const char *path = address->sun_path;
    struct stat status;
    if (lstat(path, &status) != 0) {
        if (errno == ENOENT)
            return 0;
        snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        return -errno;
    }
    if (!S_ISSOCK(status.st_mode)) {
        snprintf(error, error_bytes, "%s exists and is not a socket. Remove it, or set socket.path.", path);
        return -EEXIST;
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        snprintf(error, error_bytes, "no socket: %s", strerror(errno));
        return -errno;
    }
    const int connected = connect(fd, (const struct sockaddr *)address, sizeof(*address));
    const int connect_errno = errno;
    close(fd);
    if (connected == 0 || connect_errno == EAGAIN || connect_errno == EINPROGRESS) {
        snprintf(error, error_bytes, "another program listens on %s", path);
        return -EADDRINUSE;
    }
    if (connect_errno != ECONNREFUSED) {
        snprintf(error, error_bytes, "%s: %s", path, strerror(connect_errno));
        return -connect_errno;
    }
    if (unlink(path) != 0) {
        snprintf(error, error_bytes, "cannot remove the old socket %s: %s", path, strerror(errno));
        return -errno;
    }
    return 0;
}

/* @return 0 with *ret, the caller's group or that of socket.group; -ENOENT with a sentence in error. */
static int group_of(const struct st_config *config, gid_t *ret, char *error, size_t error_bytes)
{
    /* BSD, and a folder with the setgid bit, give the folder's group; a reload may have taken a group away */
    *ret = getegid();
    if (config->socket.group[0] == '\0')
        return 0;
    const struct group *group = getgrnam(config->socket.group);
    if (group == NULL) {
        snprintf(error, error_bytes, "socket.group: there is no group \"%s\"", config->socket.group);
        return -ENOENT;
    }
    *ret = group->gr_gid;
    return 0;
}

/* The C library or a filter of system calls may not have AT_SYMLINK_NOFOLLOW for this (glibc < 2.32). Without
 * it: it was a socket just now, and root comes only to folders that no one else can change. */
static int set_mode(const struct st_destination *place, mode_t mode)
{
    if (fchmodat(place->dir_fd, place->name, mode, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EPERM)
        return -errno;
    return fchmodat(place->dir_fd, place->name, mode, 0) == 0 ? 0 : -errno;
}

/* Sets owner and mode by name in a folder that is held, because a socket has no descriptor that takes
 * them. */
static int set_rights_at(const struct st_destination *place, const char *path, const struct st_config *config,
                         char *error, size_t error_bytes)
{
    struct stat info;
    gid_t gid;
    if (fstatat(place->dir_fd, place->name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK(info.st_mode)) {
        snprintf(error, error_bytes, "cannot set the permissions of %s: it is no longer a socket", path);
        return -ENOTSOCK;
    }
    int r = group_of(config, &gid, error, error_bytes);
    if (r < 0)
        return r;
    if (fchownat(place->dir_fd, place->name, (uid_t)-1, gid, AT_SYMLINK_NOFOLLOW) != 0) {
        r = -errno;
        snprintf(error, error_bytes, "cannot change the group of %s to %s%s: %s", path,
                 config->socket.group[0] != '\0' ? "group " : "the group that the daemon runs as",
                 config->socket.group, strerror(-r));
        return r;
    }
    r = set_mode(place, (mode_t)config->socket.mode);
    if (r < 0)
        snprintf(error, error_bytes, "cannot set the permissions of %s: %s", path, strerror(-r));
    return r;
}

static int find_place(const char *path, struct st_destination *ret, char *error, size_t error_bytes)
{
    const int r = st_destination_find(path, ret);
    if (r < 0)
        snprintf(error, error_bytes, "cannot set the permissions of %s: %s", path, st_destination_error(r));
    if (r < 0 || !ret->shared)
        return r;
    close(ret->dir_fd);
    snprintf(error, error_bytes,
             "cannot set the permissions of %s: another user can change its folder. Set socket.path to a "
             "folder that only root can change",
             path);
    return -EPERM;
}

int st_socket_set_rights(const struct st_socket *socket, const struct st_config *config, char *error,
                         size_t error_bytes)
{
    struct st_destination place;
    int r = find_place(socket->path, &place, error, error_bytes);
    if (r < 0)
        return r;
    r = set_rights_at(&place, socket->path, config, error, error_bytes);
    close(place.dir_fd);
    return r;
}

static int bind_and_listen(struct st_socket *sock, const struct sockaddr_un *address,
                           const struct st_config *config, char *error, size_t error_bytes)
{
    sock->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sock->fd < 0 || bind(sock->fd, (const struct sockaddr *)address, sizeof(*address)) != 0) {
        snprintf(error, error_bytes, "cannot bind %s: %s", sock->path, strerror(errno));
        return -errno;
    }
    /* before listen, so that no one can connect with the rights that bind gave */
    const int r = st_socket_set_rights(sock, config, error, error_bytes);
    if (r < 0) {
        unlink(sock->path);
        return r;
    }
    if (listen(sock->fd, SOMAXCONN) != 0) {
        snprintf(error, error_bytes, "cannot listen on %s: %s", sock->path, strerror(errno));
        unlink(sock->path);
        return -errno;
    }
    return 0;
}

int st_socket_open(struct st_socket *ret, const char *path, const struct st_config *config, char *error,
                   size_t error_bytes)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(address.sun_path)) {
        snprintf(error, error_bytes,
                 "the socket path has %zu bytes, and this system takes at most %zu: %.1000s", strlen(path),
                 sizeof(address.sun_path) - 1, path);
        return -ENAMETOOLONG;
    }
    memcpy(address.sun_path, path, strlen(path));
    struct st_socket sock = {.fd = -1, .lock_fd = -1};
    ST_PRINT(sock.path, "%s", path);
    struct st_destination place;
    int r = find_place(path, &place, error, error_bytes);
    if (r == -EPERM || r == -EXDEV)
        return r;
    if (r == 0)
        close(place.dir_fd);
    r = take_lock(path, &sock.lock_fd, error, error_bytes);
    if (r == 0)
        r = remove_stale(&address, error, error_bytes);
    if (r == 0)
        r = bind_and_listen(&sock, &address, config, error, error_bytes);
    if (r < 0) {
        if (sock.fd >= 0)
            close(sock.fd);
        if (sock.lock_fd >= 0)
            close(sock.lock_fd);
        return r;
    }
    *ret = sock;
    return 0;
}

void st_socket_close(struct st_socket *socket)
{
    if (socket->lock_fd < 0)
        return;
    unlink(socket->path);
    if (socket->fd >= 0)
        close(socket->fd);
    close(socket->lock_fd);
    socket->fd = -1;
    socket->lock_fd = -1;
}
