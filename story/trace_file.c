#include "story/trace_file.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "story/trace_json.h"

#define PAUSE_NS                                                                                   \
    ST_NS_PER_S /* a driver that began no cycle for longer than this was idle, not late */

/* The trace that is being written. Times of the copy: CLOCK_MONOTONIC. */
struct work {
    const struct st_trace_file *file;
    struct st_trace_json json;
    int64_t from_ns, event_ns;
};

/* --- the kernel's events: for each CPU the thread that ran, interrupts and softirqs --- */

#define LABEL_BYTES 64

enum { ON_CPU, IN_IRQ, IN_SOFTIRQ, PLACES };

struct cpu {
    bool seen;
    int pid;                   /* thread that has the CPU; 0: idle, or not known */
    int64_t first_ns, last_ns; /* first and last event since events were lost */
    struct {
        char label[LABEL_BYTES]; /* name of the thread, interrupt or softirq; "": none */
        int64_t since_ns, free_ns;
    } at[PLACES];
};

static int track_of(int cpu, int place)
{
    return 1 + PLACES * cpu + place;
}

/* Ends what ran at this place (thread, interrupt or softirq), and writes it as a slice of its
 * track. The slice begins no earlier than the previous one ended. */
static void leave(const struct work *work, struct cpu *cpus, int number, int place, int64_t at_ns)
{
    struct cpu *cpu = &cpus[number];
    const int64_t low_ns =
        ST_MAX(ST_MAX(cpu->at[place].since_ns, cpu->at[place].free_ns), work->from_ns);
    if (cpu->at[place].label[0] != '\0')
        cpu->at[place].free_ns =
            st_trace_json_slice(&work->json, ST_TRACE_CPUS, track_of(number, place), low_ns, at_ns,
                                cpu->at[place].label);
    cpu->at[place].label[0] = '\0';
}

static void enter(struct cpu *cpu, const struct st_trace_event *e, int place, int number)
{
    st_cpu_events_name(e->kind, number, e->name, cpu->at[place].label, LABEL_BYTES);
    cpu->at[place].since_ns = e->at_ns;
}

static void leave_all(const struct work *work, struct cpu *cpus, int number, int64_t at_ns)
{
    for (int place = 0; place < PLACES; place++)
        leave(work, cpus, number, place, at_ns);
}

/* Handles a switch of threads: writes the slice of the thread that leaves the CPU, and begins the
 * slice of the thread that gets it. The idle thread gets no slice. */
static void take_switch(const struct work *work, struct cpu *cpus, const struct st_trace_event *e)
{
    struct cpu *cpu = &cpus[e->cpu];
    char *label = cpu->at[ON_CPU].label;
    /* The thread got the CPU before the first known event of this CPU, so its slice begins at that
     * event. */
    if (cpu->pid != e->prev_pid)
        cpu->at[ON_CPU].since_ns = cpu->first_ns;
    label[0] = '\0';
    if (e->prev_pid != 0)
        st_cpu_events_name(e->kind, e->prev_pid, e->prev_name, label, LABEL_BYTES);
    leave(work, cpus, e->cpu, ON_CPU, e->at_ns);
    cpu->pid = e->pid;
    if (e->pid != 0)
        enter(cpu, e, ON_CPU, e->pid);
}

static void take(const struct work *work, struct cpu *cpus, const struct st_trace_event *e)
{
    struct cpu *cpu = &cpus[e->cpu];
    const int place =
        e->kind == ST_TRACE_IRQ_ENTRY || e->kind == ST_TRACE_IRQ_EXIT ? IN_IRQ : IN_SOFTIRQ;
    if (e->kind == ST_TRACE_LOST) {
        leave_all(work, cpus, e->cpu, cpu->last_ns);
        cpu->pid = 0;
        if (e->at_ns >= work->from_ns)
            st_trace_json_instant(&work->json, ST_TRACE_CPUS, track_of(e->cpu, ON_CPU), e->at_ns,
                                  "events before this moment are missing");
    }
    if (!cpu->seen || e->kind == ST_TRACE_LOST)
        cpu->first_ns = e->at_ns;
    cpu->seen = true;
    cpu->last_ns = e->at_ns;
    if (e->kind == ST_TRACE_SWITCH)
        take_switch(work, cpus, e);
    else if (e->kind != ST_TRACE_WAKING && e->kind != ST_TRACE_LOST)
        leave(work, cpus, e->cpu, place, e->at_ns);
    if (e->kind == ST_TRACE_IRQ_ENTRY || e->kind == ST_TRACE_SOFTIRQ_ENTRY)
        enter(cpu, e, place, e->number);
}

/* Writes the kernel's events since the beginning of the trace. @return 0 or -ENOMEM. */
static int add_cpus(const struct work *work)
{
    static const char *const places[] = {"", ": interrupts", ": softirqs"};
    const struct st_trace_copy *copy = &work->file->copy;
    struct cpu *cpus = calloc(ST_CPU_EVENTS_CPUS, sizeof(*cpus));
    if (cpus == NULL)
        return -ENOMEM;
    st_trace_json_name(&work->json, ST_TRACE_CPUS, 0, "CPUs");
    ST_EACH_OF (event, copy->events, copy->events_n)
        take(work, cpus, event);
    for (int i = 0; i < ST_CPU_EVENTS_CPUS; i++) {
        leave_all(work, cpus, i, copy->events[copy->events_n - 1].at_ns);
        for (int place = 0; cpus[i].seen && place < PLACES; place++)
            st_trace_json_name(&work->json, ST_TRACE_CPUS, track_of(i, place),
                               st_text("CPU %d%s", i, places[place]));
    }
    free(cpus);
    return 0;
}

/* --- cycles --- */

static bool is_not_yet(uint32_t span_ns)
{
    return span_ns == ST_CYCLE_RING_NOT_YET;
}

/* When the client's cycle should have been finished; INT64_MAX: not known. PipeWire 0.3 reports a
 * client that was not ready one cycle early. */
static int64_t deadline_of(const struct st_cycle_row *row)
{
    const int64_t period_ns = row->period_ns;
    if (period_ns == 0 || is_not_yet(row->period_ns))
        return INT64_MAX;
    const bool in_next = row->signal_ns - row->cycle_ns > period_ns - period_ns / 8;
    return row->cycle_ns + (1 + in_next) * period_ns;
}

static void add_missed(const struct work *work, const struct st_cycle_row *row, int64_t deadline_ns)
{
    if (deadline_ns >= work->from_ns)
        st_trace_json_instant(&work->json, ST_TRACE_MOMENT, ST_TRACE_MISSED, deadline_ns,
                              work->file->copy.ring->names[row->name]);
}

/* Writes a mark "missed deadline" if the cycle of a driver began late, since all clients that it
 * drives are then late, too. Writes none after a pause, in which the driver was idle. */
static void add_late_driver(const struct work *work, const struct st_cycle_row *row)
{
    const int64_t period_ns = row->period_ns, due_ns = row->cycle_ns + period_ns;
    if (row->is_driver && row->cycle_ns != 0 && period_ns != 0 && !is_not_yet(row->period_ns) &&
        row->signal_ns - due_ns >= period_ns / 4 && row->signal_ns - due_ns <= PAUSE_NS)
        add_missed(work, row, due_ns);
}

/* The cycles of one client while they are read. */
struct lane {
    const struct st_cycle_row *first,
        *last; /* rows with the same signal_ns: they belong to one cycle */
    /* end of the last slice in the client's track, and in its track for overlapping cycles */
    int64_t free_ns[2];
};

/* Writes a cycle as slices. If it overlaps the previous one, it goes to a second track of the
 * client. */
static void add_cycle(struct work *work, const struct st_cycle_row *first,
                      const struct st_cycle_row *last, struct lane *lane)
{
    const bool overlaps = first->signal_ns < lane->free_ns[0];
    const int track = (overlaps ? ST_TRACE_OVERLAP : ST_TRACE_CLIENT) + first->name;
    const int64_t seen_ns = last->cycle_ns + last->period_ns * !is_not_yet(last->period_ns);
    const int64_t begin_ns = ST_MAX(first->signal_ns, lane->free_ns[overlaps]);
    const int64_t awake_ns = is_not_yet(last->wait_ns) ? seen_ns : last->signal_ns + last->wait_ns;
    const int64_t end_ns =
        is_not_yet(last->wait_ns) || is_not_yet(last->busy_ns) ? seen_ns : awake_ns + last->busy_ns;
    const int64_t deadline_ns = deadline_of(first);
    if (overlaps && lane->free_ns[1] == 0)
        st_trace_json_name(
            &work->json, ST_TRACE_MOMENT, track,
            st_text("%s: overlaps its next cycle", work->file->copy.ring->names[first->name]));
    int64_t at_ns = st_trace_json_slice(&work->json, ST_TRACE_MOMENT, track, begin_ns, awake_ns,
                                        first->is_driver ? "waits for its clients" : "waits");
    at_ns = st_trace_json_slice(&work->json, ST_TRACE_MOMENT, track, at_ns, end_ns, "computes");
    lane->free_ns[overlaps] = at_ns;
    if (!first->is_driver && end_ns > deadline_ns)
        add_missed(work, first, deadline_ns);
}

static void add_cycles(struct work *work)
{
    static struct lane lanes[ST_CYCLE_RING_NAMES];
    const struct st_cycle_ring *ring = work->file->copy.ring;
    const size_t n = st_cycle_ring_n(ring);
    memset(lanes, 0, sizeof(lanes));
    /* after the last row, each client's last cycle is written */
    for (size_t i = 0; i <= n + ST_CYCLE_RING_NAMES; i++) {
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
        /* This row belongs to an earlier cycle, which the server reported too late: it is written
         * alone. */
        if (open->first != NULL && row->signal_ns < open->first->signal_ns) {
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

/* --- events, levels of buffers, notes --- */

static void add_events(struct work *work)
{
    const json_t *event;
    size_t i;
    json_array_foreach(work->file->happened, i, event)
    {
        const char *text = st_json_text_of(event, "text");
        const int64_t at_ns =
            st_ns_sub(st_json_integer(event, "time_ns"), work->file->copy.ring->wall_ns);
        if (text[0] != '\0' && at_ns >= work->from_ns)
            st_trace_json_instant(&work->json, ST_TRACE_MOMENT, ST_TRACE_EVENTS, at_ns, text);
    }
}

/* Writes the levels of buffers; the viewer sorts them by time. */
static void add_levels(const struct work *work)
{
    const struct st_cycle_levels *levels = &work->file->copy.ring->levels;
    ST_EACH_OF (level, levels->rows, ST_MIN(levels->written, ST_LEVELS_MAX)) {
        if (level->at_ns >= work->from_ns)
            st_trace_json_value(&work->json, level->at_ns, level->name, level->left_ns);
    }
}

/* Writes each note to a track of its own: as a slice of the whole length, which the viewer can
 * show. */
static void add_notes(const struct work *work)
{
    const struct st_trace_file *file = work->file;
    const struct st_cycle_ring *ring = file->copy.ring;
    const char *notes[][2] = {{"kernel", ring->kernel},
                              {"server", ring->server},
                              {"watched", ring->levels.about},
                              {"cycles", ""}};
    if (file->copy.events_n == 0)
        notes[0][1] = st_text("%s: this file has no kernel events", ring->kernel);
    if (st_cycle_ring_n(ring) == 0)
        notes[3][1] =
            "only PipeWire reports when each client waited and computed, and only to the user's "
            "own sleeptuned";
    for (int i = 0; i < (int)ST_ARRAY_LEN(notes); i++) {
        if (notes[i][1][0] == '\0')
            continue;
        st_trace_json_name(&work->json, ST_TRACE_MOMENT, ST_TRACE_NOTE + i, notes[i][0]);
        (void)st_trace_json_slice(&work->json, ST_TRACE_MOMENT, ST_TRACE_NOTE + i, work->from_ns,
                                  work->event_ns + ST_TRACE_COPY_AFTER_NS, notes[i][1]);
    }
}

static void name_tracks(const struct work *work)
{
    const struct st_trace_json *json = &work->json;
    const struct st_cycle_ring *ring = work->file->copy.ring;
    st_trace_json_name(json, ST_TRACE_LEVELS, 0, "how long the sound in each buffer lasts");
    st_trace_json_name(json, ST_TRACE_MOMENT, ST_TRACE_MISSED, "missed deadlines");
    st_trace_json_name(json, ST_TRACE_MOMENT, ST_TRACE_EVENTS, "what sleeptuned reported then");
    for (int i = 0; i < ST_CYCLE_RING_NAMES && ring->names[i][0] != '\0'; i++)
        st_trace_json_name(json, ST_TRACE_MOMENT, ST_TRACE_CLIENT + i, ring->names[i]);
}

int st_trace_file_write(FILE *out, const struct st_trace_file *file)
{
    const struct st_cycle_ring *ring = file->copy.ring;
    const int64_t event_ns = st_ns_sub(file->copy.wall_ns, ring->wall_ns);
    const int64_t from_ns = ST_MAX(event_ns - file->copy.before_ns, 0);
    int r = 0;
    struct work work = {
        .file = file, .json = {out, from_ns}, .from_ns = from_ns, .event_ns = event_ns};
    st_trace_json_begin(&work.json, from_ns + ring->wall_ns);
    name_tracks(&work);
    add_cycles(&work);
    add_events(&work);
    add_levels(&work);
    if (file->copy.events_n > 0)
        r = add_cpus(&work);
    add_notes(&work);
    st_trace_json_end(&work.json);
    return r;
}
