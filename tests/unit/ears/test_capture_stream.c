/* What one side writes is what the other reads, in any pieces; what is no such stream is refused;
 * the ring loses nothing without saying so. */
#include <pthread.h>
#include <unistd.h>

#include "ears/capture_stream.h"
#include "tests/unit/unit.h"

#define CHANNELS 2

struct got {
    unsigned heads, packets, events;
    struct st_capture_head head;
    struct st_capture_event event; /* the last */
    uint64_t frames, next, lost, sum_wrong;
};

static float sample_at(uint64_t frame, uint32_t channel)
{
    return (float)((frame * 7 + channel) % 1000) / 1000.0F;
}

static void on_head(void *ctx, const struct st_capture_head *head)
{
    struct got *got = ctx;
    got->heads++;
    got->head = *head;
}

static void on_packet(void *ctx, const struct st_capture_packet *packet)
{
    struct got *got = ctx;
    got->packets++;
    got->frames += packet->frames_n;
    got->next = packet->recorded + packet->frames_n;
    for (uint64_t i = 0; i < packet->frames_n; i++) {
        for (uint32_t c = 0; c < CHANNELS; c++)
            got->sum_wrong +=
                packet->samples[i * CHANNELS + c] != sample_at(packet->recorded + i, c);
    }
}

static void on_event(void *ctx, const struct st_capture_event *event)
{
    struct got *got = ctx;
    got->events++;
    got->event = *event;
    if (event->kind == ST_CAPTURE_FULL)
        got->lost += event->frames;
}

static const struct st_capture_sink sink = {on_head, on_packet, on_event};

static const struct st_capture_head head = {.rate_hz = 48000,
                                            .channels = CHANNELS,
                                            .period_frames = 128,
                                            .way = "monitor",
                                            .server = "a server",
                                            .plays = "out",
                                            .records = "in"};

static void put(struct st_capture_ring *ring, uint64_t begin, uint32_t frames_n)
{
    static float left[40000], right[40000];
    const float *const channels[CHANNELS] = {left, right};
    for (uint32_t i = 0; i < frames_n; i++) {
        left[i] = sample_at(begin + i, 0);
        right[i] = sample_at(begin + i, 1);
    }
    st_capture_stream_ring_put(
        ring,
        &(struct st_capture_packet){.recorded = begin, .played = begin + 128, .frames_n = frames_n},
        channels, 1);
}

static struct st_capture_reader *new_reader(void)
{
    struct st_capture_reader *reader = calloc(1, sizeof(*reader));
    assert_non_null(reader);
    return reader;
}

/* A whole stream, as bytes. */
static size_t make_stream(unsigned char *bytes, size_t bytes_max)
{
    struct st_capture_ring ring;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(st_capture_stream_ring_open(&ring, 1 << 20, CHANNELS), 0);
    assert_int_equal(st_capture_stream_write_head(fileno(file), &head), 0);
    put(&ring, 0, 100);
    put(&ring, 100, 20000); /* more than a packet may have */
    st_capture_stream_ring_event(
        &ring, &(struct st_capture_event){.kind = ST_CAPTURE_XRUN, .at_frame = 7, .frames = 3});
    put(&ring, 20500, 1); /* 400 were not recorded */
    assert_int_equal(st_capture_stream_ring_write(&ring, fileno(file)), 0);
    struct st_capture_event mixed = {.kind = ST_CAPTURE_MIXED};
    memset(mixed.text, 'x', sizeof(mixed.text) - 1);
    assert_int_equal(st_capture_stream_write_event(fileno(file), &mixed), 0);
    free(ring.bytes);
    rewind(file);
    const size_t n = fread(bytes, 1, bytes_max, file);
    assert_true(n > 0 && n < bytes_max);
    fclose(file);
    return n;
}

static void test_what_is_written_is_read_in_any_pieces(ST_UNUSED void **state)
{
    static unsigned char bytes[1 << 19];
    const size_t n = make_stream(bytes, sizeof(bytes)), pieces[] = {1, 7, 4096, n};
    ST_EACH (piece, pieces) {
        struct got got = {0};
        struct st_capture_reader *reader = new_reader();
        for (size_t at = 0; at < n; at += *piece) {
            const size_t part = n - at < *piece ? n - at : *piece;
            assert_int_equal(st_capture_stream_read(reader, bytes + at, part, &sink, &got), 0);
        }
        assert_int_equal(got.heads, 1);
        assert_int_equal(got.head.rate_hz, 48000);
        assert_string_equal(got.head.records, "in");
        assert_int_equal(got.packets, 5);
        assert_int_equal(got.frames, 20101);
        assert_int_equal(got.next, 20501);
        assert_int_equal(got.sum_wrong, 0);
        assert_int_equal(got.events, 2);
        assert_int_equal(got.event.kind, ST_CAPTURE_MIXED);
        assert_int_equal(strlen(got.event.text), ST_CAPTURE_TEXT_BYTES - 1);
        free(reader);
    }
}

/* One byte after the other is changed: an error or another valid stream, never more than was
 * there. */
static void test_a_changed_byte_does_no_harm(ST_UNUSED void **state)
{
    static unsigned char bytes[1 << 19], changed[1 << 19];
    const size_t n = make_stream(bytes, sizeof(bytes));
    for (size_t i = 0; i < 1200; i++) {
        struct got got = {0};
        struct st_capture_reader *reader = new_reader();
        memcpy(changed, bytes, n);
        changed[i] ^= 0xff;
        const bool refused = st_capture_stream_read(reader, changed, n, &sink, &got) == -EBADMSG;
        assert_true(refused || i >= 8); /* a label */
        assert_true(got.heads <= 1 && got.frames <= n / sizeof(float));
        free(reader);
    }
}

static int read_two(const void *a, size_t a_n, const void *b, size_t b_n)
{
    struct got got = {0};
    struct st_capture_reader *reader = new_reader();
    int r = st_capture_stream_read(reader, a, a_n, &sink, &got);
    if (r == 0)
        r = st_capture_stream_read(reader, b, b_n, &sink, &got);
    free(reader);
    return r;
}

static void test_order_is_kept(ST_UNUSED void **state)
{
    static unsigned char bytes[1 << 19];
    const size_t n = make_stream(bytes, sizeof(bytes)), head_n = 8 + sizeof(struct st_capture_head);
    assert_int_equal(read_two(bytes, head_n, bytes + head_n, n - head_n), 0);
    assert_int_equal(read_two(bytes, head_n, bytes, head_n), -EBADMSG);         /* a second head */
    assert_int_equal(read_two(bytes + head_n, n - head_n, bytes, n), -EBADMSG); /* none */
    assert_int_equal(read_two(bytes, n, bytes + head_n, n - head_n), -EBADMSG); /* back in time */
}

static void test_what_is_no_number_is_a_loud_sample(ST_UNUSED void **state)
{
    struct st_capture_ring ring;
    const float odd[] = {NAN, INFINITY, -INFINITY, 100};
    const float *const channels[] = {odd};
    assert_int_equal(st_capture_stream_ring_open(&ring, 1, 1), 0);
    st_capture_stream_ring_put(&ring, &(struct st_capture_packet){.frames_n = 4}, channels, 1);
    const float *samples = (const float *)(const void *)(ring.bytes + 40);
    for (int i = 0; i < 4; i++)
        assert_true(samples[i] == ST_CAPTURE_LEVEL_MAX);
    free(ring.bytes);
}

/* --- the ring, from one thread to another --- */

#define ALL_FRAMES 3000000U

struct race {
    struct st_capture_ring ring;
    int fd;
    atomic_bool done;
};

static void *write_all(void *ctx)
{
    struct race *race = ctx;
    bool done;
    do {
        done = atomic_load(&race->done);
        if (st_capture_stream_ring_write(&race->ring, race->fd) < 0)
            break;
    } while (!done);
    close(race->fd);
    return NULL;
}

static void *put_all(void *ctx)
{
    struct race *race = ctx;
    uint32_t at = 0;
    for (uint32_t n = 1; at < ALL_FRAMES; at += n, n = n % 999 + 1)
        put(&race->ring, at, n);
    st_capture_stream_ring_event(
        &race->ring, &(struct st_capture_event){.kind = ST_CAPTURE_GONE, .at_frame = at});
    atomic_store(&race->done, true);
    return NULL;
}

/* Frames that were read and frames that were said to be lost are all that were put in, each as it
 * was. */
static void test_no_frame_is_lost_without_a_word(ST_UNUSED void **state)
{
    static struct race race;
    struct got got = {0};
    struct st_capture_reader *reader = new_reader();
    int fds[2];
    pthread_t putting, writing;
    unsigned char bytes[5000];
    ssize_t n;
    assert_int_equal(pipe(fds), 0);
    race.fd = fds[1];
    assert_int_equal(st_capture_stream_ring_open(&race.ring, 1, CHANNELS), 0);
    assert_int_equal(st_capture_stream_write_head(fds[1], &head), 0);
    assert_int_equal(pthread_create(&writing, NULL, write_all, &race), 0);
    assert_int_equal(pthread_create(&putting, NULL, put_all, &race), 0);
    while ((n = read(fds[0], bytes, sizeof(bytes))) > 0)
        assert_int_equal(st_capture_stream_read(reader, bytes, (size_t)n, &sink, &got), 0);
    pthread_join(putting, NULL);
    pthread_join(writing, NULL);
    close(fds[0]);
    assert_int_equal(got.sum_wrong, 0);
    /* what found no room at the very end is not said: nothing came after it */
    const uint64_t unsaid = race.ring.lost;
    assert_true(got.frames > 0 && got.frames + got.lost + unsaid >= ALL_FRAMES);
    assert_true(got.frames + got.lost + unsaid < ALL_FRAMES + 1000);
    free(race.ring.bytes);
    free(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read_in_any_pieces),
        cmocka_unit_test(test_a_changed_byte_does_no_harm),
        cmocka_unit_test(test_order_is_kept),
        cmocka_unit_test(test_what_is_no_number_is_a_loud_sample),
        cmocka_unit_test(test_no_frame_is_lost_without_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
