/* A signal that the sleeper waits for. It is blocked in both sides, and stays blocked. */
#include <errno.h>
#include <signal.h>

#include "lab/posix/wake_posix.h"

#define SIGNAL (SIGRTMIN + 2)

static void fill(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGNAL);
}

static int open_signal(struct st_wake_place *place)
{
    sigset_t set;
    (void)place;
    fill(&set);
    return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int wait_signal(struct st_wake_place *place, int64_t due_ns)
{
    sigset_t set;
    fill(&set);
    const struct timespec left = st_wake_left(place, due_ns);
    if (sigtimedwait(&set, NULL, &left) == SIGNAL)
        return 0;
    return errno == EAGAIN ? -ETIMEDOUT : -errno;
}

static int wake_kill(struct st_wake_place *place)
{
    return kill(atomic_load(&place->sleeper_pid), SIGNAL) == 0 ? 0 : -errno;
}

static int wake_thread(struct st_wake_place *place)
{
    return -pthread_kill(place->sleeper, SIGNAL);
}

const struct st_wake_ops st_wake_kill = {open_signal, wait_signal, wake_kill, NULL};
const struct st_wake_ops st_wake_pthread_kill = {open_signal, wait_signal, wake_thread, NULL};
