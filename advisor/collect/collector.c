/* Puts one reading into a fact: what every source of facts uses. */
#include "advisor/collect/collector.h"

#include <grp.h>

#include "advisor/facts/text.h"
#include "core/text/text.h"

#define SMALL_FILE_BYTES 4097

int st_collector_text(const struct st_collector *c, const char *path, char *buf, size_t bytes)
{
    size_t len;
    return c->machine->read_text(c->machine, path, buf, bytes, &len);
}

void st_collector_read(struct st_collector *c, const char *key, const char *name, enum st_value_kind kind)
{
    char text[SMALL_FILE_BYTES], value[SMALL_FILE_BYTES], of_sysctl[300];
    int64_t number;
    size_t bytes = 0;
    const bool is_file = name[0] == '/';
    const int r = is_file ? c->machine->read_text(c->machine, name, text, sizeof(text), &bytes)
                          : c->machine->read_sysctl(c->machine, name, text, sizeof(text), &bytes);
    const char *source = is_file ? name : of_sysctl;
    ST_PRINT(of_sysctl, "sysctl %s", name);
    if (r != 0) {
        st_collector_put_failure(c, key, r, source);
        return;
    }
    memcpy(value, text, bytes);
    value[bytes] = '\0';
    st_text_trim(value);
    if (memchr(text, '\0', bytes) != NULL || (kind == ST_VALUE_INT && st_text_int(value, &number) != 0))
        st_collector_put_malformed(c, key, text, source);
    else
        st_facts_put_text(c->facts, key, value, text, source);
}

void st_collector_put_groups(struct st_facts *facts, const char *key, const gid_t *gids, int n,
                             const char *source)
{
    char text[4096] = "";
    for (int i = 0; i < n; i++) {
        const struct group *group = getgrgid(gids[i]);
        const char *number = ST_TEXT(32, "%lu", (unsigned long)gids[i]);
        ST_APPEND(text, "%s%s", i > 0 ? " " : "", group != NULL ? group->gr_name : number);
    }
    st_facts_put_text(facts, key, text, NULL, source);
}
