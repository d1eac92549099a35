#include "platform/child_env.h"
#include "core/text/text.h"

#include <pwd.h>
#include <unistd.h>

#include "platform/posix/posix.h"

#ifdef __FreeBSD__
#define RUNTIME_DIR "/var/run/user/%lu"
extern char **environ; /* FreeBSD's unistd.h does not declare this */
#else
#define RUNTIME_DIR "/run/user/%lu"
#endif

/** @return the index of the variable, env->n: not set. */
static size_t place_of(const struct st_child_env *env, const char *name, size_t name_len)
{
    size_t i = 0;
    while (i < env->n &&
           (strncmp(env->vars[i], name, name_len) != 0 || env->vars[i][name_len] != '='))
        i++;
    return i;
}

/** Sets a variable. @param text "NAME=value"; owned by env from now on, also after an error; NULL:
 * the caller had no memory for it. */
static int take(struct st_child_env *env, char *text)
{
    if (text == NULL)
        return -ENOMEM;
    const size_t at = place_of(env, text, strcspn(text, "="));
    if (at < env->n) {
        free(env->vars[at]);
        env->vars[at] = text;
        return 0;
    }
    char **grown = reallocarray(env->vars, env->n + 2, sizeof(*grown));
    if (grown == NULL) {
        free(text);
        return -ENOMEM;
    }
    env->vars = grown;
    grown[env->n++] = text;
    grown[env->n] = NULL;
    return 0;
}

int st_child_env_set(struct st_child_env *env, const char *name, const char *value)
{
    char *text;
    if (asprintf(&text, "%s=%s", name, value) < 0)
        return -ENOMEM;
    return take(env, text);
}

static int keep(struct st_child_env *env, const char *const *names)
{
    int r = 0;
    for (; *names != NULL && r == 0; names++) {
        const char *value = getenv(*names);
        if (value != NULL)
            r = st_child_env_set(env, *names, value);
    }
    return r;
}

const char *st_child_env_get(const struct st_child_env *env, const char *name)
{
    const size_t at = place_of(env, name, strlen(name));
    return at < env->n ? env->vars[at] + strlen(name) + 1 : NULL;
}

static int set_constants(struct st_child_env *env, uid_t uid)
{
    const struct passwd *entry = getpwuid(uid);
    if (entry == NULL)
        return -ENOENT;
    const char *runtime = st_text(RUNTIME_DIR, (unsigned long)uid);
    const char *const rows[][2] = {{"PATH", ST_PATH_DEFAULT},
                                   {"HOME", entry->pw_dir},
                                   {"USER", entry->pw_name},
                                   {"LOGNAME", entry->pw_name},
                                   {"XDG_RUNTIME_DIR", runtime}};
    int r = 0;
    for (size_t i = 0; i < ST_ARRAY_LEN(rows) && r == 0; i++)
        r = st_child_env_set(env, rows[i][0], rows[i][1]);
    return r;
}

static int copy_all(struct st_child_env *env)
{
    int r = 0;
    for (char **var = environ; var != NULL && *var != NULL && r == 0; var++) {
        if (strchr(*var, '=') != NULL)
            r = take(env, strdup(*var));
    }
    return r;
}

int st_child_env_open(struct st_child_env *ret, uid_t uid, const char *const *kept)
{
    *ret = (struct st_child_env){.vars = calloc(1, sizeof(*ret->vars))};
    if (ret->vars == NULL)
        return -ENOMEM;
    if (geteuid() == 0 || uid != geteuid())
        return set_constants(ret, uid);
    int r = kept != NULL ? keep(ret, kept) : copy_all(ret);
    if (r == 0 && st_child_env_get(ret, "PATH") == NULL)
        r = st_child_env_set(ret, "PATH", ST_PATH_DEFAULT);
    return r;
}

/** Makes the path of a file in the folder, and checks that the file is executable. @return 0,
 * -ENAMETOOLONG, or the error of access. */
static int try_path(const char *dir, const char *name, char *path, size_t path_bytes)
{
    const int n = snprintf(path, path_bytes, "%s%s", dir, name);
    if (n < 0 || (size_t)n >= path_bytes)
        return -ENAMETOOLONG;
    return st_posix_result(access(path, X_OK));
}

int st_child_env_find(const char *const *vars, const char *name, char *path, size_t path_bytes)
{
    const char *dirs = "";
    int r = -ENOENT;
    if (strchr(name, '/') != NULL)
        return try_path("", name, path, path_bytes);
    for (; *vars != NULL; vars++) {
        if (st_text_begins(*vars, "PATH="))
            dirs = *vars + 5;
    }
    while (*dirs != '\0') {
        const size_t len = strcspn(dirs, ":");
        int tried = -ENOENT;
        if (dirs[0] == '/')
            tried = try_path(st_text("%.*s/", (int)len, dirs), name, path, path_bytes);
        if (tried == 0 || tried == -ENAMETOOLONG)
            return tried;
        if (tried == -EACCES)
            r = tried;
        dirs += len + (dirs[len] == ':');
    }
    return r;
}

int st_child_env_shell(const char *line)
{
    struct st_child_env env;
    char **before = environ;
    int status = -1;
    int error = -st_child_env_open(&env, geteuid(), NULL);
    if (error == 0) {
        environ = env.vars;
        status = system(line); /* NOLINT: safe, since `line` is a constant of the caller */
        error = errno;
        environ = before;
    }
    st_child_env_close(&env);
    errno = error;
    return status;
}

void st_child_env_enter(struct st_child_env *env)
{
    environ = env->vars;
    *env = (struct st_child_env){0};
}

void st_child_env_close(struct st_child_env *env)
{
    ST_EACH_OF (var, env->vars, env->n)
        free(*var);
    free(env->vars);
    *env = (struct st_child_env){0};
}
