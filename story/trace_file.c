#include "story/trace_file.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "story/trace_json.h"
#include "xruns/cpu_events.h"
#include "xruns/cycle_ring.h"

#define MISSED_MAX 64          /* cycles in which a culprit is looked for: the last ones */
#define PAUSE_NS   ST_NS_PER_S /* a driver that began no cycle for longer had nothing to do */
#define PERIODS    4           /* lengths of cycles that are named */
#define NOTE_BYTES 300

/* A client's cycle, CLOCK_MONOTONIC. */
struct st_trace_cycle {
    int64_t from_ns, to_ns;
};

/* A trace that is put together. */
struct work {
    struct st_trace_file *file;
    struct st_trace_json json;
    struct st_trace_cycle missed[MISSED_MAX]; /* the last ones */
    size_t missed_n;
    int64_t from_ns, to_ns; /* what it has, so far */
    int64_t periods_ns[PERIODS];
    size_t periods_n;
    int notes_n;
};

/* --- the kernel's half: for each CPU what ran, interrupts and softirqs --- */

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
    const struct work *work;
    const struct st_trace_event *events; /* as st_cpu_events_check lets them */
    size_t n;
    struct thread *threads; /* by pid */
    size_t threads_n;
    unsigned others_n;
    struct cpu cpus[ST_CPU_EVENTS_CPUS];
    bool writes; /* else it is looked who the culprits are */
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

static void learn_all(struct cpus *cpus)
{
    for (const struct st_trace_event *e = cpus->events; e < cpus->events + cpus->n; e++) {
        if (e->kind != ST_TRACE_SWITCH)
            continue;
        learn(cpus, e->prev_pid, e->prev_name, false, (e->prev_state & ST_TRACE_STOPPED) != 0);
        learn(cpus, e->pid, e->name, e->is_realtime != 0, false);
    }
    for (size_t i = 0; i < ST_CYCLE_RING_NAMES; i++) {
        const int tid = cpus->work->file->copy.ring->tids[i];
        struct thread *thread = tid > 0 ? find(cpus, tid) : NULL;
        if (thread == NULL)
            continue;
        thread->shown = true;
        if (thread->label[0] == '\0')
            ST_PRINT(thread->label, "%d", thread->pid);
    }
}

/* For how long before that time nothing is missing. */
static int64_t reach_of(const struct st_trace_copy *copy, int64_t at_ns)
{
    int64_t from_ns = copy->events[0].at_ns;
    ST_EACH_OF (e, copy->events, copy->events_n) {
        if (e->kind == ST_TRACE_LOST && e->at_ns > from_ns && e->at_ns <= at_ns)
            from_ns = e->at_ns;
    }
    return ST_MAX(at_ns - from_ns, 0);
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
    const int64_t low_ns = ST_MAX(cpu->free_ns[place], cpus->work->from_ns);
    if (cpus->writes && to_ns > low_ns)
        cpu->free_ns[place] = st_trace_json_slice(&cpus->work->json, ST_TRACE_CPUS, track_of(number, place),
                                                  ST_MAX(cpu->since_ns[place], low_ns), to_ns, text);
}

static void look_for_culprit(const struct cpus *cpus, struct thread *thread, int64_t from_ns, int64_t to_ns)
{
    for (size_t i = 0; i < ST_MIN(cpus->work->missed_n, MISSED_MAX) && !thread->shown; i++) {
        const struct st_trace_cycle *cycle = &cpus->work->missed[i];
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
        if (cpus->writes && e->at_ns >= cpus->work->from_ns)
            st_trace_json_instant(&cpus->work->json, ST_TRACE_CPUS, track_of(e->cpu, ON_CPU), e->at_ns,
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

static void name_cpus(const struct cpus *cpus)
{
    static const char *const places[] = {"", ": interrupts", ": softirqs"};
    st_trace_json_name(&cpus->work->json, ST_TRACE_CPUS, 0, "CPUs");
    for (int i = 0; i < PLACES * ST_CPU_EVENTS_CPUS; i++) {
        if (cpus->cpus[i / PLACES].seen)
            st_trace_json_name(&cpus->work->json, ST_TRACE_CPUS, track_of(i / PLACES, i % PLACES),
                               ST_TEXT(LABEL_BYTES, "CPU %d%s", i / PLACES, places[i % PLACES]));
    }
}

/* Writes what was since the file's beginning. Threads keep their names that are a client's, have real-time
 * priority, are the kernel's for one CPU ("kworker/0:1"), were stopped, or had a CPU at a stretch for a fifth
 * of a missed cycle; the others are "other 1", "other 2", unless file->names. @return 0 or -ENOMEM. */
static int add_cpus(const struct work *work)
{
    const struct st_trace_file *file = work->file;
    struct cpus *cpus = calloc(1, sizeof(*cpus));
    if (cpus == NULL)
        return -ENOMEM;
    cpus->work = work;
    cpus->events = file->copy.events;
    cpus->n = file->copy.events_n;
    const int r = list_threads(cpus);
    if (r == 0) {
        learn_all(cpus);
        for (size_t i = 0; file->names && i < cpus->threads_n; i++)
            cpus->threads[i].shown = true;
        walk(cpus);
        cpus->writes = true;
        walk(cpus);
        name_cpus(cpus);
        free(cpus->threads);
    }
    free(cpus);
    return r;
}

/* --- cycles --- */

static bool is_not_yet(uint32_t span_ns)
{
    return span_ns == ST_CYCLE_RING_NOT_YET;
}

/* When its cycle should have been finished; INT64_MAX: not known. PipeWire 0.3 reports a client that was not
 * ready already in the cycle before. */
static int64_t deadline_of(const struct st_cycle_row *row)
{
    const int64_t period_ns = row->period_ns;
    if (period_ns == 0 || is_not_yet(row->period_ns))
        return INT64_MAX;
    const bool in_next = row->signal_ns - row->cycle_ns > period_ns - period_ns / 8;
    return row->cycle_ns + (in_next ? 2 : 1) * period_ns;
}

static void add_missed(struct work *work, const struct st_cycle_row *row, int64_t from_ns,
                       int64_t deadline_ns, int64_t to_ns)
{
    if (deadline_ns >= work->from_ns)
        st_trace_json_instant(&work->json, ST_TRACE_MOMENT, ST_TRACE_MISSED, deadline_ns,
                              work->file->copy.ring->names[row->name]);
    work->missed[work->missed_n++ % MISSED_MAX] = (struct st_trace_cycle){from_ns, to_ns};
}

/* A driver whose cycle began late, and not after a pause: all that it drives is late with it. */
static void add_late_driver(struct work *work, const struct st_cycle_row *row)
{
    const int64_t period_ns = row->period_ns, due_ns = row->cycle_ns + period_ns;
    if (row->is_driver && row->cycle_ns != 0 && period_ns != 0 && !is_not_yet(row->period_ns) &&
        row->signal_ns - due_ns >= period_ns / 4 && row->signal_ns - due_ns <= PAUSE_NS)
        add_missed(work, row, due_ns, due_ns, row->signal_ns);
}

/* A client's cycles. */
struct lane {
    const struct st_cycle_row *first, *last; /* of one signal_ns */
    int64_t free_ns[2];                      /* both tracks have nothing from here on */
};

/* A cycle that overlaps the one before has a track of its own. */
static void add_cycle(struct work *work, const struct st_cycle_row *first, const struct st_cycle_row *last,
                      struct lane *lane)
{
    const bool overlaps = first->signal_ns < lane->free_ns[0];
    const int track = (overlaps ? ST_TRACE_OVERLAP : ST_TRACE_CLIENT) + first->name;
    const int64_t seen_ns = last->cycle_ns + (is_not_yet(last->period_ns) ? 0 : last->period_ns);
    const int64_t begin_ns = ST_MAX(first->signal_ns, lane->free_ns[overlaps]);
    const int64_t awake_ns = is_not_yet(last->wait_ns) ? seen_ns : last->signal_ns + last->wait_ns;
    const int64_t end_ns =
        is_not_yet(last->wait_ns) || is_not_yet(last->busy_ns) ? seen_ns : awake_ns + last->busy_ns;
    const int64_t deadline_ns = deadline_of(first);
    if (overlaps && lane->free_ns[1] == 0)
        st_trace_json_name(&work->json, ST_TRACE_MOMENT, track,
                           ST_TEXT(2 * ST_XRUN_NAME_BYTES, "%s: overlaps its next cycle",
                                   work->file->copy.ring->names[first->name]));
    int64_t at_ns = st_trace_json_slice(&work->json, ST_TRACE_MOMENT, track, begin_ns, awake_ns,
                                        first->is_driver ? "waits for its clients" : "waits");
    at_ns = st_trace_json_slice(&work->json, ST_TRACE_MOMENT, track, at_ns, end_ns, "computes");
    lane->free_ns[overlaps] = at_ns;
    work->to_ns = ST_MAX(at_ns, work->to_ns);
    work->file->cycles_n += !first->is_driver;
    if (!first->is_driver && end_ns > deadline_ns) {
        add_missed(work, first, first->signal_ns, deadline_ns, end_ns);
        work->file->missed_n++;
    }
}

static void note_period(struct work *work, const struct st_cycle_row *row)
{
    size_t i = 0;
    if (!row->is_driver || row->period_ns == 0 || is_not_yet(row->period_ns))
        return;
    while (i < work->periods_n && work->periods_ns[i] != row->period_ns)
        i++;
    if (i == work->periods_n && i < PERIODS)
        work->periods_ns[work->periods_n++] = row->period_ns;
}

static void add_cycles(struct work *work)
{
    static struct lane lanes[ST_CYCLE_RING_NAMES];
    const struct st_cycle_ring *ring = work->file->copy.ring;
    const size_t n = st_cycle_ring_n(ring);
    memset(lanes, 0, sizeof(lanes));
    for (size_t i = 0; i <= n + ST_CYCLE_RING_NAMES; i++) { /* at the end each one is closed */
        const struct st_cycle_row *row = i < n ? st_cycle_ring_at(ring, i) : NULL;
        const size_t which = row != NULL ? row->name : i - n;
        if (which >= ST_CYCLE_RING_NAMES || (row != NULL && row->signal_ns < work->from_ns))
            continue;
        struct lane *open = &lanes[which];
        if (open->first != NULL && (row == NULL || row->signal_ns > open->first->signal_ns)) {
            add_cycle(work, open->first, open->last, open);
            open->first = NULL;
        }
        if (row == NULL)
            continue;
        note_period(work, row);
        if (open->first != NULL && row->signal_ns < open->first->signal_ns) { /* known later */
            add_cycle(work, row, row, open);
            continue;
        }
        if (open->first == NULL) {
            add_late_driver(work, row);
            open->first = row;
        }
        open->last = row;
    }
}

/* --- the rest --- */

static void add_events(struct work *work)
{
    const json_t *event;
    size_t i;
    json_array_foreach(work->file->happened, i, event)
    {
        const char *text = st_json_text_of(event, "text");
        const int64_t at_ns =
            st_ns_sub(json_integer_value(json_object_get(event, "time_ns")), work->file->copy.ring->wall_ns);
        if (text[0] == '\0' || at_ns < work->from_ns)
            continue;
        st_trace_json_instant(&work->json, ST_TRACE_MOMENT, ST_TRACE_EVENTS, at_ns, text);
        if (json_object_get(event, "why") != NULL) /* sound was lost */
            work->file->dropouts_n =
                st_ns_add(work->file->dropouts_n, json_integer_value(json_object_get(event, "count_n")));
        work->to_ns = ST_MAX(at_ns, work->to_ns);
    }
}

static void add_levels(struct work *work)
{
    const struct st_cycle_levels *levels = &work->file->copy.ring->levels;
    for (uint64_t i = levels->written > ST_LEVELS_MAX ? levels->written - ST_LEVELS_MAX : 0;
         i < levels->written; i++) {
        const struct st_cycle_level *level = &levels->rows[i % ST_LEVELS_MAX];
        if (level->at_ns < work->from_ns)
            continue;
        st_trace_json_value(&work->json, level->at_ns, level->name, level->left_ns);
        work->to_ns = ST_MAX(level->at_ns, work->to_ns);
    }
}

/* A track of its own for each note: a slice from end to end, which can be read in the viewer. */
static void add_note(struct work *work, const char *title, const char *text)
{
    const int track = ST_TRACE_NOTE + work->notes_n++;
    if (text[0] == '\0')
        return;
    st_trace_json_name(&work->json, ST_TRACE_MOMENT, track, title);
    (void)st_trace_json_slice(&work->json, ST_TRACE_MOMENT, track, work->from_ns, work->to_ns, text);
}

/* Up to what time the file reaches is known now. */
static void add_notes(struct work *work)
{
    const struct st_trace_file *file = work->file;
    const struct st_cycle_ring *ring = file->copy.ring;
    char text[NOTE_BYTES];
    if (file->reach_ns != INT64_MIN)
        ST_PRINT(text, "%s: what it did is in this file from %.1f s before the event on%s", ring->kernel,
                 (double)file->reach_ns / 1e9,
                 file->names ? "" : "; programs that are neither audio nor culprit are \"other\"");
    else
        ST_PRINT(text, "%s: what it did is not in this file%s", ring->kernel,
                 st_text_begins(ring->kernel, "Linux")
                     ? ": that needs trace.enabled, and only root gets it from root's sleeptuned"
                     : "");
    add_note(work, "kernel", text);
    add_note(work, "server", ring->server);
    add_note(work, "watched", ring->levels.about);
    if (file->cycles_n == 0)
        add_note(work, "cycles",
                 "only PipeWire reports when each client waited and computed, to the user's own sleeptuned");
    text[0] = '\0';
    for (size_t i = 0; i < work->periods_n; i++)
        ST_APPEND(text, "%s%.3f ms", i > 0 ? ", " : "", (double)work->periods_ns[i] / (double)ST_NS_PER_MS);
    add_note(work, "length of a cycle", text);
    ST_EACH_OF (note, file->notes, file->notes_n)
        add_note(work, "report", *note);
}

static void name_tracks(const struct work *work)
{
    const struct st_trace_json *json = &work->json;
    const struct st_cycle_ring *ring = work->file->copy.ring;
    st_trace_json_name(json, ST_TRACE_LEVELS, 0, "how long the sound that was left would last");
    st_trace_json_name(json, ST_TRACE_MOMENT, ST_TRACE_MISSED, "missed deadlines");
    st_trace_json_name(json, ST_TRACE_MOMENT, ST_TRACE_EVENTS, "what sleeptuned reported then");
    for (int i = 0; i < ST_CYCLE_RING_NAMES && ring->names[i][0] != '\0'; i++)
        st_trace_json_name(json, ST_TRACE_MOMENT, ST_TRACE_CLIENT + i, ring->names[i]);
}

int st_trace_file_write(FILE *out, struct st_trace_file *file)
{
    static struct work work; /* one thread at a time */
    const struct st_cycle_ring *ring = file->copy.ring;
    const int64_t event_ns = st_ns_sub(file->copy.wall_ns, ring->wall_ns);
    const int64_t from_ns = event_ns > file->copy.before_ns ? event_ns - file->copy.before_ns : 0;
    int r = 0;
    work = (struct work){.file = file, .json = {out, from_ns}, .from_ns = from_ns, .to_ns = from_ns};
    file->cycles_n = file->missed_n = 0;
    file->dropouts_n = 0;
    file->reach_ns = INT64_MIN;
    st_trace_json_begin(&work.json, from_ns + ring->wall_ns);
    name_tracks(&work);
    add_cycles(&work);
    add_events(&work);
    add_levels(&work);
    if (file->copy.events_n > 0) {
        file->reach_ns = reach_of(&file->copy, event_ns);
        r = add_cpus(&work);
    }
    add_notes(&work);
    st_trace_json_end(&work.json);
    return r;
}
