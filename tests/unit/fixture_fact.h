/* How fixtures write a fact: "1000", "ABSENT", "UNREADABLE EACCES", "MALFORMED soon". */
#pragma once

#include "advisor/facts/facts.h"
#include "tests/unit/unit.h"

static const struct {
    const char *name;
    int value;
} fixture_errnos[] = {{"EACCES", EACCES}, {"ETIMEDOUT", ETIMEDOUT},
                      {"EPERM", EPERM},   {"EIO", EIO},
                      {"EBUSY", EBUSY},   {"ENOTSUP", ENOTSUP},
                      {"EINVAL", EINVAL}, {"ECONNREFUSED", ECONNREFUSED},
                      {"EFBIG", EFBIG},   {"ENOSYS", ENOSYS}};

static inline int fixture_errno(const char *name)
{
    ST_EACH (row, fixture_errnos) {
        if (strcmp(row->name, name) == 0)
            return row->value;
    }
    return 0;
}

static inline const char *fixture_errno_name(int value)
{
    ST_EACH (row, fixture_errnos) {
        if (row->value == value)
            return row->name;
    }
    return "?";
}

/** Puts what `value` says. @return its state; the test ends when the errno has no name here. */
static inline enum st_fact_state fixture_put_fact(struct st_facts *facts, const char *key,
                                                  const char *value)
{
    static const char unreadable[] = "UNREADABLE ", malformed[] = "MALFORMED";
    enum st_fact_state state = ST_FACT_OK;
    int error = 0;
    const char *text = value;
    if (strcmp(value, "ABSENT") == 0) {
        state = ST_FACT_ABSENT;
        text = NULL;
    } else if (strncmp(value, unreadable, strlen(unreadable)) == 0) {
        state = ST_FACT_UNREADABLE;
        error = fixture_errno(value + strlen(unreadable));
        text = NULL;
        if (error == 0)
            fail_msg("%s: no such errno: %s", key, value + strlen(unreadable));
    } else if (strncmp(value, malformed, strlen(malformed)) == 0) {
        state = ST_FACT_MALFORMED;
        text = value + strlen(malformed);
        text += text[0] == ' ';
    }
    assert_int_equal(st_facts_put_state(facts, key, state, error, text, key), 0);
    return state;
}
