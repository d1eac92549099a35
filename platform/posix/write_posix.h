/* Writing below a folder that may be "/" or a captured tree: the row says how a path is opened there. */
#ifndef ST_PLATFORM_POSIX_WRITE_POSIX_H
#define ST_PLATFORM_POSIX_WRITE_POSIX_H

#include "platform/platform.h"

/** Opens a path of the row's tree with these flags. @return fd or a negative errno. */
typedef int (*st_open_fn)(struct st_platform *p, const char *path, int flags);

/* The members of st_platform of these names, through open_fn. */
int st_write_replace(struct st_platform *p, st_open_fn open_fn, const char *path, const char *text,
                     size_t bytes, mode_t mode);
int st_write_clean(struct st_platform *p, st_open_fn open_fn, const char *path);
int st_write_remove(struct st_platform *p, st_open_fn open_fn, const char *path);
int st_write_make_folder(struct st_platform *p, st_open_fn open_fn, const char *path, mode_t mode);
int st_write_remove_folder(struct st_platform *p, st_open_fn open_fn, const char *path);
int st_write_value(struct st_platform *p, st_open_fn open_fn, const char *path, const char *text);
int st_write_allowed(struct st_platform *p, st_open_fn open_fn, const char *path, bool in_place);
int st_write_lock(struct st_platform *p, st_open_fn open_fn, const char *path);

#endif
