#include "xruns/helpers/pulse_streams.h"

/* readings (4 s) of which the largest value counts as what a stream asked for; then the search
 * begins anew, since the sink may still hold what an old stream asked for */
#define LOOKS 16
/* us after the server did not answer in which queues may be seen empty for that reason */
#define SILENT_US 1000000

struct st_stream *st_pulse_streams_find(struct st_pulse_streams *streams, uint32_t index)
{
    ST_EACH_OF (stream, streams->streams, streams->streams_n) {
        if (stream->index == index)
            return stream;
    }
    return NULL;
}

static struct st_stream *find_or_add(struct st_pulse_streams *streams, uint32_t index)
{
    struct st_stream *stream = st_pulse_streams_find(streams, index);
    if (stream != NULL || streams->streams_n == ST_PULSE_STREAMS_MAX)
        return stream;
    stream = &streams->streams[streams->streams_n++];
    *stream = (struct st_stream){.index = index};
    return stream;
}

void st_pulse_streams_look_begin(struct st_pulse_streams *streams)
{
    streams->playing = false;
    ST_EACH_OF (stream, streams->streams, streams->streams_n)
        stream->seen = false;
}

/* @return why the queue of a stream, which is filled again now, was empty. */
static enum st_dropout_reason reason_of(const struct st_pulse_streams *streams,
                                        const struct st_stream *stream, uint64_t now_us)
{
    if (stream->stopped)
        return ST_DROPOUT_STOPPED;
    if (streams->answered_us > 0 && stream->first_empty_us >= streams->silent_us &&
        now_us <= streams->answered_us + SILENT_US)
        return ST_DROPOUT_WAITED_FOR_OTHER;
    return ST_DROPOUT_UNKNOWN;
}

uint64_t st_pulse_streams_look(struct st_pulse_streams *streams, uint32_t index, bool corked,
                               uint64_t queued_us, uint64_t sink_us, uint64_t silent_us,
                               uint64_t now_us)
{
    struct st_stream *stream = find_or_add(streams, index);
    if (stream == NULL)
        return 0;
    const uint64_t held_us = stream->held_us;
    stream->held_us = queued_us + sink_us;
    stream->seen = true;
    if (corked) {
        stream->queue = ST_STREAM_NEW; /* a corked stream fills its queue again before it plays */
        return 0;
    }
    streams->playing = true;
    if (stream->queue == ST_STREAM_FILLED && silent_us > held_us) {
        stream->queue = ST_STREAM_NEW; /* if the queue is empty now, that belongs to this loss */
        stream->reason = ST_DROPOUT_WAITED_FOR_OTHER;
        return silent_us - held_us;
    }
    if (queued_us <= ST_STREAM_EMPTY_US) {
        if (stream->queue == ST_STREAM_FILLED) {
            stream->queue = ST_STREAM_EMPTY;
            stream->first_empty_us = now_us;
        }
        stream->last_empty_us = now_us;
        return 0;
    }
    const bool starved = stream->queue == ST_STREAM_EMPTY;
    /* the mean of the shortest and the longest time that the queue can have been empty */
    const uint64_t lost_us =
        (stream->last_empty_us - stream->first_empty_us + now_us - stream->filled_us) / 2;
    stream->queue = ST_STREAM_FILLED;
    stream->reason = reason_of(streams, stream, now_us);
    stream->stopped = false;
    stream->filled_us = now_us;
    if (!starved || (stream->reason == ST_DROPOUT_UNKNOWN && lost_us > ST_STREAM_PAUSE_US))
        return 0;
    return ST_MAX(lost_us, 1);
}

bool st_pulse_streams_is_asked(const struct st_stream *stream, uint64_t now_us)
{
    return stream->queue == ST_STREAM_EMPTY && !stream->stopped &&
           now_us - stream->first_empty_us <= ST_STREAM_PAUSE_US;
}

int64_t st_pulse_streams_asked_ms(struct st_stream *stream)
{
    if (stream->held_us > ST_STREAM_LONGEST_US)
        return 0;
    stream->longest_us = ST_MAX(stream->held_us, stream->longest_us);
    if (++stream->looks_n == LOOKS) {
        stream->asked_ms = (int64_t)((stream->longest_us + 500) / 1000);
        stream->longest_us = stream->looks_n = 0;
    }
    return stream->asked_ms;
}

void st_pulse_streams_look_end(struct st_pulse_streams *streams)
{
    size_t kept_n = 0;
    ST_EACH_OF (stream, streams->streams, streams->streams_n) {
        if (stream->seen)
            streams->streams[kept_n++] = *stream;
    }
    streams->streams_n = kept_n;
}
