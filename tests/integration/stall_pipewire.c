/* stall_pipewire STALL_MS [NAME]: a stream NAME ("stall") to the default sink of PipeWire. It plays silence,
 * prints "playing", then for each newline on standard input sleeps STALL_MS in one process callback, prints
 * "stalled N" after it, and ends with its input. */
#include <spa/pod/pod.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>

static struct pw_stream *stream;
static long stall_ms;
static atomic_long asked, stalled, cycles;

static void on_process(void *ctx)
{
    (void)ctx;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(stream);
    if (buffer == NULL)
        return;
    struct spa_data *data = &buffer->buffer->datas[0];
    const uint32_t bytes = data->maxsize < 4096 ? data->maxsize : 4096;
    memset(data->data, 0, bytes);
    data->chunk->offset = 0;
    data->chunk->stride = 8;
    data->chunk->size = bytes;
    pw_stream_queue_buffer(stream, buffer);
    atomic_fetch_add(&cycles, 1);
    if (atomic_load(&stalled) < atomic_load(&asked)) {
        usleep((useconds_t)stall_ms * 1000);
        atomic_fetch_add(&stalled, 1);
    }
}

static const struct pw_stream_events events = {PW_VERSION_STREAM_EVENTS, .process = on_process};

int main(int argc, char **argv)
{
    char line[16];
    uint8_t space[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(space, sizeof(space));
    stall_ms = argc > 1 ? atol(argv[1]) : 100;
    const char *name = argc > 2 ? argv[2] : "stall";
    pw_init(NULL, NULL);
    struct pw_thread_loop *loop = pw_thread_loop_new("stall", NULL);
    if (loop == NULL)
        return 1;
    stream = pw_stream_new_simple(pw_thread_loop_get_loop(loop), name,
                                  pw_properties_new(PW_KEY_NODE_NAME, name, PW_KEY_MEDIA_TYPE, "Audio",
                                                    PW_KEY_MEDIA_CATEGORY, "Playback", NULL),
                                  &events, NULL);
    const struct spa_pod *format = spa_format_audio_raw_build(
        &builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32, .rate = 48000, .channels = 2));
    if (stream == NULL ||
        pw_stream_connect(stream, PW_DIRECTION_OUTPUT, PW_ID_ANY,
                          PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS,
                          &format, 1) < 0)
        return 1;
    pw_thread_loop_start(loop);
    while (atomic_load(&cycles) < 10)
        usleep(1000);
    puts("playing");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin) != NULL) {
        const long number = atomic_fetch_add(&asked, 1) + 1;
        while (atomic_load(&stalled) < number)
            usleep(1000);
        const long then = atomic_load(&cycles);
        while (atomic_load(&cycles) < then + 10) /* it goes on */
            usleep(1000);
        printf("stalled %ld\n", number);
        fflush(stdout);
    }
    pw_thread_loop_stop(loop);
    return 0;
}
