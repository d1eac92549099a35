/* last.json in the state folder: the status document of the last minute, and of the end. */
#ifndef ST_DAEMON_STATUS_SAVED_STATE_H
#define ST_DAEMON_STATUS_SAVED_STATE_H

#include <jansson.h>
#include <stdbool.h>

#include "core/base.h"

#define ST_SAVED_STATE_PATH_BYTES 1024

/** Path of a file in $STATE_DIRECTORY (systemd), else in the system's state folder. @return false when there
 * is no such folder that we may write to: nothing is kept then. */
bool st_saved_state_folder(const char *name, char *buf, size_t buf_bytes);

/** Where last.json is kept; as st_saved_state_folder. */
bool st_saved_state_path(char *buf, size_t buf_bytes);

/** Replaces the file in one step; after a power cut it is the old or the new one. @return 0 or errno. */
ST_NODISCARD int st_saved_state_write(const char *path, const json_t *document);

/** Holds the folder of the file, so that a daemon that starts there knows of us. @return a descriptor to keep
 * open and close; -EBUSY: another one holds it; errno if that is unknown. */
ST_NODISCARD int st_saved_state_hold(const char *path);

/** How the daemon before us ended; not while we hold its folder ourselves. @return buf: "" when cleanly or
 * when nothing is known, else a sentence. */
const char *st_saved_state_previous(const char *path, char *buf, size_t buf_bytes);

#endif
