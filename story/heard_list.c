#include "story/heard_list.h"

#include "core/text/json.h"
#include "core/when.h"
#include "story/event_list.h"
#include "story/heard.h"

#define MARKS_MAX  200 /* only the latest marks are read */
#define EVENTS_MAX 50000
#define LOOK_NS    (250 * ST_NS_PER_MS)
/* longest time between a dropout and the user's report (mark) of it: window_ns of "prompted" */
#define LONGEST_NS (120 * ST_NS_PER_S)
/* a user with an open terminal is as fast as one who presses the button of the page */
#define SOON_NS (8 * ST_NS_PER_S)
/* least pressure (thousandths of a second in which programs waited) at which memory or disk counts
 * as a cause
 */
#define MUCH 100

/* The causes that are considered: client dropouts by their reason, then those below, then late
 * wake-ups of the timing test by their cause. */
enum {
    OF_DEVICE = ST_DROPOUT_REASONS,
    OF_RESYNC,
    OF_BUS,
    OF_END,
    OF_SUSPEND,
    OF_KERNEL,
    OF_USB,
    OF_MEMORY, /* memory, disk and throttling: in the second of a dropout or late wake-up */
    OF_DISK,
    OF_THROTTLING,
    OF_LATE_WAKE,
    CAUSES = OF_LATE_WAKE + ST_CAUSE_COUNT
};

static const struct words {
    const char *name, *text;
} others[] = {
    {"device-dropout", "a device lost sound"},
    {"resync", "a second card was resynchronised"},
    {"bus", "USB packets were lost"},
    {"not-watched", "a sound server ended, or was not watched"},
    {"suspend", "the computer slept"},
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
        struct st_event heard;         /* the event of the mark */
        struct st_event found;         /* the event that explains the mark best; wall_ns 0: none */
        struct st_story_beside beside; /* what is known about the time of `found` */
        size_t cause;                  /* cause of `found`; CAUSES: no event fits */
        uint32_t fits_n;
    } about[MARKS_MAX];
    size_t n;
    /* each event gives one for its cause, and up to three for the state of the machine at its
     * time */
    struct st_heard_event events[4 * EVENTS_MAX];
    size_t events_n;
    /* behind an empty one */
    struct st_heard_session sessions[ST_HISTORY_RUNS_MAX + 2];
    struct st_heard_cause causes[CAUSES];
    struct st_history_sizes sizes;
};

/* The cause that an event belongs to. @return CAUSES: what happened cannot be heard. */
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

static struct words words_of(size_t cause)
{
    const enum st_dropout_reason reason = (enum st_dropout_reason)cause;
    const enum st_cause late = (enum st_cause)(cause - OF_LATE_WAKE);
    if (cause >= CAUSES)
        return (struct words){"", ""};
    if (cause >= OF_LATE_WAKE)
        return (struct words){
            st_cause_kind_name(late),
            st_text("sleeptune's timing test woke up late: %s", st_cause_kind_text(late))};
    if (cause >= OF_DEVICE)
        return others[cause - OF_DEVICE];
    return (struct words){st_dropout_reason_name(reason),
                          st_text("a program %s", st_dropout_reason_text(reason))};
}

/* How a user can report a click (make a mark), each with the least and most time from the click to
 * the report. To type a command takes longest, to press a key is fastest; a notification comes up
 * to a minute after a dropout. */
static const struct {
    const char *by;
    struct st_heard_mark mark; /* without its time */
} ways[] = {
    {"key", {0, 2500 * ST_NS_PER_MS, 100 * ST_NS_PER_MS, false}},
    {"page", {0, SOON_NS, 200 * ST_NS_PER_MS, false}},
    {"typed", {0, 30 * ST_NS_PER_S, 500 * ST_NS_PER_MS, false}},
    {"prompted", {0, LONGEST_NS, 0, true}},
};

static void take_mark(struct list *list, const struct st_event *event)
{
    struct st_heard_mark *mark = &list->marks[list->n];
    list->about[list->n++] = (struct about){.heard = *event, .cause = CAUSES};
    *mark = ways[0].mark;
    ST_EACH (way, ways) {
        if (st_text_is(way->by, event->source))
            *mark = way->mark;
    }
    mark->at_ns = event->wall_ns;
}

/* Rank of an event as an explanation of a mark; the highest is preferred: 2 for a source that was
 * lost, 1 for a dropout, 0 for all others. */
static int rank(const struct st_event *event)
{
    /* If the event has a length, the source is watched again, so the loss is over. */
    const bool is_lost = event->kind == ST_EVENT_OBSERVE_LOST && event->span_ns == 0;
    return 2 * is_lost + st_event_kind_is_dropout(event->kind);
}

/* Finds how much of the event's loss or lateness (ns) was before the mark. -1: not known, because
 * the event sums several dropouts, the last one after the mark. */
static int64_t before_ns(const struct st_heard_mark *mark, const struct st_event *event)
{
    const int64_t after_ns = ST_MAX(st_ns_sub(event->wall_ns, mark->at_ns), 0);
    if (!st_event_kind_is_dropout(event->kind))
        return event->lateness_ns;
    if (after_ns > 0 && event->count_n > 1)
        return -1;
    return ST_MAX(st_ns_sub(event->longest_ns, after_ns), 0);
}

/* Did the event end at most SOON_NS before the mark, as is usual when a user reports it? True for
 * each mark that answers a notification. */
static bool is_soon(const struct st_heard_mark *mark, const struct st_event *event)
{
    return mark->prompted ||
           (before_ns(mark, event) >= 0 && st_ns_sub(mark->at_ns, event->wall_ns) <= SOON_NS);
}

/* Does an event explain the mark better than an earlier one? By rank; then what happened shortly
 * before the mark; then the longer loss, or the wake-up with the larger lateness; then the event
 * that ended last. */
static bool explains_better(const struct st_heard_mark *mark, const struct st_event *event,
                            const struct st_event *than)
{
    if (than->wall_ns == 0)
        return true;
    /* An event of a higher rank wins. So does a dropout after the earlier event, for example after
     * a server had ended and run again: that end did not cause it. */
    if (rank(event) != rank(than))
        return rank(event) > rank(than) ||
               (st_event_kind_is_dropout(event->kind) && st_event_began_ns(event) > than->wall_ns);
    if (is_soon(mark, event) != is_soon(mark, than))
        return is_soon(mark, event);
    return before_ns(mark, event) >= before_ns(mark, than);
}

static const struct st_heard_event *add(struct list *list, const struct st_event *event,
                                        size_t cause)
{
    struct st_heard_event *heard = &list->events[list->events_n++];
    *heard = (struct st_heard_event){st_event_began_ns(event), event->wall_ns, cause};
    /* a source is polled a few times a second, so a dropout may have begun earlier */
    if (st_event_kind_is_dropout(event->kind))
        heard->from_ns = st_ns_sub(heard->from_ns, LOOK_NS);
    return heard;
}

static void take(struct list *list, const struct st_event *event, size_t cause)
{
    const struct st_heard_event *heard = add(list, event, cause);
    for (size_t i = 0; i < list->n; i++) {
        struct about *about = &list->about[i];
        /* A late wake-up is no loss of sound, so it explains only a mark that follows shortly. */
        if (!st_heard_fits(&list->marks[i], heard) ||
            (event->kind == ST_EVENT_LATE_WAKE && !is_soon(&list->marks[i], event)))
            continue;
        about->fits_n++;
        if (!explains_better(&list->marks[i], event, &about->found))
            continue;
        about->found = *event;
        about->cause = cause;
    }
}

/* Was the loop late by too little to be heard: by less than half of the shortest buffer in use? The
 * other half is left to the music's programs for computing. Buffer sizes are precise to a
 * minute. */
static bool is_too_short(const struct list *list, const struct st_event *event)
{
    double shortest_ns = HUGE_VAL;
    ST_EACH_OF (run, list->sizes.runs, list->sizes.runs_n) {
        if (event->wall_ns < run->from_wall_ns ||
            event->wall_ns > st_ns_add(run->to_wall_ns, ST_NS_PER_MINUTE))
            continue;
        const bool known = run->frames > 0 && run->rate_hz > 0;
        shortest_ns =
            fmin(known ? (double)run->frames * 1e9 / (double)run->rate_hz : 0, shortest_ns);
    }
    return isfinite(shortest_ns) && (double)event->lateness_ns < shortest_ns / 2;
}

static void take_event(struct list *list, const struct st_event *event)
{
    const struct st_event_pressure *c = &event->pressure;
    const size_t cause = cause_of(event);
    if (cause == CAUSES)
        return;
    if (event->kind != ST_EVENT_LATE_WAKE || !is_too_short(list, event))
        take(list, event, cause);
    if (c->pressure_memory_permille >= MUCH)
        add(list, event, OF_MEMORY);
    if (c->pressure_io_permille >= MUCH)
        add(list, event, OF_DISK);
    if (c->throttles_n > 0)
        add(list, event, OF_THROTTLING);
}

static int by_start(const void *left, const void *right)
{
    const struct st_heard_event *a = left, *b = right;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

/* Makes sessions: times in which something played, on whatever server and at whatever buffer size.
 * Times less than a minute apart are one session, since they are known to the minute. */
static size_t make_sessions(struct list *list)
{
    struct st_heard_session *last = list->sessions;
    last->to_ns = INT64_MIN;
    ST_EACH_OF (run, list->sizes.runs, list->sizes.runs_n) {
        if (run->from_wall_ns <= st_ns_add(last->to_ns, ST_NS_PER_MINUTE))
            last->to_ns = ST_MAX(run->to_wall_ns, last->to_ns);
        else if (run->to_wall_ns > run->from_wall_ns)
            *++last = (struct st_heard_session){run->from_wall_ns, run->to_wall_ns};
    }
    return (size_t)(last - list->sessions);
}

/* The first line: "5 marks: 4 of 5 after this: ... (0.1 expected by chance). 1 unexplained:
 * ...". */
static const char *answer_text(const struct list *list, uint32_t counted_n, const char *since)
{
    size_t named_n[CAUSES + 1] = {0}, most = 0;
    const struct st_heard_cause *best = NULL;
    const char *but = "", *text = "no cause came before these clicks more often than by chance";
    if (list->n == 0)
        return st_text("No click was marked%s. When it clicks, run: sleeptune heard", since);
    ST_EACH_OF (about, list->about, list->n)
        named_n[about->cause]++;
    for (size_t i = 0; i < CAUSES; i++) {
        const struct st_heard_cause *cause = &list->causes[i];
        if (named_n[i] > named_n[most])
            most = i;
        if (cause->named && (best == NULL || cause->p_value < best->p_value))
            best = cause;
    }
    const char *name = words_of(best != NULL ? (size_t)(best - list->causes) : most).text;
    if (counted_n < list->n)
        but = st_text(", of which %u count (those made while something plays; of marks less than "
                      "10 s apart one "
                      "counts)",
                      counted_n);
    if (counted_n < ST_HEARD_LEAST_N)
        text =
            st_text("too few clicks to tell a cause from chance (%d are needed)", ST_HEARD_LEAST_N);
    else if (best != NULL)
        text = st_text("%u of %u clicks came after this: %s (%.2g expected by chance)",
                       best->hits_n, counted_n, name, best->expected);
    else if (most < CAUSES && list->causes[most].hits_n > 0)
        text = st_text("%" PRIu32 " of %" PRIu32 " clicks came after this: %s, which %s",
                       list->causes[most].hits_n, counted_n, name,
                       list->causes[most].frequent ? "is so frequent that this may be chance"
                                                   : "may be chance");
    const char *unexplained =
        named_n[CAUSES] > 0 ? st_text(" Unexplained clicks: %zu; sleeptune noticed nothing then "
                                      "('sleeptune status --details' says what is not watched).",
                                      named_n[CAUSES])
                            : "";
    return st_text("%zu mark%s%s%s: %s.%s", list->n, ST_PLURAL(list->n), since, but, text,
                   unexplained);
}

static json_t *document_of(struct list *list, const char *since)
{
    json_t *marks = json_array();
    const uint32_t counted_n =
        st_heard_judge(list->marks, list->n, list->events, list->events_n, list->sessions + 1,
                       make_sessions(list), list->causes, CAUSES);
    ST_EACH_OF (about, list->about, list->n) {
        const struct st_event *heard = &about->heard, *found = &about->found;
        const bool known = about->cause != CAUSES,
                   no_loss = !known || found->kind == ST_EVENT_LATE_WAKE;
        const char *text = known ? st_event_story_text(found, &about->beside) : "";
        json_array_append_new(
            marks, st_json_object("time_ns:i by:s window_ns:i note:e events:u cause:e "
                                  "cause_time_ns:o text:e unheard:e",
                                  heard->wall_ns, heard->source,
                                  list->marks[about - list->about].window_ns, heard->detail,
                                  about->fits_n, words_of(about->cause).name,
                                  st_json_integer_or_null(known, found->wall_ns), text,
                                  no_loss ? heard->client : ""));
    }
    return st_json_object("schema:t text:t marks_that_count:u marks:o", "sleeptune-heard/1",
                          answer_text(list, counted_n, since), counted_n, marks);
}

json_t *st_heard_list_read(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns)
{
    struct list *list = calloc(1, sizeof(*list));
    struct st_event event;
    int64_t id;
    bool more;
    if (list == NULL)
        return NULL;
    const int64_t last_ns = st_history_read_last(reader, EVENTS_MAX);
    const char *since = "";
    if (last_ns > since_ns) { /* the file has more events than are read */
        since_ns = st_ns_add(last_ns, LONGEST_NS);
        since = st_text(" since %s (in the last %d events)", st_when_text(since_ns), EVENTS_MAX);
    }
    struct st_history_asked wish = {.since_ns = since_ns,
                                    .until_ns = until_ns,
                                    .limit = MARKS_MAX,
                                    .kind = st_event_kind_name(ST_EVENT_HEARD)};
    struct sqlite3_stmt *rows = st_history_read_events(reader, &wish, &more);
    while (st_history_read_next(reader, rows, &id, &event))
        take_mark(list, &event);
    wish.kind = "";
    wish.limit = EVENTS_MAX;
    /* Reads events from LONGEST_NS before since_ns on, because the first mark may be explained by
     * one of these. */
    wish.since_ns = st_ns_sub(since_ns, LONGEST_NS);
    if (list->n > 0) {
        st_history_read_sizes(reader, wish.since_ns, until_ns, &list->sizes);
        rows = st_history_read_events(reader, &wish, &more);
        while (st_history_read_next(reader, rows, &id, &event))
            take_event(list, &event);
    }
    ST_EACH_OF (about, list->about, list->n) {
        if (about->cause != CAUSES)
            st_event_list_beside(reader, &about->found, &about->beside);
    }
    qsort(list->events, list->events_n, sizeof(list->events[0]), by_start);
    json_t *document = document_of(list, since);
    free(list);
    return document;
}

char *st_heard_list_none(const char *why)
{
    return st_json_into_text(st_json_object("schema:t text:t marks_that_count:u marks:o",
                                            "sleeptune-heard/1", why, 0, json_array()),
                             ST_JSON_PRETTY);
}
