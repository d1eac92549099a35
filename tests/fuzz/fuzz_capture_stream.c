/* Bytes of a helper program that records, in two pieces: what is taken is within its bounds. */
#include "ears/capture_stream.h"
#include "tests/fuzz/fuzz.h"

static struct st_capture_reader reader;

static void on_head(void *ctx, const struct st_capture_head *head)
{
    check((*(unsigned *)ctx)++ == 0);
    check(head->channels >= 1 && head->channels <= ST_CAPTURE_CHANNELS_MAX);
    check(strlen(head->way) < sizeof(head->way) && strlen(head->server) < sizeof(head->server));
}

static void on_packet(void *ctx, const struct st_capture_packet *packet)
{
    check(*(unsigned *)ctx == 1 && packet->frames_n > 0);
    check((size_t)packet->frames_n * reader.head.channels <= ST_CAPTURE_SAMPLES_MAX);
    for (size_t i = 0; i < (size_t)packet->frames_n * reader.head.channels; i++)
        check(fabsf(packet->samples[i]) <= ST_CAPTURE_LEVEL_MAX);
}

static void on_event(ST_UNUSED void *ctx, const struct st_capture_event *event)
{
    check(st_capture_stream_event_name(event->kind) != NULL &&
          strlen(event->text) < sizeof(event->text));
}

static const struct st_capture_sink sink = {on_head, on_packet, on_event};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned heads = 0;
    reader = (struct st_capture_reader){0};
    if (st_capture_stream_read(&reader, data, size / 2, &sink, &heads) == 0 &&
        st_capture_stream_read(&reader, data + size / 2, size - size / 2, &sink, &heads) < 0)
        check(size > 0);
    return 0;
}
