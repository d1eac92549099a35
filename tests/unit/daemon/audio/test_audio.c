/* The own streams: what opens, what does not, and that the daemon lives on.
 * Real clock: libraries of sound servers have threads of their own; each is waited for. */
#include <stdatomic.h>
#include <unistd.h>

#include "core/ns.h"
#include "daemon/audio/audio.h"
#include "st_config.h"
#include "tests/unit/unit.h"

static struct st_events events;
static struct st_config config;

/* The module calls this instead of libsoundio's. */
static atomic_int write_error;
int soundio_outstream_end_write(void *stream);
int soundio_outstream_end_write(ST_UNUSED void *stream)
{
    return atomic_load(&write_error);
}

static int setup(void **state)
{
    st_config_defaults(&config);
    return st_events_init(&events, NULL);
}

static int teardown(void **state)
{
    st_events_finish(&events);
    return 0;
}

/* Waits until the stream left this state; not a matter of speed, only of patience. */
static void wait_while(struct st_audio *audio, enum st_audio_state state,
                       struct st_audio_view *view)
{
    for (int i = 0; i < 3000; i++) {
        st_audio_look(audio, view);
        if (view->state != state)
            break;
        usleep(10000);
    }
}

static struct st_audio *open_audio(const char *backend, const char *device,
                                   struct st_audio_view *view)
{
    struct st_audio *audio;
    ST_PRINT(config.audio.backend, "%s", backend);
    ST_PRINT(config.audio.device, "%s", device);
    assert_int_equal(st_audio_start(st_platform_native(), &config, &events, &audio), 0);
    wait_while(audio, ST_AUDIO_OPENING, view);
    return audio;
}

static void pause_doubles_up_to_a_minute(void **state)
{
    static const int64_t seconds[] = {1, 1, 2, 4, 8, 16, 32, 60, 60};
    for (unsigned i = 0; i < ST_ARRAY_LEN(seconds); i++)
        assert_int_equal(st_audio_backoff_ns(i), seconds[i] * ST_NS_PER_S);
    assert_int_equal(st_audio_backoff_ns(4000000000u), 60 * ST_NS_PER_S);
}

static void stream_that_is_not_called_for_many_looks_hangs(void **state)
{
    struct st_audio_judge judge = {0};
    for (unsigned i = 0; i + 1 < ST_AUDIO_SILENT_LOOKS; i++)
        assert_false(st_audio_hangs(&judge, 0, 0));
    assert_false(st_audio_hangs(&judge, 1, 0)); /* one call forgives all silence before */
    for (unsigned i = 0; i + 1 < ST_AUDIO_SILENT_LOOKS; i++)
        assert_false(st_audio_hangs(&judge, 1, 0));
    assert_true(st_audio_hangs(&judge, 1, 0));
}

static void long_buffer_has_four_of_its_lengths(void **state)
{
    struct st_audio_judge judge = {0};
    unsigned looks = 1;
    while (!st_audio_hangs(&judge, 0, 5 * ST_NS_PER_S))
        looks++;
    assert_int_equal(looks, 4 * 5 * ST_NS_PER_S / ST_AUDIO_LOOK_NS);
}

static void none_opens_nothing_and_is_no_error(void **state)
{
    struct st_audio_view view;
    struct st_audio *audio = open_audio("none", "", &view);
    assert_int_equal(view.state, ST_AUDIO_OFF);
    assert_string_equal(view.error, "");
    st_audio_stop(audio);
    assert_int_equal(events.added_n, 0);
}

static void dummy_plays_and_its_values_are_read_back(void **state)
{
    struct st_audio_view view;
    struct st_audio *audio = open_audio("dummy", "", &view);
    if (!ST_HAVE_SOUNDIO) {
        assert_int_equal(view.state, ST_AUDIO_OFF);
        assert_string_equal(view.error,
                            ""); /* the default: nothing that was asked for is missing */
        st_audio_stop(audio);
        audio = open_audio("jack", "", &view);
        assert_int_equal(view.state, ST_AUDIO_OFF);
        assert_has(view.error, "sleeptune-stream.so is not installed");
        st_audio_stop(audio);
        return;
    }
    assert_int_equal(view.state, ST_AUDIO_RUNNING);
    assert_string_equal(view.device, "dummy-out");
    assert_int_equal(view.rate_hz, 48000);
    assert_true(view.latency_ns >=
                50 * ST_NS_PER_MS); /* 0 asks for that; the backend gives whole pages */
    st_audio_stop(audio);
}

static void unknown_device_is_named_and_tried_again(void **state)
{
    if (!ST_HAVE_SOUNDIO)
        return; /* no device is looked for */
    struct st_audio_view view;
    struct st_audio *audio = open_audio("dummy", "no-such-device", &view);
    assert_int_equal(view.state, ST_AUDIO_WAITING);
    assert_has(view.error, "the sound system dummy has no output device \"no-such-device\"");
    st_audio_stop(audio);
    assert_int_equal(events.added_n, 1);
    assert_int_equal(events.events[0].event.kind, ST_EVENT_AUDIO_UNAVAILABLE);
}

static void stream_that_cannot_write_is_opened_again(void **state)
{
    struct st_audio_view view;
    struct st_audio *audio = open_audio("dummy", "", &view);
    atomic_store(&write_error, 8); /* SoundIoErrorStreaming */
    wait_while(audio, ST_AUDIO_RUNNING, &view);
    assert_int_equal(view.state, ST_HAVE_SOUNDIO ? ST_AUDIO_WAITING : ST_AUDIO_OFF);
    st_audio_stop(audio);
    atomic_store(&write_error, 0);
}

/* The socket answers before the stream's thread is there. */
static void before_its_thread_begins_a_wished_stream_is_being_opened(void **state)
{
    struct st_config settings;
    st_config_defaults(&settings);
    struct st_audio_view view;
    st_audio_view_init(&settings, &view);
    assert_int_equal(view.state, ST_AUDIO_OFF); /* the default is none */
    ST_PRINT(settings.audio.backend, "dummy");
    st_audio_view_init(&settings, &view);
    assert_int_equal(view.state, ST_AUDIO_OPENING);
    assert_string_equal(view.backend, settings.audio.backend);
    assert_int_equal(view.dropouts_n, 0);
    assert_int_equal(view.policy, -1);
    ST_PRINT(settings.audio.backend, "none");
    st_audio_view_init(&settings, &view);
    assert_int_equal(view.state, ST_AUDIO_OFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pause_doubles_up_to_a_minute),
        TEST(stream_that_is_not_called_for_many_looks_hangs),
        TEST(long_buffer_has_four_of_its_lengths),
        TEST(none_opens_nothing_and_is_no_error),
        TEST(dummy_plays_and_its_values_are_read_back),
        TEST(unknown_device_is_named_and_tried_again),
        TEST(stream_that_cannot_write_is_opened_again),
        TEST(before_its_thread_begins_a_wished_stream_is_being_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
