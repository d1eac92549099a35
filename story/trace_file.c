#include "story/trace_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/perfetto.h"
#include "core/text/safe.h"
#include "core/text/text.h"

/* Tracks. Those of clients: FIRST + number of the name. */
enum { TRACK_ABOUT = 1, TRACK_EVENTS, TRACK_MISSED, TRACK_FIRST = 16 };

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

int st_trace_file_read(const char *path, struct st_cycle_ring **ret)
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

/* --- what is written, by its time --- */

/* At the same time an end comes first. */
enum item_kind { ITEM_END, ITEM_INSTANT, ITEM_BEGIN };

struct item {
    int64_t at_ns;
    uint64_t track;
    enum item_kind kind;
    const char *text;
};

struct items {
    struct item *list;
    size_t n, max;
};

static void add(struct items *items, int64_t at_ns, uint64_t track, enum item_kind kind, const char *text)
{
    if (items->n < items->max)
        items->list[items->n++] = (struct item){at_ns, track, kind, text};
}

static int by_time(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

/* A slice, if it has a length. @return its end. */
static int64_t slice(struct items *items, uint64_t track, int64_t from_ns, int64_t to_ns, const char *text)
{
    if (to_ns <= from_ns)
        return from_ns;
    add(items, from_ns, track, ITEM_BEGIN, text);
    add(items, to_ns, track, ITEM_END, NULL);
    return to_ns;
}

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

/* A client's cycle: the rows of one signal_ns, the first and the last of them. @param free_ns  its track has
 * nothing from here on. @return the same behind it. */
static int64_t add_cycle(struct items *items, const struct st_cycle_row *first,
                         const struct st_cycle_row *last, int64_t free_ns, const char *name, size_t *missed_n)
{
    const uint64_t track = TRACK_FIRST + first->name;
    const int64_t seen_ns = last->cycle_ns + (is_not_yet(last->period_ns) ? 0 : last->period_ns);
    const int64_t begin_ns = first->signal_ns > free_ns ? first->signal_ns : free_ns;
    const int64_t awake_ns = is_not_yet(last->wait_ns) ? seen_ns : last->signal_ns + last->wait_ns;
    const int64_t end_ns =
        is_not_yet(last->wait_ns) || is_not_yet(last->busy_ns) ? seen_ns : awake_ns + last->busy_ns;
    const int64_t deadline_ns = deadline_of(first);
    int64_t at_ns =
        slice(items, track, begin_ns, awake_ns, first->is_driver ? "waits for its clients" : "waits");
    at_ns = slice(items, track, at_ns, end_ns, "computes");
    if (!first->is_driver && end_ns > deadline_ns) {
        add(items, deadline_ns, TRACK_MISSED, ITEM_INSTANT, name);
        ++*missed_n;
    }
    return at_ns;
}

/* @return how many cycles of clients. */
static size_t add_cycles(struct items *items, const struct st_cycle_ring *ring,
                         char (*names)[ST_XRUN_NAME_BYTES], int64_t from_ns, size_t *missed_n)
{
    static struct {
        const struct st_cycle_row *first, *last;
        int64_t free_ns;
    } open[ST_CYCLE_RING_NAMES];
    size_t cycles_n = 0;
    const size_t n = st_cycle_ring_n(ring);
    memset(open, 0, sizeof(open));
    for (size_t i = 0; i <= n + ST_CYCLE_RING_NAMES; i++) { /* at the end each one is closed */
        const struct st_cycle_row *row = i < n ? st_cycle_ring_at(ring, i) : NULL;
        const size_t which = row != NULL ? row->name : i - n;
        if (which >= ST_CYCLE_RING_NAMES || (row != NULL && row->signal_ns < from_ns))
            continue;
        if (open[which].first != NULL && (row == NULL || row->signal_ns != open[which].first->signal_ns)) {
            open[which].free_ns = add_cycle(items, open[which].first, open[which].last, open[which].free_ns,
                                            names[which], missed_n);
            cycles_n += !open[which].first->is_driver;
            open[which].first = NULL;
        }
        if (row == NULL)
            continue;
        if (open[which].first == NULL)
            open[which].first = row;
        open[which].last = row;
    }
    return cycles_n;
}

static void add_events(struct items *items, const json_t *events, int64_t wall_offset_ns, int64_t from_ns)
{
    const json_t *event;
    size_t i;
    json_array_foreach(events, i, event)
    {
        const char *text = json_string_value(json_object_get(event, "text"));
        const int64_t at_ns =
            st_ns_sub(json_integer_value(json_object_get(event, "time_ns")), wall_offset_ns);
        if (text != NULL && at_ns >= from_ns)
            add(items, at_ns, TRACK_EVENTS, ITEM_INSTANT, text);
    }
}

static void write_tracks(FILE *out, const struct st_cycle_ring *ring, char (*names)[ST_XRUN_NAME_BYTES],
                         const char *note)
{
    st_perfetto_track(out, TRACK_ABOUT, 0, note);
    st_perfetto_track(out, TRACK_MISSED, TRACK_ABOUT, "missed deadlines");
    st_perfetto_track(out, TRACK_EVENTS, TRACK_ABOUT, "what sleeptuned reported then");
    for (size_t i = 0; i < ST_CYCLE_RING_NAMES && ring->names[i][0] != '\0'; i++)
        st_perfetto_track(out, TRACK_FIRST + i, TRACK_ABOUT, names[i]);
}

int st_trace_file_write(FILE *out, const struct st_cycle_ring *ring, const json_t *events, int64_t wall_ns,
                        const char *note, size_t *ret_cycles_n, size_t *ret_missed_n)
{
    static char names[ST_CYCLE_RING_NAMES][ST_XRUN_NAME_BYTES];
    struct items items = {.max = 5 * st_cycle_ring_n(ring) + json_array_size(events)};
    const int64_t event_ns = st_ns_sub(wall_ns, ring->wall_ns);
    const int64_t from_ns = event_ns > ST_TRACE_FILE_BEFORE_NS ? event_ns - ST_TRACE_FILE_BEFORE_NS : 0;
    items.list = calloc(items.max + 1, sizeof(*items.list));
    if (items.list == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < ST_CYCLE_RING_NAMES; i++)
        (void)st_safe_copy(names[i], sizeof(names[i]), ring->names[i], ST_TEXT_TO_NUL);
    *ret_missed_n = 0;
    *ret_cycles_n = add_cycles(&items, ring, names, from_ns, ret_missed_n);
    add_events(&items, events, ring->wall_ns, from_ns);
    qsort(items.list, items.n, sizeof(*items.list), by_time);
    st_perfetto_clocks(out, from_ns, from_ns + ring->boot_ns, from_ns + ring->wall_ns);
    write_tracks(out, ring, names, note);
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.list[i];
        if (item->kind == ITEM_BEGIN)
            st_perfetto_begin(out, item->track, item->at_ns, item->text);
        else if (item->kind == ITEM_END)
            st_perfetto_end(out, item->track, item->at_ns);
        else
            st_perfetto_instant(out, item->track, item->at_ns,
                                item->track == TRACK_EVENTS
                                    ? st_safe_text(ST_TEXT(ST_PERFETTO_NAME_BYTES, "%s", item->text))
                                    : item->text);
    }
    free(items.list);
    return 0;
}
