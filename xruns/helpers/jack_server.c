/* Where libjack has the files that are checked here.
 *
 * jack2: the socket is FOLDER/jack_NAME_UID_0 (posix/JackSocket.cpp, BuildName), the database
 * FOLDER/jack_db-UID (common/JackMetadata.cpp, PropertyInit), opened in JackLibGlobals::Init before
 * the socket. jack1: both are in FOLDER/jack-UID/NAME (libjack/client.c, jack_server_dir;
 * libjack/metadata.c). FOLDER is jack_server_dir of {linux,freebsd}/JackPlatformPlug_os.h.
 * JACK_PROMISCUOUS_SERVER leaves UID out of the socket's name.
 *
 * /dev/shm/jack-shm-registry is not checked: JACK itself lets everyone write to it (common/shm.c,
 * jack_create_registry). Who runs JACK beside users that he does not trust has that risk in each
 * client. */
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
    return st_text_or(name, "default");
}

bool st_jack_server_is_pipewire(void)
{
    return dlsym(RTLD_DEFAULT, "pw_get_library_version") != NULL;
}

/* Is the group the user's private one, which has his name and no other member? Systems with such
 * groups have a umask of 002, so that files are writable by the group. */
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

/* Does the file belong to this user, and can no other user write to it? Who may connect to a socket
 * does not matter. */
static bool is_own(const char *path, mode_t kind)
{
    struct stat info;
    if (lstat(path, &info) != 0 || info.st_uid != geteuid() ||
        (kind != 0 && (info.st_mode & S_IFMT) != kind))
        return false;
    return (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) ||
           ((info.st_mode & S_IWOTH) == 0 &&
            ((info.st_mode & S_IWGRP) == 0 || is_private(info.st_gid)));
}

static bool is_socket(const char *path)
{
    struct stat info;
    if (getenv("JACK_PROMISCUOUS_SERVER") == NULL)
        return is_own(path, S_IFSOCK);
    return lstat(path, &info) == 0 && S_ISSOCK(info.st_mode);
}

/* Do the folder and everything in it belong to this user, and can no other user write to them? */
static bool all_is_own(const char *folder)
{
    const struct dirent *entry;
    DIR *dir = is_own(folder, S_IFDIR) ? opendir(folder) : NULL;
    bool own = dir != NULL;
    while (own && (entry = readdir(dir)) != NULL)
        own = st_text_is(entry->d_name, "..") || is_own(st_text("%s/%s", folder, entry->d_name), 0);
    if (dir != NULL)
        closedir(dir);
    return own;
}

/* @return the folder in which libjack opens its database. It is made if it does not exist, so that
 * no other user can make it. NULL: there is no such server. */
static const char *find(const char *name)
{
    char *file = st_text("%s", name);
    const unsigned long uid = geteuid();
    const char *user = ""; /* the user's id in the names; "": the names have none */
    if (getenv("JACK_PROMISCUOUS_SERVER") == NULL)
        user = st_text("%lu", uid);
    st_text_swap(st_text_swap(file, '/', '_'), '\\', '_');
    ST_EACH (in, folders) {
        if (is_socket(st_text("%s/jack_%s%s_0", *in, file, st_text_with("_", user)))) {
            const char *folder = st_text("%s/jack_db-%lu", *in, uid);
            (void)mkdir(folder, 0700);
            return folder;
        }
        const char *all = st_text("%s/jack%s", *in, st_text_with("-", user));
        const char *own = st_text("%s/%s", all, name);
        if (strchr(name, '/') == NULL && is_own(all, S_IFDIR) &&
            is_socket(st_text("%s/jack_0", own)))
            return own;
    }
    return NULL;
}

const char *st_jack_server_look(const char *name)
{
    if (strlen(name) >= ST_JACK_SERVER_NAME_BYTES)
        return st_text("the name of the JACK server is longer than %d bytes",
                       ST_JACK_SERVER_NAME_BYTES - 1);
    const char *folder = find(name);
    if (folder == NULL && st_text_is(name, "default"))
        return "JACK is not running for this user";
    if (folder == NULL)
        return st_text("JACK server \"%s\" is not running for this user", name);
    if (all_is_own(folder))
        return NULL;
    return st_text("another user can change %s, which libjack would open. Remove that folder as "
                   "root, then start JACK again",
                   folder);
}
