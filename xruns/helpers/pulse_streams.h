/* Finds out which playback streams of a PulseAudio server ran empty, by reading their queues at
 * intervals.
 *
 * PulseAudio reports an underrun only to the stream's own program. Other programs can read how much
 * sound a stream has queued in the server: a stream that plays (is not corked), had sound queued,
 * has none, and later has sound again was starved in between. A stream that is empty and then ends
 * has played all of its sound. All functions: one thread. */
#pragma once

#include "xruns/dropout_reason.h"

#define ST_PULSE_STREAMS_MAX 128 /* streams at once; further streams are not watched */

/* A queue with at most this time of sound (us) is empty: PulseAudio adds the sound in its resampler
 * (180 us from 44.1 to 48 kHz, 16.1) */
#define ST_STREAM_EMPTY_US   1000
#define ST_STREAM_LONGEST_US 60000000 /* no buffer is longer: the server's figure is wrong */
/* a queue that is empty for longer without a known reason means that the program pauses */
#define ST_STREAM_PAUSE_US 5000000

enum st_stream_queue { ST_STREAM_NEW, ST_STREAM_FILLED, ST_STREAM_EMPTY };

struct st_stream {
    uint32_t index; /* PulseAudio's index, not reused while the server runs */
    enum st_stream_queue queue;
    bool seen;    /* the stream was in the list of the current reading */
    bool stopped; /* set by the caller: the program was stopped while the queue was empty */
    enum st_dropout_reason reason; /* why the stream last lost sound */
    uint64_t filled_us, first_empty_us,
        last_empty_us; /* times of readings: of the last one that found the queue filled, of the
                          first and the last one that found it empty */
    uint64_t held_us;  /* sound in the queue and the sink at the last reading */
    uint64_t longest_us, looks_n;
    int64_t asked_ms;
};

struct st_pulse_streams {
    struct st_stream streams[ST_PULSE_STREAMS_MAX];
    size_t streams_n;
    bool playing;                    /* a stream played at the last reading */
    uint64_t silent_us, answered_us; /* set by the caller: when the server last did not answer, and
                                        last did; 0: never */
};

void st_pulse_streams_look_begin(struct st_pulse_streams *streams);

/** Finds the state of a stream. @return NULL: the stream is not known yet, or has no room. */
struct st_stream *st_pulse_streams_find(struct st_pulse_streams *streams, uint32_t index);

/** Takes a reading of one stream. Sound is also lost if the server did not answer for longer than
 * queue and sink lasted, since a program's sound passes through the thread that answers. @param
 * queued_us sound queued in the server. @param sink_us sound in the sink. @param silent_us how long
 * the server did not answer; 0: it answered. @return how long the stream was starved since the
 * previous reading, accurate to about one interval of readings, with the reason in the stream; 0:
 * not starved, or the program paused. */
uint64_t st_pulse_streams_look(struct st_pulse_streams *streams, uint32_t index, bool corked,
                               uint64_t queued_us, uint64_t sink_us, uint64_t silent_us,
                               uint64_t now_us);

/** Must the caller find out whether the program is stopped? false if that is known, and after
 * ST_STREAM_PAUSE_US. */
bool st_pulse_streams_is_asked(const struct st_stream *stream, uint64_t now_us);

/** Approximate size of the buffer that the program asked for. PulseAudio does not report it, but
 * queue and sink hold no more. Call once in each reading. @return the largest value of some
 * readings, in ms; 0: too few readings. */
int64_t st_pulse_streams_asked_ms(struct st_stream *stream);

/** Forgets the streams that were not in the list of this reading. */
void st_pulse_streams_look_end(struct st_pulse_streams *streams);
