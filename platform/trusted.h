/* What root takes of its environment, and from which folders code is taken. `su`, `su -m` and `sudo -E` leave
 * root with another user's variables: some name programs, servers, or files that libraries read. */
#pragma once

#include <sys/types.h>

#include "platform/platform.h"

/** Can that user and root alone change what the path names, and each folder above it? In a sticky folder
 * others cannot replace what is not theirs. What programs write into a socket changes none.
 * @param path absolute, without links. */
bool st_trusted_path(const char *path, uid_t uid);

/** Where a file of code is: in the folder that the variable names, else beside this program, as in a build,
 * else where it is installed. Root takes none from a folder that others can change.
 * @param variable  "": none. @param beside  from the folder of this program to that of the file
 * @return 0; -ENOENT or -EPERM, and path is the sentence that says why. */
ST_NODISCARD int st_trusted_find(struct st_platform *machine, const char *variable, const char *beside,
                                 const char *installed, const char *name, char path[PATH_MAX]);

/** Early in each main, before any library reads a variable: root, and a program with more rights than its
 * caller, keep only the variables that are listed in trusted.c. For everyone an address of D-Bus that is no
 * Unix socket is forgotten: libsystemd would run the program that it names. */
void st_trusted_environment(void);
