/* Facts as JSON and back: sleeptune-snapshot/1. */
#include "advisor/facts/snapshot.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "st_config.h"

#define SCHEMA_PREFIX  "sleeptune-snapshot/"
#define SCHEMA_VERSION 1
#define FACTS_MAX      262144

json_t *st_snapshot_fact(const struct st_fact *fact)
{
    /* a text such as "0002", the id of a USB product, must not become the number 2 */
    const bool is_number = fact->is_int && st_text_is(fact->text, st_text("%jd", fact->i64));
    return st_json_object("key:t value:o state:t errno:o source:t", fact->key,
                          is_number ? json_integer(fact->i64) : json_string(fact->text),
                          st_fact_state_names[fact->state],
                          st_json_integer_or_null(fact->error != 0, fact->error), fact->source);
}

json_t *st_snapshot_json(const struct st_facts *facts)
{
    json_t *array = json_array();
    ST_EACH_OF (fact, facts->rows, facts->n)
        st_json_append(&array, st_snapshot_fact(*fact));
    return st_json_object("schema:t sleeptune:t os:t time_ns:i facts:o", SCHEMA_PREFIX "1",
                          ST_VERSION, st_os_rows[facts->os].name, facts->time_ns, array);
}

/** Adds a fact from JSON. @return facts->error; -EBADMSG: st_snapshot_fact() does not write such an
 * object, or the key exists already. */
static int read_fact(struct st_facts *facts, const json_t *object)
{
    const json_t *value = json_object_get(object, "value");
    const char *key = st_json_text_of(object, "key"), *text = json_string_value(value);
    const json_int_t error = st_json_integer(object, "errno");
    enum st_fact_state state = ST_FACT_ABSENT;
    if (json_is_integer(value))
        text = st_text("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    while (state < ST_FACT_STATES_N &&
           !st_text_is(st_json_text_of(object, "state"), st_fact_state_names[state]))
        state++;
    if (key[0] == '\0' || state == ST_FACT_STATES_N || st_facts_has(facts, key) ||
        (state == ST_FACT_OK && text == NULL) ||
        (state == ST_FACT_UNREADABLE ? error < 1 || error > 4095 : error != 0))
        return -EBADMSG;
    return st_facts_put_state(facts, key, state, (int)error, text, st_json_text(object, "source"));
}

/** Can this version read the document? @return NULL, or why not. */
static char *check_schema(const json_t *document)
{
    const char *schema = st_json_text_of(document, "schema");
    int64_t version = 0;
    int r = -EINVAL;
    if (st_text_begins(schema, SCHEMA_PREFIX))
        r = st_text_int(schema + strlen(SCHEMA_PREFIX), &version);
    if (r == 0 && version == SCHEMA_VERSION)
        return NULL;
    if (r == -EINVAL || (r == 0 && version < SCHEMA_VERSION))
        return st_text("not a snapshot: its \"schema\" is \"%.60s\"", schema);
    return st_text("its format, %.60s, is newer than sleeptune %s, which reads up to " SCHEMA_PREFIX
                   "%d: install a newer sleeptune",
                   schema, ST_VERSION, SCHEMA_VERSION);
}

/* @param ret the facts that were read, even if reading failed. @return NULL, or why it failed. */
static char *read_document(const json_t *document, struct st_facts **ret)
{
    char *why = check_schema(document);
    const char *os_name = st_json_text_of(document, "os");
    const json_t *array = json_object_get(document, "facts");
    size_t os = 0;
    if (why != NULL)
        return why;
    while (os < ST_OS_N && !st_text_is(os_name, st_os_rows[os].name))
        os++;
    if (os == ST_OS_N)
        return st_text("not a snapshot: its \"os\" is \"%.60s\", neither linux nor freebsd",
                       os_name);
    if (!json_is_array(array) || json_array_size(array) > FACTS_MAX)
        return st_text("not a snapshot: its \"facts\" are not a list of at most %d", FACTS_MAX);
    *ret = st_facts_new((enum st_os)os);
    if (*ret != NULL)
        (*ret)->time_ns = st_json_integer(document, "time_ns");
    for (size_t i = 0; *ret != NULL && i < json_array_size(array); i++) {
        const json_t *object = json_array_get(array, i);
        if (read_fact(*ret, object) == -EBADMSG)
            return st_text("fact %zu (%.80s) is not a valid entry of a snapshot", i,
                           st_json_text_of(object, "key"));
    }
    if (*ret == NULL || (*ret)->error != 0)
        why = st_text("out of memory");
    return why;
}

const char *st_snapshot_parse(const char *text, size_t bytes, struct st_facts **ret)
{
    json_error_t error;
    struct st_facts *facts = NULL;
    json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    char *why = st_text("not JSON: line %d: %.120s", error.line, error.text);
    if (document != NULL)
        why = read_document(document, &facts);
    json_decref(document);
    if (why == NULL) {
        *ret = facts;
        return NULL;
    }
    st_facts_free(facts);
    /* the reason may quote the document, which may come from a stranger */
    return st_safe_text(why);
}
