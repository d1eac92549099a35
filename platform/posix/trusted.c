#include "platform/trusted.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/text.h"
#include "platform/child_env.h"

#ifdef __FreeBSD__
#define secure_getenv(name)                                                                        \
    (issetugid() != 0 ? NULL : getenv(name)) /* libc has it from 14.0 on                           \
                                              */
extern char **environ;                       /* FreeBSD's unistd.h does not declare this */
#endif

/* Variables that root keeps: folders and sockets, if root alone can change them. */
static const char *const paths[] = {"HOME",
                                    "NOTIFY_SOCKET",
                                    "SLEEPTUNE_MODULE_DIR",
                                    "SLEEPTUNE_OBSERVE_DIR",
                                    "SLEEPTUNE_SOCKET",
                                    "STATE_DIRECTORY",
                                    "TMPDIR",
                                    "XDG_CONFIG_HOME",
                                    "XDG_RUNTIME_DIR",
                                    "XDG_STATE_HOME"};
/* Variables that root keeps since their texts name no file. */
static const char *const texts[] = {
    "COLUMNS",  "LANG",      "LC_ALL", "LC_CTYPE", "NO_COLOR",     "SLEEPTUNE_TRACE",
    "SUDO_UID", "SUDO_USER", "TERM",   "TZ",       "WATCHDOG_PID", "WATCHDOG_USEC"};

/** Can only uid and root change the file `above` and the folders above it (st_trusted_path)?
 * @return false: `above` was shortened to the path that others can change. */
static bool is_trusted(char *above, uid_t uid)
{
    struct stat info;
    mode_t allowed = 0;
    for (;;) {
        if (above[0] != '/' || lstat(above, &info) != 0 || (info.st_uid != 0 && info.st_uid != uid))
            return false;
        if (!S_ISSOCK(info.st_mode) && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
            (info.st_mode & allowed) == 0)
            return false;
        if (above[1] == '\0')
            return true;
        char *slash = strrchr(above, '/');
        slash[slash == above] = '\0';
        allowed = S_ISDIR(info.st_mode) ? S_ISVTX : 0;
    }
}

bool st_trusted_path(const char *path, uid_t uid)
{
    char above[PATH_MAX];
    ST_PRINT(above, "%s", path);
    return is_trusted(above, uid);
}

/** Can root use this path? @param path receives `value` without links, since others may change
 * links later. The path need not exist yet. */
static bool is_roots(const char *value, char path[PATH_MAX])
{
    const char *slash = strrchr(value, '/');
    if (value[0] != '/')
        return false;
    if (realpath(value, path) == NULL) {
        if (errno != ENOENT || slash[1] == '\0' || slash[1] == '.' ||
            realpath(st_text("%.*s/", (int)(slash - value), value), path) == NULL ||
            strlen(path) + strlen(slash) >= PATH_MAX || !st_trusted_path(path, 0))
            return false;
        st_text_append(path, PATH_MAX, "%s", slash);
        return true;
    }
    return st_trusted_path(path, 0);
}

int st_trusted_find(struct st_platform *machine, const char *variable, const char *beside,
                    const char *installed, const char *name, char path[PATH_MAX])
{
    char own[PATH_MAX], file[PATH_MAX + NAME_MAX];
    const char *chosen = getenv(variable);
    if (machine->program_path(machine, own, sizeof(own)) != 0)
        strcpy(own, "/");
    *strrchr(own, '/') = '\0';
    const char *dirs[] = {st_text("%s/%s", own, beside), installed};
    if (chosen != NULL)
        dirs[0] = dirs[1] = chosen;
    ST_EACH (dir, dirs) {
        ST_PRINT(file, "%s/%s", *dir, name);
        if (realpath(file, path) == NULL || access(path, R_OK) != 0)
            continue;
        ST_PRINT(file, "%s", path);
        if (geteuid() != 0 || is_trusted(file, 0))
            return 0;
        snprintf(path, PATH_MAX,
                 "root does not load %.300s: others can change %.2000s. As root, run meson install "
                 "-C build, or make that path root's alone (chown root, chmod go-w)",
                 name, file);
        return -EPERM;
    }
    snprintf(path, PATH_MAX, "%s is not installed", name);
    return -ENOENT;
}

static void forget_programs(void)
{
    static const char *const names[] = {"DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"};
    ST_EACH (name, names) {
        const char *address = getenv(*name);
        if (address != NULL && (!st_text_begins(address, "unix:") || strchr(address, ';') != NULL))
            (void)unsetenv(*name);
    }
}

void st_trusted_environment(void)
{
    static char *none[] = {NULL};
    const char *values[ST_ARRAY_LEN(paths) + ST_ARRAY_LEN(texts)];
    char path[PATH_MAX];
    size_t n = 0;
    (void)setenv("PATH", ST_PATH_DEFAULT, 0);
    /* more rights than the caller: set-uid */
    const bool more_rights = secure_getenv("PATH") == NULL;
    if (geteuid() != 0 && !more_rights) {
        forget_programs();
        return;
    }
    ST_EACH (name, paths)
        values[n++] = getenv(*name);
    ST_EACH (name, texts)
        values[n++] = getenv(*name);
    environ = none;
    (void)setenv("PATH", ST_PATH_DEFAULT, 1);
    ST_EACH (name, paths) {
        const char *value = values[name - paths];
        if (value != NULL && !more_rights && is_roots(value, path))
            (void)setenv(*name, path, 1);
    }
    ST_EACH (name, texts) {
        const char *value = values[ST_ARRAY_LEN(paths) + (size_t)(name - texts)];
        if (value != NULL && strchr("/:", value[0]) == NULL && strstr(value, "..") == NULL)
            (void)setenv(*name, value, 1);
    }
    const struct passwd *user = getpwuid(geteuid());
    (void)setenv("HOME", user != NULL ? user->pw_dir : "/", 0);
}
