/* A POSIX message queue that nobody writes to. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lab/posix/sleep_lab.h"

int st_sleep_open_queue(struct st_sleep *s)
{
    char name[64];
    mqd_t *queue = malloc(sizeof(*queue));
    if (queue == NULL)
        return -ENOMEM;
    snprintf(name, sizeof(name), "/sleeptune-%ld-%ld", (long)getpid(),
             (long)s->platform->thread_id(s->platform));
    struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 1};
    *queue = mq_open(name, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &attr);
    if (*queue == (mqd_t)-1) {
        const int r = -errno;
        free(queue);
        return r;
    }
    mq_unlink(name);
    s->state = queue;
    return 0;
}

int st_sleep_queue(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
    const mqd_t *queue = s->state;
    const struct timespec until = st_sleep_due_on_clock(s);
    char message[1];
    if (mq_timedreceive(*queue, message, sizeof(message), NULL, &until) >= 0)
        return -EIO;
    return errno == ETIMEDOUT ? 0 : -errno;
}

void st_sleep_close_queue(struct st_sleep *s)
{
    const mqd_t *queue = s->state;
    mq_close(*queue);
    st_sleep_free_state(s);
}
