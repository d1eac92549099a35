/* The OSS devices of FreeBSD against a false one, which plays into its own input: what it answers
 * is taken, what it cannot do is an error, and an underrun is an event after which the reserve is
 * filled again. And two devices with two clocks. */
#include <fcntl.h>
#include <sys/soundcard.h>
#include <unistd.h>

#include "ears/helpers/oss_device.h"
#include "tests/unit/unit.h"

#define PLAY_FD   1000
#define RECORD_FD 1001
#define ROOM      (1 << 20)

static struct {
    int format, rate_hz, channels, fragment_bytes, fragments; /* that it has */
    int set_format;
    size_t begin, end; /* of what was played and not recorded yet */
    unsigned char loop[ROOM];
    int underruns, overruns;
    bool gone, interrupted;
} fake;

static int fake_open(const char *path, ST_UNUSED int flags)
{
    errno = ENOENT;
    return strcmp(path, "/dev/dsp") == 0        ? PLAY_FD
           : strcmp(path, "/dev/dsp.loop") == 0 ? RECORD_FD
                                                : -1;
}

static int fake_close(int fd)
{
    assert_true(fd >= PLAY_FD);
    return 0;
}

static int fake_ioctl(int fd, unsigned long request, void *value)
{
    int *number = value;
    if (fake.interrupted) {
        fake.interrupted = false;
        errno = EINTR;
        return -1;
    }
    switch (request) {
    case SNDCTL_DSP_SETFMT:
        fake.set_format = *number =
            *number == AFMT_S16_NE || fake.format == AFMT_S32_NE ? *number : AFMT_S16_NE;
        return 0;
    case SNDCTL_DSP_CHANNELS:
        *number = fake.channels;
        return 0;
    case SNDCTL_DSP_SPEED:
        *number = fd == PLAY_FD || fake.rate_hz != 1 ? fake.rate_hz : 44100;
        return 0;
    case SNDCTL_DSP_GETOSPACE:
        *(audio_buf_info *)value =
            (audio_buf_info){.fragstotal = fake.fragments, .fragsize = fake.fragment_bytes};
        return 0;
    case SNDCTL_DSP_GETERROR:
        *(audio_errinfo *)value = (audio_errinfo){fd == PLAY_FD ? fake.underruns : 0,
                                                  fd == RECORD_FD ? fake.overruns : 0};
        if (fd == PLAY_FD)
            fake.underruns = 0;
        else
            fake.overruns = 0;
        return 0;
    case SNDCTL_DSP_COOKEDMODE:
        errno = EINVAL;
        return -1;
    default:
        return 0;
    }
}

static ssize_t fake_read(int fd, void *to, size_t bytes)
{
    assert_int_equal(fd, RECORD_FD);
    errno = ENXIO;
    if (fake.gone)
        return -1;
    const size_t n = fake.end - fake.begin < bytes ? fake.end - fake.begin : bytes;
    memcpy(to, fake.loop + fake.begin, n);
    fake.begin += n;
    return (ssize_t)n;
}

static ssize_t fake_write(int fd, const void *from, size_t bytes)
{
    assert_int_equal(fd, PLAY_FD);
    const size_t n = bytes > 1024 ? 1024 : bytes; /* in parts */
    assert_true(fake.end + n <= ROOM);
    memcpy(fake.loop + fake.end, from, n);
    fake.end += n;
    return (ssize_t)n;
}

static struct st_ear_shared shared;
static struct st_ear ear;
static const struct st_oss_calls calls = {fake_open, fake_close, fake_ioctl, fake_read, fake_write};
static struct st_oss_device device = {.calls = &calls};
static struct st_duplex duplex;

static int open_fake(int format, int channels, int rate_hz, int fragment_bytes, int fragments)
{
    uint32_t hz = 0;
    const char *failed = NULL;
    memset(&fake, 0, sizeof(fake));
    fake.format = format;
    fake.channels = channels;
    fake.rate_hz = rate_hz;
    fake.fragment_bytes = fragment_bytes;
    fake.fragments = fragments;
    fake.interrupted = true;
    duplex = (struct st_duplex){.ear = &ear, .ops = &st_oss_ops, .device = &device};
    const int r =
        st_oss_device_open(&device, "/dev/dsp", "/dev/dsp.loop", 512, &duplex, &hz, &failed);
    if (r < 0) {
        assert_int_equal(device.play, -1);
        assert_int_equal(device.record, -1);
    }
    ear.shared = &shared;
    memset(&shared, 0, sizeof(shared));
    ear.recorded = 0;
    ear.head.rate_hz = hz;
    ear.head.channels = 2;
    return r;
}

static void test_what_the_device_answers_is_taken(ST_UNUSED void **state)
{
    assert_int_equal(open_fake(AFMT_S32_NE, 2, 48000, 4096, 4), 0);
    assert_int_equal(duplex.format, ST_DUPLEX_S32);
    assert_int_equal(duplex.period_frames, 512);
    assert_int_equal(duplex.ahead_frames, 1536);
    assert_int_equal(open_fake(AFMT_S16_NE, 2, 44100, 1024, 2), 0);
    assert_int_equal(duplex.format, ST_DUPLEX_S16);
    assert_int_equal(duplex.period_frames, 256);
    assert_int_equal(ear.head.rate_hz, 44100);
    /* w5-sizes.txt: "--back virtual_oss: /dev/dsp.loop: Operation not supported" at 2048 frames */
    assert_int_equal(open_fake(AFMT_S32_NE, 2, 48000, 16384, 4), 0);
    assert_int_equal(duplex.period_frames, 2048);
}

static void test_what_it_cannot_do_is_an_error(ST_UNUSED void **state)
{
    uint32_t hz;
    const char *failed = NULL;
    assert_int_equal(open_fake(AFMT_S32_NE, 1, 48000, 4096, 4), -ENOTSUP);  /* mono */
    assert_int_equal(open_fake(AFMT_S32_NE, 2, 1, 4096, 4), -ENOTSUP);      /* two rates */
    assert_int_equal(open_fake(AFMT_S32_NE, 2, 0, 4096, 4), -ENOTSUP);      /* none */
    assert_int_equal(open_fake(AFMT_S32_NE, 2, 48000, 65536, 4), -ENOTSUP); /* beyond our buffer */
    assert_int_equal(open_fake(AFMT_S32_NE, 2, 48000, -1, 4), -ENOTSUP);
    assert_int_equal(
        st_oss_device_open(&device, "/dev/none", "/dev/dsp.loop", 512, &duplex, &hz, &failed),
        -ENOENT);
    assert_string_equal(failed, "/dev/none");
    assert_int_equal(
        st_oss_device_open(&device, "/dev/dsp", "/dev/none", 512, &duplex, &hz, &failed), -ENOENT);
    assert_string_equal(failed, "/dev/none");
}

/* --- what it plays comes back --- */

static struct {
    uint64_t frames, wrong, xruns, missed;
} heard;

static void on_head(ST_UNUSED void *ctx, ST_UNUSED const struct st_capture_head *head) {}

static void on_packet(ST_UNUSED void *ctx, const struct st_capture_packet *packet)
{
    float wanted[ST_DUPLEX_FRAMES_MAX * 2];
    assert_int_equal(packet->recorded, heard.frames);
    st_signal_fill(&ear.signal, packet->recorded, wanted, packet->frames_n);
    for (size_t i = 0; i < (size_t)packet->frames_n * 2; i++) {
        const float off = wanted[i] - packet->samples[i];
        heard.wrong += off > 1.0F / 30000 || off < -1.0F / 30000;
    }
    heard.frames += packet->frames_n;
}

static void on_event(ST_UNUSED void *ctx, const struct st_capture_event *event)
{
    heard.xruns += event->kind == ST_CAPTURE_XRUN;
    if (event->kind == ST_CAPTURE_RECORDER)
        heard.missed = event->frames;
}

/* What is in the ring, as the command reads it. */
static void hear(void)
{
    static const struct st_capture_sink sink = {on_head, on_packet, on_event};
    static struct st_capture_reader reader;
    static unsigned char bytes[1 << 20];
    int fds[2];
    memset(&reader, 0, sizeof(reader));
    memset(&heard, 0, sizeof(heard));
    ST_PRINT(ear.head.way, "cable");
    char path[] = "/tmp/sleeptune-oss-XXXXXX";
    fds[0] = mkstemp(path);
    assert_true(fds[0] >= 0);
    unlink(path);
    assert_int_equal(st_capture_stream_write_head(fds[0], &ear.head), 0);
    assert_int_equal(st_capture_stream_ring_write(&ear.ring, fds[0]), 0);
    assert_int_equal(lseek(fds[0], 0, SEEK_SET), 0);
    const ssize_t n = read(fds[0], bytes, sizeof(bytes));
    assert_true(n > 0);
    assert_int_equal(st_capture_stream_read(&reader, bytes, (size_t)n, &sink, NULL), 0);
    close(fds[0]);
}

/* The first turns' signal, whatever the format. */
static void play_turns(int format, unsigned turns)
{
    assert_int_equal(open_fake(format, 2, 48000, format == AFMT_S32_NE ? 4096 : 2048, 4), 0);
    assert_int_equal(st_ear_prepare(&ear), 0);
    assert_int_equal(st_duplex_begin(&duplex), 0);
    for (unsigned i = 0; i < turns; i++)
        assert_int_equal(st_duplex_turn(&duplex), 0);
}

static void test_what_it_plays_comes_back(ST_UNUSED void **state)
{
    const int formats[] = {AFMT_S32_NE, AFMT_S16_NE};
    ST_EACH (format, formats) {
        play_turns(*format, 20);
        hear();
        assert_int_equal(heard.frames, 20 * 512);
        assert_int_equal(heard.wrong, 0);
        assert_int_equal(heard.xruns, 0);
        free(ear.ring.bytes);
        st_oss_device_close(&device);
    }
}

static void test_an_underrun_is_an_event_and_the_reserve_is_filled(ST_UNUSED void **state)
{
    play_turns(AFMT_S32_NE, 5);
    const size_t reserve = fake.end - fake.begin;
    fake.begin = fake.end; /* nothing was left to play */
    fake.begin -= (size_t)512 * 8;
    fake.underruns = 2;
    fake.overruns = 1;
    const uint64_t played = shared.played;
    assert_int_equal(st_duplex_turn(&duplex), 0);
    assert_int_equal(shared.played - played, 512 + 1536);
    assert_true(fake.end - fake.begin >= reserve);
    fake.overruns = 1; /* only what was recorded is lost: the reserve is there */
    assert_int_equal(st_duplex_turn(&duplex), 0);
    assert_int_equal(shared.played - played, 512 + 1536 + 512);
    hear();
    assert_int_equal(heard.xruns, 2);
    fake.gone = true;
    assert_int_equal(st_duplex_turn(&duplex), -ENXIO);
    free(ear.ring.bytes);
}

/* --- a device that plays with a clock of its own --- */

static long queue, played_n; /* frames; played_n: while a period is recorded */

static long other_read(ST_UNUSED void *ctx, void *to, uint32_t frames_n)
{
    memset(to, 0, frames_n * 2 * sizeof(int32_t));
    queue -= played_n;
    return (long)frames_n;
}

static long other_write(ST_UNUSED void *ctx, ST_UNUSED const void *from, uint32_t frames_n)
{
    queue += (long)frames_n;
    return (long)frames_n;
}

static long other_queued(ST_UNUSED void *ctx)
{
    return queue >= 0 ? queue : -EPIPE;
}

static void test_the_reserve_stays_with_two_clocks(ST_UNUSED void **state)
{
    static const struct st_duplex_ops ops = {other_read, other_write, NULL, other_queued};
    const long faster_or_slower[] = {524, 500};
    assert_int_equal(open_fake(AFMT_S32_NE, 2, 48000, 4096, 4), 0);
    assert_int_equal(st_ear_prepare(&ear), 0);
    duplex.ops = &ops;
    ST_EACH (frames, faster_or_slower) {
        queue = 0;
        played_n = *frames;
        assert_int_equal(st_duplex_begin(&duplex), 0);
        for (unsigned i = 0; i < 200; i++) {
            assert_int_equal(st_duplex_turn(&duplex), 0);
            assert_int_equal(queue, 1536);
        }
    }
    queue = 0; /* it ran dry: writing says so */
    assert_int_equal(st_duplex_turn(&duplex), 0);
    assert_int_equal(queue, 512 - 500);
    free(ear.ring.bytes);
}

static void test_a_server_whose_clock_goes_back_misses_an_unknown_time(ST_UNUSED void **state)
{
    static const struct {
        uint32_t by, missed;
    } rows[] = {{100, 100}, {(uint32_t)-100, 0}};
    const float *const from[] = {NULL, NULL};
    ST_EACH (row, rows) {
        assert_int_equal(open_fake(AFMT_S32_NE, 2, 48000, 4096, 4), 0);
        assert_int_equal(st_ear_prepare(&ear), 0);
        ear.pid = 1;
        shared.played = 1;
        st_ear_record(&ear, 0, 0, from, 1, 64);
        st_ear_record(&ear, 64 + row->by, 0, from, 1, 64);
        ear.pid = 0;
        hear();
        assert_int_equal(heard.missed, row->missed);
        free(ear.ring.bytes);
        st_oss_device_close(&device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_the_device_answers_is_taken),
        cmocka_unit_test(test_what_it_cannot_do_is_an_error),
        cmocka_unit_test(test_what_it_plays_comes_back),
        cmocka_unit_test(test_an_underrun_is_an_event_and_the_reserve_is_filled),
        cmocka_unit_test(test_the_reserve_stays_with_two_clocks),
        cmocka_unit_test(test_a_server_whose_clock_goes_back_misses_an_unknown_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
