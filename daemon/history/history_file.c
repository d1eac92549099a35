/* Opens, locks, checks and writes the history file. */
#include "daemon/history/history_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "daemon/history/fingerprint.h"
#include "daemon/history/history_writer.h"
#include "daemon/history/recorder.h"
#include "daemon/lock_file.h"

#define LOG_MODULE "history"
#include "platform/user_folder.h"
#include "st_config.h"

#define RETAIN_NS ST_NS_PER_HOUR
#define FACTS_NS  ST_NS_PER_DAY
/* growth of the file after which old rows are looked for again; also the most that one write may
 * add */
#define GROWN_BYTES INT64_C(65536)

#define BYTES_A_MB INT64_C(1000000)

static bool is_usable(const char *folder)
{
    struct stat status;
    return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
           access(folder, W_OK | X_OK) == 0;
}

/* Finds the path of the history: in $STATE_DIRECTORY (systemd), else in the system's state folder,
 * else in the user's, which is made if it is missing. @return false: none of these folders can be
 * written to. */
static bool usual_path(char *buf, size_t buf_bytes)
{
    const char *given = getenv("STATE_DIRECTORY");
    const char *folder = ST_STATE_DIR "/sleeptune";
    if (given != NULL && given[0] == '/')
        folder = st_text("%.*s", (int)strcspn(given, ":"),
                         given); /* the variable may list several folders */
    else if (!is_usable(folder) &&
             (geteuid() == 0 || (folder = st_user_folder(ST_USER_STATE, "/sleeptune")) == NULL ||
              st_user_folder_make(folder) != 0))
        return false;
    return is_usable(folder) && snprintf(buf, buf_bytes, "%s/history.db", folder) < (int)buf_bytes;
}

struct st_history_settings st_history_file_settings(const struct st_config *config)
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

void st_history_file_rows_init(struct st_waiting_rows *waiting)
{
    *waiting = (struct st_waiting_rows){0};
    waiting->end = &waiting->rows;
}

static uint64_t *count_of(struct st_waiting_rows *waiting, const struct st_waiting_row *row)
{
    return row->is_event ? &waiting->events_n : &waiting->minutes_n;
}

void st_history_file_rows_append(struct st_waiting_rows *waiting, struct st_waiting_row *row)
{
    row->next = NULL;
    *waiting->end = row;
    waiting->end = &row->next;
    ++*count_of(waiting, row);
    if (row->is_event)
        waiting->kinds.kinds[st_event_limit_place(&waiting->kinds, &row->event)].n++;
}

void st_history_file_rows_free(struct st_waiting_row *row)
{
    if (!row->is_event) {
        free(row->minute.lateness);
        free(row->minute.causes);
    }
    free(row);
}

void st_history_file_rows_drop(struct st_waiting_rows *waiting, bool is_event)
{
    const size_t place = st_event_limit_largest(&waiting->kinds);
    struct st_waiting_row **at = &waiting->rows;
    while ((*at)->is_event != is_event ||
           (is_event && st_event_limit_place(&waiting->kinds, &(*at)->event) != place))
        at = &(*at)->next;
    struct st_waiting_row *row = *at;
    *at = row->next;
    if (row->next == NULL)
        waiting->end = at;
    if (is_event)
        waiting->kinds.kinds[place].n--;
    --*count_of(waiting, row);
    st_history_file_rows_free(row);
}

void st_history_file_rows_drop_all(struct st_waiting_rows *waiting)
{
    for (struct st_waiting_row *row = waiting->rows, *next; row != NULL; row = next) {
        next = row->next;
        st_history_file_rows_free(row);
    }
    st_history_file_rows_init(waiting);
}

void st_history_file_rows_move(struct st_waiting_rows *to, struct st_waiting_rows *from)
{
    for (struct st_waiting_row *row = from->rows, *next; row != NULL; row = next) {
        next = row->next;
        st_history_file_rows_append(to, row);
    }
    st_history_file_rows_init(from);
}

static void close_file(struct st_history_file *file)
{
    st_history_close(file->history);
    file->history = NULL;
}

/* Checks that the file may be written, locked or renamed. A file in the state folder is
 * sleeptune's; history.path may name any file, so that file must be a history. @return 0, or an
 * error: the caller does not touch the file. */
static int look_at_file(const struct st_history_file *file, const char **error)
{
    return file->used.usual ? 0 : st_history_look(file->used.path, error);
}

/* Renames a file that is damaged or, in the state folder, not a history, so that a new one can
 * begin. A history of a newer version stays as it is. @param r, why the error, and a sentence about
 * it. @return 0, or an error: the file was not renamed. */
static int put_aside(struct st_history_file *file, int r, const char **why)
{
    char aside[ST_HISTORY_PATH_BYTES];
    const char *reason;
    if (r != -EBADMSG && (r != -EPROTO || !file->used.usual))
        return r;
    r = look_at_file(file, &reason);
    if (r < 0) {
        *why = reason;
        return r;
    }
    const int64_t now_ns = st_platform_wall_ns(file->platform);
    r = st_history_put_aside(file->used.path, now_ns, aside, sizeof(aside));
    if (r < 0) {
        *why = st_text("%.90s, and the file cannot be renamed: %s", *why, strerror(-r));
        return r;
    }
    ST_PRINT(file->aside, "%s", aside);
    st_events_add(file->events, ST_LOG_WARN, now_ns, ST_EVENT_HISTORY_ASIDE,
                  "sleeptuned started a new history; the old file is now %.80s: %.90s",
                  st_text_base(aside), *why);
    return 0;
}

/* Takes the lock, so that only one daemon writes this history. SQLite's own locks would let two
 * daemons write in turns, and their figures could not be distinguished. If no lock file can be made
 * (no rights, full disk, no locks), the history is written without one. */
static int lock(struct st_history_file *file, const char **error)
{
    struct st_platform *p = file->platform;
    long pid;
    const int r = st_lock_file_take(file->used.path, &file->lock_fd, &pid);
    if (r == -EBUSY && pid > 0)
        *error = st_text("another sleeptuned (process %ld) writes this history", pid);
    else if (r == -EBUSY)
        *error = "another program uses the lock file of this history";
    else if (r == 0 && pid > 0)
        st_events_add(
            file->events, ST_LOG_WARN, st_platform_wall_ns(p), ST_EVENT_UNCLEAN_END,
            "the previous run of sleeptuned did not end cleanly (killed, or a power cut)");
    return r == -EBUSY ? r : 0;
}

/* Checks whether another program changed the file since the last write. A file that another program
 * removed, emptied or wrote to is closed, because new rows could be lost in it. @return 0: the file
 * can be written, or opened again if it was closed; or an error. */
static int look_after_file(struct st_history_file *file, const char **error)
{
    const enum st_history_state state =
        file->history != NULL ? st_history_look_again(file->history) : ST_HISTORY_OURS;
    if (state == ST_HISTORY_OURS)
        return 0;
    const bool gone = state == ST_HISTORY_GONE;
    if (gone) {
        st_history_file_close(file);
    } else {
        st_history_abandon(file->history);
        file->history = NULL;
    }
    if (state != ST_HISTORY_EMPTIED) {
        st_events_add(file->events, ST_LOG_WARN, st_platform_wall_ns(file->platform),
                      ST_EVENT_HISTORY_CHANGED,
                      "another program %s %.150s; entries of the history may be missing",
                      gone ? "moved or removed" : "wrote to", file->used.path);
        return 0;
    }
    *error = "another program emptied the file";
    return put_aside(file, -EBADMSG, error);
}

static int open_file(struct st_history_file *file, const char **error)
{
    int r = look_after_file(file, error);
    if (r == 0 && file->history == NULL)
        r = look_at_file(file, error);
    if (r == 0)
        r = lock(file, error);
    if (r < 0)
        close_file(file);
    if (r < 0 || file->history != NULL)
        return r;
    r = st_history_open(file->used.path, &file->history, error);
    if (r < 0) {
        r = put_aside(file, r, error);
        if (r == 0)
            r = st_history_open(file->used.path, &file->history, error);
    }
    file->retained_ns = file->facts_wall_ns = INT64_MIN;
    file->retained_bytes = 0;
    file->opened_n++;
    return r;
}

/* Writes all rows in one transaction. */
static int write_rows(struct st_history_file *file, const struct st_waiting_rows *rows)
{
    st_history_begin(file->history);
    for (const struct st_waiting_row *row = rows->rows; row != NULL; row = row->next) {
        if (row->is_event)
            st_history_add_event(file->history, &row->event);
        else if (row->minute.lateness != NULL)
            st_history_add_minute(file->history, &row->minute);
        if (!row->is_event)
            st_history_add_watched(file->history, &row->watched);
    }
    return st_history_commit(file->history);
}

/* Removes old rows: once an hour, when the rows that were written leave too little room for
 * SQLite's log, and while the file is larger than allowed. Each call gives back some 4 MB of the
 * file. */
static int retain(struct st_history_file *file)
{
    const int64_t now_ns = st_platform_now_ns(file->platform);
    const int64_t max_bytes = file->used.max_bytes - ST_HISTORY_LOG_BYTES - 2 * GROWN_BYTES;
    const int64_t bytes = st_history_bytes(file->history);
    const bool full = (bytes > max_bytes && bytes > file->retained_bytes + GROWN_BYTES) ||
                      st_history_file_bytes(file->history) > file->used.max_bytes;
    if (!full && file->retained_ns != INT64_MIN && now_ns - file->retained_ns < RETAIN_NS)
        return 0;
    file->retained_ns = now_ns;
    const int r = st_history_retain(file->history, st_platform_wall_ns(file->platform),
                                    file->used.keep_days, max_bytes);
    file->retained_bytes = st_history_bytes(file->history);
    st_recorder_trim(file->used.path, file->used.traces_bytes);
    return r;
}

/* Opens the file and writes all rows; after an error tries once more with the file opened again.
 * @return 0: all rows are in the file. */
static int write_all(struct st_history_file *file, const struct st_waiting_rows *rows,
                     const char **error)
{
    int r = open_file(file, error);
    for (int attempt = 0; r == 0 && attempt < 2; attempt++) {
        r = write_rows(file, rows);
        if (r == 0)
            break;
        *error = st_text("%s", r == -ENOSPC ? "no space left on the device"
                                            : st_history_error(file->history, r));
        st_history_rollback(file->history);
        if (r == -EBUSY || r == -ENOSPC)
            break;
        /* after an error the file may differ from what this object knows about it */
        close_file(file);
        if (attempt == 0) {
            r = put_aside(file, r, error);
            if (r == 0)
                r = open_file(file, error);
        }
    }
    return r;
}

/* Stores what changed on the computer since the last comparison: when the file is opened, and once
 * a day by the wall clock, so that days count although the computer sleeps. When the file is
 * opened, the change is taken to have happened now; later, at some time since the last
 * comparison. */
static int write_facts(struct st_history_file *file)
{
    struct st_platform *p = file->platform;
    const int64_t wall_ns = st_platform_wall_ns(p), last_ns = file->facts_wall_ns;
    if (last_ns != INT64_MIN && wall_ns >= last_ns && wall_ns - last_ns < FACTS_NS)
        return 0;
    struct st_fingerprint *taken = malloc(sizeof(*taken));
    if (taken == NULL)
        return 0;
    st_fingerprint_take(p, geteuid() != 0 ? getenv("HOME") : NULL, taken);
    const int64_t from_ns = last_ns != INT64_MIN && last_ns <= wall_ns ? last_ns : wall_ns;
    st_history_begin(file->history);
    st_history_add_facts(file->history, from_ns, wall_ns, taken->facts, taken->n);
    const int r = st_history_commit(file->history);
    if (r < 0)
        st_history_rollback(file->history);
    st_fingerprint_finish(taken);
    free(taken);
    file->facts_wall_ns = wall_ns;
    return r;
}

static const char *why_text(const struct st_history_file *file, int r, const char *error)
{
    const char *path = file->used.path;
    if (r == -EPROTO || r == -EPROTONOSUPPORT)
        return st_text("sleeptuned does not write to %.115s: %.120s", path, error);
    return st_text("%.115s cannot be written: %.115s", path, error);
}

int st_history_file_write(struct st_history_file *file, const struct st_waiting_rows *rows,
                          const char **why)
{
    const char *error = "";
    const int r = write_all(file, rows, &error);
    if (r == 0) {
        /* an error here does not affect the rows, which are already in the file */
        const int retained = retain(file), noted = write_facts(file);
        if (retained < 0)
            ST_WARN("cannot remove old rows of %s: %s", file->used.path, strerror(-retained));
        if (noted < 0)
            ST_WARN("cannot write to %s what changed on this computer: %s", file->used.path,
                    strerror(-noted));
        file->bytes = st_history_bytes(file->history);
    }
    if (file->history != NULL)
        st_history_mark(file->history);
    *why = r < 0 ? why_text(file, r, st_text_or(error, strerror(-r))) : "";
    return r;
}

void st_history_file_use(struct st_history_file *file, const struct st_history_settings *settings)
{
    if (strcmp(file->used.path, settings->path) != 0)
        st_history_file_close(file);
    file->used = *settings;
    file->retained_ns = INT64_MIN;
    file->retained_bytes = 0;
}

void st_history_file_close(struct st_history_file *file)
{
    close_file(file);
    st_lock_file_release(file->used.path, &file->lock_fd);
}
