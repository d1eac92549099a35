#include "store/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/destination.h"
#include "store/recording/bytes.h"
#include "store/recording/recording_format.h"

#define BLOCK_CYCLES    4096
#define EVENTS_BYTES    16384
#define EVENT_MAX_BYTES 64
#define BUFFER_BYTES    (2 * ST_COLUMN_MAX_BYTES(BLOCK_CYCLES) + EVENTS_BYTES + ST_RECORDING_TEXT_MAX_BYTES)

struct st_recording {
    int fd;
    int error; /* first one, negative; 0 none */
    uint64_t bytes;
    struct st_period period;
    bool has_callback;
    uint64_t periods_per_second;
    size_t text_bytes;
    struct st_recording_totals totals;
    uint64_t next_index;
    /* the block that is being collected */
    uint64_t first_index;
    size_t cycles_n;
    uint64_t events_n;
    size_t last_event_at;
    struct st_bytes_out events;
    int64_t lateness_ns[BLOCK_CYCLES];
    int64_t callback_ns[BLOCK_CYCLES];
    int64_t scratch[BLOCK_CYCLES];
    uint8_t events_buf[EVENTS_BYTES];
    uint8_t buf[BUFFER_BYTES];
};

static int write_all(int fd, const uint8_t *at, size_t n)
{
    while (n > 0) {
        const ssize_t written = write(fd, at, n);
        if (written < 0 && errno != EINTR)
            return -errno;
        if (written == 0)
            return -ENOSPC;
        if (written > 0) {
            at += written;
            n -= (size_t)written;
        }
    }
    return 0;
}

/* Appends n bytes, or nothing: a torn block is cut off, which works on a full disk, too. The first error
 * stays. */
static int append(struct st_recording *recording, const uint8_t *bytes, size_t n)
{
    const int r = write_all(recording->fd, bytes, n);
    if (r == 0) {
        recording->bytes += n;
        return 0;
    }
    recording->error = r;
    const int cut = ftruncate(recording->fd, (off_t)recording->bytes);
    (void)cut; /* if it failed: a reader stops at the torn block just as well */
    return r;
}

/* Starts a block in buf; its payload follows. */
static struct st_bytes_out block_start(struct st_recording *recording)
{
    return (struct st_bytes_out){.at = recording->buf + ST_RECORDING_BLOCK_HEAD_BYTES,
                                 .end = recording->buf + sizeof(recording->buf)};
}

static int block_write(struct st_recording *recording, uint32_t type, const struct st_bytes_out *out)
{
    if (out->full)
        return -EMSGSIZE;
    const size_t bytes = (size_t)(out->at - recording->buf);
    struct st_bytes_out head = {.at = recording->buf, .end = out->at};
    st_bytes_put_uint(&head, type, 4);
    st_bytes_put_uint(&head, bytes - ST_RECORDING_BLOCK_HEAD_BYTES, 4);
    uint32_t crc = st_bytes_crc32c(0, recording->buf, 8);
    crc = st_bytes_crc32c(crc, recording->buf + ST_RECORDING_BLOCK_HEAD_BYTES,
                          bytes - ST_RECORDING_BLOCK_HEAD_BYTES);
    st_bytes_put_uint(&head, crc, 4);
    return append(recording, recording->buf, bytes);
}

static void data_restart(struct st_recording *recording)
{
    recording->first_index = recording->next_index;
    recording->cycles_n = 0;
    recording->events_n = 0;
    recording->last_event_at = 0;
    recording->events = (struct st_bytes_out){.at = recording->events_buf,
                                              .end = recording->events_buf + sizeof(recording->events_buf)};
}

static int data_write(struct st_recording *recording)
{
    if (recording->cycles_n == 0 && recording->events_n == 0)
        return 0;
    struct st_bytes_out out = block_start(recording);
    st_bytes_put_uint(&out, recording->first_index, 8);
    st_bytes_put_varint(&out, recording->cycles_n);
    st_bytes_put_varint(&out, recording->events_n);
    st_column_put(&out, recording->lateness_ns, recording->cycles_n, recording->scratch);
    if (recording->has_callback)
        st_column_put(&out, recording->callback_ns, recording->cycles_n, recording->scratch);
    st_bytes_put(&out, recording->events_buf, (size_t)(recording->events.at - recording->events_buf));
    const int r = block_write(recording, ST_RECORDING_BLOCK_DATA, &out);
    data_restart(recording);
    return r;
}

/* Another kind of file is never overwritten; a torn beginning of a recording may be. */
static int check_overwritable(int fd)
{
    struct stat stat;
    if (fstat(fd, &stat) != 0)
        return -errno;
    if (!S_ISREG(stat.st_mode))
        return -EEXIST;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return -EBUSY;
    char magic[ST_RECORDING_MAGIC_BYTES];
    const ssize_t n = pread(fd, magic, sizeof(magic), 0);
    if (n < 0)
        return -errno;
    return memcmp(magic, ST_RECORDING_MAGIC, (size_t)n) == 0 ? 0 : -EEXIST;
}

static int write_start(struct st_recording *recording, const struct st_recording_meta *meta)
{
    uint8_t start[ST_RECORDING_MAGIC_BYTES + 4];
    struct st_bytes_out out = {.at = start, .end = start + sizeof(start)};
    st_bytes_put(&out, ST_RECORDING_MAGIC, ST_RECORDING_MAGIC_BYTES);
    st_bytes_put_uint(&out, ST_RECORDING_VERSION, 4);
    const int r = append(recording, start, sizeof(start));
    if (r < 0)
        return r;
    out = block_start(recording);
    st_bytes_put_uint(&out, meta->period.num, 8);
    st_bytes_put_uint(&out, meta->period.den, 8);
    st_bytes_put_uint(&out, meta->frames, 4);
    st_bytes_put_uint(&out, meta->rate_hz, 4);
    st_bytes_put_uint(&out, meta->has_callback ? ST_RECORDING_FLAG_CALLBACK : 0, 4);
    st_bytes_put_uint(&out, (uint64_t)meta->started_wall_ns, 8);
    return block_write(recording, ST_RECORDING_BLOCK_META, &out);
}

int st_recording_create(const char *path, const struct st_recording_meta *meta, struct st_recording **ret)
{
    struct st_period period;
    if (st_period_init_ns(&period, meta->period.num, meta->period.den) < 0)
        return -ERANGE;
    struct st_recording *recording = calloc(1, sizeof(*recording));
    if (recording == NULL)
        return -ENOMEM;
    recording->period = period;
    recording->has_callback = meta->has_callback;
    recording->periods_per_second = st_period_index_at(&period, 0, INT64_C(1000000000));
    data_restart(recording);
    recording->fd = st_destination_open_path(path, O_RDWR | O_CREAT, 0666);
    int r = recording->fd < 0 ? recording->fd : check_overwritable(recording->fd);
    if (r == 0 && ftruncate(recording->fd, 0) != 0)
        r = -errno;
    if (r == 0)
        r = write_start(recording, meta);
    if (r < 0) {
        if (recording->fd >= 0)
            close(recording->fd);
        free(recording);
        return r;
    }
    *ret = recording;
    return 0;
}

int st_recording_text(struct st_recording *recording, const char *lines)
{
    if (recording->error != 0)
        return recording->error;
    const size_t n = strlen(lines);
    if (n > ST_RECORDING_TEXT_MAX_BYTES - recording->text_bytes)
        return -E2BIG;
    recording->text_bytes += n;
    struct st_bytes_out out = block_start(recording);
    st_bytes_put(&out, lines, n);
    return block_write(recording, ST_RECORDING_BLOCK_TEXT, &out);
}

int st_recording_t0(struct st_recording *recording, int64_t t0_ns)
{
    if (recording->error != 0)
        return recording->error;
    struct st_bytes_out out = block_start(recording);
    st_bytes_put_uint(&out, (uint64_t)t0_ns, 8);
    return block_write(recording, ST_RECORDING_BLOCK_T0, &out);
}

/* The kind of an event and how far it is from the one before; its numbers follow. */
static void event_start(struct st_recording *recording, enum st_recording_mark mark, uint64_t n)
{
    st_bytes_put_varint(&recording->events, recording->cycles_n - recording->last_event_at);
    st_bytes_put_uint(&recording->events, (uint64_t)mark, 1);
    st_bytes_put_varint(&recording->events, n);
    recording->last_event_at = recording->cycles_n;
    recording->events_n++;
}

/* Makes room for one more cycle or event at this period index. */
static int arrive(struct st_recording *recording, uint64_t index, uint64_t n)
{
    if (recording->error != 0)
        return recording->error;
    if (index < recording->next_index || index > ST_RECORDING_INDEX_MAX || n > ST_RECORDING_INDEX_MAX - index)
        return -EINVAL;
    if (recording->cycles_n == BLOCK_CYCLES ||
        recording->events.end - recording->events.at < 2 * EVENT_MAX_BYTES) {
        const int r = data_write(recording);
        if (r < 0)
            return r;
    }
    if (index > recording->next_index)
        event_start(recording, ST_RECORDING_MARK_GAP, index - recording->next_index);
    recording->next_index = index + n;
    return 0;
}

int st_recording_cycle(struct st_recording *recording, uint64_t period_index, int64_t lateness_ns,
                       int64_t callback_ns)
{
    const int r = arrive(recording, period_index, 1);
    if (r < 0)
        return r;
    recording->lateness_ns[recording->cycles_n] = lateness_ns;
    recording->callback_ns[recording->cycles_n] = callback_ns;
    recording->cycles_n++;
    recording->totals.cycles++;
    return 0;
}

int st_recording_skipped(struct st_recording *recording, uint64_t first_period_index, uint64_t n,
                         int64_t lateness_ns)
{
    const int r = arrive(recording, first_period_index, n);
    if (r < 0 || n == 0)
        return r;
    event_start(recording, ST_RECORDING_MARK_SKIPPED, n);
    st_bytes_put_signed(&recording->events, lateness_ns);
    recording->totals.skipped_periods += n;
    return 0;
}

int st_recording_lost(struct st_recording *recording, uint64_t first_period_index, uint64_t n)
{
    const int r = arrive(recording, first_period_index, n);
    if (r < 0 || n == 0)
        return r;
    event_start(recording, ST_RECORDING_MARK_LOST, n);
    recording->totals.lost_cycles += n;
    return 0;
}

int st_recording_flush(struct st_recording *recording)
{
    if (recording->error != 0)
        return recording->error;
    if (recording->next_index - recording->first_index < recording->periods_per_second)
        return 0;
    return data_write(recording);
}

static int write_end(struct st_recording *recording, bool interrupted)
{
    struct st_bytes_out out = block_start(recording);
    st_bytes_put_uint(&out, recording->totals.cycles, 8);
    st_bytes_put_uint(&out, recording->totals.skipped_periods, 8);
    st_bytes_put_uint(&out, recording->totals.lost_cycles, 8);
    st_bytes_put_uint(&out, interrupted ? ST_RECORDING_FLAG_INTERRUPTED : 0, 4);
    return block_write(recording, ST_RECORDING_BLOCK_END, &out);
}

int st_recording_close(struct st_recording *recording, bool interrupted)
{
    if (recording == NULL)
        return 0;
    int r = recording->error;
    if (r == 0)
        r = data_write(recording);
    if (r == 0)
        r = write_end(recording, interrupted);
    if (close(recording->fd) != 0 && r == 0)
        r = -errno; /* a network file system may report a full disk only here */
    free(recording);
    return r;
}
