/* Ways of sleeping that Linux and FreeBSD share. */
#include "lab/posix/sleep_lab.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/posix/posix.h"

int st_sleep_lab_nanosleep(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    return nanosleep(&ts, NULL) == 0 ? 0 : -errno;
}

int st_sleep_lab_usleep(struct st_sleep *s, int64_t requested_ns)
{
    return usleep((useconds_t)st_sleep_units(s, requested_ns)) == 0 ? 0 : -errno;
}

/* --- waiting for no file at all, with a timeout --- */

int st_sleep_lab_timed_out(int r)
{
    return r == 0 ? 0 : r < 0 ? -errno : -EIO;
}

int st_sleep_lab_select(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    struct timeval tv = {.tv_sec = ts.tv_sec, .tv_usec = (suseconds_t)(ts.tv_nsec / ST_NS_PER_US)};
    return st_sleep_lab_timed_out(select(0, NULL, NULL, NULL, &tv));
}

int st_sleep_lab_poll(struct st_sleep *s, int64_t requested_ns)
{
    return st_sleep_lab_timed_out(poll(NULL, 0, st_sleep_units(s, requested_ns)));
}

int st_sleep_lab_ppoll(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    return st_sleep_lab_timed_out(ppoll(NULL, 0, &ts, NULL));
}

/* A timer that sends a signal, which is blocked in all threads (st_sleep_lab_block_signals), so that the one
 * that waits gets it. */

static int wait_for_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    return sigwaitinfo(&set, NULL) == SIGRTMIN ? 0 : -errno;
}

/* A signal that would kill where it is not blocked. */
static int check_blocked(void)
{
    sigset_t set;
    return sigprocmask(SIG_BLOCK, NULL, &set) == 0 && sigismember(&set, SIGRTMIN) == 1 ? 0 : -EINVAL;
}

int st_sleep_lab_open_posix_timer(struct st_sleep *s)
{
    if (check_blocked() != 0)
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

int st_sleep_lab_posix_timer(struct st_sleep *s, ST_UNUSED int64_t requested_ns)
{
    const timer_t *timer = s->state;
    const struct itimerspec once = {.it_value = st_ns_to_timespec(s->due_ns)};
    return timer_settime(*timer, TIMER_ABSTIME, &once, NULL) == 0 ? wait_for_signal() : -errno;
}

void st_sleep_lab_close_posix_timer(struct st_sleep *s)
{
    const timer_t *timer = s->state;
    timer_delete(*timer);
    free(s->state);
    s->state = NULL;
}

int st_sleep_lab_block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    return sigprocmask(SIG_BLOCK, &set, NULL) == 0 ? 0 : -errno;
}

/* --- the timed wait of the thread library: a condition that no one signals --- */

struct condition {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
};

int st_sleep_lab_open_cond(struct st_sleep *s)
{
    struct condition *c = malloc(sizeof(*c));
    if (c == NULL)
        return -ENOMEM;
    const int r = st_posix_condition_init(&c->cond);
    if (r != 0) {
        free(c);
        return r;
    }
    pthread_mutex_init(&c->mutex, NULL);
    s->state = c;
    return 0;
}

int st_sleep_lab_cond(struct st_sleep *s, ST_UNUSED int64_t requested_ns)
{
    struct condition *c = s->state;
    const struct timespec until = st_ns_to_timespec(s->due_ns);
    int r;
    pthread_mutex_lock(&c->mutex);
    do /* it may wake for no reason */
        r = pthread_cond_timedwait(&c->cond, &c->mutex, &until);
    while (r == 0);
    pthread_mutex_unlock(&c->mutex);
    return r == ETIMEDOUT ? 0 : -r;
}

void st_sleep_lab_close_cond(struct st_sleep *s)
{
    struct condition *c = s->state;
    pthread_cond_destroy(&c->cond);
    pthread_mutex_destroy(&c->mutex);
    free(s->state);
    s->state = NULL;
}
