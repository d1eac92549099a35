/* The seam: what `apply` and `revert` change. Nothing else in the program changes a system. Conventions of
 * the seam: platform/platform.h. */
#pragma once

#include <sys/types.h>

#include "core/base.h"

/** Name of the file that replace_file writes before it moves it to `name`: hidden, and no drop-in's name. */
#define ST_REPLACE_PREFIX "."
#define ST_REPLACE_SUFFIX ".sleeptune~"

struct st_writer {
    /** Makes or replaces a file so that after a crash it is the old or the new one, whole: written beside it,
     *  fsync, rename, fsync of the folder. A replaced file keeps owner and mode; a new one gets `mode`.
     *  @return 0, -EINVAL (no regular file), -ELOOP (a link), or what the system said; then it is as before.
     */
    int (*replace_file)(struct st_writer *writer, const char *path, const char *text, size_t bytes,
                        mode_t mode);
    /** Removes what a killed replace_file left beside `path`. @return 0 also when there is nothing. */
    int (*clean_file)(struct st_writer *writer, const char *path);
    /** Removes a regular file (never a link or a folder) for good. @return 0, -ENOENT, -EINVAL, -ELOOP ... */
    int (*remove_file)(struct st_writer *writer, const char *path);
    /** @return 0, -EEXIST, ... */
    int (*make_folder)(struct st_writer *writer, const char *path, mode_t mode);
    /** @return 0, -ENOTEMPTY, -ENOENT, ... */
    int (*remove_folder)(struct st_writer *writer, const char *path);
    /** Writes text and a newline into a file of procfs or sysfs by one write(2). The file must exist and be a
     *  regular one. @return 0, or what open and write said (-EINVAL, -EBUSY: the kernel refuses the value).
     */
    int (*write_value)(struct st_writer *writer, const char *path, const char *text);
    /** Sets a sysctl from the text that read_sysctl gives. @return 0, -ENOENT, -EPERM, -EINVAL, -ENOTSUP. */
    int (*write_sysctl)(struct st_writer *writer, const char *name, const char *text);
    /** May this process write there? in_place: into the file itself; else the file may be replaced, made, or
     *  its folder made. @return 0, -EACCES, -EROFS, -ENOENT (in place only), -ELOOP (a link), -EINVAL, ... */
    int (*can_write)(struct st_writer *writer, const char *path, bool in_place);
    /** Locks a folder for this process alone (flock), and leaves its id and `name` there for folder_holder.
     *  @return handle >= 0, -EWOULDBLOCK (another process has it),
     *  -EPERM (the folder is not this user's, or others may write to it), ... */
    int (*lock_folder)(struct st_writer *writer, const char *path, const char *name);
    /** Which process has the folder locked: "1234 name", or "" if it did not say. Who may not read the
     * folder, and so cannot lock it, gets the process that is named there and alive. @return 0, -ENOENT
     * (none, or no such folder), ... */
    int (*folder_holder)(struct st_writer *writer, const char *path, char *buf, size_t buf_bytes);
    void (*unlock_folder)(struct st_writer *writer, int handle);
};
