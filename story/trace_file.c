#include "story/trace_file.h"

#include "core/ns.h"
#include "core/perfetto.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "story/trace_cpus.h"
#include "story/trace_items.h"

#define MISSED_MAX 64          /* cycles in which a culprit is looked for: the last ones */
#define PAUSE_NS   ST_NS_PER_S /* a driver that began no cycle for longer had nothing to do */
#define PERIODS    4           /* lengths of cycles that are named */
#define NOTE_BYTES 300
#define LEVELS_N   (ST_TRACK_CPU - ST_TRACK_LEVEL) /* different ones, at most */

/* --- cycles --- */

/* A trace that is put together. */
struct work {
    struct st_trace_file *file;
    struct st_trace_items items;
    char names[ST_CYCLE_RING_NAMES][ST_XRUN_NAME_BYTES];
    struct st_trace_cycle missed[MISSED_MAX]; /* the last ones */
    size_t missed_n;
    int64_t from_ns, to_ns; /* what it has, so far */
    int64_t periods_ns[PERIODS];
    size_t periods_n;
    const char *levels[LEVELS_N]; /* their names */
    size_t levels_n;
};

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
    st_trace_items_instant(&work->items, deadline_ns, ST_TRACK_MISSED, work->names[row->name]);
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

/* A client's cycle: the rows of one signal_ns, the first and the last of them. @param free_ns  its track has
 * nothing from here on. @return the same behind it. */
static int64_t add_cycle(struct work *work, const struct st_cycle_row *first, const struct st_cycle_row *last,
                         int64_t free_ns)
{
    struct st_trace_items *items = &work->items;
    const uint64_t track = ST_TRACK_CLIENT + first->name;
    const int64_t seen_ns = last->cycle_ns + (is_not_yet(last->period_ns) ? 0 : last->period_ns);
    const int64_t begin_ns = ST_MAX(first->signal_ns, free_ns);
    const int64_t awake_ns = is_not_yet(last->wait_ns) ? seen_ns : last->signal_ns + last->wait_ns;
    const int64_t end_ns =
        is_not_yet(last->wait_ns) || is_not_yet(last->busy_ns) ? seen_ns : awake_ns + last->busy_ns;
    const int64_t deadline_ns = deadline_of(first);
    int64_t at_ns = st_trace_items_slice(items, track, begin_ns, awake_ns,
                                         first->is_driver ? "waits for its clients" : "waits");
    at_ns = st_trace_items_slice(items, track, at_ns, end_ns, "computes");
    work->to_ns = ST_MAX(at_ns, work->to_ns);
    work->file->cycles_n += !first->is_driver;
    if (!first->is_driver && end_ns > deadline_ns) {
        add_missed(work, first, first->signal_ns, deadline_ns, end_ns);
        work->file->missed_n++;
    }
    return at_ns;
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
    static struct {
        const struct st_cycle_row *first, *last;
        int64_t free_ns;
    } open[ST_CYCLE_RING_NAMES];
    const struct st_cycle_ring *ring = work->file->copy.ring;
    const size_t n = st_cycle_ring_n(ring);
    memset(open, 0, sizeof(open));
    for (size_t i = 0; i <= n + ST_CYCLE_RING_NAMES; i++) { /* at the end each one is closed */
        const struct st_cycle_row *row = i < n ? st_cycle_ring_at(ring, i) : NULL;
        const size_t which = row != NULL ? row->name : i - n;
        if (which >= ST_CYCLE_RING_NAMES || (row != NULL && row->signal_ns < work->from_ns))
            continue;
        if (open[which].first != NULL && (row == NULL || row->signal_ns > open[which].first->signal_ns)) {
            open[which].free_ns = add_cycle(work, open[which].first, open[which].last, open[which].free_ns);
            open[which].first = NULL;
        }
        if (row == NULL)
            continue;
        note_period(work, row);
        if (open[which].first != NULL && row->signal_ns < open[which].first->signal_ns) { /* known later */
            open[which].free_ns = add_cycle(work, row, row, open[which].free_ns);
            continue;
        }
        if (open[which].first == NULL) {
            add_late_driver(work, row);
            open[which].first = row;
        }
        open[which].last = row;
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
        st_trace_items_instant(&work->items, at_ns, ST_TRACK_EVENTS, text);
        if (json_object_get(event, "why") != NULL) /* sound was lost */
            work->file->dropouts_n =
                st_ns_add(work->file->dropouts_n, json_integer_value(json_object_get(event, "count")));
        work->to_ns = ST_MAX(at_ns, work->to_ns);
    }
}

static void add_levels(struct work *work)
{
    const struct st_cycle_levels *levels = &work->file->copy.ring->levels;
    for (uint64_t i = levels->written > ST_LEVELS_MAX ? levels->written - ST_LEVELS_MAX : 0;
         i < levels->written; i++) {
        const struct st_cycle_level *level = &levels->rows[i % ST_LEVELS_MAX];
        size_t which = 0;
        while (which < work->levels_n && !st_text_is(work->levels[which], level->name))
            which++;
        if (level->at_ns < work->from_ns || which == LEVELS_N)
            continue;
        if (which == work->levels_n)
            work->levels[work->levels_n++] = level->name;
        st_trace_items_add(&work->items, &(struct st_trace_item){level->at_ns, ST_TRACK_LEVEL + which,
                                                                 ST_PERFETTO_VALUE, level->left_ns, NULL});
        work->to_ns = ST_MAX(level->at_ns, work->to_ns);
    }
}

/* A track of its own for each note: a slice from end to end, which can be read in the viewer. */
static void add_note(struct work *work, FILE *out, const char *title, const char *text, unsigned number)
{
    if (text[0] == '\0')
        return;
    st_perfetto_track(out, ST_TRACK_NOTE + number, ST_TRACK_ABOUT, title);
    (void)st_trace_items_slice(&work->items, ST_TRACK_NOTE + number, work->from_ns, work->to_ns, text);
}

static void print_periods(const struct work *work, char *buf, size_t buf_bytes)
{
    buf[0] = '\0';
    for (size_t i = 0; i < work->periods_n; i++)
        st_text_append(buf, buf_bytes, "%s%.3f ms", i > 0 ? ", " : "",
                       (double)work->periods_ns[i] / (double)ST_NS_PER_MS);
}

static void write_tracks(FILE *out, struct work *work, const struct st_trace_cpus *cpus)
{
    struct st_trace_file *file = work->file;
    static char kernel[NOTE_BYTES], periods[NOTE_BYTES]; /* up to the end of the writing */
    unsigned notes_n = 0;
    file->reach_ns = INT64_MIN;
    st_perfetto_track(out, ST_TRACK_ABOUT, 0, "sleeptune: one moment");
    ST_PRINT(
        kernel,
        "%s: what it did is not in this file: that needs trace.enabled, and only root gets it from root's "
        "sleeptuned",
        file->copy.ring->kernel);
    if (cpus != NULL) {
        const int64_t event_ns = st_ns_sub(file->copy.wall_ns, file->copy.ring->wall_ns),
                      reach_ns = st_trace_cpus_reach_ns(cpus, event_ns);
        if (reach_ns != INT64_MAX)
            file->reach_ns = event_ns - reach_ns;
        ST_PRINT(kernel, "%s: what it did is in this file from %.1f s before the event on%s",
                 file->copy.ring->kernel, reach_ns != INT64_MAX ? (double)file->reach_ns / 1e9 : 0.0,
                 file->names ? "" : "; programs that are neither audio nor culprit are \"other\"");
        st_trace_cpus_tracks(cpus, out);
    }
    print_periods(work, periods, sizeof(periods));
    add_note(work, out, "kernel", kernel, notes_n++);
    add_note(work, out, "server", file->copy.ring->server, notes_n++);
    add_note(work, out, "watched", file->copy.ring->levels.about, notes_n++);
    if (file->cycles_n == 0)
        add_note(work, out, "cycles",
                 "only PipeWire reports when each client waited and computed, to the user's own sleeptuned",
                 notes_n++);
    add_note(work, out, "length of a cycle", periods, notes_n++);
    ST_EACH_OF (note, file->notes, file->notes_n)
        add_note(work, out, "report", *note, notes_n++);
    st_perfetto_track(out, ST_TRACK_MISSED, ST_TRACK_ABOUT, "missed deadlines");
    st_perfetto_track(out, ST_TRACK_EVENTS, ST_TRACK_ABOUT, "what sleeptuned reported then");
    if (work->levels_n > 0)
        st_perfetto_track(out, ST_TRACK_LEVELS, ST_TRACK_ABOUT,
                          "how long the sound that was left would last");
    for (size_t i = 0; i < work->levels_n; i++)
        st_perfetto_counter(out, ST_TRACK_LEVEL + i, ST_TRACK_LEVELS,
                            st_safe_text(ST_TEXT(ST_XRUN_NAME_BYTES, "%s", work->levels[i])));
    for (size_t i = 0; i < ST_CYCLE_RING_NAMES && file->copy.ring->names[i][0] != '\0'; i++)
        st_perfetto_track(out, ST_TRACK_CLIENT + i, ST_TRACK_ABOUT, work->names[i]);
}

int st_trace_file_write(FILE *out, struct st_trace_file *file)
{
    static struct work work; /* one thread at a time */
    struct st_trace_cpus *cpus = NULL;
    const struct st_cycle_ring *ring = file->copy.ring;
    const int64_t event_ns = st_ns_sub(file->copy.wall_ns, ring->wall_ns);
    work = (struct work){.file = file};
    file->cycles_n = file->missed_n = 0;
    file->dropouts_n = 0;
    work.from_ns = work.to_ns = event_ns > file->copy.before_ns ? event_ns - file->copy.before_ns : 0;
    for (size_t i = 0; i < ST_CYCLE_RING_NAMES; i++)
        (void)st_safe_copy(work.names[i], sizeof(work.names[i]), ring->names[i], ST_TEXT_TO_NUL);
    add_cycles(&work);
    add_events(&work);
    add_levels(&work);
    if (file->copy.events_n > 0)
        cpus = st_trace_cpus_new(file->copy.events, file->copy.events_n, ring);
    if (cpus != NULL)
        st_trace_cpus_add(cpus, &work.items, work.from_ns, work.missed,
                          work.missed_n < MISSED_MAX ? work.missed_n : MISSED_MAX, file->names);
    st_perfetto_clocks(out, work.from_ns, work.from_ns + ring->boot_ns, work.from_ns + ring->wall_ns);
    write_tracks(out, &work, cpus);
    st_trace_items_write(&work.items, out);
    const bool failed = work.items.failed || (file->copy.events_n > 0 && cpus == NULL);
    free(work.items.list);
    st_trace_cpus_free(cpus);
    return failed ? -ENOMEM : 0;
}
