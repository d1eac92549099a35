/* A timer that sends a signal, which is blocked in all threads (st_sleep_block_signals), so that the one that
 * waits gets it. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "core/ns.h"
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

int st_sleep_block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    return sigprocmask(SIG_BLOCK, &set, NULL) == 0 ? 0 : -errno;
}
