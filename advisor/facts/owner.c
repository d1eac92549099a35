/* Which user's sound server runs. */
#include "advisor/facts/owner.h"

static const char *other_name(const struct st_facts *facts, const char *daemon_key)
{
    const char *owner, *name;
    int64_t uid;
    if (st_facts_text(facts, st_text(ST_KEYS_DAEMON_USER "%s", strrchr(daemon_key, '.') + 1),
                      &owner) != 0 ||
        st_facts_int(facts, ST_KEY_USER_UID, &uid) != 0)
        return NULL;
    const char *number = st_text("%jd", uid);
    const bool own =
        st_text_is(owner, number) ||
        (st_facts_text(facts, ST_KEY_USER_NAME, &name) == 0 && st_text_is(owner, name));
    return own ? NULL : owner;
}

const char *st_owner_other(const struct st_facts *facts, const char *daemon_key)
{
    const bool is_root = st_facts_int_or(facts, ST_KEY_USER_UID, -1) == 0;
    return is_root ? NULL : other_name(facts, daemon_key);
}

bool st_owner_runs(const struct st_facts *facts, const char *const *processes)
{
    for (; *processes != NULL; processes++) {
        const char *key = st_text(ST_KEYS_DAEMON "%s", *processes);
        if (st_facts_has_int(facts, key) && st_owner_other(facts, key) == NULL)
            return true;
    }
    return false;
}

const char *st_owner_text(const struct st_facts *facts, const char *daemon_key)
{
    const char *owner = st_text_or(other_name(facts, daemon_key), "");
    return st_text_with(" of the user ", st_text("%.*s", st_text_cut(owner, 40), owner));
}
