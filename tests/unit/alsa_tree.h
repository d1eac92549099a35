/* A machine's files of ALSA in a temporary folder, and what a source sees there: what the tests of
 * sources share. Real clock: files are read through the real system; no test depends on the
 * time. */
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include "platform/platform.h"
#include "tests/unit/unit.h"
#include "xruns/xrun.h"

static const struct st_xrun_source *source;
static struct st_xrun_watch watch;
static char root[64];
static struct st_xrun_seen last, last_load, last_level;
static int seen_n;

static inline void put(const char *name, const char *text)
{
    char path[256];
    ST_PRINT(path, "%s/%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/** The status of a substream, as the kernel writes it. */
static inline void put_status_in(const char *name, const char *state, int pid, const char *trigger,
                                 int hw_ptr)
{
    char text[256];
    ST_PRINT(text,
             "state: %s\nowner_pid   : %d\ntrigger_time: %s\ntstamp      : 9.0\ndelay       : 0\n"
             "avail       : 1\navail_max   : 1\n-----\nhw_ptr      : %d\nappl_ptr    : %d\n",
             state, pid, trigger, hw_ptr, hw_ptr);
    put(name, text);
}

static inline int set_up_source(const char *name)
{
    for (size_t i = 0; (source = st_xrun_sources[i]) != NULL && strcmp(source->name, name) != 0;)
        i++;
    ST_PRINT(root, "/tmp/sleeptune-alsa-XXXXXX");
    seen_n = 0;
    return source == NULL || mkdtemp(root) == NULL;
}

static inline int teardown(void **state)
{
    char command[96];
    ST_PRINT(command, "rm -r '%s'", root);
    return system(command);
}

static inline void on_seen(void *ctx, const struct st_xrun_seen *seen)
{
    if (seen->kind == ST_XRUN_SEEN_LOAD) {
        last_load = *seen;
        return;
    }
    if (seen->kind == ST_XRUN_SEEN_LEVEL) {
        last_level = *seen;
        return;
    }
    last = *seen;
    seen_n++;
}

static inline int open_source_in(const char *folder)
{
    struct st_xrun_setting setting;
    ST_PRINT(setting.server, "%s", folder);
    return st_xrun_open(&watch, st_platform_native(), source, &setting, on_seen, NULL);
}

/** @return how many sightings one more look has. */
static inline int look(void)
{
    const int before = seen_n;
    assert_int_equal(source->ops->poll(&watch), 0);
    return seen_n - before;
}
