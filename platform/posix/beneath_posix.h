/* Opening files of a tree that is not trusted. */
#ifndef ST_PLATFORM_POSIX_BENEATH_POSIX_H
#define ST_PLATFORM_POSIX_BENEATH_POSIX_H

#include "core/base.h"

/**
 * Opens `path` (leading slashes are dropped) for reading inside the folder dir_fd, by the best means of this
 * OS. A link never leads out: it is resolved inside, as after chroot.
 * @param flags added to O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC. @return fd; -ELOOP for
 * too many links, or what open said.
 */
ST_NODISCARD int st_beneath_open(int dir_fd, const char *path, int flags);

/** The same with POSIX calls only, one component at a time. -ELOOP also if the tree changes meanwhile. */
ST_NODISCARD int st_beneath_open_posix(int dir_fd, const char *path, int flags);

#endif
