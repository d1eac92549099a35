/* Facts as JSON and back: sleeptune-snapshot/1. */
#include "advisor/facts/snapshot.h"
#include "advisor/facts/text.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "st_config.h"

#define SCHEMA_PREFIX  "sleeptune-snapshot/"
#define SCHEMA_VERSION 1
#define FACTS_MAX      262144

/* ISO 8601, UTC, milliseconds; null for 0 */
static json_t *time_json(int64_t time_ns)
{
    const time_t seconds = (time_t)(time_ns / 1000000000);
    struct tm tm;
    char text[64];
    if (time_ns <= 0 || gmtime_r(&seconds, &tm) == NULL)
        return json_null();
    const size_t len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + len, sizeof(text) - len, ".%03dZ", (int)(time_ns / 1000000 % 1000));
    return json_string(text);
}

/* "0002", a USB product's id, must come back as it was. */
static json_t *value_json(const struct st_fact *fact)
{
    const char *plain = ST_TEXT(24, "%jd", fact->i64);
    return fact->is_int && st_text_is(fact->text, plain) ? json_integer(fact->i64)
                                                         : st_json_string_or_null(fact->text);
}

json_t *st_snapshot_fact(const struct st_fact *fact)
{
    return json_pack("{s:s, s:o, s:s, s:o, s:s?, s:s?, s:o}", "key", fact->key, "value",
                     fact->state == ST_FACT_OK ? value_json(fact) : json_null(), "state",
                     st_fact_state_names[fact->state], "errno",
                     fact->state == ST_FACT_UNREADABLE ? json_integer(fact->error) : json_null(), "raw",
                     fact->raw, "source", fact->source, "time", time_json(fact->time_ns));
}

json_t *st_snapshot_json(const struct st_facts *facts)
{
    json_t *array = json_array();
    ST_EACH_OF (fact, facts->rows, facts->n)
        st_json_append(&array, st_snapshot_fact(*fact));
    return json_pack("{s:s, s:s, s:s, s:o}", "schema", SCHEMA_PREFIX "1", "sleeptune", ST_VERSION, "os",
                     st_os_rows[facts->os].name, "facts", array);
}

struct reader {
    char *message;
    size_t message_bytes;
};

/** Writes the message; it may quote the document, so it is made safe. */
static int ST_PRINTF(2, 3) bad(struct reader *reader, const char *format, ...)
{
    ST_PRINT_REST(reader->message, reader->message_bytes, format);
    if (reader->message_bytes > 0)
        st_safe_text(reader->message);
    return -EBADMSG;
}

/** Text of a member, NULL when it is null or missing. @return 0 or -EBADMSG (something else than text). */
static int member_text(const json_t *object, const char *name, const char **ret)
{
    const json_t *value = json_object_get(object, name);
    if (value != NULL && !json_is_null(value) && !json_is_string(value))
        return -EBADMSG;
    *ret = json_string_value(value);
    return 0;
}

/** "2026-01-31T23:59:59.000Z" to ns since 1970; 0 when it is not such a text. */
static int64_t parse_time(const char *text)
{
    struct tm tm = {0};
    int millis = 0;
    if (text == NULL)
        return 0;
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (rest == NULL || tm.tm_year < 70 || tm.tm_year > 300)
        return 0;
    if (*rest == '.')
        millis = atoi(rest + 1);
    if (millis < 0 || millis > 999)
        millis = 0;
    return (int64_t)timegm(&tm) * INT64_C(1000000000) + millis * INT64_C(1000000);
}

static int read_fact(struct reader *reader, struct st_facts *facts, const json_t *object, size_t i)
{
    const char *key, *raw, *source, *time;
    const char *state_text = st_json_text(object, "state");
    unsigned state = 0;
    if (!json_is_object(object) || member_text(object, "key", &key) != 0 || key == NULL || key[0] == '\0')
        return bad(reader, "fact %zu has no key", i);
    while (state < ST_FACT_STATES_N &&
           (state_text == NULL || !st_text_is(state_text, st_fact_state_names[state])))
        state++;
    if (state == ST_FACT_STATES_N)
        return bad(reader, "fact %zu (%.80s): the state must be absent, ok, unreadable or malformed", i, key);
    if (member_text(object, "raw", &raw) != 0 || member_text(object, "source", &source) != 0 ||
        member_text(object, "time", &time) != 0)
        return bad(reader, "fact %zu (%.80s): raw, source and time must each be a text or null", i, key);
    if (st_facts_find(facts, key) != NULL)
        return bad(reader, "fact %zu: %.80s is listed twice", i, key);
    facts->time_ns = parse_time(time);
    const json_t *value = json_object_get(object, "value");
    if (state == ST_FACT_OK && json_is_integer(value))
        return st_facts_put_int(facts, key, json_integer_value(value), raw, source);
    if (state == ST_FACT_OK)
        return json_is_string(value)
                   ? st_facts_put_text(facts, key, json_string_value(value), raw, source)
                   : bad(reader, "fact %zu (%.80s): value is neither a text nor a whole number", i, key);
    const json_t *error = json_object_get(object, "errno");
    const json_int_t number = json_integer_value(error);
    if (state == ST_FACT_UNREADABLE && (!json_is_integer(error) || number <= 0 || number > 4095))
        return bad(reader, "fact %zu (%.80s): errno is not a number in 1 .. 4095", i, key);
    return st_facts_put_state(facts, key, (enum st_fact_state)state, (int)number, raw, source);
}

/** @return 0, -EBADMSG, -EPROTONOSUPPORT. */
static int check_schema(struct reader *reader, const json_t *document)
{
    const char *schema = st_json_text(document, "schema");
    int64_t version = 0;
    const int r = schema != NULL && st_text_begins(schema, SCHEMA_PREFIX)
                      ? st_text_int(schema + strlen(SCHEMA_PREFIX), &version)
                      : -EINVAL;
    if (r == 0 && version == SCHEMA_VERSION)
        return 0;
    if (r == -EINVAL || (r == 0 && version < SCHEMA_VERSION))
        return bad(reader, "not a snapshot: its \"schema\" is %s%.60s%s", schema != NULL ? "\"" : "",
                   schema != NULL ? schema : "missing", schema != NULL ? "\"" : "");
    bad(reader, "%.60s is newer than this sleeptune %s, which reads up to " SCHEMA_PREFIX "%d", schema,
        ST_VERSION, SCHEMA_VERSION);
    return -EPROTONOSUPPORT;
}

static int read_document(struct reader *reader, const json_t *document, struct st_facts **ret)
{
    if (!json_is_object(document))
        return bad(reader, "not a snapshot: not a JSON object");
    int r = check_schema(reader, document);
    if (r != 0)
        return r;
    const char *os_name = st_json_text(document, "os");
    if (os_name == NULL)
        return bad(reader, "\"os\" is missing");
    size_t os = 0;
    while (os < ST_OS_N && !st_text_is(os_name, st_os_rows[os].name))
        os++;
    if (os == ST_OS_N)
        return bad(reader, "\"os\" is \"%.60s\", neither linux nor freebsd", os_name);
    const json_t *array = json_object_get(document, "facts");
    if (!json_is_array(array))
        return bad(reader, "\"facts\" is not a list");
    if (json_array_size(array) > FACTS_MAX)
        return bad(reader, "more than %d facts", FACTS_MAX);
    struct st_facts *facts = st_facts_new((enum st_os)os);
    if (facts == NULL)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < json_array_size(array); i++)
        r = read_fact(reader, facts, json_array_get(array, i), i);
    if (r != 0) {
        st_facts_free(facts);
        return r;
    }
    *ret = facts;
    return 0;
}

int st_snapshot_parse(const char *text, size_t bytes, struct st_facts **ret, char *message,
                      size_t message_bytes)
{
    struct reader reader = {message, message_bytes};
    json_error_t error;
    if (message_bytes > 0)
        message[0] = '\0';
    json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL) {
        if (json_error_code(&error) == json_error_out_of_memory)
            return -ENOMEM;
        return bad(&reader, "not JSON: line %d: %.120s", error.line, error.text);
    }
    const int r = read_document(&reader, document, ret);
    json_decref(document);
    return r;
}
