/* Opening files of a tree that is not trusted. */
#ifndef ST_PLATFORM_POSIX_BENEATH_POSIX_H
#define ST_PLATFORM_POSIX_BENEATH_POSIX_H

#include "core/base.h"

/**
 * Opens `path` (leading slashes are dropped) for reading inside the folder dir_fd, by the best means of this
 * OS. A link never leads out: it is resolved inside, as after chroot (Linux), or refused.
 * @param flags added to O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC. @return fd; -ELOOP or -EXDEV for a
 * refused link, or what open said.
 */
ST_NODISCARD int st_beneath_open(int dir_fd, const char *path, int flags);

/** The same with POSIX calls only: one component at a time, every link refused (-ELOOP, ".." -EXDEV). */
ST_NODISCARD int st_beneath_open_posix(int dir_fd, const char *path, int flags);

#endif
