/* The Linux row of the laboratory's seam: its ways of sleeping, and ways of waking and calls that only Linux
 * has. */
#include <linux/futex.h>
#include <linux/time_types.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ 1
#else
#define HAVE_RSEQ 0
#endif

#include "core/ns.h"
#include "lab/posix/call_posix.h"
#include "lab/posix/lab_posix.h"
#include "lab/posix/sleep_lab.h"
#include "lab/posix/wake_posix.h"
#include "st_config.h"

static int sleep_open_epoll(struct st_sleep *s)
{
    s->fd = epoll_create1(EPOLL_CLOEXEC);
    return s->fd >= 0 ? 0 : -errno;
}

static int sleep_epoll_wait(struct st_sleep *s, int64_t requested_ns)
{
    struct epoll_event event;
    return st_sleep_lab_timed_out(epoll_wait(s->fd, &event, 1, st_sleep_units(s, requested_ns)));
}

/* --- A wait on a word that no one wakes --- */

#ifdef SYS_futex_time64 /* 32 bits */
#define FUTEX_NUMBER SYS_futex_time64
#else
#define FUTEX_NUMBER SYS_futex
#endif

/* Waits while the word is 0. FUTEX_WAIT_BITSET takes an absolute time on CLOCK_MONOTONIC; FUTEX_WAIT takes a
 * relative one.
 * @return 0: woken, or the word is not 0; -ETIMEDOUT, -EINTR. */
static int futex_wait(_Atomic uint32_t *word, int64_t due_ns)
{
    const int64_t until[2] = {due_ns / ST_NS_PER_S,
                              due_ns % ST_NS_PER_S}; /* the kernel's, whatever time_t is */
    const long r = syscall(FUTEX_NUMBER, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, &until, NULL,
                           FUTEX_BITSET_MATCH_ANY);
    return r == 0 || errno == EAGAIN ? 0 : -errno;
}

static int sleep_futex(struct st_sleep *s, ST_UNUSED int64_t requested_ns)
{
    _Atomic uint32_t word = 0;
    int r;
    do
        r = futex_wait(&word, s->due_ns);
    while (r == 0);
    return r == -ETIMEDOUT ? 0 : r;
}

/* Ways of sleeping, one row each.
 *
 * What is stretched: a call that starts its timer with a range of current->timer_slack_ns may be woken as
 * late as the slack says; the slack of a real-time thread is 0. Read in Linux 6.1: kernel/time/hrtimer.c
 * (hrtimer_nanosleep), fs/select.c (select_estimate_accuracy), fs/eventpoll.c (ep_poll), kernel/futex/core.c
 * (futex_setup_timer); without a range: fs/timerfd.c, kernel/time/posix-timers.c. */

#define NANOSLEEP "hrtimer_nanosleep: the timer may fire anywhere within the timer slack"
#define POLLING   "select_estimate_accuracy: the larger of timer slack and 0.1 % of the timeout"
#define FUTEX     "futex_setup_timer: the timer may fire anywhere within the timer slack"
#define EXACT     "the kernel sets this timer without slack"

static const struct st_sleep_method sleeps[] = {
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic", CLOCK_MONOTONIC), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic", CLOCK_MONOTONIC), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_TIMERFD_ABSOLUTE(""), ST_STRETCHED(NO, "the kernel gives its timer no slack"), .usual = true},
    {ST_SLEEP_CLOCK_ABSOLUTE("realtime", CLOCK_REALTIME), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_NANOSLEEP, ST_ON_MONOTONIC, ST_STRETCHED(YES, NANOSLEEP), .usual = true},
    {ST_SLEEP_USLEEP, ST_ON_MONOTONIC, ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_SELECT, ST_STRETCHED(YES, POLLING)},
    {ST_SLEEP_POLL, ST_STRETCHED(YES, POLLING)},
    {ST_SLEEP_PPOLL, ST_STRETCHED(YES, POLLING), .usual = true},
    {
        .name = "epoll_wait",
        .summary = "epoll_wait without a file; sleeps only whole milliseconds",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, POLLING),
        .unit_ns = ST_NS_PER_MS,
        .usual = true,
        .open = sleep_open_epoll,
        .sleep = sleep_epoll_wait,
        .close = st_sleep_close_fd,
    },
    {ST_SLEEP_POSIX_TIMER(""), ST_STRETCHED(NO, EXACT)},
    {ST_SLEEP_COND, ST_STRETCHED(YES, FUTEX), .usual = true},
    {
        .name = "futex",
        .summary = "FUTEX_WAIT_BITSET with a timeout, on a word in memory that no one signals",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(YES, FUTEX),
        .unit_ns = 1,
        .open = st_sleep_open_nothing,
        .sleep = sleep_futex,
    },
};

/* --- A counter as a file: read by itself, or watched by epoll --- */

static int open_eventfd(struct st_wake_place *place)
{
    place->fds[0] = eventfd(0, EFD_CLOEXEC);
    return place->fds[0] >= 0 ? 0 : -errno;
}

static int wait_eventfd(struct st_wake_place *place, ST_UNUSED int64_t due_ns)
{
    uint64_t count;
    return read(place->fds[0], &count, sizeof(count)) == (ssize_t)sizeof(count) ? 0 : -errno;
}

static int wake_eventfd(struct st_wake_place *place)
{
    const uint64_t one = 1;
    return write(place->fds[0], &one, sizeof(one)) == (ssize_t)sizeof(one) ? 0 : -errno;
}

static int open_epoll(struct st_wake_place *place)
{
    struct epoll_event event = {.events = EPOLLIN};
    const int r = open_eventfd(place);
    if (r != 0)
        return r;
    place->watch = epoll_create1(EPOLL_CLOEXEC);
    return place->watch >= 0 && epoll_ctl(place->watch, EPOLL_CTL_ADD, place->fds[0], &event) == 0 ? 0
                                                                                                   : -errno;
}

/* epoll_pwait2 takes nanoseconds: Linux 5.11. */
static int wait_epoll(struct st_wake_place *place, int64_t due_ns)
{
    struct epoll_event event;
    const struct timespec left = st_wake_left(place, due_ns);
    const struct __kernel_timespec timeout = {.tv_sec = left.tv_sec, .tv_nsec = left.tv_nsec};
    const long ready = syscall(SYS_epoll_pwait2, place->watch, &event, 1, &timeout, NULL, 0);
    if (ready <= 0)
        return ready == 0 ? -ETIMEDOUT : -errno;
    return wait_eventfd(place, due_ns);
}

static const struct st_wake_ops ops_eventfd = {open_eventfd, wait_eventfd, wake_eventfd, NULL};
static const struct st_wake_ops ops_epoll = {open_epoll, wait_epoll, wake_eventfd, NULL};

/* --- A word that the sleeper waits on. futex(2) --- */

static int wait_futex(struct st_wake_place *place, int64_t due_ns)
{
    int r = 0;
    while (r == 0 && atomic_exchange(&place->word, 0) == 0)
        r = futex_wait(&place->word, due_ns);
    return r;
}

static int wake_futex(struct st_wake_place *place)
{
    atomic_store(&place->word, 1);
    return syscall(FUTEX_NUMBER, &place->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0 ? 0 : -errno;
}

static const struct st_wake_ops ops_futex = {NULL, wait_futex, wake_futex, NULL};

/* Ways of waking, one row each. */
static const struct st_wake_method wakes[] = {
    {.name = "futex",
     .summary =
         "waits in FUTEX_WAIT_BITSET, woken by FUTEX_WAKE, as Rust's condition variable and channel do",
     .timed = true,
     .ops = &ops_futex},
    {.name = "eventfd", .summary = "waits in read, woken by write of a counter", .ops = &ops_eventfd},
    {.name = "epoll",
     .summary = "waits in epoll_pwait2 on an eventfd, woken by write; then read",
     .timed = true,
     .ops = &ops_epoll},
};

/* Calls, one row each. */
static int call_futex(struct st_call *c)
{
    return syscall(FUTEX_NUMBER, &c->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0 ? 0 : -errno;
}

static const struct st_call_method calls[] = {
    ST_CALL_EMPTY,
    ST_CALL_CLOCK("monotonic", CLOCK_MONOTONIC),
    ST_CALL_CLOCK("realtime", CLOCK_REALTIME),
    ST_CALL_CLOCK("boottime", CLOCK_BOOTTIME),
    ST_CALL_CLOCK("tai", CLOCK_TAI),
    ST_CALL_CLOCK("monotonic_raw", CLOCK_MONOTONIC_RAW),
    ST_CALL_CLOCK("monotonic_coarse", CLOCK_MONOTONIC_COARSE),
    ST_CALL_CLOCK("realtime_coarse", CLOCK_REALTIME_COARSE),
    ST_CALL_CLOCK("realtime_alarm", CLOCK_REALTIME_ALARM),
    ST_CALL_CLOCK("boottime_alarm", CLOCK_BOOTTIME_ALARM),
    ST_CALL_CLOCK("process_cputime", CLOCK_PROCESS_CPUTIME_ID),
    ST_CALL_CLOCK("thread_cputime", CLOCK_THREAD_CPUTIME_ID),
    {.name = "futex-wake",
     .summary = "futex call to wake a thread while none waits",
     .call = call_futex,
     .raw = call_futex}, /* the C library has no function for it: it is a system call */
};

int st_wake_posix_semaphore_until(ST_UNUSED sem_t *sem, ST_UNUSED const struct timespec *until)
{
#ifdef ST_HAVE_SEM_CLOCKWAIT
    return sem_clockwait(sem, CLOCK_MONOTONIC, until) == 0 ? 0 : -errno;
#else
    return -ENOTSUP; /* musl */
#endif
}

#define REGISTERED_LEAST_BYTES 32u

/* Restartable sequences: the kernel attends to a thread's registration each time the thread comes back from
 * another one, that is on each wake-up (kernel/rseq.c, __rseq_handle_notify_resume). glibc registers every
 * thread from 2.35 on, and uses it for sched_getcpu() alone. */
int st_lab_own_leave_rseq(void)
{
#if HAVE_RSEQ
    if (__rseq_size == 0)
        return 0; /* not registered: an old kernel, or glibc.pthread.rseq=0 */
    char *const area = (char *)__builtin_thread_pointer() + __rseq_offset;
    /* The length has to be that of the registration: 32 bytes in glibc up to 2.40, later __rseq_size, but 32
     * at least. __rseq_size is 32 up to 2.39, and what the kernel makes use of from 2.40 on. The kernel makes
     * cpu_id "not registered", which sched_getcpu() looks at. */
    const unsigned bytes = __rseq_size > REGISTERED_LEAST_BYTES ? __rseq_size : REGISTERED_LEAST_BYTES;
    if (syscall(SYS_rseq, area, bytes, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) == 0)
        return 0;
    return errno == ENOSYS ? 0 : -errno;
#else
    return -ENOTSUP; /* a libc that does not show where the area is, or does not register */
#endif
}

/* adjtimex(2): freq in 2^-16 ppm, tick in us per 1/USER_HZ s. */
int st_lab_own_clock_correction_ppm(ST_UNUSED struct st_lab *lab, double *ret_ppm)
{
    struct timex t = {.modes = 0};
    const long user_hz = sysconf(_SC_CLK_TCK);
    if (adjtimex(&t) < 0)
        return -errno;
    *ret_ppm = (double)t.freq / 65536 + (double)(t.tick - 1000000 / user_hz) * (double)user_hz;
    return 0;
}

const struct st_lab_own st_lab_own = ST_LAB_OWN;
