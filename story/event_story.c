#include "story/event_story.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "story/dropout_sentence.h"

struct st_story_beside st_event_story_alone(const struct st_event *event)
{
    /* Late wake-ups of the timing test are searched only if the client's own cycle does not give
     * the reason, or does not say who made the client wake up late. */
    return (struct st_story_beside){
        .from_ns = st_ns_sub(st_event_began_ns(event), ST_EVENT_SAME_TIME_NS),
        .to_ns = st_ns_add(event->wall_ns, ST_EVENT_SAME_TIME_NS),
        .open = st_event_kind_is_dropout(event->kind) && !event->mixed &&
                (event->reason == ST_DROPOUT_UNKNOWN ||
                 (event->reason == ST_DROPOUT_WOKEN_LATE && event->culprit[0] == '\0'))};
}

void st_event_story_join(struct st_story_beside *beside, const struct st_event *record)
{
    const struct st_event *worst = &beside->late;
    if (record->kind == ST_EVENT_LATE_WAKE && record->wall_ns >= beside->from_ns &&
        st_ns_sub(st_ns_sub(record->wall_ns, record->span_ns), record->lateness_ns) <=
            beside->to_ns &&
        (record->lateness_ns > worst->lateness_ns ||
         (record->lateness_ns == worst->lateness_ns && record->wall_ns < worst->wall_ns)))
        beside->late = *record;
}

bool st_event_story_is_settled(const struct st_story_beside *beside)
{
    return !beside->open || beside->seen_to_ns >= beside->to_ns;
}

/* The late wake-up that explains the event: it was late by at least as much as was missing. NULL:
 * none. */
static const struct st_event *explanation(const struct st_event *event,
                                          const struct st_story_beside *beside)
{
    const int64_t late_ns = beside->late.lateness_ns;
    return late_ns > 0 && late_ns >= st_event_missing_ns(event) ? &beside->late : NULL;
}

/* Is the reason of the dropout unknown? It is known if the event has one, or if its place is one: a
 * card was resynchronised, or packets were lost. */
static bool is_unexplained(const struct st_event *event)
{
    return event->reason == ST_DROPOUT_UNKNOWN && !event->mixed &&
           st_dropout_place_why(event->place) == NULL;
}

/* Is it known that the timing test was on time, or not late enough to explain the dropout? */
static bool is_on_time(const struct st_event *event, const struct st_story_beside *beside)
{
    return is_unexplained(event) && event->loop_cpu != ST_EVENT_NO_LOOP &&
           beside->seen_from_ns <= beside->from_ns && beside->seen_to_ns >= beside->to_ns;
}

/* --- the parts of a sentence --- */

/* The time that an event sums: " in 10 s"; "" below a second. */
static const char *span_text(const struct st_event *event)
{
    if (event->span_ns < ST_NS_PER_S)
        return "";
    return st_text(" in %.0f s", st_ns_seconds(event->span_ns));
}

/* " (CPU 2)"; "": not known. */
static const char *cpu_text(int cpu)
{
    return cpu >= 0 ? st_text(" (CPU %d)", cpu) : "";
}

/* The sentence about a late wake-up: "the timing test woke 2.9 ms late: another thread had the CPU:
 * ffmpeg/4711 for 2.9 ms". */
static const char *late_text(const struct st_event *late)
{
    const char *length = st_ns_text(late->lateness_ns), *woke = st_text("%s late", length),
               *lasted = "";
    if (st_event_count(late) > 1)
        woke = st_text("late %jd times%s, at worst by %s", late->count_n, span_text(late), length);
    if (late->culprit[0] != '\0' && late->culprit_ns > 0)
        lasted = st_text(" for %s", st_ns_text(late->culprit_ns));
    return st_text("the timing test woke up %s: %s%s%s", woke, st_cause_kind_text(late->cause),
                   st_text_with(": ", late->culprit), lasted);
}

/* Where a dropout happened: " in 10 s on alsa_output.pci (PipeWire, probable)". @param device
 * include the device; it is left out if a card was resynchronised, because the reason names it. */
static const char *where_text(const struct st_event *event, bool device)
{
    const char *span = "", *on = "", *server = "";
    if (event->count_n != 0)
        span = span_text(event);
    if (device && event->place != ST_DROPOUT_AT_RESYNC)
        on = st_text_with(" on ", event->device);
    if (event->kind != ST_EVENT_OWN_DROPOUT && event->source[0] != '\0')
        server = st_text(" (%s%s)", st_xrun_sources_title(event->source),
                         event->certainty == ST_CERTAINTY_PROBABLE ? ", probable" : "");
    return st_text("%s%s%s", span, on, server);
}

static const char *dropout_text(const struct st_event *event)
{
    struct st_dropout_client client = st_dropout_table_of_event(event);
    const bool of_device = event->kind == ST_EVENT_DEVICE_DROPOUT, named = client.name[0] != '\0';
    /* a resynchronised card is not the subject of the sentence, because the reason names the device
     * that the card follows */
    const bool is_subject =
        of_device && !named && event->device[0] != '\0' && event->place != ST_DROPOUT_AT_RESYNC;
    const char *where = where_text(event, !is_subject), *text;
    if (!named)
        ST_PRINT(client.name, "%s",
                 is_subject  ? event->device
                 : of_device ? "a device"
                             : "a program");
    if (event->kind == ST_EVENT_OWN_DROPOUT)
        return st_text("sleeptuned's own test stream ran empty %jd time%s%s", st_event_count(event),
                       ST_PLURAL(st_event_count(event)), where);
    /* The event may be about the rest of a dropout that began in an earlier event. */
    if (event->count_n != 0)
        text = st_dropout_sentence_lost(&client, event->source, where);
    else
        text = st_text("the dropout of %s continued%s%s", client.name, where,
                       event->longest_ns > 0
                           ? st_text(", for %s until then", st_ns_short(event->longest_ns))
                           : "");
    if (event->mixed)
        return st_text("%s, for several reasons", text);
    if (event->reason != ST_DROPOUT_UNKNOWN ||
        (of_device && (named || st_dropout_place_why(event->place) != NULL)))
        return st_text("%s: it %s", text, st_dropout_sentence_why(&client, client.rows, true));
    return text;
}

/* For a client that waited for its own memory: how much other programs waited for memory at that
 * time. */
static const char *machine_text(const struct st_event *event)
{
    const int64_t permille = event->pressure.pressure_memory_permille;
    if (event->reason != ST_DROPOUT_SWAPPED_OUT || permille < 0)
        return "";
    return st_text("; programs waited for memory %.1f %% of that second", (double)permille / 10);
}

static const char *loop_text(const struct st_event *event, const struct st_story_beside *beside)
{
    const struct st_event *late = explanation(event, beside);
    if (late != NULL)
        return st_text("; meanwhile the timing test%s woke up %s late: %s",
                       cpu_text(late->loop_cpu), st_ns_text(late->lateness_ns),
                       st_text_joined(st_cause_kind_text(late->cause), ", ", late->culprit));
    if (is_on_time(event, beside))
        return st_text("; the timing test%s was not late enough to explain the dropout: look at "
                       "the sound server, its programs or the device",
                       cpu_text(event->loop_cpu));
    if (is_unexplained(event) && st_event_story_is_settled(beside))
        return "; it is unknown whether the timing test was late";
    return "";
}

const char *st_event_story_text(const struct st_event *event, const struct st_story_beside *beside)
{
    /* The user's note is left out, because pages of other users show this text. */
    if (event->kind == ST_EVENT_HEARD)
        return "a click was marked (sleeptune heard)";
    if (event->kind == ST_EVENT_LATE_WAKE)
        return late_text(event);
    if (st_event_kind_is_dropout(event->kind))
        return st_text("%s%s%s", dropout_text(event), machine_text(event),
                       loop_text(event, beside));
    if (event->count_n > 1)
        return st_text("%jd times%s, the last: %s", event->count_n, span_text(event),
                       event->detail);
    return st_text("%s", event->detail);
}

/* --- JSON --- */

/* The event's own cause, or that of the late wake-up that explains the event. */
static const char *cause_name(const struct st_event *event, const struct st_story_beside *beside,
                              const struct st_event *late)
{
    if (late->lateness_ns != INT64_MIN)
        return st_cause_kind_name(late->cause);
    if (!st_event_kind_is_dropout(event->kind) || !is_unexplained(event) ||
        !st_event_story_is_settled(beside))
        return "";
    return is_on_time(event, beside) ? ST_STORY_ON_TIME : st_cause_kind_name(ST_CAUSE_UNKNOWN);
}

/* The reason in a few words, for the legend of a picture. */
static const char *why_text(const struct st_event *event)
{
    const char *why = st_dropout_reason_device(event->device);
    if (event->kind == ST_EVENT_CLIENT_DROPOUT)
        why = st_dropout_reason_text(event->reason);
    return st_text_or(st_dropout_place_why(event->place), why);
}

json_t *st_event_story_json(const struct st_event *event, const struct st_story_beside *beside)
{
    const struct st_event *found = explanation(event, beside);
    struct st_event shown = *event;
    if (found != NULL) {
        shown.lateness_ns = found->lateness_ns;
        shown.explained_ns = found->explained_ns;
        shown.cause = found->cause;
        memcpy(shown.culprit, found->culprit, sizeof(shown.culprit));
    }
    json_t *document = json_object();
    ST_EACH_OF (field, st_event_record.fields, st_event_record.n) {
        if ((field->in & ST_FIELD_JSON) == 0 || !st_record_is_known(field, &shown))
            continue;
        json_t *value;
        if (field->form == ST_FORM_NUMBER)
            value = json_integer(st_record_number(field, &shown));
        else
            value = st_json_safe_string(st_record_text(field, &shown));
        (void)json_object_set_new(document, field->name, value);
    }
    st_json_add(document, "time_ns:i event:t text:s", event->wall_ns,
                st_event_kind_name(event->kind), st_event_story_text(event, beside));
    /* Unlike other unknown fields, an unknown reason is in the JSON. */
    if (event->kind == ST_EVENT_CLIENT_DROPOUT)
        st_json_add(document, "reason:t", st_dropout_reason_name(event->reason));
    if (st_event_kind_is_dropout(event->kind))
        st_json_add(document, "why:t", why_text(event));
    const char *cause = cause_name(event, beside, &shown);
    if (cause[0] != '\0')
        st_json_add(document, "cause:t", cause);
    return document;
}
