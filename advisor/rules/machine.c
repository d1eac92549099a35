/* Facts about the machine as a whole. */
#include <errno.h>
#include <string.h>

#include "advisor/rules/machine.h"

int64_t st_machine_int_or(const struct st_facts *facts, const char *key, int64_t fallback)
{
    int64_t value;
    return st_facts_int(facts, key, &value) == 0 ? value : fallback;
}

bool st_machine_in_container(const struct st_facts *facts)
{
    const char *name;
    return st_facts_text(facts, ST_MACHINE_CONTAINER, &name) == 0 && strcmp(name, "none") != 0 &&
           strcmp(name, "0") != 0;
}

bool st_machine_is_guest(const struct st_facts *facts)
{
    return st_machine_int_or(facts, ST_MACHINE_VIRTUAL, 0) != 0;
}

int st_machine_boot_option(const struct st_facts *facts, const char *name, char *ret, size_t bytes)
{
    const char *at;
    const size_t name_len = strlen(name);
    int r = -ENOENT;
    if (st_facts_text(facts, ST_MACHINE_CMDLINE, &at) != 0)
        return -ENODATA;
    for (;;) {
        at += strspn(at, " \t\n");
        const size_t len = strcspn(at, " \t\n");
        if (len == 0 || (len == 2 && strncmp(at, "--", 2) == 0))
            return r;
        const char *word = at;
        at += len;
        if (len < name_len || strncmp(word, name, name_len) != 0 || (len > name_len && word[name_len] != '='))
            continue;
        const size_t value_at = len > name_len ? name_len + 1 : name_len;
        if (len - value_at >= bytes) {
            r = -ENOSPC;
            continue;
        }
        memcpy(ret, word + value_at, len - value_at);
        ret[len - value_at] = '\0';
        r = 0;
    }
}
