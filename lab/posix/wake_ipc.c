/* Message queues of System V and POSIX, semaphores of System V. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/posix/wake_posix.h"

#define MODE 0600

struct message {
    long type;
    char byte;
};

/* --- keepers
 *
 * What System V made outlives its maker, also one that is killed. So a process of its own makes it, waits
 * until the other end of a socket is closed, by us or by our death, and removes it. */

static int make_sem(void)
{
    return semget(IPC_PRIVATE, 1, IPC_CREAT | MODE);
}

static void remove_sem(int id)
{
    (void)semctl(id, 0, IPC_RMID);
}

static int make_queue(void)
{
    return msgget(IPC_PRIVATE, IPC_CREAT | MODE);
}

static void remove_queue(int id)
{
    (void)msgctl(id, IPC_RMID, NULL);
}

/* Neither a signal nor the end of our process group reaches it. */
_Noreturn static void keep(int fd, int (*make)(void), void (*remove)(int id))
{
    sigset_t all;
    char byte;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setsid();
    const int id = make(), told = id >= 0 ? id : -errno;
    if (write(fd, &told, sizeof(told)) == sizeof(told)) {
        /* ends when the other end is closed */
        while (read(fd, &byte, 1) < 0 && errno == EINTR) {
        }
    }
    if (id >= 0)
        remove(id);
    _exit(0);
}

static void close_kept(struct st_wake_place *place)
{
    close(place->keeper_fd);
    place->keeper_fd = -1;
    while (waitpid(place->keeper, NULL, 0) < 0 && errno == EINTR) {
    }
}

static int open_kept(struct st_wake_place *place, int (*make)(void), void (*remove)(int id))
{
    int ends[2], told;
    ssize_t n;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -errno;
    const pid_t keeper = fork();
    if (keeper == 0) {
        close(ends[0]);
        keep(ends[1], make, remove);
    }
    const int r = keeper < 0 ? -errno : 0;
    close(ends[1]);
    if (r != 0) {
        close(ends[0]);
        return r;
    }
    place->keeper = keeper;
    place->keeper_fd = ends[0];
    do {
        n = read(ends[0], &told, sizeof(told));
    } while (n < 0 && errno == EINTR);
    if (n != sizeof(told))
        told = -EPIPE;
    if (told < 0) {
        close_kept(place);
        return told;
    }
    place->id = told;
    return 0;
}

/* --- System V semaphore: a timed wait only on Linux */

static int open_sem(struct st_wake_place *place)
{
    return open_kept(place, make_sem, remove_sem);
}

static int wait_sem(struct st_wake_place *place, int64_t due_ns)
{
    struct sembuf take = {.sem_op = -1};
#ifdef __linux__
    const struct timespec left = st_wake_left(place, due_ns);
    if (semtimedop(place->id, &take, 1, &left) == 0)
        return 0;
    return errno == EAGAIN ? -ETIMEDOUT : -errno;
#else
    (void)due_ns;
    return semop(place->id, &take, 1) == 0 ? 0 : -errno;
#endif
}

static int wake_sem(struct st_wake_place *place)
{
    struct sembuf give = {.sem_op = 1};
    return semop(place->id, &give, 1) == 0 ? 0 : -errno;
}

/* --- System V queue */

static int open_queue(struct st_wake_place *place)
{
    return open_kept(place, make_queue, remove_queue);
}

static int wait_queue(struct st_wake_place *place, int64_t due_ns)
{
    struct message message;
    (void)due_ns;
    return msgrcv(place->id, &message, sizeof(message.byte), 0, 0) >= 0 ? 0 : -errno;
}

static int wake_queue(struct st_wake_place *place)
{
    const struct message message = {.type = 1};
    return msgsnd(place->id, &message, sizeof(message.byte), 0) == 0 ? 0 : -errno;
}

/* --- POSIX queue */

static int open_posix(struct st_wake_place *place)
{
    char name[64];
    struct mq_attr attr = {.mq_maxmsg = 8, .mq_msgsize = 1};
    snprintf(name, sizeof(name), "/sleeptune-wake-%ld", (long)getpid());
    place->mq = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, MODE, &attr);
    if (place->mq == (mqd_t)-1)
        return -errno;
    mq_unlink(name); /* nobody else needs the name, and it does not stay behind */
    return 0;
}

static int wait_posix(struct st_wake_place *place, int64_t due_ns)
{
    char byte;
    const struct timespec until = st_wake_on_realtime(place, due_ns);
    return mq_timedreceive(place->mq, &byte, 1, NULL, &until) >= 0 ? 0 : -errno;
}

static int wake_posix(struct st_wake_place *place)
{
    const char byte = 1;
    return mq_send(place->mq, &byte, 1, 0) == 0 ? 0 : -errno;
}

static void close_posix(struct st_wake_place *place)
{
    mq_close(place->mq);
}

const struct st_wake_ops st_wake_sysv_sem = {open_sem, wait_sem, wake_sem, close_kept};
const struct st_wake_ops st_wake_sysv_queue = {open_queue, wait_queue, wake_queue, close_kept};
const struct st_wake_ops st_wake_posix_queue = {open_posix, wait_posix, wake_posix, close_posix};
