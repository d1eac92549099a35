/* Timers that send a signal, and waiting for one that nobody sends. The signals are blocked in all threads
 * (st_sleep_block_signals), so that the one that waits gets them. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "lib/ns.h"
#include "lab/posix/sleep_lab.h"

static int wait_for(int signal_number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    return sigwaitinfo(&set, NULL) == signal_number ? 0 : -errno;
}

/* A signal that would kill where it is not blocked. */
static int check_blocked(int signal_number)
{
    sigset_t set;
    return sigprocmask(SIG_BLOCK, NULL, &set) == 0 && sigismember(&set, signal_number) == 1 ? 0 : -EINVAL;
}

int st_sleep_open_posix_timer(struct st_sleep *s)
{
    if (check_blocked(SIGRTMIN) != 0)
        return -EINVAL;
    timer_t *timer = malloc(sizeof(*timer));
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    if (timer == NULL)
        return -ENOMEM;
    if (timer_create(s->method->clock_id, &event, timer) != 0) {
        free(timer);
        return -errno;
    }
    s->state = timer;
    return 0;
}

int st_sleep_posix_timer(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
    const timer_t *timer = s->state;
    const struct itimerspec once = {.it_value = st_ns_to_timespec(s->due_ns)};
    return timer_settime(*timer, TIMER_ABSTIME, &once, NULL) == 0 ? wait_for(SIGRTMIN) : -errno;
}

void st_sleep_close_posix_timer(struct st_sleep *s)
{
    const timer_t *timer = s->state;
    timer_delete(*timer);
    st_sleep_free_state(s);
}

int st_sleep_setitimer(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    const struct itimerval once = {
        .it_value = {.tv_sec = ts.tv_sec, .tv_usec = (suseconds_t)(ts.tv_nsec / ST_NS_PER_US)}};
    if (check_blocked(SIGALRM) != 0)
        return -EINVAL;
    return setitimer(ITIMER_REAL, &once, NULL) == 0 ? wait_for(SIGALRM) : -errno;
}

int st_sleep_sigtimedwait(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 1);
    if (sigtimedwait(&set, NULL, &ts) >= 0)
        return -EIO; /* somebody sent it */
    return errno == EAGAIN ? 0 : -errno;
}

int st_sleep_block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigaddset(&set, SIGRTMIN);
    sigaddset(&set, SIGRTMIN + 1);
    return sigprocmask(SIG_BLOCK, &set, NULL) == 0 ? 0 : -errno;
}
