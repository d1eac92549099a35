/* The environment of the programs that this process starts: one place decides which variables they
 * get. HOME, PATH and XDG_* name files that a client library reads, and some of these files name
 * programs to run. So root starts programs without the variables that root itself was given
 * (trusted.h). */
#pragma once

#include <sys/types.h>

#include "core/base.h"

#define ST_PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct st_child_env {
    char **vars; /* "NAME=value", NULL-terminated: for execve */
    size_t n;
};

/** Opens an environment. If this process is root or uid is another user: only PATH, HOME, USER,
 * LOGNAME and XDG_RUNTIME_DIR of uid, from constants and the user database. Otherwise: the
 * variables `kept` of this process (NULL: all), and a PATH if none is set. @return 0, -ENOENT (uid
 * is not in the user database), -ENOMEM. Free with st_child_env_close, also after an error. Not
 * thread-safe against setenv(3) and getpwuid(3). */
ST_NODISCARD int st_child_env_open(struct st_child_env *ret, uid_t uid, const char *const *kept);
/** Sets one variable. @return 0 or -ENOMEM. */
ST_NODISCARD int st_child_env_set(struct st_child_env *env, const char *name, const char *value);
/** Finds the value of a variable. @return NULL: not set. */
const char *st_child_env_get(const struct st_child_env *env, const char *name);
/** The path of a program, looked up in PATH of vars, never in the current folder; a name with a
 * slash is used as the path. @return 0, -ENOENT, -EACCES (not executable), -ENAMETOOLONG, ... */
ST_NODISCARD int st_child_env_find(const char *const *vars, const char *name, char *path,
                                   size_t path_bytes);
/** system(3) with the environment of st_child_env_open for this process's user. One thread only.
 *  @return as system(3). */
ST_NODISCARD int st_child_env_shell(const char *line);
/** Makes `env` the environment of this process. */
void st_child_env_enter(struct st_child_env *env);
void st_child_env_close(struct st_child_env *env);
