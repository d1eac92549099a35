#include "ears/capture_stream.h"

#include "platform/posix/posix.h"

#define FRAME_MAX (UINT64_C(1) << 60)

enum record { RECORD_HEAD, RECORD_PACKET, RECORD_EVENT };

/* Comes before each record in the stream. */
struct label {
    uint32_t record, bytes; /* bytes: length of the record without this label */
};

struct packet_record {
    uint64_t recorded, played;
    int64_t time_ns;
    uint32_t frames_n, channels;
}; /* in a record, the samples follow this struct */

static const struct {
    const char *name, *text;
} events[] = {
#define ROW(kind, name, text) [ST_CAPTURE_##kind] = {name, text},
    ST_CAPTURE_EVENTS(ROW)
#undef ROW
};

const char *st_capture_stream_event_name(enum st_capture_event_kind kind)
{
    return events[kind].name;
}

const char *st_capture_stream_event_say(enum st_capture_event_kind kind)
{
    return events[kind].text;
}

/* --- reading --- */

static bool is_text(const char *text, size_t bytes)
{
    return memchr(text, '\0', bytes) != NULL;
}

static int take_head(struct st_capture_reader *reader, const unsigned char *body,
                     ST_UNUSED size_t bytes, const struct st_capture_sink *sink, void *ctx)
{
    struct st_capture_head head;
    memcpy(&head, body, sizeof(head));
    if (reader->head.rate_hz != 0 || head.rate_hz < ST_CAPTURE_RATE_MIN ||
        head.rate_hz > ST_CAPTURE_RATE_MAX || head.channels < 1 ||
        head.channels > ST_CAPTURE_CHANNELS_MAX || head.period_frames > INT32_MAX ||
        head.more_channels > INT32_MAX || !is_text(head.way, sizeof(head.way)) ||
        !is_text(head.server, sizeof(head.server)) || !is_text(head.plays, sizeof(head.plays)) ||
        !is_text(head.records, sizeof(head.records)))
        return -EBADMSG;
    reader->head = head;
    sink->head(ctx, &head);
    return 0;
}

static int take_packet(struct st_capture_reader *reader, const unsigned char *body, size_t bytes,
                       const struct st_capture_sink *sink, void *ctx)
{
    struct packet_record in;
    memcpy(&in, body, sizeof(in));
    /* aligned for float, since the reader's buffer is aligned to 8 bytes */
    const float *samples = (const float *)(const void *)(body + sizeof(in));
    const size_t samples_n = (bytes - sizeof(in)) / sizeof(float);
    if (reader->head.rate_hz == 0 || in.channels != reader->head.channels || in.frames_n == 0 ||
        (uint64_t)in.frames_n * in.channels * sizeof(float) != bytes - sizeof(in) ||
        in.recorded < reader->next_frame || in.recorded > FRAME_MAX || in.played > FRAME_MAX)
        return -EBADMSG;
    for (size_t i = 0; i < samples_n; i++) {
        if (!(fabsf(samples[i]) <= ST_CAPTURE_LEVEL_MAX))
            return -EBADMSG;
    }
    reader->next_frame = in.recorded + in.frames_n;
    sink->packet(ctx, &(struct st_capture_packet){.recorded = in.recorded,
                                                  .played = in.played,
                                                  .time_ns = in.time_ns,
                                                  .frames_n = in.frames_n,
                                                  .samples = samples});
    return 0;
}

static int take_event(struct st_capture_reader *reader, const unsigned char *body,
                      ST_UNUSED size_t bytes, const struct st_capture_sink *sink, void *ctx)
{
    struct st_capture_event event;
    memcpy(&event, body, sizeof(event));
    if ((unsigned)event.kind >= ST_CAPTURE_EVENT_KINDS ||
        (reader->head.rate_hz == 0 && event.kind != ST_CAPTURE_ABSENT) ||
        event.at_frame > FRAME_MAX || event.frames > FRAME_MAX ||
        !is_text(event.text, sizeof(event.text)))
        return -EBADMSG;
    sink->event(ctx, &event);
    return 0;
}

/* Functions that take a record, and the range of its length without the label, in bytes. Index:
 * enum record. */
static const struct {
    size_t least, most;
    int (*take)(struct st_capture_reader *reader, const unsigned char *body, size_t bytes,
                const struct st_capture_sink *sink, void *ctx);
} records[] = {
    [RECORD_HEAD] = {sizeof(struct st_capture_head), sizeof(struct st_capture_head), take_head},
    [RECORD_PACKET] = {sizeof(struct packet_record) + 1,
                       ST_CAPTURE_RECORD_MAX - sizeof(struct label), take_packet},
    [RECORD_EVENT] = {sizeof(struct st_capture_event), sizeof(struct st_capture_event),
                      take_event}};

/* @return the size of the record in bytes, or that of its label until the label is complete; 0:
 * not a record. */
static size_t record_bytes(const struct st_capture_reader *reader)
{
    struct label label;
    if (reader->len < sizeof(label))
        return sizeof(label);
    memcpy(&label, reader->record, sizeof(label));
    if (label.record >= ST_ARRAY_LEN(records) || label.bytes < records[label.record].least ||
        label.bytes > records[label.record].most)
        return 0;
    return sizeof(label) + label.bytes;
}

int st_capture_stream_read(struct st_capture_reader *reader, const void *bytes, size_t bytes_n,
                           const struct st_capture_sink *sink, void *ctx)
{
    const unsigned char *at = bytes;
    for (;;) {
        const size_t wanted = record_bytes(reader);
        if (wanted == 0)
            return -EBADMSG;
        const size_t missing = wanted - reader->len, n = ST_MIN(missing, bytes_n);
        if (n > 0)
            memcpy(reader->record + reader->len, at, n);
        reader->len += n;
        at += n;
        bytes_n -= n;
        if (n < missing)
            return 0;
        /* the label is complete, so the record's length is known now */
        if (wanted == sizeof(struct label))
            continue;
        struct label label;
        memcpy(&label, reader->record, sizeof(label));
        const int r = records[label.record].take(reader, reader->record + sizeof(label),
                                                 label.bytes, sink, ctx);
        reader->len = 0;
        if (r < 0)
            return r;
    }
}

/* --- writing --- */

int st_capture_stream_write_event(int fd, const struct st_capture_event *event)
{
    const struct {
        struct label label;
        struct st_capture_event body;
    } out = {{RECORD_EVENT, sizeof(out.body)}, *event};
    return st_posix_write_fd(fd, &out, sizeof(out));
}

int st_capture_stream_write_head(int fd, const struct st_capture_head *head)
{
    const struct {
        struct label label;
        struct st_capture_head body;
    } out = {{RECORD_HEAD, sizeof(out.body)}, *head};
    return st_posix_write_fd(fd, &out, sizeof(out));
}

int st_capture_stream_ring_open(struct st_capture_ring *ring, size_t bytes, uint32_t channels)
{
    *ring = (struct st_capture_ring){
        .size = 131072, .channels = channels}; /* bytes; more than the longest record */
    while (ring->size < bytes)
        ring->size *= 2;
    ring->bytes = malloc(ring->size);
    if (ring->bytes == NULL)
        return -ENOMEM;
    memset(ring->bytes, 0xa5, ring->size);
    return 0;
}

static size_t room(const struct st_capture_ring *ring) ST_NONBLOCKING
{
    return ring->size - (atomic_load_explicit(&ring->head, memory_order_relaxed) -
                         atomic_load_explicit(&ring->tail, memory_order_acquire));
}

/* Copies bytes into the ring at `at`; the reader does not see them yet. @return the position behind
 * them. */
static size_t copy_in(struct st_capture_ring *ring, size_t at, const void *from,
                      size_t bytes) ST_NONBLOCKING
{
    const size_t begin = at & (ring->size - 1), first = ring->size - begin;
    const size_t n = ST_MIN(bytes, first);
    memcpy(ring->bytes + begin, from, n);
    if (n < bytes)
        memcpy(ring->bytes, (const unsigned char *)from + n, bytes - n);
    return at + bytes;
}

static bool put_event(struct st_capture_ring *ring,
                      const struct st_capture_event *event) ST_NONBLOCKING
{
    const struct label label = {RECORD_EVENT, sizeof(*event)};
    if (room(ring) < sizeof(label) + sizeof(*event))
        return false;
    size_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
    at = copy_in(ring, at, &label, sizeof(label));
    at = copy_in(ring, at, event, sizeof(*event));
    atomic_store_explicit(&ring->head, at, memory_order_release);
    return true;
}

/* Puts an event about frames that found no room into the ring, before anything else. @return false:
 * there is still no room. */
static bool say_lost(struct st_capture_ring *ring, int64_t time_ns) ST_NONBLOCKING
{
    const struct st_capture_event event = {.kind = ST_CAPTURE_FULL,
                                           .at_frame = ring->lost_at,
                                           .frames = ring->lost,
                                           .time_ns = time_ns};
    if (ring->lost > 0 && !put_event(ring, &event))
        return false;
    ring->lost = 0;
    return true;
}

void st_capture_stream_ring_event(struct st_capture_ring *ring,
                                  const struct st_capture_event *event) ST_NONBLOCKING
{
    if (say_lost(ring, event->time_ns))
        (void)put_event(ring, event);
}

static float sample_of(const float *from, size_t at) ST_NONBLOCKING
{
    const float sample = from != NULL ? from[at] : 0;
    return fabsf(sample) <= ST_CAPTURE_LEVEL_MAX ? sample : ST_CAPTURE_LEVEL_MAX;
}

static void put_part(struct st_capture_ring *ring, const struct st_capture_packet *packet,
                     uint32_t begin, uint32_t frames_n, const float *const *from,
                     size_t stride) ST_NONBLOCKING
{
    const uint32_t channels = ring->channels;
    const struct packet_record body = {.recorded = packet->recorded + begin,
                                       .played = packet->played + begin,
                                       .time_ns = packet->time_ns,
                                       .frames_n = frames_n,
                                       .channels = channels};
    const struct label label = {
        RECORD_PACKET, (uint32_t)(sizeof(body) + (size_t)frames_n * channels * sizeof(float))};
    if (!say_lost(ring, packet->time_ns) || room(ring) < sizeof(label) + label.bytes) {
        ring->lost_at = ring->lost == 0 ? packet->recorded + begin : ring->lost_at;
        ring->lost += frames_n;
        return;
    }
    size_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
    at = copy_in(ring, at, &label, sizeof(label));
    at = copy_in(ring, at, &body, sizeof(body));
    for (size_t i = begin; i < (size_t)begin + frames_n; i++) {
        float frame[ST_CAPTURE_CHANNELS_MAX];
        for (uint32_t c = 0; c < channels; c++)
            frame[c] = sample_of(from[c], i * stride);
        at = copy_in(ring, at, frame, channels * sizeof(float));
    }
    atomic_store_explicit(&ring->head, at, memory_order_release);
}

void st_capture_stream_ring_put(struct st_capture_ring *ring,
                                const struct st_capture_packet *packet, const float *const *from,
                                size_t stride) ST_NONBLOCKING
{
    const uint32_t most = ST_CAPTURE_SAMPLES_MAX / ring->channels;
    for (uint32_t begin = 0; begin < packet->frames_n; begin += most)
        put_part(ring, packet, begin, ST_MIN(packet->frames_n - begin, most), from, stride);
}

int st_capture_stream_ring_write(struct st_capture_ring *ring, int fd)
{
    size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    const size_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    while (tail != head) {
        const size_t begin = tail & (ring->size - 1), first = ring->size - begin;
        const size_t n = ST_MIN(head - tail, first);
        const int r = st_posix_write_fd(fd, ring->bytes + begin, n);
        if (r < 0)
            return r;
        tail += n;
        atomic_store_explicit(&ring->tail, tail, memory_order_release);
    }
    return 0;
}
