/* The set of facts: an array of pointers, sorted by key. A fact keeps its address, so a finding may
 * keep a pointer to it. */
#include "advisor/facts/facts.h"

struct st_facts *st_facts_new(enum st_os os)
{
    struct st_facts *facts = calloc(1, sizeof(*facts));
    if (facts != NULL)
        facts->os = os;
    return facts;
}

static void fact_free(struct st_fact *fact)
{
    free(fact->key);
    free(fact->text);
    free(fact->source);
    free(fact);
}

void st_facts_free(struct st_facts *facts)
{
    if (facts == NULL)
        return;
    ST_EACH_OF (row, facts->rows, facts->n)
        fact_free(*row);
    free(facts->rows);
    free(facts);
}

/** The index of the first fact whose key is not before `key`; n if there is none. */
static size_t lower_bound(const struct st_facts *facts, const char *key)
{
    size_t low = 0, high = facts->n;
    /* shortcut: most callers put facts in the order of their keys */
    if (high > 0 && strcmp(facts->rows[high - 1]->key, key) < 0)
        return high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(facts->rows[middle]->key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** Inserts the fact, or replaces the one with the same key. The set then owns the fact; on failure
 * the fact is freed. */
static int insert(struct st_facts *facts, struct st_fact *fact)
{
    const size_t i = lower_bound(facts, fact->key);
    if (i < facts->n && st_text_is(facts->rows[i]->key, fact->key)) {
        /* the old fact keeps its address, so that pointers to it stay valid */
        struct st_fact old = *facts->rows[i];
        *facts->rows[i] = *fact;
        *fact = old;
        fact_free(fact);
        return 0;
    }
    struct st_fact **rows = reallocarray(facts->rows, facts->n + 1, sizeof(*rows));
    if (rows == NULL) {
        fact_free(fact);
        return -ENOMEM;
    }
    facts->rows = rows;
    memmove(&facts->rows[i + 1], &facts->rows[i], (facts->n - i) * sizeof(facts->rows[0]));
    facts->rows[i] = fact;
    facts->n++;
    return 0;
}

/** Copies a text as valid UTF-8; NULL stays NULL. @return false: out of memory. */
static bool put_copy(char **ret, const char *text)
{
    *ret = text != NULL ? st_text_utf8(text, strlen(text)) : NULL;
    return *ret != NULL || text == NULL;
}

int st_facts_put_state(struct st_facts *facts, const char *key, enum st_fact_state state, int error,
                       const char *text, const char *source)
{
    struct st_fact *fact = calloc(1, sizeof(*fact));
    if (fact == NULL)
        return facts->error = -ENOMEM;
    if (!put_copy(&fact->key, key) || !put_copy(&fact->text, text) ||
        !put_copy(&fact->source, source)) {
        fact_free(fact);
        return facts->error = -ENOMEM;
    }
    fact->facts = facts;
    fact->state = state;
    fact->error = state == ST_FACT_UNREADABLE ? error : 0;
    if (text != NULL) {
        st_text_trim(fact->text);
        fact->is_int = state == ST_FACT_OK && st_text_int(fact->text, &fact->i64) == 0;
    }
    if (insert(facts, fact) != 0)
        facts->error = -ENOMEM;
    return facts->error;
}

int st_facts_put_text(struct st_facts *facts, const char *key, const char *value,
                      const char *source)
{
    return st_facts_put_state(facts, key, ST_FACT_OK, 0, value, source);
}

int st_facts_put_int(struct st_facts *facts, const char *key, int64_t value, const char *source)
{
    return st_facts_put_text(facts, key, st_text("%jd", value), source);
}

int st_facts_put_number(struct st_facts *facts, const char *key, const char *text,
                        const char *source)
{
    int64_t number;
    const bool good = st_text_int(text, &number) == 0;
    return st_facts_put_state(facts, key, good ? ST_FACT_OK : ST_FACT_MALFORMED, 0, text, source);
}

int st_facts_put_failure(struct st_facts *facts, const char *key, int r, const char *source)
{
    enum st_fact_state state = ST_FACT_UNREADABLE;
    if (r == -ENOMSG) /* a text that does not show a value gives no fact */
        return facts->error;
    if (r == -ENOENT || r == -ENOTDIR || r == -ENOTSUP || r == -EBADMSG)
        state = r == -EBADMSG ? ST_FACT_MALFORMED : ST_FACT_ABSENT;
    return st_facts_put_state(facts, key, state, -r, NULL, source);
}

int st_facts_add(struct st_facts *facts, const struct st_fact *fact, const char *source)
{
    return st_facts_put_state(facts, fact->key, fact->state, fact->error, fact->text, source);
}

const struct st_fact *st_facts_find(const struct st_facts *facts, const char *key)
{
    const size_t i = lower_bound(facts, key);
    return i < facts->n && st_text_is(facts->rows[i]->key, key) ? facts->rows[i] : NULL;
}

bool st_facts_has(const struct st_facts *facts, const char *key)
{
    return st_facts_find(facts, key) != NULL;
}

/** 0 if the fact exists and is ok; else a negative errno value for its state. */
static int state_errno(const struct st_fact *fact)
{
    static const int errors[] = {[ST_FACT_ABSENT] = -ENOENT,
                                 [ST_FACT_OK] = 0,
                                 [ST_FACT_UNREADABLE] = -EACCES,
                                 [ST_FACT_MALFORMED] = -EBADMSG};
    return fact != NULL ? errors[fact->state] : -ENOENT;
}

static int read_int(const struct st_fact *fact, int64_t *ret)
{
    const int r = state_errno(fact);
    if (r != 0)
        return r;
    if (!fact->is_int)
        return -EBADMSG;
    *ret = fact->i64;
    return 0;
}

static int read_text(const struct st_fact *fact, const char **ret)
{
    const int r = state_errno(fact);
    if (r != 0)
        return r;
    *ret = fact->text;
    return 0;
}

int st_facts_int(const struct st_facts *facts, const char *key, int64_t *ret)
{
    const struct st_fact *fact = st_facts_find(facts, key);
    return fact == NULL && facts->partial ? -ENOMSG : read_int(fact, ret);
}

int st_facts_text(const struct st_facts *facts, const char *key, const char **ret)
{
    const struct st_fact *fact = st_facts_find(facts, key);
    return fact == NULL && facts->partial ? -ENOMSG : read_text(fact, ret);
}

bool st_facts_has_int(const struct st_facts *facts, const char *key)
{
    int64_t value;
    return st_facts_int(facts, key, &value) == 0;
}

int64_t st_facts_int_or(const struct st_facts *facts, const char *key, int64_t fallback)
{
    (void)!st_facts_int(facts, key, &fallback);
    return fallback;
}

int64_t st_facts_positive_or(const struct st_facts *facts, const char *key, int64_t fallback)
{
    const int64_t value = st_facts_int_or(facts, key, 0);
    return value > 0 && value <= 1000000 ? value : fallback;
}

const char *st_facts_text_or(const struct st_facts *facts, const char *key, const char *fallback)
{
    const char *text;
    return st_facts_text(facts, key, &text) == 0 && text[0] != '\0' ? text : fallback;
}

bool st_facts_is(const struct st_facts *facts, const char *key, const char *text)
{
    return st_fact_is(st_facts_find(facts, key), text);
}

bool st_fact_is(const struct st_fact *fact, const char *text)
{
    const char *value;
    return read_text(fact, &value) == 0 && st_text_is(value, text);
}

const struct st_fact *st_fact_beside(const struct st_fact *fact, const char *leaf)
{
    const char *dot = strrchr(fact->key, '.');
    if (dot != NULL)
        return st_facts_find(fact->facts,
                             st_text("%.*s.%s", (int)(dot - fact->key), fact->key, leaf));
    return NULL;
}

int st_fact_beside_int(const struct st_fact *fact, const char *leaf, int64_t *ret)
{
    return read_int(st_fact_beside(fact, leaf), ret);
}

int st_fact_beside_text(const struct st_fact *fact, const char *leaf, const char **ret)
{
    return read_text(st_fact_beside(fact, leaf), ret);
}

int64_t st_fact_beside_int_or(const struct st_fact *fact, const char *leaf, int64_t fallback)
{
    (void)!st_fact_beside_int(fact, leaf, &fallback);
    return fallback;
}

const char *st_fact_beside_text_or(const struct st_fact *fact, const char *leaf,
                                   const char *fallback)
{
    (void)!st_fact_beside_text(fact, leaf, &fallback);
    return fallback;
}

bool st_fact_beside_is(const struct st_fact *fact, const char *leaf, const char *text)
{
    return st_fact_is(st_fact_beside(fact, leaf), text);
}

const struct st_fact *st_fact_or(const struct st_fact *fact, const struct st_fact *other)
{
    return fact != NULL ? fact : other;
}

const struct st_fact *st_fact_larger(const struct st_fact *fact, const struct st_fact *other)
{
    return fact == NULL || (other != NULL && other->i64 > fact->i64) ? other : fact;
}

const char *st_fact_part(const struct st_fact *fact, const char *prefix)
{
    const char *from = fact->key + strlen(prefix), *dot = strrchr(from, '.');
    return st_text("%.*s", (int)(dot != NULL ? dot - from : 0), from);
}

const struct st_fact *st_facts_next(const struct st_facts *facts, const char *prefix,
                                    const char *suffix, const struct st_fact *after)
{
    const size_t prefix_len = strlen(prefix), suffix_len = strlen(suffix);
    for (size_t i = after != NULL ? lower_bound(facts, after->key) + 1 : lower_bound(facts, prefix);
         i < facts->n; i++) {
        const struct st_fact *fact = facts->rows[i];
        const size_t len = strlen(fact->key);
        if (strncmp(fact->key, prefix, prefix_len) != 0)
            break;
        if (fact->state != ST_FACT_ABSENT && len >= prefix_len + suffix_len &&
            st_text_is(fact->key + len - suffix_len, suffix))
            return fact;
    }
    return NULL;
}

bool st_facts_any(const struct st_facts *facts, const char *prefix, const char *suffix,
                  const char *text)
{
    ST_FACTS_EACH (fact, facts, prefix, suffix) {
        if (text != NULL ? st_fact_is(fact, text) : fact->state == ST_FACT_OK)
            return true;
    }
    return false;
}

bool st_fact_is_unread(const struct st_fact *fact)
{
    return fact != NULL && (fact->state == ST_FACT_UNREADABLE || fact->state == ST_FACT_MALFORMED);
}

size_t st_facts_unreadable(const struct st_facts *facts)
{
    size_t n = 0;
    ST_EACH_OF (row, facts->rows, facts->n)
        n += st_fact_is_unread(*row);
    return n;
}

const char *const st_fact_state_names[ST_FACT_STATES_N] = {
    [ST_FACT_ABSENT] = "absent",
    [ST_FACT_OK] = "ok",
    [ST_FACT_UNREADABLE] = "unreadable",
    [ST_FACT_MALFORMED] = "malformed",
};
