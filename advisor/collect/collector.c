/* Puts one reading into a fact: what every source of facts uses. */
#include "advisor/collect/collector.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "advisor/facts/text.h"

#define SMALL_FILE_BYTES 4097

static void put_value(struct st_collector *c, const char *key, const char *text, size_t bytes,
                      enum st_value_kind kind, const char *source)
{
    char value[SMALL_FILE_BYTES];
    int64_t number;
    memcpy(value, text, bytes);
    value[bytes] = '\0';
    st_text_trim(value);
    if (memchr(text, '\0', bytes) != NULL || (kind == ST_VALUE_INT && st_text_int(value, &number) != 0))
        st_facts_put_state(c->facts, key, ST_FACT_MALFORMED, 0, text, source);
    else
        st_facts_put_text(c->facts, key, value, text, source);
}

void st_collector_file(struct st_collector *c, const char *key, const char *path, enum st_value_kind kind)
{
    char buf[SMALL_FILE_BYTES];
    size_t len = 0;
    const int r = c->p->read_text(c->p, path, buf, sizeof(buf), &len);
    if (r == 0)
        put_value(c, key, buf, len, kind, path);
    else
        st_facts_put_failure(c->facts, key, r, path);
}

void st_collector_sysctl(struct st_collector *c, const char *key, const char *name, enum st_value_kind kind)
{
    char buf[SMALL_FILE_BYTES], source[300];
    size_t len = 0;
    snprintf(source, sizeof(source), "sysctl %s", name);
    const int r = c->p->read_sysctl(c->p, name, buf, sizeof(buf), &len);
    if (r == 0)
        put_value(c, key, buf, len, kind, source);
    else
        st_facts_put_failure(c->facts, key, r, source);
}

bool st_collector_patterns_match(const char *const *provided, const char *pattern)
{
    for (; *provided != NULL; provided++) {
        if (fnmatch(*provided, pattern, 0) == 0 || fnmatch(pattern, *provided, 0) == 0)
            return true;
    }
    return false;
}
