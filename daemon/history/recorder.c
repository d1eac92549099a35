#include "daemon/history/recorder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/text.h"
#include "xruns/cycle_ring.h"
#include "xruns/dropout_reason.h"

#define MARK       "heard"
#define FILES_MAX  256
#define NEW_NAME   "new" /* until it is complete; the next one takes the place of what a kill left */
#define BLOCK      65536
#define PATH_BYTES 1200
#define HEAD_BYTES 16 /* of a file of the kernel's events */

/* --- which one goes --- */

static const char *cause_of(const char *name)
{
    const char *dash = strchr(name, '-');
    return dash != NULL ? dash : "";
}

static int64_t wall_of(const char *name)
{
    return strtoll(name, NULL, 10);
}

static bool is_first_of_cause(const char *const *names, size_t n, size_t i)
{
    for (size_t j = 0; j < n; j++) {
        if (j != i && strcmp(cause_of(names[j]), cause_of(names[i])) == 0 &&
            wall_of(names[j]) < wall_of(names[i]))
            return false;
    }
    return true;
}

/* 0: an ordinary one, 1: the first of its cause, 2: of a mark. */
static int worth(const char *const *names, size_t n, size_t i)
{
    return strncmp(cause_of(names[i]), "-" MARK, 1 + strlen(MARK)) == 0 ? 2
           : is_first_of_cause(names, n, i)                             ? 1
                                                                        : 0;
}

size_t st_recorder_least(const char *const *names, size_t n)
{
    size_t least = 0;
    for (size_t i = 1; i < n; i++) {
        const int a = worth(names, n, i), b = worth(names, n, least);
        if (a < b || (a == b && wall_of(names[i]) < wall_of(names[least])))
            least = i;
    }
    return least;
}

/* The file of the kernel's events beside one of cycles. */
#define CPUS_OF(name)                                                                                        \
    ST_TEXT(300, "%.*s" ST_CPU_EVENTS_SUFFIX, (int)(strlen(name) - strlen(ST_CYCLE_RING_SUFFIX)), name)

static size_t list(int folder_fd, char **names)
{
    const int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    size_t n = 0;
    while (dir != NULL && n < FILES_MAX && (entry = readdir(dir)) != NULL) {
        const size_t len = strlen(entry->d_name), suffix = strlen(ST_CYCLE_RING_SUFFIX);
        if (len > suffix && strcmp(entry->d_name + len - suffix, ST_CYCLE_RING_SUFFIX) == 0 &&
            (names[n] = strdup(entry->d_name)) != NULL)
            n++;
    }
    if (dir != NULL)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    return n;
}

/* Of a copy, with what the kernel did. */
static int64_t bytes_of(int folder_fd, const char *name)
{
    struct stat status;
    return (int64_t)sizeof(struct st_cycle_ring) +
           (fstatat(folder_fd, CPUS_OF(name), &status, AT_SYMLINK_NOFOLLOW) == 0 ? (int64_t)status.st_size
                                                                                 : 0);
}

static void trim(int folder_fd, int64_t max_bytes)
{
    char *names[FILES_MAX];
    size_t n = list(folder_fd, names);
    int64_t bytes = 0;
    ST_EACH_OF (name, names, n)
        bytes += bytes_of(folder_fd, *name);
    while (n > 0 && bytes > max_bytes) {
        const size_t least = st_recorder_least((const char *const *)names, n);
        bytes -= bytes_of(folder_fd, names[least]);
        (void)unlinkat(folder_fd, names[least], 0);
        (void)unlinkat(folder_fd, CPUS_OF(names[least]), 0);
        free(names[least]);
        names[least] = names[--n];
    }
    while (n > 0)
        free(names[--n]);
}

/* The folder of the copies. */
static void find_folder(const char *history, char *buf, size_t buf_bytes)
{
    const char *slash = strrchr(history, '/');
    snprintf(buf, buf_bytes, "%.*s/traces", slash != NULL ? (int)(slash - history) : 0, history);
}

void st_recorder_trim(const char *history, int64_t max_bytes)
{
    char folder[PATH_BYTES];
    find_folder(history, folder, sizeof(folder));
    const int folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder_fd < 0)
        return;
    trim(folder_fd, max_bytes);
    close(folder_fd);
}

/* --- the copy --- */

/* Blocks without a row stay holes. @return 0 or a negative errno value. */
static int copy(int from, int to)
{
    static char block[BLOCK];
    static const char nothing[BLOCK];
    off_t at = 0;
    ssize_t n;
    while ((n = read(from, block, sizeof(block))) > 0) {
        if (memcmp(block, nothing, (size_t)n) != 0 && pwrite(to, block, (size_t)n, at) != n)
            return -EIO;
        at += n;
        if (at > (off_t)sizeof(struct st_cycle_ring))
            return -EBADMSG;
    }
    return n < 0 ? -errno : ftruncate(to, at) != 0 ? -errno : 0;
}

/* Makes a file that is there when it is complete. @param from  a file of cycles; -1: the events. */
static int put(int folder_fd, const char *name, int from, const struct st_recorder *recorder)
{
    const int to = openat(folder_fd, NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0)
        return -errno;
    int r = from >= 0 ? copy(from, to) : st_cpu_events_write(to, recorder->events, recorder->events_n);
    close(to);
    if (r == 0 && renameat(folder_fd, NEW_NAME, folder_fd, name) != 0)
        r = -errno;
    if (r < 0)
        (void)unlinkat(folder_fd, NEW_NAME, 0);
    return r;
}

static int keep_in(const struct st_recorder *recorder, const char *folder, int64_t max_bytes)
{
    const char *name =
        ST_TEXT(100, "%" PRId64 "-%s" ST_CYCLE_RING_SUFFIX, recorder->wall_ns, recorder->cause);
    const size_t events_n = ST_MIN(recorder->events_n, ST_CPU_EVENTS_MAX);
    const int64_t events_bytes =
        events_n > 0 ? HEAD_BYTES + (int64_t)(events_n * sizeof(struct st_trace_event)) : 0;
    const int from = open(recorder->from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (from < 0)
        return -errno; /* no such program watches */
    int folder_fd = -1;
    int r = mkdir(folder, 0700) != 0 && errno != EEXIST ? -errno : 0;
    if (r == 0 && (folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
        r = -errno;
    if (r == 0) {
        trim(folder_fd, max_bytes - (int64_t)sizeof(struct st_cycle_ring) - events_bytes);
        if (events_n > 0)
            r = put(folder_fd, CPUS_OF(name), -1, recorder);
    }
    if (r == 0)
        r = put(folder_fd, name, from, recorder);
    if (folder_fd >= 0)
        close(folder_fd);
    close(from);
    return r;
}

int st_recorder_keep(const struct st_recorder *recorder, const char *history, int64_t max_bytes)
{
    char folder[PATH_BYTES];
    if (recorder->from[0] == '\0' || max_bytes < (int64_t)sizeof(struct st_cycle_ring))
        return 0;
    find_folder(history, folder, sizeof(folder));
    return keep_in(recorder, folder, max_bytes);
}

/* --- when --- */

bool st_recorder_note(struct st_recorder *recorder, const struct st_event *event)
{
    const bool mark = event->kind == ST_EVENT_HEARD, client = event->kind == ST_EVENT_CLIENT_DROPOUT;
    if (!mark && !client && event->kind != ST_EVENT_DEVICE_XRUN)
        return false;
    const char *cause = mark ? MARK : client ? st_dropout_reason_name(event->reason) : "device";
    const bool was_so = event->wall_ns >= recorder->wall_ns &&
                        event->wall_ns - recorder->wall_ns < ST_RECORDER_EACH_NS &&
                        strcmp(cause, recorder->cause) == 0;
    if (!mark && (recorder->wanted || was_so))
        return false;
    recorder->wanted = true;
    recorder->wall_ns = event->wall_ns;
    ST_PRINT(recorder->cause, "%s", cause);
    return true;
}
