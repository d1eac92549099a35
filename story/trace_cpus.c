#include "story/trace_cpus.h"

#include "core/perfetto.h"
#include "core/text/text.h"

#define LABEL_BYTES 64
#define LABELS_MAX  1024
#define SHARE       5 /* of a missed cycle, that makes a culprit */

enum state { STATE_UNKNOWN, STATE_SLEEPS, STATE_WAITS, STATE_RUNS, STATE_STOPPED };

struct thread {
    int pid;          /* first, for by_pid */
    bool shown;       /* by its name */
    bool has_track;   /* it was stopped, or is a client's */
    bool is_named;    /* label is final */
    uint64_t parent;  /* track */
    enum state state; /* on its CPU */
    int cpu;          /* where it runs */
    int64_t since_ns; /* of the state */
    int64_t free_ns;  /* its track has nothing from here on */
    char label[LABEL_BYTES];
};

struct label {
    enum st_trace_kind kind;
    int number;
    char text[LABEL_BYTES];
};

enum { ON_CPU, IN_IRQ, IN_SOFTIRQ, PLACES };

struct cpu {
    bool seen;
    struct thread *runs;        /* NULL: not known */
    int64_t first_ns, last_ns;  /* events, without a gap */
    const char *inside[PLACES]; /* interrupt, softirq; NULL: none */
    int64_t since_ns[PLACES], free_ns[PLACES];
};

struct st_trace_cpus {
    const struct st_trace_event *events;
    size_t n;
    struct thread *threads; /* by pid */
    size_t threads_n;
    unsigned others_n;
    struct cpu cpus[ST_CPU_EVENTS_CPUS];
    struct label labels[LABELS_MAX];
    size_t labels_n;
    int64_t lost_ns; /* events are missing, back from here */
    /* of st_trace_cpus_add */
    struct st_trace_items *items; /* NULL: it is looked who the culprits are */
    int64_t from_ns;
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
static struct thread *find(const struct st_trace_cpus *cpus, int pid)
{
    return bsearch(&pid, cpus->threads, cpus->threads_n, sizeof(*cpus->threads), by_pid);
}

static int list_threads(struct st_trace_cpus *cpus)
{
    int *pids = calloc(2 * cpus->n + 1, sizeof(*pids));
    size_t n = 0;
    if (pids == NULL)
        return -1;
    for (const struct st_trace_event *e = cpus->events; e < cpus->events + cpus->n; e++) {
        if (e->kind == ST_TRACE_SWITCH)
            pids[n++] = e->prev_pid;
        if (e->kind == ST_TRACE_SWITCH || e->kind == ST_TRACE_WAKING)
            pids[n++] = e->pid;
    }
    qsort(pids, n, sizeof(*pids), by_pid);
    cpus->threads = calloc(n + 1, sizeof(*cpus->threads));
    for (size_t i = 0; cpus->threads != NULL && i < n; i++) {
        if (i == 0 || pids[i] != pids[i - 1])
            cpus->threads[cpus->threads_n++] = (struct thread){.pid = pids[i], .parent = ST_TRACK_CPUS};
    }
    free(pids);
    return cpus->threads != NULL ? 0 : -1;
}

static void learn(struct st_trace_cpus *cpus, int pid, const char *name, bool is_realtime, bool stopped)
{
    struct thread *thread = find(cpus, pid);
    if (thread == NULL)
        return; /* never: it is listed */
    st_cpu_events_name(ST_TRACE_SWITCH, pid, name, thread->label, sizeof(thread->label));
    thread->shown = thread->shown || is_realtime || stopped || strchr(name, '/') != NULL;
    thread->has_track = thread->has_track || stopped;
}

static void learn_all(struct st_trace_cpus *cpus, const struct st_cycle_ring *ring)
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
        thread->shown = thread->has_track = true;
        if (thread->label[0] == '\0')
            ST_PRINT(thread->label, "%d", thread->pid);
        thread->parent = ST_TRACK_CLIENT + i;
    }
}

struct st_trace_cpus *st_trace_cpus_new(const struct st_trace_event *events, size_t n,
                                        const struct st_cycle_ring *ring)
{
    struct st_trace_cpus *cpus = calloc(1, sizeof(*cpus));
    if (cpus == NULL)
        return NULL;
    cpus->events = events;
    cpus->n = n;
    if (list_threads(cpus) != 0) {
        free(cpus);
        return NULL;
    }
    learn_all(cpus, ring);
    return cpus;
}

void st_trace_cpus_free(struct st_trace_cpus *cpus)
{
    if (cpus != NULL)
        free(cpus->threads);
    free(cpus);
}

int64_t st_trace_cpus_reach_ns(const struct st_trace_cpus *cpus, int64_t at_ns)
{
    int64_t reach_ns = cpus->n > 0 ? cpus->events[0].at_ns : INT64_MAX;
    for (const struct st_trace_event *e = cpus->events; e < cpus->events + cpus->n; e++) {
        if (e->kind == ST_TRACE_LOST && e->at_ns > reach_ns && e->at_ns <= at_ns)
            reach_ns = e->at_ns;
    }
    return reach_ns < at_ns ? reach_ns : INT64_MAX;
}

/* --- what they did --- */

static const char *label_of(struct st_trace_cpus *cpus, enum st_trace_kind kind, int number, const char *text)
{
    struct label *label = cpus->labels;
    while (label < cpus->labels + cpus->labels_n &&
           (label->kind != kind || label->number != number || !st_text_is(label->text, text)))
        label++;
    if (label == cpus->labels + LABELS_MAX)
        return "(too many names)";
    if (label == cpus->labels + cpus->labels_n) {
        cpus->labels_n++;
        label->kind = kind;
        label->number = number;
        ST_PRINT(label->text, "%s", text);
    }
    return label->text;
}

/* A slice, later than what its track has. */
static void put(struct st_trace_cpus *cpus, uint64_t track, int64_t *free_ns, int64_t from_ns, int64_t to_ns,
                const char *text)
{
    const int64_t low_ns = ST_MAX(*free_ns, cpus->from_ns);
    if (cpus->items != NULL && to_ns > low_ns)
        *free_ns = st_trace_items_slice(cpus->items, track, ST_MAX(from_ns, low_ns), to_ns, text);
}

static void look_for_culprit(const struct st_trace_cpus *cpus, struct thread *thread, int64_t from_ns,
                             int64_t to_ns)
{
    for (size_t i = 0; i < cpus->missed_n && !thread->shown; i++) {
        const struct st_trace_cycle *cycle = &cpus->missed[i];
        const int64_t a_ns = ST_MAX(from_ns, cycle->from_ns), b_ns = ST_MIN(to_ns, cycle->to_ns);
        thread->shown = b_ns - a_ns >= (cycle->to_ns - cycle->from_ns) / SHARE && b_ns > a_ns;
    }
}

/* The idle thread is no thread. */
static void end_turn(struct st_trace_cpus *cpus, int number, int64_t at_ns)
{
    struct cpu *cpu = &cpus->cpus[number];
    struct thread *thread = cpu->runs;
    cpu->runs = NULL;
    if (thread == NULL || thread->pid == 0)
        return;
    if (cpus->items == NULL) {
        look_for_culprit(cpus, thread, cpu->since_ns[ON_CPU], at_ns);
        return;
    }
    if (!thread->shown && !thread->is_named)
        ST_PRINT(thread->label, "other %u", ++cpus->others_n);
    thread->is_named = true;
    put(cpus, ST_TRACK_CPU + (uint64_t)PLACES * (unsigned)number, &cpu->free_ns[ON_CPU],
        cpu->since_ns[ON_CPU], at_ns, thread->label);
}

static void end_inside(struct st_trace_cpus *cpus, int number, int place, int64_t at_ns)
{
    struct cpu *cpu = &cpus->cpus[number];
    if (cpu->inside[place] != NULL)
        put(cpus, ST_TRACK_CPU + (uint64_t)PLACES * (unsigned)number + (unsigned)place, &cpu->free_ns[place],
            cpu->since_ns[place], at_ns, cpu->inside[place]);
    cpu->inside[place] = NULL;
}

static void end_all(struct st_trace_cpus *cpus, int number, int64_t at_ns)
{
    end_turn(cpus, number, at_ns);
    end_inside(cpus, number, IN_IRQ, at_ns);
    end_inside(cpus, number, IN_SOFTIRQ, at_ns);
}

/* What it did before is known only if no events are missing since then. */
static void set_state(struct st_trace_cpus *cpus, struct thread *thread, enum state state, int cpu,
                      int64_t at_ns)
{
    const uint64_t track = ST_TRACK_THREAD + (uint64_t)(thread - cpus->threads);
    const char *text = thread->state == STATE_WAITS     ? "waits for a CPU"
                       : thread->state == STATE_STOPPED ? "stopped"
                       : thread->state == STATE_RUNS && thread->has_track
                           ? label_of(cpus, ST_TRACE_SWITCH, thread->cpu,
                                      ST_TEXT(LABEL_BYTES, "runs on CPU %d", thread->cpu))
                           : NULL;
    if (text != NULL && thread->has_track && thread->since_ns >= cpus->lost_ns)
        put(cpus, track, &thread->free_ns, thread->since_ns, at_ns, text);
    thread->state = state;
    thread->cpu = cpu;
    thread->since_ns = at_ns;
}

static void take_switch(struct st_trace_cpus *cpus, const struct st_trace_event *e)
{
    struct cpu *cpu = &cpus->cpus[e->cpu];
    struct thread *prev = find(cpus, e->prev_pid), *next = find(cpus, e->pid);
    if (cpu->runs == NULL || cpu->runs->pid != e->prev_pid) { /* it had the CPU since an event unknown */
        cpu->runs = prev;
        cpu->since_ns[ON_CPU] = cpu->first_ns;
    }
    end_turn(cpus, e->cpu, e->at_ns);
    set_state(cpus, prev,
              (e->prev_state & ST_TRACE_STOPPED) != 0 ? STATE_STOPPED
              : e->prev_state == 0                    ? STATE_WAITS
                                                      : STATE_SLEEPS,
              e->cpu, e->at_ns);
    set_state(cpus, next, STATE_RUNS, e->cpu, e->at_ns);
    cpu->runs = next;
    cpu->since_ns[ON_CPU] = e->at_ns;
}

static void enter(struct st_trace_cpus *cpus, const struct st_trace_event *e, int place)
{
    char text[LABEL_BYTES];
    st_cpu_events_name(e->kind, e->number, e->name, text, sizeof(text));
    end_inside(cpus, e->cpu, place, e->at_ns);
    cpus->cpus[e->cpu].inside[place] = label_of(cpus, e->kind, e->number, text);
    cpus->cpus[e->cpu].since_ns[place] = e->at_ns;
}

static void take(struct st_trace_cpus *cpus, const struct st_trace_event *e)
{
    struct cpu *cpu = &cpus->cpus[e->cpu];
    struct thread *thread = e->kind == ST_TRACE_WAKING ? find(cpus, e->pid) : NULL;
    if (e->kind == ST_TRACE_LOST) {
        end_all(cpus, e->cpu, cpu->last_ns);
        cpus->lost_ns = e->at_ns;
        if (cpus->items != NULL && e->at_ns >= cpus->from_ns)
            st_trace_items_instant(cpus->items, e->at_ns, ST_TRACK_CPU + (uint64_t)PLACES * (unsigned)e->cpu,
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
    if (thread != NULL && thread->state != STATE_RUNS && thread->state != STATE_WAITS)
        set_state(cpus, thread, STATE_WAITS, e->cpu, e->at_ns);
}

/* From the first event to the last. */
static void walk(struct st_trace_cpus *cpus, struct st_trace_items *items)
{
    const int64_t end_ns = cpus->n > 0 ? cpus->events[cpus->n - 1].at_ns : 0;
    cpus->items = items;
    cpus->lost_ns = 0;
    memset(cpus->cpus, 0, sizeof(cpus->cpus));
    ST_EACH_OF (thread, cpus->threads, cpus->threads_n) {
        thread->state = STATE_UNKNOWN;
        thread->since_ns = thread->free_ns = 0;
    }
    ST_EACH_OF (event, cpus->events, cpus->n)
        take(cpus, event);
    for (int i = 0; i < ST_CPU_EVENTS_CPUS; i++) {
        end_all(cpus, i, end_ns);
    }
    ST_EACH_OF (thread, cpus->threads, cpus->threads_n)
        set_state(cpus, thread, STATE_UNKNOWN, 0, end_ns);
}

void st_trace_cpus_add(struct st_trace_cpus *cpus, struct st_trace_items *items, int64_t from_ns,
                       const struct st_trace_cycle *missed, size_t missed_n, bool names)
{
    cpus->from_ns = from_ns;
    cpus->missed = missed;
    cpus->missed_n = missed_n;
    for (size_t i = 0; names && i < cpus->threads_n; i++)
        cpus->threads[i].shown = true;
    walk(cpus, NULL);
    walk(cpus, items);
}

void st_trace_cpus_tracks(const struct st_trace_cpus *cpus, FILE *out)
{
    static const char *const places[] = {"", ": interrupts", ": softirqs"};
    st_perfetto_track(out, ST_TRACK_CPUS, ST_TRACK_ABOUT, "CPUs");
    for (unsigned i = 0; i < (unsigned)PLACES * ST_CPU_EVENTS_CPUS; i++) {
        if (cpus->cpus[i / PLACES].seen)
            st_perfetto_track(out, ST_TRACK_CPU + i, ST_TRACK_CPUS,
                              ST_TEXT(LABEL_BYTES, "CPU %u%s", i / PLACES, places[i % PLACES]));
    }
    for (size_t i = 0; i < cpus->threads_n; i++) {
        const struct thread *thread = &cpus->threads[i];
        if (thread->has_track)
            st_perfetto_track(out, ST_TRACK_THREAD + i, thread->parent,
                              ST_TEXT(2 * LABEL_BYTES, "thread %s", thread->label));
    }
}
