/* A flag, a queue and a semaphore of the thread library. */
#include <errno.h>

#include "core/ns.h"
#include "lab/posix/wake_posix.h"

static int open_condition(struct st_wake_place *place)
{
    const int shared = place->processes ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    pthread_mutexattr_t mutex;
    pthread_condattr_t cond;
    int r = -pthread_mutexattr_init(&mutex);
    if (r != 0)
        return r;
    r = -pthread_mutexattr_setpshared(&mutex, shared);
    if (r == 0)
        r = -pthread_mutex_init(&place->mutex, &mutex);
    pthread_mutexattr_destroy(&mutex);
    if (r == 0)
        r = -pthread_condattr_init(&cond);
    if (r != 0)
        return r;
    r = -pthread_condattr_setclock(&cond, CLOCK_MONOTONIC);
    if (r == 0)
        r = -pthread_condattr_setpshared(&cond, shared);
    if (r == 0)
        r = -pthread_cond_init(&place->cond, &cond);
    pthread_condattr_destroy(&cond);
    return r;
}

static void close_condition(struct st_wake_place *place)
{
    pthread_cond_destroy(&place->cond);
    pthread_mutex_destroy(&place->mutex);
}

static int wait_flag(struct st_wake_place *place, int64_t due_ns)
{
    const struct timespec until = st_ns_to_timespec(due_ns);
    int r = 0;
    pthread_mutex_lock(&place->mutex);
    while (!place->signalled && r == 0)
        r = pthread_cond_timedwait(&place->cond, &place->mutex, &until);
    if (place->signalled)
        r = 0;
    place->signalled = false;
    pthread_mutex_unlock(&place->mutex);
    return -r;
}

static int wake_flag(struct st_wake_place *place)
{
    pthread_mutex_lock(&place->mutex);
    place->signalled = true;
    pthread_mutex_unlock(&place->mutex);
    return -pthread_cond_signal(&place->cond); /* unlocked: the sleeper needs the mutex */
}

static int receive(struct st_wake_place *place, int64_t due_ns)
{
    const struct timespec until = st_ns_to_timespec(due_ns);
    int r = 0;
    pthread_mutex_lock(&place->mutex);
    while (place->head == place->tail && r == 0)
        r = pthread_cond_timedwait(&place->cond, &place->mutex, &until);
    if (place->head != place->tail) {
        place->head++;
        r = 0;
    }
    pthread_mutex_unlock(&place->mutex);
    return -r;
}

static int send_message(struct st_wake_place *place)
{
    pthread_mutex_lock(&place->mutex);
    const bool full = place->tail - place->head == ST_WAKE_QUEUE_N;
    if (!full) {
        place->queue[place->tail % ST_WAKE_QUEUE_N] = place->tail;
        place->tail++;
    }
    pthread_mutex_unlock(&place->mutex);
    return full ? -EAGAIN : -pthread_cond_signal(&place->cond);
}

static int open_semaphore(struct st_wake_place *place)
{
    return sem_init(&place->sem, place->processes, 0) == 0 ? 0 : -errno;
}

static int wait_semaphore(struct st_wake_place *place, int64_t due_ns)
{
    const struct timespec until = st_ns_to_timespec(due_ns);
#ifdef __FreeBSD__
    return sem_clockwait_np(&place->sem, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0 ? 0 : -errno;
#else
    return sem_clockwait(&place->sem, CLOCK_MONOTONIC, &until) == 0 ? 0 : -errno;
#endif
}

static int wake_semaphore(struct st_wake_place *place)
{
    return sem_post(&place->sem) == 0 ? 0 : -errno;
}

static void close_semaphore(struct st_wake_place *place)
{
    sem_destroy(&place->sem);
}

const struct st_wake_ops st_wake_condvar = {open_condition, wait_flag, wake_flag, close_condition};
const struct st_wake_ops st_wake_channel = {open_condition, receive, send_message, close_condition};
const struct st_wake_ops st_wake_semaphore = {open_semaphore, wait_semaphore, wake_semaphore,
                                              close_semaphore};
