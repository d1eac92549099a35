/* The environment of the programs that this one starts: one place that decides what they get.
 *
 * HOME, PATH and XDG_* name files that a client library reads, and some of these files name programs to run.
 * Root starts none of them with what it was given itself (trusted.h). */
#pragma once

#include <sys/types.h>

#include "core/base.h"

#define ST_PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct st_child_env {
    char **vars; /* "NAME=value", NULL-terminated: for execve */
    size_t n;
};

/**
 * Root, or uid is another user: PATH, HOME, USER, LOGNAME and XDG_RUNTIME_DIR of uid, from constants and the
 * user database, and nothing else. Otherwise the variables `kept` of this process (NULL: all of them), and a
 * PATH if there is none.
 * @return 0, -ENOENT (uid is not in the user database), -ENOMEM. Free with st_child_env_close, also after an
 * error. Not thread-safe against setenv(3) and getpwuid(3). */
ST_NODISCARD int st_child_env_open(struct st_child_env *ret, uid_t uid, const char *const *kept);
/** Sets one variable. @return 0 or -ENOMEM. */
ST_NODISCARD int st_child_env_set(struct st_child_env *env, const char *name, const char *value);
/** @return NULL: not set. */
const char *st_child_env_get(const struct st_child_env *env, const char *name);
/** The path of a program: by PATH of vars, never in the current folder; a name with a slash is its path.
 *  @return 0, -ENOENT, -EACCES (it cannot be executed), -ENAMETOOLONG. */
ST_NODISCARD int st_child_env_find(const char *const *vars, const char *name, char *path, size_t path_bytes);
/** system(3) with the environment of st_child_env_open for this process's user. One thread only.
 *  @return as system(3). */
ST_NODISCARD int st_child_env_shell(const char *line);
/** It is this process's from here on. */
void st_child_env_enter(struct st_child_env *env);
void st_child_env_close(struct st_child_env *env);
