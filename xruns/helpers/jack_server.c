/* jack2: the socket is FOLDER/jack_NAME_UID_0 (posix/JackSocket.cpp, BuildName), the database
 * FOLDER/jack_db-UID (common/JackMetadata.cpp, PropertyInit), opened in JackLibGlobals::Init before the
 * socket. jack1: both are in FOLDER/jack-UID/NAME (libjack/client.c, jack_server_dir; libjack/metadata.c).
 * FOLDER is jack_server_dir of {linux,freebsd}/JackPlatformPlug_os.h. JACK_PROMISCUOUS_SERVER leaves UID out
 * of the socket's name.
 *
 * /dev/shm/jack-shm-registry is not looked at: JACK itself lets everyone write to it (common/shm.c,
 * jack_create_registry). Who runs JACK beside users that he does not trust has that risk in each client. */
#include "xruns/helpers/jack_server.h"

#include "core/text/text.h"

#include <dirent.h>
#include <dlfcn.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const folders[] = {"/dev/shm", "/tmp"};

const char *st_jack_server_name(void)
{
    const char *name = getenv("JACK_DEFAULT_SERVER");
    return name != NULL && name[0] != '\0' ? name : "default";
}

bool st_jack_server_is_pipewire(void)
{
    return dlsym(RTLD_DEFAULT, "pw_get_library_version") != NULL;
}

/* The group that bears the user's name and has no other member: where it is the rule, so is a umask of
 * 002. */
static bool is_private(gid_t gid)
{
    const struct passwd *user = getpwuid(geteuid());
    const struct group *group = user != NULL ? getgrgid(gid) : NULL;
    if (group == NULL || !st_text_is(group->gr_name, user->pw_name))
        return false;
    for (char *const *member = group->gr_mem; *member != NULL; member++) {
        if (!st_text_is(*member, user->pw_name))
            return false;
    }
    return true;
}

/* Of this user, and what no other can write to. Who may connect to a socket does not matter. */
static bool is_own(const char *path, mode_t kind)
{
    struct stat info;
    if (lstat(path, &info) != 0 || info.st_uid != geteuid() || (kind != 0 && (info.st_mode & S_IFMT) != kind))
        return false;
    return (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) ||
           ((info.st_mode & S_IWOTH) == 0 && ((info.st_mode & S_IWGRP) == 0 || is_private(info.st_gid)));
}

static bool is_socket(const char *path)
{
    struct stat info;
    return getenv("JACK_PROMISCUOUS_SERVER") != NULL ? lstat(path, &info) == 0 && S_ISSOCK(info.st_mode)
                                                     : is_own(path, S_IFSOCK);
}

/* The folder and all that is in it. */
static bool all_is_own(const char *folder)
{
    char path[PATH_MAX];
    const struct dirent *entry;
    DIR *dir = is_own(folder, S_IFDIR) ? opendir(folder) : NULL;
    bool own = dir != NULL;
    while (own && (entry = readdir(dir)) != NULL) {
        ST_PRINT(path, "%s/%s", folder, entry->d_name);
        own = st_text_is(entry->d_name, "..") || is_own(path, 0);
    }
    if (dir != NULL)
        closedir(dir);
    return own;
}

/* @return whether a server is there; *ret_folder: what libjack opens its database in, made if need be, so
 * that no other user makes it meanwhile. */
static bool find(const char *name, char folder[PATH_MAX])
{
    char file[ST_JACK_SERVER_NAME_BYTES], uid[24], path[PATH_MAX + 16];
    ST_PRINT(file, "%s", name);
    st_text_swap(st_text_swap(file, '/', '_'), '\\', '_');
    const bool promiscuous = getenv("JACK_PROMISCUOUS_SERVER") != NULL;
    ST_PRINT(uid, "%lu", (unsigned long)geteuid());
    ST_EACH (in, folders) {
        ST_PRINT(path, "%s/jack_%s%s%s_0", *in, file, promiscuous ? "" : "_", promiscuous ? "" : uid);
        if (is_socket(path)) {
            snprintf(folder, PATH_MAX, "%s/jack_db-%s", *in, uid);
            (void)mkdir(folder, 0700);
            return true;
        }
        snprintf(folder, PATH_MAX, "%s/jack%s%s", *in, promiscuous ? "" : "-", promiscuous ? "" : uid);
        if (strchr(name, '/') != NULL || !is_own(folder, S_IFDIR))
            continue;
        snprintf(folder + strlen(folder), PATH_MAX - strlen(folder), "/%s", name);
        ST_PRINT(path, "%s/jack_0", folder);
        if (is_socket(path))
            return true;
    }
    return false;
}

int st_jack_server_look(const char *name, char *why, size_t why_bytes)
{
    char folder[PATH_MAX];
    if (strlen(name) >= ST_JACK_SERVER_NAME_BYTES) {
        snprintf(why, why_bytes, "the name of the JACK server is longer than %d bytes",
                 ST_JACK_SERVER_NAME_BYTES - 1);
        return -ENAMETOOLONG;
    }
    if (!find(name, folder)) {
        if (st_text_is(name, "default"))
            snprintf(why, why_bytes, "JACK is not running for this user");
        else
            snprintf(why, why_bytes, "JACK server \"%s\" is not running for this user", name);
        return -ENOENT;
    }
    if (all_is_own(folder))
        return 0;
    snprintf(why, why_bytes,
             "another user can change %s, which libjack would open. "
             "Remove that folder as root, then start JACK again",
             folder);
    return -EPERM;
}
