/* A thread that writes the history in a folder of its own: what its tests start from.
 * Real clock: the writer is a thread; it is waited for, however long it takes. */
#pragma once

#include <unistd.h>

#include "daemon/history/history_writer.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

#define TRIES_MAX 600
#define TRY_NS    50000000

static char folder[64];
static struct st_platform *fake;
static struct st_events events;
static struct st_config config;
static struct st_history_writer *writer;

static inline int setup(void **state)
{
    ST_PRINT(folder, "/tmp/test_history_writer.XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    setenv("STATE_DIRECTORY", folder, 1);
    st_config_defaults(&config);
    fake = st_fake_new(ST_OS_LINUX, 0);
    writer = NULL;
    return fake == NULL || st_events_init(&events, NULL) != 0;
}

static inline int teardown(void **state)
{
    char command[128];
    st_history_writer_stop(writer);
    st_events_finish(&events);
    st_fake_free(fake);
    ST_PRINT(command, "rm -rf '%s'", folder);
    return system(command);
}

static inline void start(void)
{
    assert_int_equal(st_history_writer_start(fake, &config, &events, &writer), 0);
}

static inline struct st_history_writer_view look(void)
{
    struct st_history_writer_view view;
    st_history_writer_look(writer, &view);
    return view;
}

/* How long it takes says nothing; half a minute is a failure. */
static inline void wait_for_other(struct st_history_writer *other,
                                  enum st_history_writer_state state, uint64_t minutes_n)
{
    const struct timespec pause = {.tv_nsec = TRY_NS};
    struct st_history_writer_view view;
    st_history_writer_look(other, &view);
    for (int i = 0; i < TRIES_MAX && (view.state != state || view.minutes_n < minutes_n); i++) {
        nanosleep(&pause, NULL);
        st_history_writer_look(other, &view);
    }
    assert_int_equal(view.state, state);
}

static inline void wait_for(enum st_history_writer_state state)
{
    wait_for_other(writer, state, 0);
}

/* What has this path in the folder. */
static inline void in_folder(char *buf, size_t buf_bytes, const char *path)
{
    assert_true(snprintf(buf, buf_bytes, "%s/%s", folder, path) < (int)buf_bytes);
}
