/* Where to write a file that the user names. */
#pragma once

#include <sys/types.h>

#include "core/base.h"

struct st_destination {
    int dir_fd; /* the file's folder, for openat(2), renameat(2) ...; the caller closes it */
    char name[NAME_MAX + 1]; /* the file's name in dir_fd; never a link */
    bool open_file; /* name is a link in /proc/PID/fd to an open file without a path, such as a
                     * pipe */
    bool shared;    /* only for root: another user may change the folder's entries */
};

/** Follows the links of path, in folders as well. Root (effective user ID 0) follows a link only if
 * the link belongs to root and no one else can replace entries of its folder: another user could
 * aim any other link at any file. The file itself may be missing. @return 0; -EXDEV: root refused a
 * link; -ELOOP: 40 links; -EISDIR: no file name; or the error of openat. */
ST_NODISCARD int st_destination_find(const char *path, struct st_destination *ret);

/** Opens the file found by st_destination_find; flags as of open(2) without O_TRUNC, which would
 * truncate before the check. @return fd; -EXDEV: root refused a file with a second hard link in a
 * folder of another user; or the error of openat. */
ST_NODISCARD int st_destination_open(const struct st_destination *destination, int flags,
                                     mode_t mode);

/** st_destination_find and st_destination_open in one call; a new file has mode 0666. */
ST_NODISCARD int st_destination_open_path(const char *path, int flags);

/** Why a file cannot be written: strerror's text, or a sentence for -EXDEV. */
const char *st_destination_error(int r);
