#include "story/heard_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/json.h"
#include "core/text/text.h"
#include "story/event_story.h"
#include "story/heard.h"

#define MARKS_MAX  200 /* the last ones */
#define EVENTS_MAX 5000
#define LONGEST_NS (120 * ST_NS_PER_S) /* of all windows */

/* What is watched, as causes of what is heard: dropouts by their reason, then late wake-ups of the test loop
 * by theirs. */
enum {
    OF_DEVICE = ST_DROPOUT_REASONS,
    OF_RESYNC,
    OF_SUSPEND,
    OF_LATE_WAKE,
    CAUSES = OF_LATE_WAKE + ST_CAUSE_COUNT
};

struct list {
    struct st_heard_mark marks[MARKS_MAX];
    struct st_event heard[MARKS_MAX]; /* the same, whole */
    struct st_event found[MARKS_MAX]; /* what fits best; wall_ns 0: nothing */
    uint32_t fits_n[MARKS_MAX];
    size_t n;
    struct st_heard_event events[EVENTS_MAX];
    size_t events_n;
    int64_t oldest_ns; /* of all events that were read; 0: none yet */
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
    if (event->kind == ST_EVENT_LATE_WAKE)
        return OF_LATE_WAKE + event->cause;
    if (!st_event_kind_is_dropout(event->kind))
        return CAUSES;
    if (event->place == ST_DROPOUT_AT_RESYNC)
        return OF_RESYNC;
    return event->kind == ST_EVENT_CLIENT_DROPOUT ? event->reason : OF_DEVICE;
}

static const char *cause_text(size_t cause, char *buf, size_t buf_bytes)
{
    if (cause == OF_DEVICE)
        return "a device ran dry";
    if (cause == OF_RESYNC)
        return "a second card was put in step";
    if (cause == OF_SUSPEND)
        return "the computer slept";
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
    static const char *const others[] = {"device-xrun", "resync", "suspend"};
    if (cause >= OF_LATE_WAKE)
        return st_cause_kind_name((enum st_cause)(cause - OF_LATE_WAKE));
    return cause >= OF_DEVICE ? others[cause - OF_DEVICE]
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
    {"page", 8 * ST_NS_PER_S, 200 * ST_NS_PER_MS, false},
    {"typed", 30 * ST_NS_PER_S, 500 * ST_NS_PER_MS, false},
    {"prompted", LONGEST_NS, 0, true},
};

static const struct way *way_of(const char *by)
{
    ST_EACH (way, ways) {
        if (strcmp(way->by, by) == 0)
            return way;
    }
    return &ways[0];
}

static int take_mark(void *ctx, ST_UNUSED int64_t id, const struct st_event *event)
{
    struct list *list = ctx;
    const struct way *way = way_of(event->source);
    const bool own = event->span_ns > way->least_ns && event->span_ns < way->window_ns; /* by practice */
    list->heard[list->n] = *event;
    list->marks[list->n++] = (struct st_heard_mark){.at_ns = event->wall_ns,
                                                    .window_ns = own ? event->span_ns : way->window_ns,
                                                    .least_ns = way->least_ns,
                                                    .prompted = way->prompted};
    return 0;
}

/* Sound that was lost for longer comes first, then what stands for most. */
static bool explains_better(const struct st_event *event, const struct st_event *than)
{
    const bool dropout = st_event_kind_is_dropout(event->kind), other = st_event_kind_is_dropout(than->kind);
    if (than->wall_ns == 0 || dropout != other)
        return than->wall_ns == 0 || dropout;
    return dropout ? event->lost_ns > than->lost_ns : event->lateness_ns > than->lateness_ns;
}

static int take_event(void *ctx, ST_UNUSED int64_t id, const struct st_event *event)
{
    struct list *list = ctx;
    const size_t cause = cause_of(event);
    list->oldest_ns = list->oldest_ns == 0 ? event->wall_ns : list->oldest_ns;
    if (cause == CAUSES || list->events_n == EVENTS_MAX)
        return 0;
    const struct st_heard_event heard = {
        .from_ns = st_ns_sub(event->wall_ns, event->span_ns), .to_ns = event->wall_ns, .cause = cause};
    list->events[list->events_n++] = heard;
    for (size_t i = 0; i < list->n; i++) {
        if (!st_heard_fits(&list->marks[i], &heard))
            continue;
        list->fits_n[i]++;
        if (explains_better(event, &list->found[i]))
            list->found[i] = *event;
    }
    return 0;
}

/* What happened before marks that are older than all that was read is not known. */
static void drop_old_marks(struct list *list)
{
    size_t old_n = 0;
    while (old_n < list->n && list->marks[old_n].at_ns - list->marks[old_n].window_ns < list->oldest_ns)
        old_n++;
    list->n -= old_n;
    memmove(list->marks, list->marks + old_n, list->n * sizeof(list->marks[0]));
    memmove(list->heard, list->heard + old_n, list->n * sizeof(list->heard[0]));
    memmove(list->found, list->found + old_n, list->n * sizeof(list->found[0]));
    memmove(list->fits_n, list->fits_n + old_n, list->n * sizeof(list->fits_n[0]));
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

/* Times in which something played, whatever the server and the size. Those less than a minute apart are one:
 * they are known to the minute. */
static void make_sessions(struct list *list)
{
    struct st_history_run *runs = list->sizes.runs;
    const size_t n = list->sizes.runs_n < ST_HISTORY_RUNS_MAX ? list->sizes.runs_n : ST_HISTORY_RUNS_MAX;
    qsort(runs, n, sizeof(*runs), runs_by_start);
    ST_EACH_OF (run, runs, n) {
        struct st_heard_session *last = list->sessions_n > 0 ? &list->sessions[list->sessions_n - 1] : NULL;
        if (last != NULL && run->from_wall_ns <= st_ns_add(last->to_ns, 60 * ST_NS_PER_S))
            last->to_ns = run->to_wall_ns > last->to_ns ? run->to_wall_ns : last->to_ns;
        else if (run->to_wall_ns > run->from_wall_ns)
            list->sessions[list->sessions_n++] =
                (struct st_heard_session){run->from_wall_ns, run->to_wall_ns};
    }
}

static json_t *mark_json(const struct list *list, size_t i)
{
    const struct st_event *heard = &list->heard[i], *found = &list->found[i];
    const struct st_story_beside beside = {.settled = true};
    char text[ST_EVENT_STORY_BYTES];
    const bool known = found->wall_ns != 0;
    return json_pack(
        "{s:I, s:o, s:I, s:o, s:I, s:o, s:o, s:o}", "time_ns", (json_int_t)heard->wall_ns, "by",
        st_json_safe_string(heard->source), "window_ns", (json_int_t)list->marks[i].window_ns, "note",
        heard->detail[0] != '\0' ? st_json_safe_string(heard->detail) : json_null(), "events",
        (json_int_t)list->fits_n[i], "cause", known ? json_string(cause_name(cause_of(found))) : json_null(),
        "cause_time_ns", st_json_integer_or_null(known, found->wall_ns), "text",
        known ? st_json_safe_string(st_event_story_text(found, &beside, text, sizeof(text))) : json_null());
}

static json_t *cause_json(size_t i, const struct st_heard_cause *cause)
{
    char text[200];
    return json_pack("{s:s, s:s, s:I, s:f, s:f, s:b, s:b}", "cause", cause_name(i), "text",
                     cause_text(i, text, sizeof(text)), "marks", (json_int_t)cause->hits_n, "expected",
                     cause->expected, "evidence", cause->e > 1e12 ? 1e12 : cause->e, "too_frequent",
                     cause->frequent, "named", cause->named);
}

/* Named ones first, then by their evidence. Uses qsort's order of a list of pointers. */
static int strongest_first(const void *left, const void *right)
{
    const struct st_heard_cause *a = *(const struct st_heard_cause *const *)left,
                                *b = *(const struct st_heard_cause *const *)right;
    if (a->named != b->named)
        return a->named ? -1 : 1;
    return (a->e < b->e) - (a->e > b->e);
}

/* "5 marks: 4 of them after ... (0.1 expected by chance). 1 unexplained: ..." */
static void say(const struct list *list, uint32_t counted_n, const struct st_heard_cause *best, char *buf,
                size_t bytes)
{
    char text[200];
    size_t unexplained_n = 0;
    for (size_t i = 0; i < list->n; i++)
        unexplained_n += list->fits_n[i] == 0;
    buf[0] = '\0';
    if (list->n == 0) {
        snprintf(buf, bytes, "No marks. When it clicks, run: sleeptune heard");
        return;
    }
    st_text_append(buf, bytes, "%zu mark%s", list->n, list->n == 1 ? "" : "s");
    if (best != NULL && best->named)
        st_text_append(buf, bytes, ": %" PRIu32 " of %" PRIu32 " after this: %s (%.2g expected by chance)",
                       best->hits_n, counted_n, cause_text((size_t)(best - list->causes), text, sizeof(text)),
                       best->expected);
    else if (counted_n < ST_HEARD_LEAST_N)
        st_text_append(buf, bytes, ": too few to tell a cause from chance (%d while something plays)",
                       ST_HEARD_LEAST_N);
    else if (best != NULL && best->frequent)
        st_text_append(buf, bytes, ": what came before them is too frequent to tell it from chance");
    else
        st_text_append(buf, bytes, ": no cause came before them more often than by chance");
    st_text_append(buf, bytes, ".");
    if (unexplained_n > 0)
        st_text_append(buf, bytes,
                       " %zu unexplained: nothing that is watched happened then. What is not watched here: "
                       "sleeptune status --details",
                       unexplained_n);
}

static json_t *document_of(struct list *list, int64_t since_ns, int64_t until_ns)
{
    const struct st_heard_cause *order[CAUSES];
    char text[500];
    json_t *marks = json_array(), *causes = json_array();
    size_t n = 0;
    const uint32_t counted_n = st_heard_judge(list->marks, list->n, list->events, list->events_n,
                                              list->sessions, list->sessions_n, list->causes, CAUSES);
    for (size_t i = 0; i < CAUSES; i++) {
        if (list->causes[i].hits_n > 0)
            order[n++] = &list->causes[i];
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
    bool more = false;
    int r = list != NULL ? st_history_read_events(reader, &wish, take_mark, list, &more) : -ENOMEM;
    wish.kind = "";
    wish.limit = EVENTS_MAX;
    if (since_ns != INT64_MIN) /* what the first mark is about may have happened before */
        wish.since_ns = st_ns_sub(since_ns, LONGEST_NS);
    if (r == 0 && list->n > 0)
        r = st_history_read_events(reader, &wish, take_event, list, &more);
    if (r == 0 && more)
        drop_old_marks(list);
    if (r == 0 && list->n > 0)
        r = st_history_read_sizes(reader, since_ns, until_ns, &list->sizes);
    if (r == 0) {
        qsort(list->events, list->events_n, sizeof(list->events[0]), by_start);
        make_sessions(list);
        json_t *document = document_of(list, since_ns, until_ns);
        *ret = document != NULL ? json_dumps(document, JSON_INDENT(2)) : NULL;
        json_decref(document);
        r = *ret != NULL ? 0 : -ENOMEM;
    }
    free(list);
    return r;
}
