#include "daemon/history/recorder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/posix/posix.h"
#include "store/history/trace_copy.h"

/* name of the file until it is complete; a file that a killed daemon left is overwritten */
#define NEW_NAME "new"

/* --- removing old copies --- */

static int is_copy(const struct dirent *entry)
{
    return st_text_ends(entry->d_name, ST_CYCLE_RING_SUFFIX);
}

static int64_t bytes_of(int folder_fd, const char *name)
{
    struct stat status;
    return fstatat(folder_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? (int64_t)status.st_size
                                                                       : 0;
}

/* Removes copies until at most max_bytes are left: the oldest first (their names begin with the
 * time), but those for a report of the user only after all others. */
static void trim(int folder_fd, const char *history, int64_t max_bytes)
{
    struct dirent **copies = NULL;
    const int n = scandir(st_trace_copy_folder(history), &copies, is_copy, alphasort);
    int64_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += bytes_of(folder_fd, copies[i]->d_name);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < n && bytes > max_bytes; i++) {
            const bool mark = strstr(copies[i]->d_name, "-" ST_TRACE_COPY_MARK ".") != NULL;
            if (mark != (turn == 1))
                continue;
            bytes -= bytes_of(folder_fd, copies[i]->d_name);
            (void)unlinkat(folder_fd, copies[i]->d_name, 0);
        }
    }
    for (int i = 0; i < n; i++)
        free(copies[i]);
    free(copies);
}

/* Opens the folder of the copies, and makes it first if `make` is set. @return a descriptor or a
 * negative errno value. */
static int open_folder(const char *history, bool make)
{
    const char *folder = st_trace_copy_folder(history);
    if (make && mkdir(folder, 0700) != 0 && errno != EEXIST)
        return -errno;
    return st_posix_opened(open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

void st_recorder_trim(const char *history, int64_t max_bytes)
{
    const int folder_fd = open_folder(history, false);
    if (folder_fd < 0)
        return;
    trim(folder_fd, history, max_bytes);
    close(folder_fd);
}

/* --- making a copy --- */

/* Reads the file into which the helper program writes PipeWire's last cycles; if there is none,
 * *ret has no rows. */
static int read_ring(const char *path, struct st_cycle_ring *ret)
{
    const int fd = st_posix_opened(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd < 0) {
        st_cycle_ring_begin(ret);
        return fd == -ENOENT ? 0 : fd;
    }
    const ssize_t n = read(fd, ret, sizeof(*ret));
    const int r = n < 0 ? -errno : n != (ssize_t)sizeof(*ret) ? -EBADMSG : 0;
    close(fd);
    return r;
}

/* Writes a copy under another name and renames it when it is complete, so no incomplete one is
 * visible. */
static int put(int folder_fd, const struct st_recorder *recorder, const char *history,
               struct st_cycle_ring *ring, int64_t max_bytes)
{
    const char *name =
        st_text("%019jd-%s" ST_CYCLE_RING_SUFFIX, recorder->wall_ns, recorder->cause);
    const int to = st_posix_opened(
        openat(folder_fd, NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (to < 0)
        return to;
    int r = st_trace_copy_write(to, name, ring, recorder->events, recorder->events_n);
    const int64_t bytes = bytes_of(folder_fd, NEW_NAME);
    if (r == 0 && bytes > max_bytes)
        r = -EFBIG;
    if (r == 0)
        trim(folder_fd, history, max_bytes - bytes);
    if (r == 0 && renameat(folder_fd, NEW_NAME, folder_fd, name) != 0)
        r = -errno;
    if (r < 0)
        (void)unlinkat(folder_fd, NEW_NAME, 0);
    return r;
}

int st_recorder_keep(const struct st_recorder *recorder, const char *history, int64_t max_bytes)
{
    if (max_bytes == 0 || history[0] == '\0') /* the history may have been switched off meanwhile */
        return 0;
    struct st_cycle_ring *ring = calloc(1, sizeof(*ring));
    int r = ring != NULL ? read_ring(recorder->from, ring) : -ENOMEM;
    if (r == 0 && recorder->levels != NULL)
        ring->levels = *recorder->levels;
    if (r == 0 && ring->written + ring->levels.written + recorder->events_n == 0)
        r = -ENOENT;
    const int folder_fd = r == 0 ? open_folder(history, true) : r;
    if (folder_fd >= 0) {
        r = put(folder_fd, recorder, history, ring, max_bytes);
        close(folder_fd);
    }
    free(ring);
    return folder_fd < 0 ? folder_fd : r;
}

/* --- when a copy is made --- */

bool st_recorder_note(struct st_recorder *recorder, const struct st_event *event)
{
    const bool mark = event->kind == ST_EVENT_HEARD,
               client = event->kind == ST_EVENT_CLIENT_DROPOUT;
    if (!mark && !client && event->kind != ST_EVENT_DEVICE_DROPOUT)
        return false;
    const char *cause = mark     ? ST_TRACE_COPY_MARK
                        : client ? st_dropout_reason_name(event->reason)
                                 : "device";
    const bool was_so = event->wall_ns >= recorder->wall_ns &&
                        event->wall_ns - recorder->wall_ns < ST_RECORDER_EACH_NS &&
                        st_text_is(cause, recorder->cause);
    if (!mark && (recorder->wanted || was_so))
        return false;
    recorder->wanted = true;
    recorder->wall_ns = event->wall_ns;
    ST_PRINT(recorder->cause, "%s", cause);
    return true;
}
