/* How one reading becomes one fact. All sources of facts use these functions. */
#include "advisor/collect/collector.h"

#include <grp.h>

#define SMALL_FILE_BYTES 4097

int st_collector_text(const struct st_collector *c, const char *path, char *buf, size_t bytes)
{
    size_t len;
    return c->p->read_text(c->p, path, buf, bytes, &len);
}

int st_collector_begin(const struct st_collector *c, const char *path, char *buf, size_t bytes)
{
    const int r = st_collector_text(c, path, buf, bytes);
    return r == -EFBIG ? 0 : r;
}

/** Puts a value; one that is not of this kind is malformed. @param value is trimmed. */
static void put_value(struct st_collector *c, const char *key, char *value, enum st_value_kind kind,
                      const char *source)
{
    int64_t number;
    st_text_trim(value);
    if (kind == ST_VALUE_LIMIT && st_text_is(value, "unlimited"))
        st_facts_put_int(c->facts, key, ST_UNLIMITED, source);
    else if (kind == ST_VALUE_TEXT ||
             (st_text_int(value, &number) == 0 && (kind != ST_VALUE_LIMIT || number >= 0)))
        st_facts_put_text(c->facts, key, value, source);
    else
        st_facts_put_state(c->facts, key, ST_FACT_MALFORMED, 0, value, source);
}

void st_collector_read(struct st_collector *c, const char *key, const char *name,
                       enum st_value_kind kind)
{
    char text[SMALL_FILE_BYTES];
    size_t bytes = 0;
    const bool is_file = name[0] == '/';
    int r = (is_file ? c->p->read_text : c->p->read_sysctl)(c->p, name, text, sizeof(text), &bytes);
    if (!is_file)
        name = st_text("sysctl %s", name);
    if (r == 0 && memchr(text, '\0', bytes) != NULL)
        r = -EBADMSG;
    if (r == 0)
        put_value(c, key, text, kind, name);
    else
        st_collector_put_failure(c, key, r, name);
}

void st_collector_line(struct st_collector *c, const char *key, const char *path,
                       const char *pattern, enum st_value_kind kind)
{
    struct st_pattern_parts parts;
    int64_t number;
    bool found = false;
    int r = st_collector_begin(c, path, c->buf, c->buf_bytes);
    const char *at = c->buf;
    while (r == 0 && (!found || kind == ST_VALUE_LEAST) && st_pattern_next(&at, pattern, &parts)) {
        if (!found || (st_text_int(parts.text[0], &number) == 0 &&
                       number < st_facts_int_or(c->facts, key, INT64_MIN)))
            put_value(c, key, parts.text[0], kind, path);
        found = true;
    }
    if (r == 0 && !found)
        r = -ENOENT;
    if (r != 0)
        st_collector_put_failure(c, key, r, path);
}

void st_collector_put_groups(struct st_facts *facts, const char *key, const gid_t *gids, int n,
                             const char *source)
{
    const char *text = "";
    ST_EACH_OF (gid, gids, n) {
        const struct group *group = getgrgid(*gid);
        text = st_text_joined(text, " ",
                              group != NULL ? group->gr_name : st_text("%lu", (unsigned long)*gid));
    }
    st_facts_put_text(facts, key, text, source);
}
