#include "platform/user_folder.h"

#include <sys/stat.h>

#include "core/text/text.h"

const char *st_user_folder(const char *variable, const char *below_home, const char *name)
{
    const char *folder = getenv(variable), *home = getenv("HOME");
    if (folder != NULL && folder[0] == '/')
        return st_text("%s%s", folder, name);
    return home != NULL && home[0] == '/' ? st_text("%s%s%s", home, below_home, name) : NULL;
}

int st_user_folder_make(const char *folder)
{
    char *path = st_text("%s", folder);
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash != NULL)
            *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return -errno;
        if (slash == NULL)
            return 0;
        *slash = '/';
    }
}
