#include "cli/change/snapshot_check.h"

#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

/* Facts whose name or value becomes a part of what is written: a unit, a path, a device's numbers, a driver.
 */
static const char *const objects[] = {"linux.unit.*",
                                      "linux.usb_audio.*",
                                      "freebsd.dev.hdac.*",
                                      "freebsd.dev.hwpstate_*",
                                      "freebsd.dev.pcm.*",
                                      "freebsd.kern.eventtimer.choice",
                                      "freebsd.kern.timecounter.choice"};

static bool is_object(const char *key)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(objects); i++) {
        if (fnmatch(objects[i], key, 0) == 0)
            return true;
    }
    return false;
}

static bool is_read_by(const struct st_rule *rule, const char *key)
{
    for (const char *const *pattern = rule->facts; *pattern != NULL; pattern++) {
        if (fnmatch(*pattern, key, 0) == 0)
            return true;
    }
    return false;
}

static const char *value_of(const struct st_fact *fact)
{
    return fact == NULL                ? "nothing"
           : fact->state == ST_FACT_OK ? fact->text
                                       : st_fact_state_names[fact->state];
}

static bool is_there(const struct st_fact *fact)
{
    return fact != NULL && fact->state != ST_FACT_ABSENT;
}

static bool is_unread(const struct st_fact *fact)
{
    return fact != NULL && (fact->state == ST_FACT_UNREADABLE || fact->state == ST_FACT_MALFORMED);
}

/* What the user could not read, root may. What this process cannot read, root looks at when it acts. */
static bool agree(const struct st_fact *claimed, const struct st_fact *here)
{
    if (is_unread(claimed) || (is_unread(here) && geteuid() != 0))
        return true;
    if (!is_there(claimed) || !is_there(here))
        return is_there(claimed) == is_there(here);
    return here->state == ST_FACT_OK && strcmp(claimed->text, here->text) == 0;
}

/* Has the snapshot this object, of which it may leave out what does not suit it? */
static bool has_object(const struct st_facts *claimed, const char *key)
{
    char object[512];
    const char *leaf = strrchr(key, '.');
    snprintf(object, sizeof(object), "%.*s", (int)(leaf + 1 - key), key);
    return st_facts_next(claimed, object, "", NULL) != NULL;
}

static const struct st_fact *disagreeing(const struct st_facts *from, const struct st_facts *claimed,
                                         const struct st_facts *here, const struct st_rule *rule)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct st_fact *fact = from->rows[i];
        if (is_object(fact->key) && is_read_by(rule, fact->key) &&
            (from == claimed || has_object(claimed, fact->key)) &&
            !agree(st_facts_find(claimed, fact->key), st_facts_find(here, fact->key)))
            return fact;
    }
    return NULL;
}

bool st_snapshot_check_agrees(const struct st_facts *claimed, const struct st_facts *here,
                              const struct st_rule *rule, char *message, size_t message_bytes)
{
    const struct st_fact *fact = disagreeing(claimed, claimed, here, rule);
    if (fact == NULL)
        fact = disagreeing(here, claimed, here, rule);
    if (fact == NULL)
        return true;
    snprintf(message, message_bytes, "%s: the snapshot has %s = %s, this machine has %s", rule->id, fact->key,
             value_of(st_facts_find(claimed, fact->key)), value_of(st_facts_find(here, fact->key)));
    return false;
}
