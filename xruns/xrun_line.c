/* Lines of helper programs. */
#include "xruns/xrun_line.h"

#include "core/text/number.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "platform/proc.h"

#define COUNT_MAX UINT64_C(1000000000)    /* more in one line is no count */
#define DRIFT_MAX UINT64_C(10000000)      /* 1 %: no card is so far off */
#define NS_MAX    UINT64_C(1000000000000) /* 1000 s: no cycle is longer */

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/** Reads a name up to a blank, as safe text. @return what is behind it, NULL when it is malformed. */
static const char *read_name(const char *text, char ret[ST_XRUN_NAME_BYTES])
{
    char name[ST_XRUN_NAME_BYTES];
    size_t n = 0;
    for (; *text != '\0' && *text != ' '; text++) {
        char c = *text;
        if (c == '%') {
            const int high = hex(text[1]), low = high >= 0 ? hex(text[2]) : -1;
            if (low < 0)
                return NULL;
            c = (char)(high * 16 + low);
            text += 2;
        }
        if (n + 1 < ST_XRUN_NAME_BYTES)
            name[n++] = c != '\0' ? c : '?';
    }
    name[n] = '\0';
    memset(ret, 0, ST_XRUN_NAME_BYTES); /* nothing behind its end, of this name or of one before it */
    st_safe_copy(ret, ST_XRUN_NAME_BYTES, name, ST_TEXT_TO_NUL);
    return text;
}

/** Behind `word` if the text begins with it. */
static const char *behind(const char *text, const char *word)
{
    const size_t len = strlen(word);
    return strncmp(text, word, len) == 0 ? text + len : NULL;
}

/** Reads a number of 0 .. max. @return what is behind it, NULL when it is malformed. */
static const char *read_number(const char *text, uint64_t max, int64_t *ret)
{
    uint64_t n;
    if (*text == ' ' || st_proc_u64(&text, &n) != 0 || n > max)
        return NULL;
    *ret = (int64_t)n;
    return text;
}

/* --- the fields of what was seen --- */

enum form {
    COUNT,
    TIME,      /* ns */
    MOMENT,    /* ns of CLOCK_MONOTONIC */
    DRIFT,     /* in 10^-9, either sign */
    TIMES,     /* three members: "MEDIAN,P99,MAX"; all of them known, or none */
    REASON,    /* its name */
    PLACE,     /* its name */
    CERTAINTY, /* its name */
    NAME,
};

struct field {
    const char *key;
    enum form form;
    size_t at;   /* in struct st_xrun_seen */
    bool always; /* written also if it is 0 */
};

#define AT(member) offsetof(struct st_xrun_seen, member)

/* In the order in which they are written. */
static const struct field xrun_fields[] = {
    {"certainty", CERTAINTY, AT(certainty), true},
    {"device-dropouts", COUNT, AT(device_dropouts_n), true},
    {"client-dropouts", COUNT, AT(dropouts_n), true},
    {"reason", REASON, AT(reason)},
    {"busy", TIME, AT(cycle.busy_ns)},
    {"error", TIME, AT(cycle.error_ns)},
    {"wait", TIME, AT(cycle.wait_ns)},
    {"period", TIME, AT(cycle.period_ns)},
    {"spare", TIME, AT(spare_ns)},
    {"culprit", NAME, AT(culprit)},
    {"culprit-plays", COUNT, AT(culprit_plays)},
    {"place", PLACE, AT(place)},
    {"cycles", COUNT, AT(cycles_n)},
    {"lost", TIME, AT(lost_ns)},
    {"longest", TIME, AT(longest_ns)},
    {"end", MOMENT, AT(end_ns)},
    {"device", NAME, AT(device)},
    {"client", NAME, AT(client)},
    {NULL},
};

static const struct field cycle_fields[] = {
    {"busy", TIME, AT(cycle.busy_ns)},
    {"wait", TIME, AT(cycle.wait_ns)},
    {"device", NAME, AT(device)},
    {"client", NAME, AT(client)},
    {"deadline", TIME, AT(deadline_ns)},
    {"left", COUNT, AT(left_n)},
    {NULL},
};

static const struct field load_fields[] = {
    {"cycles", COUNT, AT(load.cycles_n)},
    {"busy", TIMES, AT(load.busy_median_ns)},
    {"wait", TIMES, AT(load.wait_median_ns)},
    {"period", TIME, AT(load.period_ns)},
    {"frames", COUNT, AT(load.frames)},
    {"rate", COUNT, AT(load.rate_hz)},
    {"asked", COUNT, AT(load.asked_frames)},
    {"asked-rate", COUNT, AT(load.asked_rate_hz)},
    {"priority", COUNT, AT(load.priority)},
    {"between", COUNT, AT(load.between)},
    {"buffer", TIME, AT(load.buffer_ns)},
    {"drift", DRIFT, AT(load.drift_ppb)},
    {"block", COUNT, AT(load.block_frames)},
    {"block-any", COUNT, AT(load.block_any)},
    {"stream", COUNT, AT(load.streams_n)},
    {"reserve", TIME, AT(load.reserve_ns)},
    {"device", NAME, AT(device)},
    {"client", NAME, AT(client)},
    {NULL},
};

static const struct field level_fields[] = {{"reserve", TIME, AT(load.reserve_ns)},
                                            {"device", NAME, AT(device)},
                                            {"client", NAME, AT(client)},
                                            {NULL}};

static const struct {
    const char *word;
    const struct field *fields;
} kinds[] = {[ST_XRUN_SEEN_DROPOUT] = {"xrun", xrun_fields},
             [ST_XRUN_SEEN_CYCLE] = {"cycle", cycle_fields},
             [ST_XRUN_SEEN_LOAD] = {"load", load_fields},
             [ST_XRUN_SEEN_LEVEL] = {"level", level_fields},
             [ST_XRUN_SEEN_ENDED] = {"ended", &level_fields[1]}};

static const struct st_xrun_load no_load = {.busy_median_ns = INT64_MIN,
                                            .busy_p99_ns = INT64_MIN,
                                            .busy_max_ns = INT64_MIN,
                                            .wait_median_ns = INT64_MIN,
                                            .wait_p99_ns = INT64_MIN,
                                            .wait_max_ns = INT64_MIN};

/** Reads the word of a reason or of a place, up to a blank. @return what is behind it, NULL: no such word. */
static const char *read_word(const char *text, enum form form, void *ret)
{
    enum st_dropout_reason *reason = ret;
    enum st_dropout_place *place = ret;
    const size_t len = strcspn(text, " ");
    const char *name = ST_TEXT(32, "%.*s", (int)ST_MIN(len, 31), text), *known;
    if (form == REASON)
        known = st_dropout_reason_name(*reason = st_dropout_reason_of(name));
    else
        known = st_dropout_place_name(*place = st_dropout_place_of(name));
    return strlen(known) == len && st_text_is(name, known) ? text + len : NULL;
}

static const char *read_certainty(const char *text, enum st_certainty *ret)
{
    *ret = behind(text, "exact") != NULL ? ST_CERTAINTY_EXACT : ST_CERTAINTY_PROBABLE;
    return behind(text, st_event_certainty(*ret));
}

/** Reads a value into its member. @return what is behind it, NULL when it is malformed. */
static const char *read_value(const char *text, enum form form, void *member)
{
    const char *const start = text;
    int64_t *numbers = member;
    switch (form) {
    case COUNT:
        return read_number(text, COUNT_MAX, numbers);
    case TIME:
        return read_number(text, NS_MAX, numbers);
    case MOMENT:
        return read_number(text, INT64_MAX / 4, numbers);
    case DRIFT:
        text = read_number(text + (*text == '-'), DRIFT_MAX, numbers);
        *numbers = *start == '-' ? -*numbers : *numbers;
        return text;
    case TIMES:
        for (int i = 0; text != NULL && i < 3; i++) {
            if (i > 0 && *text++ != ',')
                return NULL;
            text = read_number(text, NS_MAX, &numbers[i]);
        }
        return text;
    case REASON:
    case PLACE:
        return read_word(text, form, member);
    case CERTAINTY:
        return read_certainty(text, member);
    case NAME:
        return read_name(text, member);
    }
    return NULL;
}

/** Reads " KEY=VALUE KEY=VALUE ..." to the end. */
static int read_fields(const char *text, const struct field *fields, struct st_xrun_seen *seen)
{
    while (*text == ' ') {
        const char *key = text + 1;
        const size_t len = strcspn(key, "=");
        const struct field *field = fields;
        while (field->key != NULL && (strlen(field->key) != len || strncmp(key, field->key, len) != 0))
            field++;
        if (field->key == NULL || key[len] != '=')
            return -EBADMSG;
        text = read_value(key + len + 1, field->form, (char *)seen + field->at);
        if (text == NULL)
            return -EBADMSG;
    }
    return *text == '\0' ? 0 : -EBADMSG;
}

/** Reads a number, where it has that key. @return what is behind it, NULL when it is malformed. */
static const char *read_option(const char *text, const char *key, uint64_t max, int64_t *ret)
{
    const char *value = text != NULL ? behind(text, key) : NULL;
    return value != NULL ? read_number(value, max, ret) : text;
}

/** What is behind the first word. @return false when it is malformed, or has no text. */
static bool read_text(const char *from, struct st_xrun_line *ret)
{
    from = read_option(from, " facts=", ST_XRUN_FACTS_MAX, &ret->facts);
    from = read_option(from, " listens=", COUNT_MAX, &ret->listens_n);
    if (from == NULL || from[0] != ' ' || from[1] == '\0')
        return false;
    st_safe_copy(ret->text, sizeof(ret->text), from + 1, ST_TEXT_TO_NUL);
    return true;
}

/* Has it what it is about? */
static bool is_whole(const struct st_xrun_seen *seen)
{
    const struct st_xrun_load *load = &seen->load;
    switch (seen->kind) {
    case ST_XRUN_SEEN_DROPOUT:
        return seen->certainty != ST_CERTAINTY_NONE &&
               (seen->device_dropouts_n > 0) != (seen->dropouts_n + seen->cycles_n > 0);
    case ST_XRUN_SEEN_CYCLE:
        return seen->deadline_ns > 0;
    case ST_XRUN_SEEN_LOAD:
        return load->cycles_n > 0 && load->between <= ST_XRUN_BETWEEN_HEARD;
    case ST_XRUN_SEEN_LEVEL:
        return load->reserve_ns > 0;
    case ST_XRUN_SEEN_ENDED:
        return seen->client[0] != '\0';
    }
    return false;
}

static bool parse_seen(const char *line, struct st_xrun_seen *ret)
{
    size_t kind = 0;
    const char *rest;
    while (kind < ST_ARRAY_LEN(kinds) && (rest = behind(line, kinds[kind].word)) == NULL)
        kind++;
    if (kind == ST_ARRAY_LEN(kinds))
        return false;
    ret->kind = (enum st_xrun_seen_kind)kind;
    if (kind == ST_XRUN_SEEN_LOAD)
        ret->load = no_load;
    return read_fields(rest, kinds[kind].fields, ret) == 0 && is_whole(ret);
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
                                   st_number_i64(rest + 6, 1, (int64_t)NS_MAX, &parsed.late_ns) == 0);
    } else {
        parsed.kind = ST_XRUN_LINE_SEEN;
        good = parse_seen(line, &parsed.seen);
    }
    if (!good)
        return -EBADMSG;
    *ret = parsed;
    return 0;
}

/* As hexadecimal digits where it would end the name. */
static void put_name(const char *name, char *buf, size_t buf_bytes)
{
    for (; *name != '\0'; name++) {
        const bool plain = *name > ' ' && *name <= '~' && *name != '%';
        st_text_append(buf, buf_bytes, plain ? "%c" : "%%%02X", plain ? *name : (unsigned char)*name);
    }
}

static void put_field(const struct field *field, const struct st_xrun_seen *seen, char *buf, size_t buf_bytes)
{
    const void *member = (const char *)seen + field->at;
    const int64_t *numbers = member;
    switch (field->form) {
    case COUNT:
    case TIME:
    case MOMENT:
        if (field->always || numbers[0] > 0)
            st_text_append(buf, buf_bytes, " %s=%" PRId64, field->key,
                           field->form == TIME ? ST_MIN(numbers[0], (int64_t)NS_MAX) : numbers[0]);
        break;
    case DRIFT:
        if (numbers[0] != 0)
            st_text_append(buf, buf_bytes, " %s=%" PRId64, field->key, numbers[0]);
        break;
    case TIMES:
        if (numbers[0] >= 0 && numbers[1] >= 0 && numbers[2] >= 0)
            st_text_append(buf, buf_bytes, " %s=%" PRId64 ",%" PRId64 ",%" PRId64, field->key, numbers[0],
                           numbers[1], numbers[2]);
        break;
    case REASON:
        if (seen->reason != ST_DROPOUT_UNKNOWN)
            st_text_append(buf, buf_bytes, " %s=%s", field->key, st_dropout_reason_name(seen->reason));
        break;
    case PLACE:
        if (seen->place != ST_DROPOUT_AT_UNKNOWN)
            st_text_append(buf, buf_bytes, " %s=%s", field->key, st_dropout_place_name(seen->place));
        break;
    case CERTAINTY:
        st_text_append(buf, buf_bytes, " %s=%s", field->key, st_event_certainty(seen->certainty));
        break;
    case NAME:
        if (*(const char *)member == '\0')
            break;
        st_text_append(buf, buf_bytes, " %s=", field->key);
        put_name(member, buf, buf_bytes);
        break;
    }
}

const char *st_xrun_line_format(const struct st_xrun_seen *seen, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "%s", kinds[seen->kind].word);
    for (const struct field *field = kinds[seen->kind].fields; field->key != NULL; field++)
        put_field(field, seen, buf, buf_bytes);
    st_text_append(buf, buf_bytes, "\n");
    return buf;
}
