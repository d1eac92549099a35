/* Where a file is written that the user names. */
#pragma once

#include <sys/types.h>

#include "core/base.h"

struct st_destination {
    int dir_fd;              /* its folder, for openat(2), renameat(2) ...; the caller closes it */
    char name[NAME_MAX + 1]; /* in that folder; no link */
    bool open_file;          /* name is a link of /proc/PID/fd to what has no path, such as a pipe */
    bool shared;             /* root's alone: another user may change the folder's entries */
};

/**
 * Follows the links of path, also those of folders. Root (effective user ID 0) follows only a link that
 * belongs to root, in a folder whose entries no one else can replace: where another link leads is another
 * user's choice. The file itself may be missing.
 * @return 0; -EXDEV: root refused a link; -ELOOP: 40 links; -EISDIR: no file name; or what openat said. */
ST_NODISCARD int st_destination_find(const char *path, struct st_destination *ret);

/**
 * Opens what st_destination_find found; flags as of open(2) but O_TRUNC, which would come before the check.
 * @return fd; -EXDEV: root refused a file that has a second name, in a folder of another user; or what openat
 * said. */
ST_NODISCARD int st_destination_open(const struct st_destination *destination, int flags, mode_t mode);

/** Both in one; a new file has mode 0666. */
ST_NODISCARD int st_destination_open_path(const char *path, int flags);

/** Why a file cannot be written: strerror's text, or a sentence for -EXDEV. */
const char *st_destination_error(int r);
