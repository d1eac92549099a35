#include "story/trace_cpus.h"

#include "core/text/text.h"

#define LABEL_BYTES 64
#define SHARE       5 /* of a missed cycle, that makes a culprit */

struct thread {
    int pid;       /* first, for by_pid */
    bool shown;    /* by its name */
    bool is_named; /* label is final */
    char label[LABEL_BYTES];
};

enum { ON_CPU, IN_IRQ, IN_SOFTIRQ, PLACES };

struct cpu {
    bool seen;
    struct thread *runs;              /* NULL: not known */
    int64_t first_ns, last_ns;        /* events, without a gap */
    char inside[PLACES][LABEL_BYTES]; /* interrupt, softirq; "": none */
    int64_t since_ns[PLACES], free_ns[PLACES];
};

struct cpus {
    const struct st_trace_event *events;
    size_t n;
    struct thread *threads; /* by pid */
    size_t threads_n;
    unsigned others_n;
    struct cpu cpus[ST_CPU_EVENTS_CPUS];
    const struct st_trace_json *json;
    bool writes; /* else it is looked who the culprits are */
    const struct st_trace_cycle *missed;
    size_t missed_n;
};

/* --- who is there --- */

static int by_pid(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* NULL: no such thread. */
static struct thread *find(const struct cpus *cpus, int pid)
{
    return bsearch(&pid, cpus->threads, cpus->threads_n, sizeof(*cpus->threads), by_pid);
}

static int list_threads(struct cpus *cpus)
{
    int *pids = calloc(2 * cpus->n + 1, sizeof(*pids));
    size_t n = 0;
    if (pids == NULL)
        return -ENOMEM;
    for (const struct st_trace_event *e = cpus->events; e < cpus->events + cpus->n; e++) {
        if (e->kind == ST_TRACE_SWITCH) {
            pids[n++] = e->prev_pid;
            pids[n++] = e->pid;
        }
    }
    qsort(pids, n, sizeof(*pids), by_pid);
    cpus->threads = calloc(n + 1, sizeof(*cpus->threads));
    for (size_t i = 0; cpus->threads != NULL && i < n; i++) {
        if (i == 0 || pids[i] != pids[i - 1])
            cpus->threads[cpus->threads_n++] = (struct thread){.pid = pids[i]};
    }
    free(pids);
    return cpus->threads != NULL ? 0 : -ENOMEM;
}

static void learn(struct cpus *cpus, int pid, const char *name, bool is_realtime, bool stopped)
{
    struct thread *thread = find(cpus, pid);
    if (thread == NULL)
        return; /* never: it is listed */
    st_cpu_events_name(ST_TRACE_SWITCH, pid, name, thread->label, sizeof(thread->label));
    thread->shown = thread->shown || is_realtime || stopped || strchr(name, '/') != NULL;
}

static void learn_all(struct cpus *cpus, const struct st_cycle_ring *ring)
{
    for (const struct st_trace_event *e = cpus->events; e < cpus->events + cpus->n; e++) {
        if (e->kind != ST_TRACE_SWITCH)
            continue;
        learn(cpus, e->prev_pid, e->prev_name, false, (e->prev_state & ST_TRACE_STOPPED) != 0);
        learn(cpus, e->pid, e->name, e->is_realtime != 0, false);
    }
    for (size_t i = 0; i < ST_CYCLE_RING_NAMES; i++) {
        struct thread *thread = ring->tids[i] > 0 ? find(cpus, ring->tids[i]) : NULL;
        if (thread == NULL)
            continue;
        thread->shown = true;
        if (thread->label[0] == '\0')
            ST_PRINT(thread->label, "%d", thread->pid);
    }
}

int64_t st_trace_cpus_reach_ns(const struct st_trace_event *events, size_t n, int64_t at_ns)
{
    int64_t reach_ns = events[0].at_ns;
    ST_EACH_OF (e, events, n) {
        if (e->kind == ST_TRACE_LOST && e->at_ns > reach_ns && e->at_ns <= at_ns)
            reach_ns = e->at_ns;
    }
    return reach_ns < at_ns ? reach_ns : INT64_MAX;
}

/* --- what they did --- */

static int track_of(int cpu, int place)
{
    return 1 + PLACES * cpu + place;
}

/* A slice, later than what its track has. */
static void put(struct cpus *cpus, int number, int place, int64_t to_ns, const char *text)
{
    struct cpu *cpu = &cpus->cpus[number];
    const int64_t low_ns = ST_MAX(cpu->free_ns[place], cpus->json->from_ns);
    if (cpus->writes && to_ns > low_ns)
        cpu->free_ns[place] = st_trace_json_slice(cpus->json, ST_TRACE_CPUS, track_of(number, place),
                                                  ST_MAX(cpu->since_ns[place], low_ns), to_ns, text);
}

static void look_for_culprit(const struct cpus *cpus, struct thread *thread, int64_t from_ns, int64_t to_ns)
{
    for (size_t i = 0; i < cpus->missed_n && !thread->shown; i++) {
        const struct st_trace_cycle *cycle = &cpus->missed[i];
        const int64_t a_ns = ST_MAX(from_ns, cycle->from_ns), b_ns = ST_MIN(to_ns, cycle->to_ns);
        thread->shown = b_ns - a_ns >= (cycle->to_ns - cycle->from_ns) / SHARE && b_ns > a_ns;
    }
}

/* The idle thread is no thread. */
static void end_turn(struct cpus *cpus, int number, int64_t at_ns)
{
    struct cpu *cpu = &cpus->cpus[number];
    struct thread *thread = cpu->runs;
    cpu->runs = NULL;
    if (thread == NULL || thread->pid == 0)
        return;
    if (!cpus->writes) {
        look_for_culprit(cpus, thread, cpu->since_ns[ON_CPU], at_ns);
        return;
    }
    if (!thread->shown && !thread->is_named)
        ST_PRINT(thread->label, "other %u", ++cpus->others_n);
    thread->is_named = true;
    put(cpus, number, ON_CPU, at_ns, thread->label);
}

static void end_inside(struct cpus *cpus, int number, int place, int64_t at_ns)
{
    struct cpu *cpu = &cpus->cpus[number];
    if (cpu->inside[place][0] != '\0')
        put(cpus, number, place, at_ns, cpu->inside[place]);
    cpu->inside[place][0] = '\0';
}

static void end_all(struct cpus *cpus, int number, int64_t at_ns)
{
    end_turn(cpus, number, at_ns);
    end_inside(cpus, number, IN_IRQ, at_ns);
    end_inside(cpus, number, IN_SOFTIRQ, at_ns);
}

static void take_switch(struct cpus *cpus, const struct st_trace_event *e)
{
    struct cpu *cpu = &cpus->cpus[e->cpu];
    if (cpu->runs == NULL || cpu->runs->pid != e->prev_pid) { /* it had the CPU since an event unknown */
        cpu->runs = find(cpus, e->prev_pid);
        cpu->since_ns[ON_CPU] = cpu->first_ns;
    }
    end_turn(cpus, e->cpu, e->at_ns);
    cpu->runs = find(cpus, e->pid);
    cpu->since_ns[ON_CPU] = e->at_ns;
}

static void enter(struct cpus *cpus, const struct st_trace_event *e, int place)
{
    struct cpu *cpu = &cpus->cpus[e->cpu];
    end_inside(cpus, e->cpu, place, e->at_ns);
    st_cpu_events_name(e->kind, e->number, e->name, cpu->inside[place], sizeof(cpu->inside[place]));
    cpu->since_ns[place] = e->at_ns;
}

static void take(struct cpus *cpus, const struct st_trace_event *e)
{
    struct cpu *cpu = &cpus->cpus[e->cpu];
    if (e->kind == ST_TRACE_LOST) {
        end_all(cpus, e->cpu, cpu->last_ns);
        if (cpus->writes && e->at_ns >= cpus->json->from_ns)
            st_trace_json_instant(cpus->json, ST_TRACE_CPUS, track_of(e->cpu, ON_CPU), e->at_ns,
                                  "events are missing before this");
    }
    if (!cpu->seen || e->kind == ST_TRACE_LOST)
        cpu->first_ns = e->at_ns;
    cpu->seen = true;
    cpu->last_ns = e->at_ns;
    if (e->kind == ST_TRACE_SWITCH)
        take_switch(cpus, e);
    else if (e->kind == ST_TRACE_IRQ_ENTRY)
        enter(cpus, e, IN_IRQ);
    else if (e->kind == ST_TRACE_IRQ_EXIT)
        end_inside(cpus, e->cpu, IN_IRQ, e->at_ns);
    else if (e->kind == ST_TRACE_SOFTIRQ_ENTRY)
        enter(cpus, e, IN_SOFTIRQ);
    else if (e->kind == ST_TRACE_SOFTIRQ_EXIT)
        end_inside(cpus, e->cpu, IN_SOFTIRQ, e->at_ns);
}

/* From the first event to the last. */
static void walk(struct cpus *cpus)
{
    const int64_t end_ns = cpus->events[cpus->n - 1].at_ns;
    memset(cpus->cpus, 0, sizeof(cpus->cpus));
    ST_EACH_OF (event, cpus->events, cpus->n)
        take(cpus, event);
    for (int i = 0; i < ST_CPU_EVENTS_CPUS; i++)
        end_all(cpus, i, end_ns);
}

static void name_tracks(const struct cpus *cpus)
{
    static const char *const places[] = {"", ": interrupts", ": softirqs"};
    st_trace_json_name(cpus->json, ST_TRACE_CPUS, 0, "CPUs");
    for (int i = 0; i < PLACES * ST_CPU_EVENTS_CPUS; i++) {
        if (cpus->cpus[i / PLACES].seen)
            st_trace_json_name(cpus->json, ST_TRACE_CPUS, track_of(i / PLACES, i % PLACES),
                               ST_TEXT(LABEL_BYTES, "CPU %d%s", i / PLACES, places[i % PLACES]));
    }
}

int st_trace_cpus_write(const struct st_trace_json *json, const struct st_trace_event *events, size_t n,
                        const struct st_cycle_ring *ring, const struct st_trace_cycle *missed,
                        size_t missed_n, bool names)
{
    struct cpus *cpus = calloc(1, sizeof(*cpus));
    if (cpus == NULL)
        return -ENOMEM;
    cpus->events = events;
    cpus->n = n;
    cpus->json = json;
    cpus->missed = missed;
    cpus->missed_n = missed_n;
    const int r = list_threads(cpus);
    if (r == 0) {
        learn_all(cpus, ring);
        for (size_t i = 0; names && i < cpus->threads_n; i++)
            cpus->threads[i].shown = true;
        walk(cpus);
        cpus->writes = true;
        walk(cpus);
        name_tracks(cpus);
        free(cpus->threads);
    }
    free(cpus);
    return r;
}
