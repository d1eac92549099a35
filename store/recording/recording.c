/* Recordings, as docs/recording-format.md describes them: constants of the format, writing, reading. */
#include "store/recording/recording.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/safe.h"
#include "platform/destination.h"
#include "platform/posix/posix.h"
#include "store/recording/bytes.h"

#define MAGIC             "\x89SLTREC\n"
#define MAGIC_BYTES       8
#define BLOCK_HEAD_BYTES  12 /* type, payload length, CRC: 32 bits each */
#define PAYLOAD_MAX_BYTES (UINT32_C(1) << 20)
#define BLOCK_CYCLES_MAX  65536
#define INDEX_MAX         (UINT64_MAX / 2) /* period indices fit int64_t */
#define FLAG_CALLBACK     1U
#define FLAG_INTERRUPTED  1U

/* Block types: four letters, the first in the lowest byte. */
#define TYPE(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define BLOCK_META       TYPE('M', 'E', 'T', 'A')
#define BLOCK_TEXT       TYPE('T', 'E', 'X', 'T')
#define BLOCK_T0         TYPE('T', 'Z', 'E', 'R')
#define BLOCK_DATA       TYPE('D', 'A', 'T', 'A')
#define BLOCK_END        TYPE('E', 'N', 'D', '.')

/* Events between the runs of cycles of a DATA block. */
enum mark {
    MARK_GAP = 1, /* n period indices without an event */
    MARK_SKIPPED = 2,
    MARK_LOST = 3,
};

/* --- writing --- */

#define RUN_CYCLES      4096 /* at most, of one run */
#define VARINT_BYTES    10
#define EVENT_MAX_BYTES 64
#define DATA_BYTES      (PAYLOAD_MAX_BYTES / 4)
#define BUFFER_BYTES    (BLOCK_HEAD_BYTES + 8 + DATA_BYTES)

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
    /* the block that is being collected, and the run of cycles behind its last event */
    uint64_t first_index;
    struct st_bytes_out data;
    size_t cycles_n;
    int64_t lateness_ns[RUN_CYCLES];
    int64_t callback_ns[RUN_CYCLES];
    uint8_t data_buf[DATA_BYTES];
    uint8_t buf[BUFFER_BYTES];
};

/* Appends n bytes, or nothing: a torn block is cut off, which works on a full disk, too. The first error
 * stays. */
static int append(struct st_recording *recording, const uint8_t *bytes, size_t n)
{
    const int r = st_posix_write_fd(recording->fd, bytes, n);
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
    return (struct st_bytes_out){.at = recording->buf + BLOCK_HEAD_BYTES,
                                 .end = recording->buf + sizeof(recording->buf)};
}

static int block_write(struct st_recording *recording, uint32_t type, const struct st_bytes_out *out)
{
    if (out->full)
        return -EMSGSIZE;
    const size_t bytes = (size_t)(out->at - recording->buf);
    struct st_bytes_out head = {.at = recording->buf, .end = out->at};
    st_bytes_put_uint(&head, type, 4);
    st_bytes_put_uint(&head, bytes - BLOCK_HEAD_BYTES, 4);
    uint32_t crc = st_bytes_crc32c(0, recording->buf, 8);
    crc = st_bytes_crc32c(crc, recording->buf + BLOCK_HEAD_BYTES, bytes - BLOCK_HEAD_BYTES);
    st_bytes_put_uint(&head, crc, 4);
    return append(recording, recording->buf, bytes);
}

static void data_restart(struct st_recording *recording)
{
    recording->first_index = recording->next_index;
    recording->data = (struct st_bytes_out){.at = recording->data_buf,
                                            .end = recording->data_buf + sizeof(recording->data_buf)};
}

/* Each number as its difference to the one before, modulo 2^64. */
static void put_numbers(struct st_recording *recording, const int64_t *numbers)
{
    uint64_t last = 0;
    ST_EACH_OF (number, numbers, recording->cycles_n) {
        st_bytes_put_signed(&recording->data, (int64_t)((uint64_t)*number - last));
        last = (uint64_t)*number;
    }
}

/* Ends the run of cycles. */
static void run_put(struct st_recording *recording)
{
    st_bytes_put_varint(&recording->data, recording->cycles_n);
    put_numbers(recording, recording->lateness_ns);
    if (recording->has_callback)
        put_numbers(recording, recording->callback_ns);
    recording->cycles_n = 0;
}

static int data_write(struct st_recording *recording)
{
    if (recording->next_index == recording->first_index)
        return 0;
    struct st_bytes_out out = block_start(recording);
    run_put(recording);
    st_bytes_put_uint(&out, recording->first_index, 8);
    st_bytes_put(&out, recording->data_buf, (size_t)(recording->data.at - recording->data_buf));
    const int r = block_write(recording, BLOCK_DATA, &out);
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
    char magic[MAGIC_BYTES];
    const ssize_t n = pread(fd, magic, sizeof(magic), 0);
    if (n < 0)
        return -errno;
    return memcmp(magic, MAGIC, (size_t)n) == 0 ? 0 : -EEXIST;
}

static int write_start(struct st_recording *recording, const struct st_recording_meta *meta)
{
    uint8_t start[MAGIC_BYTES + 4];
    struct st_bytes_out out = {.at = start, .end = start + sizeof(start)};
    st_bytes_put(&out, MAGIC, MAGIC_BYTES);
    st_bytes_put_uint(&out, ST_RECORDING_VERSION, 4);
    const int r = append(recording, start, sizeof(start));
    if (r < 0)
        return r;
    out = block_start(recording);
    st_bytes_put_uint(&out, meta->period.num, 8);
    st_bytes_put_uint(&out, meta->period.den, 8);
    st_bytes_put_uint(&out, meta->frames, 4);
    st_bytes_put_uint(&out, meta->rate_hz, 4);
    st_bytes_put_uint(&out, meta->has_callback ? FLAG_CALLBACK : 0, 4);
    st_bytes_put_uint(&out, (uint64_t)meta->started_wall_ns, 8);
    return block_write(recording, BLOCK_META, &out);
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
    recording->fd = st_destination_open_path(path, O_RDWR | O_CREAT);
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
    return block_write(recording, BLOCK_TEXT, &out);
}

int st_recording_t0(struct st_recording *recording, int64_t t0_ns)
{
    if (recording->error != 0)
        return recording->error;
    struct st_bytes_out out = block_start(recording);
    st_bytes_put_uint(&out, (uint64_t)t0_ns, 8);
    return block_write(recording, BLOCK_T0, &out);
}

/* Ends the run before it, and begins with its kind and n; other numbers follow. */
static void event_start(struct st_recording *recording, enum mark mark, uint64_t n)
{
    run_put(recording);
    st_bytes_put_uint(&recording->data, (uint64_t)mark, 1);
    st_bytes_put_varint(&recording->data, n);
}

/* Makes room for one more cycle or event at this period index. */
static int arrive(struct st_recording *recording, uint64_t index, uint64_t n)
{
    const struct st_bytes_out *data = &recording->data;
    const size_t run_bytes = (recording->cycles_n + 1) * 2 * VARINT_BYTES;
    if (recording->error != 0)
        return recording->error;
    if (index < recording->next_index || index > INDEX_MAX || n > INDEX_MAX - index)
        return -EINVAL;
    if (recording->cycles_n == RUN_CYCLES ||
        (size_t)(data->end - data->at) < run_bytes + 2 * EVENT_MAX_BYTES) {
        const int r = data_write(recording);
        if (r < 0)
            return r;
    }
    if (index > recording->next_index)
        event_start(recording, MARK_GAP, index - recording->next_index);
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
    event_start(recording, MARK_SKIPPED, n);
    st_bytes_put_signed(&recording->data, lateness_ns);
    recording->totals.skipped_periods += n;
    return 0;
}

int st_recording_lost(struct st_recording *recording, uint64_t first_period_index, uint64_t n)
{
    const int r = arrive(recording, first_period_index, n);
    if (r < 0 || n == 0)
        return r;
    event_start(recording, MARK_LOST, n);
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
    st_bytes_put_uint(&out, interrupted ? FLAG_INTERRUPTED : 0, 4);
    return block_write(recording, BLOCK_END, &out);
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

/* --- reading --- */

struct st_recording_reader {
    FILE *stream;
    struct st_recording_info info;
    size_t text_bytes;
    /* the current block, and its current run of cycles, which comes before the rest of it */
    uint64_t index;
    struct st_bytes_in data;
    size_t cycles_n, next_cycle;
    int64_t lateness_ns[BLOCK_CYCLES_MAX];
    int64_t callback_ns[BLOCK_CYCLES_MAX];
    char text[ST_RECORDING_TEXT_MAX_BYTES + 1];
    uint8_t payload[PAYLOAD_MAX_BYTES];
};

struct block {
    uint32_t type;
    struct st_bytes_in payload;
};

static int stop(struct st_recording_reader *reader, enum st_recording_end end)
{
    reader->info.end = end;
    return 0;
}

/* @return 1, 0 with `end` set, -EIO. */
static int read_block(struct st_recording_reader *reader, struct block *ret)
{
    uint8_t bytes[BLOCK_HEAD_BYTES];
    if (fread(bytes, 1, sizeof(bytes), reader->stream) != sizeof(bytes))
        return ferror(reader->stream) != 0 ? -EIO : stop(reader, ST_RECORDING_CUT);
    struct st_bytes_in head = {.at = bytes, .end = bytes + sizeof(bytes)};
    const uint32_t type = (uint32_t)st_bytes_get_uint(&head, 4);
    const size_t payload_bytes = (size_t)st_bytes_get_uint(&head, 4);
    const uint32_t crc = (uint32_t)st_bytes_get_uint(&head, 4);
    if (type == 0 && payload_bytes == 0 && crc == 0)
        return stop(reader, ST_RECORDING_CUT); /* after a power cut a file may end in zeros */
    if (payload_bytes > sizeof(reader->payload))
        return stop(reader, ST_RECORDING_DAMAGED);
    if (fread(reader->payload, 1, payload_bytes, reader->stream) != payload_bytes)
        return ferror(reader->stream) != 0 ? -EIO : stop(reader, ST_RECORDING_CUT);
    if (st_bytes_crc32c(st_bytes_crc32c(0, bytes, 8), reader->payload, payload_bytes) != crc)
        return stop(reader, ST_RECORDING_DAMAGED);
    ret->type = type;
    ret->payload = (struct st_bytes_in){.at = reader->payload, .end = reader->payload + payload_bytes};
    return 1;
}

static int take_meta(struct st_recording_reader *reader, struct st_bytes_in *in)
{
    struct st_recording_meta *meta = &reader->info.meta;
    const uint64_t num = st_bytes_get_uint(in, 8);
    const uint64_t den = st_bytes_get_uint(in, 8);
    meta->frames = (uint32_t)st_bytes_get_uint(in, 4);
    meta->rate_hz = (uint32_t)st_bytes_get_uint(in, 4);
    meta->has_callback = (st_bytes_get_uint(in, 4) & FLAG_CALLBACK) != 0;
    meta->started_wall_ns = (int64_t)st_bytes_get_uint(in, 8);
    if (in->bad || st_period_init_ns(&meta->period, num, den) < 0)
        return -EBADMSG;
    return 0;
}

static int read_start(struct st_recording_reader *reader)
{
    uint8_t bytes[MAGIC_BYTES + 4];
    if (fread(bytes, 1, sizeof(bytes), reader->stream) != sizeof(bytes))
        return ferror(reader->stream) != 0 ? -EIO : -EBADMSG;
    if (memcmp(bytes, MAGIC, MAGIC_BYTES) != 0)
        return -EBADMSG;
    struct st_bytes_in in = {.at = bytes + MAGIC_BYTES, .end = bytes + sizeof(bytes)};
    const uint64_t version = st_bytes_get_uint(&in, 4);
    if (version != ST_RECORDING_VERSION)
        return -EPROTONOSUPPORT;
    struct block block;
    const int r = read_block(reader, &block);
    if (r < 0)
        return r;
    if (r == 0 || block.type != BLOCK_META)
        return -EBADMSG;
    return take_meta(reader, &block.payload);
}

int st_recording_open_stream(FILE *stream, struct st_recording_reader **ret)
{
    struct st_recording_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        fclose(stream);
        return -ENOMEM;
    }
    reader->stream = stream;
    reader->info.t0_ns = ST_RECORDING_UNKNOWN_NS;
    reader->info.conditions = reader->text;
    const int r = read_start(reader);
    if (r < 0) {
        st_recording_close_reader(reader);
        return r;
    }
    *ret = reader;
    return 0;
}

int st_recording_open(const char *path, struct st_recording_reader **ret)
{
    FILE *stream = st_posix_input_open(path);
    return stream == NULL ? -errno : st_recording_open_stream(stream, ret);
}

void st_recording_close_reader(struct st_recording_reader *reader)
{
    if (reader == NULL)
        return;
    fclose(reader->stream);
    free(reader);
}

static void take_text(struct st_recording_reader *reader, const struct st_bytes_in *in)
{
    const char *at = (const char *)in->at, *const end = (const char *)in->end;
    while (at < end && reader->text_bytes < ST_RECORDING_TEXT_MAX_BYTES) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        char *const to = reader->text + reader->text_bytes;
        const size_t room = ST_RECORDING_TEXT_MAX_BYTES - reader->text_bytes; /* and a '\0' behind it */
        const size_t bytes = st_safe_copy(to, room + 1, at, (size_t)((newline != NULL ? newline : end) - at));
        const bool ends = newline != NULL && bytes < room;
        if (ends)
            memcpy(to + bytes, "\n", 2);
        reader->text_bytes += bytes + ends;
        at = newline != NULL ? newline + 1 : end;
    }
}

static void get_numbers(struct st_bytes_in *in, int64_t *numbers, size_t n)
{
    uint64_t last = 0;
    ST_EACH_OF (number, numbers, n) {
        last += (uint64_t)st_bytes_get_signed(in);
        *number = (int64_t)last;
    }
}

static bool take_run(struct st_recording_reader *reader)
{
    struct st_bytes_in *in = &reader->data;
    const uint64_t cycles_n = st_bytes_get_varint(in);
    if (in->bad || cycles_n > BLOCK_CYCLES_MAX)
        return false;
    reader->cycles_n = (size_t)cycles_n;
    reader->next_cycle = 0;
    get_numbers(in, reader->lateness_ns, reader->cycles_n);
    if (reader->info.meta.has_callback)
        get_numbers(in, reader->callback_ns, reader->cycles_n);
    return !in->bad;
}

static bool take_data(struct st_recording_reader *reader, struct st_bytes_in *in)
{
    const uint64_t first_index = st_bytes_get_uint(in, 8);
    if (in->bad || first_index < reader->index || first_index > INDEX_MAX)
        return false;
    reader->index = first_index;
    reader->data = *in;
    return take_run(reader);
}

static int take_end(struct st_recording_reader *reader, struct st_bytes_in *in)
{
    const uint64_t cycles = st_bytes_get_uint(in, 8);
    const uint64_t skipped_periods = st_bytes_get_uint(in, 8);
    const uint64_t lost_cycles = st_bytes_get_uint(in, 8);
    const uint64_t flags = st_bytes_get_uint(in, 4);
    if (in->bad || cycles != reader->info.totals.cycles ||
        skipped_periods != reader->info.totals.skipped_periods ||
        lost_cycles != reader->info.totals.lost_cycles)
        return stop(reader, ST_RECORDING_DAMAGED);
    return stop(reader, (flags & FLAG_INTERRUPTED) != 0 ? ST_RECORDING_INTERRUPTED : ST_RECORDING_COMPLETE);
}

/* Goes on to the next block with events. @return 1, 0 with `end` set, -EIO. */
static int next_data(struct st_recording_reader *reader)
{
    for (;;) {
        struct block block;
        const int r = read_block(reader, &block);
        if (r <= 0)
            return r;
        if (block.type == BLOCK_DATA)
            return take_data(reader, &block.payload) ? 1 : stop(reader, ST_RECORDING_DAMAGED);
        if (block.type == BLOCK_END)
            return take_end(reader, &block.payload);
        if (block.type == BLOCK_META)
            return stop(reader, ST_RECORDING_DAMAGED);
        if (block.type == BLOCK_TEXT)
            take_text(reader, &block.payload);
        if (block.type == BLOCK_T0) {
            const int64_t t0_ns = (int64_t)st_bytes_get_uint(&block.payload, 8);
            if (block.payload.bad)
                return stop(reader, ST_RECORDING_DAMAGED);
            reader->info.t0_ns = t0_ns;
        }
        /* other types are additions of later versions */
    }
}

/* And the run behind it. @return 1 with an event, 0 for a gap, -EBADMSG. */
static int take_event(struct st_recording_reader *reader, struct st_recording_event *ret)
{
    const uint64_t mark = st_bytes_get_uint(&reader->data, 1);
    const uint64_t n = st_bytes_get_varint(&reader->data);
    const int64_t lateness_ns = mark == MARK_SKIPPED ? st_bytes_get_signed(&reader->data) : 0;
    if (reader->data.bad || n == 0 || n > INDEX_MAX - reader->index)
        return -EBADMSG;
    const uint64_t first = reader->index;
    reader->index += n;
    if (!take_run(reader))
        return -EBADMSG;
    struct st_recording_event event = {.period_index = first, .n = n, .lateness_ns = lateness_ns};
    switch (mark) {
    case MARK_GAP:
        return 0;
    case MARK_SKIPPED:
        event.kind = ST_RECORDING_SKIPPED;
        reader->info.totals.skipped_periods += n;
        break;
    case MARK_LOST:
        event.kind = ST_RECORDING_LOST;
        reader->info.totals.lost_cycles += n;
        break;
    default:
        return -EBADMSG;
    }
    *ret = event;
    return 1;
}

/* Cycles of the run, cycles_max at most. @return false: the period indices end here. */
static bool take_cycles(struct st_recording_reader *reader, size_t cycles_max, struct st_recording_event *ret)
{
    const size_t first = reader->next_cycle;
    const uint64_t room = INDEX_MAX - reader->index;
    size_t n = ST_MIN(reader->cycles_n - first, cycles_max);
    n = n < room ? n : (size_t)room;
    if (n == 0)
        return false;
    *ret = (struct st_recording_event){.kind = ST_RECORDING_CYCLE,
                                       .period_index = reader->index,
                                       .n = n,
                                       .lateness_ns = reader->lateness_ns[first],
                                       .callback_ns = reader->callback_ns[first]};
    reader->next_cycle += n;
    reader->index += n;
    reader->info.totals.cycles += n;
    return true;
}

static int next(struct st_recording_reader *reader, size_t cycles_max, struct st_recording_event *ret)
{
    while (reader->info.end == ST_RECORDING_OPEN) {
        if (reader->next_cycle < reader->cycles_n) {
            return take_cycles(reader, cycles_max, ret) ? 1 : stop(reader, ST_RECORDING_DAMAGED);
        } else if (reader->data.at < reader->data.end) {
            const int r = take_event(reader, ret);
            if (r < 0)
                return stop(reader, ST_RECORDING_DAMAGED);
            if (r > 0)
                return 1;
        } else {
            const int r = next_data(reader);
            if (r <= 0)
                return r;
        }
    }
    return 0;
}

int st_recording_next(struct st_recording_reader *reader, struct st_recording_event *ret)
{
    return next(reader, 1, ret);
}

int st_recording_next_run(struct st_recording_reader *reader, struct st_recording_event *ret,
                          const int64_t **ret_lateness_ns, const int64_t **ret_callback_ns)
{
    const int r = next(reader, SIZE_MAX, ret);
    if (r == 1 && ret->kind == ST_RECORDING_CYCLE) {
        const size_t first = reader->next_cycle - (size_t)ret->n;
        *ret_lateness_ns = reader->lateness_ns + first;
        *ret_callback_ns = reader->callback_ns + first;
    }
    return r;
}

const struct st_recording_info *st_recording_info(const struct st_recording_reader *reader)
{
    return &reader->info;
}
