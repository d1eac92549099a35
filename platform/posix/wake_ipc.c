/* Message queues of System V and POSIX, semaphores of System V. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

#include "platform/posix/wake_posix.h"

#define MODE 0600

struct message {
    long type;
    char byte;
};

/* --- System V semaphore: a timed wait only on Linux */

static int open_sem(struct st_wake_place *place)
{
    place->id = semget(IPC_PRIVATE, 1, IPC_CREAT | MODE);
    return place->id >= 0 ? 0 : -errno;
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

static void close_sem(struct st_wake_place *place)
{
    (void)semctl(place->id, 0, IPC_RMID);
}

/* --- System V queue */

static int open_queue(struct st_wake_place *place)
{
    place->id = msgget(IPC_PRIVATE, IPC_CREAT | MODE);
    return place->id >= 0 ? 0 : -errno;
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

static void close_queue(struct st_wake_place *place)
{
    (void)msgctl(place->id, IPC_RMID, NULL);
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

const struct st_wake_ops st_wake_sysv_sem = {open_sem, wait_sem, wake_sem, close_sem};
const struct st_wake_ops st_wake_sysv_queue = {open_queue, wait_queue, wake_queue, close_queue};
const struct st_wake_ops st_wake_posix_queue = {open_posix, wait_posix, wake_posix, close_posix};
