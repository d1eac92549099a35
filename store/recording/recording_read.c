#include "store/recording/recording.h"

#include <errno.h>
#include <stdlib.h>

#include "core/ns.h"
#include "core/text/safe.h"
#include "store/recording/bytes.h"
#include "store/recording/recording_format.h"

struct st_recording_reader {
    FILE *stream;
    struct st_recording_info info;
    off_t data_offset; /* position of the block after META */
    off_t learnt_to;   /* text and t0 of the blocks before this are known */
    size_t text_bytes;
    /* the current block */
    uint64_t index;
    size_t cycles_n, next_cycle;
    struct st_bytes_in events;
    uint64_t events_left;
    uint64_t event_at; /* the next event comes before this cycle of the block */
    int64_t lateness_ns[ST_RECORDING_BLOCK_CYCLES_MAX];
    int64_t callback_ns[ST_RECORDING_BLOCK_CYCLES_MAX];
    char text[ST_RECORDING_TEXT_MAX_BYTES + 1];
    uint8_t payload[ST_RECORDING_PAYLOAD_MAX_BYTES];
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
    uint8_t bytes[ST_RECORDING_BLOCK_HEAD_BYTES];
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
    meta->has_callback = (st_bytes_get_uint(in, 4) & ST_RECORDING_FLAG_CALLBACK) != 0;
    meta->started_wall_ns = (int64_t)st_bytes_get_uint(in, 8);
    if (in->bad || st_period_init_ns(&meta->period, num, den) < 0)
        return -EBADMSG;
    return 0;
}

static int read_start(struct st_recording_reader *reader)
{
    uint8_t bytes[ST_RECORDING_MAGIC_BYTES + 4];
    if (fread(bytes, 1, sizeof(bytes), reader->stream) != sizeof(bytes))
        return ferror(reader->stream) != 0 ? -EIO : -EBADMSG;
    if (memcmp(bytes, ST_RECORDING_MAGIC, ST_RECORDING_MAGIC_BYTES) != 0)
        return -EBADMSG;
    struct st_bytes_in in = {.at = bytes + ST_RECORDING_MAGIC_BYTES, .end = bytes + sizeof(bytes)};
    const uint64_t version = st_bytes_get_uint(&in, 4);
    if (version != ST_RECORDING_VERSION)
        return version > ST_RECORDING_VERSION ? -EPROTONOSUPPORT : -EBADMSG;
    struct block block;
    const int r = read_block(reader, &block);
    if (r < 0)
        return r;
    if (r == 0 || block.type != ST_RECORDING_BLOCK_META)
        return -EBADMSG;
    reader->data_offset = ftello(reader->stream);
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
    FILE *stream = fopen(path, "rbe");
    return stream == NULL ? -errno : st_recording_open_stream(stream, ret);
}

void st_recording_close_reader(struct st_recording_reader *reader)
{
    if (reader == NULL)
        return;
    fclose(reader->stream);
    free(reader);
}

int st_recording_rewind(struct st_recording_reader *reader)
{
    if (reader->data_offset < 0)
        return -ESPIPE;
    if (fseeko(reader->stream, reader->data_offset, SEEK_SET) != 0)
        return -errno;
    reader->info.totals = (struct st_recording_totals){0};
    reader->info.end = ST_RECORDING_OPEN;
    reader->index = 0;
    reader->cycles_n = 0;
    reader->next_cycle = 0;
    reader->events_left = 0;
    return 0;
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

/* Position of the next event among the cycles of the block. */
static bool next_event(struct st_recording_reader *reader)
{
    if (reader->events_left == 0)
        return reader->events.at == reader->events.end;
    const uint64_t distance = st_bytes_get_varint(&reader->events);
    if (reader->events.bad || distance > reader->cycles_n - reader->event_at)
        return false;
    reader->event_at += distance;
    return true;
}

static bool take_data(struct st_recording_reader *reader, struct st_bytes_in *in)
{
    const uint64_t first_index = st_bytes_get_uint(in, 8);
    const uint64_t cycles_n = st_bytes_get_varint(in);
    reader->cycles_n = 0;
    reader->next_cycle = 0;
    reader->events_left = st_bytes_get_varint(in);
    reader->event_at = 0;
    if (in->bad || cycles_n > ST_RECORDING_BLOCK_CYCLES_MAX || first_index < reader->index ||
        first_index > ST_RECORDING_INDEX_MAX)
        return false;
    if (st_column_get(in, reader->lateness_ns, (size_t)cycles_n) < 0)
        return false;
    if (reader->info.meta.has_callback && st_column_get(in, reader->callback_ns, (size_t)cycles_n) < 0)
        return false;
    reader->index = first_index;
    reader->cycles_n = (size_t)cycles_n;
    reader->events = *in;
    return next_event(reader);
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
    return stop(reader, (flags & ST_RECORDING_FLAG_INTERRUPTED) != 0 ? ST_RECORDING_INTERRUPTED
                                                                     : ST_RECORDING_COMPLETE);
}

/* Goes on to the next block with events. @return 1, 0 with `end` set, -EIO. */
static int next_data(struct st_recording_reader *reader)
{
    for (;;) {
        struct block block;
        const int r = read_block(reader, &block);
        if (r <= 0)
            return r;
        const off_t offset = ftello(reader->stream);
        const bool first_time = offset < 0 || offset > reader->learnt_to;
        if (first_time)
            reader->learnt_to = offset;
        if (block.type == ST_RECORDING_BLOCK_DATA)
            return take_data(reader, &block.payload) ? 1 : stop(reader, ST_RECORDING_DAMAGED);
        if (block.type == ST_RECORDING_BLOCK_END)
            return take_end(reader, &block.payload);
        if (block.type == ST_RECORDING_BLOCK_META)
            return stop(reader, ST_RECORDING_DAMAGED);
        if (block.type == ST_RECORDING_BLOCK_TEXT && first_time)
            take_text(reader, &block.payload);
        if (block.type == ST_RECORDING_BLOCK_T0) {
            const int64_t t0_ns = (int64_t)st_bytes_get_uint(&block.payload, 8);
            if (block.payload.bad)
                return stop(reader, ST_RECORDING_DAMAGED);
            reader->info.t0_ns = t0_ns;
        }
        /* other types are additions of later versions */
    }
}

/* @return 1 with an event, 0 for a gap, -EBADMSG. */
static int take_event(struct st_recording_reader *reader, struct st_recording_event *ret)
{
    const uint64_t mark = st_bytes_get_uint(&reader->events, 1);
    const uint64_t n = st_bytes_get_varint(&reader->events);
    const int64_t lateness_ns = mark == ST_RECORDING_MARK_SKIPPED ? st_bytes_get_signed(&reader->events) : 0;
    if (reader->events.bad || n == 0 || n > ST_RECORDING_INDEX_MAX - reader->index)
        return -EBADMSG;
    const uint64_t first = reader->index;
    reader->index += n;
    reader->events_left--;
    if (!next_event(reader))
        return -EBADMSG;
    struct st_recording_event event = {.period_index = first, .n = n, .lateness_ns = lateness_ns};
    switch (mark) {
    case ST_RECORDING_MARK_GAP:
        return 0;
    case ST_RECORDING_MARK_SKIPPED:
        event.kind = ST_RECORDING_SKIPPED;
        reader->info.totals.skipped_periods += n;
        break;
    case ST_RECORDING_MARK_LOST:
        event.kind = ST_RECORDING_LOST;
        reader->info.totals.lost_cycles += n;
        break;
    default:
        return -EBADMSG;
    }
    *ret = event;
    return 1;
}

/* Cycles of the block up to the next event, cycles_max at most. @return false: the period indices end here.
 */
static bool take_cycles(struct st_recording_reader *reader, size_t cycles_max, struct st_recording_event *ret)
{
    const size_t first = reader->next_cycle;
    const size_t end = reader->events_left > 0 ? (size_t)reader->event_at : reader->cycles_n;
    const uint64_t room = ST_RECORDING_INDEX_MAX - reader->index;
    size_t n = end - first < cycles_max ? end - first : cycles_max;
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
        if (reader->events_left > 0 && reader->event_at == reader->next_cycle) {
            const int r = take_event(reader, ret);
            if (r < 0)
                return stop(reader, ST_RECORDING_DAMAGED);
            if (r > 0)
                return 1;
        } else if (reader->next_cycle < reader->cycles_n) {
            return take_cycles(reader, cycles_max, ret) ? 1 : stop(reader, ST_RECORDING_DAMAGED);
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

int64_t st_recording_skipped_lateness_ns(const struct st_period *period,
                                         const struct st_recording_event *event, uint64_t i)
{
    const uint64_t first = event->period_index;
    const int64_t distance_ns =
        st_ns_sub(st_period_due_ns(period, 0, first + i), st_period_due_ns(period, 0, first));
    return st_ns_sub(event->lateness_ns, distance_ns);
}
