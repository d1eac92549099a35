#include "xruns/cycle_ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "platform/posix/posix.h"

/* "other programs": the name of all programs for which there is no room */
#define LAST_NAME (ST_CYCLE_RING_NAMES - 1)
#define TIME_MAX  (INT64_MAX / 4) /* 73 years after the start */

static const char magic[16] = "sleeptune-cycle";

void st_cycle_ring_clocks(struct st_cycle_ring *ring)
{
    const int64_t monotonic_ns = st_posix_now_ns(NULL);
    ring->wall_ns = st_posix_wall_ns(NULL) - monotonic_ns;
}

void st_cycle_ring_begin(struct st_cycle_ring *ring)
{
    struct utsname system;
    if (uname(&system) == 0)
        ST_PRINT(ring->kernel, "%.20s %.40s", system.sysname, system.release);
    memcpy(ring->magic, magic, sizeof(magic));
    st_cycle_ring_clocks(ring);
}

int st_cycle_ring_open(const char *path, struct st_cycle_ring **ret)
{
    const int fd =
        st_posix_opened(open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd < 0)
        return fd;
    void *at = MAP_FAILED;
    if (ftruncate(fd, sizeof(struct st_cycle_ring)) == 0)
        at = mmap(NULL, sizeof(struct st_cycle_ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const int error = errno;
    close(fd);
    if (at == MAP_FAILED)
        return -error;
    *ret = at;
    st_cycle_ring_begin(*ret);
    return 0;
}

uint16_t st_cycle_ring_name(struct st_cycle_ring *ring, const char *name)
{
    uint16_t i = 0;
    while (i < LAST_NAME && ring->names[i][0] != '\0' && strcmp(ring->names[i], name) != 0)
        i++;
    if (ring->names[i][0] == '\0')
        ST_PRINT(ring->names[i], "%s", i < LAST_NAME ? name : "other programs");
    return i;
}

void st_cycle_ring_put(struct st_cycle_ring *ring, const struct st_cycle_row *row)
{
    ring->rows[ring->written % ST_CYCLE_RING_ROWS] = *row;
    ring->written++;
}

bool st_cycle_ring_check(struct st_cycle_ring *ring, size_t bytes)
{
    if (bytes != sizeof(*ring) || memcmp(ring->magic, magic, sizeof(magic)) != 0)
        return false;
    ST_EACH (name, ring->names)
        (*name)[sizeof(*name) - 1] = '\0';
    ring->kernel[sizeof(ring->kernel) - 1] = ring->server[sizeof(ring->server) - 1] = '\0';
    ST_EACH (row, ring->rows) {
        if (row->cycle_ns < 0 || row->cycle_ns > TIME_MAX || row->signal_ns < 0 ||
            row->signal_ns > TIME_MAX || row->name >= ST_CYCLE_RING_NAMES || row->is_driver > 1)
            return false;
    }
    ring->levels.about[sizeof(ring->levels.about) - 1] = '\0';
    ST_EACH (level, ring->levels.rows) {
        level->name[sizeof(level->name) - 1] = '\0';
        if (level->at_ns < 0 || level->at_ns > TIME_MAX || level->left_ns < 0)
            return false;
    }
    return ring->wall_ns >= 0 && ring->wall_ns <= TIME_MAX;
}

size_t st_cycle_ring_n(const struct st_cycle_ring *ring)
{
    return (size_t)ST_MIN(ring->written, ST_CYCLE_RING_ROWS);
}

const struct st_cycle_row *st_cycle_ring_at(const struct st_cycle_ring *ring, size_t i)
{
    const uint64_t first = ring->written * (ring->written >= ST_CYCLE_RING_ROWS);
    return &ring->rows[(first + i) % ST_CYCLE_RING_ROWS];
}
