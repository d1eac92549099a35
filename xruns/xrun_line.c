/* Parses and writes the lines of helper programs. */
#include "xruns/xrun_line.h"

#include "core/text/number.h"
#include "core/text/safe.h"
#include "core/text/text.h"

#define COUNT_MAX INT64_C(1000000000)    /* a larger count in a line is refused */
#define DRIFT_MAX INT64_C(10000000)      /* 1 %: no card is so far off */
#define NS_MAX    INT64_C(1000000000000) /* 1000 s: no cycle is longer */

#define SEEN(name, m, none, min, max)                                                              \
    {                                                                                              \
        (name), ST_FORM_NUMBER, ST_FIELD_LINE, ST_FIELD_AT(struct st_xrun_seen, m), (none), (min), \
            (max), NULL                                                                            \
    }
#define COUNT(m) SEEN(#m, load.m, 0, 0, COUNT_MAX)
#define TIME(m)  SEEN(#m, load.m, 0, 0, NS_MAX)
#define MEASURED(m)                                                                                \
    SEEN(#m, load.m, INT64_MIN, 0, NS_MAX) /* INT64_MIN: not known, since 0 is a time */
#define NAME(m)                                                                                    \
    {                                                                                              \
#m, ST_FORM_NAME, ST_FIELD_LINE, ST_FIELD_AT(struct st_xrun_seen, event.m), 0, 0, 0, NULL  \
    }

/* Fields of the lines "cycle", "level" and "ended". */
static const struct st_field moment_fields[] = {
    SEEN("busy_ns", event.cycle.busy_ns, 0, 0, NS_MAX),
    SEEN("wait_ns", event.cycle.wait_ns, 0, 0, NS_MAX),
    TIME(reserve_ns),
    NAME(device),
    NAME(client),
    SEEN("deadline_ns", deadline_ns, 0, 0, NS_MAX),
    SEEN("left_n", left_n, 0, 0, COUNT_MAX),
};

static const struct st_field load_fields[] = {
    COUNT(cycles_n),
    MEASURED(busy_median_ns),
    MEASURED(busy_p99_ns),
    MEASURED(busy_max_ns),
    MEASURED(wait_median_ns),
    MEASURED(wait_p99_ns),
    MEASURED(wait_max_ns),
    TIME(period_ns),
    COUNT(frames),
    COUNT(rate_hz),
    COUNT(asked_frames),
    COUNT(asked_rate_hz),
    COUNT(priority),
    SEEN("between", load.between, 0, 0, ST_XRUN_BETWEEN_HEARD),
    TIME(buffer_ns),
    SEEN("drift_ppb", load.drift_ppb, 0, -DRIFT_MAX, DRIFT_MAX),
    COUNT(block_frames),
    COUNT(block_any),
    COUNT(streams_n),
    TIME(reserve_ns),
    NAME(device),
    NAME(client),
};

static const struct st_record moment_record = {moment_fields, ST_ARRAY_LEN(moment_fields)},
                              load_record = {load_fields, ST_ARRAY_LEN(load_fields)};

/* The first word of each line. The kind of an event follows from this word and has no key, so that
 * a line cannot contradict itself. */
static const struct word {
    const char *word;
    enum st_xrun_seen_kind kind;
    enum st_event_kind event;
    const struct st_record *record;
} words[] = {{"client-dropout", ST_XRUN_SEEN_DROPOUT, ST_EVENT_CLIENT_DROPOUT, &st_event_record},
             {"device-dropout", ST_XRUN_SEEN_DROPOUT, ST_EVENT_DEVICE_DROPOUT, &st_event_record},
             {"cycle", ST_XRUN_SEEN_CYCLE, 0, &moment_record},
             {"load", ST_XRUN_SEEN_LOAD, 0, &load_record},
             {"level", ST_XRUN_SEEN_LEVEL, 0, &moment_record},
             {"ended", ST_XRUN_SEEN_ENDED, 0, &moment_record}};

/** @return the text behind `word` if the text (may be NULL) begins with that word; else NULL. */
static const char *behind(const char *text, const char *word)
{
    if (text == NULL || !st_text_begins(text, word))
        return NULL;
    return text + strlen(word);
}

/** Reads a number up to a blank, if the text begins with that key. @return the text behind the
 * number; NULL: malformed.
 */
static const char *read_option(const char *text, const char *key, int64_t max, int64_t *ret)
{
    const char *value = behind(text, key);
    if (value == NULL)
        return text;
    const size_t len = strcspn(value, " ");
    if (st_number_i64(st_text("%.*s", (int)ST_MIN(len, 23), value), 0, max, ret) != 0)
        return NULL;
    return value + len;
}

/** Reads what follows the first word of a "ready" or "absent" line. @return false: it is malformed,
 * or has no text. */
static bool read_text(const char *from, struct st_xrun_line *ret)
{
    from = read_option(from, " facts=", ST_XRUN_FACTS_MAX, &ret->facts);
    from = read_option(from, " listens=", COUNT_MAX, &ret->listens_n);
    if (from == NULL || from[0] != ' ' || from[1] == '\0')
        return false;
    st_safe_copy(ret->text, sizeof(ret->text), from + 1, ST_TEXT_TO_NUL);
    return true;
}

/* Does the line have the fields that its kind needs? */
static bool is_whole(const struct st_xrun_seen *seen)
{
    const struct st_event *event = &seen->event;
    switch (seen->kind) {
    case ST_XRUN_SEEN_DROPOUT:
        if (event->kind ==
                ST_EVENT_DEVICE_DROPOUT && /* only dropouts of clients have these fields */
            (event->cycles_n != 0 || event->reason != ST_DROPOUT_UNKNOWN ||
             event->culprit[0] != '\0'))
            return false;
        return event->certainty != ST_CERTAINTY_NONE && event->count_n >= 0 &&
               event->count_n + event->cycles_n > 0;
    case ST_XRUN_SEEN_CYCLE:
        return seen->deadline_ns > 0;
    case ST_XRUN_SEEN_LOAD:
        return seen->load.cycles_n > 0;
    case ST_XRUN_SEEN_LEVEL:
        return seen->load.reserve_ns > 0;
    case ST_XRUN_SEEN_ENDED:
        return event->client[0] != '\0';
    }
    return false;
}

/* @return the struct that the word's record describes: for a dropout its event, else all of
 * `seen`. */
static void *part_of(const struct word *word, struct st_xrun_seen *seen)
{
    return word->kind == ST_XRUN_SEEN_DROPOUT ? (void *)&seen->event : seen;
}

static bool parse_seen(const char *line, struct st_xrun_seen *ret)
{
    const size_t len = strcspn(line, " ");
    const struct word *word = words, *end = words + ST_ARRAY_LEN(words);
    while (word < end && (strlen(word->word) != len || strncmp(line, word->word, len) != 0))
        word++;
    if (word == end)
        return false;
    ret->kind = word->kind;
    ret->event.kind = word->event;
    if (word->kind == ST_XRUN_SEEN_LOAD)
        ret->load = st_xrun_load_plays;
    ret->load.cycles_n = 0;
    return st_record_parse(word->record, line + len, part_of(word, ret)) == 0 && is_whole(ret);
}

int st_xrun_line_parse(const char *line, struct st_xrun_line *ret)
{
    struct st_xrun_line parsed = {0};
    const char *rest;
    bool good = false;
    if ((rest = behind(line, "ready")) != NULL || (rest = behind(line, "absent")) != NULL) {
        parsed.kind = line[0] == 'r' ? ST_XRUN_LINE_READY : ST_XRUN_LINE_ABSENT;
        good = read_text(rest, &parsed);
    } else if ((rest = behind(line, "alive")) != NULL) {
        parsed.kind = ST_XRUN_LINE_ALIVE;
        good = rest[0] == '\0' || (st_text_begins(rest, " late=") &&
                                   st_number_i64(rest + 6, 1, NS_MAX, &parsed.late_ns) == 0);
    } else {
        parsed.kind = ST_XRUN_LINE_SEEN;
        good = parse_seen(line, &parsed.seen);
    }
    if (!good)
        return -EBADMSG;
    *ret = parsed;
    return 0;
}

const char *st_xrun_line_format(const struct st_xrun_seen *seen, char *buf, size_t buf_bytes)
{
    const struct word *word = words;
    struct st_xrun_seen copy = *seen;
    while (word->kind != seen->kind ||
           (seen->kind == ST_XRUN_SEEN_DROPOUT && word->event != seen->event.kind))
        word++;
    snprintf(buf, buf_bytes, "%s", word->word);
    st_record_line(word->record, part_of(word, &copy), buf, buf_bytes);
    st_text_append(buf, buf_bytes, "\n");
    return buf;
}
