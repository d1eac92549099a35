/* Adds up the time of each thread and interrupt on a CPU, from the events of a trace. */
#include "daemon/causes/cpu_trace.h"

#include "core/text/safe.h"
#include "core/text/text.h"
#include "platform/proc.h"
#include "platform/tree.h"

#define OWNERS_MAX 64

enum owner_kind { OWNER_NONE, OWNER_THREAD, OWNER_IRQ, OWNER_SOFTIRQ };

struct owner {
    enum owner_kind kind;
    int number; /* number of the thread, interrupt or softirq */
    char name[ST_TRACE_NAME_BYTES];
    /* CPU time (ns) of this owner, before and after the waiting thread was woken */
    int64_t before_ns, after_ns;
};

/* Which threads may be the culprit. AFTER_WAKING: threads that had the CPU after the waiting thread
 * was woken. WAITED_FOR: the same threads; but if the waking is not in the trace, all threads that
 * had the CPU, since the counters show a wait for it. ALL: all threads that had the CPU, before the
 * waking, too. */
enum threads { THREADS_NONE, THREADS_AFTER_WAKING, THREADS_WAITED_FOR, THREADS_ALL };

/* What runs on the CPU at a moment: an interrupt on top of a softirq, on top of a thread. */
struct line {
    struct owner thread, softirq, irq;
    struct owner owners[OWNERS_MAX];
    size_t owners_n;
};

static void add_to(struct line *line, const struct owner *who, int64_t before_ns, int64_t after_ns)
{
    if (who->kind == OWNER_NONE || before_ns + after_ns <= 0)
        return;
    size_t i = 0;
    while (i < line->owners_n &&
           (line->owners[i].kind != who->kind || line->owners[i].number != who->number))
        i++;
    if (i == OWNERS_MAX)
        return;
    if (i == line->owners_n) {
        line->owners[line->owners_n++] = *who;
        line->owners[i].before_ns = line->owners[i].after_ns = 0;
    }
    memcpy(line->owners[i].name, who->name, sizeof(who->name));
    line->owners[i].before_ns += before_ns;
    line->owners[i].after_ns += after_ns;
}

/* Adds CPU time to the thread, softirq or interrupt that runs now. leave() decides later to whom
 * the time of an interrupt or softirq belongs, when its exit is seen. */
static void add(struct line *line, int64_t before_ns, int64_t after_ns)
{
    struct owner *above = line->irq.kind != OWNER_NONE ? &line->irq : &line->softirq;
    if (above->kind == OWNER_NONE) {
        add_to(line, &line->thread, before_ns, after_ns);
        return;
    }
    above->before_ns += before_ns;
    above->after_ns += after_ns;
}

/* Ends an interrupt or softirq. Without an exit event (events were lost), its time counts for the
 * thread below it. */
static void leave(struct line *line, struct owner *above, bool by_exit)
{
    if (above->kind != OWNER_NONE)
        add_to(line, by_exit ? above : &line->thread, above->before_ns, above->after_ns);
    *above = (struct owner){.kind = OWNER_NONE};
}

static struct owner owner(enum owner_kind kind, int number, const char *name)
{
    struct owner made = {.kind = kind, .number = number};
    ST_PRINT(made.name, "%s", name);
    return made;
}

static struct owner thread_owner(int pid, const char *name, int tid)
{
    return owner(pid == 0 || pid == tid ? OWNER_NONE : OWNER_THREAD, pid, name);
}

static void step(struct line *line, const struct st_trace_event *e, int tid)
{
    switch (e->kind) {
    case ST_TRACE_SWITCH:
        leave(line, &line->irq, false);
        leave(line, &line->softirq, false);
        line->thread = thread_owner(e->pid, e->name, tid);
        break;
    case ST_TRACE_IRQ_ENTRY:
        leave(line, &line->irq, false);
        line->irq = owner(OWNER_IRQ, e->number, e->name);
        break;
    case ST_TRACE_IRQ_EXIT:
        leave(line, &line->irq, e->number == line->irq.number);
        break;
    case ST_TRACE_SOFTIRQ_ENTRY:
        leave(line, &line->softirq, false);
        line->softirq = owner(OWNER_SOFTIRQ, e->number, "");
        break;
    case ST_TRACE_SOFTIRQ_EXIT:
        leave(line, &line->softirq, e->number == line->softirq.number);
        break;
    case ST_TRACE_WAKING:
    case ST_TRACE_LOST:
    case ST_TRACE_KINDS:
        break;
    }
}

static int64_t between(int64_t from_ns, int64_t to_ns, int64_t low_ns, int64_t high_ns)
{
    const int64_t a = ST_MAX(from_ns, low_ns), b = ST_MIN(to_ns, high_ns);
    return ST_MAX(b - a, 0);
}

/* Finds the thread that has the CPU at event i: the next switch takes the CPU from this thread.
 * Unknown if events were lost before that switch. There must be a switch at i or later. */
static struct owner taken_from(const struct st_trace_event *events, size_t i, int cpu, int tid)
{
    while (events[i].cpu != cpu ||
           (events[i].kind != ST_TRACE_SWITCH && events[i].kind != ST_TRACE_LOST))
        i++;
    const struct st_trace_event *e = &events[i];
    if (e->kind == ST_TRACE_SWITCH)
        return thread_owner(e->prev_pid, e->prev_name, tid);
    return (struct owner){.kind = OWNER_NONE};
}

/* Follows the events of the CPU up to the switch `in`, and adds up the time of each owner. Time
 * before the first event, and time in which events were lost, has no owner. */
static void follow(struct line *line, const struct st_trace_event *events, size_t in, int tid,
                   int64_t due_ns, int64_t waking_ns)
{
    const int cpu = events[in].cpu;
    const struct owner none = {.kind = OWNER_NONE};
    const int64_t in_ns = events[in].at_ns;
    int64_t at_ns = events[0].at_ns;
    line->thread = taken_from(events, 0, cpu, tid);
    for (size_t i = 0; i <= in; i++) {
        const struct st_trace_event *e = &events[i];
        if (e->cpu != cpu)
            continue;
        if (e->kind == ST_TRACE_LOST) {
            line->irq = line->softirq = none;
            line->thread = taken_from(events, i + 1, cpu, tid);
            at_ns = e->at_ns;
            continue;
        }
        if (e->kind == ST_TRACE_SWITCH && e->prev_pid != line->thread.number)
            /* The switch takes the CPU from another thread than expected: events were lost, so the
             * owner is unknown. */
            line->thread = line->irq = line->softirq = none;
        else if (e->kind == ST_TRACE_SWITCH && line->thread.kind == OWNER_THREAD)
            /* the thread may have become another program (exec) while it had the CPU */
            ST_PRINT(line->thread.name, "%s", e->prev_name);
        add(line, between(at_ns, e->at_ns, due_ns, waking_ns),
            between(at_ns, e->at_ns, ST_MAX(waking_ns, due_ns), in_ns));
        step(line, e, tid);
        at_ns = e->at_ns;
    }
}

/* The last event of a kind for the thread in [from_ns, to_ns]. @return its index, or SIZE_MAX. */
static size_t last_of(const struct st_trace_event *events, size_t n, enum st_trace_kind kind,
                      int tid, int64_t from_ns, int64_t to_ns)
{
    for (size_t i = n; i-- > 0;) {
        if (events[i].kind == kind && events[i].pid == tid && events[i].at_ns >= from_ns &&
            events[i].at_ns <= to_ns)
            return i;
    }
    return SIZE_MAX;
}

/* Which threads may be the culprit if the counters gave this cause. @return false: with this
 * cause, no other thread can be the culprit. */
static bool suspects(enum st_cause cause, enum threads *ret)
{
    static const struct {
        enum st_cause cause;
        enum threads threads;
    } rows[] = {
        {ST_CAUSE_RUN_QUEUE, THREADS_WAITED_FOR},         {ST_CAUSE_KERNEL, THREADS_WAITED_FOR},
        {ST_CAUSE_UNKNOWN, THREADS_AFTER_WAKING},         {ST_CAUSE_TIMER, THREADS_ALL},
        {ST_CAUSE_HYPERVISOR_OR_INTERRUPT, THREADS_NONE},
    };
    ST_EACH (row, rows) {
        *ret = row->threads;
        if (row->cause == cause)
            return true;
    }
    return false;
}

/* The part of an owner's CPU time (ns) for which it may be blamed. If the waking is not in the
 * trace, all of the time is in before_ns. */
static int64_t counted_ns(const struct owner *who, enum threads threads, bool waking_was_seen,
                          bool waking_was_late)
{
    if (who->kind != OWNER_THREAD)
        return who->before_ns + who->after_ns;
    if (threads == THREADS_NONE)
        return 0;
    const bool before =
        waking_was_seen ? threads == THREADS_ALL && waking_was_late : threads == THREADS_WAITED_FOR;
    return who->after_ns + (before ? who->before_ns : 0);
}

/* How long (ns) a thread ran on the CPU of the switch `in`, summed over all its runs between two
 * switches that ended after due_ns. @return 0: a switch at the begin or end of such a run is
 * missing in the trace, or may be missing. */
static int64_t turns_ns(const struct st_trace_event *events, size_t in, int pid, int64_t due_ns)
{
    int64_t sum_ns = 0, from_ns = INT64_MIN;
    if (events[0].at_ns > due_ns)
        return 0;
    for (size_t i = 0; i <= in; i++) {
        const struct st_trace_event *e = &events[i];
        if (e->cpu != events[in].cpu)
            continue;
        if (e->kind == ST_TRACE_LOST) {
            if (e->at_ns > due_ns)
                return 0;
            from_ns = INT64_MIN;
        }
        if (e->kind != ST_TRACE_SWITCH)
            continue;
        const bool had_it = from_ns != INT64_MIN, ends = e->prev_pid == pid;
        if (had_it != ends && e->at_ns > due_ns)
            return 0;
        if (had_it && ends && e->at_ns > due_ns)
            sum_ns += e->at_ns - from_ns;
        from_ns = e->pid == pid ? e->at_ns : INT64_MIN;
    }
    return sum_ns;
}

int st_cpu_trace_find_culprit(const struct st_trace_event *events, size_t n, int tid,
                              enum st_cause cause, int64_t due_ns, int64_t woke_ns,
                              struct st_trace_culprit *ret)
{
    enum threads threads;
    if (!suspects(cause, &threads))
        return -ENOENT;
    const size_t in = last_of(events, n, ST_TRACE_SWITCH, tid, due_ns, woke_ns);
    if (in == SIZE_MAX)
        return -ENODATA;
    const int64_t in_ns = events[in].at_ns;
    const size_t waking = last_of(events, in, ST_TRACE_WAKING, tid, due_ns, in_ns);
    const bool waking_was_seen = waking != SIZE_MAX;
    const int64_t waking_ns = waking_was_seen ? events[waking].at_ns : in_ns;
    struct line line = {.owners_n = 0};
    follow(&line, events, in, tid, due_ns, waking_ns);

    const bool waking_was_late = waking_was_seen && waking_ns - due_ns > (in_ns - due_ns) / 2;
    const struct owner *most = NULL;
    int64_t most_ns = 0;
    ST_EACH_OF (had, line.owners, line.owners_n) {
        const int64_t ns = counted_ns(had, threads, waking_was_seen, waking_was_late);
        if (ns <= most_ns)
            continue;
        most = had;
        most_ns = ns;
    }
    if (most == NULL || most_ns < (woke_ns - due_ns) / 5)
        return -ENOENT;
    const enum st_trace_kind kind = most->kind == OWNER_IRQ       ? ST_TRACE_IRQ_ENTRY
                                    : most->kind == OWNER_SOFTIRQ ? ST_TRACE_SOFTIRQ_ENTRY
                                                                  : ST_TRACE_SWITCH;
    st_cpu_events_name(kind, most->number, most->name, ret->name, sizeof(ret->name));
    ret->ns = most_ns;
    ret->waited_ns = most->after_ns;
    ret->waking_was_seen = waking_was_seen;
    ret->explains = waking_was_seen || most->kind != OWNER_THREAD;
    ret->turns_ns = most->kind == OWNER_THREAD ? turns_ns(events, in, most->number, due_ns) : 0;
    ret->cpu = events[in].cpu;
    return 0;
}

void st_cpu_trace_complete_name(struct st_platform *machine, struct st_trace_culprit *culprit)
{
    char full[ST_TRACE_CULPRIT_BYTES - 12];
    const size_t len = st_cause_kind_program_len(culprit->name);
    const char *id = st_text("%s", culprit->name + len);
    if (len != ST_TRACE_NAME_BYTES - 1)
        return;
    const char *comm = st_tree_text(machine, st_text("/proc%.20s/comm", id));
    st_safe_copy(full, sizeof(full), comm, strcspn(comm, "\n"));
    if (strlen(full) != len || strncmp(full, culprit->name, len) != 0)
        return; /* another thread has this number now */
    st_proc_name(comm, st_tree_text(machine, st_text("/proc%.20s/cmdline", id)), full,
                 sizeof(full));
    ST_PRINT(culprit->name, "%s%s", full, id);
}
