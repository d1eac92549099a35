/* Calls that Linux and FreeBSD share. Functions in `raw` use syscall(2), so that neither the C
 * library nor the vDSO can answer without entering the kernel. */
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "lab/posix/call_posix.h"
#include "lab/posix/lab_posix.h"

/* Receives results that no one reads; volatile, so that the compiler does not remove the calls. */
static volatile int64_t seen;

int st_call_clock(struct st_call *c)
{
    struct timespec ts;
    return clock_gettime(c->method->clock_id, &ts) == 0 ? 0 : -errno;
}

int st_call_clock_raw(struct st_call *c)
{
    int64_t buf[2]; /* room for a timespec with members of 32 or 64 bits */
#ifdef SYS_clock_gettime
    return syscall(SYS_clock_gettime, c->method->clock_id, buf) == 0 ? 0 : -errno;
#else
    return syscall(SYS_clock_gettime64, c->method->clock_id, buf) == 0 ? 0 : -errno;
#endif
}

static int call_gettimeofday(ST_UNUSED struct st_call *c)
{
    struct timeval tv;
    return gettimeofday(&tv, NULL) == 0 ? 0 : -errno;
}

static int call_time(ST_UNUSED struct st_call *c)
{
    seen = time(NULL);
    return 0;
}

#ifdef SYS_gettimeofday
static int raw_gettimeofday(ST_UNUSED struct st_call *c)
{
    int64_t buf[2]; /* room for a timeval with members of 32 or 64 bits */
    return syscall(SYS_gettimeofday, buf, NULL) == 0 ? 0 : -errno;
}
#else
#define raw_gettimeofday NULL
#endif

#ifdef SYS_time
static int raw_time(ST_UNUSED struct st_call *c)
{
    seen = syscall(SYS_time, NULL);
    return 0;
}
#else /* FreeBSD and newer Linux ports have no such system call */
#define raw_time NULL
#endif

/* Defines the functions of a call that returns the number of a process or user: by the C library,
 * and by syscall(2). */
#define CALL_ID(name)                                                                              \
    static int call_##name(ST_UNUSED struct st_call *c)                                            \
    {                                                                                              \
        seen = name();                                                                             \
        return 0;                                                                                  \
    }                                                                                              \
    static int raw_##name(ST_UNUSED struct st_call *c)                                             \
    {                                                                                              \
        seen = syscall(SYS_##name);                                                                \
        return 0;                                                                                  \
    }
CALL_ID(getpid)
CALL_ID(getppid)
CALL_ID(getuid)

static int call_sysconf(ST_UNUSED struct st_call *c)
{
    seen = sysconf(_SC_PAGESIZE);
    return 0;
}

static int call_sched_yield(ST_UNUSED struct st_call *c)
{
    return sched_yield() == 0 ? 0 : -errno;
}

static int raw_sched_yield(ST_UNUSED struct st_call *c)
{
    return syscall(SYS_sched_yield) == 0 ? 0 : -errno;
}

static int open_zero(struct st_call *c)
{
    c->fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    return c->fd >= 0 ? 0 : -errno;
}

static int call_read(struct st_call *c)
{
    char byte;
    return read(c->fd, &byte, 0) == 0 ? 0 : -errno;
}

static int raw_read(struct st_call *c)
{
    char byte;
    return syscall(SYS_read, c->fd, &byte, (size_t)0) == 0 ? 0 : -errno;
}

static void close_fd(struct st_call *c)
{
    close(c->fd);
    c->fd = -1;
}

static int call_nanosleep(ST_UNUSED struct st_call *c)
{
    const struct timespec ts = {.tv_nsec = 1};
    return nanosleep(&ts, NULL) == 0 || errno == EINTR ? 0 : -errno;
}

const struct st_call_method st_lab_posix_calls[] = {
    {.name = "gettimeofday",
     .summary = "gettimeofday",
     .tells_time = true,
     .call = call_gettimeofday,
     .raw = raw_gettimeofday},
    {.name = "time", .summary = "time", .tells_time = true, .call = call_time, .raw = raw_time},
    {.name = "getpid", .summary = "getpid", .call = call_getpid, .raw = raw_getpid},
    {.name = "getppid",
     .summary = "getppid, the cheapest system call",
     .call = call_getppid,
     .raw = raw_getppid},
    {.name = "getuid", .summary = "getuid", .call = call_getuid, .raw = raw_getuid},
    {.name = "sysconf", .summary = "sysconf(_SC_PAGESIZE)", .call = call_sysconf},
    {.name = "sched_yield",
     .summary = "sched_yield",
     .blocks = true,
     .call = call_sched_yield,
     .raw = raw_sched_yield},
    {.name = "read-0",
     .summary = "read of 0 bytes from /dev/zero",
     .open = open_zero,
     .call = call_read,
     .raw = raw_read,
     .close = close_fd},
    {.name = "nanosleep-1ns",
     .summary = "nanosleep for 1 ns",
     .blocks = true,
     .call = call_nanosleep},
};

const size_t st_lab_posix_calls_n = ST_ARRAY_LEN(st_lab_posix_calls);
