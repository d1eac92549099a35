/* What the laboratory needs from Linux: its ways of sleeping, and the ways of waking and calls that
 * only Linux has. */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#include "core/ns.h"
#include "lab/posix/call_posix.h"
#include "lab/posix/lab_posix.h"
#include "lab/posix/sleep_posix.h"
#include "lab/posix/wake_posix.h"
#include "st_config.h"

/* --- sleeping: a wait on a word in memory that no one wakes --- */

#ifdef SYS_futex_time64 /* 32-bit systems, for times of 64 bits */
#define FUTEX_NUMBER SYS_futex_time64
#else
#define FUTEX_NUMBER SYS_futex
#endif

/* Waits while the word is 0. FUTEX_WAIT_BITSET takes an absolute time on CLOCK_MONOTONIC;
 * FUTEX_WAIT takes a relative one.
 * @return 0: woken, or the word is not 0; -ETIMEDOUT, -EINTR. */
static int futex_wait(_Atomic uint32_t *word, int64_t due_ns)
{
    /* the kernel expects two numbers of 64 bits, whatever the size of time_t is */
    const int64_t until[2] = {due_ns / ST_NS_PER_S, due_ns % ST_NS_PER_S};
    const long r = syscall(FUTEX_NUMBER, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, &until,
                           NULL, FUTEX_BITSET_MATCH_ANY);
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

/* The ways of sleeping that `sleeptune-lab series` offers. */
static const struct st_sleep_method sleeps[] = {
    {ST_SLEEP_CLOCK("monotonic", CLOCK_MONOTONIC)},
    {ST_SLEEP_CLOCK("realtime", CLOCK_REALTIME)},
    {ST_SLEEP_CLOCK("boottime", CLOCK_BOOTTIME)},
    {ST_SLEEP_CLOCK("tai", CLOCK_TAI)},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic", CLOCK_MONOTONIC)},
    {ST_SLEEP_TIMERFD},
    {ST_SLEEP_NANOSLEEP, ST_ON_MONOTONIC},
    {ST_SLEEP_USLEEP, ST_ON_MONOTONIC},
    {ST_SLEEP_PUNCTUAL},
    {
        .name = "futex",
        .summary = "FUTEX_WAIT_BITSET with a timeout, on a word in memory that no one signals",
        ST_ON_MONOTONIC,
        .unit_ns = 1,
        .open = st_sleep_open_nothing,
        .sleep = sleep_futex,
    },
};

/* --- waking: the sleeper waits on a word in memory, by futex(2) --- */

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
    return syscall(FUTEX_NUMBER, &place->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0 ? 0
                                                                                          : -errno;
}

static const struct st_wake_ops ops_futex = {NULL, wait_futex, wake_futex, NULL};

/* The ways of waking that only Linux has. */
static const struct st_wake_method wakes[] = {
    {.name = "futex",
     .summary = "waits in FUTEX_WAIT_BITSET, woken by FUTEX_WAKE, as Rust's condition variable and "
                "channel do",
     .ops = &ops_futex},
};

/* --- calls --- */
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
     .raw =
         call_futex}, /* the C library has no function for it: the call is already a system call */
};

/* adjtimex(2) returns freq in units of 2^-16 ppm, and tick in us per 1/USER_HZ s. */
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
