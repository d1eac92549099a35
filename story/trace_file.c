/* Format: "Trace Event Format", the document of Chrome's trace viewer, which ui.perfetto.dev opens.
 * Times in the file are microseconds since its beginning, with three decimals, because nanoseconds
 * of the time of day do not fit into a double. Each event is written at once and not kept in
 * memory. */
#include "story/trace_file.h"

#include "core/ns.h"
#include "core/text/json.h"

#define NAME_BYTES  300 /* longer names and texts are cut */
#define LABEL_BYTES 64
/* a driver that began no cycle for longer than this was idle, not late */
#define PAUSE_NS ST_NS_PER_S

/* Tracks are in groups of GROUP numbers, of which the first (MOMENT is one) stands for the group.
 * Chrome calls groups processes, and tracks threads. A client's track is CLIENT + the number of its
 * name. */
#define GROUP 10000
enum {
    MOMENT = GROUP,
    CLIENT = MOMENT + 256,
    OVERLAP = MOMENT + 512,
    EVENTS = MOMENT + 900,
    MISSED,
    NOTE,
    LEVELS = 2 * GROUP,
    CPUS = 3 * GROUP
};

enum { ON_CPU, IN_IRQ, IN_SOFTIRQ, PLACES };

/* The trace that is being written. Times of the copy: CLOCK_MONOTONIC. */
struct work {
    FILE *out;
    const struct st_trace_file *file;
    const struct st_cycle_ring *ring;
    int64_t from_ns, event_ns; /* from_ns: the beginning of the file */
    /* The cycles of one client while they are read. */
    struct lane {
        /* rows with the same signal_ns: they belong to one cycle */
        const struct st_cycle_row *first, *last;
        /* end of the last slice in the client's track, and in its track for overlapping cycles */
        int64_t free_ns[2];
    } lanes[ST_CYCLE_RING_NAMES];
    struct cpu {
        int pid; /* thread that has the CPU; 0: idle, or not known */
        /* first and last event since events were lost; 0: none yet */
        int64_t first_ns, last_ns;
        struct place {
            char label[LABEL_BYTES]; /* name of the thread, interrupt or softirq; "": none */
            int64_t since_ns, free_ns;
        } at[PLACES];
    } cpus[ST_CPU_EVENTS_CPUS];
};

/* --- events of the file --- */

static void put_text(const struct work *work, const char *text)
{
    json_t *value = st_json_safe_string(st_text("%.*s", NAME_BYTES - 1, text));
    json_dumpf(value, work->out, JSON_ENCODE_ANY);
    json_decref(value);
}

static void put_us(const struct work *work, const char *key, int64_t ns)
{
    fprintf(work->out, ",\"%s\":%jd.%03jd", key, ns / ST_NS_PER_US, ns % ST_NS_PER_US);
}

/* Writes the beginning of an event. */
static void put_event(const struct work *work, char phase, int track, int64_t at_ns,
                      const char *name)
{
    fprintf(work->out, ",\n{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d,\"name\":", phase, track / GROUP,
            track % GROUP);
    put_text(work, name);
    put_us(work, "ts", at_ns - work->from_ns);
}

static void name_track(const struct work *work, int track, const char *name)
{
    fprintf(work->out,
            ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"%s_name\",\"args\":{\"name\":",
            track / GROUP, track % GROUP, track % GROUP == 0 ? "process" : "thread");
    put_text(work, name);
    fputs("}}", work->out);
}

/* Writes a slice (an event with a length), unless its length is 0. The slices of a track must
 * ascend without overlap. @return the end of the slice. */
static int64_t add_slice(const struct work *work, int track, int64_t from_ns, int64_t to_ns,
                         const char *text)
{
    if (to_ns <= from_ns)
        return from_ns;
    put_event(work, 'X', track, from_ns, text);
    put_us(work, "dur", to_ns - from_ns);
    fputc('}', work->out);
    return to_ns;
}

/* Writes an event without a length, unless it is older than the trace. */
static void add_instant(const struct work *work, int track, int64_t at_ns, const char *text)
{
    if (at_ns < work->from_ns)
        return;
    put_event(work, 'i', track, at_ns, text);
    fputs(",\"s\":\"t\"}", work->out);
}

/* --- the kernel's events: for each CPU the thread that ran, interrupts and softirqs --- */

static int track_of(int cpu, int place)
{
    return CPUS + 1 + PLACES * cpu + place;
}

/* Ends what ran at this place (thread, interrupt or softirq), and writes it as a slice of its
 * track. The slice begins no earlier than the previous one ended. */
static void leave(struct work *work, int cpu, int where, int64_t at_ns)
{
    struct place *place = &work->cpus[cpu].at[where];
    const int64_t low_ns = ST_MAX(ST_MAX(place->since_ns, place->free_ns), work->from_ns);
    if (place->label[0] != '\0')
        place->free_ns = add_slice(work, track_of(cpu, where), low_ns, at_ns, place->label);
    place->label[0] = '\0';
}

static void enter(struct place *place, const struct st_trace_event *e, int number)
{
    st_cpu_events_name(e->kind, number, e->name, place->label, LABEL_BYTES);
    place->since_ns = e->at_ns;
}

static void leave_all(struct work *work, int cpu, int64_t at_ns)
{
    for (int place = 0; place < PLACES; place++)
        leave(work, cpu, place, at_ns);
}

/* Handles a switch of threads: writes the slice of the thread that leaves the CPU, and begins the
 * slice of the thread that gets it. The idle thread gets no slice. */
static void take_switch(struct work *work, const struct st_trace_event *e)
{
    struct cpu *cpu = &work->cpus[e->cpu];
    struct place *place = &cpu->at[ON_CPU];
    /* The thread got the CPU before the first known event of this CPU, so its slice begins at that
     * event. */
    if (cpu->pid != e->prev_pid)
        place->since_ns = cpu->first_ns;
    place->label[0] = '\0';
    if (e->prev_pid != 0)
        st_cpu_events_name(e->kind, e->prev_pid, e->prev_name, place->label, LABEL_BYTES);
    leave(work, e->cpu, ON_CPU, e->at_ns);
    cpu->pid = e->pid;
    if (e->pid != 0)
        enter(place, e, e->pid);
}

static void take(struct work *work, const struct st_trace_event *e)
{
    struct cpu *cpu = &work->cpus[e->cpu];
    const int place =
        e->kind == ST_TRACE_IRQ_ENTRY || e->kind == ST_TRACE_IRQ_EXIT ? IN_IRQ : IN_SOFTIRQ;
    const bool lost = e->kind == ST_TRACE_LOST;
    if (lost) {
        leave_all(work, e->cpu, cpu->last_ns);
        cpu->pid = 0;
        add_instant(work, track_of(e->cpu, ON_CPU), e->at_ns,
                    "events before this moment are missing");
    }
    if (cpu->last_ns == 0 || lost)
        cpu->first_ns = e->at_ns;
    cpu->last_ns = e->at_ns;
    if (e->kind == ST_TRACE_SWITCH)
        take_switch(work, e);
    else if (e->kind != ST_TRACE_WAKING && !lost)
        leave(work, e->cpu, place, e->at_ns);
    if (e->kind == ST_TRACE_IRQ_ENTRY || e->kind == ST_TRACE_SOFTIRQ_ENTRY)
        enter(&cpu->at[place], e, e->number);
}

/* Writes the kernel's events since the beginning of the trace. */
static void add_cpus(struct work *work)
{
    static const char *const places[] = {"", ": interrupts", ": softirqs"};
    const struct st_trace_copy *copy = &work->file->copy;
    name_track(work, CPUS, "CPUs");
    ST_EACH_OF (event, copy->events, copy->events_n)
        take(work, event);
    for (int i = 0; i < ST_CPU_EVENTS_CPUS; i++) {
        leave_all(work, i, copy->events[copy->events_n - 1].at_ns);
        for (int place = 0; work->cpus[i].last_ns > 0 && place < PLACES; place++)
            name_track(work, track_of(i, place), st_text("CPU %d%s", i, places[place]));
    }
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

/* Writes a mark "missed deadline" if the cycle of a driver began late, since all clients that it
 * drives are then late, too. Writes none after a pause, in which the driver was idle. */
static void add_late_driver(const struct work *work, const struct st_cycle_row *row)
{
    const int64_t period_ns = row->period_ns, due_ns = row->cycle_ns + period_ns,
                  late_ns = row->signal_ns - due_ns;
    if (row->is_driver && row->cycle_ns != 0 && period_ns != 0 && !is_not_yet(row->period_ns) &&
        late_ns >= period_ns / 4 && late_ns <= PAUSE_NS)
        add_instant(work, MISSED, due_ns, work->ring->names[row->name]);
}

/* Writes a cycle as slices. If it overlaps the previous one, it goes to a second track of the
 * client. */
static void add_cycle(const struct work *work, struct lane *lane, const struct st_cycle_row *first,
                      const struct st_cycle_row *last)
{
    const char *name = work->ring->names[first->name];
    const bool overlaps = first->signal_ns < lane->free_ns[0];
    const int track = (overlaps ? OVERLAP : CLIENT) + first->name;
    const int64_t seen_ns = last->cycle_ns + last->period_ns * !is_not_yet(last->period_ns);
    const int64_t begin_ns = ST_MAX(first->signal_ns, lane->free_ns[overlaps]);
    const int64_t awake_ns = is_not_yet(last->wait_ns) ? seen_ns : last->signal_ns + last->wait_ns;
    const int64_t end_ns =
        is_not_yet(last->wait_ns) || is_not_yet(last->busy_ns) ? seen_ns : awake_ns + last->busy_ns;
    const int64_t deadline_ns = deadline_of(first);
    if (overlaps && lane->free_ns[1] == 0)
        name_track(work, track, st_text("%s: cycles that overlap the next one", name));
    const int64_t at_ns = add_slice(work, track, begin_ns, awake_ns,
                                    first->is_driver ? "waits for its clients" : "waits");
    lane->free_ns[overlaps] = add_slice(work, track, at_ns, end_ns, "computes");
    if (!first->is_driver && end_ns > deadline_ns)
        add_instant(work, MISSED, deadline_ns, name);
}

static void add_cycles(struct work *work)
{
    for (size_t i = 0; i < st_cycle_ring_n(work->ring); i++) {
        const struct st_cycle_row *row = st_cycle_ring_at(work->ring, i);
        struct lane *lane = &work->lanes[row->name];
        const struct st_cycle_row *first = lane->first;
        if (row->signal_ns < work->from_ns)
            continue;
        /* This row belongs to an earlier cycle, which the server reported too late: it is written
         * alone. */
        if (first != NULL && row->signal_ns < first->signal_ns) {
            add_cycle(work, lane, row, row);
            continue;
        }
        if (first != NULL && row->signal_ns > first->signal_ns)
            add_cycle(work, lane, first, lane->last);
        if (first == NULL || row->signal_ns > first->signal_ns) {
            add_late_driver(work, row);
            lane->first = row;
        }
        lane->last = row;
    }
    ST_EACH (lane, work->lanes) {
        if (lane->first != NULL)
            add_cycle(work, lane, lane->first, lane->last);
    }
}

/* --- events, levels of buffers, notes --- */

static void add_events(const struct work *work)
{
    const json_t *event;
    size_t i;
    json_array_foreach(work->file->happened, i, event)
    {
        const char *text = st_json_text_of(event, "text");
        const int64_t at_ns = st_ns_sub(st_json_integer(event, "time_ns"), work->ring->wall_ns);
        if (text[0] != '\0' && at_ns < work->event_ns + ST_TRACE_COPY_AFTER_NS)
            add_instant(work, EVENTS, at_ns, text);
    }
}

/* Writes the levels of buffers (ms), as values of a counter; the viewer sorts them by time. */
static void add_levels(const struct work *work)
{
    const struct st_cycle_levels *levels = &work->ring->levels;
    ST_EACH_OF (level, levels->rows, ST_MIN(levels->written, ST_LEVELS_MAX)) {
        if (level->at_ns < work->from_ns)
            continue;
        put_event(work, 'C', LEVELS, level->at_ns, level->name);
        fprintf(work->out, ",\"args\":{\"ms\":%jd.%06jd}}", level->left_ns / ST_NS_PER_MS,
                level->left_ns % ST_NS_PER_MS);
    }
}

/* Writes a note to a track of its own: as a slice of the whole length, which the viewer can
 * show. */
static void add_note(const struct work *work, int i, const char *name, const char *text)
{
    if (text[0] == '\0')
        return;
    name_track(work, NOTE + i, name);
    add_slice(work, NOTE + i, work->from_ns, work->event_ns + ST_TRACE_COPY_AFTER_NS, text);
}

int st_trace_file_write(FILE *out, const struct st_trace_file *file)
{
    const struct st_cycle_ring *ring = file->copy.ring;
    const bool traced = file->copy.events_n > 0;
    struct work *work = calloc(1, sizeof(*work));
    if (work == NULL)
        return -ENOMEM;
    work->out = out;
    work->file = file;
    work->ring = ring;
    work->event_ns = st_ns_sub(file->copy.wall_ns, ring->wall_ns);
    work->from_ns = ST_MAX(work->event_ns - file->copy.before_ns, 0);
    fprintf(out,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"begins_wall_ns\":\"%jd\"},"
            "\"traceEvents\":[{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_name\","
            "\"args\":{\"name\":\"sleeptune: one moment\"}}",
            work->from_ns + ring->wall_ns, MOMENT / GROUP);
    name_track(work, LEVELS, "how long the sound in each buffer lasts");
    name_track(work, MISSED, "missed deadlines");
    name_track(work, EVENTS, "what sleeptuned reported then");
    for (int i = 0; i < ST_CYCLE_RING_NAMES && ring->names[i][0] != '\0'; i++)
        name_track(work, CLIENT + i, ring->names[i]);
    add_cycles(work);
    add_events(work);
    add_levels(work);
    if (traced)
        add_cpus(work);
    add_note(work, 0, "kernel",
             st_text("%s%s", ring->kernel, traced ? "" : ": this file has no kernel events"));
    add_note(work, 1, "server", ring->server);
    add_note(work, 2, "watched", ring->levels.about);
    if (st_cycle_ring_n(ring) == 0)
        add_note(work, 3, "cycles",
                 "only PipeWire reports when each client waited and computed, and only to the "
                 "user's own "
                 "sleeptuned");
    fputs("\n]}\n", out);
    free(work);
    return 0;
}
