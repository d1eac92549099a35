#include "platform/user_folder.h"

#include <sys/stat.h>

bool st_user_folder(const char *variable, const char *below_home, const char *name, char *buf,
                    size_t buf_bytes)
{
    const char *folder = getenv(variable), *home = getenv("HOME");
    const bool given = folder != NULL && folder[0] == '/';
    if (!given && (home == NULL || home[0] != '/'))
        return false;
    const int n = snprintf(buf, buf_bytes, "%s%s%s", given ? folder : home, given ? "" : below_home, name);
    return n > 0 && (size_t)n < buf_bytes;
}

int st_user_folder_make(const char *folder)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof(path), "%s", folder) >= (int)sizeof(path))
        return -ENAMETOOLONG;
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
