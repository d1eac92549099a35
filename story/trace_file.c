#include "story/trace_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/perfetto.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "story/trace_cpus.h"
#include "story/trace_items.h"

#define DROPOUT_NS (10 * ST_NS_PER_S) /* before a dropout, and ... */
#define MARK_NS    (60 * ST_NS_PER_S) /* ... before a mark, where the ring has that */
#define MISSED_MAX 64                 /* cycles in which a culprit is looked for: the last ones */
#define PAUSE_NS   ST_NS_PER_S        /* a driver that began no cycle for longer had nothing to do */
#define PERIODS    4                  /* lengths of cycles that are named */
#define NOTE_BYTES 300

int st_trace_file_find(const char *folder, int64_t wall_ns, char *ret_path, size_t path_bytes,
                       int64_t *ret_wall_ns)
{
    DIR *dir = opendir(folder);
    const bool newest = wall_ns == INT64_MAX;
    int64_t best_ns = newest ? INT64_MAX : ST_TRACE_FILE_NEAR_NS;
    bool found = false;
    struct dirent *entry;
    if (dir == NULL)
        return -errno;
    while ((entry = readdir(dir)) != NULL) {
        char *end;
        const int64_t its_ns = strtoll(entry->d_name, &end, 10);
        const int64_t away_ns = its_ns > wall_ns ? its_ns - wall_ns : wall_ns - its_ns;
        const size_t len = strlen(entry->d_name), suffix = strlen(ST_CYCLE_RING_SUFFIX);
        if (its_ns <= 0 || *end != '-' || len <= suffix || away_ns >= best_ns ||
            strcmp(entry->d_name + len - suffix, ST_CYCLE_RING_SUFFIX) != 0)
            continue;
        best_ns = away_ns;
        *ret_wall_ns = its_ns;
        found = snprintf(ret_path, path_bytes, "%s/%s", folder, entry->d_name) < (int)path_bytes;
    }
    closedir(dir);
    return found ? 0 : -ENOENT;
}

static int read_ring(const char *path, struct st_cycle_ring **ret)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct st_cycle_ring *ring = malloc(sizeof(*ring) + 1);
    size_t len = 0;
    ssize_t n = fd < 0 ? -1 : 1;
    int r = fd < 0 ? -errno : ring == NULL ? -ENOMEM : 0;
    while (r == 0 && n > 0) {
        n = read(fd, (char *)ring + len, sizeof(*ring) + 1 - len);
        len += n > 0 ? (size_t)n : 0;
        if (n < 0)
            r = -errno;
    }
    if (fd >= 0)
        close(fd);
    if (r == 0 && !st_cycle_ring_check(ring, len))
        r = -EBADMSG;
    if (r < 0)
        free(ring);
    else
        *ret = ring;
    return r;
}

int st_trace_file_read(const char *path, int64_t wall_ns, struct st_trace_file *ret)
{
    const bool mark = strstr(path, "-heard" ST_CYCLE_RING_SUFFIX) != NULL;
    struct st_trace_file file = {.wall_ns = wall_ns, .before_ns = mark ? MARK_NS : DROPOUT_NS};
    int r = read_ring(path, &file.ring);
    if (r < 0)
        return r;
    const size_t stem = strlen(path) - strlen(ST_CYCLE_RING_SUFFIX);
    r = st_cpu_events_read(ST_TEXT(PATH_MAX, "%.*s" ST_CPU_EVENTS_SUFFIX, (int)stem, path), &file.events,
                           &file.events_n);
    if (r < 0 && r != -ENOENT) {
        st_trace_file_finish(&file);
        return r;
    }
    *ret = file;
    return 0;
}

void st_trace_file_finish(struct st_trace_file *file)
{
    free(file->ring);
    free(file->events);
}

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
    st_trace_items_add(&work->items, deadline_ns, ST_TRACK_MISSED, ST_TRACE_ITEM_INSTANT,
                       work->names[row->name]);
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
    const struct st_cycle_ring *ring = work->file->ring;
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
        const char *text = json_string_value(json_object_get(event, "text"));
        const int64_t at_ns =
            st_ns_sub(json_integer_value(json_object_get(event, "time_ns")), work->file->ring->wall_ns);
        if (text == NULL || at_ns < work->from_ns)
            continue;
        st_trace_items_add(&work->items, at_ns, ST_TRACK_EVENTS, ST_TRACE_ITEM_INSTANT, text);
        work->to_ns = ST_MAX(at_ns, work->to_ns);
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
        file->ring->kernel);
    if (cpus != NULL) {
        const int64_t event_ns = st_ns_sub(file->wall_ns, file->ring->wall_ns),
                      reach_ns = st_trace_cpus_reach_ns(cpus, event_ns);
        if (reach_ns != INT64_MAX)
            file->reach_ns = event_ns - reach_ns;
        ST_PRINT(kernel, "%s: what it did is in this file from %.1f s before the event on%s",
                 file->ring->kernel, reach_ns != INT64_MAX ? (double)file->reach_ns / 1e9 : 0.0,
                 file->names ? "" : "; programs that are neither audio nor culprit are \"other\"");
        st_trace_cpus_tracks(cpus, out, "CPUs");
    }
    print_periods(work, periods, sizeof(periods));
    add_note(work, out, "kernel", kernel, notes_n++);
    add_note(work, out, "server", file->ring->server, notes_n++);
    add_note(work, out, "length of a cycle", periods, notes_n++);
    ST_EACH_OF (note, file->notes, file->notes_n)
        add_note(work, out, "report", *note, notes_n++);
    st_perfetto_track(out, ST_TRACK_MISSED, ST_TRACK_ABOUT, "missed deadlines");
    st_perfetto_track(out, ST_TRACK_EVENTS, ST_TRACK_ABOUT, "what sleeptuned reported then");
    for (size_t i = 0; i < ST_CYCLE_RING_NAMES && file->ring->names[i][0] != '\0'; i++)
        st_perfetto_track(out, ST_TRACK_CLIENT + i, ST_TRACK_ABOUT, work->names[i]);
}

int st_trace_file_write(FILE *out, struct st_trace_file *file)
{
    static struct work work; /* one thread at a time */
    struct st_trace_cpus *cpus = NULL;
    const struct st_cycle_ring *ring = file->ring;
    const int64_t event_ns = st_ns_sub(file->wall_ns, ring->wall_ns);
    work = (struct work){.file = file};
    file->cycles_n = file->missed_n = 0;
    work.from_ns = work.to_ns = event_ns > file->before_ns ? event_ns - file->before_ns : 0;
    for (size_t i = 0; i < ST_CYCLE_RING_NAMES; i++)
        (void)st_safe_copy(work.names[i], sizeof(work.names[i]), ring->names[i], ST_TEXT_TO_NUL);
    add_cycles(&work);
    add_events(&work);
    if (file->events_n > 0)
        cpus = st_trace_cpus_new(file->events, file->events_n, ring);
    if (cpus != NULL)
        st_trace_cpus_add(cpus, &work.items, work.from_ns, work.missed,
                          work.missed_n < MISSED_MAX ? work.missed_n : MISSED_MAX, file->names);
    st_perfetto_clocks(out, work.from_ns, work.from_ns + ring->boot_ns, work.from_ns + ring->wall_ns);
    write_tracks(out, &work, cpus);
    st_trace_items_write(&work.items, out);
    const bool failed = work.items.failed || (file->events_n > 0 && cpus == NULL);
    free(work.items.list);
    st_trace_cpus_free(cpus);
    return failed ? -ENOMEM : 0;
}
