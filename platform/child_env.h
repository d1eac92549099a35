/* The environment of the programs that this one starts: one place that decides what they get.
 *
 * HOME, PATH and XDG_* name files that a client library reads, and some of these files name programs to run.
 * `sudo -E` and `su -m` leave root with those of another user, so root takes nothing from its environment. */
#pragma once

#include <sys/types.h>

#include "core/base.h"

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
/** Adds variables of this process, where they are set; for root only those that name no file to be read.
 *  @return 0 or -ENOMEM. */
ST_NODISCARD int st_child_env_keep(struct st_child_env *env, const char *const *names);
/** @return NULL: not set. */
const char *st_child_env_get(const struct st_child_env *env, const char *name);
/** The path of a program: by PATH of vars, never in the current folder; a name with a slash is its path.
 *  @return 0, -ENOENT, -EACCES (it cannot be executed), -ENAMETOOLONG. */
ST_NODISCARD int st_child_env_find(const char *const *vars, const char *name, char *path, size_t path_bytes);
/** The folder that a variable names, from which programs or libraries are taken: an absolute path without
 * links. Root takes it only if no other user can change what it names (owners and modes, all the way up).
 * @return path; NULL: it is not set, is not one, or this program has more rights than its caller. */
const char *st_child_env_folder(const char *name, char path[PATH_MAX]);
/** Can root alone change this file, or put something into this folder? @param path without links. */
bool st_child_env_is_roots(const char *path);
/** system(3) with the environment of st_child_env_open for this process's user. One thread only.
 *  @return as system(3). */
ST_NODISCARD int st_child_env_shell(const char *line);
void st_child_env_close(struct st_child_env *env);

/** What chooses a sound server, and names no file to be read or written. NULL-terminated. */
extern const char *const st_child_env_servers[];

/** For libraries that root loads into its own process: forgets the variables by which they load code or open
 * files, whoever set them. Does nothing for other users. Before any thread starts. */
void st_child_env_forget_libraries(void);

/** The same, and for libraries that root loads into its own process, which read files below HOME and XDG_*: a
 * HOME that root does not own becomes root's, and the XDG_* folders that root does not own are forgotten.
 * Does nothing for other users. Before any thread starts. */
void st_child_env_forget_others(void);
