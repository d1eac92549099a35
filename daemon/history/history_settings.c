/* Where the history is, and how much of it is kept. */
#include "daemon/history/history_settings.h"

#include <sys/stat.h>
#include <unistd.h>

#include "platform/user_folder.h"
#include "st_config.h"

#define BYTES_A_MB INT64_C(1000000)

static bool is_usable(const char *folder)
{
    struct stat status;
    return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) && access(folder, W_OK | X_OK) == 0;
}

/* Path of the history in $STATE_DIRECTORY (systemd), else in the system's state folder, else in the user's,
 * which is made. @return false: there is no such folder that we may write to. */
static bool usual_path(char *buf, size_t buf_bytes)
{
    const char *given = getenv("STATE_DIRECTORY");
    char folder[ST_CONFIG_TEXT_BYTES] = ST_STATE_DIR "/sleeptune";
    if (given != NULL && given[0] == '/')
        ST_PRINT(folder, "%.*s", (int)strcspn(given, ":"), given); /* systemd gives several */
    else if (!is_usable(folder) &&
             (geteuid() == 0 || !st_user_folder(ST_USER_STATE, "/sleeptune", folder, sizeof(folder)) ||
              st_user_folder_make(folder) != 0))
        return false;
    return is_usable(folder) && snprintf(buf, buf_bytes, "%s/history.db", folder) < (int)buf_bytes;
}

struct st_history_settings st_history_settings_read(const struct st_config *config)
{
    struct st_history_settings settings = {.keep_days = config->history.keep_days,
                                           .traces_bytes = config->history.traces_mb * BYTES_A_MB,
                                           .max_bytes = config->history.max_mb * BYTES_A_MB};
    if (strcmp(config->history.enabled, "off") == 0)
        ST_PRINT(settings.why, "history.enabled is \"off\"; set it to \"on\" in sleeptuned.conf");
    else if (config->history.path[0] != '\0')
        ST_PRINT(settings.path, "%s", config->history.path);
    else if (usual_path(settings.path, sizeof(settings.path)))
        settings.usual = true;
    else {
        settings.path[0] = '\0';
        settings.missing = true;
        ST_PRINT(settings.why, "sleeptuned cannot write to any state folder: set history.path");
    }
    return settings;
}
