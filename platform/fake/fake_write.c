/* Writing to the fake: files and sysctls change in memory; folders are as many as are asked for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fake/private.h"
#include "platform/tree.h"

static int fake_replace_file(struct st_platform *p, const char *path, const char *text, size_t bytes,
                             mode_t mode)
{
    (void)mode;
    const int error = st_fake_fault(st_fake_of(p), F_REPLACE_FILE);
    if (error != 0)
        return error;
    char *copy = strndup(text, bytes);
    if (copy == NULL)
        return -ENOMEM;
    const int r = st_fake_set_file(p, path, copy, 0);
    free(copy);
    return r;
}

static int fake_clean_file(struct st_platform *p, const char *path)
{
    (void)path;
    return st_fake_fault(st_fake_of(p), F_CLEAN_FILE);
}

static int fake_remove_file(struct st_platform *p, const char *path)
{
    const int error = st_fake_fault(st_fake_of(p), F_REMOVE_FILE);
    return error != 0 ? error : st_fake_forget_file(st_fake_of(p), path);
}

static int fake_make_folder(struct st_platform *p, const char *path, mode_t mode)
{
    (void)path;
    (void)mode;
    return st_fake_fault(st_fake_of(p), F_MAKE_FOLDER);
}

static int fake_remove_folder(struct st_platform *p, const char *path)
{
    (void)path;
    return st_fake_fault(st_fake_of(p), F_REMOVE_FOLDER);
}

/* The text of a file or sysctl with a newline, as a kernel reads back what was written. */
static int put_line(struct st_platform *p, const char *name, const char *text,
                    int (*put)(struct st_platform *p, const char *name, const char *text, int error))
{
    char line[1024];
    const int n = snprintf(line, sizeof(line), "%s\n", text);
    return n < 0 || (size_t)n >= sizeof(line) ? -E2BIG : put(p, name, line, 0);
}

static int fake_write_value(struct st_platform *p, const char *path, const char *text)
{
    char old[4096];
    size_t len;
    const int error = st_fake_fault(st_fake_of(p), F_WRITE_VALUE);
    if (error != 0)
        return error;
    const int r = st_fake_read_text(p, path, old, sizeof(old), &len);
    return r != 0 ? r : put_line(p, path, text, st_fake_set_file);
}

static int fake_write_sysctl(struct st_platform *p, const char *name, const char *text)
{
    char old[4096];
    size_t len;
    struct st_fake *fake = st_fake_of(p);
    const int error = st_fake_fault(fake, F_WRITE_SYSCTL);
    if (error != 0)
        return error;
    if (p->os == ST_OS_LINUX)
        return st_tree_write_sysctl_linux(p, name, text);
    const int r = st_fake_read_sysctl(p, name, old, sizeof(old), &len);
    return r != 0 ? r : st_fake_set_sysctl(p, name, text, 0);
}

static int fake_can_write(struct st_platform *p, const char *path, bool in_place)
{
    (void)path;
    (void)in_place;
    return st_fake_fault(st_fake_of(p), F_CAN_WRITE);
}

static int fake_lock_folder(struct st_platform *p, const char *path)
{
    (void)path;
    return st_fake_fault(st_fake_of(p), F_LOCK_FOLDER);
}

static void fake_unlock_folder(struct st_platform *p, int handle)
{
    (void)p;
    (void)handle;
}

void st_fake_write_row(struct st_platform *row)
{
    row->replace_file = fake_replace_file;
    row->clean_file = fake_clean_file;
    row->remove_file = fake_remove_file;
    row->make_folder = fake_make_folder;
    row->remove_folder = fake_remove_folder;
    row->write_value = fake_write_value;
    row->write_sysctl = fake_write_sysctl;
    row->can_write = fake_can_write;
    row->lock_folder = fake_lock_folder;
    row->unlock_folder = fake_unlock_folder;
}
