/* Waking one thread from another: a sender and a sleeper. Commands and answers go through pipes,
 * outside of the time that is measured.
 *
 * A round: the sender asks for it; the sleeper stores waits_ns, waits, stores woke_ns and answers.
 * The sender sleeps for the slice, makes sure that the sleeper has waited for at least half of it,
 * reads the clock, signals, and reads the clock again. All times are on CLOCK_MONOTONIC, which all
 * CPUs share. */
#include "lab/posix/wake_posix.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "core/ns.h"
#include "lab/posix/lab_posix.h"
#include "platform/posix/posix.h"

/* after the slice: a thread that sleeps longer counts as hung */
#define PATIENCE_NS (10 * ST_NS_PER_S)
#define NAP_NS      (200 * ST_NS_PER_US)

struct pair {
    struct st_wake_place place;
    const struct st_wake_method *method;
    struct st_wake_setting setting;
    int command[2], answer[2]; /* pipes: `command` from the sender to the sleeper, `answer` from the
                                  sleeper to the sender */
    bool stuck;
    /* members for the present round */
    bool interrupted;
    int64_t slice_ns;
    _Atomic int64_t waits_ns; /* when the sleeper began to wait; 0: not yet */
    int64_t due_ns, woke_ns;
    int result;
};

/* --- the sleeper --- */

static int settle(struct pair *pair, int cpu)
{
    struct st_platform *platform = pair->place.platform;
    return platform->pin(platform, cpu);
}

static void wait_once(struct pair *pair)
{
    struct st_platform *platform = pair->place.platform;
    const int64_t now_ns = st_platform_now_ns(platform);
    const int64_t due_ns =
        st_ns_add(now_ns, pair->slice_ns + (pair->interrupted ? 2 * PATIENCE_NS : 0));
    pair->due_ns = due_ns;
    atomic_store(&pair->waits_ns, now_ns);
    const int r = pair->method->ops->wait(&pair->place, due_ns);
    pair->woke_ns = st_platform_now_ns(platform);
    pair->result = r == (pair->interrupted ? 0 : -ETIMEDOUT) ? 0 : r != 0 ? r : -EIO;
}

/* The sleeper's thread. It ends when the sender closes its end of the pipe or sends another byte
 * than 'r'. */
static void *sleep_loop(void *ctx)
{
    struct pair *pair = ctx;
    char byte = 0;
    pair->result = settle(pair, pair->setting.sleeper_cpu);
    while (write(pair->answer[1], &byte, 1) == 1 && read(pair->command[0], &byte, 1) == 1 &&
           byte == 'r') {
        wait_once(pair);
    }
    return NULL;
}

/* Starts the sleeper with all signals blocked, so that signals for the sender do not end its
 * waits. */
static int start_sleeper(struct pair *pair)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int r = -pthread_create(&pair->place.sleeper, NULL, sleep_loop, pair);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return r;
}

/* --- the sender --- */

/* Waits for the sleeper's answer. @return 0, -ETIMEDOUT, -EPIPE (the sleeper's end is closed). */
static int await_answer(struct pair *pair, int64_t limit_ns)
{
    struct st_platform *platform = pair->place.platform;
    const int64_t end_ns = st_ns_add(st_platform_now_ns(platform), limit_ns);
    struct pollfd polled = {.fd = pair->answer[0], .events = POLLIN};
    char byte;
    for (;;) {
        const int64_t left_ms = (end_ns - st_platform_now_ns(platform)) / ST_NS_PER_MS;
        const int ready = left_ms > 0 ? poll(&polled, 1, (int)left_ms) : 0;
        if (ready == 0)
            return -ETIMEDOUT;
        if (ready > 0)
            return read(pair->answer[0], &byte, 1) == 1 ? 0 : -EPIPE;
        if (errno != EINTR)
            return -errno;
    }
}

static int command(struct pair *pair, char byte)
{
    return write(pair->command[1], &byte, 1) == 1 ? 0 : -errno;
}

/* Sleeps until the sleeper has waited for at least half of the slice. @return 0, -ETIMEDOUT. */
static int await_sleep(struct pair *pair, int64_t begin_ns)
{
    struct st_platform *platform = pair->place.platform;
    (void)platform->sleep_until_ns(platform, st_ns_add(begin_ns, pair->slice_ns));
    for (;;) {
        const int64_t waits_ns = atomic_load(&pair->waits_ns);
        const int64_t now_ns = st_platform_now_ns(platform);
        if (waits_ns != 0 && now_ns - waits_ns >= pair->slice_ns / 2)
            return 0;
        if (now_ns - begin_ns > pair->slice_ns + PATIENCE_NS)
            return -ETIMEDOUT;
        (void)platform->sleep_until_ns(platform, st_ns_add(now_ns, NAP_NS));
    }
}

int st_lab_posix_wake_round(struct st_wake *w, int64_t slice_ns, bool interrupted,
                            struct st_wake_stamps *ret)
{
    struct pair *pair = w->state;
    struct st_platform *platform = w->platform;
    int r = 0;
    if (pair->stuck)
        return -ETIMEDOUT;
    struct st_wake_stamps stamps = {0};
    pair->interrupted = interrupted;
    pair->slice_ns = slice_ns;
    atomic_store(&pair->waits_ns, 0);
    const int64_t begin_ns = st_platform_now_ns(platform);
    r = command(pair, 'r');
    if (r == 0 && interrupted) {
        r = await_sleep(pair, begin_ns);
        if (r == 0) {
            stamps.signal_ns = st_platform_now_ns(platform);
            r = w->method->ops->wake(&pair->place);
            stamps.sent_ns = st_platform_now_ns(platform);
        }
    }
    const int answered = await_answer(pair, slice_ns + PATIENCE_NS);
    pair->stuck = answered != 0;
    r = r != 0 ? r : answered != 0 ? answered : pair->result;
    if (r != 0)
        return r;
    stamps.due_ns = interrupted ? 0 : pair->due_ns;
    stamps.woke_ns = pair->woke_ns;
    *ret = stamps;
    return 0;
}

static void close_pipe(int ends[2])
{
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0)
            close(ends[i]);
    }
}

static void release(struct pair *pair)
{
    close_pipe(pair->command);
    close_pipe(pair->answer);
    free(pair);
}

static void dispose(struct st_wake *w, struct pair *pair)
{
    if (w->method->ops->close != NULL)
        w->method->ops->close(&pair->place);
    release(pair);
}

void st_lab_posix_wake_close(struct st_wake *w)
{
    struct pair *pair = w->state;
    w->state = NULL;
    if (pair->stuck) { /* a thread that never wakes up cannot be joined: abandon it */
        pthread_detach(pair->place.sleeper);
        return;
    }
    (void)command(pair, 'q');
    pthread_join(pair->place.sleeper, NULL);
    dispose(w, pair);
}

int st_lab_posix_wake_open(struct st_wake *w, const struct st_wake_setting *setting)
{
    struct pair *pair = malloc(sizeof(*pair));
    if (pair == NULL)
        return -ENOMEM;
    *pair = (struct pair){.place = {.platform = w->platform},
                          .method = w->method,
                          .setting = *setting,
                          .command = {-1, -1},
                          .answer = {-1, -1}};
    int r = w->method->ops->open != NULL ? w->method->ops->open(&pair->place) : 0;
    if (r != 0) {
        release(pair);
        return r;
    }
    if (pipe2(pair->command, O_CLOEXEC) != 0 || pipe2(pair->answer, O_CLOEXEC) != 0)
        r = -errno;
    if (r == 0)
        r = settle(pair, setting->sender_cpu);
    if (r == 0)
        r = start_sleeper(pair);
    if (r != 0) {
        dispose(w, pair);
        return r;
    }
    w->state = pair;
    const int answered = await_answer(pair, PATIENCE_NS);
    pair->stuck = answered != 0;
    r = answered != 0 ? answered : pair->result;
    if (r != 0)
        st_lab_posix_wake_close(w);
    return r;
}

/* --- A flag and a queue, each with a mutex and a condition of the thread library --- */

static int open_condition(struct st_wake_place *place)
{
    const int r = -pthread_mutex_init(&place->mutex, NULL);
    return r == 0 ? st_posix_condition_init(&place->cond) : r;
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
    /* signal after the mutex is unlocked, because the sleeper needs the mutex to return */
    return -pthread_cond_signal(&place->cond);
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

static const struct st_wake_ops condvar_ops = {open_condition, wait_flag, wake_flag,
                                               close_condition};
static const struct st_wake_ops channel_ops = {open_condition, receive, send_message,
                                               close_condition};
/* --- the table of these ways of waking --- */

const struct st_wake_method st_lab_posix_wakes[] = {
    {.name = "condvar",
     .summary = "waits in pthread_cond_timedwait, woken by a flag and pthread_cond_signal",
     .ops = &condvar_ops},
    {.name = "channel",
     .summary = "waits for a queue of messages, woken by a message (mutex and condition)",
     .ops = &channel_ops},
};

const size_t st_lab_posix_wakes_n = ST_ARRAY_LEN(st_lab_posix_wakes);
