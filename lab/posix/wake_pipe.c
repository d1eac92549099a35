/* A byte through a pipe or a pair of sockets. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab/posix/wake_posix.h"

static int open_pipe(struct st_wake_place *place)
{
    return pipe2(place->fds, O_CLOEXEC) == 0 ? 0 : -errno;
}

static int wait_read(struct st_wake_place *place, int64_t due_ns)
{
    char byte;
    (void)due_ns;
    return read(place->fds[0], &byte, 1) == 1 ? 0 : -errno;
}

static int wake_write(struct st_wake_place *place)
{
    const char byte = 1;
    return write(place->fds[1], &byte, 1) == 1 ? 0 : -errno;
}

static int wait_poll(struct st_wake_place *place, int64_t due_ns)
{
    struct pollfd polled = {.fd = place->fds[0], .events = POLLIN};
    const struct timespec left = st_wake_left(place, due_ns);
    const int ready = ppoll(&polled, 1, &left, NULL);
    if (ready <= 0)
        return ready == 0 ? -ETIMEDOUT : -errno;
    return wait_read(place, due_ns);
}

static int open_sockets(struct st_wake_place *place)
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, place->fds) == 0 ? 0 : -errno;
}

static int wait_receive(struct st_wake_place *place, int64_t due_ns)
{
    char byte;
    (void)due_ns;
    return recv(place->fds[0], &byte, 1, 0) == 1 ? 0 : -errno;
}

static int wake_send(struct st_wake_place *place)
{
    const char byte = 1;
    return send(place->fds[1], &byte, 1, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

const struct st_wake_ops st_wake_pipe = {open_pipe, wait_read, wake_write, st_wake_close_fds};
const struct st_wake_ops st_wake_poll = {open_pipe, wait_poll, wake_write, st_wake_close_fds};
const struct st_wake_ops st_wake_socketpair = {open_sockets, wait_receive, wake_send, st_wake_close_fds};
