/* The timed wait of the thread library: a condition that no one signals. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/ns.h"
#include "lab/posix/sleep_lab.h"

struct condition {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
};

int st_sleep_open_cond(struct st_sleep *s)
{
    struct condition *c = malloc(sizeof(*c));
    pthread_condattr_t attr;
    if (c == NULL)
        return -ENOMEM;
    int r = -pthread_condattr_init(&attr);
    if (r == 0) {
        r = -pthread_condattr_setclock(&attr, s->method->clock_id);
        if (r == 0)
            r = -pthread_cond_init(&c->cond, &attr);
        pthread_condattr_destroy(&attr);
    }
    if (r != 0) {
        free(c);
        return r;
    }
    pthread_mutex_init(&c->mutex, NULL);
    s->state = c;
    return 0;
}

int st_sleep_cond(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
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

void st_sleep_close_cond(struct st_sleep *s)
{
    struct condition *c = s->state;
    pthread_cond_destroy(&c->cond);
    pthread_mutex_destroy(&c->mutex);
    st_sleep_free_state(s);
}
