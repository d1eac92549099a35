#include "xruns/cpu_events.h"

#include "core/text/safe.h"

#define TIME_MAX (INT64_MAX / 4) /* 73 years after the start */

/* include/linux/interrupt.h, softirq_to_name */
static const char *const softirqs[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                       "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

void st_cpu_events_name(enum st_trace_kind kind, int number, const char *name, char *buf,
                        size_t buf_bytes)
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
