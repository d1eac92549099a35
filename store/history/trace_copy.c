#include "store/history/trace_copy.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include "core/ns.h"
#include "platform/posix/posix.h"

#define DROPOUT_NS (10 * ST_NS_PER_S) /* a copy for a dropout shows this time before it */
/* a copy for a user's report shows this time before it, if the ring goes back that far */
#define MARK_NS ST_NS_PER_MINUTE

static int64_t before_ns(const char *name)
{
    return strstr(name, "-" ST_TRACE_COPY_MARK ST_CYCLE_RING_SUFFIX) != NULL ? MARK_NS : DROPOUT_NS;
}

static void drop_old(struct st_cycle_ring *ring, int64_t wall_ns)
{
    ST_EACH (row, ring->rows) {
        if (row->signal_ns < st_ns_sub(wall_ns, ring->wall_ns))
            *row = (struct st_cycle_row){0};
    }
}

int st_trace_copy_write(int fd, const char *name, struct st_cycle_ring *ring,
                        const struct st_trace_event *events, size_t n)
{
    const size_t first = n > ST_CPU_EVENTS_MAX ? n - ST_CPU_EVENTS_MAX : 0;
    const unsigned bytes = (unsigned)((n - first) * sizeof(*events));
    gzFile to = gzdopen(fd, "wb1");
    if (to == NULL) {
        close(fd);
        return -ENOMEM;
    }
    drop_old(ring, st_ns_sub(strtoll(name, NULL, 10), before_ns(name)));
    errno = 0;
    bool good = gzwrite(to, ring, sizeof(*ring)) == (int)sizeof(*ring) &&
                (bytes == 0 || gzwrite(to, events + first, bytes) == (int)bytes);
    good = gzclose(to) == Z_OK && good;
    return good ? 0 : errno != 0 ? -errno : -EIO;
}

const char *st_trace_copy_folder(const char *history)
{
    const char *slash = strrchr(history, '/');
    if (slash == NULL)
        return "traces";
    return st_text("%.*s/traces", (int)(slash - history), history);
}

/* Finds the path of the copy whose time includes wall_ns; of several, the one nearest to it. */
static int find(const char *history, int64_t wall_ns, char *ret_path, size_t path_bytes,
                int64_t *ret_wall_ns)
{
    snprintf(ret_path, path_bytes, "%s", st_trace_copy_folder(history));
    const size_t len = strlen(ret_path);
    DIR *dir = opendir(ret_path);
    const bool newest = wall_ns == INT64_MAX;
    int64_t best_ns = INT64_MAX;
    bool found = false;
    struct dirent *entry;
    if (dir == NULL)
        return -errno;
    while ((entry = readdir(dir)) != NULL) {
        char *end;
        const int64_t its_ns = strtoll(entry->d_name, &end, 10);
        const int64_t before = st_ns_sub(its_ns, wall_ns), away_ns = before >= 0 ? before : -before;
        if (its_ns <= 0 || *end != '-' || away_ns >= best_ns ||
            (!newest && (before > before_ns(entry->d_name) || before < -ST_TRACE_COPY_AFTER_NS)))
            continue;
        best_ns = away_ns;
        *ret_wall_ns = its_ns;
        found = snprintf(ret_path + len, path_bytes - len, "/%s", entry->d_name) <
                (int)(path_bytes - len);
    }
    closedir(dir);
    return found ? 0 : -ENOENT;
}

static int read_parts(gzFile from, struct st_trace_copy *copy)
{
    const unsigned most = (ST_CPU_EVENTS_MAX + 1) * sizeof(*copy->events);
    copy->ring = malloc(sizeof(*copy->ring));
    copy->events = malloc(most);
    if (copy->ring == NULL || copy->events == NULL)
        return -ENOMEM;
    const int bytes = gzread(from, copy->ring, sizeof(*copy->ring)),
              events_bytes = gzread(from, copy->events, most);
    if (bytes < 0 || events_bytes < 0 || !st_cycle_ring_check(copy->ring, (size_t)bytes))
        return -EBADMSG;
    copy->events_n = (size_t)events_bytes / sizeof(*copy->events);
    if ((size_t)events_bytes % sizeof(*copy->events) != 0 || (unsigned)events_bytes >= most ||
        !st_cpu_events_check(copy->events, copy->events_n))
        return -EBADMSG;
    return 0;
}

int st_trace_copy_read(const char *history, int64_t wall_ns, char *ret_path, size_t path_bytes,
                       struct st_trace_copy *ret)
{
    struct st_trace_copy copy = {0};
    int r = find(history, wall_ns, ret_path, path_bytes, &copy.wall_ns);
    if (r < 0)
        return r;
    const int fd = st_posix_opened(open(ret_path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd < 0)
        return fd;
    gzFile from = gzdopen(fd, "rb");
    if (from == NULL) {
        close(fd);
        return -ENOMEM;
    }
    copy.before_ns = before_ns(ret_path);
    r = read_parts(from, &copy);
    if (gzclose(from) != Z_OK && r == 0)
        r = -EBADMSG; /* the compressed data is incomplete */
    if (r < 0)
        st_trace_copy_finish(&copy);
    else
        *ret = copy;
    return r;
}
