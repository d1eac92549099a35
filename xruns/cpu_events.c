#include "xruns/cpu_events.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/safe.h"
#include "platform/posix/posix.h"

#define TIME_MAX (INT64_MAX / 4) /* 73 years after the start */

static const char magic[16] = "sleeptune-cpus1";

/* include/linux/interrupt.h, softirq_to_name */
static const char *const softirqs[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                       "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

void st_cpu_events_name(enum st_trace_kind kind, int number, const char *name, char *buf, size_t buf_bytes)
{
    if (kind == ST_TRACE_IRQ_ENTRY)
        snprintf(buf, buf_bytes, "irq/%d-%s", number, name);
    else if (kind != ST_TRACE_SOFTIRQ_ENTRY)
        snprintf(buf, buf_bytes, "%s/%d", name, number);
    else if (number >= 0 && (size_t)number < ST_ARRAY_LEN(softirqs))
        snprintf(buf, buf_bytes, "softirq/%s", softirqs[number]);
    else
        snprintf(buf, buf_bytes, "softirq/%d", number);
    st_safe_text(buf); /* a thread's name may hold anything */
}

int st_cpu_events_write(int fd, const struct st_trace_event *events, size_t n)
{
    const size_t from = n > ST_CPU_EVENTS_MAX ? n - ST_CPU_EVENTS_MAX : 0;
    const int r = st_posix_write_fd(fd, magic, sizeof(magic));
    return r < 0 ? r : st_posix_write_fd(fd, events + from, (n - from) * sizeof(*events));
}

bool st_cpu_events_check(struct st_trace_event *events, size_t n)
{
    for (struct st_trace_event *e = events; e < events + n; e++) {
        e->name[sizeof(e->name) - 1] = e->prev_name[sizeof(e->prev_name) - 1] = '\0';
        if (e->at_ns < 0 || e->at_ns > TIME_MAX || e->cpu < 0 || e->cpu >= ST_CPU_EVENTS_CPUS ||
            (unsigned)e->kind >= ST_TRACE_KINDS || e->pid < 0 || e->prev_pid < 0)
            return false;
    }
    return true;
}

int st_cpu_events_read(const char *path, struct st_trace_event **ret, size_t *ret_n)
{
    char head[sizeof(magic)];
    struct stat status;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct st_trace_event *events = NULL;
    int r = fstat(fd, &status) != 0 ? -errno : 0;
    const off_t bytes = r == 0 ? status.st_size - (off_t)sizeof(magic) : -1;
    const size_t n = bytes > 0 ? (size_t)bytes / sizeof(*events) : 0;
    if (r == 0 && (bytes < 0 || bytes % (off_t)sizeof(*events) != 0 || n > ST_CPU_EVENTS_MAX))
        r = -EBADMSG;
    if (r == 0 && (events = calloc(n + 1, sizeof(*events))) == NULL)
        r = -ENOMEM;
    if (r == 0 &&
        (read(fd, head, sizeof(head)) != (ssize_t)sizeof(head) || memcmp(head, magic, sizeof(head)) != 0 ||
         read(fd, events, (size_t)bytes) != bytes || !st_cpu_events_check(events, n)))
        r = -EBADMSG;
    close(fd);
    if (r < 0) {
        free(events);
        return r;
    }
    *ret = events;
    *ret_n = n;
    return 0;
}
