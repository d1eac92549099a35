/* Opens the status socket safely, also if another daemon runs or a killed one left its socket. */
#include "daemon/http/socket.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/text/text.h"
#include "daemon/lock_file.h"
#include "platform/destination.h"
#include "st_config.h"

/* Makes the folder "FOLDER/sleeptune" if it is missing. @return true: this process can write to
 * it. */
static bool make_folder(const char *folder)
{
    const char *path = st_text("%s/sleeptune", folder);
    struct stat status;
    return (mkdir(path, 0755) == 0 || errno == EEXIST) && lstat(path, &status) == 0 &&
           S_ISDIR(status.st_mode) && access(path, W_OK | X_OK) == 0;
}

const char *st_socket_choose(const struct st_config *config, const char **ret_error)
{
    const char *wish = getenv("SLEEPTUNE_SOCKET"), *xdg = getenv("XDG_RUNTIME_DIR");
    if (wish == NULL || wish[0] == '\0')
        wish = config->socket.path;
    if (wish[0] != '\0')
        return wish;
    if (make_folder(ST_RUN_DIR))
        return ST_RUN_DIR "/sleeptune/sleeptuned.sock";
    if (xdg == NULL || xdg[0] != '/' || strlen(xdg) > ST_SOCKET_PATH_BYTES / 2)
        *ret_error = "cannot write to " ST_RUN_DIR
                     "/sleeptune, and XDG_RUNTIME_DIR is not set. Set socket.path.";
    else if (!make_folder(xdg))
        *ret_error = st_text("cannot write to %s/sleeptune: set socket.path", xdg);
    else
        return st_text("%s/sleeptune/sleeptuned.sock", xdg);
    return NULL;
}

/* Removes the socket that a killed daemon left; leaves anything else alone. The caller holds the
 * lock, so no other sleeptuned is about to listen. */
static const char *remove_stale(const struct sockaddr_un *address)
{
    const char *path = address->sun_path;
    struct stat status;
    if (lstat(path, &status) != 0)
        return errno == ENOENT ? NULL : st_text("%s: %s", path, strerror(errno));
    if (!S_ISSOCK(status.st_mode))
        return st_text("%s exists and is not a socket. Remove it, or set socket.path.", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return st_text("no socket: %s", strerror(errno));
    const int error =
        connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ? 0 : errno;
    close(fd);
    if (error == 0 || error == EAGAIN || error == EINPROGRESS)
        return st_text("another program listens on %s", path);
    if (error != ECONNREFUSED)
        return st_text("%s: %s", path, strerror(error));
    return unlink(path) == 0
               ? NULL
               : st_text("cannot remove the old socket %s: %s", path, strerror(errno));
}

/* Sets the mode without following a symbolic link. If the C library (glibc < 2.32) or a filter of
 * system calls refuses AT_SYMLINK_NOFOLLOW, sets it without that flag. This is safe: the caller
 * just saw a socket here, and root refuses folders that another user can change. */
static bool set_mode(const struct st_destination *place, mode_t mode)
{
    return fchmodat(place->dir_fd, place->name, mode, AT_SYMLINK_NOFOLLOW) == 0 ||
           ((errno == EOPNOTSUPP || errno == ENOSYS || errno == EPERM) &&
            fchmodat(place->dir_fd, place->name, mode, 0) == 0);
}

/* Sets group and mode by name in an open folder, because a socket's descriptor cannot change the
 * rights of its file. */
static const char *set_rights_at(const struct st_destination *place, const struct st_config *config)
{
    struct stat info;
    const char *name = config->socket.group;
    const struct group *group = name[0] != '\0' ? getgrnam(name) : NULL;
    if (fstatat(place->dir_fd, place->name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISSOCK(info.st_mode))
        return "the file is no longer a socket";
    if (name[0] != '\0' && group == NULL)
        return st_text("there is no group \"%s\" (socket.group)", name);
    /* Sets the group even if none is configured: on BSD and in a folder with the setgid bit, a new
     * socket has the folder's group, and a reload may have removed socket.group. */
    if (fchownat(place->dir_fd, place->name, (uid_t)-1, group != NULL ? group->gr_gid : getegid(),
                 AT_SYMLINK_NOFOLLOW) != 0)
        return st_text("the socket cannot be given to the group %s: %s",
                       st_text_or(name, "of sleeptuned"), strerror(errno));
    return set_mode(place, (mode_t)config->socket.mode) ? NULL : strerror(errno);
}

const char *st_socket_set_rights(const struct st_socket *socket, const struct st_config *config)
{
    struct st_destination place;
    const int r = st_destination_find(socket->path, &place);
    const char *error = r < 0          ? st_destination_error(r)
                        : place.shared ? "another user can change the folder of the socket. Set "
                                         "socket.path to a folder that only root can change"
                                       : set_rights_at(&place, config);
    if (r == 0)
        close(place.dir_fd);
    return error != NULL ? st_text("cannot set the permissions of %s: %s", socket->path, error)
                         : NULL;
}

static const char *bind_and_listen(struct st_socket *sock, const struct sockaddr_un *address,
                                   const struct st_config *config)
{
    sock->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sock->fd < 0 || bind(sock->fd, (const struct sockaddr *)address, sizeof(*address)) != 0)
        return st_text("cannot bind %s: %s", sock->path, strerror(errno));
    /* sets the rights before listen, so that no client can connect with the rights from bind */
    const char *error = st_socket_set_rights(sock, config);
    if (error == NULL && listen(sock->fd, SOMAXCONN) != 0)
        error = st_text("cannot listen on %s: %s", sock->path, strerror(errno));
    if (error != NULL)
        unlink(sock->path);
    return error;
}

const char *st_socket_open(struct st_socket *ret, const char *path, const struct st_config *config)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct st_socket sock = {.fd = -1, .lock_fd = -1};
    struct st_destination place;
    long pid;
    if (strlen(path) >= sizeof(address.sun_path))
        return st_text("the socket path has %zu bytes, and this system takes at most %zu: %.1000s",
                       strlen(path), sizeof(address.sun_path) - 1, path);
    memcpy(address.sun_path, path, strlen(path));
    ST_PRINT(sock.path, "%s", path);
    /* For root, the lock file is made only in a folder where no other user can put a link in its
     * place. */
    int r = st_destination_find(path, &place);
    if (r == 0)
        close(place.dir_fd);
    if (r == -EXDEV || (r == 0 && place.shared)) {
        const char *why = st_socket_set_rights(&sock, config);
        return st_text_or(
            why,
            st_text("the folder of %s was changed while sleeptuned started: start it again", path));
    }
    r = st_lock_file_take(path, &sock.lock_fd, &pid);
    if (r == -EBUSY)
        return st_text("another sleeptuned%s uses the socket %s",
                       pid > 0 ? st_text(" (PID %ld)", pid) : "", path);
    if (r < 0)
        return st_text("cannot lock %s.lock: %s. Set socket.path to a folder that exists and can "
                       "be written to.",
                       path, strerror(-r));
    const char *error = remove_stale(&address);
    if (error == NULL)
        error = bind_and_listen(&sock, &address, config);
    if (error == NULL) {
        *ret = sock;
        return NULL;
    }
    if (sock.fd >= 0)
        close(sock.fd);
    close(sock.lock_fd);
    return error;
}

void st_socket_close(struct st_socket *socket)
{
    if (socket->lock_fd < 0)
        return;
    unlink(socket->path);
    if (socket->fd >= 0)
        close(socket->fd);
    close(socket->lock_fd);
    socket->fd = socket->lock_fd = -1;
}
