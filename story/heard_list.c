#include "story/heard_list.h"

#include "core/text/json.h"
#include "core/text/text.h"
#include "story/dropout_table.h"
#include "story/event_list.h"
#include "story/heard.h"

#define MARKS_MAX  200 /* the last ones */
#define EVENTS_MAX 50000
#define NEAR_NS    (250 * ST_NS_PER_MS) /* less than any window is long: events of a cause so near are one */
#define LOOK_NS    (250 * ST_NS_PER_MS)
#define LONGEST_NS (120 * ST_NS_PER_S) /* of all windows */
#define MINUTE_NS  (60 * ST_NS_PER_S)
#define SOON_NS    (8 * ST_NS_PER_S) /* who has the terminal open is as fast as with the page's button */
#define MUCH       100 /* thousandths of a second in which programs waited: more is a cause of its own */

/* What is watched, as causes of what is heard: dropouts by their reason, others (below), then late wake-ups
 * of the test loop by theirs. */
enum {
    OF_DEVICE = ST_DROPOUT_REASONS,
    OF_RESYNC,
    OF_BUS,
    OF_END,
    OF_SUSPEND,
    OF_SIZE,
    OF_KERNEL,
    OF_USB,
    OF_MEMORY, /* these three: in the second of a dropout or of a late wake-up */
    OF_DISK,
    OF_THROTTLING,
    OF_LATE_WAKE,
    CAUSES = OF_LATE_WAKE + ST_CAUSE_COUNT
};

static const struct {
    const char *name, *text;
} others[] = {
    {"device-dropout", "a device lost sound"},
    {"resync", "a second card was put in step"},
    {"bus", "USB packets were lost"},
    {"not-watched", "a sound server ended, or was not watched"},
    {"suspend", "the computer slept"},
    {"size", "the buffer size or the rate changed (known to the minute)"},
    {"kernel-log", "the kernel logged a warning"},
    {"kernel-log-usb", "the kernel logged something about USB"},
    {"memory-pressure", "programs waited for memory"},
    {"disk-pressure", "programs waited for the disk"},
    {"throttling", "the CPU slowed itself down because of heat"},
};
_Static_assert(ST_ARRAY_LEN(others) == OF_LATE_WAKE - OF_DEVICE, "a row for each");

struct list {
    struct st_heard_mark marks[MARKS_MAX];
    struct about {
        struct st_event heard;         /* the mark, whole */
        struct st_event found;         /* what fits best; wall_ns 0: nothing */
        struct st_story_beside beside; /* of what fits */
        size_t cause;
        uint32_t fits_n;
        bool sized; /* the size changed in a minute that fits: it may have been before or after */
    } about[MARKS_MAX];
    size_t n;
    unsigned unwatched; /* ST_DROPOUT_TABLE_NO_..., at one of those that nothing fits */
    /* by time, but for changes of the size; of an event its cause and what was beside it */
    struct st_heard_event events[4 * EVENTS_MAX + ST_HISTORY_RUNS_MAX];
    size_t events_n;
    size_t last[CAUSES]; /* the latest event of each cause, and one more; 0: none */
    int64_t oldest_ns;   /* of all events that were read; 0: none yet */
    bool more;           /* there are older ones */
    size_t left_out_n;   /* marks that are older than all that was read */
    struct st_heard_session sessions[ST_HISTORY_RUNS_MAX];
    size_t sessions_n;
    struct st_heard_cause causes[CAUSES];
    struct st_history_sizes sizes;
};

/* @return CAUSES: it cannot be heard. */
static size_t cause_of(const struct st_event *event)
{
    if (event->kind == ST_EVENT_SUSPEND)
        return OF_SUSPEND;
    if (event->kind == ST_EVENT_OBSERVE_LOST)
        return OF_END;
    if (event->kind == ST_EVENT_LATE_WAKE)
        return OF_LATE_WAKE + event->cause;
    if (event->kind == ST_EVENT_KERNEL_LOG)
        return st_text_is(event->source, "usb") ? OF_USB : OF_KERNEL;
    if (!st_event_kind_is_dropout(event->kind))
        return CAUSES;
    if (event->place == ST_DROPOUT_AT_RESYNC)
        return OF_RESYNC;
    if (event->place == ST_DROPOUT_AT_BUS)
        return OF_BUS;
    return event->kind == ST_EVENT_CLIENT_DROPOUT ? event->reason : OF_DEVICE;
}

static const char *cause_text(size_t cause, char *buf, size_t buf_bytes)
{
    if (cause >= OF_DEVICE && cause < OF_LATE_WAKE)
        return others[cause - OF_DEVICE].text;
    if (cause >= OF_LATE_WAKE)
        snprintf(buf, buf_bytes, "the test loop woke late: %s",
                 st_cause_kind_text((enum st_cause)(cause - OF_LATE_WAKE)));
    else if (cause == ST_DROPOUT_UNKNOWN)
        return "a program lost sound, why is not known";
    else
        snprintf(buf, buf_bytes, "a program %s", st_dropout_reason_text((enum st_dropout_reason)cause));
    return buf;
}

static const char *cause_name(size_t cause)
{
    if (cause >= OF_LATE_WAKE)
        return st_cause_kind_name((enum st_cause)(cause - OF_LATE_WAKE));
    return cause >= OF_DEVICE ? others[cause - OF_DEVICE].name
                              : st_dropout_reason_name((enum st_dropout_reason)cause);
}

/* How a mark was made, and how long before it was heard what it is about. Who types a command looks for the
 * terminal first; who presses a button looks for the page; a notification comes up to a minute later. */
static const struct way {
    const char *by;
    int64_t window_ns, least_ns;
    bool prompted;
} ways[] = {
    {"key", 2500 * ST_NS_PER_MS, 100 * ST_NS_PER_MS, false},
    {"page", SOON_NS, 200 * ST_NS_PER_MS, false},
    {"typed", 30 * ST_NS_PER_S, 500 * ST_NS_PER_MS, false},
    {"prompted", LONGEST_NS, 0, true},
};

static const struct way *way_of(const char *by)
{
    ST_EACH (way, ways) {
        if (st_text_is(way->by, by))
            return way;
    }
    return &ways[0];
}

static int take_mark(void *ctx, ST_UNUSED int64_t id, const struct st_event *event)
{
    struct list *list = ctx;
    const struct way *way = way_of(event->source);
    list->about[list->n].heard = *event;
    list->marks[list->n++] = (struct st_heard_mark){.at_ns = event->wall_ns,
                                                    .window_ns = way->window_ns,
                                                    .least_ns = way->least_ns,
                                                    .prompted = way->prompted};
    return 0;
}

/* What ends the sound, or the knowledge of it, before what was lost, that before all else. */
static int rank(const struct st_event *event)
{
    if (event->kind == ST_EVENT_OBSERVE_LOST)
        return event->span_ns == 0 ? 2 : 0; /* else it was watched again */
    return st_event_kind_is_dropout(event->kind);
}

/* How much of it is from before the mark: a sum that goes on after it does not say. */
static int64_t before_ns(const struct st_heard_mark *mark, const struct st_event *event)
{
    const int64_t after_ns = ST_MAX(st_ns_sub(event->wall_ns, mark->at_ns), 0);
    if (!st_event_kind_is_dropout(event->kind))
        return event->lateness_ns;
    if (after_ns > 0 && event->count_n > 1)
        return -1;
    return ST_MAX(st_ns_sub(event->longest_ns, after_ns), 0);
}

/* Is it as long before the mark as people usually take? A notification asks for what it names. */
static bool is_soon(const struct st_heard_mark *mark, const struct st_event *event)
{
    return mark->prompted ||
           (before_ns(mark, event) >= 0 && st_ns_sub(mark->at_ns, event->wall_ns) <= SOON_NS);
}

/* What happened soon before the mark; of two losses the longer one, of two others the later wake-up; else
 * what happened last. */
static bool explains_better(const struct st_heard_mark *mark, const struct st_event *event,
                            const struct st_event *than)
{
    if (than->wall_ns == 0)
        return true;
    if (rank(event) != rank(than)) {
        const struct st_event *high = rank(event) > rank(than) ? event : than,
                              *low = high == event ? than : event;
        /* a server that has ended and runs again lost this sound later */
        const bool later = st_event_kind_is_dropout(low->kind) && st_event_began_ns(low) > high->wall_ns;
        return (high == event) != later;
    }
    if (is_soon(mark, event) != is_soon(mark, than))
        return is_soon(mark, event);
    return before_ns(mark, event) >= before_ns(mark, than);
}

static void add(struct list *list, size_t cause, int64_t from_ns, int64_t to_ns)
{
    struct st_heard_event *last = list->last[cause] > 0 ? &list->events[list->last[cause] - 1] : NULL;
    if (last != NULL && from_ns >= last->from_ns && st_ns_sub(from_ns, last->to_ns) <= NEAR_NS) {
        last->to_ns = ST_MAX(last->to_ns, to_ns);
        return;
    }
    list->events[list->events_n++] =
        (struct st_heard_event){.from_ns = from_ns, .to_ns = to_ns, .cause = cause};
    list->last[cause] = list->events_n;
}

/* An observer looks a few times a second. */
static int64_t began_ns(const struct st_event *event)
{
    return st_ns_sub(st_event_began_ns(event), st_event_kind_is_dropout(event->kind) ? LOOK_NS : 0);
}

static void take(struct list *list, const struct st_event *event, size_t cause)
{
    const struct st_heard_event heard = {.from_ns = began_ns(event), .to_ns = event->wall_ns};
    add(list, cause, heard.from_ns, heard.to_ns);
    for (size_t i = 0; i < list->n; i++) {
        struct about *about = &list->about[i];
        /* a late wake-up is no loss: who is to have heard it heard it just then */
        if (!st_heard_fits(&list->marks[i], &heard) ||
            (event->kind == ST_EVENT_LATE_WAKE && !is_soon(&list->marks[i], event)))
            continue;
        about->fits_n++;
        if (!explains_better(&list->marks[i], event, &about->found))
            continue;
        about->found = *event;
        about->cause = cause;
    }
}

/* Did every buffer in use last more than twice as long as the loop was late? The music computes in it, too.
 * Sizes are known to the minute; not known, if there are too many. */
static bool is_too_short(const struct list *list, const struct st_event *event)
{
    double shortest_ns = HUGE_VAL;
    ST_EACH_OF (run, list->sizes.runs, ST_MIN(list->sizes.runs_n, ST_HISTORY_RUNS_MAX)) {
        if (event->wall_ns < run->from_wall_ns || event->wall_ns > st_ns_add(run->to_wall_ns, MINUTE_NS))
            continue;
        const bool known = run->frames > 0 && run->rate_hz > 0;
        shortest_ns = fmin(known ? (double)run->frames * 1e9 / (double)run->rate_hz : 0, shortest_ns);
    }
    return list->sizes.runs_n <= ST_HISTORY_RUNS_MAX && isfinite(shortest_ns) &&
           (double)event->lateness_ns < shortest_ns / 2;
}

static int take_event(void *ctx, ST_UNUSED int64_t id, const struct st_event *event)
{
    struct list *list = ctx;
    const struct st_event_pressure *c = &event->pressure;
    const struct {
        size_t cause;
        bool much;
    } beside[] = {{OF_MEMORY, c->pressure_memory_permille >= MUCH},
                  {OF_DISK, c->pressure_io_permille >= MUCH},
                  {OF_THROTTLING, c->throttles_n > 0}};
    const size_t cause = cause_of(event);
    list->oldest_ns = list->oldest_ns == 0 ? event->wall_ns : list->oldest_ns;
    if (cause == CAUSES)
        return 0;
    if (event->kind != ST_EVENT_LATE_WAKE || !is_too_short(list, event))
        take(list, event, cause);
    ST_EACH (row, beside) {
        if (row->much)
            add(list, row->cause, began_ns(event), event->wall_ns);
    }
    return 0;
}

/* What happened before marks that are older than all that was read is not known. */
static void drop_old_marks(struct list *list)
{
    size_t old_n = 0;
    while (old_n < list->n &&
           st_ns_sub(list->marks[old_n].at_ns, list->marks[old_n].window_ns) < list->oldest_ns)
        old_n++;
    list->n -= old_n;
    list->left_out_n = old_n;
    memmove(list->marks, list->marks + old_n, list->n * sizeof(list->marks[0]));
    memmove(list->about, list->about + old_n, list->n * sizeof(list->about[0]));
}

static int by_start(const void *left, const void *right)
{
    const struct st_heard_event *a = left, *b = right;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

static int runs_by_start(const void *left, const void *right)
{
    const struct st_history_run *a = left, *b = right;
    return (a->from_wall_ns > b->from_wall_ns) - (a->from_wall_ns < b->from_wall_ns);
}

/* From one run of a server to the next one. A minute has the size of its end, so the size changed in the
 * first minute of a run, or between two runs. The runs are by time. */
static void take_size_changes(struct list *list)
{
    const size_t n = ST_MIN(list->sizes.runs_n, ST_HISTORY_RUNS_MAX);
    for (size_t i = 1; i < n; i++) {
        const struct st_history_run *run = &list->sizes.runs[i], *last = NULL;
        for (size_t k = i; k-- > 0 && last == NULL;) {
            if (st_text_is(list->sizes.runs[k].source, run->source))
                last = &list->sizes.runs[k];
        }
        if (last == NULL || last->frames == 0 || run->frames == 0 ||
            (last->frames == run->frames && last->rate_hz == run->rate_hz) ||
            st_ns_sub(run->from_wall_ns, last->to_wall_ns) > MINUTE_NS)
            continue;
        const struct st_heard_event change = {
            last->to_wall_ns, ST_MIN(st_ns_add(run->from_wall_ns, MINUTE_NS), run->to_wall_ns), OF_SIZE};
        add(list, OF_SIZE, change.from_ns, change.to_ns);
        for (size_t k = 0; k < list->n; k++)
            list->about[k].sized |= st_heard_fits(&list->marks[k], &change);
    }
}

/* Times in which something played, whatever the server and the size. Those less than a minute apart are one:
 * they are known to the minute. */
static void make_sessions(struct list *list)
{
    struct st_history_run *runs = list->sizes.runs;
    const size_t n = ST_MIN(list->sizes.runs_n, ST_HISTORY_RUNS_MAX);
    qsort(runs, n, sizeof(*runs), runs_by_start);
    take_size_changes(list);
    ST_EACH_OF (run, runs, n) {
        if (list->more) /* what came before that is not known to be quiet */
            run->from_wall_ns = ST_MAX(run->from_wall_ns, list->oldest_ns);
        struct st_heard_session *last = list->sessions_n > 0 ? &list->sessions[list->sessions_n - 1] : NULL;
        if (last != NULL && run->from_wall_ns <= st_ns_add(last->to_ns, 60 * ST_NS_PER_S))
            last->to_ns = ST_MAX(run->to_wall_ns, last->to_ns);
        else if (run->to_wall_ns > run->from_wall_ns)
            list->sessions[list->sessions_n++] =
                (struct st_heard_session){run->from_wall_ns, run->to_wall_ns};
    }
}

static json_t *mark_json(const struct list *list, size_t i)
{
    const struct about *about = &list->about[i];
    const struct st_event *heard = &about->heard, *found = &about->found;
    const bool known = found->wall_ns != 0;
    return json_pack(
        "{s:I, s:o, s:I, s:o, s:I, s:o, s:o, s:o, s:o, s:b}", "time_ns", (json_int_t)heard->wall_ns, "by",
        st_json_safe_string(heard->source), "window_ns", (json_int_t)list->marks[i].window_ns, "note",
        st_json_text_or_null(heard->detail), "events", (json_int_t)about->fits_n, "cause",
        known ? json_string(cause_name(about->cause)) : json_null(), "cause_time_ns",
        st_json_integer_or_null(known, found->wall_ns), "text",
        known ? st_json_safe_string(st_event_story_text(found, &about->beside, ST_ROOM(ST_EVENT_STORY_BYTES)))
              : json_null(),
        "unheard", st_json_text_or_null(known && found->kind != ST_EVENT_LATE_WAKE ? "" : heard->client),
        "sized", (int)about->sized);
}

static json_t *cause_json(size_t i, const struct st_heard_cause *cause)
{
    return json_pack("{s:s, s:s, s:I, s:f, s:f, s:b, s:b}", "cause", cause_name(i), "text",
                     cause_text(i, ST_ROOM(200)), "marks", (json_int_t)cause->hits_n, "expected",
                     cause->expected, "p_value", cause->p_value, "too_frequent", cause->frequent, "named",
                     cause->named);
}

/* Named ones first, then by their p-value. Uses qsort's order of a list of pointers. */
static int strongest_first(const void *left, const void *right)
{
    const struct st_heard_cause *a = *(const struct st_heard_cause *const *)left,
                                *b = *(const struct st_heard_cause *const *)right;
    if (a->named != b->named)
        return a->named ? -1 : 1;
    return (a->p_value > b->p_value) - (a->p_value < b->p_value);
}

/* The cause that most marks name. @return how many do; 0: none does. */
static size_t most_named(const struct list *list, size_t *ret_cause)
{
    size_t named_n[CAUSES] = {0}, most = 0;
    ST_EACH_OF (about, list->about, list->n)
        named_n[about->cause] += about->fits_n > 0;
    for (size_t i = 1; i < CAUSES; i++)
        most = named_n[i] > named_n[most] ? i : most;
    *ret_cause = most;
    return named_n[most];
}

/* "5 marks: 4 of them after ... (0.1 expected by chance). 1 unexplained: ..." */
static void say(const struct list *list, uint32_t counted_n, const struct st_heard_cause *best, char *buf,
                size_t bytes)
{
    size_t unexplained_n = 0, cause;
    ST_EACH_OF (about, list->about, list->n)
        unexplained_n += about->fits_n == 0 && !about->sized;
    buf[0] = '\0';
    if (list->n == 0 && list->left_out_n == 0) {
        snprintf(buf, bytes, "No marks. When it clicks, run: sleeptune heard");
        return;
    }
    st_text_append(buf, bytes, "%zu mark%s", list->n, ST_PLURAL(list->n));
    if (list->left_out_n > 0)
        st_text_append(buf, bytes, " (%zu older left out: the last %d events are looked at)",
                       list->left_out_n, EVENTS_MAX);
    if (counted_n < list->n)
        st_text_append(buf, bytes,
                       ", %" PRIu32 " count%s (something must play, and marks less than 10 s apart are one)",
                       counted_n, counted_n == 1 ? "s" : "");
    const size_t named_n = most_named(list, &cause);
    const bool most = best != NULL && 2 * best->hits_n >= counted_n && best->hits_n > 2 * best->expected;
    if (counted_n < ST_HEARD_LEAST_N)
        st_text_append(buf, bytes, ": too few to tell a cause from chance (needs %d)", ST_HEARD_LEAST_N);
    else if (best != NULL && (best->named || (most && !best->frequent)))
        st_text_append(buf, bytes, ": %" PRIu32 " of %" PRIu32 " after this: %s (%.2g expected by chance)%s",
                       best->hits_n, counted_n, cause_text((size_t)(best - list->causes), ST_ROOM(200)),
                       best->expected,
                       best->named ? "" : ": too few, or too little was played, to tell it from chance");
    else if (named_n > 0)
        st_text_append(buf, bytes, ": %zu of %zu name this: %s, which %s", named_n, list->n,
                       cause_text(cause, ST_ROOM(200)),
                       list->causes[cause].frequent ? "is too frequent to tell it from chance"
                                                    : "may be chance");
    else
        st_text_append(buf, bytes, ": no cause came before them more often than by chance");
    st_text_append(buf, bytes, ".");
    if (unexplained_n > 0)
        st_text_append(buf, bytes,
                       " %zu unexplained: nothing that is watched happened then. Not watched here: %s",
                       unexplained_n, st_dropout_table_not_watched(list->unwatched, ST_ROOM(200)));
}

static json_t *document_of(struct list *list, int64_t since_ns, int64_t until_ns)
{
    const struct st_heard_cause *order[CAUSES];
    char text[500];
    json_t *marks = json_array(), *causes = json_array();
    size_t n = 0;
    const uint32_t counted_n = st_heard_judge(list->marks, list->n, list->events, list->events_n,
                                              list->sessions, list->sessions_n, list->causes, CAUSES);
    ST_EACH (cause, list->causes) {
        if (cause->hits_n > 0)
            order[n++] = cause;
    }
    qsort(order, n, sizeof(order[0]), strongest_first);
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(causes, cause_json((size_t)(order[i] - list->causes), order[i]));
    for (size_t i = 0; i < list->n; i++)
        (void)json_array_append_new(marks, mark_json(list, i));
    say(list, counted_n, n > 0 ? order[0] : NULL, text, sizeof(text));
    return json_pack("{s:s, s:o, s:o, s:s, s:I, s:I, s:o, s:o}", "schema", "sleeptune-heard/1", "since_ns",
                     st_json_known(since_ns), "until_ns", st_json_known(until_ns), "text", text,
                     "marks_that_count", (json_int_t)counted_n, "causes_watched", (json_int_t)CAUSES, "marks",
                     marks, "causes", causes);
}

int st_heard_list_text(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns, char **ret)
{
    struct list *list = calloc(1, sizeof(*list));
    struct st_history_events_wish wish = {.since_ns = since_ns,
                                          .until_ns = until_ns != INT64_MIN ? until_ns : INT64_MAX,
                                          .limit = MARKS_MAX,
                                          .kind = st_event_kind_name(ST_EVENT_HEARD)};
    bool more_marks = false;
    int r = list != NULL ? st_history_read_events(reader, &wish, take_mark, list, &more_marks) : -ENOMEM;
    wish.kind = "";
    wish.limit = EVENTS_MAX;
    if (since_ns != INT64_MIN) /* what the first mark is about may have happened before */
        wish.since_ns = st_ns_sub(since_ns, LONGEST_NS);
    if (r == 0 && list->n > 0)
        r = st_history_read_sizes(reader, wish.since_ns, until_ns, &list->sizes);
    if (r == 0 && list->n > 0)
        r = st_history_read_events(reader, &wish, take_event, list, &list->more);
    if (r == 0 && list->more)
        drop_old_marks(list);
    if (r == 0)
        make_sessions(list);
    for (size_t i = 0; r >= 0 && i < list->n; i++) {
        struct about *about = &list->about[i];
        if (about->fits_n > 0) {
            r = st_event_list_beside(reader, &about->found, &about->beside);
        } else {
            const int64_t at_ns = list->marks[i].at_ns;
            const int usb = st_history_read_was_watched(reader, "usb", at_ns);
            r = usb < 0 ? usb : st_history_read_was_watched(reader, "pipewire", at_ns);
            list->unwatched |=
                (usb == 0 ? ST_DROPOUT_TABLE_NO_USB : 0) | (r == 0 ? ST_DROPOUT_TABLE_NO_CARDS : 0);
            r = r < 0 ? r : st_history_read_was_watched(reader, "sound4", at_ns);
            list->unwatched |= r > 0 ? ST_DROPOUT_TABLE_FREEBSD : 0;
        }
    }
    if (r >= 0) {
        qsort(list->events, list->events_n, sizeof(list->events[0]), by_start);
        *ret = st_json_into_text(document_of(list, since_ns, until_ns), JSON_INDENT(2));
        r = *ret != NULL ? 0 : -ENOMEM;
    }
    free(list);
    return r;
}

char *st_heard_list_none(const char *why)
{
    struct list *list = calloc(1, sizeof(*list));
    json_t *document = list != NULL ? document_of(list, INT64_MIN, INT64_MIN) : NULL;
    (void)json_object_set_new(document, "text", json_string(why));
    free(list);
    return st_json_into_text(document, JSON_INDENT(2));
}
