/* A scripted machine whose facts a test collects. */
#pragma once

#include "advisor/collect/collect.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

static struct st_platform *p;

static inline int setup(void **state)
{
    unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
    p = st_fake_new(ST_OS_LINUX, 0);
    return p != NULL ? 0 : -1;
}

static inline int teardown(void **state)
{
    st_fake_free(p);
    return 0;
}

static inline void file(const char *path, const char *text)
{
    assert_int_equal(st_fake_set_file(p, path, text, 0), 0);
}

static inline struct st_facts *collect(bool live)
{
    struct st_facts *facts;
    assert_int_equal(st_collect(p, live, &facts), 0);
    return facts;
}
