/* The own stream on a false OSS device: it plays silence, counts the gaps, and ends with the
 * device. Real clock: the stream has a thread; what it does is waited for. */
#include <pthread.h>
#include <unistd.h>

#include "core/ns.h"
#include "daemon/audio/stream.h"
#include "platform/freebsd/oss.h"
#include "tests/unit/unit.h"

static struct {
    int channels, fragment_bytes;
    char thread[16]; /* who writes; read after it has ended */
    atomic_int gaps, written, gone, closed, loud;

} fake;

static int fake_open(const char *path, ST_UNUSED int flags)
{
    errno = ENOENT;
    return strcmp(path, "/dev/dsp") == 0 ? 1000 : -1;
}

static int fake_close(ST_UNUSED int fd)
{
    atomic_fetch_add(&fake.closed, 1);
    return 0;
}

static int fake_ioctl(ST_UNUSED int fd, unsigned long request, void *value)
{
    int *number = value;
    if (request == SNDCTL_DSP_CHANNELS)
        *number = fake.channels;
    else if (request == SNDCTL_DSP_SPEED)
        *number = 44100;
    else if (request == SNDCTL_DSP_GETOSPACE)
        *(audio_buf_info *)value =
            (audio_buf_info){.fragstotal = 4, .fragsize = fake.fragment_bytes};
    else if (request == SNDCTL_DSP_GETERROR)
        *(audio_errinfo *)value = (audio_errinfo){.play_underruns = atomic_exchange(&fake.gaps, 0)};
    return 0;
}

/* Threads: the writer's, before it writes. */
static int fake_set_name(ST_UNUSED struct st_platform *platform, const char *name)
{
    ST_PRINT(fake.thread, "%s", name);
    return 0;
}

static ssize_t fake_write(ST_UNUSED int fd, const void *from, size_t bytes)
{
    const unsigned char *at = from;
    usleep(1000);
    for (size_t i = 0; i < bytes; i++)
        atomic_fetch_or(&fake.loud, at[i]);
    atomic_fetch_add(&fake.written, (int)bytes);
    errno = ENXIO;
    return atomic_load(&fake.gone) != 0 ? -1 : (ssize_t)bytes;
}

static const struct st_oss_calls calls = {fake_open, fake_close, fake_ioctl, NULL, fake_write};
static struct st_config config;
static struct st_stream_seen seen;
static char error[ST_AUDIO_ERROR_BYTES];

static int open_fake(int channels, int fragment_bytes, struct st_own_stream **ret)
{
    memset(&fake, 0, sizeof(fake));
    memset(&seen, 0, sizeof(seen));
    fake.channels = channels;
    fake.fragment_bytes = fragment_bytes;
    struct st_platform *platform = st_platform_native();
    platform->set_name = fake_set_name;
    return st_stream_oss_open(&calls, platform, &config, &seen, ret, error, sizeof(error));
}

static void it_plays_silence_counts_gaps_and_ends_with_the_device(ST_UNUSED void **state)
{
    struct st_own_stream *stream;
    struct st_audio_view view = {.raw = false};
    assert_int_equal(open_fake(2, 1024, &stream), 0);
    st_stream_oss.describe(stream, &view);
    assert_string_equal(view.device, "/dev/dsp");
    assert_true(view.raw && view.rate_hz == 44100);
    assert_int_equal(view.latency_ns, 1024 * ST_NS_PER_S / 44100);
    while (atomic_load(&seen.calls) < 3)
        usleep(1000);
    atomic_store(&fake.gaps, 2);
    while (atomic_load(&seen.dropouts) < 2)
        usleep(1000);
    assert_int_equal(atomic_load(&seen.dropouts), 2);
    assert_int_equal(atomic_load(&fake.loud), 0);
    assert_null(st_stream_oss.find_failure(stream));
    atomic_store(&fake.gone, 1);
    while (st_stream_oss.find_failure(stream) == NULL)
        usleep(1000);
    st_stream_oss.close(stream);
    assert_int_equal(atomic_load(&fake.closed), 1);
    assert_string_equal(fake.thread, "st-oss");
}

static void what_it_cannot_do_is_an_error_that_names_the_device(ST_UNUSED void **state)
{
    struct st_own_stream *stream;
    assert_int_equal(open_fake(1, 1024, &stream), -ENOTSUP); /* mono */
    assert_has(error, "device /dev/dsp: ");
    st_stream_oss.close(stream);
    assert_int_equal(open_fake(2, 1 << 20, &stream), -ENOTSUP); /* more than there is silence */
    st_stream_oss.close(stream);
    assert_int_equal(atomic_load(&fake.closed), 1);
    ST_PRINT(config.audio.device, "/dev/none");
    assert_int_equal(open_fake(2, 1024, &stream), -ENOENT);
    assert_has(error, "device /dev/none: ");
    st_stream_oss.close(stream);
    st_stream_oss.close(NULL);
}

static int setup(ST_UNUSED void **state)
{
    st_config_defaults(&config);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_plays_silence_counts_gaps_and_ends_with_the_device, setup),
        cmocka_unit_test_setup(what_it_cannot_do_is_an_error_that_names_the_device, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
