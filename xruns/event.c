#include "xruns/event.h"

#include "core/ns.h"

#define COUNT_MAX INT64_C(1000000000) /* a larger count in one event is refused */
/* 1000 s: SQLite adds a million such times without overflow */
#define NS_MAX   INT64_C(1000000000000)
#define SPAN_MAX INT64_C(1000000000000000) /* 11 days: for fields that are not added up */
#define CPUS_MAX (1 << 20)
#define NUMBER(m, name, in, none, min, max)                                                        \
    {                                                                                              \
        (name), ST_FORM_NUMBER, (in), ST_FIELD_AT(struct st_event, m), (none), (min), (max), NULL  \
    }
#define COUNT(m, in) NUMBER(m, #m, in, 0, 0, COUNT_MAX)
#define NS(m, in)    NUMBER(m, #m, in, 0, 0, NS_MAX)
#define CYCLE(m)     NUMBER(cycle.m, #m, ST_FIELD_ALL, 0, 0, NS_MAX)
#define MACHINE(m, min, max)                                                                       \
    NUMBER(pressure.m, #m, ST_FIELD_FILE | ST_FIELD_JSON, INT64_MIN, min, max)
#define WORD(m, in, none, n, word)                                                                 \
    {                                                                                              \
#m, ST_FORM_WORD, (in), ST_FIELD_AT(struct st_event, m), (none), 0, (n)-1, (word)          \
    }
#define NAME(m, in)                                                                                \
    {                                                                                              \
#m, ST_FORM_NAME, (in), ST_FIELD_AT(struct st_event, m), 0, 0, 0, NULL                     \
    }

static const char *kind(int value)
{
    return st_event_kind_name((enum st_event_kind)value);
}

static const char *certainty(int value)
{
    static const char *const names[] = {[ST_CERTAINTY_NONE] = "",
                                        [ST_CERTAINTY_EXACT] = "exact",
                                        [ST_CERTAINTY_PROBABLE] = "probable"};
    return names[value];
}

static const char *reason(int value)
{
    return st_dropout_reason_name((enum st_dropout_reason)value);
}

static const char *place(int value)
{
    return st_dropout_place_name((enum st_dropout_place)value);
}

static const char *cause(int value)
{
    return st_cause_kind_name((enum st_cause)value);
}

/* Fields of an event, in the order in which a line has them. */
static const struct st_field fields[] = {
    NUMBER(wall_ns, "wall_ns", ST_FIELD_FILE, INT64_MIN, -INT64_MAX, INT64_MAX),
    NUMBER(span_ns, "span_ns", ST_FIELD_FILE | ST_FIELD_JSON, 0, 0, SPAN_MAX),
    WORD(kind, ST_FIELD_FILE, ST_EVENT_KINDS, ST_EVENT_KINDS, kind),
    NUMBER(count_n, "count_n", ST_FIELD_ALL, INT64_MIN, 0, COUNT_MAX),
    NAME(detail, ST_FIELD_FILE), /* text for people, which the JSON for pages does not have */
    NAME(source, ST_FIELD_FILE | ST_FIELD_JSON),
    WORD(certainty, ST_FIELD_ALL, ST_CERTAINTY_NONE, ST_CERTAINTY_PROBABLE + 1, certainty),
    WORD(reason, ST_FIELD_ALL, ST_DROPOUT_UNKNOWN, ST_DROPOUT_REASONS, reason),
    NUMBER(mixed, "mixed", ST_FIELD_FILE, 0, 0, 1),
    WORD(place, ST_FIELD_ALL, ST_DROPOUT_AT_UNKNOWN, ST_DROPOUT_PLACES, place),
    COUNT(cycles_n, ST_FIELD_ALL),
    NS(lost_ns, ST_FIELD_ALL),
    NS(longest_ns, ST_FIELD_ALL),
    CYCLE(busy_ns),
    CYCLE(error_ns),
    CYCLE(wait_ns),
    CYCLE(period_ns),
    NS(spare_ns, ST_FIELD_LINE | ST_FIELD_FILE),
    NUMBER(end_ns, "end_ns", ST_FIELD_LINE, 0, 0, INT64_MAX / 4),
    WORD(cause, ST_FIELD_FILE | ST_FIELD_JSON, ST_CAUSE_UNKNOWN, ST_CAUSE_COUNT, cause),
    NUMBER(lateness_ns, "lateness_ns", ST_FIELD_FILE | ST_FIELD_JSON, INT64_MIN, -SPAN_MAX,
           SPAN_MAX),
    NUMBER(explained_ns, "explained_ns", ST_FIELD_FILE | ST_FIELD_JSON, INT64_MIN, -SPAN_MAX,
           SPAN_MAX),
    NAME(culprit, ST_FIELD_ALL),
    NUMBER(culprit_plays, "culprit_plays", ST_FIELD_LINE | ST_FIELD_FILE, 0, 0, 1),
    COUNT(culprit_n, ST_FIELD_FILE),
    NS(culprit_ns, ST_FIELD_FILE),
    NUMBER(loop_cpu, "loop_cpu", ST_FIELD_FILE, ST_EVENT_NO_LOOP, -1, CPUS_MAX),
    WORD(slowed, ST_FIELD_FILE, ST_CAUSE_UNKNOWN, ST_CAUSE_COUNT, cause),
    MACHINE(pressure_cpu_permille, 0, 1000),
    MACHINE(pressure_io_permille, 0, 1000),
    MACHINE(pressure_memory_permille, 0, 1000),
    MACHINE(cpu_khz, 0, COUNT_MAX),
    MACHINE(throttles_n, 0, COUNT_MAX),
    MACHINE(temperature_mc, -COUNT_MAX, COUNT_MAX),
    NAME(device, ST_FIELD_ALL),
    NAME(client, ST_FIELD_ALL),
};
const struct st_record st_event_record = {fields, ST_ARRAY_LEN(fields)};

struct st_event st_event_make(int64_t wall_ns, enum st_event_kind kind, const char *format, ...)
{
    struct st_event event = {.wall_ns = wall_ns,
                             .kind = kind,
                             .count_n = INT64_MIN,
                             .cause = ST_CAUSE_UNKNOWN,
                             .lateness_ns = INT64_MIN,
                             .explained_ns = INT64_MIN,
                             .loop_cpu = ST_EVENT_NO_LOOP,
                             .slowed = ST_CAUSE_UNKNOWN,
                             .pressure = ST_EVENT_PRESSURE_UNKNOWN};
    ST_PRINT_REST(event.detail, sizeof(event.detail), format);
    return event;
}

struct st_event st_event_of_seen(const struct st_event *seen, int64_t wall_ns)
{
    struct st_event event = st_event_make(wall_ns, seen->kind, "%s", "");
    ST_EACH (field, fields) {
        if ((field->in & ST_FIELD_LINE) != 0)
            memcpy((char *)&event + field->at, (const char *)seen + field->at, field->bytes);
    }
    event.culprit_n = event.count_n * (event.culprit[0] != '\0');
    return event;
}

int64_t st_event_missing_ns(const struct st_event *event)
{
    const struct st_dropout_cycle *cycle = &event->cycle;
    const int64_t took_ns = cycle->busy_ns + cycle->wait_ns;
    if (cycle->period_ns > 0 && took_ns > cycle->period_ns)
        return took_ns - cycle->period_ns;
    return event->spare_ns;
}

int64_t st_event_began_ns(const struct st_event *event)
{
    return st_ns_sub(event->wall_ns, ST_MAX(event->span_ns, event->longest_ns));
}

static void forget_if_other(char *text, const char *other, size_t bytes)
{
    if (!st_text_is(text, other))
        memset(text, 0, bytes);
}

/* Is it unknown how long some dropouts of these two events lasted? The longest of them is then
 * unknown as well. */
static bool lost_partly(const struct st_event *event, const struct st_event *other)
{
    return (event->lost_ns == 0) != (other->lost_ns == 0) ||
           (event->lost_ns > 0 && (event->longest_ns == 0 || other->longest_ns == 0));
}

void st_event_add(struct st_event *event, const struct st_event *other)
{
    const bool late = event->lateness_ns != INT64_MIN || other->lateness_ns != INT64_MIN;
    const bool worse = late ? other->lateness_ns > event->lateness_ns
                            : st_dropout_cycle_is_worse(&other->cycle, &event->cycle);
    event->count_n = st_ns_add(st_event_count(event), st_event_count(other));
    forget_if_other(event->client, other->client, sizeof(event->client));
    forget_if_other(event->device, other->device, sizeof(event->device));
    event->cycles_n = st_ns_add(event->cycles_n, other->cycles_n);
    event->longest_ns = ST_MAX(other->longest_ns, event->longest_ns) * !lost_partly(event, other);
    event->lost_ns = st_ns_add(event->lost_ns, other->lost_ns);
    if (event->place != other->place)
        event->place = ST_DROPOUT_AT_UNKNOWN;
    if (event->certainty != other->certainty)
        event->certainty = ST_CERTAINTY_PROBABLE;
    if (event->reason != other->reason || other->mixed) {
        event->reason = ST_DROPOUT_UNKNOWN;
        event->mixed = true;
    }
    if (!st_event_kind_is_dropout(event->kind))
        memcpy(event->detail, other->detail, sizeof(event->detail)); /* keep the latest text */
    if (!late)
        st_dropout_reason_vote(event->culprit, &event->culprit_n, other->culprit, other->culprit_n);
    if (!late && st_text_is(event->culprit, other->culprit))
        event->culprit_plays = other->culprit_plays;
    if (event->slowed == ST_CAUSE_UNKNOWN || (worse && other->slowed != ST_CAUSE_UNKNOWN))
        event->slowed = other->slowed;
    if (!worse)
        return;
    event->cycle = other->cycle;
    event->spare_ns = other->spare_ns;
    event->cause = other->cause;
    event->lateness_ns = other->lateness_ns;
    event->explained_ns = other->explained_ns;
    if (late) {
        memcpy(event->culprit, other->culprit, sizeof(event->culprit));
        event->culprit_ns = other->culprit_ns;
    }
}
