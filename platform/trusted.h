/* Which environment variables and which folders of code root trusts. `su`, `su -m` and `sudo -E`
 * leave another user's variables to root: some name programs, servers, or files that libraries
 * read. */
#pragma once

#include <sys/types.h>

#include "platform/platform.h"

/** Can only uid and root change the file of that path, and each folder above it? In a sticky
 * folder, others cannot replace entries that they do not own. A socket may be writable by others:
 * they can connect to it, but not replace it. @param path absolute, without links. */
bool st_trusted_path(const char *path, uid_t uid);

/** Finds a file of code: in the folder that the variable names, else beside this program, as in a
 * build, else where it is installed. Root takes no file from a folder that others can change.
 * @param variable "": none. @param beside path from the folder of this program to the folder of the
 * file.
 * @return 0; -ENOENT or -EPERM, and path is the sentence that says why. */
ST_NODISCARD int st_trusted_find(struct st_platform *machine, const char *variable,
                                 const char *beside, const char *installed, const char *name,
                                 char path[PATH_MAX]);

/** Call early in each main, before any library reads a variable: root, and a program with more
 * rights than its caller, keep only the variables listed in trusted.c. For every user, a D-Bus
 * address that is not a Unix socket is dropped: libsystemd would run the program that such an
 * address names. */
void st_trusted_environment(void);
