#include "platform/child_env.h"
#include "core/text/text.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#ifdef __FreeBSD__
#define RUNTIME_DIR         "/var/run/user/%lu"
#define secure_getenv(name) (issetugid() != 0 ? NULL : getenv(name)) /* libc has it from 14.0 on */
extern char **environ; /* its unistd.h leaves it to the program */
#else
#define RUNTIME_DIR "/run/user/%lu"
#endif

/** @return the index of the variable, env->n: not set. */
static size_t place_of(const struct st_child_env *env, const char *name, size_t name_len)
{
    size_t i = 0;
    while (i < env->n && (strncmp(env->vars[i], name, name_len) != 0 || env->vars[i][name_len] != '='))
        i++;
    return i;
}

/** @param text "NAME=value"; owned by env from now on, also after an error; NULL: there was no memory. */
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
    return take(env, asprintf(&text, "%s=%s", name, value) >= 0 ? text : NULL);
}

int st_child_env_keep(struct st_child_env *env, const char *const *names)
{
    int r = 0;
    for (; *names != NULL && r == 0; names++) {
        const char *value = getenv(*names);
        r = value != NULL ? st_child_env_set(env, *names, value) : 0;
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
    const char *runtime = ST_TEXT(64, RUNTIME_DIR, (unsigned long)uid);
    const char *const rows[][2] = {{"PATH", PATH_DEFAULT},
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
    for (char **var = environ; var != NULL && *var != NULL && r == 0; var++)
        r = strchr(*var, '=') != NULL ? take(env, strdup(*var)) : 0;
    return r;
}

int st_child_env_open(struct st_child_env *ret, uid_t uid, const char *const *kept)
{
    *ret = (struct st_child_env){.vars = calloc(1, sizeof(*ret->vars))};
    if (ret->vars == NULL)
        return -ENOMEM;
    if (geteuid() == 0 || uid != geteuid())
        return set_constants(ret, uid);
    const int r = kept != NULL ? st_child_env_keep(ret, kept) : copy_all(ret);
    return r != 0 || st_child_env_get(ret, "PATH") != NULL ? r : st_child_env_set(ret, "PATH", PATH_DEFAULT);
}

/** @return 0, -ENOENT, -EACCES, -ENAMETOOLONG. */
static int try_path(const char *dir, size_t dir_len, const char *name, char *path, size_t path_bytes)
{
    const int n = snprintf(path, path_bytes, "%.*s%s%s", (int)dir_len, dir, dir_len > 0 ? "/" : "", name);
    if (n < 0 || (size_t)n >= path_bytes)
        return -ENAMETOOLONG;
    return access(path, X_OK) == 0 ? 0 : errno == EACCES ? -EACCES : -ENOENT;
}

int st_child_env_find(const char *const *vars, const char *name, char *path, size_t path_bytes)
{
    const char *dirs = "";
    int r = -ENOENT;
    if (strchr(name, '/') != NULL)
        return try_path("", 0, name, path, path_bytes);
    for (; *vars != NULL; vars++)
        dirs = st_text_begins(*vars, "PATH=") ? *vars + 5 : dirs;
    while (*dirs != '\0') {
        const size_t len = strcspn(dirs, ":");
        const int tried = dirs[0] == '/' ? try_path(dirs, len, name, path, path_bytes) : -ENOENT;
        if (tried == 0 || tried == -ENAMETOOLONG)
            return tried;
        r = tried == -EACCES ? tried : r;
        dirs += len + (dirs[len] == ':');
    }
    return r;
}

int st_child_env_shell(const char *line)
{
    struct st_child_env env;
    char **before = environ;
    int status = -1;
    const int r = st_child_env_open(&env, geteuid(), NULL);
    if (r == 0) {
        environ = env.vars;
        status = system(line); /* NOLINT: the caller's own constant */
        environ = before;
    }
    const int error = r != 0 ? -r : errno;
    st_child_env_close(&env);
    errno = error;
    return status;
}

void st_child_env_close(struct st_child_env *env)
{
    ST_EACH_OF (var, env->vars, env->n)
        free(*var);
    free(env->vars);
    *env = (struct st_child_env){0};
}

/* In a sticky folder above it, others cannot replace what is root's. */
bool st_child_env_is_roots(const char *path)
{
    char above[PATH_MAX];
    struct stat info;
    mode_t allowed = 0;
    ST_PRINT(above, "%s", path);
    for (;;) {
        if (lstat(above, &info) != 0 || info.st_uid != 0 ||
            (!S_ISDIR(info.st_mode) && (!S_ISREG(info.st_mode) || allowed != 0)))
            return false;
        if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (info.st_mode & allowed) == 0)
            return false;
        char *slash = strrchr(above, '/');
        if (slash == NULL || above[1] == '\0')
            return slash != NULL;
        slash[slash == above] = '\0';
        allowed = S_ISVTX;
    }
}

const char *st_child_env_folder(const char *name, char path[PATH_MAX])
{
    const char *named = secure_getenv(name);
    if (named == NULL || realpath(named, path) == NULL)
        return NULL;
    return geteuid() != 0 || st_child_env_is_roots(path) ? path : NULL;
}

const char *const st_child_env_servers[] = {"PIPEWIRE_REMOTE",
                                            "PULSE_SERVER",
                                            "JACK_DEFAULT_SERVER",
                                            "JACK_NO_AUDIO_RESERVATION",
                                            "JACK_PROMISCUOUS_SERVER",
                                            "JACK_NO_START_SERVER",
                                            NULL};

/** @return the variable of this process, to be freed, that a library would take; NULL: none. */
static char *next_of_libraries(void)
{
    static const char *const begins[] = {"ALSA_", "CURL_",   "GCONV_PATH", "GNUTLS_",    "JACK_",
                                         "KRB5",  "LADSPA_", "LOCPATH",    "OPENSSL_",   "PIPEWIRE_",
                                         "PULSE", "SPA_",    "SSL",        "TRACEEVENT_"};
    for (char **var = environ; var != NULL && *var != NULL; var++) {
        const size_t len = strcspn(*var, "=");
        bool found = false;
        ST_EACH (begin, begins)
            found = found || st_text_begins(*var, *begin);
        for (const char *const *kept = st_child_env_servers; *kept != NULL; kept++)
            found = found && (strlen(*kept) != len || strncmp(*var, *kept, len) != 0);
        if (found)
            return strndup(*var, len);
    }
    return NULL;
}

void st_child_env_forget_libraries(void)
{
    char *name;
    while (geteuid() == 0 && (name = next_of_libraries()) != NULL) {
        (void)unsetenv(name);
        free(name);
    }
}

void st_child_env_forget_others(void)
{
    static const char *const folders[] = {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
                                          "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"};
    static const char *const lists[] = {"XDG_CONFIG_DIRS", "XDG_DATA_DIRS"};
    char path[PATH_MAX];
    if (geteuid() != 0)
        return;
    st_child_env_forget_libraries();
    ST_EACH (folder, folders) {
        if (st_child_env_folder(*folder, path) != NULL)
            setenv(*folder, path, 1); /* without links, which another user may change later */
        else
            unsetenv(*folder);
    }
    ST_EACH (list, lists)
        unsetenv(*list);
    const struct passwd *root = getpwuid(0);
    const char *home = st_child_env_folder("HOME", path);
    setenv("HOME", home != NULL ? home : root != NULL ? root->pw_dir : "/", 1);
}
